"""Numbers with units on the command line: an angle is not taken for a length, and slips of the unit are told."""
import json

from harness import close, main, refuses, run, run_json, write


def test_units_of_another_kind_are_refused():
    goal = ["ik", "panda", "--goal", "0.4,0,0.4"]
    refuses(*goal, "--margin", "5deg", words=["--margin", "a length", "'5deg'"])
    refuses(*goal, "--margin", "-1mm", words=["--margin", "negative"])
    refuses(*goal, "--limits", "panda_joint1=-5mm..5mm", words=["--limits", "'panda_joint1'", "an angle", "'-5mm'"])
    refuses(*goal, "--joint-weights", "panda_joint1=5deg", words=["--joint-weights", "without a unit"])
    refuses(*goal, "--gain", "5mm", words=["--gain", "without a unit"])
    refuses(*goal, "--start", "panda_joint1=5mm", words=["'panda_joint1'", "an angle", "not a length"])
    refuses(*goal, "--tolerance", "1deg", words=["'tolerance'", "a length", "'1deg'"])
    refuses(*goal, "--max-time", "5mm", words=["'max_time'", "a time"])
    refuses("ik", "panda", "--goal", "40deg,0,0.4", words=["--goal", "a length", "'40deg'"])
    refuses("ik", "panda", "--goal", "0.4,0,0.4,1mm,0,0,1", words=["--goal", "without a unit", "'1mm'"])
    refuses("ik", "panda", "--goal", "panda_hand:0,0,5deg=0.4,0,0.4", words=["a length", "'5deg'"])
    refuses("ik", "human", "--goal", "left_hand=0.3,0.2,1.2", "--pole", "left_forearm=1,2deg,3", words=["--pole", "a length"])
    refuses("fk", "scara", "--pose", "quill_slide=30deg", words=["'quill_slide'", "a length", "not an angle"])
    refuses("fk", "scara", "--pose", "0,0,0,5mm", words=["'quill_turn'", "an angle", "not a length"])
    refuses("fk", "scara", "--velocity", "quill_slide=3deg", words=["--velocity", "a length"])
    refuses("animate", "four_bar", "--drive", "crank=0..360mm", words=["--drive", "'crank'", "an angle"])
    refuses("animate", "four_bar", "--drive", "crank=0..360deg", "--trail", "coupler:90deg,1,0", words=["--trail", "a length"])
    refuses("workspace", "panda", "--cells", "4", "--orientations", "2", "--cone", "30mm", words=["--cone", "an angle"])
    refuses("workspace", "panda", "--cells", "4", "--region", "0..1,0..90deg,0..1", words=["--region", "a length"])
    refuses("jacobian", "panda", "--point", "0,0,1s", words=["--point", "a length"])
    refuses("edit", "panda", "lock", "panda_joint1=5mm", words=["panda_joint1", "an angle"])
    refuses("edit", "panda", "add_tip", "tool=panda_hand:0,0,90deg", words=["a length", "'90deg'"])
    refuses("track", "panda", "--goal", "0.4,0,0.4", "--frame-rate", "5mm", words=["--frame-rate", "'5mm' is not a number from 0.001"])
    refuses("track", "panda", "--goal", "0.4,0,0.4", "--frames", "2.5", words=["--frames", "whole number"])
    table = write("targets.csv", "x,y,z\n0.4,0,30deg\n")
    refuses("ik", "panda", "--targets", table, words=["Column 'z'", "a length", "'30deg'"])


def test_units_that_fit():
    fk = ["fk", "scara", "--links", "tool_plate"]
    close(run_json(*fk, "--pose", "quill_slide=-30mm")["transforms"]["tool_plate"]["position"],
          run_json(*fk, "--pose", "quill_slide=-0.03")["transforms"]["tool_plate"]["position"], 1e-15)
    wide = ["ik", "panda", "--goal", "40cm,0,0.4"]
    assert run_json(*wide, "--limits", "panda_joint1=-10..10deg")["notes"] == []  # the unit of the end goes for both ends
    assert abs(run_json(*wide, "--limits", "panda_joint1=-10..10deg")["q"][0]) < 0.1746
    run("track", "panda", "--goal", "0.4,0,0.4", "--max-joint-step", "5deg", "-o", "line.csv")
    run("clip", "line.csv", "trim", "0..100ms")
    refuses("clip", "line.csv", "trim", "0..100mm", words=["seconds", "100mm"])


def test_slips_of_the_unit_are_told():
    goal = ["ik", "panda", "--goal", "0.4,0,0.4"]
    assert any("90deg (1.571)" in note for note in run_json(*goal, "--limits", "panda_joint1=-90..90")["notes"])
    scene = write("degrees.json", json.dumps({"format": "armature-scene", "version": 1, "model": "panda", "goals": [{"target": [0.4, 0, 0.4]}],
                                              "limits": {"panda_joint1": {"lower": -90, "upper": 90}}}))
    assert any("90deg (1.571)" in note for note in run_json("ik", scene)["notes"])
    assert any("10deg (0.1745)" in note for note in run_json("fk", "panda", "--pose", "panda_joint1=10")["notes"])
    assert any("30mm (0.03)" in note for note in run_json("fk", "scara", "--pose", "quill_slide=30")["notes"])
    assert run_json("fk", "panda", "--pose", "panda_joint1=2")["notes"] == []
    assert any("outside its limits" in note for note in run_json("fk", "panda", "--pose", "panda_joint1=3")["notes"])
    turned = json.dumps([{"link": "panda_tcp", "target": {"position": [0.4, 0, 0.4], "rpy": [180, 0, 0]}}])
    assert any("did you mean degrees (3.142 radians)" in note for note in run_json("ik", "panda", "--goals", turned)["notes"])
    box = json.dumps([{"name": "crate", "shape": {"type": "box", "size": [100, 100, 50]}, "origin": {"position": [500, 0, 0]}}])
    told = run_json(*goal, "--obstacles", write("crate.json", box), "--margin", "5", code=1)["notes"]
    assert any("'crate' stands 500 away" in note for note in told) and any("margin of 5 is more" in note for note in told)


def test_flags_and_files():
    refuses("ik", "panda", "--goal", "0.4,0,0.4", "--keep-branch=maybe", words=["--keep-branch is a flag", "'maybe'"])
    refuses("ik", "panda", "--targets", "nowhere.npy", "-o", "answers.npz", words=["no file 'nowhere.npy'"])


main()
