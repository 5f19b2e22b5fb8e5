"""armature convert and armature check."""
import json
import math
import os
import re
import resource
import signal
import stat
import subprocess

import harness
from harness import PROGRAM, ROOT, main, read, refuses, run, run_json, shared_data, write


def frames(model, *options, pose="{}"):
    return json.loads(run("fk", model, "--poses", "-", "--json", *options, stdin=pose)[0])["transforms"]


def test_every_built_in_model_survives_our_own_format():
    for model in run_json("models")["models"]:
        name = model["name"]
        run("convert", name, "copy.json")
        run("convert", "copy.json", "again.json")
        assert read("copy.json") == read("again.json"), name
        assert frames(name) == frames("copy.json"), name
        assert run_json("info", name) == run_json("info", "copy.json"), name


def test_convert_says_what_it_did():
    out, _ = run("convert", "ur5", "ur5.json")
    assert "ur5.json" in out
    report = run_json("convert", "ur5", "ur5.json")
    assert report["format"] == "json" and report["bytes"] == len(read("ur5.json").encode()) and report["notes"] == []


def test_standard_output_needs_a_format():
    refuses("convert", "ur5", "-", words=["--to"])
    assert json.loads(run("convert", "ur5", "-", "--to", "json")[0])["name"] == "ur5"


def test_convert_refuses():
    refuses("convert", "ur5", "out.xyz", words=["out.xyz", "json"])
    refuses("convert", "ur5", "out.json", "--to", "jsn", words=["'jsn'", "json"])
    refuses("convert", "missing.urdf", "out.json", words=["missing.urdf"])
    refuses("convert", "ur5", "no/such/folder/out.json", words=["no/such/folder"])
    assert os.listdir(harness.FOLDER) == []  # nothing is left behind


def bvh(frames, channels="Zrotation Xrotation Yrotation"):
    rows = "".join(f"{i % 7} {i % 5}.25 {i % 3}.125 {i % 11} {i % 13} {i % 17}.5\n" for i in range(frames))
    return ("HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT leg\n{\nOFFSET 0 -1 0\n"
            f"CHANNELS 3 {channels}\nEnd Site\n{{\nOFFSET 0 -1 0\n}}\n}}\n}}\nMOTION\nFrames: {frames}\nFrame Time: 0.01\n{rows}")


def frame_values(path):
    """The columns of a motion, frame by frame."""
    run("convert", path, "values.jsonl")
    lines = [json.loads(line) for line in read("values.jsonl").splitlines()]
    return [dict(zip(lines[0]["columns"], line["q"])) for line in lines[1:]]


def test_how_files_are_read():
    write("slide.bvh", bvh(2, "Xposition Yposition Zposition"))
    positions = {how: frame_values_with(how) for how in ("absolute", "offset")}
    assert positions["absolute"] == positions["offset"] + 1.0  # the OFFSET is 0 -1 0
    refuses("convert", "slide.bvh", "out.json", "--bvh-positions", "blender", words=["--bvh-positions", "absolute", "offset"])
    write("soft.urdf", """<robot name="r"><link name="a"><visual><geometry><mesh filename="package://arm/a.stl"/></geometry></visual></link>
      <link name="b"/><joint name="j" type="revolute"><parent link="a"/><child link="b"/>
      <limit lower="-2" upper="2" velocity="1" effort="1"/>
      <safety_controller soft_lower_limit="-1.5" soft_upper_limit="1.25" k_position="1" k_velocity="1"/></joint></robot>""")
    assert run_json("info", "soft.urdf")["joints"][0]["upper"] == 2
    assert run_json("info", "soft.urdf", "--safety-limits")["joints"][0]["upper"] == 1.25
    run("convert", "soft.urdf", "hard.urdf")
    assert 'filename="package://arm/a.stl"' in read("hard.urdf") and 'upper="2"' in read("hard.urdf")
    run("convert", "soft.urdf", "soft_out.urdf", "--mesh-root", "/meshes", "--safety-limits")
    assert 'filename="/meshes/arm/a.stl"' in read("soft_out.urdf") and 'upper="1.25"' in read("soft_out.urdf")
    row = '{"joint": "revolute", "a": %d, "alpha": 0, "d": 0, "theta": "q"}'
    write("two.dh.json", '{"robots": [{"name": "one", "convention": "standard", "rows": [%s]}, {"name": "other", "convention": "modified", "rows": [%s]}]}' % (row % 1, row % 2))
    assert run_json("info", "two.dh.json")["name"] == "one"
    assert run_json("info", "two.dh.json", "--part", "other")["name"] == "other"
    assert "sound" in run("check", "two.dh.json", "--part", "other")[0]
    refuses("info", "two.dh.json", "--part", "othr", words=["'othr'", "did you mean 'other'"])


def frame_values_with(how):
    run("convert", "slide.bvh", "values.jsonl", "--bvh-positions", how)
    lines = [json.loads(line) for line in read("values.jsonl").splitlines()]
    return dict(zip(lines[0]["columns"], lines[1]["q"]))["leg.y"]


def test_a_ur5_has_the_published_table():
    run("convert", "ur5", "ur5.dh.csv")
    rows = [line.split(",") for line in read("ur5.dh.csv").splitlines() if line.startswith(("shoulder", "elbow", "wrist"))]
    assert [row[2] for row in rows] == ["0", "-0.425", "-0.39225", "0", "0", "0"]
    assert [float(row[3]) for row in rows] == [math.pi / 2, 0, 0, math.pi / 2, -math.pi / 2, 0]
    assert [row[4] for row in rows] == ["0.089159", "0", "0", "0.10915", "0.09465", "0.0823"]
    assert [row[5] for row in rows] == ["q"] * 6
    assert "# base: -1 0 0 0 0 -1 0 0 0 0 1 0 0 0 0 1" in read("ur5.dh.csv")


def test_a_table_of_a_chosen_chain():
    refuses("convert", "panda", "arm.dh.csv", "--base", "panda_lnk2", words=["panda_lnk2", "did you mean 'panda_link2'"])
    run("convert", "panda", "part.dh.csv", "--base", "panda_link2", "--tip", "panda_link5")
    assert [line.split(",")[0] for line in read("part.dh.csv").splitlines() if line.startswith("panda_joint")] == [
        "panda_joint3", "panda_joint4", "panda_joint5"]
    refuses("convert", "panda", "part.urdf", "--tip", "panda_link5", words=["extract"])


def test_how_files_are_written():
    run("convert", "planar_arm", "arm.dh.csv", "--dh-convention", "modified")
    assert "modified" in read("arm.dh.csv")
    write("a.bvh", bvh(3))
    run("convert", "a.bvh", "a.csv", "--digits", "3")
    assert max(len(cell) for line in read("a.csv").splitlines()[2:] for cell in line.split(",")) <= 8
    write("two.jsonl", read_motion_twice())
    run("convert", "two.jsonl", "second.csv", "--clip", "second")
    assert read("second.csv").splitlines()[2] == "0,0.75,0.75"
    run("convert", "two.jsonl", "first.csv", "--clip", "0")
    assert read("first.csv").splitlines()[2] == "0,0.25,0.25"
    refuses("convert", "two.jsonl", "x.csv", "--clip", "secnd", words=["'secnd'", "did you mean 'second'"])
    refuses("convert", "ur5", "x.csv", "--clip", "walk", words=["no motion"])


def read_motion_twice():
    run("convert", "two_link", "linkage.jsonl")
    header = json.loads(read("linkage.jsonl").splitlines()[0])
    first = dict(header, name="first", frame_time=0.1)
    second = {key: value for key, value in dict(header, name="second", frame_time=0.1).items() if key != "linkage"}
    count = len(header["columns"])
    return "".join(json.dumps(line) + "\n" for line in (first, {"q": [0.25] * count}, second, {"q": [0.75] * count}))


def test_fresh_bvh_has_bones_that_every_program_reads():
    """Blender's importer refuses bones with one or two rotation channels, and takes missing positions for 0."""
    for model in run_json("models")["models"]:
        run("convert", model["name"], "fresh.bvh")
        lines = [line.split() for line in read("fresh.bvh").splitlines() if "CHANNELS" in line]
        assert lines
        for words in lines:
            names = words[2:]
            turns = [name for name in names if name.endswith("rotation")]
            slides = [name for name in names if name.endswith("position")]
            assert len(turns) in (0, 3) and len(set(turns)) == len(turns), (model["name"], words)
            assert slides in ([], ["Xposition", "Yposition", "Zposition"]), (model["name"], words)
    # What came from a file keeps its channels.
    write("hinge.bvh", bvh(1).replace("CHANNELS 3 Zrotation Xrotation Yrotation\nEnd", "CHANNELS 1 Xrotation\nEnd").replace(" 0 0 0.5\n", " 7\n"))
    run("convert", "hinge.bvh", "again.bvh")
    assert "CHANNELS 1 Xrotation" in read("again.bvh")


def most_memory(*arguments):
    """Bytes in memory at the worst moment of a run."""
    with subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL, cwd=harness.FOLDER) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return 1024 * usage.ru_maxrss


def test_long_clips_leave_in_pieces():
    """In memory are the text that is read and 8 bytes a number, as docs/formats/bvh.md says: never the text that is written."""
    frames = 60_000
    write("short.bvh", bvh(1))
    path = write("long.bvh", bvh(frames))
    bound = most_memory("convert", "short.bvh", "short.jsonl") + os.path.getsize(path) + 8 * 6 * frames + 1_500_000
    assert most_memory("convert", path, "long.jsonl") < bound
    assert os.path.getsize(os.path.join(harness.FOLDER, "long.jsonl")) > 5_000_000
    assert read("long.jsonl").count("\n") == frames + 1
    run("convert", "long.jsonl", "back.bvh")
    assert frame_values("back.bvh")[::997] == frame_values("long.bvh")[::997]


def convert_with_little_space(out, ignore):
    """Files may not grow beyond 100 kB: the write fails, or (as interrupts do) a signal ends the run in its midst."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN if ignore else signal.SIG_DFL)
    return subprocess.run([PROGRAM, "convert", os.path.join(harness.FOLDER, "long.bvh"), out], capture_output=True, cwd=harness.FOLDER,
                          preexec_fn=limit, check=False)


def test_an_interrupted_run_leaves_the_old_file_whole():
    write("long.bvh", bvh(20_000))
    for name in ("old.csv", "old.bvh", "old.glb"):
        write(name, "the old file")
        for ignore in (False, True):
            done = convert_with_little_space(name, ignore)
            if ignore:
                assert done.returncode == 2 and name in done.stderr.decode(), done
            else:
                assert done.returncode == -signal.SIGXFSZ, done
            assert read(name) == "the old file"
        assert convert_with_little_space("new_" + name, True).returncode == 2
    assert sorted(os.listdir(harness.FOLDER)) == ["long.bvh", "old.bvh", "old.csv", "old.glb"]  # no halves, no leftovers


def test_a_replaced_file_keeps_its_mode_and_links_are_followed():
    path = write("out.json", "old")
    os.chmod(path, 0o640)
    os.symlink("out.json", os.path.join(harness.FOLDER, "link.json"))
    run("convert", "ur5", "link.json")
    assert json.loads(read("out.json"))["name"] == "ur5"
    assert os.path.islink(os.path.join(harness.FOLDER, "link.json"))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    run("convert", "out.json", "out.json")  # onto itself
    assert json.loads(read("out.json"))["name"] == "ur5"
    assert run("convert", "ur5", "/dev/stdout", "--to", "json")[0].startswith("{")


def test_check_of_sound_files():
    for entry in sorted(os.listdir(os.path.join(ROOT, "models"))):
        out, _ = run("check", os.path.join(os.path.abspath(ROOT), "models", entry))
        assert re.search(r": sound(; \d+ loops? closes?, mobility \d+)?$", out.strip()), out
    answer = run_json("check", "human")
    assert answer["ok"] and answer["file"] == "human" and answer["problems"] == [] and answer["notes"] == [], answer


def test_check_reports_every_problem():
    path = write("bad.json", """{"links": ["base", "arm", "arm2"], "joints": [
      {"name": "a", "type": "revolute", "parent": "base", "child": "arm", "axis": [0, 0, 0]},
      {"name": "b", "type": "revolute", "parent": "bsae", "child": "arm2", "limits": {"lower": 2, "upper": 1}}]}""")
    report = json.loads(run("check", path, "--json", code=1)[0])
    assert not report["ok"] and len(report["problems"]) >= 3
    text = "\n".join(problem["message"] for problem in report["problems"])
    for words in ("'a'", "zero axis", "'bsae'", "did you mean 'base'", "'b'", "reversed"):
        assert words in text, words
    out, _ = run("check", path, code=1)
    assert all(problem["message"] in out for problem in report["problems"])


def test_check_of_files_that_cannot_be_read():
    for name, text in (("empty.json", ""), ("half.json", '{"links": ['), ("words.json", "hello"), ("nan.json", '{"links": [NaN]}')):
        report = json.loads(run("check", write(name, text), "--json", code=1)[0])
        assert len(report["problems"]) == 1, name
    refuses("check", "missing.json", words=["missing.json"])


def near(a, b, tolerance=1e-9):
    return all(math.isclose(x, y, abs_tol=tolerance) for x, y in zip(a, b))


def test_robots_go_through_mjcf_and_sdf():
    own = frames("ur5")
    for file in ("ur5.mjcf", "ur5.sdf"):
        run("convert", "ur5", file)
        again = frames(file)
        for link, at in own.items():
            assert near(at["position"], again[link]["position"]), (file, link)
    run("convert", "four_bar", "four_bar.mjcf")
    assert run_json("mechanism", "four_bar.mjcf")["mobility"] == 1


def test_up_axis_unit_and_floating_root():
    x, y, z = frames("human")["head"]["position"]
    for flags in (("--up", "y"), ()):  # BVH has y up; a figure stands in other programs
        run("convert", "human", "human.bvh", *flags)
        assert near(frames("human.bvh")["head"]["position"], [x, z, -y])
    run("convert", "human.bvh", "kept.json")
    assert json.loads(read("kept.json"))["up"] == "y"
    run("convert", "kept.json", "kept.bvh")
    assert near(frames("kept.bvh")["head"]["position"], [x, z, -y])
    run("convert", "human", "lying.bvh", "--up", "z")
    assert near(frames("lying.bvh")["head"]["position"], [x, y, z])
    assert near(frames("human.bvh")["head"]["position"], [x, z, -y])
    assert near(frames("human.bvh", "--up", "z")["head"]["position"], [x, y, z])
    metres = frames("ur5")["tool0"]["position"]
    assert near(frames("ur5", "--unit-scale", "1000")["tool0"]["position"], [1000 * v for v in metres], 1e-6)
    assert run_json("info", "ur5", "--float-root")["v_size"] == 12
    refuses("fk", "ur5", "--up", "x", words=["y", "z"])


def test_one_list_of_reading_flags():
    flags = ("--bvh-positions", "--safety-limits", "--exact-angles", "--mesh-root", "--srdf", "--up", "--unit-scale", "--float-root", "--part")
    commands = ("animate", "bodies", "check", "clip", "compare", "convert", "draw", "edit", "fk", "follow", "ik", "info", "jacobian",
                "mechanism", "plot", "retarget", "step", "track", "workspace", "bench ik")
    for command in commands:
        text = run(*command.split(), "--help")[0]
        missing = [flag for flag in flags if flag + " " not in text]
        assert not missing, f"{command} does not take {missing}"


def test_reading_flags_of_motions():
    """Every command that reads a motion reads it as it is told."""
    walk = shared_data("bvh/cmu_02_01.bvh")

    def places(file, *flags):
        text = run("fk", file, "--motion", "-", "--links", "Head", *flags)[0].splitlines()
        return [[float(v) for v in line.split(",")[1:]] for line in text[1:]]
    plain = places(walk)
    small = places(walk, "--unit-scale", "0.01", "--up", "z")
    for p, s in zip(plain, small):
        assert near(s, [0.01 * p[0], -0.01 * p[2], 0.01 * p[1]], 1e-9), (p, s)
    run("clip", walk, "trim", "0..1", "--unit-scale", "0.01", "--up", "z", "-o", "z.bvh")  # what was turned stays turned
    assert near(places("z.bvh")[0], small[0], 1e-6)
    assert json.loads(run("convert", "z.bvh", "-", "--to", "json")[0])["up"] == "z"  # the figure tells
    run("convert", "z.bvh", "same.bvh")  # and goes back as it came
    assert near(places("same.bvh")[0], small[0], 1e-6)
    run("convert", "z.bvh", "z.gltf")  # but stands in glTF
    assert any(node.get("name") == "z_up" for node in json.loads(read("z.gltf"))["nodes"])
    run("draw", walk, "--up", "z", "--unit-scale", "0.01", "--strip", "3", "-o", "walk.svg")
    run("plot", walk, "--unit-scale", "0.01", "--joints", "Hips", "--what", "joints", "-o", "walk.svg")
    report = run_json("retarget", walk, "human", "--up", "y", "-o", "y.bvh", "-o", "y.csv")
    assert report["report"]["leg_direction"] < 0.1
    turned = run("fk", "human", "--up", "y", "--motion", "y.csv", "--links", "head")[0].splitlines()[1].split(",")
    assert float(turned[2]) > 1.3, turned  # y is up


def test_fbx_is_read_or_says_what_it_needs():
    write("broken.fbx", "; FBX 7.3.0 project file\nnonsense")
    refuses("info", "broken.fbx", words=["broken.fbx"])


def test_edit_keeps_an_xml_file_what_it_was():
    hinge = write("hinge.xml", "<mujoco><worldbody><body name='b'><joint name='h' range='-10 10'/><geom size='0.1'/></body></worldbody></mujoco>")
    out = os.path.join(os.path.dirname(hinge), "edited.xml")
    run("edit", hinge, "scale", "2", "-o", out)
    assert "<mujoco" in read(out)
    run("edit", hinge, "scale", "2", "-o", out, "--to", "urdf")
    assert "<robot" in read(out)
    run("edit", "panda", "scale", "2", "-o", out)
    assert "<robot" in read(out)
    shown = run("edit", hinge, "rename", "h=k", "-o", "-", "--to", "mjcf")[0]
    assert "<mujoco" in shown and 'name="k"' in shown and shown.rstrip().endswith("</mujoco>")
    refuses("edit", hinge, "rename", "h=k", "-o", "-", words=["--to urdf"])


main()
