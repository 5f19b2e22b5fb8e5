"""Files that mean harm: names that lead elsewhere, devices, pipes, and names that a terminal would obey."""
import json
import os
import resource
import subprocess
import threading

import harness
from harness import PROGRAM, main, refuses, run, run_json, write

URDF = """<robot name="ROBOT"><link name="base"/><link name="LINK"/>
<joint name="JOINT" type="revolute"><parent link="base"/><child link="LINK"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""


def gltf(uri):
    return json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
                       "nodes": [{"name": "a", "children": [1]}, {"name": "b", "translation": [1, 0, 0]}],
                       "buffers": [{"uri": uri, "byteLength": 1}]})


def within_memory(*arguments, **options):
    """The run with 1 GB of address space: whoever reads a device to a limit of 2 GB fails in another way."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, cwd=harness.FOLDER, preexec_fn=limit, check=False,
                          **options)


def test_models_that_name_files_elsewhere():
    os.mkdir(os.path.join(harness.FOLDER, "model"))
    write("secret.bin", "secret")
    write("model/own.bin", "own")
    os.symlink("../secret.bin", os.path.join(harness.FOLDER, "model/link.bin"))
    os.symlink("/dev/zero", os.path.join(harness.FOLDER, "model/zero.bin"))
    os.mkfifo(os.path.join(harness.FOLDER, "model/pipe.bin"))
    write("model/own.gltf", gltf("own.bin"))
    run("check", "model/own.gltf")
    for uri, word in (("/etc/passwd", "absolute"), ("../secret.bin", "outside"), ("%2e%2e/secret.bin", "outside"), ("/dev/zero", "absolute"),
                      ("link.bin", "outside"), ("zero.bin", "outside"), ("pipe.bin", "regular"), ("own.bin%00", "control"), (".bin", "buffer")):
        write("model/bad.gltf", gltf(uri))
        done = within_memory("check", "model/bad.gltf")
        assert done.returncode == 1 and "/buffers/0/uri" in done.stdout and word in done.stdout, (uri, done)
        assert within_memory("info", "model/bad.gltf").returncode == 2
    # --mesh-root opens one more folder.
    write("model/up.gltf", gltf("../secret.bin"))
    run("check", "model/up.gltf", "--mesh-root", ".")


def test_scenes_that_open_other_folders():
    os.makedirs(os.path.join(harness.FOLDER, "scene/own"))
    os.makedirs(os.path.join(harness.FOLDER, "elsewhere"))
    write("elsewhere/other.bin", "other")
    write("scene/own/part.bin", "part")
    os.symlink("../elsewhere", os.path.join(harness.FOLDER, "scene/link"))
    goal = {"goals": [{"link": "b", "target": [1, 0, 0]}]}
    write("scene/own.gltf", gltf("part.bin"))
    write("scene/own.json", json.dumps({"model": "own.gltf", "read": {"mesh_root": "own"}, **goal}))
    run("ik", "scene/own.json")
    # A scene is data: it names no folder but those below its own; a person may.
    write("scene/bad.gltf", gltf("other.bin"))
    for root in ("../elsewhere", os.path.join(harness.FOLDER, "elsewhere"), "link", "/", "missing"):
        write("scene/bad.json", json.dumps({"model": "bad.gltf", "read": {"mesh_root": root}, **goal}))
        refuses("ik", "scene/bad.json", words=["/read/mesh_root", "below the scene's"])
        run("ik", "scene/bad.json", "--mesh-root", "elsewhere")


def test_devices_are_refused():
    done = within_memory("info", "/dev/zero")
    assert done.returncode == 2 and "'/dev/zero' is a device, not a file." in done.stderr, done
    with open("/dev/zero", "rb") as zero:
        done = within_memory("info", "-", stdin=zero)
    assert done.returncode == 2 and "Standard input is a device" in done.stderr, done
    refuses("info", "/dev/null", words=["empty"])
    refuses("fk", "panda", "--poses", "/dev/zero", words=["device"])


def test_pipes_of_the_person_are_read():
    pipe = os.path.join(harness.FOLDER, "pipe")
    os.mkfifo(pipe)

    def given(text, *arguments):
        def feed():
            with open(pipe, "w", encoding="utf-8") as file:
                file.write(text)
        writer = threading.Thread(target=feed)
        writer.start()
        try:
            return run(*arguments)[0]
        finally:
            writer.join()
    assert '"LINK"' in given(URDF, "info", "pipe", "--json")
    goal = '{"target": [0.3, 0.2, 0.5]}\n'
    answers = given(goal * 3, "ik", "panda", "--tip", "panda_tcp", "--targets", "pipe", "--json").splitlines()
    assert len(answers) == 4 and json.loads(answers[3])["summary"]["reached"] == 3, answers


def test_names_cannot_command_the_terminal():
    clear, title = "\x1b[2J", "\x9b"  # the second is the one-character form of "escape ["
    linkage = {"format": "armature", "version": 1, "name": f"arm{clear}", "description": f"an arm{clear}\nof two lines",
               "links": [{"name": "base"}, {"name": f"hand{clear}"}],
               "joints": [{"name": f"elbow{title}31m", "type": "revolute", "parent": "base", "child": f"hand{clear}", "axis": [0, 0, 1], "origin": {"xyz": [1, 0, 0]}}],
               "poses": {f"up{clear}": {f"elbow{title}31m": 0.5}}}
    write("arm.json", json.dumps(linkage))
    hand = f"hand{clear}"
    for arguments in (("info", "arm.json"), ("fk", "arm.json"), ("check", "arm.json"), ("ik", "arm.json", "--tip", hand, "--goal", "0,1,0"),
                      ("step", "arm.json", "--tip", hand, "--goal", "0,1,0"), ("compare", "arm.json", "--tip", hand, "--goal", "0,1,0")):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=harness.FOLDER, timeout=60, check=False)
        assert done.returncode in (0, 1), done
        assert "\x1b" not in done.stdout + done.stderr, (arguments, done)
        assert title not in done.stdout + done.stderr, (arguments, done)
    assert "hand?[2J" in run("info", "arm.json")[0]
    assert run_json("info", "arm.json")["name"] == f"arm{clear}"  # programs get the name as it is
    err = refuses("fk", "arm.json", "--pose", f"x{title}y=1")
    assert "\x1b" not in err and title not in err


def test_the_program_holds_no_path_of_the_machine_it_was_built_on():
    root = os.path.abspath(harness.ROOT).encode()
    with open(PROGRAM, "rb") as file:
        program = file.read()
    assert b"armature/kinematics/" in program, "checks name their file"
    assert root not in program, program[program.find(root):][:80]


if __name__ == "__main__":
    main()
