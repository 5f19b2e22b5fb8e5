"""armature animate (--keys, --path, -o), draw, plot and retarget."""
import json
import os
import re
import xml.dom.minidom

import harness
from harness import close, main, read, refuses, run, run_json, shared_data, write

KEYS = {"format": "armature-keys", "version": 1, "frame_rate": 20, "interpolation": "linear",
        "poses": [{"time": 0, "pose": {"joint1": 0.0, "joint2": 0.2, "joint3": 0.1}},
                  {"time": 1, "pose": {"joint1": 1.0, "joint2": 0.4, "joint3": 0.3}}],
        "joints": {"joint2": [{"time": 0.5, "value": 0.8, "interpolation": "ease"}]}}
PATH = {"format": "armature-path", "version": 1, "frame_rate": 100, "start": "ready", "options": {"tolerance": 1e-7},
        "paths": [{"link": "panda_tcp", "orientation": "keep",
                   "curve": {"type": "line", "relative": True, "points": [[0, -0.25, 0], [0, 0.25, 0]]},
                   "timing": {"profile": "ease", "duration": 1}}]}


def table(name):
    """Rows of a motion as CSV: a dictionary a frame."""
    lines = [line for line in read(name).splitlines() if not line.startswith("#")]
    header = lines[0].split(",")
    return [dict(zip(header, map(float, line.split(",")))) for line in lines[1:]]


def picture(name):
    text = read(name)
    xml.dom.minidom.parseString(text)
    return text


def test_a_motion_is_never_written_where_it_would_be_lost():
    refuses("animate", "planar_arm", "--tip", "tip", "--goal=-20,5", "-o", write("lost.urdf", ""), words=["would hold no motion"])


def test_keys():
    write("keys.json", json.dumps(KEYS))
    report = run_json("animate", "planar_arm", "--keys", "keys.json", "-o", "m.csv", "-o", "m.json", "-o", "m.bvh", "-o",
                      "m.svg")
    assert report["frames"] == 21 and report["seconds"] == 1 and report["faults"] == []
    rows = table("m.csv")
    close([rows[10][j] for j in ("joint1", "joint2", "joint3")], [0.5, 0.8, 0.2], 1e-12)
    close([rows[20]["joint2"]], [0.4], 1e-12)
    frames = json.loads(read("m.json"))
    close(frames["frames"][10], [0.5, 0.8, 0.2], 1e-12)
    assert frames["columns"] == ["joint1", "joint2", "joint3"]
    assert "Frames: 21" in read("m.bvh")
    assert picture("m.svg").count("frame ") == 6


def test_path_is_followed():
    write("path.json", json.dumps(PATH))
    report = run_json("animate", "panda", "--path", "path.json", "-o", "m.csv", "-o", "m.glb")
    assert report["frames"] == 101 and report["unreached"] == [] and report["jumps"] == []
    assert report["largest_error"] < 1e-6 and 0 < report["largest_step"]["value"] < 0.1
    error = run_json("plot", "m.csv", "--what", "error,manipulability", "--path", "path.json", "--tip", "panda_tcp", "-o",
                     "p.svg")
    assert error["panels"][0]["lines"]["panda_tcp"]["most"] < 1e-6
    assert error["panels"][1]["lines"]["panda_tcp"]["least"] > 0.01
    assert "distance from the path" in picture("p.svg")
    with open(os.path.join(harness.FOLDER, "m.glb"), "rb") as file:
        assert file.read(4) == b"glTF"


def test_unreached_frames_are_said():
    path = {"format": "armature-path", "paths": [{"link": "tip", "planar": True,
            "curve": {"points": [[10, 10], [40, 0]]}}]}
    write("far.json", json.dumps(path))
    out, _ = run("animate", "planar_arm", "--path", "far.json", "--json", code=1)
    report = json.loads(out)
    assert 0 < len(report["unreached"]) < report["frames"] == 31
    assert report["unreached"][-1] == 30


def test_two_effectors_and_a_planted_foot():
    path = {"format": "armature-path", "frame_rate": 10, "start": "rest", "keep": [{"link": "left_foot"}, {"link": "right_foot"}],
            "paths": [{"link": "right_hand", "curve": {"type": "catmull_rom", "relative": True,
                       "points": ["here", [0.2, 0, 0.2], [0.3, 0.1, 0.4]]}},
                      {"link": "left_hand", "start": 0.5, "curve": {"type": "arc", "relative": True, "center": [0.1, 0, 0.1],
                       "normal": [0, 1, 0], "angle": 1.0}, "timing": {"profile": "trapezoid", "speed": 0.5, "acceleration": 2}}]}
    write("reach.json", json.dumps(path))
    report = run_json("animate", "human", "--path", "reach.json", "-o", "m.csv")
    assert report["unreached"] == [] and report["jumps"] == [], report
    feet = []
    for row in (table("m.csv")[0], table("m.csv")[-1]):
        pose = {}
        for name, value in row.items():
            if name != "time":
                pose.setdefault(name.split(".")[0], []).append(value)
        line = run("fk", "human", "--pose-file", "-", "--frames", "left_foot", "--json", stdin=json.dumps(pose))[0]
        feet.append(json.loads(line)["frames"]["left_foot"])
    close(feet[0], feet[1], 1e-4)


def test_animate_refuses():
    write("keys.json", json.dumps(KEYS))
    refuses("animate", "two_link", "--keys", "keys.json", words=["'joint1'", "shoulder"])
    write("odd.json", json.dumps(dict(KEYS, interpolation="cubc")))
    refuses("animate", "planar_arm", "--keys", "odd.json", words=["'cubc'", "cubic"])
    write("extra.json", json.dumps(dict(KEYS, frame_rat=3)))
    refuses("animate", "planar_arm", "--keys", "extra.json", words=["'frame_rat'", "frame_rate"])
    refuses("animate", "planar_arm", "--path", "keys.json", words=["armature-path"])
    write("no.json", "{")
    refuses("animate", "planar_arm", "--path", "no.json", words=["not JSON"])
    refuses("animate", "planar_arm", "--keys", "keys.json", "-o", "m.xyz", words=["m.xyz"])
    bad = json.loads(json.dumps(PATH))
    bad["paths"][0]["curve"]["type"] = "spiral"
    write("bad.json", json.dumps(bad))
    refuses("animate", "panda", "--path", "bad.json", words=["'spiral'", "bezier"])


def test_draw():
    run("draw", "planar_arm", "--pose", "chapter", "--goal", "-20,5", "--labels", "-o", "a.svg")
    assert "joint2" in picture("a.svg")
    run("draw", "panda", "--pose", "ready", "--limits", "--view", "30,20", "-o", "b.svg")
    picture("b.svg")
    write("keys.json", json.dumps(KEYS))
    run("animate", "planar_arm", "--keys", "keys.json", "-o", "m.csv")
    strip = run_json("draw", "m.csv", "--strip", "5", "--trail", "tip", "-o", "c.svg")
    assert strip["poses"] == 5 and picture("c.svg").count("frame ") == 5
    run("draw", "planar_arm", "--motion", "m.csv", "--onion", "4", "-o", "d.svg")
    assert "frame " not in picture("d.svg")
    frames = re.findall(r"frame (\d+)", run("draw", "m.csv", "--frames", "0,7,20", "-o", "-")[0])
    assert frames == ["0", "7", "20"]
    refuses("draw", "planar_arm", "--strip", "5", "-o", "e.svg", words=["no motion"])
    refuses("draw", "m.csv", "--frames", "0,99", "-o", "e.svg", words=["0 to 20"])
    refuses("draw", "panda", "--view", "above", "-o", "e.svg", words=["'above'", "front"])
    refuses("draw", "panda", "-o", "e.bmp", words=["e.bmp", ".png"])
    refuses("draw", "two_link", "--motion", "m.csv", "-o", "e.svg", words=["joint1"])


def test_plot():
    write("keys.json", json.dumps(KEYS))
    run("animate", "planar_arm", "--keys", "keys.json", "-o", "m.csv")
    report = run_json("plot", "m.csv", "--what", "joints,velocities", "--joints", "joint1", "-o", "p.svg")
    values, speeds = (panel["lines"]["joint1"] for panel in report["panels"])
    close([values["least"], values["most"]], [0, 1], 1e-12)
    close([speeds["least"], speeds["most"]], [1, 1], 1e-9)
    picture("p.svg")
    refuses("plot", "m.csv", "--what", "joint", "-o", "p.svg", words=["'joint'", "velocities"])
    refuses("plot", "m.csv", "--what", "error", "-o", "p.svg", words=["--path"])
    refuses("plot", "planar_arm", "-o", "p.svg", words=["no motion"])


def test_retarget():
    keys = {"format": "armature-keys", "frame_rate": 30, "poses": [{"time": 0, "pose": "rest"}, {"time": 1, "pose": "wave"}]}
    write("keys.json", json.dumps(keys))
    run("animate", "human", "--keys", "keys.json", "-o", "wave.bvh")
    # Blender reads bones with three rotation channels only.
    assert set(re.findall(r"CHANNELS (\d)", read("wave.bvh"))) == {"3", "6"}
    report = run_json("retarget", "wave.bvh", "human", "-o", "again.csv", "-o", "again.svg")
    assert report["frames"] == 31 and abs(report["scale"] - 1) < 1e-6 and abs(report["frame_time"] - 1 / 30) < 1e-6
    assert report["largest_slide"] < 0.01 * report["leg_length"]
    assert picture("again.svg").count("frame ") == 8
    first = run_json("retarget", "wave.bvh", "human", "--print-map")
    assert first["bones"]["left_thigh"] == "left_thigh"
    del first["bones"]["head"]
    write("map.json", json.dumps(first))
    assert run_json("retarget", "wave.bvh", "human", "--map", "map.json")["bones"] == len(first["bones"])
    write("wrong.json", json.dumps({"bones": {"left_thigh": "left_thig"}}))
    refuses("retarget", "wave.bvh", "human", "--map", "wrong.json", words=["'left_thig'", "left_thigh"])
    refuses("retarget", "human", "human", "-o", "x.bvh", words=["no motion"])


def test_retarget_recorded_walks():
    for name in ("cmu_02_01", "cmu_49_06"):
        report = run_json("retarget", shared_data(f"bvh/{name}.bvh"), "human", "-o", "walk.csv")
        assert len(report["footfalls"]) >= 2
        assert report["largest_slide"] < 0.01 * report["leg_length"], report["largest_slide"]


main()
