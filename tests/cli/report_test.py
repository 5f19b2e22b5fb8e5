"""bench/report.py with the real program: a tiny run, whose page is read back."""
import json
import os
import re
import subprocess
import sys

import harness
from harness import PROGRAM, ROOT, main, read


def test_a_quick_run_gives_a_page_that_can_be_read():
    page = os.path.join(harness.FOLDER, "page.md")
    done = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "bench/report.py"), "--quick", "--build", os.path.dirname(PROGRAM), "--data",
                           "nowhere", "--only", "Chains,AllChains,Large,Unreachable", "-o", page], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    text, figures = read("page.md"), json.loads(read("page.json"))
    for fact in ("date", "processor", "cores", "isa", "compiler", "commit"):
        assert figures["machine"][fact], fact
        assert str(figures["machine"][fact]) in text, fact
    chain = figures["sections"]["Chains"][0]
    ours = chain["solvers"]["reach"]
    row = re.search(r"^\| panda \| 7 \| 100\.00, ([\d.]+) / ([\d.]+) / ([\d.]+) \|", text, re.M)
    assert row, text
    for shown, key in zip(row.groups(), ("mean_us", "median_us", "p99_us")):
        assert abs(float(shown) - ours[key]) <= 0.006 * ours[key], (shown, ours)
    assert ours["poses"] == 50 and ours["missed"] == 0, ours
    assert "| 100 goals with every joint at a limit | 0 |" in text
    assert "no figure means anything" in text
    assert "Unreachable" in figures["missing"] and "- Goals that cannot be reached: " in text


main()
