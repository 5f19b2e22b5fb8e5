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


def without_times(answer):
    for chain in answer["rows"]:
        for solver in chain["solvers"]:
            for key in [key for key in solver if key.endswith("_us")]:
                assert solver.pop(key) >= 0
    return answer


def test_answers_do_not_depend_on_threads():
    # Methods that miss goals, so that the misses are compared, too.
    work = ("bench", "ik", *ARM, "--poses", "300", "--max-time", "10", "--methods", "reach,dls", "--no-peers")
    answers = [without_times(run_json(*work, "--threads", threads, code=1)) for threads in ("1", "2", "5")]
    assert answers[0] == answers[1] == answers[2]
    dls = answers[0]["rows"][0]["solvers"][2]
    assert dls["solver"] == "dls" and 0 < len(dls["misses"]) == 300 - dls["solved"], dls["solved"]


def test_compare_over_targets():
    write("targets.csv", "x,y,z\n" + "".join(f"{0.3 + 0.002 * k},{0.2 - 0.003 * k},{0.4 + 0.001 * k}\n" for k in range(150)) + "5,0,0\n")
    work = ("compare", "panda", "--tip", "panda_tcp", "--targets", "targets.csv")
    answers = []
    for threads in ("1", "2", "5"):
        answer = run_json(*work, "--threads", threads)
        for row in answer["rows"]:
            times = row.pop("microseconds", None)
            assert "refused" in row or 0 < times[0] <= times[1] <= times[2] <= times[3], row
        answers.append(answer)
    assert answers[0] == answers[1] == answers[2]
    rows = {row["method"]: row for row in answers[0]["rows"]}
    assert rows["reach"]["goals"] == 151 and rows["reach"]["reached"] == 150 and rows["reach"]["outcomes"]["unreachable"] == 1
    assert 4 < rows["reach"]["mean_error"] < 5, "the mean over those that are not reached"
    assert "refused" in rows["two_link"] and len(rows) > 10
    out, _ = run(*work, "--methods", "reach,dls")
    assert "reach" in out and "150" in out and "ccd" not in out
    refuses("compare", "panda", "--goal", "0.4,0,0.5", "--threads", "2", words=["--targets"])
    refuses(*work, "-o", "plot.svg", words=["--targets"])
    refuses(*work, "--methods", "nosuch", words=["nosuch"])


def test_mistakes_are_named():
    refuses("bench", "ik", words=["MODEL", "--robots"])
    refuses("bench", "ik", "panda", "--tip", "nosuch", words=["nosuch", "panda_link8"])
    refuses("bench", "ik", *ARM, "--methods", "nosuch", words=["nosuch"])
    refuses("bench", "ik", "--robots", "nowhere.json", words=["nowhere.json"])
    refuses("bench", "ik", "panda", "--tipp", "x", words=["--tip"])


if __name__ == "__main__":
    main()
