"""armature follow: a stream of targets in, a stream of poses out; armature track --stop."""
import json

from harness import main, run, run_json, write


def ticks(*args, targets, code=0):
    out, _ = run("follow", *args, "--targets", write("targets.csv", "\n".join(",".join(map(str, t)) for t in targets) + "\n"), code=code)
    return [json.loads(line) for line in out.splitlines()]


def test_velocity_and_acceleration_limits_hold_every_tick_and_the_target_is_caught():
    rate = 200
    targets = [[0.5, min(0.001 * k, 0.2), 0.4] for k in range(400)]
    answers = ticks("panda", "--tip", "panda_tcp", "--frame-rate", str(rate), "--acceleration", "15", targets=targets)
    assert len(answers) == len(targets)
    limits = [2.175] * 4 + [2.61] * 3
    before = None
    for answer in answers:
        for joint, limit in enumerate(limits):
            assert abs(answer["velocity"][joint]) <= limit * (1 + 1e-9), (answer["time"], joint)
            if before:
                moved = (answer["q"][joint] - before["q"][joint]) * rate
                assert abs(moved - answer["velocity"][joint]) < 1e-6, "velocity is what the poses say"
                change = abs(answer["velocity"][joint] - before["velocity"][joint]) * rate
                assert change <= 15 * (1 + 1e-6), (answer["time"], joint, change)
        before = answer
    assert not answers[0]["ok"] and "on its way" in answers[0]["message"]
    assert answers[-1]["ok"] and answers[-1]["position_error"] < 1e-5


def test_a_target_out_of_reach_is_followed_as_far_as_possible():
    answers = ticks("ur5", targets=[[0.4 + 0.01 * k, 0.1, 0.4] for k in range(300)], code=1)
    assert not answers[-1]["ok"]
    jumps = max(abs(b - a) for one, two in zip(answers, answers[1:]) for a, b in zip(one["q"], two["q"]))
    assert jumps < 0.04, jumps  # 3.14 rad/s at 100 ticks a second


def test_lines_that_change_their_type_are_refused():
    name = write("mixed.jsonl", '{"target": [0.4, 0.1, 0.4]}\n{"target": [0.4, 0.1, 0.4, 0, 0, 0, 1]}\n')
    out, err = run("follow", "ur5", "--targets", name, code=2)
    assert len(out.splitlines()) == 1 and "line 2" in err and "type pose" in err, (out, err)


def test_stop_ends_at_the_last_point_that_is_reached_and_says_the_fraction():
    path = {"curve": "line", "points": [[0.4, 0.1, 0.4], [1.4, 0.1, 0.4]], "duration": 2}
    goals = json.dumps([{"type": "position", "link": "tool0", "path": path}])
    stopped = run_json("track", "ur5", "--goals", goals, "--stop")
    assert stopped["ok"] and stopped["not_reached"] == []
    whole = json.loads(run("track", "ur5", "--goals", goals, "--json", code=1)[0])
    assert whole["not_reached"] and whole["frames"] > stopped["frames"]
    assert 0.3 < stopped["fraction"] < 0.6
    near = json.dumps([{"type": "position", "link": "tool0", "path": {**path, "points": [[0.4, 0.1, 0.4], [0.5, 0.1, 0.4]]}}])
    assert run_json("track", "ur5", "--goals", near, "--stop")["fraction"] == 1


main()
