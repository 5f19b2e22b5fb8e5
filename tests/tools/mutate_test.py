"""Every mutation fits its file, so that the list never rots; and tools/mutate.py notices each way in which one may not."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).parents[2] / "tools/mutate.py"
spec = importlib.util.spec_from_file_location("mutate", TOOL)
mutate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mutate)

GOOD = "name: a\nfile: x.cpp\nfrom: 1 + 1\nto: 1 - 1\ntests: some\n"


class Mutate(unittest.TestCase):
    def read(self, text, source="int f() { return 1 + 1; }\n"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "list.txt").write_text(text)
            (root / "x.cpp").write_text(source)
            return [mutate.mutated_text(m, root) for m in mutate.read_mutations(root)]

    def test_every_mutation_fits(self):
        done = subprocess.run([sys.executable, "-B", TOOL, "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreaterEqual(len(mutate.read_mutations()), 60)

    def test_one_place_is_changed(self):
        self.assertEqual(self.read(GOOD), ["int f() { return 1 - 1; }\n"])

    def test_a_context_that_is_gone_or_twice_there_is_no_mutation(self):
        for source in ("int f() { return 2; }\n", "int a = 1 + 1, b = 1 + 1;\n"):
            with self.assertRaises(mutate.Broken):
                self.read(GOOD, source)

    def test_fields_are_whole_and_names_unique(self):
        for text in (GOOD.replace("tests: some\n", ""), GOOD + "more: x\n", GOOD + "\n" + GOOD, GOOD.replace("1 - 1", "1 + 1")):
            with self.assertRaises(mutate.Broken):
                self.read(text)


if __name__ == "__main__":
    unittest.main()
