"""armature ik --goals and --pole: goals of every type, together; the examples of docs/goals.md; mistakes named."""
import json
import os
import re

from harness import ROOT, close, main, refuses, run, run_json, run_lines, write

SCHEMA = json.load(open(os.path.join(ROOT, "docs/formats/goals.schema.json"), encoding="utf-8"))
PAGE = open(os.path.join(ROOT, "docs/goals.md"), encoding="utf-8").read()
TYPES = [entry["$ref"].rsplit("/", 1)[1] for entry in SCHEMA["$defs"]["goal"]["anyOf"]]


def goals(*list_of_goals):
    return write("goals.json", json.dumps(list(list_of_goals)))


def place(model, pose, link):
    """Where a link's origin is, by forward kinematics of the pose that was answered."""
    return run_json("fk", model, "--poses", "-", "--links", link, stdin=json.dumps(pose))["transforms"][link]["position"]


def test_every_example_of_the_page_is_reached():
    for name, body in re.findall(r"^```json ([\w.]+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        write(name, body)
    commands = re.findall(r"^\$ armature (.+)$", PAGE, re.MULTILINE)
    assert len(commands) > len(TYPES), commands
    shown = set()
    for command in commands:
        answer = run_json(*command.split())
        assert answer["outcome"] == "converged", (command, answer["message"])
    for body in re.findall(r"^```json [\w.]+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        shown.update(goal["type"] for goal in json.loads(body))
    assert shown == set(TYPES), set(TYPES) - shown


def test_page_and_schema_have_exactly_the_fields_that_are_read():
    _, err = run("ik", "panda", "--goals", goals({"type": "nope"}), code=2)
    for name in TYPES:
        assert name in err, (name, err)
    common = re.findall(r"^\| `(\w+)`", PAGE.split("## What all goals have")[1].split("`base` names")[0], re.MULTILINE)
    for name in TYPES:
        goal = {"type": name, "nope": 1}
        if "link" in SCHEMA["$defs"][name]["properties"]:
            goal["link"] = "panda_link7"
        _, err = run("ik", "panda", "--goals", goals(goal), code=2)
        known = sorted(set(err.split("Valid keys:")[1].strip(" .\n").split(", ")) - {"comment"} - ({"target"} if name == "balance" else set()))
        assert known == sorted(SCHEMA["$defs"][name]["properties"]), (name, known)
        section = re.split(r"^##", PAGE.split(f"### {name}: ")[1], flags=re.MULTILINE)[0]
        documented = re.findall(r"^\| `(\w+)`", section, re.MULTILINE)
        assert sorted(documented + common) == known, (name, documented, common)


def test_two_effectors_on_a_tree():
    left, right = [0.35, 0.25, 1.15], [0.3, -0.3, 1.0]
    answer = run_json("ik", "human", "--locked", "root", "--goals", goals(
        {"type": "position", "link": "left_hand", "target": left},
        {"type": "position", "link": "right_hand", "target": right}))
    close(place("human", answer["pose"], "left_hand"), left, 1e-5)
    close(place("human", answer["pose"], "right_hand"), right, 1e-5)
    assert [goal["link"] for goal in answer["goals"]] == ["left_hand", "right_hand"]
    assert all(goal["reached"] for goal in answer["goals"])
    close(answer["pose"]["root"], [0, 0, 0, 0, 0, 0, 1], 1e-12)


def test_priorities_decide_between_goals_that_contradict():
    for first, second in ((0, 1), (1, 0)):
        near, far = [0.4, 0.1, 0.5], [0.5, -0.1, 0.4]
        out, _ = run("ik", "panda", "--json", "--goals", goals(
            {"type": "position", "link": "panda_tcp", "target": near, "priority": first},
            {"type": "position", "link": "panda_tcp", "target": far, "priority": second}), code=1)
        answer = json.loads(out)
        assert answer["outcome"] == "stalled"
        assert [goal["reached"] for goal in answer["goals"]] == [first == 0, second == 0]
        close(place("panda", answer["pose"], "panda_tcp"), near if first == 0 else far, 1e-5)


def test_weights_share_the_error():
    def split(weight):
        out, _ = run("ik", "panda", "--json", "--goals", goals(
            {"type": "position", "link": "panda_tcp", "target": [0.4, 0, 0.5], "weight": weight},
            {"type": "position", "link": "panda_tcp", "target": [0.5, 0, 0.5]}), code=1)
        return [goal["position_error"] for goal in json.loads(out)["goals"]]
    close(split(1), [0.05, 0.05], 1e-3)
    close(split(3), [0.025, 0.075], 1e-3)


def test_boxes_and_free_axes():
    goal = {"type": "position", "link": "panda_tcp", "target": [0.5, 0.1, 0.4], "axes": {"box": [0.05, 0.02, 0], "free": ""}}
    there = place("panda", run_json("ik", "panda", "--goals", goals(goal))["pose"], "panda_tcp")
    assert abs(there[0] - 0.5) <= 0.05 + 1e-5 and abs(there[1] - 0.1) <= 0.02 + 1e-5 and abs(there[2] - 0.4) <= 1e-5, there
    goal["axes"] = {"free": "x"}
    there = place("panda", run_json("ik", "panda", "--goals", goals(goal))["pose"], "panda_tcp")
    close(there[1:], [0.1, 0.4], 1e-5)
    assert abs(there[0] - 0.5) > 1e-3, there  # nothing asked it to be there


def test_pole_bends_the_limb_to_its_side():
    arm = ["ik", "human", "--goal", "left_hand=0.3,0.2,1.2", "--locked",
           "root,lumbar,thoracic,upper_thoracic,left_sternoclavicular", "--pole"]
    elbows = []
    for pole in ("left_forearm=0.2,2,1.2", "left_forearm=0.2,0.5,-2"):
        answer = run_json(*arm, pole)
        assert [goal["type"] for goal in answer["goals"]] == ["position", "pole"]
        close(place("human", answer["pose"], "left_hand"), [0.3, 0.2, 1.2], 1e-5)
        elbows.append(place("human", answer["pose"], "left_forearm"))
    (_, out_y, out_z), (_, down_y, down_z) = elbows
    assert out_y > down_y + 0.05 and down_z < out_z - 0.05, elbows
    # Across the body the shoulder does not let the elbow go: the hand still arrives, and the verdict names the pole.
    answer = json.loads(run(*arm, "left_forearm=0.3,-2,1.2", "--json", code=1)[0])
    assert [goal["reached"] for goal in answer["goals"]] == [True, False]
    assert "pole left_forearm" in answer["message"] and "left_shoulder" in answer["message"], answer["message"]


def test_measures_are_those_of_the_pose_whoever_answers():
    goal = {"target": [0.4, 0.2, 0.5]}
    arm = ["ik", "panda", "--tip", "panda_link8"]
    single = run_json(*arm, "--goal", "0.4,0.2,0.5")
    batch = run_lines(*arm, "--measures", "--targets", "-", stdin=json.dumps(goal))[0]
    # A Jacobian method that starts where the answer is has nothing to do but measure.
    judge = run_json(*arm, "--method", "dls", "--start", ",".join(map(str, single["q"])), "--goal", "0.4,0.2,0.5")
    for answer in (single, batch):
        assert answer["method"] == "reach" and answer["measures"]["condition"] >= 1.0, answer
    for name in ("manipulability", "condition"):
        close([single["measures"][name]], [judge["measures"][name]], 1e-6)
    close(single["measures"]["singular_values"], judge["measures"]["singular_values"], 1e-6)
    text, _ = run(*arm, "--goal", "0.4,0.2,0.5")
    assert f"condition {single['measures']['condition']:.4g}" in text, text


def test_text_has_a_row_for_each_goal():
    out, _ = run("ik", "human", "--locked", "root", "--goals", goals(
        {"type": "position", "link": "left_hand", "target": [0.35, 0.25, 1.15]},
        {"type": "posture"}))
    assert re.search(r"position left_hand +position +0 .* yes", out), out
    assert re.search(r"posture .* preference", out), out


def test_goals_in_every_place():
    refuses("ik", "panda", words=["A goal is needed", "--goals"])
    refuses("ik", "panda", "--goals", "-", stdin="[]", words=["empty"])
    answer = run_json("ik", "human", "--locked", "root", "--goals", '[{"link": "left_hand", "target": [0.35, 0.25, 1.15]}]',
                      "--goal", "right_hand=0.3,-0.3,1.0")
    assert [goal["name"] for goal in answer["goals"]] == ["position left_hand", "position right_hand"]
    place_of_point = run_json("ik", "panda", "--goal", "panda_hand:0,0,0.1034=0.5,0.1,0.4")
    close(place("panda", place_of_point["pose"], "panda_tcp"), [0.5, 0.1, 0.4], 1e-4)


def test_the_target_tells_the_type():
    for target, kind in (([0.5, 0.1], "position"), ([0.5, 0.1, 0.4], "position"), ([1, 0, 0, 0], "orientation"),
                         ([0.5, 0.1, 0.4, 1, 0, 0, 0], "pose"), ({"position": [0.5, 0.1, 0.4], "rpy": [3.14, 0, 0]}, "pose"),
                         ([1, 0, 0, 0.5, 0, -1, 0, 0.1, 0, 0, -1, 0.4, 0, 0, 0, 1], "pose"), ({"rpy": [3.14, 0, 0]}, "orientation"),
                         ({"position": [0.5, 0.1, 0.4]}, "position")):
        answer = run_json("ik", "panda", "--goals", goals({"target": target}))
        assert answer["goals"][0]["type"] == kind and answer["ok"], (target, answer)


def test_goals_need_targets():
    for kind in ("position", "orientation", "pose", "aim", "center_of_mass"):
        link = {} if kind == "center_of_mass" else {"link": "panda_tcp"}
        refuses("ik", "panda", "--goals", goals({"type": kind, **link}), words=[f"'{kind}' needs a \"target\"", "here"])
    refuses("ik", "human", "--goals", goals({"type": "pole", "link": "left_hand"}), words=["'pole' needs a \"target\""])
    assert run_json("ik", "human", "--goals", goals({"type": "distance", "link": "left_hand", "base": "right_hand", "distance": 0.4}))["ok"]


def test_matrices_that_are_no_rotations():
    def target(rotation, last=(0, 0, 0, 1)):
        rows = [[*row, place] for row, place in zip(rotation, (0.4, 0, 0.4))]
        return [number for row in [*rows, last] for number in row]
    half = 0.7071  # typed with four digits
    assert run_json("ik", "panda", "--goals", goals({"target": target([[half, half, 0], [half, -half, 0], [0, 0, -1]])}))["ok"]
    for rotation in ([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], [[2, 0, 0], [0, 2, 0], [0, 0, 2]], [[1, 0, 0], [0, 1, 0], [0, 0, -1]],
                     [[1.01, 0, 0], [0, 1, 0], [0, 0, 1]], [[0] * 3] * 3):
        refuses("ik", "panda", "--goals", goals({"target": target(rotation)}), words=["/0/target", "not the matrix of a rotation", "right angles"])
        refuses("ik", "panda", "--goals", goals({"target": {"matrix": rotation}}), words=["/0/target/matrix", "not the matrix of a rotation"])
        lines = write("bad.jsonl", json.dumps({"target": target([[1, 0, 0], [0, -1, 0], [0, 0, -1]])}) + "\n" + json.dumps({"target": target(rotation)}))
        _, err = run("ik", "panda", "--targets", lines, "-o", "answers.jsonl", code=2)
        assert "bad.jsonl, line 2" in err and "not the matrix of a rotation" in err, err
    transposed = [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0], [0.4, 0, 0.4, 1]]
    refuses("ik", "panda", "--goals", goals({"target": transposed}), words=["last row", "0, 0, 0, 1"])
    refuses("ik", "panda", "--goals", goals({"target": {"position": [0.4, 0, 0.4], "rpy": [0, 0, 0], "quaternion": [0, 0, 0, 1]}}),
            words=["one of quaternion, rpy and matrix"])


def test_a_quaternion_of_any_length_is_a_rotation():
    answer = run_json("ik", "panda", "--goals", goals({"type": "orientation", "link": "panda_tcp", "target": [0, 1, 0, 1]}))
    assert answer["ok"] and all(value is not None for value in answer["q"])
    half = 0.5 ** 0.5
    there = run_json("fk", "panda", "--poses", "-", "--links", "panda_tcp", stdin=json.dumps(answer["pose"]))["transforms"]["panda_tcp"]["quaternion"]
    close([abs(x) for x in there], [0, half, 0, half], 1e-5)
    refuses("ik", "panda", "--goals", goals({"target": [0, 0, 0, 0]}), words=["quaternion", "zero"])
    refuses("ik", "panda", "--goal", "0.5,0.1,0.4,0,0,0,0", words=["quaternion", "zero"])


def test_here_stays_and_preferences_are_not_required():
    answer = run_json("ik", "human", "--goals", goals(
        {"type": "pose", "link": "left_foot", "target": "here"}, {"link": "right_hand", "target": [0.5, -0.3, 1.2]},
        {"type": "aim", "link": "head", "target": [0.1, 0, 5], "preference": True}))
    assert answer["ok"] and answer["goals"][2]["preference"] is True and answer["goals"][2]["reached"] is True
    start = run_json("fk", "human", "--pose", "rest", "--links", "left_foot")["transforms"]["left_foot"]["position"]
    close(place("human", answer["pose"], "left_foot"), start, 1e-5)


def test_mistakes_name_goal_and_field():
    reach = {"type": "position", "link": "panda_tcp", "target": [0.4, 0, 0.4]}
    cases = [
        ({"type": "positon"}, ["/1/type", "did you mean 'position'"]),
        ({"link": "panda_tcp"}, ["/1", "type", "orientation"]),
        ({**reach, "link": "panda_tpc"}, ["/1/link", "did you mean 'panda_tcp'"]),
        ({**reach, "link": "tcp"}, ["/1/link", "did you mean 'panda_tcp'"]),
        ({**reach, "target": [1]}, ["/1/target", "3 numbers"]),
        ({**reach, "weight": -1}, ["'weight'"]),
        ({**reach, "priority": 1.5}, ["/1/priority", "whole"]),
        ({**reach, "axes": {"free": "w"}}, ["/1/axes/free", "x, y and z"]),
        ({**reach, "axes": {"box": [0, 0, -1]}}, ["'axes'", "at least 0"]),
        ({**reach, "axes": {"frame": "target"}}, ["/1/axes/frame", "pose goal"]),
        ({**reach, "tagret": [1, 2, 3]}, ["/1/tagret", "did you mean 'target'"]),
        ({"type": "aim", "link": "panda_tcp", "direction": [0, 0, 0]}, ["'direction'", "zero"]),
        ({"type": "posture", "target": {"panda_joint9": 1}}, ["/1/target/panda_joint9"]),
        ({"type": "posture", "target": [1, 2]}, ["/1/target", "8 numbers"]),
        ({"type": "pose", "link": "panda_tcp", "target": {"place": 1}}, ["/1/target/place", "quaternion"]),
        ({"type": "aim", "link": "panda_tcp", "target": "here"}, ["/1/target", "aim"]),
        ("text", ["/1", "object"]),
    ]
    for goal, words in cases:
        refuses("ik", "panda", "--goals", goals(reach, goal), words=["goals.json, line 1, column ", *words])
    for text in ("", "{", "3", "[{\"type\": \"position\", \"link\": \"panda_tcp\", \"target\": [1e999, 0, 0]}]"):
        refuses("ik", "panda", "--goals", "-", stdin=text, words=["Standard input"])
    refuses("ik", "panda", "--goals", "missing.json", words=["missing.json"])
    human = ["ik", "human", "--goal", "left_hand=0.3,0.2,1.2", "--pole"]
    refuses(*human, "left_forearm", words=["MIDDLE=x,y,z"])
    refuses(*human, "left_forearm=1,2", words=["three numbers"])
    refuses(*human, "left_foream=1,2,3", words=["did you mean 'left_forearm'"])
    refuses(*human, "right_forearm=1,2,3", words=["right_forearm", "left_hand"])
    refuses("ik", "human", "--pole", "left_forearm=1,2,3", words=["--pole goes with a goal"])


def test_a_misspelt_target_or_type_is_named():
    refuses("ik", "panda", "--goals", goals({"link": "panda_tcp", "targt": [0.4, 0.2, 0.5]}), words=["no key 'targt'; did you mean 'target'?"])
    refuses("ik", "panda", "--goals", goals({"tpye": "posture"}), words=["no key 'tpye'; did you mean 'type'?"])
    refuses("ik", "panda", "--goals", goals({"link": "panda_tcp"}), words=["A goal has a \"target\""])


main()
