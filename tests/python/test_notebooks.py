"""examples/notebooks run from top to bottom, every picture in them is one, and no outputs are stored."""
import ast
import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import pytest

NOTEBOOKS = sorted((pathlib.Path(__file__).parents[2] / "examples/notebooks").glob("*.ipynb"))


def code_cells(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    assert book["nbformat"] == 4 and book["metadata"]["kernelspec"]["language"] == "python"
    return ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]


def run_notebook(path):
    """As a kernel does: cell after cell in one namespace; the value of a last expression is shown."""
    names = {"__name__": "__main__"}
    pictures = 0
    for number, source in enumerate(code_cells(path)):
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{path.name}[{number}]", "exec"), names)  # pylint: disable=exec-used
        if last is None:
            continue
        value = eval(compile(ast.Expression(last.value), f"{path.name}[{number}]", "eval"), names)  # pylint: disable=eval-used
        if hasattr(value, "_repr_svg_"):
            root = xml.etree.ElementTree.fromstring(value._repr_svg_())
            assert root.tag.endswith("svg") and len(list(root.iter())) > 10 and "nan" not in value._repr_svg_()
            pictures += 1
        elif hasattr(value, "_repr_html_"):  # the studio's figure, or its picture where the studio is not built
            assert "<iframe" in value._repr_html_() or "<svg" in value._repr_html_()
    return pictures


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(notebook, tmp_path):
    # Each in a process of its own: methods are registered once in each.
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path))
    done = subprocess.run([sys.executable, "-B", __file__, str(notebook)], cwd=tmp_path, env=environment, capture_output=True, text=True,
                          timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert int(done.stdout.splitlines()[-1]) >= 1, "a notebook shows at least one picture"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_outputs_are_stored(notebook):
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        assert cell["cell_type"] == "markdown" or (cell["outputs"] == [] and cell["execution_count"] is None)


def test_there_are_six():
    assert len(NOTEBOOKS) == 6


if __name__ == "__main__":
    print(run_notebook(pathlib.Path(sys.argv[1])))
