"""Times Blender's BVH importer: blender -b --factory-startup --python bench/bvh_blender.py -- CLIP.bvh
Prints seconds of its parser alone (read_bvh) and of the whole import. Compare with ARMATURE_BENCH_BVH=CLIP.bvh bench_bvh."""
import builtins
import sys
import time

import bpy
import io_anim_bvh.import_bvh as importer

# Debian's Blender 3.4 runs on Python 3.11, which has no file mode "U" any more.
importer.open = lambda path, mode="r", **more: builtins.open(path, mode.replace("U", ""), **more)

for path in sys.argv[sys.argv.index("--") + 1:]:
    parse = []
    for _ in range(3):
        start = time.perf_counter()
        importer.read_bvh(bpy.context, path)
        parse.append(time.perf_counter() - start)
    start = time.perf_counter()
    bpy.ops.import_anim.bvh(filepath=path)
    print(f"BLENDER {path}: parse {min(parse):.3f} s, whole import {time.perf_counter() - start:.3f} s")
