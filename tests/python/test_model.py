"""Loading, describing, posing, editing and asking a model."""
import json
import pathlib
import pickle

import numpy as np
import pytest

import armature


def test_every_built_in_model_loads():
    names = armature.models()
    assert {"planar_arm", "human", "panda", "ur5"} <= set(names)
    for name in names:
        model = armature.load_model(name)
        assert model.name == model.source == name and model.v_size > 0 and model.description
        assert model.pose().shape == (model.q_size,)
        assert model.forward().shape == (len(model.links), 4, 4)
        assert model.inside_limits(model.start_pose())


def test_load_model_takes_names_paths_and_dicts_and_read_model_bytes(tmp_path):
    text, notes = armature.load_model("ur5").write("json")
    assert notes == []
    path = tmp_path / "arm.json"
    path.write_bytes(text)
    frames = armature.load_model("ur5").forward()
    for source in (path, str(path), json.loads(text), armature.load_model("ur5").linkage):
        np.testing.assert_array_equal(armature.load_model(source).forward(), frames)
    for data in (text, bytearray(text), text.decode()):
        np.testing.assert_array_equal(armature.read_model(data).forward(), frames)


def test_mistakes_are_whole_sentences():
    assert issubclass(armature.ArmatureError, ValueError)
    with pytest.raises(armature.ArmatureError, match="did you mean 'panda'"):
        armature.load_model("pandda")
    with pytest.raises(armature.ArmatureError, match="2 roots"):
        armature.load_model({"links": ["a", "b"], "joints": []})
    with pytest.raises(armature.ArmatureError, match="load_model has no keyword 'mesh_rot'; did you mean 'mesh_root'"):
        armature.load_model("ur5", mesh_rot="x")
    arm = armature.load_model("planar_arm")
    with pytest.raises(armature.ArmatureError, match="did you mean 'joint1'.*joint2"):
        arm.pose({"jiont1": 1})
    with pytest.raises(armature.ArmatureError, match="takes 1 value, not 2"):
        arm.pose({"joint1": [1, 2]})
    with pytest.raises(armature.ArmatureError, match="3 numbers each, not an array of shape"):
        arm.forward([1, 2])
    with pytest.raises(armature.ArmatureError, match="not finite"):
        arm.forward([1, 2, float("nan")])
    with pytest.raises(armature.ArmatureError, match="chapter"):
        arm.pose("chaptre")
    with pytest.raises(armature.ArmatureError, match="did you mean 'tip'"):
        arm.transform("tpi")
    with pytest.raises(armature.ArmatureError, match="pose.joint1: This must be a number, but it is a string"):
        arm.pose({"joint1": "much"})


def test_poses_by_name_dict_and_array():
    arm = armature.load_model("planar_arm")
    chapter = arm.pose("chapter")
    np.testing.assert_allclose(chapter, [np.pi / 8, np.pi / 4, np.pi / 4], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(arm.pose(arm.joint_values(chapter)), chapter)
    np.testing.assert_array_equal(arm.poses["chapter"], chapter)
    np.testing.assert_array_equal(arm.start_pose(), chapter)
    np.testing.assert_allclose(arm.pose("chapter,joint1=90deg"), [np.pi / 2, np.pi / 4, np.pi / 4])
    human = armature.load_model("human")
    assert human.joint_values(human.pose())["root"] == [0, 0, 0, 0, 0, 0, 1]


def test_transforms_of_one_pose_and_of_many():
    arm = armature.load_model("panda")
    poses = np.stack([arm.random_pose(seed) for seed in range(50)])
    many = arm.forward(poses, links=["panda_tcp", "panda_hand"], base="panda_link0")
    assert many.shape == (50, 2, 4, 4)
    for pose, frames in zip(poses, many):
        np.testing.assert_array_equal(frames[0], arm.transform("panda_tcp", pose))
        np.testing.assert_array_equal(frames[0], arm.state(pose).transform("panda_tcp"))
    out = np.empty_like(many)
    assert arm.forward(poses, links=["panda_tcp", 9], base=0, out=out) is out
    np.testing.assert_array_equal(out, many)
    unaligned = np.zeros(out.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(out.shape)
    for wrong in (np.empty((50, 2, 4, 3)), out.astype(np.float32), np.asfortranarray(out), unaligned, "out"):
        with pytest.raises(armature.ArmatureError, match="out must be a writable float64 array"):
            arm.forward(poses, links=["panda_tcp", 9], out=wrong)
    assert len(arm.forward()) == len(arm.links)
    np.testing.assert_allclose(armature.load_model("planar_arm").transform("tip")[:3, 3], [30, 0, 0], atol=1e-14)
    with pytest.raises(armature.ArmatureError, match="8 numbers each"):
        arm.forward(np.zeros((5, 3)))


def test_jacobian_is_the_slope_of_the_transforms():
    for name in ("panda", "human", "stanford_arm"):
        model = armature.load_model(name)
        link = model.effectors[0]
        q = model.random_pose(3)
        point = np.array([0.1, -0.2, 0.05])
        jacobian = model.jacobian(link, q, point=point)
        assert jacobian.shape == (6, model.v_size)
        step = 1e-6
        for column in range(0, model.v_size, 5):
            v = np.zeros(model.v_size)
            v[column] = step
            ahead = model.transform(link, model.integrate(q, v)) @ [*point, 1]
            behind = model.transform(link, model.integrate(q, -v)) @ [*point, 1]
            np.testing.assert_allclose((ahead - behind)[:3] / (2 * step), jacobian[:3, column], atol=1e-8)
        turned = model.transform(link, q)[:3, :3].T @ jacobian[3:]
        np.testing.assert_allclose(model.jacobian(link, q, frame="link")[3:], turned, atol=1e-12)
        np.testing.assert_array_equal(model.state(q).jacobian(link, point=point), jacobian)
        batch = model.jacobian(link, np.stack([model.pose(), q]), point=point)
        np.testing.assert_array_equal(batch[1], jacobian)
        np.testing.assert_allclose(model.velocities(q, np.ones(model.v_size))[model.links.index(link)],
                                   model.jacobian(link, q) @ np.ones(model.v_size), atol=1e-12)
    with pytest.raises(armature.ArmatureError, match="world"):
        armature.load_model("ur5").jacobian("tool0", frame="tool")


def test_relative_jacobian_and_derivatives():
    arm = armature.load_model("panda")
    q, v = arm.random_pose(1), np.linspace(-1, 1, arm.v_size)
    relative = arm.jacobian("panda_tcp", q, base="panda_link4")
    assert np.abs(relative[:, :4]).max() < 1e-12 < np.abs(relative[:, 4:7]).max()
    h = 1e-6
    slope = (arm.jacobian("panda_tcp", arm.integrate(q, h * v)) - arm.jacobian("panda_tcp", arm.integrate(q, -h * v))) / (2 * h)
    np.testing.assert_allclose(arm.jacobian_derivative("panda_tcp", q, v), slope, atol=1e-7)
    a = np.linspace(2, -1, arm.v_size)
    np.testing.assert_allclose(arm.accelerations(q, v, a)[arm.links.index("panda_tcp")],
                               arm.jacobian("panda_tcp", q) @ a + slope @ v, atol=1e-6)


def test_measures():
    measures = armature.measures(np.diag([4.0, 2.0]))
    assert list(measures.singular_values) == [4, 2] and measures.manipulability == 8 and measures["condition"] == 2
    assert armature.measures(np.zeros((2, 2))).condition == np.inf
    with pytest.raises(armature.ArmatureError, match="matrix"):
        armature.measures([1, 2])


def test_pose_algebra():
    human = armature.load_model("human")
    a, b = human.random_pose(1), human.random_pose(2)
    np.testing.assert_allclose(human.transform("head", human.integrate(a, human.difference(a, b))), human.transform("head", b),
                               atol=1e-12)
    np.testing.assert_allclose(human.transform("head", human.interpolate(a, b, 1)), human.transform("head", b), atol=1e-12)
    assert human.inside_limits(a)
    arm = armature.load_model("panda")
    wild = arm.pose({"panda_joint1": 10})
    assert not arm.inside_limits(wild)
    assert arm.clamp(wild)[0] == arm.upper[0] == 2.8973


def test_description():
    joints = {joint.name: joint for joint in armature.load_model("panda").joints}
    assert joints["panda_finger_joint2"]["mimic"] == {"joint": "panda_finger_joint1", "multiplier": 1, "offset": 0}
    assert joints["panda_joint1"].q == slice(0, 1, 1)
    assert joints["panda_joint4"].upper == [-0.0698]
    assert repr(armature.load_model("ur5")) == "<armature.Model 'ur5': 9 links, 6 degrees of freedom>"


def test_edits_give_new_models():
    human = armature.load_model("human")
    arm = human.extract("chest", "left_hand")
    assert arm.links[0] == "chest" and arm.links[-1] == "left_hand" and arm.v_size == 2 + 3 + 1 + 1 + 2
    assert "left_hand" not in human.remove("left_forearm").links
    assert human.v_size == 67
    ur5 = armature.load_model("ur5")
    twice = ur5.scale(2)
    np.testing.assert_allclose(twice.transform("tool0")[:3, 3], 2 * ur5.transform("tool0")[:3, 3])
    planar = armature.load_model("planar_arm")
    locked = planar.lock({"joint2": 0.5})
    assert locked.v_size == 2
    np.testing.assert_allclose(locked.transform("tip"), planar.transform("tip", {"joint2": 0.5}), atol=1e-14)
    turned = planar.reroot("tip")
    assert turned.links[0] == "tip"
    np.testing.assert_allclose(turned.transform("base", base="tip"), np.linalg.inv(planar.transform("tip", base="base")), atol=1e-12)
    named = planar.rename({"tip": "pen", "joint1": "shoulder"})
    assert "pen" in named.links and "shoulder" in named.joint_names
    left = human.mirror("y", swap_sides=True)
    np.testing.assert_allclose(left.transform("left_hand")[:3, 3], human.transform("right_hand")[:3, 3] * [1, -1, 1], atol=1e-12)
    both = ur5.graft(planar.scale(0.01), "tool0", prefix="pen_", origin=[0, 0, 0.1, 0, 0, 0, 1])
    np.testing.assert_allclose(both.transform("pen_tip", base="tool0")[:3, 3], [0.3, 0, 0.1], atol=1e-12)
    pair = human.graft(ur5, origin=[1, 0, 0]).graft(ur5, origin=[2, 0, 0])
    np.testing.assert_allclose(pair.transform("tool0")[:3, 3], ur5.transform("tool0")[:3, 3] + [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(pair.transform("ur5_tool0")[:3, 3], ur5.transform("tool0")[:3, 3] + [2, 0, 0], atol=1e-12)
    assert planar.float_root().v_size == planar.v_size + 6
    tipped = ur5.add_tip("pen", "tool0", origin=[0, 0, 0.1])
    assert tipped.effectors[0] == "pen"
    np.testing.assert_allclose(tipped.transform("pen", base="tool0")[:3, 3], [0, 0, 0.1], atol=1e-15)
    free = armature.load_model("ur5", float_root=True, up="y", unit_scale=100)
    assert free.v_size == 12
    np.testing.assert_allclose(free.transform("tool0")[:3, 3], 100 * ur5.transform("tool0")[[0, 2, 1], 3] * [1, 1, -1], atol=1e-9)
    single = human.expand()
    assert single.q_size == single.v_size == human.v_size
    assert human.expand("left_shoulder").q_size == human.q_size - 1
    for edit in (lambda: human.remove("left_foream"), lambda: planar.rename({"tpi": "pen"}), lambda: planar.mirror("w"),
                 lambda: planar.lock({"jiont2": 1})):
        with pytest.raises(armature.ArmatureError, match="did you mean|x, y, z"):
            edit()


def test_models_and_answers_pickle():
    for name in ("panda", "human"):
        model = armature.load_model(name)
        again = pickle.loads(pickle.dumps(model))
        assert again.links == model.links and again.joint_names == model.joint_names and again.source == name
        q = model.random_pose(5)
        np.testing.assert_array_equal(again.forward(q), model.forward(q))
        np.testing.assert_array_equal(again.lower, model.lower)
        assert again.poses.keys() == model.poses.keys()


def test_every_public_thing_has_a_docstring():
    assert armature.__doc__ and pathlib.Path(armature.__file__).exists()
    for name in armature.__all__:
        value = getattr(armature, name)
        assert name == "__version__" or value.__doc__, name
        if isinstance(value, type):
            for inner, member in vars(value).items():
                if not inner.startswith("_") and name not in ("Record", "Solutions", "Method"):
                    assert member.__doc__, f"{name}.{inner}"
