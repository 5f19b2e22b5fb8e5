"""armature workspace: areas, files, and work that survives Ctrl-C and kill -9."""
import json
import math
import os
import signal
import subprocess
import time

import harness
from harness import PROGRAM, main, read, refuses, run, run_json


def test_two_link_is_the_annulus():
    report = run_json("workspace", "two_link", "--tip", "tip", "--cells", "150", "--samples", "60000")
    annulus = math.pi * (1.8 ** 2 - 0.2 ** 2)
    assert abs(report["volume"] - annulus) < 0.01 * annulus, report
    assert report["grid"]["count"][2] == 1 and report["grid"]["cell"] > 0 and len(report["grid"]["origin"]) == 3
    assert report["unit"] == "m^2" and "mean_dexterity" not in report


def test_every_output():
    names = ["w.ply", "w.csv", "w.json", "w.svg"]
    arguments = [word for name in names for word in ("-o", name)]
    out, _ = run("workspace", "planar_arm", "--tip", "tip", "--cells", "16", "--samples", "20000", "--orientations", "4",
                 *arguments)
    assert "dexterous share" in out
    whole = json.loads(read("w.json"))
    assert len(whole["reachable"]) == whole["reachable_cells"] > 50
    assert 0 < whole["mean_dexterity"] < 1
    lines = read("w.ply").splitlines()
    assert lines[0] == "ply" and f"element vertex {whole['reachable_cells']}" in lines
    assert len(lines) - lines.index("end_header") - 1 == whole["reachable_cells"]
    rows = [line.split(",") for line in read("w.csv").splitlines()]
    assert rows[0] == ["x", "y", "z", "hits", "reachable", "dexterity"]
    assert sum(row[4] == "1" for row in rows[1:]) == whole["reachable_cells"]
    assert read("w.svg").startswith("<svg")
    assert not os.path.exists(os.path.join(harness.FOLDER, "w.ply.part"))


def test_png_or_a_reason():
    done = subprocess.run([PROGRAM, "workspace", "two_link", "--tip", "tip", "--cells", "20", "--samples", "2000", "-o",
                           "w.png"], cwd=harness.FOLDER, capture_output=True, check=False)
    if done.returncode == 0:
        with open(os.path.join(harness.FOLDER, "w.png"), "rb") as file:
            assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    else:
        assert done.returncode == 2 and b"librsvg" in done.stderr, done.stderr


LONG = ["workspace", "ur5", "--cells", "20", "--samples", "400000", "--seed", "3", "--checkpoint-every", "0.01"]


def stopped_and_resumed(how, name):
    """Stops the run with a signal as soon as a checkpoint is there, as often as it takes; returns how often."""
    stops = 0
    part = os.path.join(harness.FOLDER, name + ".part")
    while True:
        process = subprocess.Popen([PROGRAM, *LONG, "-o", name], cwd=harness.FOLDER, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        before = os.stat(part).st_mtime_ns if os.path.exists(part) else 0
        while process.poll() is None:  # until this run has added something
            if stops < 3 and os.path.exists(part) and os.stat(part).st_mtime_ns != before:
                process.send_signal(how)
                break
            time.sleep(0.005)
        _, err = process.communicate(timeout=120)
        if stops > 0:
            assert b"Going on from" in err, err
        if process.returncode == 0:
            return stops
        assert process.returncode == (-9 if how == signal.SIGKILL else 128 + how), (process.returncode, err)
        if how != signal.SIGKILL:
            assert b"goes on from there" in err, err
        stops += 1


def test_killed_and_resumed_gives_the_same_bytes():
    run(*LONG, "-o", "whole.json")
    for how, name in ((signal.SIGKILL, "killed.json"), (signal.SIGINT, "interrupted.json"), (signal.SIGTERM, "term.json")):
        assert stopped_and_resumed(how, name) > 0, "it was never stopped: the run is too short for this test"
        assert read(name) == read("whole.json")
        assert not os.path.exists(os.path.join(harness.FOLDER, name + ".part"))
    run(*LONG, "--threads", "1", "-o", "one.json")
    assert read("one.json") == read("whole.json")


def test_region_cone_and_queries():
    small = ["--cells", "20", "--samples", "20000"]
    whole = run_json("workspace", "two_link", "--tip", "tip", "--cells", "100", "--samples", "20000")
    quarter = run_json("workspace", "two_link", "--tip", "tip", "--region", "0..9,0..9,", "--cells", "50", "--samples", "20000")
    assert abs(quarter["volume"] - whole["volume"] / 4) < 0.02 * whole["volume"], (quarter["volume"], whole["volume"])
    refuses("workspace", "two_link", "--tip", "tip", "--region", "7..9,0..9,", words=["outside"])
    refuses("workspace", "two_link", "--tip", "tip", "--region", "1..0,,", words=["lower bound"])
    refuses("workspace", "panda", "--region", "0..1,0..1,0..1,0..1", words=["three ranges"])
    refuses("workspace", "panda", "--cone", "30deg", words=["--orientations"])
    # A tool that points down is easier to hold than any orientation, and half of the sphere lies between.
    box = ["workspace", "panda", "--tip", "panda_tcp", "--region", "0.3..0.6,-0.2..0.2,0.1..0.5", "--cells", "6", "--samples",
           "20000", "--orientations", "24"]
    shares = [run_json(*box, *cone)["mean_dexterity"] for cone in ([], ["--cone", "90deg"], ["--cone", "20deg"])]
    assert shares[0] < shares[1] < shares[2], shares
    harness.write("places.csv", "id,x,y,z\nnear,1,0.5,0\nfar,3,0,0\nhole,0.05,0,0\n")
    answer = run_json("workspace", "two_link", "--tip", "tip", "--cells", "100", "--samples", "20000", "--query", "places.csv", code=1)
    assert [(row["id"], row["reachable"]) for row in answer["queries"]] == [("near", True), ("far", False), ("hole", False)]
    harness.write("places.csv", "1,0.5,0\n")
    out, _ = run("workspace", "two_link", "--tip", "tip", *small, "--query", "places.csv")
    assert "reachable" in out


def test_shards_joined_give_the_same_bytes():
    work = ["workspace", "panda", "--tip", "panda_tcp", "--cells", "9", "--samples", "20000", "--orientations", "4"]
    run(*work, "-o", "whole.json", "-o", "whole.csv")
    for shard in ("3/3", "1/3"):
        out, _ = run(*work, "-o", "map.json", "--shard", shard)
        assert "--join 3" in out, out
    refuses(*work, "-o", "map.json", "--join", "3", words=["shard2of3"])
    assert run_json(*work, "-o", "map.json", "--shard", "2/3", "--threads", "1")["shard"] == 2
    refuses(*work, "--seed", "2", "-o", "map.json", "--join", "3", words=["shard1of3", "other model or options"])
    run(*work, "-o", "map.json", "-o", "map.csv", "--join", "3")
    assert read("map.json") == read("whole.json") and read("map.csv") == read("whole.csv")
    left = [name for name in os.listdir(harness.FOLDER) if "shard" in name or name.endswith(".part")]
    assert not left, left
    for bad in ("0/3", "4/3", "1/1", "1.5/3", "x", "2", "/"):
        refuses(*work, "-o", "map.json", "--shard", bad, words=["K/N"])
    refuses(*work, "--shard", "1/2", words=["-o FILE"])


GRASPS = "id,x,y,z\nleft,2.0,0.8,0\nright,2.0,-0.8,0\n"


def test_where_to_put_the_base():
    # Two places 1.6 m apart, both within the annulus of an arm of 0.2 to 1.8 m.
    harness.write("grasps.csv", GRASPS)
    work = ["workspace", "two_link", "--tip", "tip", "--base-for", "grasps.csv"]
    answer = run_json(*work, "--cells", "40", "--headings", "1", "-o", "places.json", "-o", "places.csv", "-o", "places.svg")
    assert answer["ok"] and answer["best"]["reached"] == 2 and answer["targets"] == 2, answer
    whole = json.loads(read("places.json"))
    cell, checked = whole["grid"]["cell"], 0
    for x, y, _, _, reached in whole["places"]:
        distances = [math.hypot(2.0 - x, side - y) for side in (0.8, -0.8)]
        if any(abs(d - border) < 1e-6 for d in distances for border in (0.2, 1.8)):
            continue
        assert reached == sum(0.2 <= d <= 1.8 for d in distances), (x, y, reached)
        checked += 1
    assert checked > 500 and whole["cells_that_reach_all"] > 200, (checked, whole["cells_that_reach_all"])
    # In the middle of those that reach both: no cell next to it reaches less.
    x, y, _ = whole["best"]["position"]
    near = [row for row in whole["places"] if abs(row[0] - x) < 2.5 * cell and abs(row[1] - y) < 2.5 * cell]
    assert len(near) == 25 and all(row[4] == 2 for row in near), near
    rows = read("places.csv").splitlines()
    assert rows[0] == "x,y,z,heading,reached" and len(rows) == 1 + whole["grid"]["count"][0] * whole["grid"]["count"][1]
    assert read("places.svg").startswith("<svg")
    # What is found is the same for any number of threads.
    run(*work, "--cells", "40", "--headings", "1", "-o", "one.json", "--threads", "1")
    run(*work, "--cells", "40", "--headings", "1", "-o", "three.json", "--threads", "3")
    assert read("one.json") == read("three.json") == read("places.json")


def test_the_base_of_an_arm_in_space_reaches_its_grasps():
    harness.write("grasps.csv", "x,y,z,qx,qy,qz,qw\n1.2,0.3,0.4,1,0,0,0\n1.2,-0.3,0.4,1,0,0,0\n1.4,0,0.3,0.7071067811865476,0.7071067811865476,0,0\n")
    work = ["workspace", "panda", "--tip", "panda_tcp", "--cells", "12", "--headings", "4"]
    answer = run_json(*work, "--base-for", "grasps.csv")
    assert answer["best"]["reached"] == 3 and answer["best"]["not_reached"] == [], answer
    best = answer["best"]
    # The grasps as seen from there are reached by ik, and some place that was tried reaches none.
    c, s = math.cos(best["heading"]), math.sin(best["heading"])
    for x, y, z in ((1.2, 0.3, 0.4), (1.2, -0.3, 0.4), (1.4, 0, 0.3)):
        dx, dy = x - best["position"][0], y - best["position"][1]
        seen = f"{c * dx + s * dy},{-s * dx + c * dy},{z}"
        assert run_json("ik", "panda", "--tip", "panda_tcp", "--goal", seen)["ok"]
    # Heights are tried where the region has them: a robot on the ground cannot reach a shelf at 2 m.
    harness.write("high.csv", "id,x,y,z\nshelf,0.5,0,2.0\n")
    low = run_json(*work, "--base-for", "high.csv", code=1)
    assert low["best"]["reached"] == 0 and low["best"]["not_reached"] == ["shelf"], low
    lift = run_json(*work, "--base-for", "high.csv", "--region", "-1..1,-1..1,0.5..1.5")
    assert lift["best"]["reached"] == 1 and 0.5 <= lift["best"]["position"][2] <= 1.5, lift
    out, _ = run(*work, "--base-for", "high.csv", code=1)
    assert "not reached" in out and "shelf" in out, out


def test_base_for_refusals():
    harness.write("grasps.csv", GRASPS)
    two = ["workspace", "two_link", "--tip", "tip", "--base-for"]
    refuses(*two, "nowhere.csv", words=["nowhere.csv"])
    refuses(*two, "grasps.csv", "--headings", "0", words=["headings"])
    refuses(*two, "grasps.csv", "--query", "grasps.csv", words=["--base-for"])
    refuses(*two, "grasps.csv", "-o", "x.ply", words=["x.ply", ".csv"])
    refuses(*two, "grasps.csv", "--region", "50..60,,", words=["no target"])
    harness.write("empty.csv", "")
    refuses(*two, "empty.csv", words=["targets"])


def test_refusals():
    refuses("workspace", "two_link", "--tip", "tip", "-o", "w.xyz", words=["w.xyz", ".ply"])
    refuses("workspace", "two_link", "--tip", "base", words=["'base'", "does not move"])
    refuses("workspace", "two_link", "--tip", "tp", words=["'tp'", "tip"])
    harness.write("other.part", "armature workspace 1\nof something else")
    refuses("workspace", "two_link", "--tip", "tip", "--checkpoint", "other.part", words=["other.part", "delete"])


main()
