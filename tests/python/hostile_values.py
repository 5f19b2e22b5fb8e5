"""What tests hand to the module: its public functions as the module itself tells them, values that they take, the same in
every layout, and values that they must refuse or survive. See hostile_test.py.
"""
import gc
import inspect
import re

import numpy as np

import armature

ARM = armature.load("planar_arm")
HUMAN = armature.load("human")
# A joint of each type that has quaternions or several numbers, so that slices differ in q and v.
MIXED = armature.load({"name": "mixed", "links": ["base", "a", "b", "c", "tip"], "joints": [
    {"name": "turn", "type": "revolute", "parent": "base", "child": "a", "axis": [0, 0, 1], "limits": {"lower": -2, "upper": 2}},
    {"name": "ball", "type": "spherical", "parent": "a", "child": "b", "origin": {"xyz": [1, 0, 0]}},
    {"name": "slide", "type": "prismatic", "parent": "b", "child": "c", "axis": [1, 0, 0], "limits": {"lower": 0, "upper": 1}},
    {"name": "end", "type": "fixed", "parent": "c", "child": "tip", "origin": {"xyz": [1, 0, 0]}}]})
MODELS = [ARM, MIXED]
QUICK = {"max_iterations": 20, "max_time": 0.2}

# What may be raised: what is wrong with a value, and what iterating it raises (a memoryview of several dimensions cannot be).
EXPECTED = (ValueError, TypeError, OverflowError, MemoryError, RecursionError, NotImplementedError)


class Mine(Exception):
    """Raised by the caller's own code; comes through unchanged."""


# ---- The public interface, as the module itself tells it.

SIGNATURE = re.compile(r"[(,] ?(\w+): [^,=)]+( = )?")


class Entry:
    """A function, method or constructor with the names of its arguments."""

    def __init__(self, owner, name, function):
        self.owner, self.name, self.function = owner, name, function
        line = (function.__doc__ or "").split("\n")[0]
        self.arguments = {n: bool(default) for n, default in SIGNATURE.findall(line) if n not in ("self", "kwargs")}
        self.takes_options = "**kwargs" in line

    def __repr__(self):
        return f"{self.owner.__name__}.{self.name}"

    def valid(self, model):
        """Every argument with a value that it takes."""
        found = {}
        for argument in self.arguments:
            key = (self.name, argument) if (self.name, argument) in VALID else argument
            assert key in VALID, f"{self!r} has an argument {argument!r} of which VALID knows no example"
            value = VALID[key](model)
            if value is not LEFT_OUT:
                found[argument] = value
        return found

    def call(self, model, arguments):
        if self.owner is armature.Model:
            bound = getattr(model, self.name)
        elif self.name == "__init__":
            bound = self.owner
        else:
            bound = self.function
        return bound(**arguments, **(QUICK if self.takes_options else {}))


def public_entries():
    for name, value in vars(armature).items():
        if name.startswith("_"):
            continue
        if inspect.isclass(value):
            for inner, function in vars(value).items():
                if callable(function) and (not inner.startswith("_") or inner == "__init__" and value is not armature.Error):
                    if (function.__doc__ or "").startswith(inner + "(self"):
                        yield Entry(value, inner, function)
        elif callable(value):
            yield Entry(armature, name, value)


LEFT_OUT = object()
POSE = lambda m: np.array(m.clamp(m.pose()))
VALID = {
    "source": lambda m: "planar_arm", "to": lambda m: "json", "name": lambda m: "some.json", "format": lambda m: "json",
    "path": lambda m: "written.json", "clips": lambda m: [armature.Clip(np.array([POSE(m)] * 2))],
    "poses": lambda m: np.array([POSE(m)] * 3), "frame_time": lambda m: 0.25,
    "pose": POSE, "a": POSE, "b": POSE, "start": POSE, "seed": POSE, "rest": POSE, ("random", "seed"): lambda m: 7,
    "t": lambda m: np.array(0.25), "factor": lambda m: np.array(2.0),
    "velocity": lambda m: np.linspace(0, 0.5, m.dof), "gain": lambda m: np.ones(m.dof),
    "link": lambda m: "tip", "links": lambda m: ["tip"], "base": lambda m: m.links[0], "tip": lambda m: "tip",
    "joint": lambda m: m.joint_names[0], "values": lambda m: np.array([0.5]), "locked": lambda m: [m.joint_names[0]],
    "frame": lambda m: "link", "point": lambda m: np.array([0.25, 0.5, 0]), "position": lambda m: np.array([1.5, 0.5, 0]),
    "quaternion": lambda m: np.array([0, 0, 0.5, 1]), "goals": lambda m: LEFT_OUT,
    "positions": lambda m: np.array([[1.5, 0.5, 0], [1, 1, 0], [0.5, 1, 0.25]]),
    "quaternions": lambda m: np.array([[0, 0, 0.5, 1], [0, 0, 0, 2], [1, 0, 0, 0]]),
    "method": lambda m: "dls", "frames": lambda m: 3, "steps_per_frame": lambda m: 1, "trace": lambda m: True,
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
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, armature.Report):
        return plain([value.outcome, value.q, value.position_error, value.iterations, value.goals, value.trace])
    if isinstance(value, armature.Clip):
        return plain([value.poses, value.frame_time, value.name])
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
    elif isinstance(value, armature.Clip):
        yield value.poses


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
        ARM.solve("tip", [1, 2, 0], seed={"joint1": 1.0}, **QUICK)
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
    "keys": lambda: {1: 2}, "key of bytes": lambda: {b"joint1": 1}, "clip": lambda: armature.Clip(np.zeros((2, 2))),
    "clips": lambda: [armature.Clip(np.zeros((2, 3)))], "wide clip": lambda: [armature.Clip(np.zeros((0, 5)))],
}


GOALS = {
    "position": {"link": "tip", "point": [0, 0, 0.5], "target": [1, 1, 0], "base": "world", "axes": "xy", "weight": 1.5},
    "orientation": {"link": "tip", "target": [0, 0, 0.6, 0.8], "axes": {"free": "z", "box": [0.1, 0, 0], "in_goal_frame": True}},
    "pose": {"link": "tip", "target": np.eye(4), "point": [0, 0.5, 0], "position_axes": "xy", "orientation_tolerance": 0.1},
    "aim": {"link": "tip", "direction": [1, 0, 0], "target": [3, 2, 1]},
    "point_on_line": {"link": "tip", "target": [0, 0, 0], "direction": [1, 1, 0]},
    "point_on_plane": {"link": "tip", "target": [0, 0, 0], "normal": [0, 1, 0], "priority": 1},
    "distance": {"link": "tip", "base": "base", "target": [1, 0, 0], "distance": 1.0, "tolerance": 0.01},
    "posture": {},
    "pole": {},
}
