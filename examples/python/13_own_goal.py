"""A goal of one's own: both hands at one height."""
import armature


def level(state):
    """Error and Jacobian; without the second, differences are taken."""
    left, right = state.transform("left_hand"), state.transform("right_hand")
    return [right[2, 3] - left[2, 3]], [state.jacobian("left_hand")[2] - state.jacobian("right_hand")[2]]


human = armature.load_model("human")
report = human.solve(goals=[{"link": "left_hand", "target": [0.35, 0.25, 1.25]},
                            {"type": "custom", "name": "level", "function": level}])
heights = [human.transform(hand, report.q)[2, 3] for hand in ("left_hand", "right_hand")]
print(report.message, heights)
assert report.ok and abs(heights[0] - heights[1]) < 1e-5
