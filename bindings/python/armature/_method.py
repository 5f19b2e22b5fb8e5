"""Method: the base of methods written in Python; compare: several methods on one scene."""
from . import _core
from ._records import Comparisons
from ._scene import Scene, load_scene


class Method:
    """Derive from it, give it a name, say one step, and register it:

    >>> class Steepest(armature.Method):
    ...     name, label, options = "steepest_doc", "Steepest descent", {"gain": 0.5}
    ...     def step(self, rows):
    ...         return 2 * self.gain / (rows.J ** 2).sum() * rows.J.T @ rows.error
    >>> armature.register_method(Steepest)
    >>> arm = armature.load_model("planar_arm")
    >>> arm.solve([-20, 5], start="chapter", method="steepest_doc", gain=0.8, max_iterations=5000, tolerance=1e-3).ok
    True

    Limits, stopping, the best pose, trace and report are those of the built-in methods. `options` are {name: default}, or {name:
    {"default", "min", "max", "doc"}}; each is an attribute of the method while it runs.
    """

    name = ""
    label = None
    group = "Yours"
    options: dict = {}

    def step(self, rows):
        """The change of each column of rows.J, as far as the method would go; None: it has no further step."""
        raise NotImplementedError("A method needs a step(self, rows).")


def compare(scene, methods=None):
    """Every method on the same question: a list of {method, report, microseconds (quartiles), path_length, largest_step, errors, fastest}.
    `scene` is a Scene or the path of a scene file; options go to the methods that have them. A method that cannot take the question has a
    report that says why.

    >>> rows = armature.compare(armature.Scene('planar_arm', [10, 15], start='chapter'), ['dls', 'ccd', 'reach'])
    >>> [row.report.ok for row in rows]
    [True, True, True]
    """
    if not isinstance(scene, Scene):
        scene = load_scene(scene)
    if methods is None:
        methods = [method.name for method in _core.methods()]
    if not isinstance(methods, (list, tuple)):
        raise _core.ArmatureError(f"methods must be a list of names of methods, not {type(methods).__name__}.")
    names = [str(name) for name in methods]
    return Comparisons(_core._compare(scene.model, scene._fields, names))
