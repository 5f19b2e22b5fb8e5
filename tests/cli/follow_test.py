"""armature follow: a stream of targets in, poses within the limits out; JSON and tables, also through a pipe."""
import json

from harness import close, main, refuses, run, write

LOOP = ["follow", "ur5", "--start", "ready", "--frame-rate", "100"]
ROWS = ["0.4,0.1,0.4", "0.4,0.1,0.41"] + 250 * ["0.4,0.1,0.42"]


def answers(*arguments, **options):
    return [json.loads(line) for line in run(*arguments, **options)[0].splitlines()]


def test_a_table_and_json_from_a_pipe_are_followed_alike():
    table = "\n".join(ROWS) + "\n"
    lines = "".join(json.dumps({"target": [float(x) for x in row.split(",")]}) + "\n" for row in ROWS)
    from_table = answers(*LOOP, "--targets", "-", stdin=table)
    assert len(from_table) == len(ROWS)
    assert from_table == answers(*LOOP, "--targets", "-", stdin=lines)
    assert from_table == answers(*LOOP, "--targets", "-", stdin="x,y,z\n" + table)
    assert from_table == answers(*LOOP, "--targets", write("rows.csv", table))


def test_velocity_limits_hold_in_every_tick():
    # One target that jumps: it is walked to.
    rows = "0.4,0.1,0.4\n" * 5 + "-0.4,0.3,0.5\n" * 300
    ticks = answers(*LOOP, "--targets", "-", "--velocity-scale", "0.25", stdin=rows)
    before = None
    for tick in ticks:
        if before is not None:
            close([(b - a) * 100 for a, b in zip(before, tick["q"])], tick["velocity"], 1e-6)
        before = tick["q"]
    assert ticks[-1]["ok"] and not ticks[6]["ok"]


def test_limits_of_the_call_take_the_place_of_the_models():
    scene = write("slow.json", json.dumps({"model": "ur5", "start": "ready", "limits": {"shoulder_pan_joint": {"velocity": 0.2}}}))
    rows = "0.4,0.1,0.4\n" * 5 + "-0.4,0.3,0.5\n" * 100
    ticks = answers("follow", "--scene", scene, "--frame-rate", "100", "--targets", "-", stdin=rows)
    assert 0.19 < max(abs(tick["velocity"][0]) for tick in ticks) <= 0.2
    assert max(abs(v) for tick in ticks for v in tick["velocity"][1:]) > 0.5
    for bad, word in ((-1, "above 0"), ([1, 2], "2"), ("fast", "number")):
        wrong = json.dumps({"model": "ur5", "limits": {"shoulder_pan_joint": {"velocity": bad}}})
        refuses("follow", "--scene", write("bad.json", wrong), "--targets", "-", stdin=rows, words=[word])


def test_a_target_far_out_of_reach_is_told_in_metres():
    ticks = answers(*LOOP, "--targets", "-", stdin="9,0,0\n" * 200)
    assert " m short" in ticks[-1]["message"] and "e+" not in ticks[-1]["message"], ticks[-1]["message"]


def test_mistakes_name_the_line():
    refuses(*LOOP, "--targets", write("bad.csv", "0.4,zero,0.4\n"), words=["bad.csv, line 1"])
    refuses(*LOOP, "--targets", "-", stdin="0.4,zero,0.4\n", words=["Standard input, line 1"])


main()
