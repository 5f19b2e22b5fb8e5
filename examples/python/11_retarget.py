"""A motion of one figure carried over to another; with files: load_clip("walk.bvh") and load_model("hero.glb")."""
import armature

human = armature.load_model("human")
wave = human.keyframes({"poses": [{"time": 0, "pose": "rest"}, {"time": 1, "pose": "rest,left_elbow=70deg"}, {"time": 2, "pose": "rest"}]})
child = human.scale(0.6)
result = armature.retarget(wave, child, keep_hands=False)
result.clip.save("child_wave.bvh")
print(result.clip, "root's travel times", round(result.root_scale, 3))
assert result.clip.frames == wave.frames
