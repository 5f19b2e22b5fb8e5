"""What callers should never hand over: every public function ends in an exception or a right answer, never in a crash.

Functions, methods and properties are found by looking at the module, so new ones are covered by themselves; a new argument
only needs a valid value in VALID. Most worth running under AddressSanitizer: ./test pyasan.

The random calls at the end repeat themselves; ARMATURE_FUZZ_SECONDS=600 makes them run longer, ARMATURE_FUZZ_SEED others,
ARMATURE_FUZZ_LOG=FILE keeps the number of the last one (after a crash), which ARMATURE_FUZZ_CALL=N repeats alone.
"""
import copy
import gc
import inspect
import os
import random
import re
import time

import numpy as np
import pytest

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

# What may be raised: what is wrong with a value, and what the caller's own code raises.
EXPECTED = (ValueError, TypeError, OverflowError, MemoryError, RecursionError)


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


@pytest.fixture(autouse=True, scope="module")
def somewhere_else(tmp_path_factory):
    """Whatever save() is told to write is written there."""
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("hostile"))
    yield
    os.chdir(before)


each_array = pytest.mark.parametrize("entry,argument", ARRAYS, ids=lambda v: v if isinstance(v, str) else repr(v))


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


# ---- Right answers for every layout, and every kind of number.

def test_the_module_shows_what_it_has():
    names = {repr(entry) for entry in ENTRIES}
    assert {"Model.solve", "Model.solve_batch", "Model.forward", "Clip.__init__", "armature.load"} <= names
    assert {"positions", "quaternions", "seed", "values", "poses", "velocity"} <= {name for _, name in ARRAYS}
    for kind, methods in ((armature.Model, 20), (armature.Report, 15), (armature.Clip, 4)):
        assert len([name for name in vars(kind) if not name.startswith("_")]) >= methods


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
@pytest.mark.parametrize("entry", ENTRIES, ids=repr)
def test_valid_arguments_are_taken(entry, model):
    result = entry.call(model, entry.valid(model))
    for array in arrays_in(result):
        assert array.dtype in (np.float64, np.bool_, np.int32) and array.flags.c_contiguous and array.flags.owndata
        array[...] = 0  # a copy: the caller's own
    assert plain(entry.call(model, entry.valid(model))) == plain(entry.call(model, entry.valid(model)))


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


@each_array
def test_any_layout_gives_the_same(entry, argument):
    for model in MODELS:
        arguments = entry.valid(model)
        wanted = plain(entry.call(model, arguments))
        for layout, make in LAYOUTS.items():
            given = {**arguments, argument: make(arguments[argument])}
            assert plain(entry.call(model, given)) == wanted, layout


@each_array
def test_whole_numbers_are_converted(entry, argument):
    arguments = entry.valid(ARM)
    arguments[argument] = np.ceil(arguments[argument])
    wanted = plain(entry.call(ARM, arguments))
    for kind in (np.int8, np.int64, np.uint8, np.uint64):
        assert plain(entry.call(ARM, {**arguments, argument: arguments[argument].astype(kind)})) == wanted


# ---- Refusals that name the argument.

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


@each_array
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
def test_wrong_kinds_are_refused_by_name(entry, argument, model):
    for kind, make in WRONG_KINDS.items():
        arguments = entry.valid(model)
        with np.errstate(all="ignore"):
            arguments[argument] = make(np.array(arguments[argument]))
            with pytest.raises(armature.Error, match=rf"\b{argument}\b.*\.$"):
                entry.call(model, arguments)
                pytest.fail(f"{kind}: taken")


@each_array
def test_wrong_shapes_are_refused(entry, argument):
    for shape, make in WRONG_SHAPES.items():
        if entry.owner is armature.Clip and shape == "one more number":
            continue  # a motion of another model
        arguments = entry.valid(MIXED)
        arguments[argument] = make(arguments[argument])
        with pytest.raises(armature.Error):
            entry.call(MIXED, arguments)
            pytest.fail(f"{shape}: taken")


def test_the_sentences():
    goals = np.zeros((3, 3))
    with pytest.raises(armature.Error, match=r"^seed must be a pose of 'planar_arm', or an array of 3 rows with 3 numbers each, "
                                             r"not an array of text of shape \(3, 8\)\.$"):
        ARM.solve_batch("tip", goals, seed=np.array([["a"] * 8] * 3))
    with pytest.raises(armature.Error, match=r"^position must be 3 numbers, not 2 numbers\.$"):
        ARM.solve("tip", [1, 2])
    with pytest.raises(armature.Error, match=r"positions\[1, 2\] is nan, which is not finite\.$"):
        ARM.solve_batch("tip", [[0, 0, 0], [0, 0, np.nan]])
    with pytest.raises(armature.Error, match=r"^velocity must be .*, not None\.$"):
        ARM.integrate(None, None)
    with pytest.raises(armature.Error, match=r"^Joint 'joint1' of seed must be a number or a list of numbers, not True\.$"):
        ARM.solve("tip", [1, 2, 0], seed={"joint1": True})


# ---- Quaternions.

def test_zero_quaternions_are_refused_and_others_normalized():
    place, turn = [1.5, 0.5, 0], np.array([0, 0, 0.6, 0.8])
    for zero in ([0, 0, 0, 0], [0, 0, 0, 1e-200]):
        with pytest.raises(armature.Error, match="^quaternion is a zero quaternion"):
            MIXED.solve("tip", place, zero)
        with pytest.raises(armature.Error, match=r"^quaternions\[1\] is a zero quaternion"):
            MIXED.solve_batch("tip", [place] * 2, [turn, zero])
        with pytest.raises(armature.Error, match="^target is a zero quaternion"):
            MIXED.solve(goals=[{"type": "pose", "link": "tip", "target": [*place, *zero]}])
        with pytest.raises(armature.Error, match="^pose of joint 'ball' is a zero quaternion"):
            MIXED.forward([0, *zero, 0])
        with pytest.raises(armature.Error, match=r"^pose\[1\] of joint 'ball' is a zero quaternion"):
            MIXED.forward([[0, 0, 0, 0, 1, 0], [0, *zero, 0]])
        with pytest.raises(armature.Error, match="zero quaternion"):
            MIXED.forward({"ball": zero})
    one = MIXED.solve("tip", place, turn)
    for length in (1e-3, 7, 1e200):
        np.testing.assert_allclose(MIXED.solve("tip", place, length * turn).q, one.q, atol=1e-6)
        batch = MIXED.solve_batch("tip", [place], [length * turn])
        assert batch["ok"][0] == one.ok and batch["position_error"][0] == pytest.approx(one.position_error, abs=1e-6)
        np.testing.assert_allclose(MIXED.pose([0, *(length * turn), 0])[1:5], turn, atol=1e-15)
    for matrix in (np.zeros((4, 4)), np.diag([1, 1, -1, 1.0]), np.ones((4, 4))):
        with pytest.raises(armature.Error, match="no rotation"):
            MIXED.solve(goals=[{"type": "pose", "link": "tip", "target": matrix}])


# ---- Owners that are gone.

def test_answers_outlive_their_models():
    for name in ("planar_arm", "human"):
        model = armature.load(name)
        tip = model.effectors[0]
        kept = {n: getattr(model, n) for n in dir(model) if not n.startswith("_") and not callable(getattr(model, n))}
        kept["report"] = model.solve(tip, [1, 1, 0], trace=True, method="dls", **QUICK)
        kept["trace"] = kept["report"].trace
        kept["frames"] = model.forward()
        kept["batch"] = model.solve_batch(tip, np.ones((5, 3)), **QUICK)
        kept["scaled"] = model.scale(2)
        kept["clip"] = armature.Clip(np.zeros((3, model.q_size)))
        kept["methods"] = [model.forward, kept["report"].__repr__]
        before = plain(kept["report"]), repr(kept), kept["report"].pose, plain(kept["scaled"])
        q = kept["report"].q
        del model
        gc.collect()
        junk = [armature.load(name) for _ in range(3)] + [np.full(1000, np.nan) for _ in range(100)]
        assert (plain(kept["report"]), repr(kept), kept["report"].pose, plain(kept["scaled"])) == before
        del kept["report"], junk
        gc.collect()
        assert np.isfinite(q).all() and np.isfinite(kept["trace"][0]["jacobian"]).all()


@pytest.mark.parametrize("kind", [armature.Model, armature.Report, armature.Clip])
def test_objects_that_were_never_made(kind):
    members = [name for name in dir(kind) if not name.startswith("__") or name in ("__repr__", "__bool__", "__len__")]
    assert len(members) > 3
    for name in members:
        empty = kind.__new__(kind)
        with pytest.raises(EXPECTED + (RuntimeError,)):
            member = getattr(empty, name)
            if callable(member):
                member(*["tip"] * 2 if name == "extract_chain" else [])
                ARM.write("json", clips=[empty])
                raise AssertionError(f"{name} of an empty {kind.__name__} gave an answer")
    with pytest.raises(EXPECTED):
        copy.copy(kind.__new__(kind))
    with pytest.raises(EXPECTED + (RuntimeError,)):
        ARM.write("json", clips=[kind.__new__(kind)])


# ---- The caller's own code, run in the middle of a call.

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


@pytest.mark.parametrize("entry", ENTRIES, ids=repr)
def test_hostile_values(entry):
    for argument in entry.arguments:
        for kind, make in HOSTILE.items():
            arguments = {**entry.valid(ARM), argument: make()}
            if argument == "goals":
                arguments = {"goals": make()}
            try:
                plain(entry.call(ARM, arguments))
            except EXPECTED + (Mine,) as error:
                assert str(error) or isinstance(error, (Mine, MemoryError)), f"{argument}: {kind}"


GOALS = {
    "position": {"link": "tip", "point": [0, 0, 0.5], "target": [1, 1, 0], "base": "world", "axes": "xy", "weight": 1.5},
    "orientation": {"link": "tip", "target": [0, 0, 0.6, 0.8], "axes": {"free": "z", "box": [0.1, 0, 0], "in_goal_frame": True}},
    "pose": {"link": "tip", "target": np.eye(4), "point": [0, 0.5, 0], "position_axes": "xy", "orientation_tolerance": 0.1},
    "aim": {"link": "tip", "direction": [1, 0, 0], "target": [3, 2, 1]},
    "point_on_line": {"link": "tip", "origin": [0, 0, 0], "direction": [1, 1, 0]},
    "point_on_plane": {"link": "tip", "origin": [0, 0, 0], "normal": [0, 1, 0], "priority": 1},
    "distance": {"link": "tip", "other": "base", "other_point": [1, 0, 0], "distance": 1.0, "tolerance": 0.01},
    "posture": {},
    "pole": {},
}


def test_every_type_of_goal_is_tried():
    assert set(GOALS) == set(armature.goal_types())


@pytest.mark.parametrize("type_name", GOALS)
def test_hostile_fields_of_goals(type_name):
    goal = {"type": type_name, **GOALS[type_name]}
    with pytest.raises(armature.Error) as refusal:
        ARM.solve(goals=[{**goal, "no_such_field": 1}])
    fields = set(re.findall(r"\b[a-z_]{3,}\b", str(refusal.value))) | set(goal)  # the sentence lists the valid names
    for field in sorted(fields):
        for make in HOSTILE.values():
            try:
                MIXED.solve(goals=[{**goal, field: make()}], method="dls", **QUICK)
            except EXPECTED + (Mine,):
                pass
    for field, value in GOALS[type_name].items():
        if isinstance(value, (list, np.ndarray)):
            for kind, make in WRONG_KINDS.items():
                with pytest.raises(armature.Error, match=rf"\b{field}\b"), np.errstate(all="ignore"):
                    ARM.solve(goals=[{**goal, field: make(np.array(value, dtype=float))}], **QUICK)


def test_hostile_options():
    for method in armature.solvers():
        for option in method["options"]:
            for make in HOSTILE.values():
                try:
                    ARM.solve("tip", [10, 15, 0], method=method["name"], **{**QUICK, "max_time": 0.01, option: make()})
                except EXPECTED + (Mine,):
                    pass


def test_dicts_that_change_while_they_are_read():
    assert ARM.pose(clearing_dict("joint1", [0.5]))[0] == 0.5
    assert ARM.integrate(None, clearing_dict("joint2", [0.5]))[1] == 0.5
    for reader in (ARM.pose, lambda v: ARM.integrate(None, v), lambda v: ARM.solve("tip", [1, 2, 0], gain=v)):
        with pytest.raises(armature.Error, match="joint1"):
            reader(clearing_dict("joint1", "text"))
        with pytest.raises(Mine):
            reader({"joint1": Raises()})


# ---- Random calls.

SCALES = [0, 1e-300, 1e-9, 1e-3, 1, 3.2, 100, 1e6, 1e16, 1e100, 1e300]


def random_array(rng, model):
    width = rng.choice([1, 2, 3, 4, 7, 16, model.q_size, model.dof, len(model.links)])
    shape = rng.choice([(), (width,), (width,), (rng.randint(0, 4), width), (rng.randint(0, 3), 2, width), (4, 4)])
    values = np.random.default_rng(rng.getrandbits(32)).normal(size=shape) * rng.choice(SCALES)
    for spoil in rng.sample([*WRONG_KINDS.values(), *LAYOUTS.values()], rng.choice([0, 0, 0, 1])):
        try:
            with np.errstate(all="ignore"):
                return spoil(values)
        except (ValueError, TypeError, IndexError):
            pass
    return values


def random_goal(rng, model):
    type_name = rng.choice(list(GOALS))
    goal = {"type": type_name, **GOALS[type_name]}
    for field in rng.sample(list(goal), rng.randint(0, min(2, len(goal)))):
        goal[field] = random_value(rng, model, field)
    return goal


def random_value(rng, model, argument):
    pick = rng.random()
    if argument == "goals" and pick < 0.7:
        return [random_goal(rng, model) for _ in range(rng.randint(0, 3))]
    if argument == "method" and pick < 0.7:
        return rng.choice([method["name"] for method in armature.solvers()])
    if argument in ("frames", "steps_per_frame") and pick < 0.7:
        return rng.randint(-1, 5)
    if pick < 0.6:
        return random_array(rng, model)
    if pick < 0.7:
        return rng.choice(model.links + model.joint_names)
    if pick < 0.8:
        return {rng.choice(model.joint_names): random_array(rng, model) for _ in range(2)}
    return HOSTILE[rng.choice(list(HOSTILE))]()


def check_answer(model, result):
    if isinstance(result, armature.Report):
        assert np.isfinite(result.q).all() and result.message and (not result.ok or model.inside_limits(result.q))
    for array in arrays_in(result):
        assert array.flags.c_contiguous


def random_call(seed, number):
    rng = random.Random(f"{seed} {number}")
    entry = rng.choice([e for e in ENTRIES if e.name not in ("solve", "solve_batch", "forward")] +
                       20 * [e for e in ENTRIES if e.name in ("solve", "solve_batch", "forward")])
    model = rng.choice(MODELS * 10 + [HUMAN])
    arguments = entry.valid(model)
    for argument in list(arguments):
        if entry.arguments[argument] and rng.random() < 0.3:
            del arguments[argument]
    for argument in rng.sample(list(entry.arguments), min(len(entry.arguments), rng.choice([0, 1, 1, 2, 3]))):
        arguments[argument] = random_value(rng, model, argument)
    if arguments.get("goals") is not None and "link" in arguments and rng.random() < 0.9:
        for argument in ("link", "position", "quaternion"):
            arguments.pop(argument, None)
    try:
        check_answer(model, entry.call(model, arguments))
    except EXPECTED + (Mine,):
        return 0
    return 1


def test_random_calls():
    seed = os.environ.get("ARMATURE_FUZZ_SEED", "1")
    log = os.environ.get("ARMATURE_FUZZ_LOG")
    if "ARMATURE_FUZZ_CALL" in os.environ:
        random_call(seed, int(os.environ["ARMATURE_FUZZ_CALL"]))
        return
    until = time.monotonic() + float(os.environ.get("ARMATURE_FUZZ_SECONDS", 0))
    number = answered = 0
    while number < 3000 or time.monotonic() < until:
        if log:
            with open(log, "w", encoding="ascii") as out:
                out.write(str(number))
        try:
            answered += random_call(seed, number)
        except BaseException as error:
            raise AssertionError(f"call {number} of seed {seed}") from error
        number += 1
    print(f"{number} calls, {answered} answered")
    assert answered > number / 10
