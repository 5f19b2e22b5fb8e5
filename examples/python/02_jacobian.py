"""The Jacobian of an end effector, of one pose and of many."""
import numpy as np

import armature

panda = armature.load_model("panda")
J = panda.jacobian("panda_tcp", "ready")  # 6 x v_size: linear rows, then angular, world axes
print(J.round(3))
print("condition", round(armature.measures(J).condition, 3))
poses = np.stack([panda.random_pose(seed) for seed in range(100)])
conditions = [armature.measures(J).condition for J in panda.jacobian("panda_tcp", poses)]
print("best of 100 random poses", round(min(conditions), 3))
