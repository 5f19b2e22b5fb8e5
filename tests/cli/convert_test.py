"""armature convert and armature check."""
import json
import os

import harness
from harness import ROOT, main, read, refuses, run, run_json, write


def frames(model, pose="{}"):
    return json.loads(run("fk", model, "--pose-file", "-", "--json", stdin=pose)[0])["frames"]


def test_every_built_in_model_survives_our_own_format():
    for model in run_json("models"):
        name = model["name"]
        run("convert", name, "copy.json")
        run("convert", "copy.json", "again.json")
        assert read("copy.json") == read("again.json"), name
        assert frames(name) == frames("copy.json"), name
        assert run_json("info", name) == run_json("info", "copy.json"), name


def test_convert_says_what_it_did():
    out, _ = run("convert", "ur5", "ur5.json")
    assert "ur5.json" in out
    report = run_json("convert", "ur5", "ur5.json")
    assert report["format"] == "json" and report["bytes"] == len(read("ur5.json").encode()) and report["notes"] == []


def test_standard_output_needs_a_format():
    refuses("convert", "ur5", "-", words=["--to"])
    assert json.loads(run("convert", "ur5", "-", "--to", "json")[0])["name"] == "ur5"


def test_convert_refuses():
    refuses("convert", "ur5", "out.xyz", words=["out.xyz", "json"])
    refuses("convert", "ur5", "out.json", "--to", "jsn", words=["'jsn'", "json"])
    refuses("convert", "missing.urdf", "out.json", words=["missing.urdf"])
    refuses("convert", "ur5", "no/such/folder/out.json", words=["no/such/folder"])
    assert os.listdir(harness.FOLDER) == []  # nothing is left behind


def test_check_of_sound_files():
    for entry in sorted(os.listdir(os.path.join(ROOT, "models"))):
        out, _ = run("check", os.path.join(os.path.abspath(ROOT), "models", entry))
        assert out.strip().endswith("sound"), out
    assert run_json("check", "human") == {"file": "human", "ok": True, "problems": [], "notes": []}


def test_check_reports_every_problem():
    path = write("bad.json", """{"links": ["base", "arm", "arm2"], "joints": [
      {"name": "a", "type": "revolute", "parent": "base", "child": "arm", "axis": [0, 0, 0]},
      {"name": "b", "type": "revolute", "parent": "bsae", "child": "arm2", "limits": {"lower": 2, "upper": 1}}]}""")
    report = json.loads(run("check", path, "--json", code=1)[0])
    assert not report["ok"] and len(report["problems"]) >= 3
    text = "\n".join(report["problems"])
    for words in ("'a'", "zero axis", "'bsae'", "did you mean 'base'", "'b'", "reversed"):
        assert words in text, words
    out, _ = run("check", path, code=1)
    assert all(problem in out for problem in report["problems"])


def test_check_of_files_that_cannot_be_read():
    for name, text in (("empty.json", ""), ("half.json", '{"links": ['), ("words.json", "hello"), ("nan.json", '{"links": [NaN]}')):
        report = json.loads(run("check", write(name, text), "--json", code=1)[0])
        assert len(report["problems"]) == 1, name
    refuses("check", "missing.json", words=["missing.json"])


main()
