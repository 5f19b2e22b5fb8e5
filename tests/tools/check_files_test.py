"""The file check must notice what does not belong, tracked or about to be, and let the repository's own files pass."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).parents[2] / "tools/check_files.py"


def strays(names, track=True):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        for name in names:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
        if track:
            subprocess.run(["git", "-C", folder, "add", "-f", "."], check=True)
        done = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        assert (done.returncode == 0) == (done.stdout == ""), done
        return [line.split(":")[0] for line in done.stdout.splitlines()]


class CheckFiles(unittest.TestCase):
    def test_own_files(self):
        self.assertEqual(strays(["README.md", "run", "src/armature/base/a.hpp", "apps/studio/.npmrc", "docs/a b.md",
                                 "tests/fuzz/corpus/bvh/seed-1", "bindings/wasm/CMakeLists.txt"]), [])

    def test_what_tools_leave_behind(self):
        names = ["isolate-0x23474d40-8830-v8.log", "core", "src/armature/base/a.cpp.orig", "tests/fuzz/corpus/bvh/x.log", "tools/x.pyc"]
        self.assertEqual(sorted(strays(names)), sorted(names))
        self.assertEqual(strays(["notes.txt"], track=False), ["notes.txt"])

    def test_right_kind_in_the_wrong_place(self):
        self.assertEqual(strays(["a.cpp", "models/a.urdf", "elsewhere/a.hpp"]), ["a.cpp", "elsewhere/a.hpp", "models/a.urdf"])


if __name__ == "__main__":
    unittest.main()
