"""The tutorial's Python page does not lie."""
import doctest
import pathlib


def test_page():
    page = pathlib.Path(__file__).parents[2] / "docs/tutorial/04_python.md"
    failures, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 10 and failures == 0


def test_readme(capsys):
    readme = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
    program = readme.split("```python\n")[1].split("```")[0]
    names = {}
    exec(program, names)  # pylint: disable=exec-used
    assert names["report"].ok
    assert "Reached" in capsys.readouterr().out
