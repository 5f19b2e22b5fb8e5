"""Loops, tracks, and what files cannot hold."""
import armature
import numpy as np
import pytest


def test_loops_are_closed_or_told():
    bar = armature.load_model("four_bar")
    assert bar.mechanism().closure_error < 1e-9
    assert np.allclose(bar.pose(), bar.assemble(bar.pose()))  # closed where nothing is said
    with pytest.warns(UserWarning, match="open by.*assemble"):
        bar.transform("trace", {"crank": 1.0})
    closed = bar.assemble({"crank": 1.0}, held=["crank"])
    assert closed[0] == 1.0 and np.allclose(bar.mechanism({"crank": 1.0}).q, closed)  # a drive stays where it is told to
    with pytest.raises(armature.ArmatureError, match="do not close"):
        bar.assemble([1.0, 0.0, 0.0], held=bar.joint_names)


def test_what_cannot_be_written_is_refused(tmp_path):
    scene = armature.Scene("planar_arm", goals=[{"type": "custom", "name": "mine", "function": lambda state: [0.0]}])
    with pytest.raises(armature.ArmatureError, match="'mine' is code"):
        scene.save(tmp_path / "scene.json")
    with pytest.raises(armature.ArmatureError, match=r"\.svg"):
        armature.load_model("planar_arm").draw().save(tmp_path / "arm.png")
    assert not list(tmp_path.iterdir())


def test_a_retimed_track_says_what_was_asked():
    arm = armature.load_model("panda")
    goal = {"type": "position", "path": {"curve": "line", "points": [[0.4, 0, 0.5], [0.4, 0.3, 0.5]], "duration": 0.1}}
    plain = arm.track([goal], start="ready")
    assert plain.asked == 0 and not plain.slowed
    slow = arm.track([goal], start="ready", retime={"velocity": 0.5, "acceleration": 1})
    assert slow.asked > 0 and slow.slowed and slow.clip.duration > 1.1 * slow.asked


def test_a_motion_goes_into_its_models_file_beside_those_that_are_there(tmp_path):
    arm = armature.load_model("planar_arm")
    armature.Clip(arm, [[0, 0, 0], [0.1, 0.2, 0.3]], name="own").save(tmp_path / "arm.glb")
    read = armature.load_model(tmp_path / "arm.glb")
    new = armature.Clip(read, [[0, 0, 0], [0.3, 0.2, 0.1], [0, 0, 0]], name="new")
    new.save(tmp_path / "both.glb")
    both = armature.load_model(tmp_path / "both.glb").clips
    assert {clip.name: clip.frames for clip in both} == {"new": 3, "own": 2}
    armature.Clip(read, [[0, 0, 0], [0.1, 0, 0]] * 2, name="own").save(tmp_path / "again.glb")
    assert [clip.frames for clip in armature.load_model(tmp_path / "again.glb").clips] == [4]
    new.save(tmp_path / "one.json")
    assert len(armature.load_model(tmp_path / "one.json").clips) == 1
