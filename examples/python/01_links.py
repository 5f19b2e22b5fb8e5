"""Loads a robot and prints where its links are."""
import numpy as np

import armature

panda = armature.load_model("panda")  # a built-in name, or "panda.urdf"
q = panda.pose({"panda_joint2": np.deg2rad(-45), "panda_joint4": -2.1})
for link, X in zip(panda.links, panda.forward(q)):
    print(f"{link:20} {X[:3, 3].round(4)}")
