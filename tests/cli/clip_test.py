"""armature clip: tools in order, files, measures; fk --motion."""
import csv
import json
import math

from harness import close, main, read, refuses, run, run_json, shared_data, write

KEYS = {"poses": [{"time": 0, "pose": {"joint1": 0.0, "joint2": 0.2, "joint3": 0.1}},
                  {"time": 1, "pose": {"joint1": 1.0, "joint2": 0.4, "joint3": 0.3}}]}


def small():
    write("keys.json", json.dumps(KEYS))
    run("animate", "planar_arm", "--keys", "keys.json", "--frame-rate", "20", "-o", "m.csv")


def rows(name):
    lines = [line for line in read(name).splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


def test_tools_in_order():
    small()
    report = run_json("clip", "m.csv", "trim", "0.5..", "reverse", "resample", "40", "-o", "out.csv")
    assert report["ok"] and report["frames"] == 21 and report["frame_time"] == 1 / 40 and report["out"] == ["out.csv"]
    first, last = rows("out.csv")[0], rows("out.csv")[-1]
    close([float(first["joint1"])], [1.0], 1e-12)
    close([float(last["joint1"])], [float(rows("m.csv")[10]["joint1"])], 1e-12)
    text, _ = run("clip", "m.csv", "speed", "2", "loop", "smooth", "0.05", "-o", "out.csv")
    assert "11 frames" in text


def test_measures():
    small()
    stats = run_json("clip", "m.csv")["stats"]
    assert stats["frames"] == 21 and stats["joints"]["joint1"]["highest"] == 1 and stats["stances"] == []
    assert 1.0 <= stats["joints"]["joint1"]["largest_speed"] < 2.0
    assert "fastest joints" in run("clip", "m.csv")[0]


def test_reduce_writes_keys_that_animate_reads():
    small()
    report = run_json("clip", "m.csv", "reduce", "2mm", "-o", "r.csv", "--keys", "few.json")
    assert any("Reduced to" in note for note in report["notes"])
    run("animate", "planar_arm", "--keys", "few.json", "--frame-rate", "20", "-o", "again.csv")
    for a, b in zip(rows("r.csv"), rows("again.csv")):
        for joint in ("joint1", "joint2", "joint3"):
            assert math.isclose(float(a[joint]), float(b[joint]), abs_tol=1e-12)


def test_mistakes():
    small()
    refuses("clip", "m.csv", "trm", "1..2", words=["trm", "did you mean"])
    refuses("clip", "m.csv", "trim", "5..6", words=["does not lie"])
    refuses("clip", "m.csv", "trim", words=["needs FROM..TO"])
    refuses("clip", "m.csv", "trim", "0.8..0.2", words=["ends before it begins"])
    refuses("clip", "m.csv", "optimize", "pin=tip@5..6", words=["does not lie"])
    refuses("clip", "m.csv", "speed", "0", words=["above 0"])
    refuses("clip", "m.csv", "in-place", words=["free to travel"])
    refuses("clip", "m.csv", "mirror", words=["left or right"])
    refuses("clip", "m.csv", "concat", "none.bvh", words=["none.bvh"])
    refuses("clip", "m.csv", "reverse", "--keys", "k.json", words=["reduce"])


def test_a_walk():
    walk = shared_data("bvh/cmu_02_01.bvh")
    stats = run_json("clip", walk)["stats"]
    toes = [s for s in stats["stances"] if s["part"] == "toe"]
    assert 5 <= len(toes) <= 9 and {s["link"] for s in toes} == {"LeftToeBase", "RightToeBase"}
    report = run_json("clip", walk, "trim", "0.5..1.7", "in-place", "loop", "0.2", "-o", "cycle.bvh", "--travel", "t.csv")
    assert report["stats"]["distance"] < 1e-6
    travel = rows("t.csv")
    assert len(travel) == report["frames"] and abs(float(travel[-1]["x"])) + abs(float(travel[-1]["y"])) > 10
    run("clip", walk, "mirror", "concat", walk + ",blend=0.3", "-o", "both.glb")
    assert run_json("info", "both.glb")["clips"][0]["frames"] == 2 * 344 - 1 - 36
    run("clip", walk, "layer", walk + ",link=LeftArm,start=0.5,fade=0.1", "-o", "layer.bvh")


def test_positions_as_csv():
    walk = shared_data("bvh/cmu_02_01.bvh")
    run("fk", walk, "--motion", "-", "--links", "LeftFoot,RightFoot", "-o", "feet.csv")
    table = rows("feet.csv")
    assert len(table) == 344 and list(table[0]) == ["time", "LeftFoot.x", "LeftFoot.y", "LeftFoot.z", "RightFoot.x", "RightFoot.y",
                                                    "RightFoot.z"]
    assert abs(float(table[-1]["RightFoot.z"]) - float(table[0]["RightFoot.z"])) > 10
    small()
    text, _ = run("fk", "planar_arm", "--motion", "m.csv", "--links", "tip")
    assert text.splitlines()[0] == "time,tip.x,tip.y,tip.z" and len(text.splitlines()) == 22
    refuses("fk", "planar_arm", "--motion", "m.csv", "--pose", "chapter", words=["--motion"])


def test_info_names_the_order_of_angles():
    walk = shared_data("bvh/cmu_02_01.bvh")
    assert "free_euler zyx" in run("info", walk)[0]


main()
