"""armature animate, track, draw, plot and retarget."""
import json
import math
import os
import re
import shutil
import xml.dom.minidom

import harness
from harness import close, main, read, refuses, run, run_json, shared_data, write

KEYS = {"interpolation": "linear",
        "poses": [{"time": 0, "pose": {"joint1": 0.0, "joint2": 0.2, "joint3": 0.1}},
                  {"time": 1, "pose": {"joint1": 1.0, "joint2": 0.4, "joint3": 0.3}}],
        "joints": {"joint2": [{"time": 0.5, "value": 0.8, "interpolation": "ease"}]}}
LINE = {"curve": "line", "relative": True, "points": [[0, -0.25, 0], [0, 0.25, 0]], "profile": "ease", "duration": 1}
PATH = {"format": "armature-scene", "version": 1, "frame_rate": 100, "start": "ready", "options": {"tolerance": 1e-7},
        "goals": [{"type": "pose", "link": "panda_tcp", "path": LINE}]}


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
    for name in ("lost.urdf", "lost.dh.csv", "lost.dh.json"):
        refuses("track", "planar_arm", "--goal=-20,5", "-o", write(name, ""), words=["would hold no motion"])
    # What is listed instead are files that hold motions.
    for name in ("lost.fbx", "lost"):
        _, err = run("track", "planar_arm", "--goal=-20,5", "-o", name, code=2)
        assert name in err and ".bvh" in err and ".png" in err and "urdf" not in err, err


def test_two_keys_at_one_time_are_told():
    twice = [{"time": 0, "pose": {"joint1": 0.0}}, {"time": 1, "pose": {"joint1": 1.0}}, {"time": 1, "pose": {"joint1": 0.5}}]
    for keys, whose in (({"poses": twice}, "Joint 'joint1'"),
                        ({"poses": [{"time": t, "pose": [0.1, 0.2, 0.3]} for t in (0, 1, 1)]}, "The figure"),
                        ({"joints": {"joint2": [{"time": t, "value": 0.1} for t in (0, 1, 1)]}}, "Joint 'joint2'")):
        write("keys.json", json.dumps(keys))
        report = run_json("animate", "planar_arm", "--keys", "keys.json", "-o", "m.csv")
        assert any(whose in note and "two keys at 1 s" in note for note in report["notes"]), report["notes"]
    # A joint of its own above a whole pose is what it is meant for.
    write("keys.json", json.dumps(KEYS))
    assert not any("two keys" in note for note in run_json("animate", "planar_arm", "--keys", "keys.json")["notes"])


def test_keys():
    write("keys.json", json.dumps(KEYS))
    report = run_json("animate", "planar_arm", "--keys", "keys.json", "--frame-rate", "20", "-o", "m.csv", "-o", "m.json", "-o",
                      "m.bvh", "-o", "m.svg")
    assert report["ok"] and report["frames"] == 21 and report["duration"] == 1
    assert any("BVH" in note for note in report["notes"]), report["notes"]
    rows = table("m.csv")
    close([rows[10][j] for j in ("joint1", "joint2", "joint3")], [0.5, 0.8, 0.2], 1e-12)
    close([rows[20]["joint2"]], [0.4], 1e-12)
    assert run_json("info", "m.json")["clips"][0]["frames"] == 21
    assert "Frames: 21" in read("m.bvh")
    assert picture("m.svg").count("frame ") == 6
    write("scene.json", json.dumps({"model": "planar_arm", "keys": KEYS, "frame_rate": 20}))
    assert run_json("animate", "scene.json")["frames"] == 21


def test_keys_of_goals_and_a_motion_below():
    """What the studio saves moves the same here: the file's motion, then key poses, then goals."""
    write("keys.json", json.dumps(KEYS))
    run_json("animate", "planar_arm", "--keys", "keys.json", "--frame-rate", "20", "-o", "moving.json", "-o", "moving.csv")
    motion = [row["joint1"] for row in table("moving.csv")]
    goal = {"name": "hand", "link": "tip", "target": [20, 10]}
    held = {"model": "moving.json", "goals": [goal], "keys": {"clip": [], "goals": {"hand": [{"time": 0, "target": [20, 10]}]}}}
    write("held.json", json.dumps(held))
    report = run_json("animate", "held.json", "-o", "held.csv")
    assert report["frames"] == 21 and report["not_reached"] == [] and report["largest_error"] < 1e-2, report
    assert [row["joint1"] for row in table("held.csv")] != motion
    held["keys"]["goal_weight"] = 0
    write("held.json", json.dumps(held))
    run_json("animate", "held.json", "-o", "held.csv")
    assert [row["joint1"] for row in table("held.csv")] == motion
    held["keys"].update(goal_weight=1, clip=["trim 0.25..0.75"])
    write("held.json", json.dumps(held))
    assert run_json("animate", "held.json")["frames"] == 11
    held["keys"]["goals"]["hand"][0]["target"] = [200, 10]
    write("held.json", json.dumps(held))
    report = run_json("animate", "held.json", code=1)
    assert not report["ok"] and len(report["not_reached"]) == 11
    held["keys"]["clip"] = ["trimm 0..1"]
    write("held.json", json.dumps(held))
    refuses("animate", "held.json", words=["trimm", "trim"])


def test_path_is_followed():
    write("path.json", json.dumps(PATH))
    report = run_json("track", "panda", "--scene", "path.json", "-o", "m.csv", "-o", "m.glb")
    assert report["frames"] == 101 and report["not_reached"] == [] and report["jumps"] == []
    assert report["largest_error"] < 1e-6 and 0 < report["largest_step"]["value"] < 0.1
    error = run_json("plot", "m.csv", "--what", "error,manipulability", "--scene", "path.json", "--tip", "panda_tcp", "-o",
                     "p.svg")
    assert error["panels"][0]["lines"]["panda_tcp"]["most"] < 1e-6
    assert error["panels"][1]["lines"]["panda_tcp"]["least"] > 0.01
    assert "distance from the path" in picture("p.svg")
    with open(os.path.join(harness.FOLDER, "m.glb"), "rb") as file:
        assert file.read(4) == b"glTF"


def test_retimed_motions_keep_their_limits():
    """By differences of what was written; the clock alone changes."""
    write("path.json", json.dumps(PATH))
    limits = [2.175] * 4 + [2.61] * 3  # of the panda, as its file says
    def ratios(name, rate, scale, acceleration):
        q = [[row[f"panda_joint{j}"] for j in range(1, 8)] for row in table(name)]
        v = [[(b - a) * rate for a, b in zip(x, y)] for x, y in zip(q, q[1:])]
        v = [[0] * 7] + v + [[0] * 7]
        return (max(abs(x) / (scale * l) for row in v for x, l in zip(row, limits)),
                max(abs(b - a) * rate / acceleration for x, y in zip(v, v[1:]) for a, b in zip(x, y)))
    run("track", "panda", "--scene", "path.json", "-o", "plain.csv")
    retimed = run_json("track", "panda", "--scene", "path.json", "--retime", "--velocity-scale", "0.5", "--acceleration", "6",
                       "-o", "retimed.csv")
    velocity, acceleration = ratios("retimed.csv", 100, 0.5, 6)
    assert velocity <= 1 + 1e-9 and acceleration <= 1 + 1e-6 and max(velocity, acceleration) > 0.9
    first, last = table("plain.csv")[0], table("plain.csv")[-1]
    joints = [j for j in first if j.startswith("panda_joint")]
    close([table("retimed.csv")[0][j] for j in joints], [first[j] for j in joints], 1e-12)
    close([table("retimed.csv")[-1][j] for j in joints], [last[j] for j in joints], 1e-6)  # solved for again
    assert retimed["frames"] == len(table("retimed.csv"))
    faster = run_json("track", "panda", "--scene", "path.json", "--retime", "--acceleration", "60")
    assert faster["duration"] < retimed["duration"]
    write("keys.json", json.dumps(KEYS))
    refuses("animate", "planar_arm", "--keys", "keys.json", "--retime", words=["Nothing limits the speed", "joint1"])
    refuses("animate", "planar_arm", "--keys", "keys.json", "--acceleration", "2", words=["--retime"])
    assert run_json("animate", "planar_arm", "--keys", "keys.json", "--retime", "--acceleration", "2")["frames"] > 2


def test_a_retimed_track_is_what_is_written():
    """The circle was left by millimetres, and the errors were those before."""
    circle = {"curve": "circle", "relative": True, "center": [0.1, 0, 0], "normal": [0, 0, 1], "profile": "ease", "duration": 1}
    scene = dict(PATH, frame_rate=10, goals=[{"type": "pose", "link": "panda_tcp", "path": circle}])
    write("circle.json", json.dumps(scene))
    report = run_json("track", "panda", "--scene", "circle.json", "--retime", "--acceleration", "10", "-o", "m.csv")
    assert report["frames"] == len(table("m.csv")) and f"All {report['frames']} frames" in report["message"]
    assert report["largest_error"] < 1e-6 and report["not_reached"] == []
    write("circle.json", json.dumps(dict(scene, retime={"acceleration": 10})))
    assert run_json("track", "panda", "--scene", "circle.json")["frames"] == report["frames"]
    write("circle.json", json.dumps(dict(scene, retime={"accelleration": 10})))
    refuses("track", "panda", "--scene", "circle.json", words=["accelleration", "acceleration"])


def test_a_track_that_stops_early_is_not_ok():
    write("far.json", json.dumps(dict(PATH, goals=[{"link": "panda_tcp", "path": dict(LINE, points=["here", [0, 1.5, 0]])}])))
    report = run_json("track", "panda", "--scene", "far.json", "--stop", code=1)
    assert not report["ok"] and 0.1 < report["fraction"] < 0.9 and report["message"].startswith("Stopped at "), report


def test_keys_outside_limits():
    """They are gone through as they are and noted, retimed or not."""
    write("one.urdf", '<robot name="one"><link name="a"/><link name="b"/><joint name="s1" type="revolute"><parent link="a"/>'
          '<child link="b"/><axis xyz="0 0 1"/><limit lower="-2.2" upper="2.2" velocity="4" effort="1"/></joint></robot>')
    write("keys.json", json.dumps({"poses": [{"time": t, "pose": {"s1": q}} for t, q in ((0, 0), (0.2, 2), (0.4, 5))]}))
    for flags in ([], ["--retime"], ["--retime", "--acceleration", "10"]):
        report = run_json("animate", "one.urdf", "--keys", "keys.json", *flags, "-o", "m.csv")
        close([table("m.csv")[-1]["s1"]], [5], 1e-9)
        assert any("s1 is outside its limits" in note and "limit 2.2" in note for note in report["notes"]), report["notes"]
        assert report["duration"] < 3


def test_flags_reach_the_track():
    """They were read by `animate --path` and then forgotten, names that do not exist included."""
    write("path.json", json.dumps(dict(PATH, model="panda", goals=[{"link": "panda_tcp", "path": dict(LINE, points=["here", [0, 0.1, 0]])}])))

    def motion(*flags):
        run("track", "path.json", *flags, "-o", "m.csv")
        return table("m.csv")
    locked = motion("--locked", "panda_joint1")
    assert len({row["panda_joint1"] for row in locked}) == 1 and len({row["panda_joint1"] for row in motion()}) > 1
    close([motion("--start", "panda_joint1=0.3")[0]["panda_joint1"]], [0.3], 1e-6)
    drawn = motion("--gain", "panda_joint7=1", "--posture", "panda_joint7=2", "--method", "dls")[-1]["panda_joint7"]
    assert abs(drawn - motion("--method", "dls")[-1]["panda_joint7"]) > 0.1
    for flag in ("--locked", "--gain", "--posture", "--start", "--joint-weights"):
        value = "panda_joint9" if flag == "--locked" else "panda_joint9=1"
        refuses("track", "path.json", flag, value, words=["panda_joint9"])


def test_a_goal_slides_to_its_target():
    out, _ = run("track", "planar_arm", "--goal=-20,5", "--frames", "5", "-o", "m.jsonl")
    assert "frame" in out and "distance" in out
    report = run_json("track", "planar_arm", "--goal=-20,5", "--steps-per-frame", "0")
    assert report["frames"] == 21 and report["not_reached"] == [] and report["largest_error"] < 1e-3
    # The same as a path: the target moves along a line, as fast in every frame.
    scene = {"model": "planar_arm", "frame_rate": 20, "goals": [{"target": [-20, 5], "path": {"curve": "line"}}]}
    write("scene.json", json.dumps(scene))
    report = run_json("track", "scene.json", "-o", "line.csv")
    assert report["frames"] == 21 and report["not_reached"] == []


def test_unreached_frames_are_said():
    path = {"goals": [{"link": "tip", "path": {"points": [[10, 10], [40, 0]]}}]}
    write("far.json", json.dumps(path))
    out, _ = run("track", "planar_arm", "--scene", "far.json", "--json", code=1)
    report = json.loads(out)
    assert not report["ok"] and 0 < len(report["not_reached"]) < report["frames"] == 31
    assert report["not_reached"][-1] == 30


def test_two_effectors_and_a_planted_foot():
    scene = {"frame_rate": 10, "start": "rest", "goals": [
        {"type": "pose", "link": "left_foot", "target": "here"}, {"type": "pose", "link": "right_foot", "target": "here"},
        {"link": "right_hand", "path": {"curve": "catmull_rom", "relative": True, "points": ["here", [0.2, 0, 0.2], [0.3, 0.1, 0.4]]}},
        {"link": "left_hand", "path": {"delay": 0.5, "curve": "arc", "relative": True, "center": [0.1, 0, 0.1], "normal": [0, 1, 0],
                                       "angle": 1.0, "profile": "trapezoid", "speed": 0.5, "acceleration": 2}}]}
    write("reach.json", json.dumps(scene))
    report = run_json("track", "human", "--scene", "reach.json", "-o", "m.csv")
    assert report["not_reached"] == [] and report["jumps"] == [], report
    feet = []
    for row in (table("m.csv")[0], table("m.csv")[-1]):
        pose = {}
        for name, value in row.items():
            if name != "time":
                pose.setdefault(name.split(".")[0], []).append(value)
        line = run("fk", "human", "--poses", "-", "--links", "left_foot", "--json", stdin=json.dumps(pose))[0]
        foot = json.loads(line)["transforms"]["left_foot"]
        feet.append(foot["position"] + foot["quaternion"])
    close(feet[0], feet[1], 1e-4)


def test_near_singular_frames_of_several_effectors_are_said():
    """With `reach` the condition was 0 where there were several effectors, so that no frame was ever near singular."""
    places = run_json("fk", "two_arms", "--pose", "left_elbow=0.8,right_elbow=0.8")["transforms"]
    shoulder, hand = (places[link]["position"] for link in ("left_arm", "left_tip"))
    way = [b - a for a, b in zip(shoulder, hand)]
    stretched = [a + 3.5995 / math.hypot(*way) * d for a, d in zip(shoulder, way)]  # the arm is 3.6 long
    goals = [{"link": "left_tip", "path": {"points": [hand, stretched], "duration": 1}}, {"type": "position", "link": "right_tip", "target": "here"}]
    answer = run_json("track", "two_arms", "--start", "left_elbow=0.8,right_elbow=0.8", "--goals", json.dumps(goals), "--method", "reach")
    assert answer["ok"] and answer["near_singular"] and answer["frames"] - 1 in answer["near_singular"], answer
    assert 0 not in answer["near_singular"]


def test_motions_refuse():
    write("keys.json", json.dumps(KEYS))
    refuses("animate", "two_link", "--keys", "keys.json", words=["'joint1'", "shoulder", "/poses/0/pose/joint1"])
    write("odd.json", json.dumps(dict(KEYS, interpolation="cubc")))
    refuses("animate", "planar_arm", "--keys", "odd.json", words=["'cubc'", "cubic", "odd.json, line 1, column"])
    write("extra.json", json.dumps(dict(KEYS, interpolatoin=3)))
    refuses("animate", "planar_arm", "--keys", "extra.json", words=["'interpolatoin'", "did you mean 'interpolation'"])
    refuses("animate", "planar_arm", words=["--keys"])
    write("no.json", "{")
    refuses("track", "planar_arm", "--scene", "no.json", words=["JSON"])
    refuses("animate", "planar_arm", "--keys", "keys.json", "-o", "m.xyz", words=["m.xyz"])
    for path, words in (({"curve": "spiral"}, ["'spiral'", "bezier"]), (dict(LINE, timing={}), ["'timing'", "duration"]),
                        (dict(LINE, profile="trapezoid"), ["speed"]), (dict(LINE, rotations=[{"at": 0}]), ["quaternion"])):
        write("bad.json", json.dumps(dict(PATH, goals=[{"type": "pose", "link": "panda_tcp", "path": path}])))
        refuses("track", "panda", "--scene", "bad.json", words=["/goals/0/path", *words])


def test_draw():
    run("draw", "planar_arm", "--pose", "chapter", "--goal", "-20,5", "--show", "labels", "-o", "a.svg")
    assert "joint2" in picture("a.svg")
    run("draw", "panda", "--pose", "ready", "--show", "limits", "--view", "30,20", "-o", "b.svg")
    picture("b.svg")
    write("keys.json", json.dumps(KEYS))
    run("animate", "planar_arm", "--keys", "keys.json", "--frame-rate", "20", "-o", "m.csv")
    strip = run_json("draw", "m.csv", "--strip", "5", "--trail", "tip", "-o", "c.svg")
    assert strip["panels"] == 5 and picture("c.svg").count("frame ") == 5
    run("draw", "planar_arm", "--motion", "m.csv", "--onion", "4", "-o", "d.svg")
    assert "frame " not in picture("d.svg")
    frames = re.findall(r"frame (\d+)", run("draw", "m.csv", "--at", "0,7,20", "-o", "-")[0])
    assert frames == ["0", "7", "20"]
    title = "a title that is longer than the picture of an arm is wide, told in as many lines as it takes to tell it"
    run("draw", "planar_arm", "--title", title, "-o", "t.svg")
    lines = re.findall(r'font-weight="[^"]*"[^>]*>([^<]+)</text>', read("t.svg"))
    assert len(lines) > 1 and " ".join(lines) == title and max(map(len, lines)) < 60, lines
    refuses("draw", "planar_arm", "--strip", "5", "-o", "e.svg", words=["no motion"])
    refuses("draw", "m.csv", "--at", "0,99", "-o", "e.svg", words=["0 to 20"])
    refuses("draw", "panda", "--view", "above", "-o", "e.svg", words=["'above'", "front"])
    refuses("draw", "panda", "-o", "e.bmp", words=["e.bmp", ".png"])
    refuses("draw", "two_link", "--motion", "m.csv", "-o", "e.svg", words=["joint1"])


def test_a_followed_figure_fills_its_panel():
    """However far it goes: the node above its hips, which stays behind, takes no room."""
    limb = {"type": "revolute", "axis": [0, 1, 0], "child": "shin", "parent": "hips", "origin": {"xyz": [0, 0, -1]}}
    tip = {"type": "fixed", "child": "foot", "parent": "shin", "origin": {"xyz": [0, 0, -1]}}
    write("walker.json", json.dumps({
        "format": "armature", "version": 1, "name": "walker", "links": ["scene", "hips", "shin", "foot"],
        "joints": [{"name": "root", "type": "free", "parent": "scene", "child": "hips"}, {"name": "knee", **limb},
                   {"name": "end", **tip}]}))

    def size(way):
        poses = [{"time": 0, "pose": {"root": [0, 0, 2, 1, 0, 0, 0]}}, {"time": 1, "pose": {"root": [way, 0, 2, 1, 0, 0, 0]}}]
        write("keys.json", json.dumps({"poses": poses}))
        run("animate", "walker.json", "--keys", "keys.json", "-o", "m.csv")
        run("draw", "walker.json", "--motion", "m.csv", "--strip", "2", "--follow", "-o", "s.svg")
        return re.search(r'width="([\d.]+)" height="([\d.]+)"', read("s.svg")).groups()

    assert size(1) == size(100)
    # Captions of one strip are alike, also where only the short ones had room for more.
    strip = ("draw", "walker.json", "--motion", "m.csv", "--at", "0,5,12,30", "--follow", "-o", "s.svg")
    run(*strip)
    width = float(re.search(r'<rect[^>]* width="([\d.]+)"', read("s.svg").partition("100%")[2]).group(1))
    run(*strip, "--size", str(190 * 104 / width))
    captions = re.findall(r">(frame [^<]*)</text>", read("s.svg"))
    assert captions == ["frame 0", "frame 5", "frame 12", "frame 30"], captions


def test_draw_bones_of_joints_with_six_channels():
    def picture(channels):
        joint = "CHANNELS %d %sZrotation Xrotation Yrotation" % (channels, "Xposition Yposition Zposition " if channels == 6 else "")
        arm = "JOINT upper { OFFSET 0 2 0 %s JOINT lower { OFFSET 0 2 0 %s End Site { OFFSET 0 1 0 } } }" % (joint, joint)
        root = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
        places = "0 2 0 0 0 0 " if channels == 6 else "0 0 0 "
        write("six.bvh", "HIERARCHY ROOT hips { OFFSET 0 0 0 %s %s } MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0 %s\n"
              % (root, arm, 2 * places))
        run("draw", "six.bvh", "-o", "six.svg")
        return read("six.svg").count("<path")

    assert picture(6) == picture(3) >= 3


def test_plot():
    write("keys.json", json.dumps(KEYS))
    run("animate", "planar_arm", "--keys", "keys.json", "--frame-rate", "20", "-o", "m.csv")
    report = run_json("plot", "m.csv", "--what", "joints,velocities", "--joints", "joint1", "-o", "p.svg")
    values, speeds = (panel["lines"]["joint1"] for panel in report["panels"])
    close([values["least"], values["most"]], [0, 1], 1e-12)
    close([speeds["least"], speeds["most"]], [1, 1], 1e-9)
    picture("p.svg")
    refuses("plot", "m.csv", "--what", "joint", "-o", "p.svg", words=["'joint'", "velocities"])
    refuses("plot", "m.csv", "--what", "error", "-o", "p.svg", words=["--scene"])
    refuses("plot", "planar_arm", "-o", "p.svg", words=["no motion"])


def test_plot_of_mechanisms():
    report = run_json("plot", "four_bar", "--drive", "crank=0..360deg", "--frames", "91", "-o", "p.svg")
    assert [panel["label"] for panel in report["panels"]] == ["joint values", "transmission", "velocity ratios to crank"]
    joints, transmission, ratios = (panel["lines"] for panel in report["panels"])
    close([joints["crank"]["least"], joints["crank"]["most"]], [0, 2 * math.pi], 1e-12)
    # Ground 4, crank 1.5, coupler 4.2, rocker 2.6: the angle at the rocker when the crank lies along the ground.
    sines = [math.sqrt(1 - ((4.2 ** 2 + 2.6 ** 2 - d * d) / (2 * 4.2 * 2.6)) ** 2) for d in (2.5, 5.5)]
    close([transmission["index"]["least"]], [min(sines)], 1e-6)
    assert set(ratios) == {"coupler_pin", "rocker_pin"}, ratios
    assert -1 < ratios["rocker_pin"]["least"] < 0 < ratios["rocker_pin"]["most"] < 1
    text = picture("p.svg")
    assert "crank, degrees" in text and ">90<" in text and ">360<" in text
    # Its motion from a file, over time and over a joint; manipulability is of the mechanism's one motion.
    run("animate", "four_bar", "--drive", "crank=0..360deg", "--frames", "91", "-o", "m.csv")
    again = run_json("plot", "m.csv", "--what", "transmission,ratios,manipulability,velocities", "-o", "p.svg")
    assert again["panels"][0]["lines"] == transmission and again["panels"][1]["lines"] == ratios
    assert "time, s" in picture("p.svg")
    speed = again["panels"][2]["lines"]["trace"]
    assert 0.1 < speed["least"] < speed["most"] < 3, speed
    run("plot", "m.csv", "--what", "transmission", "--over", "rocker_pin", "-o", "p.svg")
    assert "rocker_pin, degrees" in picture("p.svg")
    # Up to a dead point: what was reached is drawn, the ratios that grow without bound are cut off.
    stopped = run_json("plot", "four_bar", "--drive", "rocker_pin=100..300deg", "-o", "p.svg", code=1)
    assert stopped["outcome"] == "dead_point" and "dead point" in stopped["message"], stopped
    picture("p.svg")
    refuses("plot", "m.csv", "--what", "ratio", "-o", "p.svg", words=["'ratio'", "ratios"])
    refuses("plot", "four_bar", "--drive", "crank=1", "--motion", "m.csv", "-o", "p.svg", words=["--drive", "--motion"])
    write("keys.json", json.dumps(KEYS))
    run("animate", "planar_arm", "--keys", "keys.json", "-o", "arm.csv")
    refuses("plot", "arm.csv", "--what", "transmission", "-o", "p.svg", words=["closures"])


def test_retarget():
    keys = {"poses": [{"time": 0, "pose": "rest"}, {"time": 1, "pose": "wave"}]}
    write("keys.json", json.dumps(keys))
    run("animate", "human", "--keys", "keys.json", "-o", "wave.bvh")
    # Blender reads bones with three rotation channels only.
    assert set(re.findall(r"CHANNELS (\d)", read("wave.bvh"))) == {"3", "6"}
    report = run_json("retarget", "wave.bvh", "human", "-o", "again.csv", "-o", "again.svg")
    assert report["frames"] == 31 and abs(report["root_scale"] - 1) < 1e-6 and abs(report["frame_time"] - 1 / 30) < 1e-6
    assert report["largest_slide"] < 0.02 * report["leg_length"] and report["report"]["arm_direction"] < 0.03
    assert picture("again.svg").count("frame ") == 8
    first = run_json("retarget", "wave.bvh", "human", "--print-bone-map")
    assert first["bones"]["left_thigh"] == "left_thigh"
    del first["bones"]["head"]
    write("map.json", json.dumps(first))
    assert run_json("retarget", "wave.bvh", "human", "--bone-map", "map.json")["bones"] == len(first["bones"])
    write("wrong.json", json.dumps({"bones": {"left_thigh": "left_thig"}}))
    refuses("retarget", "wave.bvh", "human", "--bone-map", "wrong.json", words=["'left_thig'", "left_thigh"])
    refuses("retarget", "human", "human", "-o", "x.bvh", words=["no motion"])


def test_retarget_onto_itself():
    """The same file twice is the same figure: its motion comes back, and nothing else."""
    walk, figure = shared_data("bvh/cmu_02_01.bvh"), shared_data("gltf/RiggedFigure/RiggedFigure.gltf")
    run("convert", walk, "plain.csv")
    report = run_json("retarget", walk, walk, "-o", "again.csv")
    assert table("again.csv") == table("plain.csv") and any("given back" in note for note in report["notes"])
    measures = report["report"]
    close([measures["slide"], measures["travel"]], [measures["source_slide"], 1], 1e-12)
    assert measures["leg_direction"] == 0, measures
    assert measures["floating"] < 0.02 and measures["sinking"] < 0.05, measures
    # Hips that the file does not move are freed on both sides.
    report = run_json("retarget", figure, figure, "-o", "again.glb")
    assert any("given back" in note for note in report["notes"]), report["notes"]


def test_retarget_recorded_walks():
    for name in ("cmu_02_01", "cmu_49_06"):
        report = run_json("retarget", shared_data(f"bvh/{name}.bvh"), "human", "-o", "walk.csv")
        assert len(report["footfalls"]) >= 4
        measures = report["report"]
        assert measures["slide"] < measures["source_slide"] and measures["knees_back"] == 0, measures
        assert measures["leg_direction"] < 0.1 and 0.98 < measures["travel"] < 1.02, measures


def test_retarget_gives_the_character_back():
    """Mesh, skin, material and the file's own motion stay, and the bones have the new one."""
    figure = shared_data("gltf/RiggedFigure/RiggedFigure.gltf")
    report = run_json("retarget", shared_data("bvh/cmu_02_01.bvh"), figure, "-o", "walk.glb", "-o", "walk.gltf")
    assert report["bones"] >= 17 and report["report"]["leg_direction"] < 0.06 and report["report"]["slide"] < 0.07, report
    before, after = json.load(open(figure, encoding="utf-8")), json.loads(read("walk.gltf"))
    for key in ("meshes", "skins", "materials"):
        assert len(after[key]) == len(before[key])
    assert len(after["animations"]) == len(before["animations"]) + 1
    clips = run_json("info", "walk.glb")["clips"]
    assert {344} < {clip["frames"] for clip in clips}, clips
    run("retarget", shared_data("bvh/cmu_02_01.bvh"), figure, "--only-skeleton", "-o", "bones.gltf")
    assert len(json.loads(read("bones.gltf"))["animations"]) == 1
    text, _ = run("retarget", shared_data("bvh/cmu_02_01.bvh"), figure, "--report")
    assert "knees bent back" in text and "slide" in text


def test_a_folder_of_motions_gives_the_character_back():
    figure = shared_data("gltf/RiggedFigure/RiggedFigure.gltf")
    os.makedirs(os.path.join(harness.FOLDER, "walks"))
    shutil.copy(shared_data("bvh/makehuman_zombieWalk1.bvh"), os.path.join(harness.FOLDER, "walks", "zombie.bvh"))
    own = run_json("info", figure)["clips"][0]
    run("retarget", "walks", figure, "--to", "gltf", "-o", "carried")
    answer = json.loads(read("carried/zombie.gltf"))
    assert len(answer["skins"]) == 1 and len(answer["animations"]) == 2, answer["animations"]
    assert own in run_json("info", "carried/zombie.gltf")["clips"]
    run("retarget", "walks", figure, "--to", "gltf", "--only-skeleton", "-o", "bones")
    bones = json.loads(read("bones/zombie.gltf"))
    assert len(bones["animations"]) == 1 and bones["materials"] != answer["materials"], bones["materials"]


def test_retarget_by_map_alone():
    """A map counts completely: links whose names mean nothing are limbs by what they are mapped to."""
    walk, figure = shared_data("bvh/cmu_02_01.bvh"), shared_data("gltf/RiggedFigure/RiggedFigure.gltf")
    bones = run_json("retarget", walk, figure, "--print-bone-map")["bones"]
    write("map.json", json.dumps({"bones": bones}))
    report = run_json("retarget", walk, figure, "--bone-map", "map.json")
    assert report["report"]["leg_direction"] < 0.06 and report["bones"] == len(bones)


def test_retarget_onto_a_robot_that_stands_fixed():
    walk, robot = shared_data("bvh/cmu_02_01.bvh"), shared_data("urdf/unitree_g1_29dof.urdf")
    fixed = run_json("retarget", walk, robot)
    assert any("not free" in note for note in fixed["notes"]) and fixed["report"]["travel"] < 0.1
    free = run_json("retarget", walk, robot, "--float-root", "-o", "walk.csv")
    assert 0.95 < free["report"]["travel"] < 1.05 and free["report"]["slide"] < 0.08, free["report"]


def test_a_figure_stands_in_gltf():
    """glTF's worlds have y up: the built-in figure, whose up is z, stands in viewers and comes back as it was."""
    run("convert", "human", "human.gltf")
    nodes = json.loads(read("human.gltf"))["nodes"]
    top = [node for node in nodes if node.get("name") == "z_up"][0]
    assert abs(top["rotation"][0] + 0.5 ** 0.5) < 1e-6 and nodes[top["children"][0]]["name"] == "pelvis"
    assert run_json("info", "human.gltf")["links"] == run_json("info", "human")["links"]


main()
