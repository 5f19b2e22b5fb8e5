"""The header check must notice a header that leans on its neighbours, and look again after a change."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).parents[2] / "tools/check_headers.py"


class CheckHeaders(unittest.TestCase):
    def test_a_header_that_lacks_an_include(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "src"
            source.mkdir()

            def check(text: str) -> str:
                (source / "count.hpp").write_text(text)
                done = subprocess.run([sys.executable, CHECK, f"{folder}/scratch", source], capture_output=True, text=True)
                self.assertEqual(done.returncode == 0, done.stdout == "", done)
                return done.stdout

            good = "#pragma once\n#include <vector>\ninline int count(const std::vector<int>& v) { return int(v.size()); }\n"
            self.assertEqual(check(good), "")
            self.assertIn("count.hpp does not compile alone", check(good.replace("#include <vector>\n", "")))
            self.assertEqual(check(good), "")
            self.assertIn("exceptions", check(good.replace("{ return", "{ throw 1; return")))


if __name__ == "__main__":
    unittest.main()
