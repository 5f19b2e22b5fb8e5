"""A straight line with the tool upright, written as CSV."""
import armature

panda = armature.load_model("panda")
path = {"curve": "line", "points": [[0, -0.25, 0], [0, 0.25, 0]], "relative": True, "profile": "ease", "duration": 2}
motion = panda.track([{"type": "pose", "link": "panda_tcp", "path": path}], start="ready", frame_rate=60)
print(motion, f"largest error {motion.largest_error:.1e} m")
motion.clip.save("line.csv")
fast = motion.clip.retime(velocity_scale=0.5, acceleration=5.0)
print(f"within half the velocity limits and 5 rad/s^2: {fast.duration:.2f} s")
assert motion.ok
