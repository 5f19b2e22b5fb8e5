"""Every exercise can be solved and can be failed: its solution passes, its wrong answers do not, and nonsense is refused.

Exercises whose answer is a file, or follows from a command, are answered here as a student would.
"""
import glob
import json
import math
import os
import re

import harness
from harness import ROOT, refuses, run, run_json, write


def answer_of(name):
    """An answer that a student would find with the tools at hand."""
    if name == "across_the_tree":
        out = run_json("fk", "two_arms", "--pose", "left_shoulder=40deg", "--links", "left_tip", "--base", "right_tip")
        return ",".join(map(str, out["transforms"]["left_tip"]["position"]))
    if name == "slide_column":
        out = run_json("jacobian", "scara", "--pose", "0,0,0,0")
        column = out["columns"].index("quill_slide")
        return ",".join(str(row[column]) for row in out["jacobian"])
    if name == "reach_with_a_limit":
        out = run_json("ik", "planar_arm", "--goal", "-20,5", "--limits", "joint2=0..60deg")
        return ",".join(map(str, out["q"]))
    if name in ("build_two_link", "build_scara"):
        run("convert", name[6:], name + ".urdf")
        return name + ".urdf"
    if name == "close_a_chain":
        run("convert", "four_bar", "bar.json")
        return "bar.json"
    if name == "dh_of_a_puma":
        run("convert", "puma560", "puma.csv", "--to", "dh_csv")
        return "puma.csv"
    if name == "limit_a_joint":
        run("convert", "planar_arm", "arm.json")
        arm = json.loads(harness.read("arm.json"))
        for joint in arm["joints"]:
            if joint["name"] == "joint2":
                joint["limits"] = {"lower": 0, "upper": math.radians(120)}
        return write("arm.json", json.dumps(arm))
    if name in ("wave", "walk_cycle"):
        if name == "wave":
            poses = [{"time": 0, "pose": "rest"}, {"time": 1, "pose": "wave"}, {"time": 2, "pose": "rest"}]
        else:
            step = lambda left, right: {"left_knee": left, "right_knee": right}
            poses = [{"time": t, "pose": step(*k)} for t, k in
                     zip((0, 0.5, 1, 1.5, 2), ((0.1, 0.1), (0.9, 0.1), (0.1, 0.1), (0.1, 0.9), (0.1, 0.1)))]
        write("keys.json", json.dumps({"interpolation": "ease", "poses": poses}))
        run("animate", "human", "--keys", "keys.json", "-o", name + ".csv")
        return name + ".csv"
    if name == "own_method":
        # Steepest descent with halving.
        lengths, goal, q = (15, 10, 5), (-20, 5), [math.pi / 8, math.pi / 4, math.pi / 4]

        def tip(q):
            sums = [sum(q[:k + 1]) for k in range(3)]
            return (sum(l * math.cos(a) for l, a in zip(lengths, sums)), sum(l * math.sin(a) for l, a in zip(lengths, sums)))

        def error(q):
            x, y = tip(q)
            return math.hypot(goal[0] - x, goal[1] - y)
        rows = [list(q)]
        while error(q) > 5e-4 and len(rows) < 5000:
            sums = [sum(q[:k + 1]) for k in range(3)]
            x, y = tip(q)
            v = (goal[0] - x, goal[1] - y)
            g = [sum(lengths[i] * (-math.sin(sums[i]) * v[0] + math.cos(sums[i]) * v[1]) for i in range(k, 3)) for k in range(3)]
            a = 0.01
            while error([p + a * d for p, d in zip(q, g)]) > error(q):
                a /= 2
            q = [p + a * d for p, d in zip(q, g)]
            rows.append(list(q))
        lines = [",".join(repr(v) for v in [k / 30] + row) for k, row in enumerate(rows)]
        return write("mine.csv", "time,joint1,joint2,joint3\n" + "\n".join(lines) + "\n")
    return None


FILES = sorted(glob.glob(os.path.join(ROOT, "exercises", "*.json")))


def test_listed_in_the_order_of_the_chapter():
    assert len(FILES) >= 25
    listed = [e["name"] for e in run_json("exercise")["exercises"]]
    assert listed == [re.sub(r"^\d\d_", "", os.path.basename(file)[:-5]) for file in FILES]


def test_each_can_be_solved_and_can_be_failed():
    for file in FILES:
        name = re.sub(r"^\d\d_", "", os.path.basename(file)[:-5])
        with open(file, encoding="utf-8") as text:
            exercise = json.load(text)
        shown, _ = run("exercise", name, "--hint", "9")
        assert all(hint in shown for hint in exercise["hints"]), shown
        right = exercise.get("solution") or answer_of(name)
        assert right is not None, f"{name}: this test knows no answer"
        assert run("exercise", name, right)[0].startswith("Right."), name
        for wrong in exercise.get("wrong", []):
            assert "Hint:" in run("exercise", name, wrong, code=1)[0], name
        if exercise["answer"] == "model":
            run("convert", "orbit", "other.json")
            run("exercise", name, "other.json", code=1)
        else:
            refuses("exercise", name, "what?")


def test_a_joint_without_a_range_is_told():
    links = [{"name": name} for name in ("base", "plate", "tip")]
    joints = [{"name": "joint1", "type": "planar", "parent": "base", "child": "plate"},
              {"name": "joint2", "type": "fixed", "parent": "plate", "child": "tip"}]
    path = write("flat.json", json.dumps({"format": "armature", "version": 1, "name": "flat", "links": links, "joints": joints}))
    assert "joint2" in run("exercise", "limit_a_joint", path, code=1)[0]


def test_a_chain_that_is_closed_must_close_move_in_one_way_and_turn_round():
    run("convert", "four_bar", "bar.json")

    def handed_in(change):
        bar = json.loads(harness.read("bar.json"))
        change(bar)
        return run("exercise", "close_a_chain", write("own.json", json.dumps(bar)), code=1)[0]

    def pins(rocker):
        return lambda bar: bar["closures"][0]["b"]["origin"].update(xyz=[rocker, 0, 0])

    assert run("exercise", "close_a_chain", "bar.json")[0].startswith("Right.")
    assert "does not turn all the way round: tried crank" in handed_in(pins(1.6)), "1.5 + 4.2 is longer than 4 + 1.6"
    assert "do not close" in handed_in(pins(30))
    assert "has no closure" in handed_in(lambda bar: bar.pop("closures"))

    def floats(bar):
        bar["joints"][0] = {"name": "crank", "type": "planar", "parent": "ground", "child": "crank_bar"}
        bar.pop("poses")

    assert "3 ways, not in 1" in handed_in(floats)


def test_an_unknown_one_is_refused():
    refuses("exercise", "no_such", words=["no_such"])


def test_answers_as_people_write_them():
    with open(os.path.join(ROOT, "exercises", "27_trade_offs.json"), encoding="utf-8") as text:
        right = json.load(text)["solution"]
    for form in (right.upper(), right + ")", right + "."):
        assert run("exercise", "trade_offs", form)[0].startswith("Right")
    place = answer_of("across_the_tree").split(",")
    assert run("exercise", "across_the_tree", "--", *place)[0].startswith("Right")


def test_a_model_that_is_built_in_is_no_answer():
    refuses("exercise", "build_scara", "scara", words=["built in", "file that you write"])


harness.main()
