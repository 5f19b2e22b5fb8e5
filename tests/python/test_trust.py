"""Files that a model names, and files that are saved."""
import json
import os

import armature
import pytest


def gltf(uri):
    return json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
                       "nodes": [{"name": "a", "children": [1]}, {"name": "b", "translation": [1, 0, 0]}],
                       "buffers": [{"uri": uri, "byteLength": 1}]})


def test_a_model_reads_only_its_own_folder(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret.bin").write_text("secret")
    (folder / "own.bin").write_text("own")
    (folder / "link.bin").symlink_to("../secret.bin")
    os.mkfifo(folder / "pipe.bin")
    path = folder / "arm.gltf"
    path.write_text(gltf("own.bin"))
    assert armature.load_model(path).links
    for uri, word in (("/etc/passwd", "absolute"), ("../secret.bin", "outside"), ("link.bin", "outside"), ("pipe.bin", "regular"),
                      ("/dev/zero", "absolute"), ("own.bin%00", "control")):
        path.write_text(gltf(uri))
        with pytest.raises(ValueError, match=word):
            armature.load_model(path)
        with pytest.raises(ValueError, match=word):
            armature.load_model(path).write("json")


def test_devices_are_refused():
    with pytest.raises(ValueError, match="is a device"):
        armature.load_model("/dev/zero")


def test_a_file_is_saved_whole_or_not_at_all(tmp_path):
    path = tmp_path / "arm.json"
    path.write_text("old")
    path.chmod(0o640)
    armature.load_model("two_link").save(path)
    assert json.loads(path.read_text())["name"] == "two_link"
    assert path.stat().st_mode & 0o777 == 0o640  # the old file's
    assert os.listdir(tmp_path) == ["arm.json"]
    with pytest.raises(ValueError, match="no such file or folder"):
        armature.load_model("two_link").save(tmp_path / "none" / "arm.json")
