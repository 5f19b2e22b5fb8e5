"""What tests of the command line share. A test file is a unittest program: tests/cli/NAME_test.py, found by the build.

    import unittest
    import cli

    class Info(unittest.TestCase):
        def test_lists_links(self):
            done = cli.run("info", "two_link", "--json")
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual(done.json()["dof"], 2)

    if __name__ == "__main__":
        unittest.main()
"""
import dataclasses
import json
import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ARMATURE", str(ROOT / "build/dev/armature"))


@dataclasses.dataclass
class Done:
    code: int
    out: str
    err: str

    def json(self):
        return json.loads(self.out)

    def json_lines(self):
        return [json.loads(line) for line in self.out.splitlines() if line.strip()]


def run(*arguments, stdin: str = "", timeout: float = 120, **keywords) -> Done:
    """Runs `armature ARGUMENTS` to its end."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=timeout, **keywords)
    return Done(done.returncode, done.stdout, done.stderr)


def data(name: str) -> pathlib.Path:
    """A file of the shared collection; skips the test when it is not there."""
    path = pathlib.Path(os.environ.get("ARMATURE_DATA", ROOT.parent / "shared/data")) / name
    if not path.exists():
        raise unittest.SkipTest(f"needs the shared data file '{name}'")
    return path
