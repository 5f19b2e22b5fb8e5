#!/usr/bin/env python3
"""Counts what a ctest run really tested: count_tests.py results.xml prints "PASSED FAILED SKIPPED".

An entry of ctest is often a whole program of cases, so its own summary is read: doctest's, the command line harness's, unittest's, pytest's, vitest's. A
line "SKIPPED: why" is a case that could not do its work. The output of every failed entry goes to stderr.
"""
import re
import sys
import xml.etree.ElementTree as xml

DOCTEST = re.compile(r"\[doctest\] test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed")
UNITTEST = re.compile(r"^Ran (\d+) tests? in", re.M)
UNITTEST_BAD = re.compile(r"(?:failures|errors)=(\d+)")
UNITTEST_SKIPPED = re.compile(r"skipped=(\d+)")
# "7 of 8 tests passed" of tests/cli/harness.py, which counts skipped ones as passed.
HARNESS = re.compile(r"^(\d+) of (\d+) tests passed$", re.M)
# "== 3 failed, 12 passed, 1 skipped in 0.2s ==" of pytest; "Tests  1 failed | 12 passed (13)" of vitest.
OTHERS = re.compile(r"^(?:=* ?\d+ (?:passed|failed).* in [\d.]+s.*|\s*Tests\s+.*)$", re.M)


def counts_of(output: str, status: str):
    skipped = len(re.findall(r"^SKIPPED: ", output, re.M))
    passed = failed = said_skipped = 0  # said_skipped: already left out of the passed ones by the summary itself
    for good, bad in DOCTEST.findall(output):
        passed += int(good)
        failed += int(bad)
    for good, all_of_them in HARNESS.findall(output):
        passed += int(good)
        failed += int(all_of_them) - int(good)
    for ran in UNITTEST.findall(output):
        bad = sum(map(int, UNITTEST_BAD.findall(output)))
        left_out = sum(map(int, UNITTEST_SKIPPED.findall(output)))
        passed += int(ran) - bad - left_out
        failed += bad
        skipped += left_out
        said_skipped += left_out
    for line in OTHERS.findall(re.sub(r"\x1b\[[\d;]*m", "", output)):
        for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", line):
            passed += int(number) * (word == "passed")
            failed += int(number) * (word in ("failed", "error"))
            skipped += int(number) * (word == "skipped")
            said_skipped += int(number) * (word == "skipped")
    if status == "run":
        return max(passed - (skipped - said_skipped), 0) if passed else (0 if skipped else 1), failed, skipped
    if status == "fail":
        return passed, max(failed, 1), skipped
    return passed, failed, max(skipped, 1)


def main() -> int:
    total = [0, 0, 0]
    for case in xml.parse(sys.argv[1]).getroot().iter("testcase"):
        status = case.get("status")
        output = case.findtext("system-out") or ""
        counts = counts_of(output, status)
        total = [a + b for a, b in zip(total, counts)]
        if status == "fail":
            print(f"---- {case.get('name')}\n{output}", file=sys.stderr)
    print(*total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
