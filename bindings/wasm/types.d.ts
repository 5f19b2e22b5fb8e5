// The plain values of the module's calls: lists, descriptions, goals, reports, traces, files. armature.d.ts says what they
// are for, and exports them again.

/** Success with a value, or the sentence that says what is wrong and what would have worked. */
export type Result<T> = { ok: true; value: T } | { ok: false; error: ErrorValue };

export interface ErrorValue {
  /** Whole sentence; names the thing and lists what would have worked. */
  message: string;
  /** Where in the text, when known; both count from 1. */
  line?: number;
  column?: number;
}

/** How a search ended. New outcomes may be added; treat an unknown one as "not reached". */
export type Outcome =
  | 'converged'
  | 'unreachable'
  | 'limits'
  | 'singular'
  | 'stalled'
  | 'iteration_limit'
  | 'time_limit'
  | 'diverged'
  | 'not_finite'
  | 'refused'
  | (string & {});

// ---------------------------------------------------------------------------------------------
// Lists: what there is. All are plain objects, made from the core's own registries.

export interface ModelEntry {
  name: string; // "planar_arm"
  title: string; // "The chapter's arm"
  doc: string;
  dof: number;
}

export interface FormatEntry {
  name: string; // "urdf"
  label: string; // "URDF"
  extensions: string[]; // [".urdf", ".xml"]
  reads: boolean;
  writes: boolean;
  /** Can carry a motion (frames), not only a model. */
  motion: boolean;
  binary: boolean;
  doc: string;
}

/** One described option. The studio's sliders, the CLI's flags and these keys are the same list. */
export interface OptionEntry {
  name: string; // "max_iterations"
  label: string; // "Max iterations"
  doc: string;
  type: 'real' | 'integer' | 'boolean' | 'choice';
  default: number | boolean | string;
  /** True when the default means "derived from the linkage"; the value is then NaN or `auto`. */
  auto?: boolean;
  min?: number;
  max?: number;
  /** Sliders use a logarithmic scale. */
  log?: boolean;
  choices?: string[];
  /** "length", "angle", "time" or "" (a plain number). */
  unit?: '' | 'length' | 'angle' | 'time' | (string & {});
  /** Under which it is shown; "" with the others. */
  group?: string;
}

export interface SolverEntry {
  name: string; // "dls"
  label: string; // "Damped least squares"
  group: 'analytic' | 'jacobian' | 'heuristic' | 'global' | (string & {});
  doc: string;
  options: OptionEntry[];
  /** Whether gains and desired angles (the control term) are used. */
  control_term: boolean;
  /** How every picture shows it: on white, lengths of strokes and gaps, and one of o s S p ^ v d D x *. */
  color: string;
  dash: string;
  marker: string;
}

// ---------------------------------------------------------------------------------------------
// The structure of a linkage, in the order of the compiled model (parents before children).

export type JointType =
  | 'fixed'
  | 'revolute'
  | 'continuous'
  | 'prismatic'
  | 'helical'
  | 'cylindrical'
  | 'universal'
  | 'planar'
  | 'spherical'
  | 'euler'
  | 'free'
  | 'free_euler'
  | (string & {});

/** 16 numbers, column-major, as WebGL and three.js store them. */
export type Matrix = number[];

export interface LinkDescription {
  name: string;
  /** Joint that moves this link (index into `joints`). */
  joint: number;
  /** Parent link, -1 for the root (whose parent is the world). */
  parent: number;
  children: number[];
  geometry: GeometryDescription[];
}

export interface GeometryDescription {
  type: 'box' | 'sphere' | 'cylinder' | 'capsule' | 'polyline' | 'mesh';
  /** Pose and scale of the shape in the link's frame. */
  placement: Matrix;
  /** Full side lengths (box). */
  size?: [number, number, number];
  radius?: number;
  /** Cylinder: whole length; capsule: length between the two centres. Along z. */
  length?: number;
  /** Polyline vertices, three numbers each. */
  points?: number[];
  /** Mesh reference as written in the file ("package://..."). */
  uri?: string;
  scale?: [number, number, number];
  /** Linear RGBA from 0 to 1, when the file says. */
  color?: [number, number, number, number];
  collision?: boolean;
}

export interface JointDescription {
  name: string;
  type: JointType;
  parent: number; // link, -1: world
  child: number; // link
  /** Constant placement of the joint in the parent link's frame. */
  placement: Matrix;
  /** Unit axis in the joint's frame (first axis of a joint with several). */
  axis: [number, number, number];
  /** First index and count in the pose vector q. */
  q: number;
  nq: number;
  /** First index and count in velocities, Jacobian columns, gains and steps. */
  v: number;
  nv: number;
  /** One per coordinate of the pose vector (nq); infinite where there is no limit. */
  lower: number[];
  upper: number[];
  /** Names of the coordinates ("", "x", "y", "yaw", ...), one each (nq). */
  coordinates: string[];
  /** "angle", "length" or "" (part of a quaternion), one per coordinate. */
  units: ('angle' | 'length' | '')[];
  /** Axis order of an euler joint, e.g. "zyx". */
  order?: string;
  /** Largest swing away from rest and the twist range of a spherical joint, when limited. */
  swing?: number;
  twist?: [number, number];
  /** Axis of the cone, in the child's frame. */
  cone_axis?: [number, number, number];
  mimic?: { joint: number; multiplier: number; offset: number };
}

export interface ModelDescription {
  name: string;
  description: string;
  dof: number; // independent degrees of freedom (mimic joints do not count)
  nq: number;
  nv: number;
  links: LinkDescription[];
  joints: JointDescription[];
  /** Links that one would reach with: leaves of the tree, or those the model names. */
  effectors: number[];
  /** Every joint axis is parallel to z and every placement stays in the xy plane. */
  planar: boolean;
  up: 'y' | 'z';
  /** Longest way from root to a leaf, in the model's units: the scale of everything. */
  reach: number;
  poses: { name: string; q: number[] }[];
  /** Default solve tolerance, derived from the linkage's size. */
  tolerance: number;
}

// ---------------------------------------------------------------------------------------------
// Goals, reports, traces.

export type GoalType =
  | 'position'
  | 'orientation'
  | 'pose'
  | 'pole'
  | 'aim'
  | 'posture'
  | (string & {});

export interface Goal {
  type: GoalType;
  link: number;
  /** Point of the link that should arrive, in the link's frame. Default: its origin. */
  point?: [number, number, number];
  /** Where, in the world (position, pose, pole, aim). */
  position?: [number, number, number];
  /** Pole: upper and middle link of the limb whose end is `link`. */
  start?: number;
  middle?: number;
  /** Aim: where the link looks, in its frame. */
  direction?: [number, number, number];
  /** How turned, in the world (orientation, pose). */
  quaternion?: [number, number, number, number];
  weight?: number;
  /** Lower numbers first; a higher number never disturbs a lower one. */
  priority?: number;
  tolerance?: number;
}

export interface JointSetting {
  locked?: boolean;
  /** Desired values c_i and gains a_i of the control term, one per velocity (nv). */
  rest?: number[];
  gain?: number[];
  lower?: number[];
  upper?: number[];
}

export interface GoalReport {
  position_error: number;
  /** Radians. */
  orientation_error: number;
  reached: boolean;
}

export interface LimitReport {
  joint: number;
  coordinate: number;
  side: 'lower' | 'upper';
}

export interface Report {
  outcome: Outcome;
  /** One sentence that a person can act on. */
  message: string;
  /** The method that answered (`auto` says which). */
  method: string;
  iterations: number;
  restarts: number;
  microseconds: number;
  /** Largest position error over all goals, and over required ones. */
  error: number;
  goals: GoalReport[];
  joints_at_limits: LimitReport[];
  /** Largest and smallest, of the stacked goal Jacobian at the answer. */
  singular_values: number[];
  manipulability: number;
  condition_number: number;
  /** Why `auto` chose its method, and the like. */
  why: string;
  /** Reach bound used by the verdict, when it was, and the goal's distance from where it is measured. */
  reach?: number;
  distance?: number;
  bound?: 'beyond' | 'inside_hole' | 'no_solution';
}

/** A dense matrix, column-major; `data` is a copy. */
export interface MatrixValue {
  rows: number;
  columns: number;
  data: Float64Array;
}

export interface TraceStep {
  iteration: number;
  q: Float64Array;
  error: number;
  /** Of the stacked goals; empty for methods that form none (CCD, FABRIK). */
  jacobian: MatrixValue;
  singular_values: number[];
  /** Wanted change V of the effectors in this step (rows of the Jacobian). */
  wanted: Float64Array;
  /** Change of each coordinate, nv numbers; all zero in the last entry. */
  step: Float64Array;
  damping: number;
}

export interface Trace {
  report: Report;
  /** Entry 0 is the start; entry i is the state after i iterations. */
  steps: TraceStep[];
}

export interface SequenceRequest {
  /** Index into the goals given to `setGoals` that slides from where its link is now. */
  goal: number;
  frames: number; // 21 frames: 0..20
  /** 0: to convergence. 1: the chapter's Euler integration. */
  steps_per_frame: number;
}

export interface Sequence {
  frames: number;
  /** frames x nq. */
  poses: Float64Array;
  /** frames x 3: where the goal was, and where the effector was. */
  goals: Float64Array;
  effectors: Float64Array;
}

export interface ClipDescription {
  name: string;
  frames: number;
  seconds_per_frame: number;
}

export interface WriteRequest {
  format: string;
  /** Motion to write with the model: frames x nq numbers. */
  poses?: Float64Array;
  seconds_per_frame?: number;
}

export interface Written {
  bytes: Uint8Array;
  /** What the format could not carry, a sentence each. */
  notes: string[];
}

/** One change of the linkage; the core validates it and answers with the new figure. */
export type Edit =
  | { edit: 'rename_link' | 'rename_joint'; name: string; to: string }
  | { edit: 'remove'; link: string }
  | { edit: 'lock'; joint: string; value: number[] }
  | { edit: 'set_limits'; joint: string; lower: number[]; upper: number[] }
  | { edit: 'scale'; factor: number }
  | { edit: 'mirror' }
  | { edit: 'reroot'; link: string }
  | { edit: 'extract_chain'; base: string; tip: string };

/** Skinned mesh as kept by the reader (glTF). */
export interface SkinnedMesh {
  name: string;
  positions: Float32Array; // three a vertex
  normals?: Float32Array;
  indices: Uint32Array;
  /** Four influences a vertex: index into `links`, and weight. Absent: rigid on `link`. */
  joints?: Uint16Array;
  weights?: Float32Array;
  links: number[];
  /** 16 numbers a bone, column-major. */
  inverse_bind: Float32Array;
  link: number;
  color?: [number, number, number, number];
}

export interface BatchResult {
  solved: number;
  goals: number;
  median_iterations: number;
  p95_iterations: number;
  median_microseconds: number;
  p95_microseconds: number;
}
