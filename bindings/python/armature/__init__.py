"""Kinematic linkages: describe anything jointed, pose it, and make it reach.

    import armature
    arm = armature.load_model('panda')                       # a built-in model, a file or a dict
    frames = arm.forward({'panda_joint4': -1.5})             # (links, 4, 4)
    report = arm.solve([0.4, 0.1, 0.5], link='panda_tcp')    # a Report
    if report: print(report.pose)

Metres and radians; quaternions are x, y, z, w; a twist is linear, then angular. Whatever is wrong with the data raises
ArmatureError, a ValueError with a whole sentence. How a search ended is the Report's outcome.
"""
from ._core import (ArmatureError, BatchReport, Clip, Follower, Model, Report, Rows, Solver, State, Track, Workspace, __version__,
                    formats, goal_types, load_clip, load_model, measures, methods, models, read_model, register_method, retarget,
                    retarget_files)
from ._method import Method, compare
from ._picture import Picture
from ._records import DriveReport, Mechanism, Record, Solutions
from ._scene import Scene, load_scene
from .notebook import View, view as _view

__all__ = ["ArmatureError", "BatchReport", "Clip", "DriveReport", "Follower", "Mechanism", "Method", "Model", "Picture", "Record",
           "Report", "Rows", "Scene", "Solutions", "Solver", "State", "Track", "View", "Workspace", "__version__", "compare", "formats",
           "goal_types", "load_clip", "load_model", "load_scene", "measures", "methods", "models", "read_model", "register_method",
           "retarget", "retarget_files"]

Model.view = _view
for _public in (DriveReport, Mechanism, Method, Picture, Record, Scene, Solutions, View, _view, compare, load_scene):
    _public.__module__ = "armature"
del _public, _view
