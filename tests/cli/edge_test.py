"""The shared odd and broken files through the command line: sound ones are sound, bad ones end in exit code 1 with a sentence that names the file.

Words and numbers behind each choice are tested beside the readers (tests/formats); the choices are in docs/formats.
"""
import json
import os
import resource
import subprocess

from harness import PROGRAM, main, run, shared_data

# Files that EXPECTED.json leaves to us, or where what it says begins with something else than its verdict.
ACCEPTED = """urdf/drake_models__pr2_simplified urdf/dart__missing_package urdf/authored__revolute_no_limit
  urdf/authored__prismatic_no_limit urdf/authored__no_robot_name bvh/authored__row_wrapped_over_two_lines
  bvh/authored__no_motion_section bvh/authored__name_with_space bvh/authored__duplicate_joint_names""".split()
REFUSED = """urdf/spot_ros__spot_arm_fragment urdf/authored__lower_greater_than_upper urdf/authored__mimic_unknown_joint
  urdf/authored__entity_bomb""".split()


def expected_code(case):
    name = os.path.splitext(case["file"])[0]
    if name in ACCEPTED:
        return 0
    if name in REFUSED:
        return 1
    verdict = case.get("upstream_expectation") or case["suggested"]
    words = verdict.replace(":", " ").replace(";", " ").replace(",", " ").split()
    assert words[0] in ("accept", "reject", "valid", "errors"), f"not decided: {case}"
    return 0 if words[0] in ("accept", "valid") else 1


def cases():
    path = shared_data("edge/EXPECTED.json")
    with open(path, encoding="utf-8") as file:
        return [(os.path.join(os.path.dirname(path), case["file"]), expected_code(case)) for case in json.load(file)]


def test_every_case_ends_as_expected():
    seen = {0: 0, 1: 0}
    for path, code in cases():
        out, err = run("check", path, code=code)
        assert all(line.startswith("note: ") for line in err.splitlines()), err
        lines = out.splitlines()
        if code == 0:
            assert len(lines) == 1 and lines[0].endswith(": sound"), out
        else:
            problems = lines[1:]
            assert problems and all(os.path.basename(path) in problem for problem in problems), out
            assert all(problem.endswith((".", "?")) for problem in problems), out
        seen[code] += 1
    assert sum(seen.values()) == 151, seen


def test_refusals_of_convert_leave_nothing_behind():
    for path, code in cases()[::5]:
        out, err = run("convert", path, "out.json", code=2 * code)
        if code == 1:
            assert out == "" and err.count("\n") == 1 and os.path.basename(path) in err, err


def test_bombs_stay_small():
    """Entities and claims of frames that would take gigabytes: refused at once, within 50 MB."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
    for name in ("urdf/authored__entity_bomb.urdf", "bvh/authored__huge_frame_count.bvh"):
        path = shared_data("edge/" + name)
        with subprocess.Popen([PROGRAM, "check", path], stdout=subprocess.DEVNULL, preexec_fn=limited) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 1, process.returncode
        assert usage.ru_maxrss < 50_000, f"{usage.ru_maxrss} kB"


main()
