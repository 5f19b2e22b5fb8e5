"""Inverse kinematics: methods, options as keywords, goals, batches, solvers, scenes."""
import multiprocessing
import pickle
import threading
import warnings

import numpy as np
import pytest

import armature


def test_methods_describe_their_options():
    methods = {method.name: method for method in armature.methods()}
    assert {"auto", "dls", "pseudoinverse", "transpose", "ccd"} <= set(methods)
    assert methods["dls"].options["max_iterations"].default > 0
    for method in methods.values():
        assert all(option.doc for option in method.options.values() if method.group != "Yours")


@pytest.mark.parametrize("method", [method.name for method in armature.methods()])
def test_every_method_reaches_what_it_accepts(method):
    arm = armature.load_model("planar_arm")
    report = arm.solve([10, 15, 0], method=method, start="chapter", max_iterations=5000, tolerance=1e-4)
    if report.outcome == "refused":  # a method may refuse, but it says why
        assert len(report.message) > 20 and not report
        return
    if method == "inverse":  # square but singular here: nothing moves along z
        assert report.outcome == "singular"
        return
    assert report.ok, report
    np.testing.assert_allclose(arm.transform("tip", report.q)[:3, 3], [10, 15, 0], atol=2e-4)
    assert report.pose.keys() == {"joint1", "joint2", "joint3"}


def quaternion_of(matrix):
    """x, y, z, w of a rotation, by its eigenvector; enough for a test."""
    m = matrix[:3, :3]
    k = np.array([[m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] - m[1, 2]],
                  [m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]],
                  [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1], m[1, 0] - m[0, 1]],
                  [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]]])
    return np.linalg.eigh(k)[1][:, -1]


def test_the_form_of_a_target_tells_its_type():
    arm = armature.load_model("panda")
    for seed in range(5):
        target = arm.transform("panda_tcp", arm.random_pose(seed))
        place, quaternion = target[:3, 3], quaternion_of(target)
        whole = (target, target.ravel(), [*place, *quaternion], {"position": place, "quaternion": quaternion},
                 {"position": place, "matrix": target[:3, :3]})
        answers = [arm.solve(form, link="panda_tcp", start="ready") for form in whole]
        for report in answers:
            assert report.goals[0].type == "pose" and report.ok
            np.testing.assert_allclose(arm.transform("panda_tcp", report.q), target, atol=1e-4)
        assert arm.solve(place, link="panda_tcp", start="ready").goals[0].type == "position"
        assert arm.solve(quaternion, link="panda_tcp", start="ready").goals[0].type == "orientation"
    assert armature.load_model("planar_arm").solve([10, 15]).ok  # z is free


def test_a_report_has_everything():
    report = armature.load_model("planar_arm").solve([100, 0, 0], start="chapter")
    assert not report and report.outcome == "unreachable" and report.position_error > 69.9
    assert report.message and report.proof.bound == "beyond" and report.proof.length == pytest.approx(30)
    held = armature.load_model("panda").solve([0.4, 0.2, 0.5], link="panda_tcp", limits={"panda_joint4": {"lower": -0.2}})
    assert isinstance(held.joints_at_limits, list) and held.measures.condition >= 1
    for at in held.joints_at_limits + held.blocking_joints:
        assert set(at) == {"joint", "coordinate", "side"}
    again = pickle.loads(pickle.dumps(report))
    assert again.to_dict().keys() == report.to_dict().keys() and again.message == report.message
    np.testing.assert_array_equal(again.q, report.q)
    assert "unreachable" in str(report) and "joint1" in str(report)


def test_keywords_are_checked():
    arm = armature.load_model("planar_arm")
    with pytest.raises(armature.ArmatureError, match="solve has no keyword 'max_iteration'; did you mean 'max_iterations'"):
        arm.solve([1, 1, 0], max_iteration=5)
    with pytest.raises(armature.ArmatureError, match="solve_batch has no keyword 'lockd'; did you mean 'locked'"):
        arm.solve_batch([[1, 1, 0]], lockd=[])
    with pytest.raises(armature.ArmatureError, match="needs a"):
        arm.solve([1, 1, 0], max_iterations="many")
    with pytest.raises(armature.ArmatureError, match="Valid names"):
        arm.solve([1, 1, 0], method="magic")
    with pytest.raises(armature.ArmatureError, match="solve needs a target"):
        arm.solve()
    with pytest.raises(armature.ArmatureError, match="target or goals|not both"):
        arm.solve([1, 1, 0], goals=[{"target": [1, 1, 0]}])
    with pytest.raises(armature.ArmatureError, match="not finite"):
        arm.solve([1, float("inf"), 0])
    assert arm.solve([1, 20, 0], start="chapter", max_iterations=np.int64(1), method="dls").iterations <= 1


def test_locked_weighted_and_limited_joints():
    arm = armature.load_model("planar_arm")
    report = arm.solve([5, 20, 0], start="chapter", locked=["joint1"])
    assert report.pose["joint1"] == np.pi / 8
    report = arm.solve([5, 20, 0], start="chapter", joint_weights={"joint1": 0}, method="dls")
    assert report.pose["joint1"] == np.pi / 8
    report = arm.solve([5, 20, 0], start="chapter", limits={"joint2": {"lower": 0, "upper": 0.25}})
    assert 0 <= report.pose["joint2"] <= 0.25


def test_several_goals_of_several_kinds():
    human = armature.load_model("human")
    left = human.transform("left_hand", "rest")[:3, 3] + [0.1, 0.05, 0.2]
    report = human.solve(goals=[
        {"link": "left_hand", "target": left},
        {"type": "position", "link": "right_foot", "target": "here"},
        {"type": "position", "link": "left_foot", "target": "here", "weight": 2, "name": "planted"},
        {"type": "posture"},
    ], start="rest", max_iterations=500)
    assert report.ok, report
    assert [goal.name for goal in report.goals] == ["position left_hand", "position right_foot", "planted", "posture"]
    assert all(goal.reached for goal in report.goals)
    assert human.inside_limits(report.q)
    with pytest.raises(armature.ArmatureError, match=r"goals\[0\]\.tarjet.*did you mean 'target'"):
        human.solve(goals=[{"type": "position", "link": "head", "tarjet": [0, 0, 1]}])
    with pytest.raises(armature.ArmatureError, match=r"goals\[0\].type: .*position"):
        human.solve(goals=[{"type": "postion", "link": "head"}])


def test_targets_are_transforms():
    panda = armature.load_model("panda")
    X = panda.transform("panda_tcp", "ready")
    goal = {"type": "pose", "link": "panda_tcp"}
    assert panda.solve(X, link="panda_tcp").ok
    sheared, scaled, mirrored, tall = (np.array(X) for _ in range(4))
    sheared[0, 1] += 0.3
    scaled[:3, :3] *= 2
    mirrored[:3, 0] *= -1
    tall[3] = [0.1, 0, 0, 1]
    for wrong, word in ((sheared, "not the matrix of a rotation"), (scaled, "not the matrix of a rotation"),
                        (mirrored, "not the matrix of a rotation"), (tall, "last row"), (X.T, "last row")):
        for ask in (lambda: panda.solve(wrong, link="panda_tcp"), lambda: panda.solve(goals=[{**goal, "target": wrong}]),
                    lambda: panda.solver(wrong, link="panda_tcp"), lambda: panda.solver(X, link="panda_tcp").solve(wrong),
                    lambda: panda.follower(X, link="panda_tcp").set_target(0, wrong), lambda: armature.Scene(panda, wrong, link="panda_tcp").solve()):
            with pytest.raises(armature.ArmatureError, match=word):
                ask()
        with pytest.raises(armature.ArmatureError, match=r"targets\[1\].*" + word):
            panda.solve_batch([X, wrong], link="panda_tcp")
    with pytest.raises(armature.ArmatureError, match='goals\\[0\\]: .*needs a "target"'):
        panda.solve(goals=[goal])


def test_slips_of_the_unit_are_warnings():
    panda = armature.load_model("panda")
    with pytest.warns(UserWarning, match=r"panda_joint1 = 90 radians is 14.3 turns; did you mean 90deg \(1.571\)"):
        panda.pose({"panda_joint1": 90})
    with pytest.warns(UserWarning, match="90deg"):
        panda.solve([0.4, 0, 0.4], limits={"panda_joint1": {"lower": -90, "upper": 90}})
    with pytest.warns(UserWarning, match="millimetres"):
        panda.solve([400, 0, 400])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        panda.solve([0.4, 0, 0.4], start={"panda_joint1": 0.9})
    with pytest.raises(armature.ArmatureError, match="takes an angle"):
        panda.pose("panda_joint1=5mm")


def test_trace():
    report = armature.load_model("planar_arm").solve([-20, 5, 0], start="chapter", trace=True, method="dls")
    assert len(report.trace) >= report.iterations
    assert report.trace[0].error_norm > report.trace[-1]["error_norm"]
    assert report.trace[0].jacobian.shape == (3, 3)


def test_batch_is_the_same_as_one_by_one():
    arm = armature.load_model("panda")
    targets = np.stack([arm.transform("panda_tcp", arm.random_pose(seed)) for seed in range(700)])
    batch = arm.solve_batch(targets[:, :3, 3], link="panda_tcp", start="ready", max_iterations=300)
    assert batch.ok.mean() > 0.9 and len(batch) == 700
    for n in (0, 17, 699):
        single = arm.solve(targets[n, :3, 3], link="panda_tcp", start="ready", max_iterations=300)
        np.testing.assert_array_equal(batch.q[n], single.q)
        assert batch.outcome[n] == single.outcome and batch.iterations[n] == single.iterations
    whole = arm.solve_batch(targets, link="panda_tcp", start="ready")
    assert whole.ok.all()
    for threads in (2, 0):
        np.testing.assert_array_equal(arm.solve_batch(targets, link="panda_tcp", start="ready", threads=threads).q, whole.q)
    starts = np.stack([arm.random_pose(seed) for seed in range(700)])
    np.testing.assert_array_equal(arm.solve_batch(targets, link="panda_tcp", start=starts, max_iterations=0).q, starts)
    assert len(arm.solve_batch(np.zeros((0, 3)))) == 0
    again = pickle.loads(pickle.dumps(whole))
    np.testing.assert_array_equal(again.q, whole.q)
    with pytest.raises(armature.ArmatureError, match=r"\(N, 3\) for places"):
        arm.solve_batch(np.zeros((4, 5)), link="panda_tcp")


def test_progress_and_what_it_raises():
    arm = armature.load_model("panda")
    seen = []
    arm.solve_batch(np.full((600, 3), 0.3), link="panda_tcp", progress=seen.append)
    assert seen and seen[-1] == 1 and seen == sorted(seen)

    def stop(fraction):
        raise RuntimeError("enough")

    for threads in (1, 2):
        with pytest.raises(RuntimeError, match="enough"):
            arm.solve_batch(np.full((600, 3), 0.3), link="panda_tcp", progress=stop, threads=threads)


def test_solver_keeps_its_tables_and_takes_any_target():
    arm = armature.load_model("panda")
    solver = arm.solver(link="panda_tcp", start="ready", tolerance=1e-7)
    for seed in range(20):
        X = arm.transform("panda_tcp", arm.random_pose(seed))
        for target in (X, X[:3, 3]):
            report = solver.solve(target)
            assert report.ok and report.goals[0].type == ("pose" if len(target) == 4 else "position")
            np.testing.assert_array_equal(report.q, arm.solve(target, link="panda_tcp", start="ready", tolerance=1e-7).q)
    last = solver.solve(start=report.q)
    assert last.ok and last.iterations == 0
    solver = armature.load_model("human").solver(goals=[{"link": "left_hand", "target": [0.35, 0.2, 1.1]},
                                                        {"link": "right_hand", "target": [0.35, -0.2, 1.1]}])
    solver.set_target(1, [0.4, -0.25, 1.2])
    assert solver.solve().ok
    for goal, target in ((2, [0, 0, 1]), (0, [0, 0])):
        with pytest.raises(armature.ArmatureError):
            solver.set_target(goal, target) if goal else solver.set_target(goal, ["a", 0, 0])


def test_threads_run_side_by_side():
    arm = armature.load_model("panda")
    targets = np.stack([arm.transform("panda_tcp", arm.random_pose(seed)) for seed in range(300)])
    wanted = arm.solve_batch(targets, link="panda_tcp", start="ready").q
    found, problems = {}, []

    def work(number):
        try:
            solver = arm.solver(link="panda_tcp", start="ready")
            found[number] = np.stack([solver.solve(target).q for target in targets])
        except Exception as error:  # pylint: disable=broad-except
            problems.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    for answers in found.values():
        assert len(answers) == len(wanted)
        np.testing.assert_array_equal(answers, found[0])


def solve_elsewhere(arguments):
    model, target = arguments
    return model.solve(target, link="panda_tcp", start="ready")


def test_models_and_reports_go_to_other_processes():
    arm = armature.load_model("panda")
    targets = [arm.transform("panda_tcp", arm.random_pose(seed)) for seed in range(6)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        reports = pool.map(solve_elsewhere, [(arm, target) for target in targets])
    for report, target in zip(reports, targets):
        np.testing.assert_array_equal(report.q, arm.solve(target, link="panda_tcp", start="ready").q)
        assert report.ok and report.goals[0].reached


def test_all_solutions():
    ur5 = armature.load_model("ur5")
    q = ur5.random_pose(3)
    X = ur5.transform("tool0", q)
    found = ur5.solutions(X, start=q)
    assert len(found) == len(found.q) == len(found.residuals)
    np.testing.assert_allclose(found.q[0], q, atol=1e-7)
    for pose in found.q:
        np.testing.assert_allclose(ur5.transform("tool0", pose), X, atol=1e-6)
    few = ur5.solutions(X, within_limits=False)
    assert 0 < len(few) <= 8
    assert ur5.analyze_chain().kind == "P" and ur5.analyze_chain().exact
    assert pickle.loads(pickle.dumps(few)).complete
    assert few.kind == "P" and few.complete and "these are all" in few.message and few.curves == []
    hand = armature.load_model("human").solutions([0.3, 0.4, 1.2], link="left_hand", max_count=2)
    assert len(hand) > 0 and not hand.complete and hand.kind == "" and "found from" in hand.message


def test_scene_is_a_mapping_that_can_be_asked_written_and_sent(tmp_path):
    scene = armature.Scene("panda", [0.4, 0.2, 0.5], link="panda_tcp", start="ready", max_iterations=100)
    assert scene.solve().ok and scene.options == {"max_iterations": 100} and scene.locked is None
    wanted = scene.solve().q
    for other in (armature.Scene(**dict(scene)), pickle.loads(pickle.dumps(scene))):
        np.testing.assert_array_equal(other.solve().q, wanted)
    scene.save(tmp_path / "scene.json")
    loaded = armature.load_scene(tmp_path / "scene.json")
    np.testing.assert_array_equal(loaded.solve().q, wanted)
    assert loaded.model.name == "panda"
    report = scene.measure(wanted)
    assert report.ok and report.position_error < 1e-6
    assert not scene.measure("ready").ok
    basis = scene.null_space(wanted)
    assert basis.shape == (8, 4)
    np.testing.assert_allclose(scene.model.jacobian("panda_tcp", wanted)[:3] @ basis, 0, atol=1e-6)
    scene.goals[0]["target"] = [0.5, 0, 0.5]
    scene["method"] = "dls"
    assert scene.solve().method == "dls" and scene.solve(method="reach").method == "reach"
    scene.goals[0]["target"] = "nonsense"
    with pytest.raises(armature.ArmatureError, match=r"goals\[0\]\.target"):
        scene.solve()
    with pytest.raises(armature.ArmatureError, match="did you mean 'goals'"):
        scene.gaols = []
    with pytest.raises(armature.ArmatureError, match="did you mean 'locked'"):
        armature.Scene("panda", lockd=[])
    own = armature.Scene(armature.load_model("panda").scale(2), [0.8, 0.4, 1], link="panda_tcp")
    own.save(tmp_path / "own.json")
    assert armature.load_scene(tmp_path / "own.json").solve().ok


def level(state):
    """Both hands at one height, with its Jacobian."""
    left, right = state.transform("left_hand"), state.transform("right_hand")
    return [right[2, 3] - left[2, 3]], [state.jacobian("left_hand")[2] - state.jacobian("right_hand")[2]]


def test_goals_of_ones_own():
    human = armature.load_model("human")
    hand = {"link": "left_hand", "target": [0.35, 0.2, 1.1]}
    for function in (level, lambda state: level(state)[0], lambda state: level(state)[0][0],
                     lambda state: (np.array(level(state)[0]), np.array(level(state)[1])[0])):
        for method in ("auto", "dls", "follow"):
            report = human.solve(goals=[hand, {"type": "custom", "name": "level", "function": function}], locked=["root"],
                                 method=method)
            assert report.ok and report.goals[1].name == "level" and report.goals[1].reached
            z = [human.transform(link, report.q)[2, 3] for link in ("left_hand", "right_hand")]
            assert abs(z[0] - z[1]) < 1e-5
    # of anything: two joints that keep a ratio
    arm = armature.load_model("planar_arm")
    report = arm.solve(goals=[{"target": [10, 15]}, {"type": "custom", "function": lambda s: s.q[2] - 0.5 * s.q[1], "weight": 100}])
    assert report.ok and report.q[2] == pytest.approx(0.5 * report.q[1], abs=1e-5)
    assert arm.solve([10, 15], goals=None, method="ccd").ok
    refused = arm.solve(goals=[{"type": "custom", "function": lambda s: s.q[2]}], method="ccd")
    assert refused.outcome == "refused" and "custom" in refused.message


def test_what_a_goal_of_ones_own_raises_comes_through():
    arm = armature.load_model("planar_arm")
    calls = []

    def later(state):
        calls.append(1)
        if len(calls) > 4:
            raise LookupError("mine")
        return [1.0, 2.0]

    for method in ("auto", "dls", "follow"):
        calls.clear()
        with pytest.raises(LookupError, match="mine"):
            arm.solve(goals=[{"type": "custom", "function": later}], method=method)
    for wrong, words in ((lambda s: [], "1 to 6"), (lambda s: [1.0] * 7, "1 to 6"), (lambda s: "text", "custom goal"),
                         (lambda s: [float("nan")], "not finite"), (lambda s: ([1.0], [[1.0, 2.0]]), "3 columns"),
                         (lambda s: [1.0] * (1 + len(calls)), "returned")):
        calls.clear()
        function = wrong if words != "returned" else lambda s: calls.append(1) or [1.0] * min(len(calls), 3)
        with pytest.raises(armature.ArmatureError, match=words):
            arm.solve(goals=[{"type": "custom", "function": function}], method="dls")
    with pytest.raises(armature.ArmatureError, match="function"):
        arm.solve(goals=[{"type": "custom", "function": 0}])
    with pytest.raises(armature.ArmatureError, match="function"):
        arm.solve(goals=[{"type": "custom"}])


class Steepest(armature.Method):
    """Along the gradient."""
    name, label, options = "test_steepest", "Steepest descent", {"gain": {"default": 0.5, "min": 0, "max": 10, "doc": "How far"},
                                                                 "again": 3, "plain": True}

    def step(self, rows):
        assert isinstance(self.gain, float) and isinstance(self.again, int) and self.plain is True
        return 2 * self.gain / (rows.J ** 2).sum() * rows.J.T @ rows.error


class Broken(armature.Method):
    name = "test_broken"

    def step(self, rows):
        raise ZeroDivisionError("mine")


class BrokenOnce(armature.Method):
    name = "test_broken_once"
    steps = 0

    def step(self, rows):
        BrokenOnce.steps += 1
        if BrokenOnce.steps == 450:  # of 500 goals with a step or more each
            raise ZeroDivisionError("once")
        return None


class WrongSize(armature.Method):
    name = "test_wrong_size"

    def step(self, rows):
        return [1.0]


class Idle(armature.Method):
    name = "test_idle"

    def step(self, rows):
        return None


def test_a_goal_without_a_link_lists_the_ends():
    with pytest.raises(armature.ArmatureError, match="left_tip, right_tip"):
        armature.load_model("two_arms").solve([0.6, 0.2, 0.9])


def test_methods_of_ones_own():
    for method in (Steepest, Broken, WrongSize, Idle):
        armature.register_method(method)
    about = {method.name: method for method in armature.methods()}["test_steepest"]
    assert about.label == "Steepest descent" and about.doc == "Along the gradient." and about.options["gain"].max == 10
    scene = armature.Scene("planar_arm", [-20, 5], start="chapter", max_iterations=5000, tolerance=1e-3)
    rows = armature.compare(scene, ["test_steepest", "dls", "ccd", "reach"])
    assert [row.method for row in rows] == ["test_steepest", "dls", "ccd", "reach"] and all(row.report.ok for row in rows)
    assert [line.split()[:2] for line in str(rows).splitlines()[1:]] == [[row.method, "converged"] for row in rows]
    assert rows[0].errors[0] > rows[0].errors[-1] and rows[0].report.method == "test_steepest"
    assert armature.load_model("panda").solve([0.4, 0.1, 0.5], link="panda_tcp", method="test_steepest", gain=1.0,
                                              max_iterations=20000, tolerance=1e-4).ok
    arm = armature.load_model("planar_arm")
    with pytest.raises(ZeroDivisionError, match="mine"):
        arm.solve([1, 2], method="test_broken")
    for _ in range(20):  # whichever thread meets it first, none keeps it for a later call
        with pytest.raises(ZeroDivisionError, match="mine"):
            arm.solve_batch(np.ones((600, 3)), method="test_broken", threads=2)
        assert arm.solve([10, 15]).ok
    with pytest.raises(armature.ArmatureError, match="a change for each column"):
        arm.solve([1, 2], method="test_wrong_size")
    assert not arm.solve([1, 2], method="test_idle")
    armature.register_method(Steepest)  # once more, as a notebook's cell that is run again does
    for wrong in (3, int, type("T", (armature.Method,), {"name": "dls"}), type("T", (armature.Method,), {"name": "Bad Name"}),
                  type("T", (armature.Method,), {"name": "test_options", "options": {"a": "text"}})):
        with pytest.raises(armature.ArmatureError):
            armature.register_method(wrong)
    with pytest.raises(armature.ArmatureError, match="did you mean 'reach'"):
        armature.compare(scene, ["raech"])


def test_follower():
    arm = armature.load_model("panda")
    follower = arm.follower(link="panda_tcp", start="ready", velocity_scale=0.5, acceleration=10.0)
    target = arm.transform("panda_tcp", "ready")
    target[:3, 3] += [0.1, 0.1, -0.05]
    follower.set_target(0, target)
    q = arm.pose("ready")
    for _ in range(3000):
        step = follower.step(0.002)
        assert np.all(np.abs(arm.difference(q, step.q)) <= 0.5 * 0.002 * arm.velocity_limits * (1 + 1e-9))
        q = step.q
    np.testing.assert_allclose(arm.transform("panda_tcp", q), target, atol=1e-4)
    follower.set_target(0, target[:3, 3])  # a place keeps the rotation
    follower.stop()
    for _ in range(100):
        follower.step(0.01)
    assert follower.at_rest
    # A velocity instead of a target, until there is a target again.
    follower.resume()
    before = arm.transform("panda_tcp", q)
    follower.set_twist(0, [0, 0.1, 0], angular=[0, 0, 0.2])
    for _ in range(1000):
        step = follower.step(0.001)
    after = arm.transform("panda_tcp", step.q)
    np.testing.assert_allclose(after[:3, 3] - before[:3, 3], [0, 0.1, 0], atol=2e-3)
    turn = after[:3, :3] @ before[:3, :3].T
    assert abs(np.arctan2(turn[1, 0], turn[0, 0]) - 0.2) < 5e-3
    follower.set_target(0, before)
    for _ in range(1000):
        step = follower.step(0.002)
    np.testing.assert_allclose(arm.transform("panda_tcp", step.q), before, atol=1e-4)
    looks = arm.follower(goals=[{"type": "aim", "link": "panda_tcp", "target": [1, 0, 0.5]}], start="ready")
    for wrong in (lambda: follower.set_twist(0, [1, 2]), lambda: follower.set_twist(3, [0, 0, 0]),
                  lambda: follower.set_twist(0, [0, 0, 0], "x"), lambda: looks.set_twist(0, [0, 0, 0.1]),
                  lambda: follower.step(0), lambda: follower.step("a"), lambda: follower.set_target(1, target),
                  lambda: arm.follower(link="panda_tcp", method="dls"), lambda: arm.follower()):
        with pytest.raises(armature.ArmatureError):
            wrong()


def test_track_stops_where_reach_ends():
    arm = armature.load_model("two_link")  # 1 + 0.8 or so: what it measures decides the fraction
    reach = sum(np.linalg.norm(arm.transform(b, arm.pose())[:3, 3] - arm.transform(a, arm.pose())[:3, 3])
                for a, b in zip(arm.links, arm.links[1:]))
    line = {"points": [[0.5 * reach, 0, 0], [1.5 * reach, 0, 0]], "duration": 2}
    motion = arm.track([{"type": "position", "link": "tip", "path": line}], stop=True)
    assert abs(motion.fraction - 0.5) < 0.01 and not motion.ok and not motion.not_reached and len(motion) < 61
    whole = arm.track([{"type": "position", "link": "tip", "path": line}])
    assert whole.fraction == 1 and not whole.ok and len(whole) == 61
    scene = armature.Scene(model=arm, goals=[{"type": "position", "link": "tip", "path": line}], stop=True)
    assert abs(scene.track().fraction - motion.fraction) < 1e-12


def test_workspace():
    arm = armature.load_model("two_link")
    space = arm.workspace(tip="tip", cells=40, samples=20000, threads=2)
    assert space.reachable.shape == space.grid.shape and space.reachable.sum() == space.reachable_cells
    again = pickle.loads(pickle.dumps(space))
    np.testing.assert_array_equal(again.reachable, space.reachable)
    assert again.volume == space.volume == arm.workspace(tip="tip", cells=40, samples=20000, threads=1).volume
    seen = []
    panda = armature.load_model("panda")
    assert panda.workspace(tip="panda_tcp", cells=6, samples=2000, orientations=3, progress=seen.append).mean_dexterity > 0 and seen
    with pytest.raises(armature.ArmatureError, match="did you mean 'samples'"):
        arm.workspace(sampels=3)


def test_an_interrupted_workspace_goes_on_from_its_checkpoint(tmp_path):
    arm = armature.load_model("two_link")
    wanted = arm.workspace(tip="tip", cells=30, samples=400000)
    calls = []

    def stop(fraction):
        calls.append(fraction)
        if len(calls) == 2:
            raise KeyboardInterrupt

    kept = tmp_path / "kept"
    with pytest.raises(KeyboardInterrupt):
        arm.workspace(tip="tip", cells=30, samples=400000, checkpoint=kept, progress=stop, threads=1)
    assert kept.exists()
    np.testing.assert_array_equal(arm.workspace(tip="tip", cells=30, samples=400000, checkpoint=kept).reachable, wanted.reachable)
    with pytest.raises(armature.ArmatureError, match="another run"):
        arm.workspace(tip="tip", cells=31, samples=400000, checkpoint=kept)


def test_solve_targets_is_solve_batch_by_files(tmp_path):
    arm = armature.load_model("panda")
    rng = np.random.default_rng(3)
    targets = np.hstack([rng.uniform([0.3, -0.3, 0.2], [0.6, 0.3, 0.6], size=(500, 3)), np.tile([1.0, 0, 0, 0], (500, 1))])
    targets[::50, 0] += 5
    np.savez(tmp_path / "in.npz", targets=targets, id=np.arange(500))
    seen = []
    summary = arm.solve_targets(tmp_path / "in.npz", tmp_path / "out.npz", link="panda_tcp", start="ready", threads=2,
                                progress=seen.append)
    batch = arm.solve_batch(targets, link="panda_tcp", start="ready", threads=2)
    with np.load(tmp_path / "out.npz") as answers:
        assert (answers["q"] == batch.q).all() and (answers["ok"] == batch.ok).all()
        assert answers["outcomes"][answers["outcome"]].tolist() == batch.outcome
        assert (answers["id"] == np.arange(500)).all()
    assert summary.goals == 500 and summary.reached == batch.ok.sum() and summary.causes["beyond"] == 10
    assert seen and seen == sorted(seen)

    def stop(_):
        raise KeyError("enough")
    with pytest.raises(KeyError, match="enough"):
        arm.solve_targets(tmp_path / "in.npz", tmp_path / "stopped.npz", link="panda_tcp", start="ready", threads=1, progress=stop)
    assert (tmp_path / "stopped.npz.part").exists() and not (tmp_path / "stopped.npz").exists()
    arm.solve_targets(tmp_path / "in.npz", tmp_path / "stopped.npz", link="panda_tcp", start="ready")
    assert (tmp_path / "stopped.npz").read_bytes() == (tmp_path / "out.npz").read_bytes()
    assert not (tmp_path / "stopped.npz.part").exists()
    with pytest.raises(armature.ArmatureError, match=r"written as \.npz"):
        arm.solve_targets(tmp_path / "in.npz", tmp_path / "answers.mat")
    armature.register_method(BrokenOnce)
    for _ in range(20):  # in the last piece, on whichever thread
        BrokenOnce.steps = 0
        with pytest.raises(ZeroDivisionError, match="once"):
            arm.solve_targets(tmp_path / "in.npz", tmp_path / "broken.npz", link="panda_tcp", start="ready", threads=2, method="test_broken_once")
        assert not (tmp_path / "broken.npz").exists()
        (tmp_path / "broken.npz.part").unlink(missing_ok=True)


def test_batch_does_not_depend_on_threads():
    arm = armature.load_model("ur5")
    targets = np.stack([arm.transform(arm.effectors[0], arm.random_pose(seed)) for seed in range(600)])
    one = arm.solve_batch(targets, threads=1)
    for threads in (2, 7, 8):
        many = arm.solve_batch(targets, threads=threads)
        assert (many.q == one.q).all() and many.outcome == one.outcome
    spaces = [arm.workspace(cells=8, samples=4000, orientations=3, threads=threads) for threads in (1, 2, 7, 8)]
    for space in spaces[1:]:
        assert (space.hits == spaces[0].hits).all() and (space.dexterity == spaces[0].dexterity).all()


def test_solve_keeps_tables_and_gives_what_a_new_model_gives():
    targets = [[0.4, 0.1 * k, 0.5, 1, 0, 0, 0] for k in range(-2, 3)]
    arm = armature.load_model("panda")
    for target in targets + targets:
        fresh = armature.load_model("panda").solve(target, link="panda_tcp", start="ready")
        kept = arm.solve(target, link="panda_tcp", start="ready")
        other = arm.solve(target, link="panda_hand", start="ready", locked=["panda_joint1"])
        assert (kept.q == fresh.q).all() and kept.outcome == fresh.outcome and kept.iterations == fresh.iterations
        assert other.q[0] == arm.pose("ready")[0]
    times = sorted(arm.solve(targets[0], link="panda_tcp", start="ready").microseconds for _ in range(50))
    first = sorted(armature.load_model("panda").solve(targets[0], link="panda_tcp", start="ready").microseconds for _ in range(5))
    assert times[25] * 4 < first[2], (times[25], first[2])


def test_placements():
    arm = armature.load_model("two_link")
    targets = np.array([[2.0, 0.8, 0], [2.0, -0.8, 0]])
    seen = []
    found = arm.placements(targets, tip="tip", cells=20, headings=2, threads=2, progress=seen.append)
    assert found.most == 2 and found.reached.shape == (*found.grid.shape, 2) and seen
    x, y = found.best[:2, 3]
    for target in targets:
        assert 0.2 <= np.hypot(*(target[:2] - [x, y])) <= 1.8
        inside = np.linalg.inv(found.best) @ [*target, 1]
        assert arm.solve(inside[:3], link="tip").ok
    np.testing.assert_array_equal(arm.placements(targets, tip="tip", cells=20, headings=2, threads=1).reached, found.reached)
    panda = armature.load_model("panda")
    poses = np.tile(panda.transform("panda_tcp", "ready"), (2, 1, 1))
    poses[1, 0, 3] += 0.1
    assert panda.placements(poses, tip="panda_tcp", cells=8, headings=4).most == 2
    with pytest.raises(ValueError, match="targets must be"):
        arm.placements([[1, 2]])
    with pytest.raises(ValueError, match="headings"):
        arm.placements(targets, tip="tip", headings=0)


def test_frames_and_jacobians_of_many_poses_are_those_of_single_ones():
    for name in ("panda", "human", "scara"):
        model = armature.load_model(name)
        q = np.array([model.random_pose(seed) for seed in range(45)])
        frames = model.forward(q)
        np.testing.assert_array_equal(frames, [model.forward(row) for row in q])
        link, base = model.links[-1], model.links[1]
        np.testing.assert_array_equal(model.forward(q, links=[link, base, link], base=base),
                                      [model.forward(row, links=[link, base, link], base=base) for row in q])
        np.testing.assert_allclose(model.jacobian(link, q, point=[0.1, 0, 0.2]),
                                   [model.jacobian(link, row, point=[0.1, 0, 0.2]) for row in q], atol=1e-14)


def test_workspace_region_cone_and_query():
    arm = armature.load_model("two_link")
    space = arm.workspace(tip="tip", region=([0, 0, -1], [9, 9, 1]), cells=40, samples=4000)
    assert space.volume == pytest.approx(np.pi * (1.8 ** 2 - 0.2 ** 2) / 4, rel=0.05)
    assert space.query([[1, 0.5, 0], [3, 0, 0], [0.05, 0, 0]]).tolist() == [1, 0, 0]
    again = pickle.loads(pickle.dumps(space))
    assert again.volume == space.volume and again.grid.cell == space.grid.cell and again.grid.shape == space.grid.shape
    panda = armature.load_model("panda")
    box = dict(tip="panda_tcp", region=([0.4, -0.1, 0.2], [0.6, 0.1, 0.4]), cells=3, samples=2000, orientations=16)
    assert panda.workspace(cone=0.3, **box).mean_dexterity > panda.workspace(**box).mean_dexterity
    with pytest.raises(armature.ArmatureError, match="outside"):
        arm.workspace(tip="tip", region=([7, 7, -1], [9, 9, 1]))


def test_a_ball_at_its_cone_is_called_by_the_joint_s_name():
    """It was called `shoulder.qx`, which is a number of its quaternion and no limit."""
    arm = armature.load_model({"name": "ball", "links": ["body", "arm"], "joints": [
        {"name": "shoulder", "type": "spherical", "parent": "body", "child": "arm", "limits": {"cone": {"axis": [0, 0, 1], "swing": 0.5}}}]})
    report = arm.solve(goals=[{"type": "orientation", "link": "arm", "target": {"rpy": [2, 0, 0]}}])
    assert not report and "hold back shoulder." in report.message
    for contacts in (report.joints_at_limits, report.blocking_joints):
        assert [(contact["joint"], contact["side"]) for contact in contacts] == [("shoulder", "cone")]
