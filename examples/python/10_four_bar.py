"""A four-bar through a turn, with its coupler curve; then a rocker driven into its dead point."""
import numpy as np

import armature

bar = armature.load_model("four_bar")
turn = bar.drive("crank", to=2 * np.pi, frames=361)
curve = turn.clip.trail("coupler", [1.4, 1.2, 0])
print(turn.message, curve.shape)
assert turn.ok and curve.shape == (361, 3)

stop = bar.drive("rocker_pin", to=4)
print(stop.message)
assert stop.outcome == "dead_point"
