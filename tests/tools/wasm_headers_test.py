"""A package that is installed after the WebAssembly build was configured (./run studio, then ./test) must be found by it."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(headers LANGUAGES NONE)
set(EMSCRIPTEN ON)
include({root}/cmake/dependencies.cmake)
"""


class WasmHeaders(unittest.TestCase):
    def test_a_package_that_comes_later(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            system = folder / "include"
            (system / "nlohmann").mkdir(parents=True)
            (folder / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT))
            subprocess.run(["cmake", "-S", folder, "-B", folder / "build", f"-DARMATURE_SYSTEM_INCLUDE={system}",
                            "-DARMATURE_NODE=/bin/true"], check=True, capture_output=True)
            later = folder / "build/third_party/doctest/doctest.h"
            self.assertTrue((folder / "build/third_party/nlohmann").is_dir())
            self.assertFalse(later.exists())
            (system / "doctest").mkdir()
            (system / "doctest/doctest.h").write_text("")
            self.assertTrue(later.exists())


if __name__ == "__main__":
    unittest.main()
