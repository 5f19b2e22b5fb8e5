"""The fourteen programs of the interface as command lines; examples/ and examples/python hold the same in C++ and Python."""
import io
import json
import os
import struct
import zipfile

import harness
from harness import close, main, read, run, run_json, run_lines, shared_data, write

SHELF = [{"name": "board", "shape": {"type": "box", "size": [0.3, 0.8, 0.02]}, "origin": {"position": [0.55, 0, 0.55]}},
         {"name": "table", "shape": {"type": "plane"}, "origin": {"position": [0, 0, -0.05]}}]


def bytes_of(name):
    with open(os.path.join(harness.FOLDER, name), "rb") as file:
        return file.read()


def npz(path, **arrays):
    """What numpy.savez writes of lists of rows."""
    with zipfile.ZipFile(os.path.join(harness.FOLDER, path), "w") as archive:
        for name, rows in arrays.items():
            head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
            head += " " * (63 - (10 + len(head)) % 64) + "\n"
            data = b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode()
            archive.writestr(name + ".npy", data + b"".join(struct.pack("<d", x) for row in rows for x in row))


def test_01_where_links_are():
    run("convert", "panda", "panda.urdf")
    pose = "panda_joint2=-45deg,panda_joint4=-2.1"
    by_file, by_name = (run_json("fk", model, "--pose", pose)["transforms"] for model in ("panda.urdf", "panda"))
    close(by_file["panda_tcp"]["position"], by_name["panda_tcp"]["position"], 1e-12)


def test_02_jacobian():
    answer = run_json("jacobian", "panda", "--tip", "panda_tcp", "--pose", "ready")
    assert len(answer["jacobian"]) == 6 and len(answer["jacobian"][0]) == len(answer["columns"]) and answer["measures"]["condition"] > 1


def test_03_a_pose_or_why_not():
    assert run_json("ik", "panda", "--goal", "panda_tcp=0.4,0.2,0.5,1,0,0,0")["ok"]
    far = json.loads(run("ik", "panda", "--goal", "panda_tcp=3,0,0", "--json", code=1)[0])
    assert far["outcome"] == "unreachable" and far["proof"]["bound"] == "beyond" and "beyond the reach" in far["message"]


def test_04_several_goals():
    write("two_hands.json", json.dumps([{"link": "left_hand", "target": [0.35, 0.2, 1.1]},
                                        {"type": "aim", "link": "head", "target": [2, 0.3, 1.5], "priority": 1}, {"type": "posture"}]))
    answer = run_json("ik", "human", "--goals", "two_hands.json", "--locked", "root")
    assert answer["ok"] and [goal["name"] for goal in answer["goals"]] == ["position left_hand", "aim head", "posture"]


def test_05_all_solutions():
    answer = run_json("ik", "ur5", "--goal", "0.3,0.2,0.4,0,1,0,0", "--all")["solutions"]
    assert answer["complete"] and len(answer["q"]) >= 8 and max(answer["residuals"]) < 1e-9


def test_06_a_batch():
    targets = [[0.4, 0.1 * k, 0.5, 1, 0, 0, 0] for k in range(4)]
    npz("grasps.npz", targets=targets)
    run("ik", "panda", "--targets", "grasps.npz", "--threads", "0", "-o", "answers.npz")
    with zipfile.ZipFile(io.BytesIO(bytes_of("answers.npz"))) as archive:
        assert {"q.npy", "ok.npy", "outcome.npy"} <= set(archive.namelist()) and archive.read("ok.npy")[-4:] == b"\1\1\1\1"
    lines = "".join(json.dumps({"id": k, "target": target}) + "\n" for k, target in enumerate(targets))
    answers = run_lines("ik", "panda", "--targets", "-", stdin=lines)
    assert [answer["id"] for answer in answers[:4]] == [0, 1, 2, 3] and answers[4]["summary"]["reached"] == 4


def test_07_following():
    start = run_json("fk", "panda", "--pose", "ready", "--links", "panda_tcp")["transforms"]["panda_tcp"]["position"]
    lines = "".join(json.dumps({"target": [start[0], start[1] + 1e-4 * tick, start[2]]}) + "\n" for tick in range(200))
    ticks = run_lines("follow", "panda", "--tip", "panda_tcp", "--start", "ready", "--targets", "-", "--frame-rate", "500",
                      "--velocity-scale", "0.5", stdin=lines)
    steps = [tick for tick in ticks if "q" in tick]
    assert len(steps) == 200 and steps[-1]["position_error"] < 0.005 and len(steps[0]["velocity"]) == len(steps[0]["q"])


def test_08_a_path():
    path = {"curve": "line", "points": [[0, -0.25, 0], [0, 0.25, 0]], "relative": True, "profile": "ease", "duration": 2}
    write("line.json", json.dumps({"start": "ready", "frame_rate": 60, "goals": [{"type": "pose", "link": "panda_tcp", "path": path}]}))
    answer = run_json("track", "panda", "--scene", "line.json", "-o", "line.csv")
    assert answer["frames"] == 121 and answer["not_reached"] == answer["jumps"] == [] and len(read("line.csv").splitlines()) == 123


def test_09_free_of_collision():
    write("shelf.json", json.dumps(SHELF))
    answer = run_json("ik", "panda", "--goal", "panda_tcp=0.5,0.1,0.35", "--obstacles", "shelf.json", "--margin", "5mm")
    assert answer["ok"] and answer["clearance"] >= 0.005 and answer["collisions"] == []


def test_10_a_four_bar():
    answer = run_json("animate", "four_bar", "--drive", "crank=0..360deg", "--frames", "361", "--trail", "coupler:1.4,1.2,0", "-o", "four_bar.svg")
    curve = answer["trail"]["coupler:1.4,1.2,0"]
    assert answer["outcome"] == "reached" and len(curve) == 361 and "<svg" in read("four_bar.svg")
    close(curve[0], curve[-1], 1e-9)


def test_11_onto_a_skinned_character():
    hero, walk = shared_data("gltf/RiggedFigure/RiggedFigure.gltf"), shared_data("bvh/cmu_02_01.bvh")
    answer = run_json("retarget", walk, hero, "-o", "hero_walk.glb", "--no-keep-hands", "--report")
    assert answer["frames"] == 344 and answer["report"]["leg_direction"] < 0.1
    assert run_json("info", "hero_walk.glb")["clips"] and b'"skins"' in bytes_of("hero_walk.glb")


def test_12_a_workspace():
    answer = run_json("workspace", "panda", "--tip", "panda_tcp", "--cells", "8", "--orientations", "2", "--samples", "5000", "--threads", "0",
                      "-o", "panda.ply")
    assert 1 < answer["volume"] < 6 and answer["tip"] == "panda_tcp" and read("panda.ply").startswith("ply")


def test_14_methods_compared():
    write("arm.json", json.dumps({"model": "planar_arm", "start": "chapter", "goals": [{"target": [-20, 5]}]}))
    rows = run_json("compare", "arm.json", "--methods", "dls,ccd,reach")["rows"]
    assert [row["method"] for row in rows] == ["dls", "ccd", "reach"] and all(row["report"]["ok"] for row in rows)


main()
