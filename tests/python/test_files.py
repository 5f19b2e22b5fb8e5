"""Formats, conversion and motions."""
import json

import numpy as np
import pytest

import armature


def test_formats_and_convert():
    formats = {entry["name"]: entry for entry in armature.formats()}
    assert formats["json"]["reads"] and formats["json"]["writes"]
    data, notes = armature.convert("planar_arm", "json")
    assert json.loads(data)["name"] == "planar_arm" and notes == []
    with pytest.raises(armature.Error, match="json"):
        armature.convert("planar_arm", "jsn")
    with pytest.raises(armature.Error, match="nothing.json"):
        armature.load(b"", name="nothing.json")


def test_save_tells_the_format_by_extension(tmp_path):
    assert armature.load("ur5").save(tmp_path / "arm.json") == []
    assert armature.load(tmp_path / "arm.json").dof == 6
    with pytest.raises(armature.Error, match="xyz"):
        armature.load("ur5").save(tmp_path / "arm.xyz")


def test_motions(tmp_path):
    arm = armature.load("planar_arm")
    poses = np.linspace([0, 0, 0], [1, 2, 3], 10)
    clip = armature.Clip(poses, frame_time=0.1, name="wave")
    assert len(clip) == 10 and clip.duration == pytest.approx(0.9)
    arm.save(tmp_path / "moving.json", clips=[clip])
    back = armature.load(tmp_path / "moving.json").clips
    assert len(back) == 1 and back[0].name == "wave" and back[0].frame_time == 0.1
    np.testing.assert_array_equal(back[0].poses, poses)
    with pytest.raises(armature.Error, match="3 numbers a frame, not 2"):
        arm.write("json", clips=[armature.Clip(np.zeros((4, 2)))])
