"""The tutorial's Python page does not lie."""
import doctest
import pathlib


def test_page():
    page = pathlib.Path(__file__).parents[2] / "docs/tutorial/04_python.md"
    failures, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 10 and failures == 0
