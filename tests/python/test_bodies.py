"""Bodies, meshes asked exactly, and motions that keep clear."""
import pickle

import pytest

import armature

RING_URDF = """<robot name="hoop">
<link name="post"/>
<link name="hoop"><collision><geometry><mesh filename="frame.obj"/></geometry></collision></link>
<joint name="slide" type="prismatic"><parent link="post"/><child link="hoop"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


def frame_obj():
    """A square frame of four bars about z: every cover of it covers some of its hole."""
    text, count = "", 0
    for turn in range(4):
        c, s = [(1, 0), (0, 1), (-1, 0), (0, -1)][turn]
        for x in (0.28, 0.32):
            for y in (-0.32, 0.32):
                for z in (-0.02, 0.02):
                    text += f"v {c * x - s * y} {s * x + c * y} {z}\n"
        for a, b, c4, d in ((1, 2, 4, 3), (5, 6, 8, 7), (1, 2, 6, 5), (3, 4, 8, 7), (1, 3, 7, 5), (2, 4, 8, 6)):
            text += f"f {a + count} {b + count} {c4 + count}\nf {a + count} {c4 + count} {d + count}\n"
        count += 8
    return text


def test_meshes_of_a_model_are_asked_exactly(tmp_path):
    (tmp_path / "hoop.urdf").write_text(RING_URDF)
    (tmp_path / "frame.obj").write_text(frame_obj())
    hoop = armature.load_model(tmp_path / "hoop.urdf")
    assert {body["source"] for body in hoop.bodies().bodies} != {"bone"}
    ball = [{"name": "ball", "shape": {"type": "sphere", "radius": 0.2}}]
    assert not hoop.clearance(obstacles=ball).free
    near = hoop.clearance(obstacles=ball, exact=True, within=0.2)
    assert near.free and abs(near.distance - 0.08) < 1e-3, near
    goal = dict(target=[0, 0, 0], link="hoop", obstacles=ball)
    assert hoop.solve(**goal).outcome == "blocked"
    assert hoop.solve(**goal, exact=True).ok
    carried = armature.read_model(RING_URDF, "hoop.urdf", {"frame.obj": frame_obj().encode()})
    again = pickle.loads(pickle.dumps(carried))
    for model in (carried, again, pickle.loads(pickle.dumps(hoop)), hoop.rename({"hoop": "ring"}).rename({"ring": "hoop"})):
        assert model.solve(**goal, exact=True).ok
    scene = armature.Scene(hoop, goals=[{"link": "hoop", "target": [0, 0, 0]}], obstacles=ball, exact=True)
    assert scene.solve().ok and dict(scene)["exact"] is True


def test_motions_keep_clear():
    arm = armature.load_model("planar_arm")
    keys = {"poses": [{"time": 0, "pose": [-0.6, 0.2, 0]}, {"time": 1, "pose": [1.0, 0.2, 0]}]}
    clip = arm.keyframes(keys, frame_rate=60)
    ball = [{"name": "ball", "shape": {"type": "sphere", "radius": 2}, "origin": [30, 12, 0]}]
    looked = clip.check(obstacles=ball).cleared
    assert looked.touching and looked.left == looked.touching and not looked.ok
    assert clip.check().cleared is None
    moved = clip.keep_clear(obstacles=ball, margin=0.1)
    assert moved.ok and moved.touching and not moved.left, moved.message
    assert moved.clip.check(obstacles=ball).cleared.ok
    with pytest.raises(armature.ArmatureError, match="nothing to keep clear"):
        clip.keep_clear(obstacles=ball, collision="off")


def test_followers_keep_clear():
    arm = armature.load_model("panda")
    wall = [{"name": "wall", "shape": {"type": "box", "size": [0.02, 1, 1]}, "origin": [0.55, 0, 0.5]}]
    follower = arm.follower([0.7, 0, 0.5], link="panda_tcp", start="ready", obstacles=wall)
    for _ in range(200):
        step = follower.step(0.01)
        assert arm.clearance(step.q, obstacles=wall).free
    assert step.outcome == "blocked" and not step.ok
