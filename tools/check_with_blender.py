#!/usr/bin/env python3
"""Side by side with Blender, which is too large to install for ./test.

    tools/check_with_blender.py [--build build/dev] [--data ../shared/data] [--store]

1. Positions of all bones in 5 frames of each shared BVH clip: Blender's import against our forward kinematics. --store keeps those of
   the bones at the ends in tests/formats/blender_positions.json, with which ./test compares on any machine.
2. Each clip as .glb: the same positions when Blender imports it.
3. Motions of our own figures (key poses of the human, a recorded walk on it, a path of the Panda) as .bvh and .glb: the same
   positions of all links in Blender as by our forward kinematics.
4. FBX files that Blender writes (a skinned tube with keys, axes and units of several kinds; RiggedFigure and Fox): bones by our forward kinematics,
   and skinned vertices of the .glb that we make of the file, against Blender's own import of the FBX.

Exit code 77: Blender is not installed (apt-get install blender), nothing was compared.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

IN_BLENDER = r'''
import builtins, json, sys
import bpy, numpy
if not hasattr(numpy, "bool"): numpy.bool = bool  # Blender 3.4 with a numpy that is newer than it
import io_anim_bvh.import_bvh as importer
importer.open = lambda path, mode="r", **more: builtins.open(path, mode.replace("U", ""), **more)
out, paths = sys.argv[sys.argv.index("--") + 1], sys.argv[sys.argv.index("--") + 2:]
seen = {}
for path in paths:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if path.endswith(".bvh"):
        bpy.ops.import_anim.bvh(filepath=path, axis_forward="Y", axis_up="Z", rotate_mode="NATIVE", frame_start=1)
        figure = bpy.context.object
        count = int(figure.animation_data.action.frame_range[1])
        chosen = sorted({round(i * (count - 1) / 4) for i in range(5)})
        times = {f: f + 1.0 for f in chosen}
    else:
        with open(path + ".frames") as file:
            wanted = json.load(file)  # frame time, frames
        bpy.ops.import_scene.gltf(filepath=path)
        figure = next((o for o in bpy.data.objects if o.type == "ARMATURE"), None)  # none: links are objects
        fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
        times = {f: f * wanted[0] * fps for f in wanted[1]}
    frames = {}
    for frame, time in times.items():
        bpy.context.scene.frame_set(int(time), subframe=time - int(time))
        at = lambda v: list(figure.matrix_world @ v) if path.endswith(".bvh") else \
            [(figure.matrix_world @ v).x, (figure.matrix_world @ v).z, -(figure.matrix_world @ v).y]
        if figure is not None:
            frames[frame] = {bone.name: at(bone.head) for bone in figure.pose.bones}
        else:
            where = {o.name: o.matrix_world.translation for o in bpy.data.objects}
            frames[frame] = {name: [p.x, p.z, -p.y] for name, p in where.items()}
    ends = [bone.name for bone in figure.pose.bones if not bone.children] if figure is not None else []
    seen[path] = {"positions": "absolute" if "tpose" in path else "auto", "frames": frames, "ends": ends}
json.dump(seen, open(out, "w"))
'''

def blender(script, *arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(script)
        file.flush()
        done = subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python", file.name, "--",
                               *map(str, arguments)], capture_output=True, text=True, check=False,
                              # Blender takes the libraries of the first python3 on the path: Debian's, please.
                              env={**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"]})
    if done.returncode != 0:
        sys.exit(done.stdout[-3000:] + done.stderr[-3000:])


def frame_time(bvh):
    for line in bvh.read_text(errors="replace").splitlines():
        if line.strip().lower().startswith("frame time"):
            return float(line.split(":")[1])
    return 1.0 / 30.0


def store(seen):
    """Bones at the ends stand where all bones before them put them: they are enough, in seven digits."""
    clips = []
    for path, clip in sorted(seen.items()):
        frames = {frame: {bone: [float(f"{x:.7g}") for x in bones[bone]] for bone in clip["ends"]} for frame, bones in clip["frames"].items()}
        rows = ",\n".join(f"   {json.dumps(frame)}: {json.dumps(bones, ensure_ascii=False)}" for frame, bones in frames.items())
        clips.append(f' {json.dumps(Path(path).name)}: {{"positions": {json.dumps(clip["positions"])}, "frames": {{\n{rows}}}}}')
    (ROOT / "tests/formats/blender_positions.json").write_text("{\n" + ",\n".join(clips) + "\n}\n", encoding="utf-8")


KEYS = {"poses": [{"time": 0, "pose": "rest"}, {"time": 1, "pose": "wave"}, {"time": 2, "pose": "sit"}]}
PATH = {"start": "ready", "goals": [{"type": "pose", "link": "panda_tcp", "path": {
    "relative": True, "points": [[0, -0.25, 0], [0, 0.25, 0]]}}]}


def own_motions(program, data, folder):
    """Part 3: true when all agree."""
    (folder / "keys.json").write_text(json.dumps(KEYS))
    (folder / "path.json").write_text(json.dumps(PATH))
    run = lambda *words: subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True)
    outs = lambda name: [word for kind in ("csv", "bvh", "glb") for word in ("-o", folder / f"{name}.{kind}")]
    run("animate", "human", "--keys", folder / "keys.json", *outs("keys"))
    run("track", "panda", "--scene", folder / "path.json", *outs("path"))
    models = {"keys": "human", "path": "panda"}
    if (data / "bvh/cmu_02_01.bvh").exists():
        run("retarget", data / "bvh/cmu_02_01.bvh", "human", *outs("walk"))
        models["walk"] = "human"
    frames = {}
    files = []
    for name, model in models.items():
        lines = [line for line in (folder / f"{name}.csv").read_text().splitlines() if not line.startswith("#")]
        header, rows = lines[0].split(","), [list(map(float, line.split(","))) for line in lines[1:]]
        poses = []
        for row in rows:
            pose = {}
            for column, value in zip(header[1:], row[1:]):
                pose.setdefault(column.split(".")[0], []).append(value)
            poses.append(json.dumps(pose))
        (folder / f"{name}.jsonl").write_text("\n".join(poses) + "\n")
        out = run("fk", model, "--poses", folder / f"{name}.jsonl", "--json").stdout
        frames[name] = [{link: X["position"] for link, X in json.loads(line)["transforms"].items()} for line in out.splitlines()]
        chosen = sorted({round(i * (len(rows) - 1) / 4) for i in range(5)})
        (folder / f"{name}.glb.frames").write_text(json.dumps([rows[1][0] - rows[0][0], chosen]))
        files += [folder / f"{name}.bvh", folder / f"{name}.glb"]
    blender(IN_BLENDER, folder / "own.json", *files)
    good = True
    for path, clip in json.loads((folder / "own.json").read_text()).items():
        ours = frames[Path(path).stem]
        size = max(abs(x) for place in ours[0].values() for x in place) + 0.1
        worst, compared = 0.0, 0
        for f, bones in clip["frames"].items():
            for bone, at in bones.items():
                if bone in ours[int(f)]:
                    worst = max(worst, *(abs(x - a) for x, a in zip(ours[int(f)][bone], at)))
                    compared += 1
        print(f"{Path(path).name:40} {compared:5} positions in Blender, largest difference {worst / size:.1e} of the size")
        good &= compared > 0 and worst <= 1e-4 * size
    return good


FBX_WRITE = r'''
import builtins, math, sys
import bpy, numpy
for old in ("bool", "int", "float", "object"):  # Blender 3.4 with a numpy that is newer than it
    if not hasattr(numpy, old): setattr(numpy, old, getattr(builtins, old))
folder, *characters = sys.argv[sys.argv.index("--") + 1:]


def tube():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bones = [("hips", (0, 0, 1.0), (0, 0, 1.3), None), ("spine", (0, 0, 1.3), (0, 0.1, 1.7), "hips"),
             ("arm", (0.1, 0.1, 1.7), (0.6, 0.1, 1.6), "spine"), ("hand", (0.6, 0.1, 1.6), (0.8, 0.0, 1.6), "arm")]
    data = bpy.data.armatures.new("rig")
    rig = bpy.data.objects.new("rig", data)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, head, tail, parent in bones:
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    points, faces, weights = [], [], []
    for b, (name, head, tail, parent) in enumerate(bones):  # rings along each bone, weights shared with the bone before
        for k in range(4):
            first = len(points)
            for side in range(6):
                c, s = math.cos(side * math.pi / 3), math.sin(side * math.pi / 3)
                at = [h + (t - h) * k / 3 for h, t in zip(head, tail)]
                points.append((at[0] + 0.05 * c, at[1] + 0.05 * s, at[2] + 0.02 * c * s))
                share = 1.0 if parent is None else min(1.0, 0.4 + 0.2 * k)
                weights.append({name: share, **({parent: 1.0 - share} if parent and share < 1.0 else {})})
            if k:
                faces += [(first + i, first + (i + 1) % 6, first - 6 + (i + 1) % 6, first - 6 + i) for i in range(6)]
    mesh = bpy.data.meshes.new("tube")
    mesh.from_pydata(points, [], faces)
    body = bpy.data.objects.new("tube", mesh)
    bpy.context.collection.objects.link(body)
    material = bpy.data.materials.new("red")
    material.diffuse_color = (0.8, 0.1, 0.1, 1)
    mesh.materials.append(material)
    for name, *_ in bones:
        body.vertex_groups.new(name=name)
    for v, row in enumerate(weights):
        for name, weight in row.items():
            body.vertex_groups[name].add([v], weight, "REPLACE")
    body.modifiers.new("rig", "ARMATURE").object = rig
    body.parent = rig
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 30, 1, 31
    for frame, turn in ((1, 0.0), (16, 0.9), (31, -0.4)):
        for k, (name, *_) in enumerate(bones):
            bone = rig.pose.bones[name]
            bone.rotation_mode = "QUATERNION"
            bone.rotation_quaternion = (math.cos(turn / 2), math.sin(turn / 2) if k % 2 else 0, 0, 0 if k % 2 else math.sin(turn / 2))
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        rig.pose.bones["hips"].location = (0.3 * turn, 0.1 * turn, 0.0)
        rig.pose.bones["hips"].keyframe_insert("location", frame=frame)


write = lambda name, **more: bpy.ops.export_scene.fbx(filepath=f"{folder}/{name}.fbx", bake_anim=True, **more)
tube()
write("tube")
write("tube_no_leaves", add_leaf_bones=False)
write("tube_z_up", axis_forward="Y", axis_up="Z")
write("tube_units", apply_scale_options="FBX_SCALE_ALL", add_leaf_bones=False)
for character in characters:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=character)
    last = max(action.frame_range[1] for action in bpy.data.actions)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 0, int(last)
    write(character.split("/")[-1].split(".")[0], add_leaf_bones=False, object_types={"ARMATURE", "MESH"})
'''

# Bones and skinned vertices in chosen frames, in a world with y up.
FBX_READ = r'''
import builtins, json, sys
import bpy, numpy
for old in ("bool", "int", "float", "object"):  # Blender 3.4 with a numpy that is newer than it
    if not hasattr(numpy, old): setattr(numpy, old, getattr(builtins, old))
out, paths = sys.argv[sys.argv.index("--") + 1], sys.argv[sys.argv.index("--") + 2:]
seen = {}
for path in paths:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    fbx = path.endswith(".fbx")
    (bpy.ops.import_scene.fbx if fbx else bpy.ops.import_scene.gltf)(filepath=path)
    scene = bpy.context.scene
    fps = scene.render.fps / scene.render.fps_base
    frames = {}
    for tenth in range(0, 11, 2):
        time = tenth / 10
        frame = time * fps + (1.0 if fbx else 0.0)
        scene.frame_set(int(frame), subframe=frame - int(frame))
        graph = bpy.context.evaluated_depsgraph_get()
        flat = lambda v: [v.x, v.z, -v.y]
        bones, vertices = {}, []
        for thing in bpy.data.objects:
            if thing.type == "ARMATURE":
                bones.update({bone.name: flat(thing.matrix_world @ bone.head) for bone in thing.pose.bones})
            if thing.type == "MESH" and thing.name in scene.objects and not thing.name.startswith("Icosphere"):
                whole = thing.evaluated_get(graph)
                vertices += [flat(whole.matrix_world @ v.co) for v in whole.to_mesh().vertices]
        frames[tenth] = {"bones": bones, "vertices": vertices}
    seen[path] = {"fps": fps, "frames": frames}
json.dump(seen, open(out, "w"))
'''


def fbx_files(program, data, folder):
    """Part 4: true when all agree."""
    characters = [data / "gltf/RiggedFigure/RiggedFigure.gltf", data / "gltf/Fox/Fox.glb"]
    blender(FBX_WRITE, folder, *(path for path in characters if path.exists()))
    files = sorted(folder.glob("*.fbx"))
    for file in files:
        subprocess.run([program, "convert", file, file.with_suffix(".glb")], check=True, capture_output=True)
    blender(FBX_READ, folder / "fbx.json", *files, *(file.with_suffix(".glb") for file in files))
    seen = json.loads((folder / "fbx.json").read_text())
    good = True
    for file in files:
        theirs, ours = seen[str(file)]["frames"], seen[str(file.with_suffix(".glb"))]["frames"]
        lines = subprocess.run([program, "fk", file, "--motion", "-"], check=True, capture_output=True, text=True).stdout.splitlines()
        names, rows = lines[0].split(",")[1:], [list(map(float, line.split(","))) for line in lines[1:]]
        points = [p for frame in theirs.values() for p in frame["vertices"]]
        size = max(max(p[k] for p in points) - min(p[k] for p in points) for k in range(3))
        bones = vertices = 0.0
        compared = 0
        for tenth, frame in theirs.items():
            row = min(rows, key=lambda r: abs(r[0] - int(tenth) / 10))
            if abs(row[0] - int(tenth) / 10) > 1e-4:
                continue  # the motion is shorter
            at = {names[3 * i][:-2]: row[1 + 3 * i:4 + 3 * i] for i in range(len(names) // 3)}
            for bone, place in frame["bones"].items():
                if bone in at:
                    bones = max(bones, *(abs(a - b) for a, b in zip(at[bone], place)))
                    compared += 1
            near = {}
            for p in ours[tenth]["vertices"]:  # the nearest of ours, by cells
                near.setdefault(tuple(round(x / (0.02 * size)) for x in p), []).append(p)
            for p in frame["vertices"]:
                cell = [round(x / (0.02 * size)) for x in p]
                around = [q for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)
                          for q in near.get((cell[0] + i, cell[1] + j, cell[2] + k), ())]
                vertices = max(vertices, min((sum((a - b) ** 2 for a, b in zip(p, q)) ** 0.5 for q in around), default=size))
        print(f"{file.name:40} {compared:5} bones, largest difference {bones / size:.1e}; skinned vertices {vertices / size:.1e} of the extent")
        good &= compared > 0 and bones <= 1e-4 * size and vertices <= 1e-4 * size
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/dev", type=Path)
    parser.add_argument("--data", default=os.environ.get("ARMATURE_DATA", ROOT / "../shared/data"), type=Path)
    parser.add_argument("--only-fbx", action="store_true", help="part 4 alone")
    parser.add_argument("--store", action="store_true", help="keep what Blender saw for the tests of other machines")
    options = parser.parse_args()
    if shutil.which("blender") is None:
        print("SKIPPED: Blender is not installed (apt-get install blender)")
        return 77
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if options.only_fbx:
            return 0 if fbx_files(options.build / "armature", options.data, folder) else 1
        clips = sorted((options.data / "bvh").glob("*.bvh"))
        blender(IN_BLENDER, folder / "bvh.json", *clips)
        tests = subprocess.run([options.build / "armature_tests", "--no-version=true", "--test-case=*Blender*"], cwd=ROOT,
                               env={**os.environ, "ARMATURE_BLENDER_POSITIONS": str(folder / "bvh.json")})
        failed |= tests.returncode != 0

        seen = json.loads((folder / "bvh.json").read_text())
        if options.store:
            store(seen)
        written = []
        for clip in clips:
            glb = folder / (clip.stem + ".glb")
            subprocess.run([options.build / "armature", "convert", clip, glb], check=True, capture_output=True)
            Path(str(glb) + ".frames").write_text(json.dumps([frame_time(clip), [int(f) for f in seen[str(clip)]["frames"]]]))
            written.append(glb)
        moving = [g for g in written if "tpose" not in g.name]  # Blender reads its positions otherwise, see docs/formats/bvh.md
        blender(IN_BLENDER, folder / "glb.json", *moving)
        ours = json.loads((folder / "glb.json").read_text())
        for glb in moving:
            theirs = seen[str(options.data / "bvh" / (glb.stem + ".bvh"))]["frames"]
            points = [p for f in theirs.values() for p in f.values()]
            height = max(max(p[k] for p in points) - min(p[k] for p in points) for k in range(3))
            worst = max(max(abs(a - b) for a, b in zip(at, theirs[frame][bone]))
                        for frame, bones in ours[str(glb)]["frames"].items() for bone, at in bones.items()
                        if bone in theirs[frame])
            print(f"{glb.name:40} as glTF in Blender: largest difference {worst / height:.1e} of the extent")
            failed |= not worst <= 1e-4 * height

        failed |= not own_motions(options.build / "armature", options.data, folder)
        failed |= not fbx_files(options.build / "armature", options.data, folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
