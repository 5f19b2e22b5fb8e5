"""Several goals with priorities: a hand reaches, the head looks, the rest stays near the start."""
import armature

human = armature.load_model("human")
report = human.solve(goals=[{"link": "left_hand", "target": [0.35, 0.2, 1.1]},
                            {"type": "aim", "link": "head", "target": [2, 0.3, 1.5], "priority": 1},
                            {"type": "posture"}], locked=["root"])
for goal in report.goals:
    print(f"{goal.name:20} {goal.position_error:.2e} {goal.reached}")
assert report.ok
