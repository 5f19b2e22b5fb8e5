"""armature bench ik: the table, the JSON, lists of chains, misses that can be tried again, mistakes named."""
import json

from harness import main, refuses, run, run_json, run_lines, write

ARM = ("panda", "--base", "panda_link0", "--tip", "panda_link8")


def test_json_counts_every_pose():
    chain = run_json("bench", "ik", *ARM, "--poses", "200", "--max-time", "1", "--no-peers")["rows"][0]
    assert chain["joints"] == 7
    assert [solver["solver"] for solver in chain["solvers"]] == ["reach", "reach batch"]
    for solver in chain["solvers"]:
        assert solver["solved"] == solver["poses"] == 200, solver
        assert solver["inside_limits_share"] == 1.0
        assert solver["misses"] == []


def test_misses_can_be_tried_again():
    # Plain transposed steps in a twentieth of a millisecond: most goals are missed.
    out, _ = run("bench", "ik", *ARM, "--poses", "5", "--methods", "transpose", "--max-time", "5e-5", "--no-batch",
                 "--no-peers", "--misses", "missed", code=1)
    assert "to try them again" in out
    lines = [word for word in out.split() if word.endswith(".jsonl")]
    assert len(lines) == 1, out
    answers = run_lines("ik", *ARM, "--targets", lines[0])[:-1]
    assert 1 <= len(answers) <= 5
    assert all(answer["outcome"] == "converged" for answer in answers)


def test_list_of_chains():
    run("convert", "panda", "arm.json")
    write("robots.json", json.dumps({"robots": [{"file": "arm.json", "chains": [
        {"base": "panda_link0", "tip": "panda_link8", "label": "arm", "dof": 7}, {"tip": "panda_link3", "dof": 3}]}]}))
    out, _ = run("bench", "ik", "--robots", "robots.json", "--poses", "50", "--max-time", "1", "--no-peers",
                 "--no-batch", "--markdown")
    assert "| arm, arm | 7 | reach | 50 | 100.00 |" in out, out
    assert "panda_link3" not in out


def test_mistakes_are_named():
    refuses("bench", "ik", words=["MODEL", "--robots"])
    refuses("bench", "ik", "panda", "--tip", "nosuch", words=["nosuch", "panda_link8"])
    refuses("bench", "ik", *ARM, "--methods", "nosuch", words=["nosuch"])
    refuses("bench", "ik", "--robots", "nowhere.json", words=["nowhere.json"])
    refuses("bench", "ik", "panda", "--tipp", "x", words=["--tip"])


if __name__ == "__main__":
    main()
