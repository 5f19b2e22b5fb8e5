"""bench/report.py: the page is made of measured figures alone, and docs/benchmarks.md is such a page."""
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REPORT = os.path.join(ROOT, "bench", "report.py")
KEPT = os.path.join(ROOT, "docs", "benchmarks.json")


def report(*arguments, out):
    done = subprocess.run([sys.executable, "-B", REPORT, *arguments, "-o", out], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with open(out, encoding="utf-8") as file:
        return file.read()


def program(path, text):
    """A program that prints `text`, whatever it is asked."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!{sys.executable}\nprint({text!r})\n")
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


def tables(page):
    """Every table of the page, as rows of cells; fails where a row has another width than its head."""
    found = []
    for block in re.findall(r"(?:^\|.*\|\n)+", page, re.M):
        rows = [line[1:-1].split("|") for line in block.splitlines()]
        assert len({len(row) for row in rows}) == 1, block
        found.append([[cell.strip() for cell in row] for row in rows])
    return found


class ReportTest(unittest.TestCase):
    def test_medians_and_spread_of_what_the_programs_say(self):
        def repetitions(name, times, **counters):
            return [{"run_name": name, "run_type": "iteration", "cpu_time": t, "real_time": 9e9, "time_unit": "us", **counters} for t in times]
        with tempfile.TemporaryDirectory() as folder:
            rows = (repetitions("single_from_middle", [2.5, 2.0, 40.0, 2.25, 2.75])
                    + repetitions("batch_of_1000", [700.0] * 5, items_per_second=1.25e6)
                    + [{"run_name": "single_from_middle", "run_type": "aggregate", "cpu_time": 1.0, "time_unit": "us"}])
            program(os.path.join(folder, "bench_reach_bench"), json.dumps({"benchmarks": rows}))
            out = os.path.join(folder, "page.md")
            page = report("--build", folder, "--only", "Reach,Figure", out=out)
            self.assertIn("| one solve to 1e-5 from the middle of the limits | 2.50 (2.25 to 2.75) us |", page)
            self.assertIn("| 1,000 goals together to 1e-5 from the middle, each | 0.800 (0.800 to 0.800) us |", page)
            self.assertIn("- The whole figure: bench_human_bench is not built.", page)
            self.assertNotIn(folder, page)
            # The same page comes from the figures that were kept.
            self.assertEqual(report("--from", os.path.join(folder, "page.json"), out=os.path.join(folder, "again.md")), page)

    @unittest.skipUnless(os.path.exists(KEPT), "bench/report.py has not written docs/benchmarks.md yet")
    def test_the_page_in_the_repository_is_the_programs(self):
        with open(os.path.join(ROOT, "docs", "benchmarks.md"), encoding="utf-8") as file:
            page = file.read()
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(report("--from", KEPT, out=os.path.join(folder, "page.md")), page,
                             "docs/benchmarks.md was edited by hand: bench/report.py writes it")
        with open(KEPT, encoding="utf-8") as file:
            figures = json.load(file)
        self.assertFalse(figures["quick"])
        self.assertGreater(len(tables(page)), 5)
        self.assertIsNone(re.search(r"/(home|work|tmp|root|usr)/", page + json.dumps(figures)), "a path of some machine")


if __name__ == "__main__":
    unittest.main()
