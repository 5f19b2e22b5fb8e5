"""The layer check must notice each kind of breach, and let a clean house pass."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).parents[2] / "tools/check_layers.py"


def check(files: dict) -> str:
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "src/armature"
        for name, text in files.items():
            path = source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, CHECK, source], capture_output=True, text=True)
        assert (done.returncode == 0) == (done.stdout == ""), done
        return done.stdout


BASE = {"base/a.hpp": "#pragma once\n"}


class CheckLayers(unittest.TestCase):
    def test_public_headers_reach_no_parser(self):
        clean = BASE | {"all.hpp": '#pragma once\n#include "armature/base/a.hpp"\n'}
        self.assertEqual(check(clean), "")
        clean["formats/x.hpp"] = "#pragma once\n#include <nlohmann/json.hpp>\n"
        clean["all.hpp"] += '#include "armature/formats/x.hpp"\n'
        self.assertIn("all.hpp: reaches nlohmann/json.hpp by formats/x.hpp", check(clean))

    def test_clean(self):
        self.assertEqual(check(BASE | {"geom/linalg.cpp": "#include <Eigen/Core>\n",
                                       "geom/b.cpp": '#include "armature/base/a.hpp"\n// #include "armature/solve/x.hpp"\n'}), "")

    def test_upward(self):
        self.assertIn("base sees only base", check(BASE | {"geom/b.hpp": "#pragma once\n", "base/c.cpp": '#include "armature/geom/b.hpp"\n'}))

    def test_formats_does_not_see_solve(self):
        self.assertIn("formats sees only", check({"solve/s.hpp": "#pragma once\n", "formats/f.cpp": '#include "armature/solve/s.hpp"\n'}))

    def test_eigen(self):
        self.assertIn("base does without Eigen", check({"base/a.cpp": "#include <Eigen/Core>\n"}))
        self.assertIn("geom/linalg.hpp", check({"solve/methods/m.cpp": "#include <Eigen/Dense>\n"}))

    def test_decompositions_that_come_along(self):
        for call in ("Quat::FromTwoVectors(a, b)", "q.setFromTwoVectors(a, b)", "A.jacobiSvd()", "A.colPivHouseholderQr()"):
            self.assertIn("formats/a.cpp: line 2: ", check({"formats/a.cpp": f"\nauto x = {call};\n"}), call)
        self.assertEqual(check({"formats/a.cpp": "auto q = quaternion_between(a, b);  // not FromTwoVectors(a, b)\n"}), "")

    def test_own_header_first(self):
        self.assertIn("not first", check(BASE | {"base/a.cpp": '#include <string>\n#include "armature/base/a.hpp"\n'}))

    def test_core_does_not_print(self):
        for header in ("iostream", "ostream", "sstream"):
            self.assertIn("does not throw, print", check({"solve/a.cpp": f"#include <{header}>\n"}))
        self.assertEqual(check({"formats/a.cpp": "#include <stdexcept>\n"}), "")

    def test_functions_of_the_system(self):
        for call in ("std::sin(x)", "::cos(x)", "pow(x, 2)", "__builtin_exp(x)", "std::atan2f(y, x)", "Eigen::AngleAxisd(x, a)", "a.slerp(t, b)",
                     "std::transform(a, b, c, std::log)"):
            for file in ("solve/a.cpp", "kinematics/b.inl", "formats/c.hpp", "scene/d.cpp"):
                text = f"#pragma once\n/* two\nlines */ double f() {{ return {call}; }}\n"
                self.assertIn(f"{file}: line 3: ", check({file: text}), call)
            self.assertEqual(check({"draw/a.cpp": f"double f() {{ return {call}; }}\n"}), "")
        for call in ("math::sin(x)", "model.log(x)", "log_rotation(x)", "std::sqrt(x)", 'say("sin(x)")', "std::logic_error(x)", "x // sin(x)"):
            self.assertEqual(check({"solve/a.cpp": f"double f() {{ return {call}\n; }}\n"}), "", call)
        self.assertEqual(check({"kinematics/b.inl": "Pack f() { return atan2(y, x); }\n"}), "")

    def test_scene(self):
        self.assertEqual(check({"solve/s.hpp": "#pragma once\n", "formats/f.hpp": "#pragma once\n", "scene/a.cpp":
                                '#include <filesystem>\n#include "armature/solve/s.hpp"\n#include "armature/formats/f.hpp"\n'}), "")
        self.assertIn("formats sees only", check({"scene/s.hpp": "#pragma once\n", "formats/f.cpp": '#include "armature/scene/s.hpp"\n'}))
        self.assertIn("only scene opens files", check({"formats/a.cpp": "#include <fstream>\n"}))

    def test_unknown_room(self):
        self.assertIn("is not a layer", check({"misc/a.cpp": ""}))


if __name__ == "__main__":
    unittest.main()
