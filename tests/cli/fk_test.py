"""armature fk: frames as 16 numbers, poses from the line, from files and by name; every mistake names its joint."""
import json
import math

from harness import Skip, close, main, refuses, run, run_json, run_lines, shared_data, write

IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]


def frames_of(answer):
    """Row-major 4x4 matrices of an answer's transforms, worked out here."""
    frames = {}
    for link, transform in answer["transforms"].items():
        (px, py, pz), (x, y, z, w) = transform["position"], transform["quaternion"]
        assert abs(x * x + y * y + z * z + w * w - 1) < 1e-14 and w >= 0
        frames[link] = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), px,
                        2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), py,
                        2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), pz, 0, 0, 0, 1]
    return frames


def planar(a, b, c):
    """Row-major frame of planar_arm's tip, worked out here."""
    b, c = a + b, a + b + c
    x = 15 * math.cos(a) + 10 * math.cos(b) + 5 * math.cos(c)
    y = 15 * math.sin(a) + 10 * math.sin(b) + 5 * math.sin(c)
    return [math.cos(c), -math.sin(c), 0, x, math.sin(c), math.cos(c), 0, y, 0, 0, 1, 0, 0, 0, 0, 1]


def test_one_pose():
    frames = frames_of(run_json("fk", "planar_arm", "--pose", "joint1=0.1,joint2=-0.2,joint3=0.3"))
    assert list(frames) == ["base", "link1", "link2", "link3", "tip"]
    close(frames["tip"], planar(0.1, -0.2, 0.3), 1e-14)
    close(frames["base"], IDENTITY, 0)


def test_neutral_named_and_degrees():
    close(frames_of(run_json("fk", "planar_arm"))["tip"], planar(0, 0, 0), 1e-14)
    close(frames_of(run_json("fk", "planar_arm", "--pose", "chapter"))["tip"],
          planar(math.pi / 8, math.pi / 4, math.pi / 4), 1e-14)
    close(frames_of(run_json("fk", "planar_arm", "--pose", "chapter, joint3=90deg"))["tip"],
          planar(math.pi / 8, math.pi / 4, math.pi / 2), 1e-13)


def test_frames_and_base():
    frames = frames_of(run_json("fk", "planar_arm", "--pose", "joint1=1", "--links", "tip,link2", "--base", "link2"))
    assert list(frames) == ["tip", "link2"]
    close(frames["link2"], IDENTITY, 1e-15)
    close(frames["tip"], [1, 0, 0, 15, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], 1e-14)


def test_velocities_equal_differences():
    pose, rate, h = [0.1, -0.2, 0.3], [0.5, -1.0, 2.0], 1e-5
    def at(t):
        values = ",".join(f"joint{i + 1}={p + t * r}" for i, (p, r) in enumerate(zip(pose, rate)))
        return run_json("fk", "planar_arm", "--pose", values)["transforms"]["tip"]["position"]
    velocity = ",".join(f"joint{i + 1}={r}" for i, r in enumerate(rate))
    answer = run_json("fk", "planar_arm", "--pose", "joint1=0.1,joint2=-0.2,joint3=0.3", "--velocity", velocity)
    before, now, after = at(-h), at(0), at(h)
    close(answer["velocities"]["tip"]["linear"], [(b - a) / (2 * h) for a, b in zip(before, after)], 1e-7)
    close(answer["velocities"]["tip"]["angular"], [0, 0, 1.5], 1e-14)
    close(answer["accelerations"]["tip"]["linear"], [(a - 2 * b + c) / h**2 for a, b, c in zip(before, now, after)], 1e-3)
    seen = run_json("fk", "planar_arm", "--velocity", velocity, "--base", "link1", "--links", "base,link1")["velocities"]
    close(seen["base"]["angular"], [0, 0, -0.5], 1e-15)
    close(seen["link1"]["linear"] + seen["link1"]["angular"], [0] * 6, 1e-15)
    assert "vx" in run("fk", "planar_arm", "--velocity", "joint1=1")[0]
    assert "velocities" not in run_json("fk", "planar_arm")
    refuses("fk", "planar_arm", "--velocity", "elbow=1", words=["elbow"])


def test_joints_of_several_numbers():
    half = math.sqrt(0.5)
    frames = frames_of(run_json("fk", "human", "--pose", f"root=[1,2,3,0,0,{half},{half}],left_hip=[-1,0.2,0.1]"))
    close(frames["pelvis"], [0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3.94, 0, 0, 0, 1], 1e-14)


def test_mimic_joints_follow():
    frames = frames_of(run_json("fk", "panda", "--pose", "panda_finger_joint1=0.03", "--base", "panda_hand"))
    close([frames["panda_leftfinger"][7], frames["panda_rightfinger"][7]], [0.03, -0.03], 1e-15)
    refuses("fk", "panda", "--pose", "panda_finger_joint2=0.03", words=["panda_finger_joint1"])


def test_a_file_of_poses_gives_a_line_each():
    poses = [{"joint1": 0.001 * i, "joint2": [1 - 0.001 * i], "joint3": -0.3} for i in range(2000)]
    path = write("poses.jsonl", "\n".join(json.dumps(pose) for pose in poses) + "\n\n")
    lines = run_lines("fk", "planar_arm", "--poses", path, "--links", "tip")
    assert len(lines) == len(poses)
    for i, line in enumerate(lines):
        close(frames_of(line)["tip"], planar(0.001 * i, 1 - 0.001 * i, -0.3), 1e-13)
    assert run("fk", "planar_arm", "--poses", "-", "--links", "tip", "--json",
               stdin="{}\n{\"joint1\": 0.5}")[0].count("\n") == 2


def test_pose_is_where_the_lines_of_a_file_start():
    lines = run_lines("fk", "planar_arm", "--pose", "joint2=0.5", "--poses", "-", stdin='{"joint1": 1}\n{}\n')
    close(frames_of(lines[0])["tip"], planar(1, 0.5, 0), 1e-14)
    close(frames_of(lines[1])["tip"], planar(0, 0.5, 0), 1e-14)


def test_numbers_have_all_their_digits():
    out, _ = run("fk", "planar_arm", "--pose", "joint1=0.1", "--links", "link1", "--json")
    assert abs(json.loads(out)["transforms"]["link1"]["quaternion"][3] - math.cos(0.05)) <= 2.3e-16


def test_mistakes_name_the_joint_and_the_valid_names():
    names = ["joint1", "joint2", "joint3"]
    refuses("fk", "planar_arm", "--pose", "jiont2=1", words=["'jiont2'", "did you mean 'joint2'", *names])
    refuses("fk", "planar_arm", "--pose", "joint1=[1,2]", words=["'joint1'", "1 value"])
    for value in ("nan", "inf", "-inf", "1e999", "", "two", "0x10"):
        refuses("fk", "planar_arm", "--pose", f"joint1={value}", words=["'joint1'"])
    refuses("fk", "planar_arm", "--pose", "chaptre", words=["'chaptre'", "chapter"])
    refuses("fk", "human", "--pose", "left_shoulder=[0,0,0,0]", words=["left_shoulder", "quaternion"])
    crane = {"format": "armature", "version": 1, "name": "crane", "links": [{"name": n} for n in "abc"], "joints": [
        {"name": f"slide_{c}", "type": "prismatic", "axis": [1, 1, 0], "parent": p, "child": c} for p, c in ("ab", "bc")]}
    name = write("crane.json", json.dumps(crane))
    refuses("fk", name, "--pose", "slide_b=1.7e308,slide_c=1.7e308", "--json", words=["'c'", "overflows"])


def test_open_loops_are_told():
    answer = run_json("fk", "four_bar", "--pose", "crank=60deg")
    assert any("are open by" in note and "--drive" in note for note in answer["notes"]), answer["notes"]
    assert run_json("fk", "four_bar")["notes"] == []  # the pose that it starts with is closed
    assert run_json("fk", "four_bar", "--drive", "crank=60deg")["notes"] == []
    refuses("fk", "four_bar", "--drive", "crank=1,rocker_pin=1", words=["mobility is 1"])


def test_mistakes_in_a_file_name_the_line_too():
    for line in ('{"joint9": 1}', '{"joint1": [1, 2]}', '{"joint1": "1"}', '{"joint1": null}', '{"joint1": [[1]]}', '{"joint1": true}'):
        refuses("fk", "planar_arm", "--poses", "-", "--json", stdin=line, words=["line 1, column ", "/joint9" if "joint9" in line else "/joint1"])
    for line in ('{"joint1": NaN}', '{"joint1": -Infinity}', '{"joint1": 1e999}', '{"joint1": [1e400]}', "{", "hello", '{"joint1": 1} x', "[1, 2]"):
        refuses("fk", "planar_arm", "--poses", "-", "--json", stdin=line, words=["line 1"])
    _, err = run("fk", "planar_arm", "--poses", "-", "--json", stdin='{}\n\n{"joint2": 1}\n{"nope": 1}\n{}', code=2)
    assert "line 4" in err
    refuses("fk", "planar_arm", "--poses", "missing.jsonl", words=["missing.jsonl"])
    refuses("fk", "planar_arm", "--links", "tpi", words=["'tpi'", "did you mean 'tip'"])
    refuses("fk", "planar_arm", "--base", "bsae", words=["'bsae'", "did you mean 'base'"])


def test_golden_frames_of_real_robots():
    if "\n  urdf " not in run("convert", "--help")[0]:
        raise Skip("this build reads no URDF")
    golden = json.load(open(shared_data("fk_golden.json"), encoding="utf-8"))["cases"]
    groups = {}
    for case in golden:
        groups.setdefault((case["file"], case["base"], case["tip"]), []).append(case)
    for (name, base, tip), cases in groups.items():
        lines = run_lines("fk", shared_data(name), "--poses", "-", "--base", base, "--links", tip,
                          stdin="\n".join(json.dumps(case["q"]) for case in cases))
        for line, case in zip(lines, cases):
            close(frames_of(line)[tip], [number for row in case["T"] for number in row], 1e-9)


main()
