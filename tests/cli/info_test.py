"""armature info: the tree for people, the whole description for programs."""
import math
import pathlib
import re

from harness import main, refuses, run, run_json, shared_data, write

MODEL = """{"name": "odd", "links": ["base", "arm", "hand", "finger"], "joints": [
  {"name": "place", "type": "free", "child": "base"},
  {"name": "ball", "type": "spherical", "parent": "base", "child": "arm",
   "limits": {"cone": {"axis": [0, 0, 1], "swing": 0.5, "twist_lower": -0.25, "twist_upper": 0.75}}},
  {"name": "slide", "type": "prismatic", "parent": "arm", "child": "hand", "limits": {"lower": -0.5, "upper": 1.5}},
  {"name": "follow", "type": "revolute", "parent": "arm", "child": "finger",
   "mimic": {"joint": "slide", "multiplier": -2, "offset": 0.5}}]}"""


def test_json_has_what_programs_need():
    info = run_json("info", "panda")
    assert info["name"] == "panda" and info["v_size"] == 8 == info["q_size"]
    assert info["links"][0] == "panda_link0" and "panda_tcp" in info["links"]
    joints = {joint["name"]: joint for joint in info["joints"]}
    elbow = joints["panda_joint4"]
    assert {key: elbow[key] for key in ("type", "parent", "child", "q_size", "v_size", "lower", "upper", "units")} == {
        "type": "revolute", "parent": "panda_link3", "child": "panda_link4", "q_size": 1, "v_size": 1, "lower": -3.0718, "upper": -0.0698,
        "units": ["angle"]}
    assert elbow["q_index"] == elbow["v_index"] == 3 and elbow["axis"] == [0.0, 0.0, 1.0] and len(elbow["origin"]["position"]) == 3
    assert joints["panda_finger_joint2"]["mimic"] == {"joint": "panda_finger_joint1", "multiplier": 1.0, "offset": 0.0}
    assert joints["panda_joint8"]["v_size"] == 0
    assert info["effectors"] == ["panda_tcp"]
    assert {body["link"] for body in info["bodies"]} >= {"panda_link1", "panda_hand"}
    assert math.isclose(info["poses"]["ready"]["panda_joint4"], -0.75 * math.pi)


def test_every_model_counts_its_freedoms():
    for model in run_json("models")["models"]:
        info = run_json("info", model["name"])
        own = sum(joint["v_size"] for joint in info["joints"] if "mimic" not in joint)
        assert own == info["v_size"] == model["v_size"], model["name"]
        assert len(info["links"]) == model["links"]
        assert all(joint["child"] in info["links"] for joint in info["joints"])


def test_joints_of_several_coordinates():
    joints = {joint["name"]: joint for joint in run_json("info", write("odd.json", MODEL))["joints"]}
    assert joints["place"]["parent"] is None and joints["place"]["v_size"] == 6 and joints["place"]["lower"] == [None] * 7
    assert joints["ball"]["cone"] == {"axis": [0.0, 0.0, 1.0], "swing": 0.5, "twist": [-0.25, 0.75]}
    assert joints["follow"]["lower"] == -2.5 and joints["follow"]["upper"] == 1.5


def test_text_draws_the_tree_with_limits_in_degrees():
    out, _ = run("info", "two_arms")
    assert "├─ left_arm" in out and "└─ right_arm" in out and "│  └─ left_forearm" in out
    assert "-150° .. 150°" in out and "4 degrees of freedom" in out
    assert "effectors: left_tip, right_tip" in out
    out, _ = run("info", write("odd.json", MODEL))
    assert "-0.5 .. 1.5" in out and "swing ≤ 28.65°" in out and "= -2 × slide + 0.5" in out


def test_a_very_deep_chain_stays_readable():
    links = ", ".join(f'"l{i}"' for i in range(3001))
    joints = ", ".join(f'{{"name": "j{i}", "type": "revolute", "parent": "l{i}", "child": "l{i + 1}"}}'
                       for i in range(3000))
    path = write("deep.json", f'{{"name": "deep", "links": [{links}], "joints": [{joints}]}}')
    out, _ = run("info", path)
    assert max(len(line) for line in out.splitlines()) < 120
    assert run_json("info", path)["v_size"] == 3000


def test_models_that_are_not_there_or_not_sound():
    refuses("info", "humman", words=["'humman'", "did you mean 'human'", "planar_arm"])
    refuses("info", "no/such/file.urdf", words=["no/such/file.urdf"])
    refuses("info", ".", words=["folder"])
    refuses("info", write("bad.json", '{"links": ["a", "b"], "joints": []}'), words=["2 roots"])
    refuses("info", write("empty.json", ""), words=["empty.json"])


def test_standard_input():
    assert run_json("info", "-", stdin=MODEL)["name"] == "odd"


def test_pages_of_methods_say_what_the_options_are():
    """The pages named a choice `goal` that is called `target`, and options of old names."""
    pages = pathlib.Path(__file__).parents[2] / "docs/methods"
    checked = 0
    for method in run_json("methods")["methods"]:
        options = {option["name"]: option for option in method["options"]}
        text = (pages / f"{method['name']}.md").read_text(encoding="utf-8")
        for name, default, meaning in re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", text, re.M):
            option = options[name]
            given = str(option["default"]).lower()
            close_to = option["type"] in ("real", "integer") and abs(float(default) - float(given)) < 1e-5
            assert close_to or default.strip() == given, (method["name"], name, default, given)
            choices = option.get("choices") or []
            if choices:
                words = set(re.findall(r"`(\w+)`", meaning))
                assert words <= set(choices), (method["name"], name, words, choices)
            checked += 1
    assert checked > 20


def test_check_tells_inertias_that_no_body_can_have():
    def robot(mass, *moments):
        names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        inertia = " ".join(f'{name}="{value}"' for name, value in zip(names, (*moments, 0, 0, 0)))
        return write("robot.urdf", f'<robot name="r"><link name="arm"><inertial><mass value="{mass}"/><inertia {inertia}/></inertial></link></robot>')
    for bad in ((-1, 1, 1, 1), (1, 1, 1, 5), (1, 1, 1, 1, 2), (1, -1, 1, 1)):
        answer = run_json("check", robot(*bad), code=1)
        assert len(answer["problems"]) == 1 and "'arm'" in answer["problems"][0]["message"] and answer["notes"] == [], answer
        run("info", "robot.urdf")  # it can be computed with
    assert run_json("check", robot(1, 1, 1, 2))["problems"] == []


def test_the_end_effector_of_robots():
    ur5 = shared_data("urdf/ur5.urdf")  # its frame `base` is moved by no joint
    assert run_json("info", ur5)["effectors"] == ["tool0"]
    assert run_json("ik", ur5, "--goal", "0.3,0.2,0.4")["notes"] == []
    both = run_json("ik", shared_data("urdf/ur5e.urdf"), "--goal", "0.3,0.2,0.4")
    assert both["goals"][0]["link"] == "tool0" and any("'tool0'" in note and "ft_frame" in note for note in both["notes"]), both["notes"]
    refuses("ik", shared_data("urdf/franka_panda.urdf"), "--goal", "0.3,0.2,0.4", words=["tip", "panda_leftfinger, panda_rightfinger"])


def test_lists_by_name():
    assert [entry["name"] for entry in run_json("models", "panda")["models"]] == ["panda"]
    assert [entry["name"] for entry in run_json("formats", "urdf")["formats"]] == ["urdf"]
    refuses("formats", "urfd", words=["no format 'urfd'", "did you mean 'urdf'"])
    refuses("models", "pandas", words=["did you mean 'panda'"])


main()
