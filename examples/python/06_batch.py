"""Many targets from a NumPy file, on every core."""
import numpy as np

import armature

panda = armature.load_model("panda")
np.savez("grasps.npz", targets=np.stack([panda.transform("panda_tcp", panda.random_pose(seed)) for seed in range(2000)]))

report = panda.solve_batch(np.load("grasps.npz")["targets"], link="panda_tcp", threads=0)  # (N, 3), (N, 7) or (N, 4, 4)
np.savez("answers.npz", q=report.q, ok=report.ok)
print(report)
assert report.ok.all()
