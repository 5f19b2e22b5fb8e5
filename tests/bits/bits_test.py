#!/usr/bin/env python3
"""The answers of tests/bits/jobs.cpp, hashed job by job, in every way of running that must not matter.

BITS_PROGRAM is the program under test (g++). BITS_CLANG is the same compiled by clang with its sanitizers, BITS_WASM the same as
WebAssembly.
"""
import os
import subprocess
import unittest

PROGRAM = os.environ["BITS_PROGRAM"]
CLANG = os.environ["BITS_CLANG"]
WASM = os.environ["BITS_WASM"]


def hashes(program, *arguments, **environment):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode == 77:
        raise unittest.SkipTest(f"this machine has no {arguments}")
    if done.returncode != 0:
        raise AssertionError(f"{program} {arguments} ended with {done.returncode}: {done.stderr[-2000:]}")
    return dict(reversed(line.split(" ", 1)) for line in done.stdout.splitlines())


class SameBits(unittest.TestCase):
    maxDiff = 5000

    @classmethod
    def setUpClass(cls):
        cls.expected = hashes(PROGRAM)

    def check(self, got):
        self.assertGreater(len(self.expected), 200)
        self.assertEqual(self.expected.keys(), got.keys())
        self.assertEqual([], [name for name, value in self.expected.items() if got[name] != value])

    def test_hashes_tell_jobs_apart(self):
        # Refusals are alike; whatever was computed is not.
        self.assertGreater(len(set(self.expected.values())), len(self.expected) // 2)

    def test_baseline(self):
        self.check(hashes(PROGRAM, "--isa", "baseline"))

    def test_avx2(self):
        self.check(hashes(PROGRAM, "--isa", "avx2"))

    def test_avx512(self):
        self.check(hashes(PROGRAM, "--isa", "avx512"))

    def test_eight_threads(self):
        self.check(hashes(PROGRAM, "--threads", "8"))

    def test_perturbed_heaps(self):
        # Fresh memory is filled with the complement of the byte, freed memory with the byte.
        for byte in ("1", "85", "255"):
            self.check(hashes(PROGRAM, MALLOC_PERTURB_=byte, MALLOC_ARENA_MAX="1"))

    def test_clang(self):
        self.check(hashes(CLANG))

    def test_webassembly(self):
        self.check(hashes("node", WASM))


if __name__ == "__main__":
    unittest.main()
