"""What the docs say of Python is run: the page, the README's program, every docstring; and the type stubs agree with the module."""
import doctest
import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import armature

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("page, least", [("python.md", 40), ("coming_from.md", 15)])
def test_page(page, least):
    failures, tried = doctest.testfile(str(ROOT / "docs" / page), module_relative=False)
    assert tried > least and failures == 0


def test_readme(capsys):
    program = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    names = {}
    exec(program, names)  # pylint: disable=exec-used
    assert names["report"].ok
    assert "Reached" in capsys.readouterr().out


def docstrings():
    for name in armature.__all__:
        value = getattr(armature, name)
        yield name, value.__doc__
        if inspect.isclass(value):
            for inner, member in vars(value).items():
                yield f"{name}.{inner}", getattr(member, "__doc__", None)


def test_docstrings():
    runner = doctest.DocTestRunner()
    for name, text in docstrings():
        if not name.endswith("__") and text and ">>>" in text:
            names = {"armature": armature, "np": np, "Scene": armature.Scene}
            runner.run(doctest.DocTestParser().get_doctest(text, names, name, None, 0))
    assert runner.failures == 0 and runner.tries > 30


def mypy(*arguments):
    package = pathlib.Path(armature.__file__).parent.parent
    environment = {**os.environ, "MYPYPATH": str(package), "PYTHONPATH": str(package)}
    environment.pop("LD_PRELOAD", None)
    return subprocess.run([sys.executable, "-m", *arguments], env=environment, capture_output=True, text=True, check=False)


needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None or "LD_PRELOAD" in os.environ, reason="mypy is not installed")


@needs_mypy
def test_the_examples_fit_the_type_stubs(tmp_path):
    found = mypy("mypy", "--check-untyped-defs", "--cache-dir", str(tmp_path), *map(str, (ROOT / "examples/python").glob("*.py")))
    assert found.returncode == 0, found.stdout + found.stderr
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import armature\narmature.load_model('ur5').solve([1, 2, 3], link=1.5).messsage\n")
    found = mypy("mypy", "--cache-dir", str(tmp_path), str(wrong))
    assert 'has no attribute "messsage"' in found.stdout and "link" in found.stdout, found.stdout + found.stderr


# What stubtest says of every pybind11 class, and of what only the checker needs.
ALLOWED = re.compile(r"metaclass differs|\.__init__ is inconsistent, stub does not have \*args|^error: armature\._|Method\.__getattr__ is not")


@needs_mypy
def test_the_type_stubs_have_every_name_with_its_signature():
    found = mypy("mypy.stubtest", "armature")
    problems = [line for line in found.stdout.splitlines() if line.startswith("error:") and not ALLOWED.search(line)]
    assert "errors (checked" in found.stdout, found.stdout + found.stderr
    assert not problems, "\n".join(problems)
