"""What tests hand to the module: its public functions as the module itself tells them, values that they take, the same in
every layout, and values that they must refuse or survive. See hostile_test.py.
"""
import gc
import inspect
import os
import pathlib
import tempfile

import numpy as np

import armature

ARM = armature.load_model("planar_arm")
HUMAN = armature.load_model("human")
# A joint of each type that has quaternions or several numbers, so that slices differ in q and v.
MIXED = armature.load_model({"name": "mixed", "links": ["base", "a", "b", "c", "tip"], "joints": [
    {"name": "turn", "type": "revolute", "parent": "base", "child": "a", "axis": [0, 0, 1], "limits": {"lower": -2, "upper": 2}},
    {"name": "ball", "type": "spherical", "parent": "a", "child": "b", "origin": {"xyz": [1, 0, 0]}},
    {"name": "slide", "type": "prismatic", "parent": "b", "child": "c", "axis": [1, 0, 0], "limits": {"lower": 0, "upper": 1}},
    {"name": "end", "type": "fixed", "parent": "c", "child": "tip", "origin": {"xyz": [1, 0, 0]}}]})
MODELS = [ARM, MIXED]
# Views are saved into a page; the real one may not be built.
_FOLDER = tempfile.TemporaryDirectory()
_PAGE = pathlib.Path(_FOLDER.name) / "armature_studio.html"
_PAGE.write_text('<script type="application/json" id="armature-given">{}</script>', encoding="utf-8")
armature.notebook._page = lambda: _PAGE
QUICK = {"max_iterations": 20, "max_time": 0.2}

# What may be raised: what is wrong with a value, and what iterating it raises (a memoryview of several dimensions cannot be).
EXPECTED = (ValueError, TypeError, OverflowError, MemoryError, RecursionError, NotImplementedError, KeyError, AttributeError)


class Mine(Exception):
    """Raised by the caller's own code; comes through unchanged."""


# ---- The public interface, as the module itself tells it.

class Entry:
    """A function, method or constructor with the names of its arguments."""

    def __init__(self, owner, name, function):
        self.owner, self.name, self.function = owner, name, function
        parameters = inspect.signature(function).parameters.values()
        self.arguments = {p.name: p.default is not p.empty for p in parameters if p.name != "self" and p.kind != p.VAR_KEYWORD}
        self.takes_options = any(p.kind == p.VAR_KEYWORD and p.name == "options" for p in parameters)

    def __repr__(self):
        return f"{self.owner.__name__}.{self.name}"

    def valid(self, model):
        """Every argument with a value that it takes."""
        model = NEEDS.get(repr(self), model)
        found = {}
        for argument in self.arguments:
            keys = [(self.owner.__name__, self.name, argument), (self.name, argument), argument]
            key = next((key for key in keys if key in VALID), None)
            assert key, f"{self!r} has an argument {argument!r} of which VALID knows no example"
            value = VALID[key](model)
            if value is not LEFT_OUT:
                found[argument] = value
        return found

    def call(self, model, arguments):
        model = NEEDS.get(repr(self), model)
        if self.owner is armature:
            bound = self.function
        elif self.name == "__init__":
            bound = self.owner
        else:
            bound = getattr(INSTANCE[self.owner](model), self.name)
        answer = bound(**arguments, **(QUICK if self.takes_options else {}))
        if bound is armature.Scene:
            answer.json()  # what it holds is checked when it is used
        return answer


def public_entries():
    for name in armature.__all__:
        value = getattr(armature, name)
        if inspect.isclass(value):
            for inner, function in vars(value).items():
                if callable(function) and value in INSTANCE and not inner.startswith("_"):
                    yield Entry(value, inner, getattr(value, inner))
        elif callable(value):
            yield Entry(armature, name, value)
    yield Entry(armature.Clip, "__init__", armature.Clip.__init__)
    yield Entry(armature.Scene, "__init__", armature.Scene.__init__)


# What only some models have: loops, legs, joints on axes.
NEEDS = {"Model.drive": armature.load_model("four_bar"),
         "Model.mechanism": armature.load_model("four_bar"), "Model.analyze_chain": ARM, "Clip.mirror": HUMAN, "Clip.in_place": HUMAN,
         "Clip.add_travel": HUMAN, "Clip.feet": HUMAN}
LEFT_OUT = object()
FOLDER = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with


def tip_of(model):
    return "tip" if "tip" in model.links else model.effectors[0]


def saved_scene(model):
    path = os.path.join(FOLDER.name, "scene.json")
    armature.Scene(model, TARGET, link=tip_of(model)).save(path)
    return path


def saved_clip(model):
    path = os.path.join(FOLDER.name, "clip.json")
    armature.Clip(model, ROWS(model)).save(path)
    return path


def saved_targets(_):
    path = os.path.join(FOLDER.name, "targets.npy")
    np.save(path, np.array([[1.5, 0.5, 0], [1, 1, 0], [0.5, 1, 0.25]]))
    return path


def carried_folder(_):
    path = os.path.join(FOLDER.name, "carried")
    os.makedirs(path, exist_ok=True)
    return path


def new_method(_):
    number = len(armature.methods())
    return type("New", (armature.Method,), {"name": f"new_{number}", "step": lambda self, rows: None})


TARGET = np.array([1.5, 0.5, 0])
# Of whole numbers; a linkage with loops is put where it need not be closed.
POSE = lambda m: np.zeros(m.q_size) if m.name == "four_bar" else np.array(m.clamp(m.pose()))
ROWS = lambda m: np.array([POSE(m)] * 4)
# An object of each class whose methods are called.
INSTANCE = {
    armature.Model: lambda m: m,
    armature.State: lambda m: m.state(),
    armature.Solver: lambda m: m.solver(TARGET, link=tip_of(m), **QUICK),
    armature.Follower: lambda m: m.follower(TARGET, link=tip_of(m)),
    armature.Report: lambda m: m.solve(TARGET, link=tip_of(m), **QUICK),
    armature.Clip: lambda m: armature.Clip(m, ROWS(m)),
    armature.Picture: lambda m: m.draw(),
    armature.View: lambda m: m.view(TARGET, link=tip_of(m)),
    armature.Scene: lambda m: armature.Scene(m, TARGET, link=tip_of(m), **QUICK),
}
WORDS = lambda *_: LEFT_OUT
VALID = {
    "exact_angles": lambda m: True, "unit_scale": lambda m: 1.0, ("add_tip", "name"): lambda m: "a_new_tip", "srdf": WORDS, "float_root": lambda m: False, "source_pose": WORDS, "target_pose": WORDS,
    "motions": lambda m: [saved_clip(m)], ("retarget_files", "out"): lambda m: ".", ("retarget_files", "clip"): WORDS,
    ("retarget_files", "to"): lambda m: "json", ("drive", "to"): lambda m: 0.1, "also": WORDS, ("drive", "branch"): lambda m: 0,
    "jacobian": lambda m: True, "obstacles": WORDS, "margin": WORDS, "collision": WORDS, "exact": lambda m: False, "within": lambda m: 0.1, "modes": lambda m: False, "circuits": lambda m: False,
    "travel": lambda m: np.zeros((4, 3)), "up": WORDS, "align": lambda m: True, "turn": lambda m: False, "smooth": lambda m: 0.1,
    "weight": lambda m: 0.5, "additive": lambda m: False, ("layer", "start"): lambda m: 0.0, ("trim", "start"): lambda m: 0.0,
    "fade": lambda m: 0.0, ("layer", "links"): WORDS, "pins": WORDS, "keep": lambda m: 0.05, "tolerance": lambda m: 0.01,
    "seconds": lambda m: 0.1, ("concat", "blend"): lambda m: 0.0, ("loop", "blend"): lambda m: 0.0, "end": lambda m: 0.05, ("speed", "factor"): lambda m: 2.0,
    ("draw", "goals"): lambda m: [[0.5, 0.25, 0]], "view": lambda m: "front", "style": lambda m: "sticks", "show": lambda m: ["limits"],
    "title": lambda m: "some", "size": lambda m: 200.0, "at": lambda m: [0, 1], ("draw", "strip"): WORDS, ("draw", "onion"): WORDS,
    "trail": lambda m: [tip_of(m)], "follow": lambda m: True, ("draw", "columns"): lambda m: 2, "svg": lambda m: "<svg/>",
    "height": lambda m: 400, ("View", "save", "path"): lambda m: "written.html", "scene": lambda m: armature.Scene(m, TARGET, link=tip_of(m)),
    ("load_model", "model"): lambda m: "planar_arm", "model": lambda m: m, "part": WORDS, "mesh_root": WORDS, "bvh_positions": WORDS,
    "safety_limits": lambda m: True, "data": lambda m: m.write("json")[0], "file_name": lambda m: "some.json", "files": WORDS,
    "format": lambda m: "json", "path": lambda m: "written.json", ("Picture", "save", "path"): lambda m: "written.svg", ("load_scene", "path"): lambda m: saved_scene(m),
    ("load_clip", "path"): lambda m: saved_clip(m), ("load_clip", "model"): WORDS, "digits": lambda m: 5, "dh_convention": WORDS,
    ("write", "base"): WORDS, ("write", "tip"): WORDS, ("save", "base"): WORDS, ("save", "tip"): WORDS,
    "clip": lambda m: armature.Clip(m, ROWS(m)), ("load_clip", "clip"): lambda m: 0, "bone_map": lambda m: {tip_of(m): tip_of(m)},
    "keep_feet": lambda m: True, "keep_hands": lambda m: False, "within_limits": lambda m: True, "root_scale": WORDS,
    "still_speed": lambda m: 0.25, "blend": lambda m: 0.125, "poses": ROWS, "frame_time": lambda m: 0.25, "frame_rate": WORDS,
    ("resample", "frame_rate"): lambda m: 15.0, ("keyframes", "frame_rate"): lambda m: 2.0, "name": lambda m: "some",
    "pose": POSE, "q": POSE, "a": POSE, "b": POSE, "start": POSE, "t": lambda m: np.array(0.25), "factor": lambda m: np.array(2.0),
    "out": WORDS, "J": lambda m: np.array([[1.0, 0.5], [0.25, 2.0]]), "dt": lambda m: np.array(0.25),
    "velocity": lambda m: np.linspace(0.5, 1, m.v_size), "acceleration": lambda m: np.linspace(0.5, 1, m.v_size),
    "velocity_scale": lambda m: 0.5, "default_velocity": lambda m: 2.0,
    "link": tip_of, "links": lambda m: [tip_of(m)], "base": lambda m: m.links[0], "tip": tip_of,
     "branch": lambda m: ARM, "prefix": lambda m: "p_",
    "origin": lambda m: np.array([0.25, 0.5, 0, 0, 0, 0, 1]), "names": lambda m: {tip_of(m): "end_of_it"},
    "axis": lambda m: "x", "swap_sides": lambda m: True, "joint": lambda m: m.joint_names[0],
    "values": lambda m: {m.joint_names[0]: 0.5}, "locked": lambda m: [m.joint_names[0]], "held": lambda m: [m.joint_names[0]],
    "joint_weights": lambda m: {m.joint_names[0]: 0.5}, "limits": lambda m: {m.joint_names[0]: {"lower": -1, "upper": 1}},
    "frame": lambda m: "world", "point": lambda m: np.array([0.25, 0.5, 0]), "target": lambda m: TARGET.copy(), "goals": WORDS,
    ("solutions", "point"): WORDS, ("Scene", "solve", "target"): WORDS, ("set_target", "goal"): lambda m: 0, ("set_twist", "goal"): lambda m: 0,
    "linear": lambda m: np.array([0.25, 0.5, 0]), "angular": lambda m: np.array([0, 0, 0.5]),
    ("track", "goals"): lambda m: TARGET.copy(), "targets": lambda m: np.array([[1.5, 0.5, 0], [1, 1, 0], [0.5, 1, 0.25]]),
    "method": lambda m: "dls", "methods": lambda m: ["dls"], "scene": lambda m: armature.Scene(m, TARGET, link=tip_of(m), **QUICK),
    ("register_method", "method"): new_method, "frames": lambda m: 3, "steps_per_frame": lambda m: 1, "max_joint_step": lambda m: 0.25,
    "singular_below": lambda m: 0.125, "stop": lambda m: True, "retime": lambda m: {"velocity": 1, "acceleration": 5}, "trace": lambda m: True, "threads": lambda m: 1, "progress": lambda m: False,
    "thorough": lambda m: False, "samples": lambda m: 1000, ("solutions", "samples"): lambda m: 2, "max_count": lambda m: 4,
    "region": WORDS, "cone": WORDS, "cone_axis": WORDS, ("solve_targets", "targets"): saved_targets,
    ("solve_targets", "out"): lambda m: os.path.join(FOLDER.name, "answers.npz"), ("retarget_files", "motions"): lambda m: [saved_clip(m)],
    ("retarget_files", "out"): carried_folder, ("retarget_files", "clip"): WORDS, "to": lambda m: "json",
    "cells": lambda m: 5, "headings": lambda m: 2, "orientations": lambda m: 1, "seed": lambda m: 7, "checkpoint": WORDS,
    "keys": lambda m: {"poses": [{"time": 0, "pose": m.joint_values(POSE(m))}, {"time": 1, "pose": m.joint_values(POSE(m))}]},
}
ENTRIES = list(public_entries())


def arrays_of(entry, model):
    """The arguments that are numbers."""
    return {name: value for name, value in entry.valid(model).items() if isinstance(value, np.ndarray)}


ARRAYS = [(entry, name) for entry in ENTRIES for name in arrays_of(entry, ARM)]


def plain(value):
    """Something to compare: the bits of arrays, and what reports, motions and models hold."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in ("microseconds", "mean_microseconds")}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, armature.Report):
        return plain([value.outcome, value.q, value.position_error, value.iterations, value.goals, value.trace])
    if isinstance(value, armature.BatchReport):
        return plain([value.q, value.ok, value.outcome, value.iterations])
    if isinstance(value, armature.Solutions):
        return plain(vars(value))
    if isinstance(value, armature.Clip):
        return plain([value.q, value.frame_time, value.name])
    if isinstance(value, armature.Track):
        return plain([value.clip, value.ok, value.largest_step])
    if isinstance(value, armature.Workspace):
        return plain([value.reachable, value.hits, value.volume])
    if isinstance(value, armature.Solver):
        return plain(value.solve())
    if isinstance(value, armature.State):
        return plain([value.q, value.transform(0)])
    if isinstance(value, armature.Follower):
        return plain(value.step(0.01))
    if isinstance(value, armature.Picture):
        return str(value)
    if isinstance(value, armature.View):
        return plain(value.scene)
    if isinstance(value, armature.Scene):
        return value.json()
    if isinstance(value, armature.Model):
        return plain([value.name, value.links, value.lower, value.forward()])
    return value


def arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays_in(item)
    elif isinstance(value, dict):
        yield from arrays_in(list(value.values()))
    elif isinstance(value, armature.Report):
        yield from arrays_in([value.q, value.trace])
    elif isinstance(value, armature.BatchReport):
        yield from arrays_in([value.q, value.ok, value.iterations, value.position_error])
    elif isinstance(value, armature.Clip):
        yield value.q
    elif isinstance(value, armature.Workspace):
        yield from arrays_in([value.reachable, value.dexterity, value.hits])


class Subclass(np.ndarray):
    pass


class Exporter:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None):
        return self.array


def unaligned(v):
    raw = np.zeros(v.nbytes + 1, dtype=np.uint8)[1:]
    view = raw.view(np.float64).reshape(v.shape)
    view[...] = v
    return view


def read_only(v):
    v = v.copy()
    v.flags.writeable = False
    return v


LAYOUTS = {
    "list": lambda v: v.tolist(),
    "Fortran": np.asfortranarray,
    "reversed": lambda v: v if v.ndim == 0 else np.flip(np.flip(v).copy()),
    "strided": lambda v: v if v.ndim == 0 else np.repeat(np.repeat(v, 2, axis=0), 3, axis=-1)[::2, ..., ::3] if v.ndim > 1
    else np.repeat(v, 3)[::3],
    "read only": read_only,
    "float32": lambda v: v.astype(np.float32),
    "float16": lambda v: v.astype(np.float16),
    "long double": lambda v: v.astype(np.longdouble),
    "big endian": lambda v: v.astype(">f8"),
    "unaligned": unaligned,
    "subclass": lambda v: v.view(Subclass),
    "exporter": Exporter,
    "memoryview": memoryview,
    "dead owner": lambda v: np.frombuffer(bytearray(v.tobytes()))[:].reshape(v.shape),
    "unmasked": np.ma.array,
}


def with_one(v, value):
    v = np.array(v)
    v.flat[-1] = value
    return v


WRONG_KINDS = {
    "text": lambda v: v.astype(str),
    "bytes": lambda v: v.astype("S"),
    "objects": lambda v: v.astype(object),
    "strings as objects": lambda v: np.full(v.shape, "a", dtype=object),
    "complex": lambda v: v.astype(complex),
    "booleans": lambda v: v.astype(bool),
    "dates": lambda v: v.astype("datetime64[s]"),
    "records": lambda v: np.zeros(v.shape, dtype=[("x", float), ("y", "O")]),
    "nan": lambda v: with_one(v, np.nan),
    "inf": lambda v: with_one(v, -np.inf),
    "too large for double": lambda v: with_one(v.astype(np.longdouble), np.longdouble("1e4000")),
    "masked": lambda v: np.ma.array(v, mask=np.ones(v.shape, dtype=bool)),
    "masked in part": lambda v: np.ma.array(v, mask=with_one(np.zeros(v.shape, dtype=bool), True)),
    "ragged": lambda v: [[1, 2], [3]],
    "text in a list": lambda v: [1, "a"],
    "an object": lambda v: object(),
    "a function": lambda v: len,
    "a set": lambda v: {1, 2},
    "an integer that overflows": lambda v: 10**400,
    "one in a list": lambda v: [10**400] * v.size,
    "broadcast": lambda v: np.broadcast_to(0.0, (2**40,) + v.shape),
    "broadcast rows": lambda v: np.broadcast_to(0.0, (2**29, max(v.shape[-1:], default=1))),
    "no numbers in a wide array": lambda v: np.zeros((0, 2**33)),
}
WRONG_SHAPES = {
    "one more dimension": lambda v: v[None, ...] if v.ndim > 1 else v[..., None, None],
    "one more number": lambda v: np.append(v, [[1.0]] * v.shape[0], axis=1) if v.ndim > 1 else np.append(v, 1.0),
    "none": lambda v: np.zeros((0,)),
    "many dimensions": lambda v: np.zeros((1,) * 32),
}


def raise_mine(*_, **__):
    raise Mine


class Raises:
    __array__ = __float__ = __index__ = __int__ = __len__ = __getitem__ = __iter__ = __fspath__ = __bool__ = raise_mine


class Lies:
    """Says that it is an array and is none."""

    def __array__(self, dtype=None):
        return "no array"


class Long:
    def __len__(self):
        return 2**40

    def __getitem__(self, index):
        raise IndexError


class Calls:
    """Calls the model again while its arguments are read."""

    def __array__(self, dtype=None):
        ARM.solve([1, 2, 0], link="tip", start={"joint1": 1.0}, **QUICK)
        gc.collect()
        return np.zeros(3)


class Resizes(np.ndarray):
    def __getattribute__(self, name):
        ndarray = super().__getattribute__
        try:
            ndarray("resize")((0,), refcheck=False)
        except ValueError:
            pass
        return ndarray(name)


class FloatOf(float):
    __float__ = raise_mine


def self_containing():
    inner = []
    inner.append(inner)
    return inner


def clearing_dict(key, value):
    """A dict that is emptied while its only item is read."""
    fields = {}

    class Clears:
        def __array__(self, dtype=None):
            fields.clear()
            gc.collect()
            return np.asarray(value)

    fields[key] = Clears()
    return fields


HOSTILE = {
    "raises": Raises, "lies": Lies, "long": Long, "calls": Calls, "float": lambda: FloatOf(1.5), "itself": self_containing,
    "resizes": lambda: np.arange(3.0).view(Resizes), "clears": lambda: clearing_dict("joint1", [1.0]),
    "clears all": lambda: clearing_dict("joint1", "text"),
    "None": lambda: None, "nothing": lambda: (), "dict": dict, "a goal": lambda: {"type": "position", "link": "tip"},
    "surrogate": lambda: "\ud800", "NUL": lambda: "a\0b", "long text": lambda: "x" * 100000, "bytes": lambda: b"\xff\xfe\x00",
    "negative": lambda: -1, "zero": lambda: 0, "2**31": lambda: 2**31, "2**63": lambda: 2**63, "10**400": lambda: 10**400,
    "nan": lambda: float("nan"), "inf": lambda: float("inf"), "1e308": lambda: 1e308, "true": lambda: True, "numpy": lambda: np,
    "a type": lambda: np.float64, "a model": lambda: ARM, "generator": lambda: (n for n in range(3)),
    "text array": lambda: np.array([["a"] * 8] * 3), "objects": lambda: np.array([None, object(), []], dtype=object),
    "0-d": lambda: np.array(1.0), "0-d text": lambda: np.array("tip"), "huge": lambda: np.full(3, 1e308),
    "tiny": lambda: np.full((3, 3), 5e-324), "wide": lambda: np.zeros((0, 2**33)), "tall": lambda: np.zeros((2**20, 0)),
    "broadcast": lambda: np.broadcast_to(1.0, (2**40, 3)), "deep": lambda: np.zeros((1,) * 32), "empty rows": lambda: np.zeros((0, 3)),
    "keys": lambda: {1: 2}, "key of bytes": lambda: {b"joint1": 1}, "clip": lambda: armature.Clip(MIXED, np.array([POSE(MIXED)] * 2)),
    "path": lambda: pathlib.Path("nothing"), "set": lambda: {"tip"}, "mapping": lambda: armature.Scene(ARM, [1, 2]), "method": lambda: armature.Method,
}


GOALS = {
    "position": {"link": "tip", "point": [0, 0, 0.5], "target": [1, 1, 0], "base": "world", "axes": {"free": "z"}, "weight": 1.5},
    "orientation": {"link": "tip", "target": [0, 0, 0.6, 0.8], "axes": {"free": "z", "box": [0.1, 0, 0], "frame": "target"}},
    "pose": {"link": "tip", "target": np.eye(4), "point": [0, 0.5, 0], "position_axes": {"free": "z"}, "orientation_tolerance": 0.1},
    "aim": {"link": "tip", "direction": [1, 0, 0], "target": [3, 2, 1]},
    "point_on_line": {"link": "tip", "target": [0, 0, 0], "direction": [1, 1, 0]},
    "point_on_plane": {"link": "tip", "target": [0, 0, 0], "normal": [0, 1, 0], "priority": 1},
    "distance": {"link": "tip", "base": "base", "target": [1, 0, 0], "distance": 1.0, "tolerance": 0.01},
    "posture": {"preference": True},
    "pole": {"link": "tip", "target": [1, 1, 0]},
    "center_of_mass": {"target": [1, 1, 0], "base": "world", "axes": {"free": "z"}},
    "balance": {"contacts": [{"link": "tip", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}], "margin": 0.1, "up": [0, 1, 0]},
}
