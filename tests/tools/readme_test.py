"""The programs of the README are real: its C++ is examples/00_first.cpp, which is built and run, and its Python parses."""
import ast
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "README.md").read_text(), re.S)


class Readme(unittest.TestCase):
    def test_cpp(self):
        program = (ROOT / "examples/00_first.cpp").read_text().split("\n", 1)[1]
        self.assertEqual(blocks("cpp"), [program])

    def test_python(self):
        (program,) = blocks("python")
        ast.parse(program)


if __name__ == "__main__":
    unittest.main()
