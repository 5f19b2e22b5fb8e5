"""Scenes, and what every command that solves shares: defaults, flags, units, notes, targets, standard input."""
import json
import os
import subprocess

import harness
from harness import PROGRAM, close, main, refuses, run, run_json, run_lines, write

URDF = """<robot name="arm"><link name="base"/><link name="upper"/><link name="hand"/>
<joint name="shoulder_joint" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="elbow_joint" type="revolute"><parent link="upper"/><child link="hand"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/><limit lower="-200" upper="200" velocity="1" effort="1"/></joint></robot>"""


def bash(command, code=0):
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=harness.FOLDER, timeout=60, check=False,
                          env=dict(os.environ, ARMATURE=os.path.abspath(PROGRAM)))
    assert done.returncode == code, done
    return done


def test_a_goal_without_a_link_is_of_the_model_s_effector():
    answer = run_json("ik", "panda", "--goal", "0.4,0.2,0.5")
    assert answer["ok"] and answer["goals"][0]["link"] == "panda_tcp" and answer["notes"] == []
    answer = run_json("ik", "human", "--goal", "0.3,0.2,1.1", "--locked", "root")
    assert answer["goals"][0]["link"] == "left_hand" and "'tip'" in answer["notes"][0]
    refuses("ik", "two_arms", "--goal", "1,1", words=["'tip'", "left_tip"])


def test_flags_are_flags():
    """`--keep-branch --json` swallowed `--json` as the option's value."""
    arm = ["ik", "panda", "--goal", "0.4,0.2,0.5"]
    assert run_json(*arm, "--keep-branch")["ok"]
    for flags in (["--no-keep-best"], ["--keep-best=false"], ["--keep-best", "--no-keep-branch"]):
        assert run_json(*arm, *flags)["ok"]
    refuses(*arm, "--continuous", words=["--continuous"])
    refuses(*arm, "--patience", "0", words=["patience", "1"])
    assert run_json(*arm, "--quality", "centered")["ok"]
    refuses(*arm, "--quality", "centred", words=["did you mean 'centered'"])
    refuses(*arm, "--method", "dls", "--quality", "nearest", words=["dls", "quality"])


def test_numbers_have_units():
    arm = ["ik", "panda", "--json"]
    metres = run_json(*arm, "--goal", "0.4,0.2,0.5", "--start", "ready")
    other = run_json(*arm, "--goal", "400mm,20cm,0.5m", "--start", "ready", "--max-time", "20ms", "--tolerance", "0.001mm")
    close(metres["q"], other["q"], 1e-3)
    refuses("ik", "panda", "--goal", "0.4,0.2,0.5", "--max-time", "20mm", words=["max_time"])
    half = run_json("fk", "planar_arm", "--pose", "joint1=0.25turn,joint2=90deg,joint3=1.2rad")
    again = run_json("fk", "planar_arm", "--pose", "1.5707963267948966,1.5707963267948966,1.2")
    close(half["transforms"]["tip"]["position"], again["transforms"]["tip"]["position"], 1e-12)


def test_slips_are_noted():
    robot = write("arm.urdf", URDF)
    out, err = run("fk", robot, "--pose", "elbow_joint=90")
    assert "90deg" in err and "14.3 turns" in err and "note" not in out
    assert run("fk", robot, "--pose", "elbow_joint=90deg")[1] == ""
    refuses("fk", robot, "--pose", "elbow=1", words=["did you mean 'elbow_joint'"])
    answer = json.loads(run("ik", "panda", "--goal", "400,200,500", "--json", code=1)[0])
    assert answer["outcome"] == "unreachable" and "400mm" in answer["notes"][0], answer
    assert answer["proof"]["bound"] == "beyond" and answer["proof"]["distance"] > 100 * answer["proof"]["length"]
    assert run_json("ik", "panda", "--goal", "0.4,0.2,0.5")["notes"] == []


def test_a_pose_is_a_name_changes_or_all_numbers():
    by_list = run_json("fk", "panda", "--pose", "0,-0.5,0,-2,0,1.5,0.7,0.02", "--links", "panda_tcp")
    by_name = run_json("fk", "panda", "--pose", "panda_joint2=-0.5,panda_joint4=-2,panda_joint6=1.5,panda_joint7=0.7,panda_finger_joint1=0.02",
                       "--links", "panda_tcp")
    assert by_list == by_name
    assert run_json("fk", "panda", "--pose", "ready,panda_joint1=0.5") != run_json("fk", "panda", "--pose", "ready")
    refuses("fk", "panda", "--pose", "0,-0.5,0", words=["8 numbers, not 3"])


def test_notes_come_behind_the_results():
    robot = write("arm.urdf", URDF.replace("<axis xyz=\"0 0 1\"/><limit lower=\"-3\"", "<axis xyz=\"0 0 2\"/><limit lower=\"-3\""))
    done = bash(f"$ARMATURE fk {robot} --pose elbow_joint=90 2>&1")
    lines = done.stdout.strip().splitlines()
    assert lines[-1].startswith("note: ") and not any(line.startswith("note: ") for line in lines[:-1]), lines
    assert run_json("fk", robot, "--pose", "elbow_joint=90")["notes"]


def test_standard_input_is_read_once_and_pipes_are_files():
    write("arm.urdf", URDF)
    write("targets.jsonl", '{"target": [0.5, 0.2]}\n')
    done = bash("cat arm.urdf | $ARMATURE ik - --targets -", code=2)
    assert done.stdout == "" and "Standard input" in done.stderr and "--targets" in done.stderr
    assert "converged" in bash("cat arm.urdf | $ARMATURE ik - --tip hand --limits elbow_joint=-3..3 --goal 0.3,0.4", code=0).stdout
    lines = bash("$ARMATURE ik <(cat arm.urdf) --tip hand --targets <(cat targets.jsonl targets.jsonl) --json", code=1).stdout.splitlines()
    assert len(lines) == 3 and json.loads(lines[2])["summary"]["goals"] == 2
    assert "Standard input" in bash("cat arm.urdf | $ARMATURE fk - --poses -", code=2).stderr


def test_targets_are_answered_line_by_line():
    lines = [{"id": "a", "target": [0.4, 0.2, 0.5]}, {"id": 7, "target": [0.4, 0.2, 0.5, 1, 0, 0, 0], "start": "ready"}, {"target": [5, 0, 0]}]
    write("targets.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    answers = [json.loads(line) for line in run("ik", "panda", "--targets", "targets.jsonl", "--json", code=1)[0].splitlines()]
    assert [answer.get("id") for answer in answers[:3]] == ["a", 7, None]
    assert [answer["ok"] for answer in answers[:3]] == [True, True, False]
    summary = answers[3]["summary"]
    assert summary["goals"] == 3 and summary["reached"] == 2 and summary["outcomes"] == {"converged": 2, "unreachable": 1}
    assert answers[2]["goals"][0]["reached"] is False and "measures" not in answers[0]
    # The goal of the scene is what a target is put into.
    write("targets.csv", "x,y,z\n0.4,0.2,0.5\n0.5,0.1,0.4\n")
    answers = run_lines("ik", "panda", "--goals", '[{"target": [0, 0, 0], "axes": {"free": "z"}}]', "--targets", "targets.csv", "--measures")
    assert len(answers) == 3 and answers[0]["measures"]["condition"] > 1
    far = "".join(f'{{"target": [{400 + i}, 0, 500]}}\n' for i in range(100))
    _, err = run("ik", "panda", "--targets", write("far.jsonl", far), "--json", code=1)
    assert 1 <= err.count("note: ") <= 16, err  # the same slip in every line is told a few times
    # Names are a header; numbers in the first row are not, nor is a slip in them.
    assert len(run_lines("ik", "panda", "--targets", write("bare.csv", "0.4,0.2,0.5\n0.5,0.1,0.4\n"))) == 3
    for row in ("0.4,0.2,0.5x", "0.4,,0.2,O.5", "x,0.2,0.5"):
        refuses("ik", "panda", "--targets", write("slip.csv", row + "\n0.4,0.2,0.5\n"), words=["line 1"])
    _, err = run("ik", "panda", "--targets", write("bad.jsonl", '{"target": [0.4, 0.2, 0.5]}\n{"tagret": 1}\n'), code=2)
    assert "bad.jsonl, line 2" in err, err


def test_a_report_says_what_holds_it_back():
    answer = json.loads(run("ik", "planar_arm", "--goal", "0,-25", "--limits", "joint1=0..1,joint2=0..1,joint3=0..1", "--json", code=1)[0])
    assert answer["blocking_joints"] and set(answer["blocking_joints"][0]) == {"joint", "coordinate", "side"}, answer
    for contact in answer["joints_at_limits"]:
        assert contact["side"] == ("lower" if answer["pose"][contact["joint"]] < 0.5 else "upper")
    weighted = run_json("ik", "planar_arm", "--goal", "10,20", "--joint-weights", "joint1=0", "--method", "dls")
    start = run_json("info", "planar_arm")["poses"]["chapter"]["joint1"]
    close([weighted["pose"]["joint1"]], [start], 1e-12)


def test_a_trace_has_every_iteration():
    answer = run_json("ik", "planar_arm", "--goal", "10,20", "--method", "dls", "--trace")
    trace = answer["trace"]
    assert len(trace) >= answer["iterations"] > 1
    close(trace[0]["q"], list(run_json("info", "planar_arm")["poses"]["chapter"].values()), 1e-15)
    assert trace[0]["error_norm"] > trace[-1]["error_norm"] and len(trace[0]["jacobian"]) == len(trace[0]["error"]) == 2
    assert "trace" not in run_json("ik", "planar_arm", "--goal", "10,20")
    assert "iteration" in run("ik", "planar_arm", "--goal", "10,20", "--method", "dls", "--trace")[0]


def test_nothing_is_written_that_was_not_named():
    rows = run_json("compare", "planar_arm", "--goal", "-20,5", "--methods", "dls,ccd")["rows"]
    assert [row["method"] for row in rows] == ["dls", "ccd"] and all(row["report"]["ok"] for row in rows)
    assert os.listdir(harness.FOLDER) == []
    run("compare", "planar_arm", "--goal", "-20,5", "-o", "plot.svg")
    assert os.listdir(harness.FOLDER) == ["plot.svg"]


def test_formats_say_what_they_carry():
    formats = {entry["name"]: entry for entry in run_json("formats")["formats"]}
    assert formats["bvh"]["motion"] and not formats["dh_csv"]["motion"] and not formats["urdf"]["motion"] and formats["glb"]["binary"]


def test_a_scene_is_the_same_question_as_its_flags():
    scene = {"format": "armature-scene", "version": 1, "model": "arm.urdf", "tip": "hand", "start": {"elbow_joint": 0.3},
             "goals": [{"target": [0.4, 0.3]}], "locked": ["shoulder_joint"], "limits": {"elbow_joint": {"lower": -1, "upper": 1}},
             "joint_weights": {"elbow_joint": 0.5}, "method": "dls", "options": {"damping": 0.1}, "view": {"mode": "pose"}}
    os.mkdir(os.path.join(harness.FOLDER, "sub"))
    write("sub/arm.urdf", URDF)
    path = write("sub/scene.json", "// a comment\n" + json.dumps(scene))
    flags = ["--tip", "hand", "--start", "elbow_joint=0.3", "--goal", "0.4,0.3", "--locked", "shoulder_joint", "--limits", "elbow_joint=-1..1",
             "--joint-weights", "elbow_joint=0.5", "--method", "dls", "--damping", "0.1"]

    def told(*arguments):
        answer = json.loads(run("ik", *arguments, "--json", code=1)[0])
        return {key: answer[key] for key in ("outcome", "q", "position_error", "iterations", "method", "joints_at_limits")}
    want = told("sub/arm.urdf", *flags)
    assert told(path) == want == told("--scene", path) == told("sub/arm.urdf", "--scene", path)
    assert told(path, "--start", "elbow_joint=-0.9")["q"] != want["q"]
    write("sub/goals.json", json.dumps(scene["goals"]))
    write("sub/scene.json", json.dumps(dict(scene, goals="goals.json")))
    assert told(path) == want
    write("sub/goals.json", '[{"tagret": [1, 2]}]')
    refuses("ik", path, words=["sub/goals.json, line 1", "/0"])
    write("goals.json", "[]")
    write("arm.urdf", URDF)
    write("sub/scene.json", json.dumps(dict(scene, goals="../goals.json")))
    refuses("ik", path, words=["/goals", "outside"])
    for key, value, words in (("gaols", [], ["/gaols", "did you mean 'goals'"]), ("tip", "hnad", ["did you mean 'hand'"]),
                              ("locked", ["elbow"], ["/locked/0", "did you mean 'elbow_joint'"]), ("model", "none.urdf", ["none.urdf", "/model"]),
                              ("model", "../arm.urdf", ["/model", "outside"]),
                              ("start", {"elbow_joint": "x"}, ["/start/elbow_joint"])):
        write("sub/scene.json", json.dumps(dict(scene, **{key: value})))
        refuses("ik", path, words=words)
    refuses("ik", words=["MODEL", "--scene"])


main()
