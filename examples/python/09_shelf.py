"""A pose that reaches under a shelf and touches nothing."""
import armature

panda = armature.load_model("panda")
shelf = [{"name": "board", "shape": {"type": "box", "size": [0.3, 0.8, 0.02]}, "origin": {"position": [0.55, 0, 0.55]}},
         {"name": "table", "shape": {"type": "plane"}, "origin": {"position": [0, 0, -0.05]}}]  # or "shelf.json"
report = panda.solve([0.5, 0.1, 0.35], link="panda_tcp", obstacles=shelf, margin=0.005)
print(report.message, report.clearance, report.collisions)
assert report.ok and report.clearance is not None and report.clearance >= 0.005
blocked = panda.solve([0.55, 0, 0.55], link="panda_tcp", obstacles=shelf)  # inside the board
print(blocked.message)
assert blocked.outcome == "blocked"
