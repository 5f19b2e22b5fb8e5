"""The commands of the chapter: jacobian, edit, figures."""
import math
import os
import re
import subprocess

import harness
from harness import read, refuses, run, run_json


def evaluate(text, where, pose):
    """A formula as `jacobian --symbolic --json` writes it, at a pose by joint name."""
    values = {}
    for name, meaning in where.items():
        expression = meaning
        for joint in sorted(pose, key=len, reverse=True):
            expression = re.sub(rf"(?<![\w.]){re.escape(joint)}(?![\w.])", f"({pose[joint]!r})", expression)
        expression = re.sub(r"(\d) \(", r"\1 * (", expression)
        values[name] = eval(expression, {"sin": math.sin, "cos": math.cos})
    parts = re.split(r" ([+-]) ", text)  # terms, with their signs in between
    total = 0.0
    for sign, term in zip(["+"] + parts[1::2], parts[0::2]):
        product = -1.0 if sign == "-" else 1.0
        if term.startswith("-"):
            product, term = -product, term[1:]
        for factor in term.split():
            product *= values[factor] if factor in values else float(factor)
        total += product
    return total


def test_formulas_read_from_the_output_give_the_numbers():
    for model, pose in (("planar_arm", "0.3,0.4,0.5"), ("scara", "0.3,-0.4,0.05,0.7"), ("puma560", "0.3,-0.4,0.5,0.6,-0.7,0.8")):
        out = run_json("jacobian", model, "--pose", pose, "--symbolic")
        symbolic = out["symbolic"]
        for r in range(6):
            for c, name in enumerate(symbolic["columns"]):
                number = out["jacobian"][r][out["columns"].index(name)]
                formula = evaluate(symbolic["jacobian"][r][c], symbolic["where"], out["pose"])
                assert abs(formula - number) < 1e-9, (model, r, name, symbolic["jacobian"][r][c], formula, number)


def test_jacobian_is_the_limit_of_differences():
    for model in ("planar_arm", "panda", "human", "stanford_arm"):
        tip = ["--tip", "left_hand"] if model == "human" else []
        assert run_json("jacobian", model, *tip)["difference"] < 1e-7


def test_jacobian_in_the_tips_own_axes():
    world = run_json("jacobian", "planar_arm", "--pose", "90deg,0,0")["jacobian"]
    own = run_json("jacobian", "planar_arm", "--pose", "90deg,0,0", "--frame", "tip")["jacobian"]
    assert abs(world[0][0] + 30) < 1e-9 and abs(own[1][0] - 30) < 1e-9


def test_symbolic_refuses_balls_with_what_to_do():
    refuses("jacobian", "chain10", "--symbolic", words=["ball1", "expand"])


def test_edits_in_order():
    run("edit", "panda", "lock", "panda_joint3=10deg", "rename", "panda_link4=forearm", "-o", "six.json")
    info = run_json("info", "six.json")
    assert info["q_size"] == run_json("info", "panda")["q_size"] - 1
    a = run_json("fk", "panda", "--pose", "panda_joint1=0.3,panda_joint3=10deg,panda_joint4=-1", "--links", "panda_hand")
    b = run_json("fk", "six.json", "--pose", "panda_joint1=0.3,panda_joint4=-1", "--links", "panda_hand")
    for x, y in zip(a["transforms"]["panda_hand"]["position"], b["transforms"]["panda_hand"]["position"]):
        assert abs(x - y) < 1e-12
    run("edit", "ur5", "float-root", "add-tip", "grasp=tool0:0,0,0.12", "-o", "ur5.urdf", "-o", "ur5.json")
    assert run_json("info", "ur5.json")["q_size"] == 6 + 7
    assert run_json("info", "ur5.json")["effectors"][0] == "grasp"
    refuses("edit", "ur5", "reroute", "tool0", words=["reroot"])
    refuses("edit", "ur5", "lock", "-o", "x.json", words=["JOINT"])
    refuses("edit", "human", "float-root", "-o", "x.json", words=["root", "free"])


def test_graft_keeps_names_or_says_what_it_did():
    run("edit", "ur5", "graft", "hand@tool0:0,0,0.05", "-o", "both.json")
    both, ur5, hand = (run_json("info", m)["q_size"] for m in ("both.json", "ur5", "hand"))
    assert both == ur5 + hand
    _, notes = run("edit", "ur5", "graft", "ur5@tool0", "-o", "twice.json")
    assert "begin with" in notes
    # Without a link it stands beside the model, also beside one that travels.
    run("edit", "human", "graft", "panda@:1.5,0,0", "graft", "panda@:3,0,0", "-o", "three.json")
    tips = run_json("fk", "three.json", "--pose", "root=[0,0,5,0,0,0,1]", "--links", "panda_tcp,panda_panda_tcp")["transforms"]
    alone = run_json("fk", "panda", "--links", "panda_tcp")["transforms"]["panda_tcp"]["position"]
    for name, x in (("panda_tcp", 1.5), ("panda_panda_tcp", 3)):
        for got, wanted in zip(tips[name]["position"], (alone[0] + x, alone[1], alone[2])):
            assert abs(got - wanted) < 1e-12
    refuses("edit", "ur5", "graft", "hand", "-o", "x.json", words=["FILE@LINK"])


def test_all_figures_in_every_format():
    out = run_json("figures", "svg")["figures"]
    names = [os.path.basename(f["file"]) for f in out]
    for k in range(1, 26):
        assert f"fig_5_{k:02d}.svg" in names
    grey = run_json("figures", "grey", "--one-color")["figures"]
    text = read(os.path.join("grey", "fig_5_18.svg"))
    for color in re.findall(r'"#([0-9a-f]{6})"', text):
        assert color[:2] == color[2:4] == color[4:], color
    assert len(grey) == len(out)
    run("figures", "pdf", "--format", "pdf")
    with open(os.path.join(harness.FOLDER, "pdf", "fig_5_15.pdf"), "rb") as file:
        assert file.read(5) == b"%PDF-"


def test_completion_knows_commands_methods_and_models():
    script, _ = run("completion", "bash")
    complete = script + """
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _armature; printf '%s\\n' "${COMPREPLY[@]}"
    """
    def words(*typed):
        done = subprocess.run(["bash", "-c", complete, "bash", *typed], capture_output=True, text=True, check=True)
        return done.stdout.split()
    assert "retarget" in words("armature", "ret")
    assert "panda" in words("armature", "ik", "pan")
    assert "--goal" in words("armature", "ik", "panda", "--go")
    assert "dls" in words("armature", "ik", "panda", "--method", "dl")
    # Words that are known: of arguments, of flags however they are written, of lists, and the verbs of edit and clip.
    assert words("armature", "completion", "b") == ["bash"]
    assert words("armature", "methods", "fab") == ["fabrik"]
    assert words("armature", "ik", "panda", "--quality", "n") == ["nearest"]
    assert words("armature", "ik", "panda", "--quality", "=", "n") == ["nearest"]  # as bash splits --quality=n
    assert words("armature", "ik", "panda", "--quality=n") == ["--quality=nearest"]
    assert "sdf" in words("armature", "convert", "panda", "out", "--to", "")
    assert words("armature", "convert", "panda", "x", "--dh-convention", "=") == ["standard", "modified"]
    assert words("armature", "compare", "panda", "--methods", "dls,fab") == ["dls,fabrik"]
    assert words("armature", "edit", "panda", "float") == ["float-root"]
    assert words("armature", "clip", "walk.bvh", "resam") == ["resample"]
    assert "panda" in words("armature", "edit", "pan")
    assert ".SS jacobian" in run("completion", "man")[0]


harness.main()
