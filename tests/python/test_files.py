"""Formats, reading, writing and motions."""
import json
import pickle

import numpy as np
import pytest

import armature

PATH = {"curve": "line", "points": [[0, -0.25, 0], [0, 0.25, 0]], "relative": True, "profile": "ease", "duration": 2}


def test_formats_and_write():
    formats = {entry.name: entry for entry in armature.formats()}
    assert formats["json"].reads and formats["json"]["writes"]
    data, notes = armature.load_model("planar_arm").write("json")
    assert json.loads(data)["name"] == "planar_arm" and notes == []
    with pytest.raises(armature.ArmatureError, match="json"):
        armature.load_model("planar_arm").write("jsn")
    with pytest.raises(armature.ArmatureError, match="nothing.json"):
        armature.read_model(b"", file_name="nothing.json")
    short, _ = armature.load_model("ur5").write("json", digits=3)
    assert len(short) < len(armature.load_model("ur5").write("json")[0])
    with pytest.raises(armature.ArmatureError, match="write has no keyword 'digit'; did you mean 'digits'"):
        armature.load_model("ur5").write("json", digit=3)


def test_dh_tables_are_written_in_either_convention():
    standard, _ = armature.load_model("ur5").write("dh_csv")
    modified, _ = armature.load_model("ur5").write("dh_csv", dh_convention="modified")
    assert standard != modified
    with pytest.raises(armature.ArmatureError, match="did you mean 'modified'"):
        armature.load_model("ur5").write("dh_csv", dh_convention="modifed")


def test_a_dh_table_is_of_a_chosen_chain():
    chain = armature.read_model(armature.load_model("panda").write("dh_csv", base="panda_link2", tip="panda_link5")[0], "p.dh.csv")
    assert [joint.name for joint in chain.joints if joint.type == "revolute"] == ["panda_joint3", "panda_joint4", "panda_joint5"]
    with pytest.raises(armature.ArmatureError, match="panda_lnk2.*did you mean"):
        armature.load_model("panda").write("dh", base="panda_lnk2")
    with pytest.raises(armature.ArmatureError, match="holds a whole model"):
        armature.load_model("panda").write("urdf", tip="panda_link5")


def test_save_tells_the_format_by_extension(tmp_path):
    assert armature.load_model("ur5").save(tmp_path / "arm.json") == []
    assert armature.load_model(tmp_path / "arm.json").v_size == 6
    assert armature.load_model("ur5").save(str(tmp_path / "arm.urdf"))  # notes
    with pytest.raises(armature.ArmatureError, match="xyz"):
        armature.load_model("ur5").save(tmp_path / "arm.xyz")


def test_clips(tmp_path):
    arm = armature.load_model("planar_arm")
    poses = np.linspace([0, 0, 0], [1, 2, 3], 10)
    clip = armature.Clip(arm, poses, frame_time=0.1, name="wave")
    assert len(clip) == clip.frames == 10 and clip.duration == pytest.approx(0.9) and clip.frame_rate == pytest.approx(10)
    for name in ("moving.json", "moving.jsonl", "moving.csv"):
        clip.save(tmp_path / name)
        back = armature.load_clip(tmp_path / name, model=arm)
        assert back.frame_time == 0.1
        np.testing.assert_array_equal(back.q, poses)
    assert armature.load_model(tmp_path / "moving.json").clips[0].name == "wave"
    again = pickle.loads(pickle.dumps(clip))
    assert again.name == "wave" and again.frame_time == 0.1
    np.testing.assert_array_equal(again.q, poses)
    np.testing.assert_allclose(clip.trail("tip")[0], [30, 0, 0], atol=1e-12)
    assert clip.resample(20).frames == 19
    np.testing.assert_array_equal(clip.trim(0, 0.3).concat(clip.trim(0.3)).q, clip.q)
    np.testing.assert_array_equal(clip.reverse().q, clip.q[::-1])
    assert clip.speed(2).duration == pytest.approx(0.4) and clip.smooth(0.1).frames == clip.frames
    assert clip.positions(["tip"]).shape == (clip.frames, 1, 3)
    np.testing.assert_allclose(clip.positions(["tip"])[:, 0], clip.trail("tip"), atol=1e-12)
    np.testing.assert_allclose(clip.layer(clip.reverse(), links=["link2"]).q[:, 0], clip.q[:, 0])
    looped = clip.loop()
    np.testing.assert_allclose(looped.q[-1], looped.q[0], atol=1e-9)
    few = clip.reduce(0.01)
    assert few.error <= 0.01 and few.key_count <= few.frame_keys
    np.testing.assert_allclose(arm.keyframes(few["keys"], frame_rate=10).q, few.clip.q, atol=1e-12)
    assert clip.stats().joints["joint1"].largest_speed > 0
    with pytest.raises(armature.ArmatureError, match="free to travel"):
        clip.in_place()
    with pytest.raises(armature.ArmatureError, match="another model"):
        clip.concat(armature.Clip(armature.load_model("two_link"), [[0, 0]]))
    assert clip.retime(velocity=1.0, acceleration=5.0).duration > 2.9
    assert clip.check().largest_step == pytest.approx(1 / 3)
    with pytest.raises(armature.ArmatureError, match="3 numbers each"):
        armature.Clip(arm, np.zeros((4, 2)))
    with pytest.raises(armature.ArmatureError, match="not both"):
        armature.Clip(arm, poses, frame_time=0.1, frame_rate=10)
    with pytest.raises(armature.ArmatureError, match="carries no motion"):
        clip.write("urdf")
    with pytest.raises(armature.ArmatureError, match="holds no motion"):
        armature.load_clip("planar_arm")


def test_track_follows_paths(tmp_path):
    arm = armature.load_model("panda")
    motion = arm.track([{"type": "pose", "link": "panda_tcp", "path": PATH}], start="ready", frame_rate=60)
    assert motion and motion.clip.frames == len(motion) == 121 and motion.jumps == [] and motion.largest_error < 1e-6 * arm.size
    trail = motion.clip.trail("panda_tcp")
    np.testing.assert_allclose(trail[-1] - trail[0], [0, 0.5, 0], atol=1e-6)
    motion.clip.save(tmp_path / "line.csv")
    assert (tmp_path / "line.csv").read_text().count("\n") >= 121
    again = pickle.loads(pickle.dumps(motion))
    assert again.ok and again.clip.frames == 121
    scene = armature.Scene(arm, goals=[{"type": "pose", "link": "panda_tcp", "path": PATH}], start="ready", frame_rate=60)
    np.testing.assert_array_equal(scene.track().clip.q, motion.clip.q)
    with pytest.raises(armature.ArmatureError, match="track has no keyword 'frame_rat'; did you mean 'frame_rate'"):
        arm.track([{"link": "panda_tcp", "path": PATH}], frame_rat=3)
    with pytest.raises(armature.ArmatureError, match=r"goals\[0\]\.path\.curv"):
        arm.track([{"link": "panda_tcp", "path": {**PATH, "curv": "line"}}])


def test_sliding_goals_of_the_chapter():
    arm = armature.load_model("planar_arm")
    motion = arm.track([-20, 5, 0], link="tip", start="chapter", frames=21, steps_per_frame=1)
    assert motion.clip.q.shape == (21, 3)
    np.testing.assert_allclose(motion.clip.q[0], arm.pose("chapter"))
    # Figure 5.20a: pose of the last frame, computed independently.
    np.testing.assert_allclose(motion.clip.q[20], [2.131100489989, 1.370996109954, 0.658839361188], atol=1e-9)


def test_keyframes():
    arm = armature.load_model("planar_arm")
    clip = arm.keyframes({"interpolation": "linear", "poses": [{"time": 0, "pose": [0, 0, 0]}, {"time": 1, "pose": [1, 2, 3]}],
                          "joints": {"joint3": [{"time": 0.5, "value": 0}]}}, frame_rate=10)
    assert clip.frames == 11
    np.testing.assert_allclose(clip.q[5], [0.5, 1, 0], atol=1e-12)
    with pytest.raises(armature.ArmatureError, match=r"keys\.posse.*did you mean 'poses'"):
        arm.keyframes({"posse": []})


def test_retarget_onto_a_smaller_figure():
    human = armature.load_model("human")
    small = human.scale(0.5)
    clip = human.keyframes({"poses": [{"time": 0, "pose": "rest"}, {"time": 1, "pose": "rest,left_elbow=1.2"}]})
    result = armature.retarget(clip, small, keep_hands=False)
    assert result.clip.frames == clip.frames and result.root_scale == pytest.approx(0.5)
    assert result.clip.model.name == small.name and result.bone_map["left_hand"] == "left_hand"
    kept = armature.retarget(clip, small, bone_map=result.bone_map)
    assert kept.clip.frames == clip.frames
    with pytest.raises(armature.ArmatureError, match="retarget has no keyword 'keep_foot'; did you mean 'keep_feet'"):
        armature.retarget(clip, small, keep_foot=True)


def test_retarget():
    human = armature.load_model("human")
    walk = human.keyframes({"poses": [{"time": 0, "pose": "rest"}, {"time": 0.5, "pose": "wave"}]})
    result = armature.retarget(walk, human, keep_feet=False)
    assert result.clip.frames == walk.frames and result.root_scale == pytest.approx(1)
    assert result.report.arm_direction < 0.02 and result.report.leg_direction < 0.105
    assert armature.retarget(walk, human, source_pose="frame=0", target_pose="rest").clip.frames == walk.frames
    with pytest.raises(armature.ArmatureError, match="reference frame"):
        armature.retarget(walk, human, source_pose="frame=99")
    with pytest.raises(armature.ArmatureError, match="float_rot"):
        armature.retarget(walk, human, float_rot=True)
