"""Goals, key poses, paths, poses and bone maps with wrong values in every place: a refusal is one sentence, whatever is accepted ends.

Each case takes a sound file and changes it a little, by a seed that never changes. ARMATURE_FULL=1 tries a hundred times as many.
"""
import copy
import json
import os
import random
import subprocess

import harness
from harness import PROGRAM, main, run, write

CASES = 4000 if "ARMATURE_FULL" in os.environ else 40

GOALS = [{"type": "pose", "link": "tip", "target": {"position": [-20, 5, 0], "rpy": [0, 0, 0.4]}, "orientation_axes": {"free": "xy", "frame": "target"},
          "position_axes": {"free": "z", "box": [0.1, 0, 0]}},
         {"type": "position", "link": "link2", "target": [3, 4, 0], "weight": 2, "priority": 1, "tolerance": 0.01, "point": [1, 0, 0]},
         {"type": "aim", "link": "tip", "direction": [1, 0, 0], "target": [2, 0.3, 1.5], "base": "world"},
         {"type": "orientation", "link": "tip", "target": [0, 0, 0, 1]},
         {"type": "distance", "link": "tip", "base": "world", "target": [0, 0, 1], "distance": 3},
         {"type": "point_on_line", "link": "tip", "target": [0, 0, 0], "direction": [0, 1, 0]},
         {"type": "point_on_plane", "link": "tip", "normal": [0, 0, 1]},
         {"type": "pole", "upper": "link1", "middle": "link2", "link": "tip", "target": [1, 1, 1]},
         {"type": "posture", "target": {"joint1": -0.5}, "gain": {"joint1": 2}}]
KEYS = {"interpolation": "ease",
        "poses": [{"time": 0, "pose": "chapter"}, {"time": 0.4, "pose": {"joint1": 1.2}, "interpolation": "linear"}],
        "joints": {"joint2": [{"time": 0.3, "value": 0.4}, {"time": 0.6, "value": 1.6}]}}
SCENE = {"format": "armature-scene", "version": 1, "frame_rate": 30, "start": "chapter", "method": "dls", "options": {"tolerance": 1e-3},
         "steps_per_frame": 1, "max_joint_step": 0.3, "locked": ["joint3"], "joint_weights": {"joint1": 0.5},
         "limits": {"joint2": {"lower": -1, "upper": 1}}, "view": {"mode": "pose"}, "goals": [
             GOALS[2], {"type": "posture", "target": {"joint1": 0.3}, "gain": {"joint1": 0.1}}, {"type": "position", "link": "link1", "target": "here"},
             {"type": "pose", "link": "tip", "point": [0, 0, 0], "path": {
                 "curve": "catmull_rom", "closed": False, "relative": True, "points": ["here", [1, 1, 0], [2, 0, 0]], "delay": 0.05, "turning": "squad",
                 "rotations": [{"at": 0, "quaternion": [0, 0, 0, 1]}, {"at": 1, "rpy": [0, 0, 0.3]}],
                 "profile": "trapezoid", "speed": 20, "acceleration": 100}}]}
TARGET = {"id": 3, "target": [-20, 5, 0], "start": {"joint1": 0.2}}
POSE = {"joint1": 0.4, "joint2": [0.5]}
BONES = {"format": "armature-bones", "version": 1, "bones": {"link1": "link1", "tip": None}}

WILD = [None, True, False, 0, -1, 1e308, -1e308, 1e16, 5e-324, 2**63, 10**30, "", "tip", "x" * 300, "\x1b[31m", "../x", [], {}, [[]], [None],
        [1e308, 1e308, 1e308], {"a": {"b": []}}, -0.0, 0.5, "NaN"]


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from places(item, path + (i,))


def changed(sound, rng):
    """A copy with one to three wrong values, missing or added fields, as text; sometimes the text itself is broken."""
    value = json.loads(json.dumps(sound))
    for _ in range(rng.randint(1, 3)):
        path = rng.choice(list(places(value)))
        if not path:
            continue
        holder = value
        for step in path[:-1]:
            holder = holder[step]
        way = rng.randrange(5)
        if way == 0:
            del holder[path[-1]]
        elif way == 1 and isinstance(holder, dict):
            holder[rng.choice(["x", "", "type ", "link", "frame_rat"])] = copy.deepcopy(rng.choice(WILD))
        elif way == 2 and isinstance(holder, list):
            holder.extend(holder[:] * rng.randint(1, 3))
        else:
            holder[path[-1]] = copy.deepcopy(rng.choice(WILD))
    text = json.dumps(value)
    broken = rng.randrange(20)
    if broken == 0:
        text = text[:rng.randrange(len(text) + 1)]
    elif broken == 1:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["\0", "{", "]", "1e999", "\ud7ff", '"', "//"]) + text[at + 1:]
    elif broken == 2:
        text = "[" * 20000
    return text


def try_all(sound, *arguments):
    ended = {}
    for seed in range(CASES):
        rng = random.Random(f"{arguments} {seed}")
        text = changed(sound, rng)
        name = next(a for a in arguments if a.startswith("case."))
        write(name, text)
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, cwd=harness.FOLDER, timeout=60, check=False)
        what = f"seed {seed}: exit {done.returncode}\n{text[:600]}\n{done.stderr.decode(errors='replace')[-600:]}"
        assert done.returncode in (0, 1, 2), what
        assert b"\x1b" not in done.stderr and b"\x1b" not in done.stdout, what
        if done.returncode == 2:
            error = done.stderr.decode()
            assert error.startswith("armature: ") and error.count("\n") == 1 and "Unexpected" not in error, what
        ended[done.returncode] = ended.get(done.returncode, 0) + 1
    assert ended.get(2, 0) > CASES // 5, ended  # most are wrong, and are told so
    return ended


def test_goals():
    try_all(GOALS, "ik", "planar_arm", "--goals", "case.json", "--method", "reach", "--max-iterations", "50")


def test_keys():
    try_all(KEYS, "animate", "planar_arm", "--keys", "case.json", "-o", "out.csv")


def test_scenes():
    try_all(SCENE, "track", "planar_arm", "--scene", "case.json", "-o", "out.csv")


def test_targets():
    try_all(TARGET, "ik", "planar_arm", "--targets", "case.jsonl", "--json")


def test_poses():
    try_all(POSE, "fk", "planar_arm", "--poses", "case.jsonl", "--json")


def test_bones():
    run("track", "planar_arm", "--goal=-20,5", "--frames", "3", "-o", "source.csv", code=0)
    try_all(BONES, "retarget", "source.csv", "planar_arm", "--bone-map", "case.json", "-o", "out.csv")


main()
