"""What callers should never hand over: every public function ends in an exception or a right answer, never in a crash.

Functions, methods and properties are found by looking at the module, so new ones are covered by themselves; a new argument
only needs a valid value in VALID of hostile_values.py. Most worth running under AddressSanitizer: ./test pyasan.

The random calls at the end repeat themselves; ARMATURE_FUZZ_SECONDS=600 makes them run longer, ARMATURE_FUZZ_SEED others,
ARMATURE_FUZZ_LOG=FILE keeps the number of the last one (after a crash), which ARMATURE_FUZZ_CALL=N repeats alone.
"""
import copy
import gc
import os
import random
import re
import time

import numpy as np
import pytest

import armature
from hostile_values import (ARM, ARRAYS, ENTRIES, EXPECTED, GOALS, HOSTILE, HUMAN, LAYOUTS, MIXED, MODELS, QUICK, WRONG_KINDS,
                            WRONG_SHAPES, Mine, Raises, arrays_in, clearing_dict, plain)


@pytest.fixture(autouse=True, scope="module")
def somewhere_else(tmp_path_factory):
    """Whatever save() is told to write is written there."""
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("hostile"))
    yield
    os.chdir(before)


LIBRARY = armature.methods()  # before the tests add methods of their own
each_array = pytest.mark.parametrize("entry,argument", ARRAYS, ids=lambda v: v if isinstance(v, str) else repr(v))


# ---- Right answers for every layout, and every kind of number.

def test_the_module_shows_what_it_has():
    names = {repr(entry) for entry in ENTRIES}
    assert {"Model.solve", "Model.solve_batch", "Model.forward", "Clip.__init__", "armature.load_model", "Scene.solve"} <= names
    assert {"target", "targets", "start", "poses", "velocity", "q", "point", "origin"} <= {name for _, name in ARRAYS}
    for kind, methods in ((armature.Model, 45), (armature.Report, 18), (armature.Clip, 12), (armature.Follower, 5)):
        assert len([name for name in vars(kind) if not name.startswith("_")]) >= methods


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
@pytest.mark.parametrize("entry", ENTRIES, ids=repr)
def test_valid_arguments_are_taken(entry, model):
    result = entry.call(model, entry.valid(model))
    for array in arrays_in(result):
        assert array.dtype in (np.float64, np.bool_, np.int32) and array.flags.c_contiguous and array.flags.owndata
        array[...] = 0  # a copy: the caller's own
    assert plain(entry.call(model, entry.valid(model))) == plain(entry.call(model, entry.valid(model)))


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

@each_array
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
def test_wrong_kinds_are_refused_by_name(entry, argument, model):
    for kind, make in WRONG_KINDS.items():
        arguments = entry.valid(model)
        with np.errstate(all="ignore"):
            arguments[argument] = make(np.array(arguments[argument]))
            with pytest.raises(armature.ArmatureError, match=rf"\b{argument}\b.*\.$"):
                entry.call(model, arguments)
                pytest.fail(f"{kind}: taken")


@each_array
def test_wrong_shapes_are_refused(entry, argument):
    for shape, make in WRONG_SHAPES.items():
        if argument in ("target", "targets", "goals", "J", "origin") and shape in ("one more number", "one more dimension"):
            continue  # another form of target; another matrix
        arguments = entry.valid(MIXED)
        arguments[argument] = make(arguments[argument])
        with pytest.raises(armature.ArmatureError):
            entry.call(MIXED, arguments)
            pytest.fail(f"{shape}: taken")


def test_the_sentences():
    targets = np.zeros((3, 3))
    with pytest.raises(armature.ArmatureError, match=r"^start must be a pose of 'planar_arm', or an array of 3 rows with 3 numbers each, "
                                                     r"not an array of text of shape \(3, 8\)\.$"):
        ARM.solve_batch(targets, start=np.array([["a"] * 8] * 3))
    with pytest.raises(armature.ArmatureError, match=r"^goals\[0\]\.target: This must be an array of 3 numbers, but it holds 4\.$"):
        ARM.solve(goals=[{"type": "position", "target": [1, 2, 3, 4]}])
    with pytest.raises(armature.ArmatureError, match=r"targets\[1, 2\] is nan, which is not finite\.$"):
        ARM.solve_batch([[0, 0, 0], [0, 0, np.nan]])
    with pytest.raises(armature.ArmatureError, match=r"^velocity must be .*, not None\.$"):
        ARM.integrate(None, None)
    with pytest.raises(armature.ArmatureError, match=r"^start\.joint1: This must be a number, but it is true or false\.$"):
        ARM.solve([1, 2, 0], start={"joint1": True})


# ---- Quaternions.

def test_zero_quaternions_are_refused_and_others_normalized():
    place, turn = [1.5, 0.5, 0], np.array([0, 0, 0.6, 0.8])
    for zero in ([0, 0, 0, 0], [0, 0, 0, 1e-200]):
        with pytest.raises(armature.ArmatureError, match=r"^goals\[0\]\.target: A quaternion x, y, z, w must not be zero"):
            MIXED.solve([*place, *zero], link="tip")
        with pytest.raises(armature.ArmatureError, match=r"^targets\[1\]: A quaternion x, y, z, w must not be zero"):
            MIXED.solve_batch([[*place, *turn], [*place, *zero]], link="tip")
        with pytest.raises(armature.ArmatureError, match="^q: Joint 'ball' was given a zero quaternion"):
            MIXED.forward([0, *zero, 0])
        with pytest.raises(armature.ArmatureError, match=r"^q\[1\]: Joint 'ball' was given a zero quaternion"):
            MIXED.forward([[0, 0, 0, 0, 1, 0], [0, *zero, 0]])
        with pytest.raises(armature.ArmatureError, match="zero quaternion"):
            MIXED.forward({"ball": zero})
    one = MIXED.solve([*place, *turn], link="tip")
    for length in (1e-3, 7, 1e200):
        np.testing.assert_allclose(MIXED.solve([*place, *(length * turn)], link="tip").q, one.q, atol=1e-6)
        batch = MIXED.solve_batch([[*place, *(length * turn)]], link="tip")
        assert batch.ok[0] == one.ok and batch.position_error[0] == pytest.approx(one.position_error, abs=1e-6)
        np.testing.assert_allclose(MIXED.pose([0, *(length * turn), 0])[1:5], turn, atol=1e-15)
    for matrix in (np.zeros((4, 4)), np.diag([1, 1, -1, 1.0]), np.ones((4, 4))):
        with pytest.raises(armature.ArmatureError, match="not the matrix of a rotation"):
            MIXED.solve(goals=[{"type": "pose", "link": "tip", "target": matrix}])


# ---- Owners that are gone.

def test_answers_outlive_their_models():
    for name in ("planar_arm", "human"):
        model = armature.load_model(name)
        tip = model.effectors[0]
        kept = {n: getattr(model, n) for n in dir(model) if not n.startswith("_") and not callable(getattr(model, n))}
        kept["report"] = model.solve([1, 1, 0], link=tip, trace=True, method="dls", **QUICK)
        kept["trace"] = kept["report"].trace
        kept["frames"] = model.forward()
        kept["batch"] = model.solve_batch(np.ones((5, 3)), link=tip, **QUICK)
        kept["scaled"] = model.scale(2)
        kept["state"] = model.state()
        kept["solver"] = model.solver([1, 1, 0], link=tip, **QUICK)
        kept["follower"] = model.follower([1, 1, 0], link=tip)
        kept["scene"] = armature.Scene(model, [1, 1, 0], link=tip)
        kept["clip"] = armature.Clip(model, model.pose()[None])
        kept["methods"] = [model.forward, kept["report"].__repr__]
        before = plain(kept["report"]), repr(kept), kept["report"].pose, plain(kept["scaled"])
        q = kept["report"].q
        del model
        gc.collect()
        junk = [armature.load_model(name) for _ in range(3)] + [np.full(1000, np.nan) for _ in range(100)]
        assert (plain(kept["report"]), repr(kept), kept["report"].pose, plain(kept["scaled"])) == before
        assert plain(kept["solver"]) == plain(kept["solver"]) and plain(kept["state"]) and plain(kept["follower"])
        del kept["report"], junk
        gc.collect()
        assert np.isfinite(q).all() and np.isfinite(kept["trace"][0]["jacobian"]).all()


@pytest.mark.parametrize("kind", [armature.Model, armature.Report, armature.Clip, armature.State, armature.Solver, armature.Track,
                                  armature.Follower, armature.BatchReport, armature.Workspace, armature.Rows])
def test_objects_that_were_never_made(kind):
    members = [name for name in dir(kind) if not name.startswith("__") or name in ("__repr__", "__bool__", "__len__")]
    assert len(members) > 3
    for name in members:
        empty = kind.__new__(kind)
        with pytest.raises(EXPECTED + (RuntimeError,)):
            member = getattr(empty, name)
            if callable(member):
                member(*["tip"] * 2 if name == "extract" else [])
                raise AssertionError(f"{name} of an empty {kind.__name__} gave an answer")
    with pytest.raises(EXPECTED):
        copy.copy(kind.__new__(kind))
    with pytest.raises(EXPECTED + (RuntimeError,)):
        armature.Clip(kind.__new__(kind), [[0.0]])


# ---- The caller's own code, run in the middle of a call.

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


def test_every_type_of_goal_is_tried():
    assert set(GOALS) == set(armature.goal_types())


@pytest.mark.parametrize("type_name", GOALS)
def test_hostile_fields_of_goals(type_name):
    goal = {"type": type_name, **GOALS[type_name]}
    with pytest.raises(armature.ArmatureError) as refusal:
        ARM.solve(goals=[{**goal, "no_such_field": 1}])
    fields = set(re.findall(r"\b[a-z_]{3,}\b", str(refusal.value))) | set(goal)  # the sentence lists the valid names
    for field in sorted(fields):
        for make in HOSTILE.values():
            try:
                MIXED.solve(goals=[{**goal, field: make()}], method="dls", **QUICK)
            except EXPECTED + (Mine,):
                pass
    def with_points(points):  # arrays inside arrays: where a figure stands
        return {"contacts": [{**goal["contacts"][0], "points": points}]}

    arrays = {field: (np.array(value, dtype=float), lambda v, field=field: {field: v}) for field, value in GOALS[type_name].items()
              if isinstance(value, (list, np.ndarray)) and field != "contacts"}
    if "contacts" in goal:
        arrays["points"] = np.array(goal["contacts"][0]["points"], dtype=float), with_points
    for field, (value, changed) in arrays.items():
        for kind, make in WRONG_KINDS.items():
            with pytest.raises(armature.ArmatureError, match=rf"\b{field}\b"), np.errstate(all="ignore"):
                ARM.solve(goals=[{**goal, **changed(make(value))}], **QUICK)
                pytest.fail(f"{field}: {kind}: taken")


def test_hostile_options():
    for method in LIBRARY:
        for option in method["options"]:
            for make in HOSTILE.values():
                try:
                    ARM.solve([10, 15, 0], method=method["name"], **{**QUICK, "max_time": 0.01, option: make()})
                except EXPECTED + (Mine,):
                    pass


def test_dicts_that_change_while_they_are_read():
    assert ARM.pose(clearing_dict("joint1", [0.5]))[0] == 0.5
    assert ARM.integrate(None, clearing_dict("joint2", [0.5]))[1] == 0.5
    for reader in (ARM.pose, lambda v: ARM.integrate(None, v), lambda v: ARM.solve([1, 2, 0], joint_weights=v)):
        with pytest.raises(armature.ArmatureError, match="joint1"):
            reader(clearing_dict("joint1", "text"))
        with pytest.raises(Mine):
            reader({"joint1": Raises()})


# ---- Random calls.

SCALES = [0, 1e-300, 1e-9, 1e-3, 1, 3.2, 100, 1e6, 1e16, 1e100, 1e300]


def random_array(rng, model):
    width = rng.choice([1, 2, 3, 4, 7, 16, model.q_size, model.v_size, len(model.links)])
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
        return rng.choice([method["name"] for method in LIBRARY])
    if argument in ("frames", "steps_per_frame", "cells", "orientations", "threads") and pick < 0.7:
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
        for argument in ("link", "target", "point", "base"):
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
