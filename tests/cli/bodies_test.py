"""bodies, check --pose and ik --obstacles: what touches, said in words, JSON and exit codes; edits of URDF keep masses."""
import json
import math
import os
import re

from harness import ROOT, main, read, refuses, run, run_json, run_lines, write

PAGE = open(os.path.join(ROOT, "docs/bodies.md"), encoding="utf-8").read()


def obstacles(*things):
    return write("things.json", json.dumps(list(things)))


def numbers(q):
    return ",".join(repr(x) for x in q)


def tip_at(model, pose, link):
    return run_json("fk", model, "--poses", "-", "--links", link, stdin=json.dumps(pose))["transforms"][link]


def test_the_page_runs():
    for name, body in re.findall(r"^```json ([\w.]+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        write(name, body)
    run("bodies", "panda")
    for command in re.findall(r"^\$ armature (.+)$", PAGE, re.MULTILINE)[1:]:
        run(*command.split())


def test_bodies_lists_pairs_with_reasons_and_writes_a_model_that_has_them():
    answer = run_json("bodies", "ur5")
    assert answer["ok"] and answer["bodies"] and answer["pairs"], answer
    assert "adjacent" in {pair["reason"] for pair in answer["ignored_pairs"]}, answer["ignored_pairs"]
    run("bodies", "ur5", "-o", "out.json")
    again = run_json("bodies", "out.json")
    assert [b["shape"] for b in again["bodies"]] == [b["shape"] for b in answer["bodies"]]
    refuses("bodies", "ur5", "--source", "skeleton", words=["source of bodies"])


def test_check_says_what_touches_by_how_much_and_exits_with_it():
    free = run_json("check", "panda", "--pose", "ready", "--obstacles",
                    obstacles({"name": "far", "shape": {"type": "sphere", "radius": 0.1}, "origin": [5, 5, 5]}))
    assert free["ok"] and free["collisions"] == [], free
    hand = tip_at("panda", run_json("ik", "panda", "--goal", "0.4,0.1,0.5")["pose"], "panda_link5")["position"]
    things = obstacles({"name": "lump", "shape": {"type": "sphere", "radius": 0.3}, "origin": hand})
    pose = run_json("ik", "panda", "--goal", "0.4,0.1,0.5")["q"]
    touching = run_json("check", "panda", "--pose", numbers(pose), "--obstacles", things, code=1)
    first = touching["collisions"][0]
    assert first["b"] == "lump" and first["depth"] > 0 and touching["clearance"] == -first["depth"], touching
    assert "inside lump" in run("check", "panda", "--pose", numbers(pose), "--obstacles", things, code=1)[0]
    refuses("check", "panda", "--pose", "ready", "--obstacles", things, "--margin", "-1", words=["--margin"])


def test_ik_goes_round_obstacles_or_says_what_blocks():
    plain = run_json("ik", "panda", "--goal", "0.45,0,0.4")
    elbow = tip_at("panda", plain["pose"], "panda_link4")["position"]
    things = obstacles({"name": "lump", "shape": {"type": "sphere", "radius": 0.08}, "origin": elbow})
    answer = run_json("ik", "panda", "--goal", "0.45,0,0.4", "--obstacles", things, "--margin", "5mm")
    assert answer["ok"] and answer["clearance"] >= 0.005 and answer["collisions"] == [], answer
    run("check", "panda", "--pose", numbers(answer["q"]), "--obstacles", things, "--margin", "4.9mm")
    off = run_json("ik", "panda", "--goal", "0.45,0,0.4", "--obstacles", things, "--collision", "off")
    assert off["q"] == plain["q"] and "clearance" not in off
    wall = obstacles({"name": "wall", "shape": {"type": "sphere", "radius": 0.3}, "origin": [0.45, 0, 0.4]})
    blocked = run_json("ik", "panda", "--goal", "0.45,0,0.4", "--obstacles", wall, code=1)
    assert blocked["outcome"] == "blocked" and "never free" in blocked["message"] and "wall" in blocked["message"], blocked
    kept = run_json("ik", "panda", "--goal", "0.45,0,0.4", "--margin", "5mm")  # from itself
    assert kept["ok"] and kept["clearance"] >= 0.005, kept
    refuses("ik", "panda", "--goal", "0.45,0,0.4", "--obstacles", things, "--method", "dls", words=["touch nothing"])
    refuses("ik", "panda", "--goal", "0.45,0,0.4", "--collision", "maybe", words=["search"])
    scene = write("scene.json", json.dumps({"model": "panda", "goals": [{"target": [0.45, 0, 0.4]}], "obstacles": "things.json", "margin": 0.005}))
    obstacles({"name": "lump", "shape": {"type": "sphere", "radius": 0.08}, "origin": elbow})
    assert run_json("ik", scene)["q"] == answer["q"]


def ring(radius, thick):
    """A ring about z of twelve bars, as STL: every cover of it covers some of its hole."""
    text = "solid ring\n"
    corner = lambda i, side, z: (radius + side * thick, math.pi * i / 6, z * thick)
    place = lambda r, angle, z: "vertex %.6f %.6f %.6f\n" % (r * math.cos(angle), r * math.sin(angle), z)
    for i in range(12):
        square = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        for (s, z), (t, w) in zip(square, square[1:] + square[:1]):
            a, b, c, d = corner(i, s, z), corner(i, t, w), corner(i + 1, t, w), corner(i + 1, s, z)
            for face in ((a, b, c), (a, c, d)):
                text += "facet normal 0 0 0\nouter loop\n" + "".join(place(*p) for p in face) + "endloop\nendfacet\n"
    return text + "endsolid\n"


RING = """<robot name="hoop">
<link name="post"/>
<link name="hoop"><collision><geometry><mesh filename="ring.stl"/></geometry></collision></link>
<link name="disc"><collision><geometry><cylinder radius="0.2" length="0.1"/></geometry></collision></link>
<joint name="slide" type="prismatic"><parent link="post"/><child link="hoop"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="turn" type="fixed"><parent link="post"/><child link="disc"/><origin xyz="0 0 3"/></joint>
</robot>"""


def test_exact_asks_the_meshes_where_bodies_touch():
    write("ring.stl", ring(0.3, 0.02))
    robot = write("hoop.urdf", RING)
    ball = {"name": "ball", "shape": {"type": "sphere", "radius": 0.2}}
    middle = obstacles({**ball, "origin": [0, 0, 0]})
    by_bodies = run_json("check", robot, "--pose", "slide=0", "--obstacles", middle, code=1)
    assert by_bodies["collisions"][0]["b"] == "ball" and by_bodies["exact"] is False, by_bodies
    free = run_json("check", robot, "--pose", "slide=0", "--obstacles", middle, "--exact")
    assert free["exact"] and free["collisions"] == [] and 0.06 < free["clearance"] < 0.08, free
    assert "free" in run("check", robot, "--pose", "slide=0", "--obstacles", middle, "--exact")[0]
    run_json("check", robot, "--pose", "slide=0", "--obstacles", middle, "--exact", "--margin", "9cm", code=1)
    goal = ["ik", robot, "--goal", "hoop=0,0,0"]
    blocked = run_json(*goal, "--obstacles", middle, code=1)
    assert blocked["outcome"] == "blocked", blocked
    answer = run_json(*goal, "--obstacles", middle, "--exact")
    assert answer["ok"] and answer["collisions"] == [] and answer["clearance"] > 0.06, answer
    scene = {"model": "hoop.urdf", "goals": [{"link": "hoop", "target": [0, 0, 0]}], "obstacles": "things.json", "exact": True}
    assert run_json("ik", write("exact.json", json.dumps(scene)))["q"] == answer["q"]  # in a scene, too
    assert run_json("ik", write("rough.json", json.dumps({**scene, "exact": False})), code=1)["outcome"] == "blocked"
    path = {"points": [[0, 0, -0.4], [0, 0, 0.4]], "duration": 1}  # the ring over the ball: ways are proved by shapes
    along = {**scene, "goals": [{"link": "hoop", "path": path}], "frame_rate": 20}
    assert run_json("track", write("along.json", json.dumps(along)))["not_reached"] == []
    assert run_json("track", write("rough.json", json.dumps({**along, "exact": False})), code=1)["not_reached"]
    side = obstacles({**ball, "origin": [0.15, 0, 0]})  # the same file from here on
    touching = run_json("check", robot, "--pose", "slide=0", "--obstacles", side, "--exact", code=1)
    assert touching["collisions"][0]["a"] == "hoop" and touching["collisions"][0]["depth"] > 0, touching
    assert run_json(*goal, "--obstacles", side, "--exact", code=1)["outcome"] == "blocked"
    bare = write("bare.urdf", re.sub("<collision>.*?</collision>", "", RING))
    refuses("check", bare, "--exact", words=["no shapes to ask"])


def test_bodies_counts_false_alarms():
    alarms = run_json("bodies", "ur5")["false_alarms"]
    assert alarms["missed"] == 0 and 0 < alarms["shapes_touch"] <= alarms["bodies_touch"] < 1, alarms
    assert "false alarms" in run("bodies", "ur5")[0]


def test_a_tracked_motion_never_touches_and_says_where_it_is_held():
    wall = {"name": "wall", "shape": {"type": "box", "size": [0.02, 0.02, 1.5]}, "origin": [0.45, 0, 0.4]}
    path = {"points": [[0.45, 0.25, 0.4], [0.45, -0.25, 0.4]], "duration": 2}
    scene = {"model": "panda", "frame_rate": 10, "goals": [{"link": "panda_tcp", "path": path}], "obstacles": [wall]}
    answer = run_json("track", write("wall.json", json.dumps(scene)), "-o", "held.csv", code=1)
    assert answer["not_reached"] and "must not touch" in answer["message"], answer
    things = obstacles(wall)
    rows = [line.split(",") for line in read("held.csv").splitlines()]
    poses = [row[-8:] for row in rows if not re.search("[a-z]", row[-1])]
    assert len(poses) == 21
    for pose in poses[::4]:
        run("check", "panda", "--pose", ",".join(pose), "--obstacles", things)


def test_motions_are_looked_at_and_moved_out_of_what_they_touch():
    ball = obstacles({"name": "ball", "shape": {"type": "sphere", "radius": 0.06}, "origin": [0.38, 0, 0.6]})
    keys = write("keys.json", json.dumps({"poses": [{"time": 0, "pose": "ready,panda_joint1=-30deg"},
                                                    {"time": 1, "pose": "ready,panda_joint1=40deg,panda_joint4=-100deg"}]}))
    plain = run_json("animate", "panda", "--keys", keys, "-o", "plain.csv")
    assert "cleared" not in plain
    looked = run_json("check", "panda", "--motion", "plain.csv", "--obstacles", ball, code=1)["cleared"]
    assert looked["touching"] and looked["left"] == looked["touching"] and looked["collisions"][0]["b"] == "ball", looked
    assert "inside ball" in run("check", "panda", "--motion", "plain.csv", "--obstacles", ball, code=1)[0]
    run("check", "panda", "--motion", "plain.csv")  # itself only: free
    moved = run_json("animate", "panda", "--keys", keys, "--obstacles", ball, "--margin", "3mm", "-o", "moved.csv")["cleared"]
    assert moved["ok"] and moved["touching"] and moved["left"] == [] and moved["largest_change"] > 0, moved
    run("check", "panda", "--motion", "moved.csv", "--obstacles", ball, "--margin", "3mm")
    run("clip", "plain.csv", "--model", "panda", "--obstacles", ball, "--margin", "3mm", "-o", "again.csv")
    assert read("again.csv") == read("moved.csv")
    refuses("check", "panda", "--motion", "plain.csv", "--collision", "off", words=["nothing to look at"])
    refuses("animate", "four_bar", "--drive", "crank=0..90deg", "--obstacles", ball, words=["check --motion"])
    slide = run_json("track", "panda", "--goal", "panda_tcp=0.5,0.2,0.4", "--start", "ready", "--obstacles", ball, "-o", "slide.csv")
    assert slide["not_reached"] == [], slide
    run("check", "panda", "--motion", "slide.csv", "--obstacles", ball)


def test_streams_of_targets_are_free_too():
    things = obstacles({"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "origin": [0.3, 0.3, 0.3]})
    lines = "".join(json.dumps({"id": i, "target": [0.4, 0.03 * i - 0.2, 0.4]}) + "\n" for i in range(8))
    for answer in run_lines("ik", "panda", "--targets", "-", "--obstacles", things, stdin=lines):
        assert "summary" in answer or (answer["ok"] and answer["clearance"] > 0), answer


def test_obstacles_of_every_shape_and_mistakes():
    shapes = [{"type": "box", "size": [1, 1, 1]}, {"type": "sphere", "radius": 1}, {"type": "cylinder", "radius": 1, "length": 2},
              {"type": "capsule", "radius": 1, "length": 2}, {"type": "plane", "normal": [0, 0, 1]},
              {"type": "height_field", "size": [2, 2], "heights": [[0, 0], [0, 0]]},
              {"type": "mesh", "triangles": [[0, 0, 0, 1, 0, 0, 0, 1, 0]]}, {"type": "points", "radius": 0.01, "points": [[0, 0, 0]]}]
    for shape in shapes:
        for height, code in ((-9, 0), (0.3, 1)):
            run("check", "panda", "--pose", "ready", "--obstacles", obstacles({"shape": shape, "origin": [0, 0, height]}),
                code=code)
    refuses("check", "panda", "--obstacles", obstacles({"shape": {"type": "cone"}}), words=["height_field"])
    refuses("check", "panda", "--obstacles", obstacles({"shape": {"type": "box", "size": [1, 0, 1]}}), words=["not positive"])
    refuses("check", "panda", "--obstacles", obstacles({"shape": {"type": "sphere", "radius": 1}, "link": "hant"}), words=["hant"])
    refuses("check", "panda", "--obstacles", obstacles({"name": "panda_hand", "shape": {"type": "sphere", "radius": 0.1},
                                                        "link": "panda_hand"}), words=["name of its own"])
    write("part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    run("check", "panda", "--pose", "ready", "--obstacles", obstacles({"shape": {"type": "mesh", "uri": "part.obj"}, "origin": [0, 0, -5]}))


URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="2"/><origin xyz="0.1 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="hand"/><joint name="a" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="50"/><dynamics damping="0.1"/></joint>
<joint name="b" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="50"/></joint>
<transmission name="t"><joint name="a"/></transmission></robot>"""


def test_urdf_keeps_masses_and_an_srdf_beside_it_is_read():
    write("r.urdf", URDF)
    run("convert", "r.urdf", "r.json")
    run("convert", "r.json", "again.urdf")
    text = read("again.urdf")
    for part in ('<mass value="2"/>', 'effort="50"', '<dynamics damping="0.1"/>', '<transmission name="t"><joint name="a"/></transmission>'):
        assert part in text, (part, text)
    write("r.srdf", '<robot name="r"><group name="main"><chain base_link="base" tip_link="hand"/></group>'
                    '<group_state name="home" group="main"><joint name="a" value="0.5"/><joint name="b" value="0.25"/></group_state></robot>')
    fk = run_json("fk", "r.urdf", "--pose", "home", "--links", "hand")["transforms"]["hand"]["position"]
    assert math.isclose(fk[0], 0.5 * math.cos(0.5), abs_tol=1e-9), fk
    assert run_json("ik", "r.urdf", "--group", "main", "--goal", f"{fk[0]},{fk[1]}")["ok"]
    refuses("ik", "r.urdf", "--group", "mane", "--goal", "0.4,0.1", words=["main"])


def test_a_group_moves_its_own_joints_alone():
    run("convert", "ur5", "ur5.urdf")
    write("ur5.srdf", '<robot name="ur5"><group name="fore"><chain base_link="upper_arm_link" tip_link="tool0"/></group>'
                      '<group name="set"><joint name="elbow_joint"/><joint name="wrist_1_joint"/></group></robot>')
    start = {"shoulder_pan_joint": 0.3, "shoulder_lift_joint": -1, "elbow_joint": 1, "wrist_1_joint": 0.2, "wrist_2_joint": 0.4, "wrist_3_joint": 0}
    outside = {"shoulder_pan_joint", "shoulder_lift_joint"}

    def place(**joints):
        pose = ",".join(f"{joint}={value}" for joint, value in dict(start, **joints).items())
        return run_json("fk", "ur5.urdf", "--pose", pose, "--links", "tool0")["transforms"]["tool0"]["position"]

    def moved(*flags, code=0, **scene):
        write("scene.json", json.dumps({"start": start, "goals": [{"target": place(elbow_joint=1.3, wrist_1_joint=-0.1)}], **scene}))
        answer = run_json("ik", "ur5.urdf", "--scene", "scene.json", *flags, code=code)
        return {joint for joint, value in start.items() if abs(answer["pose"][joint] - value) > 1e-9}, answer

    assert outside & moved()[0]  # without a group
    for joints, _ in (moved("--group", "fore"), moved(group="fore")):
        assert joints and not outside & joints, joints
    joints, answer = moved("--group", "set", code=1)
    assert joints and joints <= {"elbow_joint", "wrist_1_joint"}, joints
    assert any("'wrist_1_link'" in note for note in answer["notes"]), answer["notes"]  # the tip that it took
    joints, _ = moved(group="fore", joint_weights={"shoulder_pan_joint": 1})
    assert "shoulder_pan_joint" in joints and "shoulder_lift_joint" not in joints, joints


def test_limits_may_be_a_pair_and_slips_are_told():
    write("pair.json", json.dumps({"limits": {"elbow_joint": [1.2, 2.2]}, "goals": [{"target": [0.4, 0.3, 0.4]}]}))
    assert 1.2 <= run_json("ik", "ur5", "--scene", "pair.json")["pose"]["elbow_joint"] <= 2.2
    write("slip.json", json.dumps({"joint_weights": {"elbw": 1}, "goals": [{"target": [0.4, 0.3, 0.4]}]}))
    refuses("ik", "ur5", "--scene", "slip.json", words=["did you mean 'elbow_joint'?"])
    write("six.json", json.dumps({"goals": [{"target": [1, 2, 3, 4, 5, 6]}]}))
    refuses("ik", "ur5", "--scene", "six.json", words=["3 numbers are a position", "16 (a 4x4)"])
    write("r.urdf", URDF.replace("</robot>", '<link name="tool"/><joint name="f" type="fixed"><parent link="hand"/><child link="tool"/>'
                                 '<limit lower="0" upper="0" velocity="1" effort="1"/></joint></robot>'))
    assert any("1 x <limit> of fixed joints" in note for note in run_json("info", "r.urdf")["notes"])


main()
