"""The studio's figure in a notebook's cell: goals are dragged by hand, and the joints follow. It runs in the browser, without a network.

    armature.load_model('panda').view([0.4, 0.2, 0.5], link='panda_tcp', start='ready')
"""
import html
import json
import pathlib
import sys
import warnings

from . import _core
from ._core import ArmatureError
from ._scene import Scene

PAGE = "armature_studio.html"
_METHODS = {method.name for method in _core.methods()} - {"follow"}  # the studio's: it drags by follow; before anyone registers one


def _page():
    """The studio in one file, where this installation has it: beside this module, installed, or built in the same folder."""
    here = pathlib.Path(__file__).parent
    folders = [here, *(pathlib.Path(prefix) / "share/armature/studio" for prefix in (sys.prefix, sys.base_prefix, "/usr"))]
    if len(here.parents) > 2:
        folders.append(here.parents[2] / "studio")
    for folder in folders:
        if (folder / PAGE).is_file():
            return folder / PAGE
    return None


_MISSING = ("The interactive view needs the studio in one file, which this installation does not have. In Armature's folder `./run studio` builds "
            "it (with emscripten, some minutes); `./run python` then finds it, and `pip install .` takes it along.")


class View:
    """What view() gives: notebooks show it, save() writes a page that opens by itself.

    >>> view = armature.load_model('planar_arm').view([10, 12], method='dls')
    >>> view.scene['goals'][0]['target']
    [10, 12]
    """

    def __init__(self, scene: Scene, *, height: int = 480) -> None:
        if not isinstance(scene, Scene):
            raise ArmatureError(f"A view is of a Scene, not of {type(scene).__name__}.")
        if isinstance(height, bool) or not isinstance(height, int) or not 100 <= height <= 10000:
            raise ArmatureError(f"height is a whole number of pixels, 100 to 10000; got {height!r}.")
        self._height = height
        #: The scene as the page gets it.
        self.scene = json.loads(scene.json())
        # The model itself: another of that name, or a file that is not there in the browser, must not stand in for it.
        self.scene["model"] = scene.model.linkage
        self.scene.setdefault("name", scene.model.name)
        _keep_flat(scene.model, self.scene["goals"])
        links = [goal.get("link") for goal in self.scene["goals"]]
        for goal in self.scene["goals"]:  # a goal that nobody named is called after its link, unless keys know it by its name
            if "keys" not in self.scene and links.count(goal.get("link")) == 1 and goal["name"] == f"{goal['type']} {goal.get('link')}":
                del goal["name"]
        if self.scene.get("method", "auto") not in _METHODS:
            warnings.warn(f"The studio has no method '{self.scene['method']}'; the view solves by 'auto'.", stacklevel=3)
            self.scene["method"] = "auto"
            self.scene.pop("options", None)
        if '"type": "mesh"' in json.dumps([self.scene["model"].get("geometries"), self.scene["model"]["links"]]):
            warnings.warn("The view draws meshes as capsules; `armature studio FILE -o PAGE.html` takes them along.", stacklevel=3)
        self._picture = str(scene.model.draw(self.scene.get("start")))

    def _repr_html_(self) -> str:
        """What notebooks show."""
        page = _page()
        if page is None:
            return f"{self._picture}<p>{html.escape(_MISSING)}</p>"
        return (f'<iframe title="Armature: {html.escape(str(self.scene["name"]))}" style="width: 100%; height: {self._height}px; border: 0" '
                f'srcdoc="{html.escape(self._filled(page, embed=True))}"></iframe>')

    def save(self, path) -> None:
        """Writes the whole studio with this scene as one page, two and a half megabytes, that any browser opens, also from a file."""
        if not str(path).lower().endswith((".html", ".htm")):
            raise ArmatureError(f"A view is saved as a page: {str(path)!r} should end in .html.")
        page = _page()
        if page is None:
            raise ArmatureError(_MISSING)
        _core._write_text(path, self._filled(page, embed=False))

    def _filled(self, page, embed):
        given = json.dumps({"embed": embed, "scene": self.scene}).replace("<", "\\u003c")  # nothing in it ends its element
        begin, mark, end = page.read_text(encoding="utf-8").partition('id="armature-given">{}')
        if not mark:
            raise ArmatureError(f"{page} is not the studio of this version. `./run studio` builds it.")
        return f"{begin}{mark[:-2]}{given}{end}"

    def __repr__(self) -> str:
        return f"<armature.View of '{self.scene['name']}'>"


def _keep_flat(model, goals):
    """Places of two numbers on a figure that cannot leave its plane are what the studio itself has there."""
    for goal in goals:
        if goal.get("axes") == {"free": "z"} and all(abs(model.jacobian(goal["link"], q)[2]).max(initial=0) < 1e-9
                                                     for q in (model.start_pose(), model.random_pose(seed=1))):
            del goal["axes"]
            goal["target"] = goal["target"][:2]


def view(self, target=None, *, height=480, **keywords):
    """The figure in a notebook's cell, its goals to be dragged by hand: a View. Keywords are those of solve()."""
    return View(Scene(self, target, **keywords), height=height)
