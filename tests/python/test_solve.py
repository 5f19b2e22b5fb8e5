"""Inverse kinematics: methods, options as keywords, goals, batches, sequences."""
import numpy as np
import pytest

import armature


def test_solvers_describe_their_options():
    solvers = {solver["name"]: solver for solver in armature.solvers()}
    assert {"dls", "pseudoinverse", "transpose", "ccd"} <= set(solvers)
    assert solvers["dls"]["options"]["max_iterations"]["default"] > 0
    for solver in solvers.values():
        assert solver["doc"] and all(option["doc"] for option in solver["options"].values())


@pytest.mark.parametrize("method", [solver["name"] for solver in armature.solvers()])
def test_every_method_reaches_what_it_accepts(method):
    arm = armature.load("planar_arm")
    try:
        answer = arm.solve("tip", [10, 15, 0], method=method, seed="chapter", max_iterations=5000, tolerance=1e-4)
    except armature.Error as refusal:  # a method may refuse, but it says why
        assert len(str(refusal)) > 20
        return
    if method == "inverse":  # square but singular here: nothing moves along z
        assert answer.outcome == "singular"
        return
    assert answer.ok, answer
    np.testing.assert_allclose(arm.frame("tip", answer.q)[:3, 3], [10, 15, 0], atol=2e-4)
    assert answer.pose.keys() == {"joint1", "joint2", "joint3"}


def test_position_orientation_and_both():
    arm = armature.load("panda")
    for seed in range(5):
        target = arm.frame("panda_tcp", arm.random(seed))
        quaternion = quaternion_of(target)
        both = arm.solve("panda_tcp", target[:3, 3], quaternion, seed="ready", max_iterations=2000)
        if both.ok:
            np.testing.assert_allclose(arm.frame("panda_tcp", both.q), target, atol=1e-4)
            assert both.position_error < 1e-5 and both.orientation_error < 1e-5
        place = arm.solve("panda_tcp", target[:3, 3], seed="ready", max_iterations=500)
        assert np.linalg.norm(arm.frame("panda_tcp", place.q)[:3, 3] - target[:3, 3]) == pytest.approx(
            place.position_error, abs=1e-9)
        turn = arm.solve("panda_tcp", None, quaternion, seed="ready", max_iterations=500)
        assert arm.inside_limits(turn.q)


def quaternion_of(matrix):
    """x, y, z, w of a rotation, by its eigenvector; enough for a test."""
    m = matrix[:3, :3]
    k = np.array([[m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] - m[1, 2]],
                  [m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]],
                  [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1], m[1, 0] - m[0, 1]],
                  [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]]])
    return np.linalg.eigh(k)[1][:, -1]


def test_a_goal_out_of_reach_is_no_exception():
    answer = armature.load("planar_arm").solve("tip", [100, 0, 0], seed="chapter")
    assert not answer and answer.outcome in ("unreachable", "stalled", "iteration_limit")
    assert answer.message and answer.position_error > 69.9


def test_options_are_checked():
    arm = armature.load("planar_arm")
    with pytest.raises(armature.Error, match="did you mean 'max_iterations'"):
        arm.solve("tip", [1, 1, 0], max_iteration=5)
    with pytest.raises(armature.Error, match="needs a"):
        arm.solve("tip", [1, 1, 0], max_iterations="many")
    with pytest.raises(armature.Error, match="Valid names"):
        arm.solve("tip", [1, 1, 0], method="magic")
    with pytest.raises(armature.Error, match="position, a quaternion, or both"):
        arm.solve("tip")
    with pytest.raises(armature.Error, match="not finite"):
        arm.solve("tip", [1, float("inf"), 0])
    assert arm.solve("tip", [1, 20, 0], seed="chapter", max_iterations=np.int64(1)).iterations <= 1


def test_locked_joints_stay():
    arm = armature.load("planar_arm")
    answer = arm.solve("tip", [5, 20, 0], seed="chapter", locked=["joint1"])
    assert answer.pose["joint1"] == np.pi / 8


def test_several_goals_of_several_kinds():
    human = armature.load("human")
    left = human.frame("left_hand", "rest")[:3, 3] + [0.1, 0.05, 0.2]
    answer = human.solve(goals=[
        {"type": "position", "link": "left_hand", "target": left},
        {"type": "position", "link": "right_foot", "target": human.frame("right_foot", "rest")[:3, 3]},
        {"type": "position", "link": "left_foot", "target": human.frame("left_foot", "rest")[:3, 3], "weight": 2},
    ], seed="rest", max_iterations=500)
    assert answer.ok, answer
    assert len(answer.goals) == 3 and all(goal["reached"] for goal in answer.goals)
    assert human.inside_limits(answer.q)
    with pytest.raises(armature.Error, match="did you mean 'target'"):
        human.solve(goals=[{"type": "position", "link": "head", "tarjet": [0, 0, 1]}])
    with pytest.raises(armature.Error, match="position"):
        human.solve(goals=[{"type": "postion", "link": "head"}])


def test_trace():
    answer = armature.load("planar_arm").solve("tip", [-20, 5, 0], seed="chapter", trace=True)
    assert len(answer.trace) >= answer.iterations
    assert answer.trace[0]["error_norm"] > answer.trace[-1]["error_norm"]


def test_batch_is_the_same_as_one_by_one():
    arm = armature.load("panda")
    goals = np.stack([arm.frame("panda_tcp", arm.random(seed))[:3, 3] for seed in range(100)])
    batch = arm.solve_batch("panda_tcp", goals, seed="ready", max_iterations=300)
    assert batch["ok"].mean() > 0.9
    for n in (0, 17, 99):
        single = arm.solve("panda_tcp", goals[n], seed="ready", max_iterations=300)
        np.testing.assert_array_equal(batch["q"][n], single.q)
        assert batch["outcome"][n] == single.outcome and batch["iterations"][n] == single.iterations
    with pytest.raises(armature.Error, match="x, y, z"):
        arm.solve_batch("panda_tcp", np.zeros((4, 2)))


def test_sequence_of_the_chapter():
    arm = armature.load("planar_arm")
    frames = arm.sequence("tip", [-20, 5, 0], start="chapter", method="pseudoinverse", frames=21, steps_per_frame=1)
    assert frames["poses"].shape == (21, 3) and frames["goals"].shape == frames["effectors"].shape == (21, 3)
    np.testing.assert_allclose(frames["poses"][0], arm.pose("chapter"))
    # Figure 5.20a: pose of the last frame, computed independently.
    np.testing.assert_allclose(frames["poses"][20], [2.131100489989, 1.370996109954, 0.658839361188], atol=1e-9)
