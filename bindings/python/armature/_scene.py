"""Scene: a model, goals, a start, what may move, a method: the same as a JSON file, and as keywords of Model.solve()."""
import json
from collections.abc import MutableMapping

from . import _core


class Scene(MutableMapping):
    """A question that can be kept, changed, written and asked.

    The keywords are those of Model.solve(), and any key of a scene file. A Scene is a mapping of those keys: dict(scene) is its
    content, Scene(**dict(scene)) the same scene. What it holds is checked when it is used.

    >>> scene = Scene('planar_arm', [10, 15], start='chapter', method='dls')
    >>> scene.solve().ok
    True
    >>> scene.goals[0]['target'] = [-20, 5]
    >>> scene.method = 'reach'
    >>> scene.solve().ok
    True
    >>> Scene(**dict(scene)).solve().ok
    True
    """

    def __init__(self, model, target=None, **keywords):
        self.__dict__["_model"] = _core.load_model(model)
        self.__dict__["_fields"] = _core._scene_fields("Scene", target, keywords)

    @property
    def model(self):
        """The Model."""
        return self._model

    def __getitem__(self, key):
        return self._model if key == "model" else self._fields[key]

    def __setitem__(self, key, value):
        if key == "model":
            self.__dict__["_model"] = _core.load_model(value)
        elif key in _core._scene_keys():
            self._fields[key] = value
        else:
            raise _core.ArmatureError(_unknown(key))

    def __delitem__(self, key):
        del self._fields[key]

    def __iter__(self):
        return iter(["model", *self._fields])

    def __len__(self):
        return 1 + len(self._fields)

    def __getattr__(self, name):
        fields = self.__dict__.get("_fields", {})
        if name in fields:
            return fields[name]
        if not name.startswith("_") and name in _core._scene_keys():
            return None
        raise AttributeError(_unknown(name))

    def __setattr__(self, name, value):
        self[name] = value

    def __dir__(self):
        return [*super().__dir__(), *_core._scene_keys()]

    def __repr__(self):
        goals = self._fields.get("goals") or []
        count = f"{len(goals)} goal{'' if len(goals) == 1 else 's'}" if isinstance(goals, (list, tuple)) else "goals in a file"
        return f"<armature.Scene of '{self._model.name}': {count}>"

    def __reduce__(self):
        return _rebuilt, (self._model, self._fields)

    def solve(self, *, trace=False, **changes):
        """A Report; `changes` are keys and options of this call alone."""
        return _core._solve_scene(self._model, self._with(changes), trace)

    def solver(self):
        """A Solver that keeps its tables."""
        return _core._solver_of_scene(self._model, self._fields)

    def track(self, *, frames=None):
        """A Track along the paths of the goals."""
        return _core._track_scene(self._model, self._fields, frames)

    def measure(self, q=None):
        """The Report of a pose that is not searched for: errors, limits, measures."""
        return _core._measure(self._model, self._fields, q)

    def null_space(self, q=None):
        """(v_size, n): directions in which the pose can move while every goal keeps its error."""
        return _core._null_space(self._model, self._fields, q)

    def view(self, *, height=480):
        """The figure in a notebook's cell, its goals to be dragged by hand: a View, `height` pixels high."""
        from .notebook import View
        return View(self, height=height)

    def json(self):
        """The text of a scene file. A model that has no name or path stands in place."""
        written = json.loads(_core._scene_json(self._model, self._fields))
        if "model" not in written:
            written["model"] = self._model.linkage
        return json.dumps(written, indent=1) + "\n"

    def save(self, path):
        """Writes a scene file."""
        _core._write_text(path, self.json())

    def _with(self, changes):
        if not changes:
            return self._fields
        given = _core._scene_fields("solve", changes.pop("target", None), {"method": self.method, **changes})
        options = {**(self._fields.get("options") or {}), **given.pop("options", {})}
        return {**self._fields, **given, "options": options}


def _rebuilt(model, fields):
    scene = Scene(model)
    scene.__dict__["_fields"] = fields
    return scene


def _unknown(key):
    return _core._unknown_name("key of a scene", str(key), _core._scene_keys())


def load_scene(path):
    """A Scene from a scene file: its model, and the files it names, lie below its directory."""
    model, text = _core._load_scene(path)
    fields = json.loads(text)
    for key in ("format", "version", "model"):
        fields.pop(key, None)
    return _rebuilt(model, fields)
