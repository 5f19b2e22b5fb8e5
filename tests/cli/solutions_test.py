"""armature ik --all: every pose that reaches a goal; --exact-angles and the class that info shows."""
import math

from harness import main, refuses, run, run_json, shared_data, write

GOAL = "0.3,0.2,0.4,0,1,0,0"


def arm(angle):
    """A spherical-wrist arm whose second and third axis are parallel if `angle` is a right angle."""
    text = '<robot name="rounded"><link name="l0"/>'
    joints = [("0 0 0.3", "0 0 0", "0 0 1"), ("0.1 0 0.2", f"{angle} 0 0", "0 0 1"), ("0 0.4 0", f"-{angle} 0 0", "0 1 0"),
              ("0.1 0 0.05", "0 0 0", "1 0 0"), ("0.4 0 0", "0 0 0", "0 1 0"), ("0 0 0", "0 0 0", "1 0 0")]
    for i, (xyz, rpy, axis) in enumerate(joints, 1):
        text += (f'<link name="l{i}"/><joint name="j{i}" type="revolute"><origin xyz="{xyz}" rpy="{rpy}"/>'
                 f'<axis xyz="{axis}"/><parent link="l{i - 1}"/><child link="l{i}"/>'
                 '<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>')
    return text + "</robot>"


def test_all_poses_of_a_ur5():
    answer = run_json("ik", "ur5", "--goal", GOAL, "--all", "--limits",
                      ",".join(f"{j}=-180deg..180deg" for j in joints("ur5")))
    found = answer["solutions"]
    assert answer["ok"] and found["complete"] and found["class"] == "P" and found["singular_joints"] == []
    assert len(found["q"]) == len(found["residuals"]) == 8 and found["answers"] == list(range(8))
    assert max(found["residuals"]) < 1e-10
    start = list(run_json("info", "ur5")["poses"]["ready"].values())
    away = [math.dist(q[:6], start[:6]) for q in found["q"]]
    assert away == sorted(away)
    # Forward kinematics agrees, and no two poses are the same.
    for q in found["q"]:
        pose = ",".join(f"{name}={value!r}" for name, value in zip(joints("ur5"), q))
        there = run_json("fk", "ur5", "--pose", pose, "--links", "tool0")["transforms"]["tool0"]
        assert math.dist(there["position"], [0.3, 0.2, 0.4]) < 1e-9
    assert all(math.dist(a, b) > 1e-3 for i, a in enumerate(found["q"]) for b in found["q"][:i])
    # The arm's own limits of two turns leave more, and the list is cut with a word.
    whole = run_json("ik", "ur5", "--goal", GOAL, "--all")["solutions"]
    assert set(whole["answers"]) == set(range(8)) and len(whole["q"]) > 100
    for number in range(8):  # poses of one answer differ by full turns
        same = [q for q, answer in zip(whole["q"], whole["answers"]) if answer == number]
        assert all(abs(math.remainder(a - b, 2 * math.pi)) < 1e-9 for q in same for a, b in zip(q, same[0]))
    more = run_json("ik", "ur5", "--goal", GOAL, "--all", "--max-count", "20")
    assert len(more["solutions"]["q"]) == 20 and not more["solutions"]["complete"] and "there are more" in more["message"]


def joints(model):
    return [joint["name"] for joint in run_json("info", model)["joints"] if joint["v_size"] == 1 and "mimic" not in joint]


def test_the_table_is_for_people():
    out, _ = run("ik", "ur5", "--goal", GOAL, "--all", "--max-count", "3")
    assert "(3 with full turns) reach" in out and "Class P" in out and "degrees" in out
    out, _ = run("ik", "ur5", "--goal", GOAL, "--all")
    assert "8 poses (" in out and "--turns lists all" in out and len(out.strip().splitlines()) == 3 + 8 + 2
    every, _ = run("ik", "ur5", "--goal", GOAL, "--all", "--turns")
    assert len(every.strip().splitlines()) > 100


def test_seven_joints_leave_curves():
    near = run_json("ik", "panda", "--goal", "0.4,0.2,0.5,1,0,0,0", "--all")
    found = near["solutions"]
    assert near["ok"] and not found["complete"] and len(found["curves"]) == len(found["q"]) > 0
    many = run_json("ik", "panda", "--goal", "0.4,0.2,0.5,1,0,0,0", "--all", "--samples", "50")["solutions"]
    assert len(many["q"]) > len(found["q"]) and many["curves"] == sorted(many["curves"])


def test_fewer_joints():
    both = run_json("ik", "two_link", "--goal", "1.2,0.4", "--all")
    assert both["ok"], both
    assert len(both["solutions"]["q"]) == 2 and both["solutions"]["complete"], both
    scara = run_json("ik", "scara", "--goal", "0.4429,0.3493,0.287", "--all")
    assert scara["ok"] and scara["solutions"]["class"] == "fewer", scara
    assert scara["solutions"]["singular_joints"] == ["quill_turn"], scara  # a place leaves the turn of the tool free


def test_what_has_no_equations_is_found_by_a_search():
    answer = run_json("ik", "human", "--goal", "left_hand=0.3,0.4,1.2", "--locked", "root", "--all", "--max-count", "4")
    found = answer["solutions"]
    assert answer["ok"] and not found["complete"] and found["class"] == "" and 0 < len(found["q"]) <= 4
    assert "found from" in answer["message"]


def test_no_pose_is_an_answer_too():
    answer = run_json("ik", "ur5", "--goal", "5,0,0,0,0,0,1", "--all", code=1)
    assert not answer["ok"] and answer["solutions"]["q"] == [] and "No pose reaches" in answer["message"]


def test_refusals():
    refuses("ik", "ur5", "--all", "--targets", "x.jsonl", words=["--targets"])
    refuses("ik", "ur5", "--all", words=["goal"])
    refuses("ik", "ur5", "--goal", GOAL, "--all", "--trace", words=["--trace"])
    refuses("ik", "ur5", "--goal", GOAL, "--all", "--max-count", "0", words=["max-count"])


def test_exact_angles():
    path = write("rounded.urdf", arm("1.5708"))
    plain, exact = run_json("info", path), run_json("info", path, "--exact-angles")
    assert plain["chains"][0]["class"] == "spherical", plain["chains"]
    assert exact["chains"][0]["class"] == "S" and exact["chains"][0]["exact"], exact["chains"]
    assert any("--exact-angles" in note for note in plain["notes"]), plain["notes"]
    assert any("2 angles" in note for note in exact["notes"]), exact["notes"]
    assert "Class S:" in run("info", path, "--exact-angles")[0]
    # A scene says it, too.
    scene = write("scene.json", '{"format": "armature-scene", "version": 1, "model": "rounded.urdf", "read": {"exact_angles": true}, '
                                '"goals": [{"link": "l6", "target": [0.4, 0.1, 0.5, 0, 1, 0, 0]}]}')
    for arguments in (["ik", scene, "--all"], ["ik", path, "--goal", "l6=0.4,0.1,0.5,0,1,0,0", "--exact-angles", "--all"]):
        answer = run_json(*arguments)
        assert answer["solutions"]["complete"] and answer["solutions"]["class"] == "S", answer["message"]
    # Angles that mean nothing special stay as they are.
    other = run_json("info", write("other.urdf", arm("1.5718")), "--exact-angles")
    assert not any("angles were read" in note for note in other["notes"])


def test_classes_of_real_arms():
    for name, expected in (("ur5.urdf", "P"), ("abb_irb120.urdf", "S"), ("kinova_jaco2_j2n6s300.urdf", "K")):
        chains = run_json("info", shared_data(f"urdf/{name}"))["chains"]
        assert any(chain["class"] == expected for chain in chains), (name, chains)


main()
