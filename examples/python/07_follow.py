"""A control loop that follows a moving target within the velocity limits."""
import numpy as np

import armature

panda = armature.load_model("panda")
follower = panda.follower(link="panda_tcp", start="ready", velocity_scale=0.5)
start = panda.transform("panda_tcp", "ready")
error = 0.0
for tick in range(2500):
    target = start.copy()
    angle = 2 * np.pi * tick / 2500
    target[:3, 3] += 0.1 * np.array([np.cos(angle) - 1, np.sin(angle), 0])
    follower.set_target(0, target)
    step = follower.step(0.002)
    error = max(error, step.position_error)
print(f"a circle in five seconds, at most {1000 * error:.3f} mm behind")
assert error < 0.005
