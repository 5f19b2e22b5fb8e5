"""The progress of builds (tools/lib.sh) is shown while ninja works, not when a buffer is full."""
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).parents[2]


class Progress(unittest.TestCase):
    def test_lines_come_at_once(self):
        with subprocess.Popen(["bash", "-c", "set -eu; . tools/lib.sh; build_progress dev"], cwd=ROOT, text=True, bufsize=1,
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE) as shell:
            shell.stdin.write("configuring\n[1/10] Building a\n")
            self.assertEqual(shell.stderr.readline(), "  building dev: 10 %\n")  # waits for ever when the shell waits for more input
            shell.stdin.write("[10/10] Linking b\n")
            rest = shell.communicate()[1]
        self.assertEqual((rest, shell.returncode), ("  building dev: 100 %\n", 0))


if __name__ == "__main__":
    unittest.main()
