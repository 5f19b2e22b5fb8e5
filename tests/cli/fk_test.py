"""armature fk: frames as 16 numbers, poses from the line, from files and by name; every mistake names its joint."""
import json
import math

from harness import Skip, close, main, refuses, run, run_json, run_lines, shared_data, write

IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]


def planar(a, b, c):
    """Row-major frame of planar_arm's tip, worked out here."""
    b, c = a + b, a + b + c
    x = 15 * math.cos(a) + 10 * math.cos(b) + 5 * math.cos(c)
    y = 15 * math.sin(a) + 10 * math.sin(b) + 5 * math.sin(c)
    return [math.cos(c), -math.sin(c), 0, x, math.sin(c), math.cos(c), 0, y, 0, 0, 1, 0, 0, 0, 0, 1]


def test_one_pose():
    frames = run_json("fk", "planar_arm", "--pose", "joint1=0.1,joint2=-0.2,joint3=0.3")["frames"]
    assert list(frames) == ["base", "link1", "link2", "link3", "tip"]
    close(frames["tip"], planar(0.1, -0.2, 0.3), 1e-14)
    close(frames["base"], IDENTITY, 0)


def test_neutral_named_and_degrees():
    close(run_json("fk", "planar_arm")["frames"]["tip"], planar(0, 0, 0), 1e-14)
    close(run_json("fk", "planar_arm", "--pose", "chapter")["frames"]["tip"],
          planar(math.pi / 8, math.pi / 4, math.pi / 4), 1e-14)
    close(run_json("fk", "planar_arm", "--pose", "chapter, joint3=90deg")["frames"]["tip"],
          planar(math.pi / 8, math.pi / 4, math.pi / 2), 1e-13)


def test_frames_and_base():
    frames = run_json("fk", "planar_arm", "--pose", "joint1=1", "--frames", "tip,link2", "--base", "link2")["frames"]
    assert list(frames) == ["tip", "link2"]
    close(frames["link2"], IDENTITY, 1e-15)
    close(frames["tip"], [1, 0, 0, 15, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], 1e-14)


def test_joints_of_several_numbers():
    half = math.sqrt(0.5)
    frames = run_json("fk", "human", "--pose", f"root=[1,2,3,0,0,{half},{half}],left_hip=[-1,0.2,0.1]")["frames"]
    close(frames["pelvis"], [0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3.94, 0, 0, 0, 1], 1e-14)


def test_mimic_joints_follow():
    frames = run_json("fk", "panda", "--pose", "panda_finger_joint1=0.03", "--base", "panda_hand")["frames"]
    close([frames["panda_leftfinger"][7], frames["panda_rightfinger"][7]], [0.03, -0.03], 1e-15)
    refuses("fk", "panda", "--pose", "panda_finger_joint2=0.03", words=["panda_finger_joint1"])


def test_a_file_of_poses_gives_a_line_each():
    poses = [{"joint1": 0.001 * i, "joint2": [1 - 0.001 * i], "joint3": -0.3} for i in range(2000)]
    path = write("poses.jsonl", "\n".join(json.dumps(pose) for pose in poses) + "\n\n")
    lines = run_lines("fk", "planar_arm", "--pose-file", path, "--frames", "tip")
    assert len(lines) == len(poses)
    for i, line in enumerate(lines):
        close(line["frames"]["tip"], planar(0.001 * i, 1 - 0.001 * i, -0.3), 1e-13)
    assert run("fk", "planar_arm", "--pose-file", "-", "--frames", "tip", "--json",
               stdin="{}\n{\"joint1\": 0.5}")[0].count("\n") == 2


def test_pose_is_where_the_lines_of_a_file_start():
    lines = run_lines("fk", "planar_arm", "--pose", "joint2=0.5", "--pose-file", "-", stdin='{"joint1": 1}\n{}\n')
    close(lines[0]["frames"]["tip"], planar(1, 0.5, 0), 1e-14)
    close(lines[1]["frames"]["tip"], planar(0, 0.5, 0), 1e-14)


def test_numbers_have_all_their_digits():
    out, _ = run("fk", "planar_arm", "--pose", "joint1=0.1", "--frames", "link1", "--json")
    assert abs(json.loads(out)["frames"]["link1"][0] - math.cos(0.1)) <= 2.3e-16


def test_mistakes_name_the_joint_and_the_valid_names():
    names = ["joint1", "joint2", "joint3"]
    refuses("fk", "planar_arm", "--pose", "jiont2=1", words=["'jiont2'", "did you mean 'joint2'", *names])
    refuses("fk", "planar_arm", "--pose", "joint1=[1,2]", words=["'joint1'", "1 value", *names])
    for value in ("nan", "inf", "-inf", "1e999", "", "two", "0x10"):
        refuses("fk", "planar_arm", "--pose", f"joint1={value}", words=["'joint1'", *names])
    refuses("fk", "planar_arm", "--pose", "chaptre", words=["'chaptre'", "chapter"])
    refuses("fk", "human", "--pose", "left_shoulder=[0,0,0,0]", words=["left_shoulder", "quaternion"])
    crane = {"format": "armature", "version": 1, "name": "crane", "links": [{"name": n} for n in "abc"], "joints": [
        {"name": f"slide_{c}", "type": "prismatic", "axis": [1, 1, 0], "parent": p, "child": c} for p, c in ("ab", "bc")]}
    name = write("crane.json", json.dumps(crane))
    refuses("fk", name, "--pose", "slide_b=1.7e308,slide_c=1.7e308", "--json", words=["'c'", "further away"])


def test_mistakes_in_a_file_name_the_line_too():
    names = ["joint1", "joint2", "joint3", "line 1"]
    for line in ('{"joint9": 1}', '{"joint1": [1, 2]}', '{"joint1": NaN}', '{"joint1": -Infinity}', '{"joint1": 1e999}',
                 '{"joint1": "1"}', '{"joint1": null}', '{"joint1": [[1]]}', '{"joint1": [1e400]}', '{"joint1": true}'):
        refuses("fk", "planar_arm", "--pose-file", "-", "--json", stdin=line,
                words=["joint9" if "joint9" in line else "'joint1'", *names])
    for line in ("[1, 2, 3]", "{", "hello", '{"joint1": 1} x'):
        refuses("fk", "planar_arm", "--pose-file", "-", "--json", stdin=line, words=["line 1"])
    _, err = run("fk", "planar_arm", "--pose-file", "-", "--json", stdin='{}\n\n{"joint2": 1}\n{"nope": 1}\n{}', code=2)
    assert "line 4" in err
    refuses("fk", "planar_arm", "--pose-file", "missing.jsonl", words=["missing.jsonl"])
    refuses("fk", "planar_arm", "--frames", "tpi", words=["'tpi'", "did you mean 'tip'"])
    refuses("fk", "planar_arm", "--base", "bsae", words=["'bsae'", "did you mean 'base'"])


def test_golden_frames_of_real_robots():
    if "\n  urdf " not in run("convert", "--help")[0]:
        raise Skip("this build reads no URDF")
    golden = json.load(open(shared_data("fk_golden.json"), encoding="utf-8"))["cases"]
    groups = {}
    for case in golden:
        groups.setdefault((case["file"], case["base"], case["tip"]), []).append(case)
    for (name, base, tip), cases in groups.items():
        lines = run_lines("fk", shared_data(name), "--pose-file", "-", "--base", base, "--frames", tip,
                          stdin="\n".join(json.dumps(case["q"]) for case in cases))
        for line, case in zip(lines, cases):
            close(line["frames"][tip], [number for row in case["T"] for number in row], 1e-9)


main()
