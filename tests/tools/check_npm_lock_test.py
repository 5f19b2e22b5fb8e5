"""What is installed beside the lock file must be noticed."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
from check_npm_lock import problems_of  # noqa: E402

LOCK = {"packages": {"": {"name": "page"}, "node_modules/a": {"version": "1.0.0", "integrity": "sha512-a"},
                     "node_modules/b": {"version": "2.0.0", "integrity": "sha512-b", "optional": True}}}


class CheckNpmLock(unittest.TestCase):
    def check(self, **packages):
        return " ".join(problems_of(LOCK, {"packages": {f"node_modules/{name}": package for name, package in packages.items()}}))

    def test_the_same(self):
        self.assertEqual(self.check(a={"version": "1.0.0", "integrity": "sha512-a"}), "")

    def test_others(self):
        good = {"version": "1.0.0", "integrity": "sha512-a"}
        self.assertIn("another hash", self.check(a={"version": "1.0.1", "integrity": "sha512-a"}))
        self.assertIn("another hash", self.check(a={"version": "1.0.0", "integrity": "sha512-x"}))
        self.assertIn("not in the lock file", self.check(a=good, c={"version": "1.0.0", "integrity": "sha512-c"}))
        self.assertIn("not installed", self.check(b={"version": "2.0.0", "integrity": "sha512-b"}))


if __name__ == "__main__":
    unittest.main()
