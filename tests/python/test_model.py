"""Loading, describing, posing and asking a model."""
import json
import pathlib

import numpy as np
import pytest

import armature


def test_every_built_in_model_loads():
    names = armature.models()
    assert {"planar_arm", "human", "panda", "ur5"} <= set(names)
    for name in names:
        model = armature.load(name)
        assert model.name == name and model.dof > 0 and model.description
        assert model.pose().shape == (model.q_size,)
        assert model.forward().shape == (len(model.links), 4, 4)


def test_load_takes_names_paths_bytes_and_dicts(tmp_path):
    text, notes = armature.load("ur5").write("json")
    assert notes == []
    path = tmp_path / "arm.json"
    path.write_bytes(text)
    frames = armature.load("ur5").forward()
    for source in (path, str(path), text, bytearray(text), json.loads(text)):
        np.testing.assert_array_equal(armature.load(source).forward(), frames)


def test_mistakes_are_whole_sentences():
    assert issubclass(armature.Error, ValueError)
    with pytest.raises(armature.Error, match="did you mean 'panda'"):
        armature.load("pandda")
    with pytest.raises(armature.Error, match="2 roots"):
        armature.load({"links": ["a", "b"], "joints": []})
    arm = armature.load("planar_arm")
    with pytest.raises(armature.Error, match="did you mean 'joint1'.*joint2"):
        arm.pose({"jiont1": 1})
    with pytest.raises(armature.Error, match="takes 1 value, not 2"):
        arm.pose({"joint1": [1, 2]})
    with pytest.raises(armature.Error, match="3 numbers, not 2"):
        arm.forward([1, 2])
    with pytest.raises(armature.Error, match="not finite"):
        arm.forward([1, 2, float("nan")])
    with pytest.raises(armature.Error, match="chapter"):
        arm.pose("chaptre")
    with pytest.raises(armature.Error, match="did you mean 'tip'"):
        arm.frame("tpi")
    with pytest.raises(armature.Error, match="must be a number or a list of numbers, not the text 'much'"):
        arm.pose({"joint1": "much"})


def test_poses_by_name_dict_and_array():
    arm = armature.load("planar_arm")
    chapter = arm.pose("chapter")
    np.testing.assert_allclose(chapter, [np.pi / 8, np.pi / 4, np.pi / 4], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(arm.pose(arm.pose_dict(chapter)), chapter)
    np.testing.assert_array_equal(arm.poses["chapter"], chapter)
    human = armature.load("human")
    assert human.pose_dict(human.pose())["root"] == [0, 0, 0, 0, 0, 0, 1]


def test_frames_of_one_pose_and_of_many():
    arm = armature.load("panda")
    poses = np.stack([arm.random(seed) for seed in range(50)])
    many = arm.forward(poses, links=["panda_tcp", "panda_hand"], base="panda_link0")
    assert many.shape == (50, 2, 4, 4)
    for pose, frames in zip(poses, many):
        np.testing.assert_array_equal(frames[0], arm.frame("panda_tcp", pose))
    assert len(arm.forward()) == len(arm.links)
    x, y = 15 + 10 + 5, 0
    np.testing.assert_allclose(armature.load("planar_arm").frame("tip")[:3, 3], [x, y, 0], atol=1e-14)
    with pytest.raises(armature.Error, match="8 numbers each"):
        arm.forward(np.zeros((5, 3)))


def test_jacobian_is_the_slope_of_the_frames():
    for name in ("panda", "human", "stanford_arm"):
        model = armature.load(name)
        link = model.effectors[0]
        q = model.random(3)
        point = np.array([0.1, -0.2, 0.05])
        jacobian = model.jacobian(link, q, point=point)
        assert jacobian.shape == (6, model.dof)
        step = 1e-6
        for column in range(0, model.dof, 5):
            v = np.zeros(model.dof)
            v[column] = step
            ahead = model.frame(link, model.integrate(q, v)) @ [*point, 1]
            behind = model.frame(link, model.integrate(q, -v)) @ [*point, 1]
            np.testing.assert_allclose((ahead - behind)[:3] / (2 * step), jacobian[:3, column], atol=1e-8)
        turned = model.frame(link, q)[:3, :3].T @ jacobian[3:]
        np.testing.assert_allclose(model.jacobian(link, q, frame="link")[3:], turned, atol=1e-12)
    with pytest.raises(armature.Error, match="world"):
        armature.load("ur5").jacobian("tool0", frame="tool")


def test_pose_algebra():
    human = armature.load("human")
    a, b = human.random(1), human.random(2)
    np.testing.assert_allclose(human.frame("head", human.integrate(a, human.difference(a, b))), human.frame("head", b),
                               atol=1e-12)
    np.testing.assert_allclose(human.frame("head", human.interpolate(a, b, 1)), human.frame("head", b), atol=1e-12)
    assert human.inside_limits(a)
    arm = armature.load("panda")
    wild = arm.pose({"panda_joint1": 10})
    assert not arm.inside_limits(wild)
    assert arm.clamp(wild)[0] == arm.upper[0] == 2.8973


def test_description():
    joints = {joint["name"]: joint for joint in armature.load("panda").joints}
    assert joints["panda_finger_joint2"]["mimic"] == {"joint": "panda_finger_joint1", "multiplier": 1, "offset": 0}
    assert joints["panda_joint1"]["q"] == slice(0, 1, 1)
    assert joints["panda_joint4"]["upper"] == [-0.0698]
    assert repr(armature.load("ur5")) == "<armature.Model 'ur5': 9 links, 6 degrees of freedom>"


def test_edits_give_new_models():
    human = armature.load("human")
    arm = human.extract_chain("chest", "left_hand")
    assert arm.links[0] == "chest" and arm.links[-1] == "left_hand" and arm.dof == 2 + 3 + 1 + 1 + 2
    assert "left_hand" not in human.remove("left_forearm").links
    assert human.dof == 67
    twice = armature.load("ur5").scale(2)
    np.testing.assert_allclose(twice.frame("tool0")[:3, 3], 2 * armature.load("ur5").frame("tool0")[:3, 3])
    locked = armature.load("planar_arm").lock("joint2", [0.5])
    assert locked.dof == 2
    np.testing.assert_allclose(locked.frame("tip"), armature.load("planar_arm").frame("tip", {"joint2": 0.5}), atol=1e-14)
    with pytest.raises(armature.Error, match="did you mean"):
        human.remove("left_foream")


def test_every_public_thing_has_a_docstring():
    assert armature.__doc__ and pathlib.Path(armature.__file__).exists()
    for name in ("load", "convert", "models", "formats", "solvers", "Model", "Report", "Clip", "Error"):
        assert getattr(armature, name).__doc__, name
    for name in ("forward", "frame", "jacobian", "solve", "solve_batch", "sequence", "write", "save", "pose"):
        assert getattr(armature.Model, name).__doc__, name
