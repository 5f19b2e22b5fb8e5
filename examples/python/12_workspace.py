"""Where an arm can get to, on every core."""
import armature

panda = armature.load_model("panda")
space = panda.workspace(tip="panda_tcp", cells=12, samples=20000, orientations=4, threads=0)
print(space, f"{space.volume:.2f} cubic metres, {100 * space.mean_dexterity:.0f} % of the orientations", space.reachable.shape)
assert 1 < space.volume < 4
