"""Names of their own in files that are compiled together must differ."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).parents[2] / "tools/check_names.py"


def check(files: dict) -> str:
    with tempfile.TemporaryDirectory() as directory:
        for name, text in files.items():
            path = pathlib.Path(directory) / "src/armature" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, CHECK, directory], capture_output=True, text=True)
        assert (done.returncode == 0) == (done.stdout == ""), done
        return done.stdout


def own(text: str) -> str:
    return "namespace {\n" + text + "\n}  // namespace\n"


class CheckNames(unittest.TestCase):
    def test_found(self):
        for text, said in ((own("constexpr double kTurn = 6.28;"), "kTurn"), (own("struct Part {\n};"), "Part"),
                           (own("using Row = int;"), "Row"), (own("int add(int a, const X& b) {\n}"), "add(int, const X&)")):
            self.assertIn(f"{said} is in", check({"base/a.cpp": text, "solve/b.cpp": text}), text)

    def test_clean(self):
        text = own("constexpr double kTurn = 6.28;")
        self.assertEqual(check({"base/a.cpp": text, "scene/b.cpp": text}), "")  # other libraries
        self.assertEqual(check({"base/a.cpp": text, "base/b.cpp": "constexpr double kTurn = 6.28;\n"}), "")
        self.assertEqual(check({"base/a_avx2.cpp": text, "base/a_avx512.cpp": text}), "")  # compiled alone
        self.assertEqual(check({"base/a.cpp": own("int add(int a) {\n}"), "base/b.cpp": own("int add(double a) {\n}")}), "")


if __name__ == "__main__":
    unittest.main()
