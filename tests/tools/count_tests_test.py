"""What ./test counts must be what was tested."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
from count_tests import counts_of  # noqa: E402


class CountTests(unittest.TestCase):
    def test_pytest(self):
        self.assertEqual(counts_of("..s\n12 passed, 1 skipped in 0.51s\n", "run"), (12, 0, 1))
        self.assertEqual(counts_of("=== 1 failed, 2 passed in 3.0s ===\n", "fail"), (2, 1, 0))

    def test_vitest(self):
        self.assertEqual(counts_of(" Test Files  9 passed (9)\n      Tests  84 passed (84)\n", "run"), (84, 0, 0))
        self.assertEqual(counts_of("      Tests  1 failed | 2 passed | 3 skipped (6)\n", "fail"), (2, 1, 3))

    def test_harness(self):
        self.assertEqual(counts_of("7 of 8 tests passed\nSKIPPED: x\n", "fail"), (7, 1, 1))
        self.assertEqual(counts_of("SKIPPED: x\n8 of 8 tests passed\n", "run"), (7, 0, 1))

    def test_unittest(self):
        self.assertEqual(counts_of("Ran 5 tests in 1s\nOK (skipped=2)", "run"), (3, 0, 2))
        self.assertEqual(counts_of("Ran 5 tests in 1s\nFAILED (failures=1, errors=1)", "fail"), (3, 2, 0))

    def test_doctest(self):
        summary = "[doctest] test cases: 3 | {} passed | {} failed | 9 skipped\n"
        self.assertEqual(counts_of(summary.format(3, 0), "run"), (3, 0, 0))
        self.assertEqual(counts_of("SKIPPED: no data\n" + summary.format(3, 0), "run"), (2, 0, 1))
        self.assertEqual(counts_of(summary.format(1, 2), "fail"), (1, 2, 0))

    def test_a_crash_is_a_failure(self):
        self.assertEqual(counts_of("[doctest] test cases: 3 | 3 passed | 0 failed |\nSegmentation fault", "fail"), (3, 1, 0))
        self.assertEqual(counts_of("", "fail"), (0, 1, 0))

    def test_a_program_without_cases_is_one(self):
        self.assertEqual(counts_of("hello", "run"), (1, 0, 0))
        self.assertEqual(counts_of("", "notrun"), (0, 0, 1))


if __name__ == "__main__":
    unittest.main()
