"""Runs the command line for the tests of tests/cli (python3's standard library only).

A test file ends with `main()`. Every function named test_* runs; run() checks the exit code.
ARMATURE names the program, ARMATURE_ROOT the project, ARMATURE_DATA the shared data (see tests/support/data.hpp).
"""
import json
import os
import subprocess
import sys
import tempfile
import traceback

PROGRAM = os.environ["ARMATURE"]
ROOT = os.environ.get("ARMATURE_ROOT", ".")
FOLDER = None  # a fresh folder for each test


class Skip(Exception):
    """The test cannot run here; its text says why."""


def run(*arguments, code=0, stdin="", env=None):
    """Runs `armature ARGUMENTS`; returns (stdout, stderr) and fails on another exit code."""
    environment = dict(os.environ, **(env or {}))
    done = subprocess.run([PROGRAM, *arguments], input=stdin.encode(), capture_output=True, cwd=FOLDER,
                          env=environment, timeout=120, check=False)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == code, f"armature {' '.join(arguments)}: exit {done.returncode}, not {code}\n{out}{err}"
    return out, err


def run_json(*arguments, **options):
    return json.loads(run(*arguments, "--json", **options)[0])


def run_lines(*arguments, **options):
    return [json.loads(line) for line in run(*arguments, "--json", **options)[0].splitlines()]


def refuses(*arguments, words=(), **options):
    """Exit code 2, nothing on stdout, one sentence on stderr that holds all words."""
    out, err = run(*arguments, code=2, **options)
    assert out == "", f"stdout of a refusal: {out}"
    assert err.startswith("armature: "), err
    assert err.count("\n") == 1, f"one line, please: {err}"
    for word in words:
        assert word in err, f"{word!r} is missing in: {err}"
    return err


def write(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def shared_data(name):
    path = os.path.join(os.environ.get("ARMATURE_DATA", os.path.join(ROOT, "../shared/data")), name)
    if not os.path.exists(path):
        raise Skip(f"needs the shared data file '{name}'")
    return os.path.abspath(path)


def close(a, b, tolerance):
    assert len(a) == len(b), (len(a), len(b))
    worst = max((abs(x - y) for x, y in zip(a, b)), default=0.0)
    assert worst <= tolerance, f"differs by {worst}"


def main():
    global FOLDER
    tests = {name: value for name, value in sys.modules["__main__"].__dict__.items() if name.startswith("test_")}
    failures = 0
    for name, test in tests.items():
        with tempfile.TemporaryDirectory() as FOLDER:
            try:
                test()
                print(f"ok       {name}")
            except Skip as why:
                print(f"SKIPPED: {name} {why}")
            except Exception:  # every kind of failure is reported, and the other tests still run
                failures += 1
                print(f"FAILED   {name}\n{traceback.format_exc()}")
    print(f"{len(tests) - failures} of {len(tests)} tests passed")
    sys.exit(1 if failures or not tests else 0)
