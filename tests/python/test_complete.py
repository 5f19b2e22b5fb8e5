"""What the C++ library has, Python has too: every name of the public headers (those that armature.hpp lists) is a name of the package, or
stands in REASONS with the reason why not. A new header, function or class fails here until one of the two is done.
"""
import inspect
import pathlib
import re

import armature

SOURCE = pathlib.Path(__file__).parents[2] / "src"
INCLUDE = re.compile(r'#include "(armature/[\w/]+\.hpp)"')


def public_headers():
    """What the eight headers below armature.hpp list."""
    headers = []
    for name in INCLUDE.findall((SOURCE / "armature/armature.hpp").read_text(encoding="utf-8")):
        for inner in INCLUDE.findall((SOURCE / name).read_text(encoding="utf-8")):
            if inner.count("/") == 2 and inner not in headers:
                headers.append(inner)
    return headers


def names_of(text):
    """Types and free functions at the level of the namespace."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^\s*#[^\n]*$", "", text, flags=re.M)
    text = re.sub(r"template\s*<[^{};()]*?>\s*(?=[A-Za-z])", "", text)
    depth, level = 0, []
    for char in text:  # only what stands at depth 1, the namespace
        if char == "}":
            depth -= 1
        level.append(char if depth <= 1 else " ")
        if char == "{":
            depth += 1
    flat = "".join(level)
    found = set(re.findall(r"\b(?:struct|class)\s+(?:\[\[\w+\]\]\s+)?(\w+)[^;{]*\{", flat))
    found |= set(re.findall(r"\benum class\s+(\w+)", flat))
    found |= set(re.findall(r"[\w>&*]\s+[&*]?(\w+)\([^;{}]*\)\s*(?:const)?\s*[;{]", flat))
    return {name for name in found if not name.startswith(("k", "ARMATURE")) and name not in ("operator", "static_assert", "detail", "requires")}


def python_names():
    names = set(armature.__all__)
    for name in armature.__all__:
        value = getattr(armature, name)
        if inspect.isclass(value):
            names |= set(vars(value))
    return names


# C++ name: what Python has instead, or why it has nothing.
REASONS = {}
for reason, words in {
    "threads= and the calls that run jobs: solve_batch, solve_targets, workspace, retarget_files": """for_all worker_count Job Ranks run_job share
        compute_workspace""",
    "records": "TargetsSummary RetargetedFile RetargetFilesReport",
    "retarget_files takes a folder": "motions_in",
    "errors are exceptions": "Error Status Result",
    "numpy and scipy turn vectors": "quaternion_about rotation_about",
    "graft(...) finds a free prefix": "free_prefix",
    "a part of reading scenes": "load_carried note_units",
    "model.joints and notes": "velocity_name check_frame_count",
    "armature.__version__": "version",
    "a keyword of solutions": "within_limits",
    "numpy arrays": "Transform EulerOrder Twist Bone Svd ConeLimit Limits",
    "numpy does it, or scipy.spatial.transform": """rpy euler_to_quaternion quaternion_to_euler log_rotation exp_rotation orthonormalized
        right_jacobian_inverse SwingTwist cross_matrix euler_to_matrix matrix_to_euler about swing_twist slerp squad skew convert_point convert_direction rotation_error exponential
        quaternion_from_two nearest_angle wrap wrap_angle deg rad from translate""",
    "a dict in Armature's format describes a model": """Linkage Link Joint Mimic Geometry Visual NamedPose Box Sphere Cylinder Capsule Polyline
        MeshFile Shape compile find_mistakes add_link""",
    "model.<verb> gives a new model": "remove_link rename_link rename_joint lock_joint extract_chain expand_joint expand_screw expand_joints expand_pose",
    "write('dh_csv') and files": "DhRow DhTable DhConvention dh_convention_name dh_forward dh_convert dh_to_linkage linkage_to_dh tidy",
    "model.transform, model.state, model.forward": "ForwardBatch relative forward_from forward_links traverse resize resolve resolve_frame NameOrIndex",
    "model.pose, model.start_pose, scene keys": """neutral_pose middle_pose named_pose clamp_start clamp_to_cone cone_walls set_joint start_pose
        default_tip frame_index""",
    "chosen by drawings and exports": "is_planar",
    "model.jacobian(base=), frame=": "JacobianFrame relative_jacobian jacobian_at_world_point",
    "armature.measures": "Measures",
    "model.velocities, model.accelerations": "link_velocities link_accelerations relative_velocity relative_acceleration",
    "model.solutions, model.analyze_chain": """ChainClass class_name ChainTask ChainAnalysis ChainAnswers ChainSolveOptions solve_chain SolutionsOptions
        lock_joints write_solutions""",
    "Picture": "Svg Pen Lettering",
    "keywords": """SolveOptions DrawOptions LinkPoint drawn_frames FollowerOptions TrackOptions WorkspaceOptions RetargetOptions RetimeOptions ReadOptions WriteOptions OptionInfo
        FieldInfo Scale OptionLister OptionSetter list_options set_option label_of ParallelOptions JobOptions SolveTargetsOptions RetargetFilesOptions""",
    "dicts as in docs/goals.md": """PositionGoal OrientationGoal PoseGoal AimGoal PointOnLineGoal PointOnPlaneGoal DistanceGoal PostureGoal PoleGoal
        CenterOfMassGoal BalanceGoal Contact CustomGoal Axes AxesFrame FrameTarget GoalRows GoalLinks GoalFunction linearize describe_common Problem check_problem limits_of velocity_limits_of
        joint_weights_of""",
    "fields of Report": """GoalResidual GoalReport LimitSide LimitContact side_name ReachBound Proof bound_name Outcome outcome_name limit_name TraceStep
        Trace MethodInfo""",
    "methods(), Method, register_method": """BuiltinMethod builtin_methods MethodWith MethodSettings IterativeMethod MethodEntry
        MethodName make_solver set_method_option make_method""",
    "keywords of solve and solver, listed by methods()": """InverseOptions PseudoinverseOptions DlsOptions SdlsOptions TransposeOptions CcdOptions
        CcdRankedOptions FabrikOptions TwoLinkOptions AnalyticOptions ReachOptions FollowOptions JacobianAt ControlForm Elbow SwivelFrom Ranking
        Quality Recover choice_words""",
    "model.placements": "PlacementOptions Placements find_placements",
    "`armature compare --targets`": "TargetsComparison",
    "compare()": "Comparison CompareOptions fastest_method write_comparison",
    "model.mechanism, model.drive, model.assemble": """Assembler AssembleReport open_loops held_velocities damped_step AssemblyModes ModesOptions
        MechanismReport NeverCloses analyze_mechanism find_assembled_pose transmission_index DriveOptions DriveMove DriveReport drive ModeCircuit find_circuits
        CircuitReport DeadPoint circuit close_loops velocity_ratios""",
    "what pose arguments are filled up with": "default_pose",
    "Scene.save": "can_be_written",
    "solve_batch": "Batch for_all worker_count",
    "fields of Follower.step": "FollowerStep",
    "Track, Clip": """TrackFrame MovingGoal moving_goals move_target goal_path has_path Path PathMotion PathOptions PathRotation Profile Curve
        OrientationTrack Timing Turning""",
    "Workspace.grid, model.workspace": "WorkspaceGrid compute_workspace",
    "Clip.check, Clip.retime": "MotionFault MotionCheck check_motion Retimed MotionRatios motion_ratios",
    "model.keyframes": "Keyframes Key Interpolation interpolation_name interpolation_from_name",
    "retarget()": "Footfall Retargeted RetargetReport Figure FigureLimb MappedFigures map_figures make_travelling carry_pose guess_figure figure_from_names figure_from_tree guess_bone_map",
    "methods of Clip and their answers": "JoinOptions LayerOptions GroundMove RootMotion RootOptions Reduced Stance JointStats ClipStats up_of root_of Pin OptimizeOptions Optimized",
    "a part of model.mirror": "swapped_sides",
    "for the inner loop of a game, which is C++; Python has solve and Follower": "LimbIk LookIk LimbReach LookAt Footing",
    "load_model, read_model, model.write, formats()": """Document Extra Format detect_format format_named format_for_writing read_document write_document
        BuiltinModel builtin_models builtin_names Beside FileKind open_beside load_beside ModelSource find_model load_document LoadedModel open_model choose_clip""",
    "Python opens files itself": "files_in FileHandle read_file OpenFile open_regular open_below read_open_file LineReader OutputFile remove_unfinished_output write_file_atomically",
    "Scene": "SceneArguments with_files read_scene is_scene to_json check_limited parse_limits make_problem joint_weights_from scene_keys",
    "Report.to_dict": "ReportText write_report write_trace name_of_goal",
    "solve_batch takes arrays": "Targets TargetPiece load_targets Target TargetParser TargetReader",
    "scenes hold obstacles, models find their bodies, clips keep clear": """CenterOfMass Clearance ClearMotion ClearOptions Collision Inertia NamedClearance NearPair Touch check_inertia check_moments collision_name inertia_of load_obstacles bodies_of count_false_alarms exact_bodies use_bodies write_clear meshes_beside meshes_of parse_collision read_obstacles solid_inertia total_inertia write_bodies write_collisions write_obstacles""",
}.items():
    for word in words.split():
        REASONS[word] = reason


def test_every_public_name_is_in_python_or_has_a_reason():
    headers = public_headers()
    assert len(headers) > 40
    have = python_names()
    missing = {}
    for header in headers:
        for name in names_of((SOURCE / header).read_text(encoding="utf-8")):
            if name not in have and name not in REASONS:
                missing.setdefault(header, []).append(name)
    assert not missing, "\n".join(f"{header}: {', '.join(sorted(names))}" for header, names in sorted(missing.items()))


def test_the_parser_sees_names():
    names = names_of("namespace a {\nstruct Foo { int x; void inner(); };\nclass [[nodiscard]] Bar;\nenum class Baz { a };\n"
                     "Result<int> find(int x);\ninline double half(double x) { return other(x); }\n}")
    assert names == {"Foo", "Baz", "find", "half"}
