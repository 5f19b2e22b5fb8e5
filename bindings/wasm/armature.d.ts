// @armature/core: inverse kinematics of linkages in the browser and in node. docs/conventions.md holds here too: SI units
// and radians, right-handed, quaternions x, y, z, w; keys of objects are the names of scene files (docs/formats/scene.md).
// Over 400 lines: the types of one module are one file for those who use it.
//
// Mistakes throw ArmatureError with the core's whole sentence, and line and column where they stand in a text; a solve never
// throws: its report says how it ended. A Float64Array that is called a view looks into the module's memory and is valid until
// the next call that may allocate; everything else is a copy. Models, scenes and followers own memory: call delete().
import type { Goal, GoalType, Target } from './goals.js';

export type { Goal, GoalType, Target };

export class ArmatureError extends Error {
  line?: number;
  column?: number;
}

/** How a search ended. New outcomes may be added; treat an unknown one as "not reached". */
export type Outcome = 'converged' | 'unreachable' | 'blocked' | 'stalled' | 'singular' | 'diverged' | 'iteration_limit' | 'time_limit' | 'not_finite' | 'refused' | (string & {});

export interface ModelEntry {
  name: string;
  label: string;
  doc: string;
  v_size: number;
  links: number;
}
export interface FormatEntry {
  name: string;
  label: string;
  extensions: string[];
  reads: boolean;
  writes: boolean;
  /** Can carry a motion, not only a model. */
  motion: boolean;
  binary: boolean;
}
export interface OptionEntry {
  name: string;
  label: string;
  group?: string;
  doc: string;
  type: 'real' | 'integer' | 'boolean' | 'choice';
  default: number | boolean | string;
  /** The default leaves the choice to the method. */
  auto?: boolean;
  min?: number;
  max?: number;
  log?: boolean;
  choices?: string[];
  unit?: '' | 'length' | 'angle' | 'time' | (string & {});
}
export interface MethodEntry {
  name: string;
  label: string;
  group: string;
  doc: string;
  options: OptionEntry[];
  /** How pictures show it: colour on white, strokes and gaps, and one of o s S p ^ v d D x *. */
  color: string;
  dash: string;
  marker: string;
}

export interface Transform {
  position: [number, number, number];
  quaternion: [number, number, number, number];
}
export interface Joint {
  name: string;
  type: string;
  /** Links; null: the world. */
  parent: string | null;
  child: string;
  origin: Transform;
  axis?: [number, number, number];
  /** Order of the turns of an Euler joint. */
  order?: string;
  q_index: number;
  q_size: number;
  v_index: number;
  v_size: number;
  coordinates: string[];
  units: ('angle' | 'length' | '')[];
  /** One per coordinate; infinite where there is no limit. */
  lower: number[];
  upper: number[];
  cone?: { axis: [number, number, number]; swing: number; twist: [number, number] };
  mimic?: { joint: string; multiplier: number; offset: number };
}
export interface Visual {
  link: string;
  type: 'box' | 'sphere' | 'cylinder' | 'capsule' | 'polyline' | 'mesh';
  /** Pose and scale of the shape in the link's frame, 16 numbers, column-major. */
  matrix: number[];
  size?: [number, number, number];
  radius?: number;
  length?: number;
  points?: number[];
  uri?: string;
  color?: [number, number, number, number];
  collision?: boolean;
}
/** A skinned surface; `joints`: four indices a vertex into `links`. Rigid on `link` without them. */
export interface SkinnedMesh {
  name: string;
  positions: Float32Array;
  normals?: Float32Array;
  indices: Uint32Array;
  joints?: Uint16Array;
  weights?: Float32Array;
  links: number[];
  inverse_bind: Float32Array;
  link: number;
  color?: [number, number, number, number];
}

/** A dense matrix, column-major. */
export interface Matrix {
  rows: number;
  columns: number;
  data: Float64Array;
}
export interface Measures {
  singular_values: ArrayLike<number>;
  manipulability: number;
  condition: number;
}

export interface LimitContact {
  joint: string;
  coordinate: number;
  side: 'lower' | 'upper' | 'cone';
}
export interface GoalReport {
  name: string;
  type: GoalType | 'custom';
  link?: string;
  priority: number;
  position_error: number;
  orientation_error: number;
  /** Absent for a preference. */
  reached?: boolean;
  preference?: boolean;
}
export interface Report {
  ok: boolean;
  outcome: Outcome;
  message: string;
  method: string;
  reason?: string;
  q: Float64Array;
  pose: Record<string, number | number[]>;
  position_error: number;
  orientation_error: number;
  iterations: number;
  restarts: number;
  microseconds: number;
  goals: GoalReport[];
  joints_at_limits: LimitContact[];
  blocking_joints: LimitContact[];
  measures?: { singular_values: number[]; manipulability: number; condition: number | null };
  /** Where collisions are avoided: the smallest distance, and what touches or is nearer than the margin. */
  clearance?: number;
  collisions?: { a: string; b: string; depth: number; point_a: [number, number, number]; point_b: [number, number, number] }[];
  proof?: { bound: 'beyond' | 'inside_hole' | 'no_solution'; length: number; distance: number };
}
export interface TraceStep {
  q: Float64Array;
  /** Rows: target minus actual, angle rows as lengths. */
  error: Float64Array;
  error_norm: number;
  jacobian: Matrix;
  singular_values: number[];
  /** What the method asked for, per velocity. */
  step: Float64Array;
  damping: number;
}
export interface TracedReport extends Report {
  /** Entries at which the search began anew with another start. */
  began_anew: number[];
  /** Entry 0 is the start; entry i the state after i iterations. */
  trace: TraceStep[];
}

/** One iteration with all that is needed to compute it again (scene/explain_step.hpp). */
export interface ExplainedStep {
  method: string;
  label: string;
  iteration: number;
  last: boolean;
  restarted: boolean;
  /** The printed system gives `asked`. */
  reproducible: boolean;
  system?: string;
  message: string;
  /** That printed numbers need; 17: all of them. */
  decimals: number;
  q: number[];
  rows: { name: string; goal: string; angle: boolean; error: number; wanted: number }[];
  columns: {
    name: string;
    joint: string;
    unit: 'angle' | 'length';
    /** 0: left out of this step. */
    scale: number;
    z?: number;
    from_goals: number;
    from_control?: number;
    asked: number;
    step: number;
    before?: number;
    limit?: 'lower' | 'upper' | 'cone';
    bound?: number;
  }[];
  jacobian: number[][];
  rotation_weight?: number;
  singular_values: number[];
  singular: boolean;
  damping: number;
  step_size: number;
  step_limit: number;
  max_step?: number;
  alpha?: number;
  gamma?: number;
  value_limits?: number[];
  turns?: { column: string; best: number; made: number }[];
  triangle?: { upper: number; lower: number; distance: number };
  link?: string;
  link_jacobian?: number[][];
  error: number;
  error_after: number;
}

export interface CustomGoal {
  type: 'custom';
  name?: string;
  weight?: number;
  tolerance?: number;
  priority?: number;
  /** How many errors, the first ones, are lengths; all unless it says. */
  length_rows?: number;
  /** Target minus actual; it must look at the same links at every pose, at most four. */
  function: (state: State) => { error: ArrayLike<number> };
}
export type PoseInput = string | Record<string, number | number[]> | ArrayLike<number>;
export type Interpolation = 'auto' | 'cubic' | 'linear' | 'step' | 'ease';
/** `rate_in`, `rate_out`: tangents, in units of the value per second (docs/formats/motion_files.md). */
interface KeyTimes {
  time: number;
  interpolation?: Interpolation;
}
interface Tangents {
  rate_in?: number | number[];
  rate_out?: number | number[];
}
export interface Keys {
  interpolation?: Interpolation;
  periodic?: boolean;
  poses?: (KeyTimes & { pose: PoseInput })[];
  joints?: Record<string, (KeyTimes & Tangents & { value: number | number[] })[]>;
  goals?: Record<string, (KeyTimes & Tangents & { target: number[] })[]>;
  /** The motion of the model's file lies below, through these clip tools: ['trim 1..2', 'mirror']. */
  clip?: string[];
  weight?: number;
  goal_weight?: number;
  fade?: number;
  duration?: number;
}
export interface SceneOptions {
  name?: string;
  tip?: string;
  base?: string;
  start?: PoseInput;
  locked?: string[];
  joint_weights?: Record<string, number> | number[];
  obstacles?: Obstacle[];
  margin?: number;
  collision?: 'search' | 'off';
  /** Where bodies touch, the shapes themselves decide, meshes by their triangles. */
  exact?: boolean;
  limits?: Record<string, [number, number] | { lower?: number | number[]; upper?: number | number[]; velocity?: number }>;
  method?: string;
  options?: Record<string, number | boolean | string>;
  frame_rate?: number;
  steps_per_frame?: number;
  max_joint_step?: number;
  stop?: boolean;
  keys?: Keys;
  view?: unknown;
}
/** The object of scene files. `model`: a built-in name, a linkage in place, or a file in place. */
export interface SceneDescription extends SceneOptions {
  format?: 'armature-scene';
  version?: 1;
  model?: string | object;
  goals?: (Goal | CustomGoal)[];
}
type Goals = Goal | CustomGoal | (Goal | CustomGoal)[];

export interface Written {
  bytes: Uint8Array;
  /** What the format could not carry. */
  notes: string[];
}
export type Edit =
  | { edit: 'rename'; link?: string; joint?: string; to: string }
  | { edit: 'remove' | 'reroot'; link: string }
  | { edit: 'lock'; joint: string; value: number | number[] }
  | { edit: 'limits'; joint: string; lower: number | number[]; upper: number | number[] }
  | { edit: 'scale'; factor: number }
  | { edit: 'mirror'; axis?: 'x' | 'y' | 'z' }
  | { edit: 'extract'; base: string; tip: string };

export interface Benchmark {
  solved: number;
  goals: number;
  median_iterations: number;
  p95_iterations: number;
  median_microseconds: number;
  p95_microseconds: number;
}
export interface ComparisonRow {
  method: string;
  report: Report;
  /** Lower quartile, median, upper quartile of repeated solves. */
  microseconds: [number, number, number];
  path_length: number | null;
  largest_step: number | null;
  errors: number[];
}
export interface Track {
  clip: Clip;
  not_reached: number[];
  near_singular: number[];
  jumps: number[];
  largest_error: number;
  largest_step: number;
  solves: number;
  fraction: number;
}

/** What the keys of a scene make of it. */
export interface Animation {
  clip: Clip;
  not_reached: number[];
  largest_error: number;
  /** Where the scene avoids collisions: frames that touched, and those that still do. */
  cleared?: {
    ok: boolean;
    message: string;
    touching: number[];
    left: number[];
    gaps: number[];
    deepest?: number;
    collisions: { a: string; b: string; depth: number; point_a: [number, number, number]; point_b: [number, number, number] }[];
    largest_change: number;
  };
}

/** A joint that holds two links of a tree together. */
export interface ClosureEntry {
  name: string;
  type: string;
  a?: string;
  b?: string;
  joint?: string;
  source?: string;
}
export interface Mechanism {
  assembled: boolean;
  mobility: number;
  kutzbach: number;
  /** The same count in the plane or about a point, where loops move so. */
  kutzbach_reduced?: number;
  constraints: number;
  idle: number;
  redundant: number;
  /** A change point: more freedom than nearby. */
  singular: boolean;
  drives: string[];
  drives_given: boolean;
  free_joints: string[];
  fighting: string[];
  groups: string[][];
  /** 1 best, 0 at a dead point. */
  transmission: number;
  closure_error: number;
  q: Float64Array;
  never_close: { closure: string; gap: number }[];
  notes: string[];
}
export interface AssemblyModes {
  q: Float64Array[];
  complete: boolean;
  count: number;
  families: number;
  /** Others were left out because they break limits. */
  limited: boolean;
}
export interface Circuit {
  closed: boolean;
  full_turn: boolean;
  /** It goes on (a screw, a cam without end) and was followed no further. */
  unfinished: boolean;
  lower: number;
  upper: number;
  dead_points: { value: number; q: Float64Array }[];
  branch_points: Float64Array;
  limit_joint: string;
  clip: Clip;
}
export interface DriveReport {
  ok: boolean;
  outcome: 'reached' | 'dead_point' | 'branch_point' | 'limit' | 'locked' | 'not_finite' | (string & {});
  message: string;
  clip: Clip;
  values: Float64Array;
  transmission: Float64Array;
  q: Float64Array;
  value: number;
  stopped_at?: number;
  stopped_q?: Float64Array;
  in_line: string[];
  other_drive: string;
  limit_joint: string;
  closure_error: number;
}
export interface BodiesReport {
  bodies: { link: string; source: string }[];
  pairs: { a: string; b: string }[];
  ignored_pairs: { a: string; b: string; reason: string }[];
  notes: string[];
}
export interface NearPair {
  a: string;
  b: string;
  /** Negative: they touch, by so much. */
  distance: number;
  point_a: [number, number, number];
  point_b: [number, number, number];
}
export type ObstacleShape =
  | { type: 'box'; size: [number, number, number] }
  | { type: 'sphere'; radius: number }
  | { type: 'cylinder' | 'capsule'; radius: number; length: number }
  | { type: 'plane'; normal?: [number, number, number] }
  | { type: 'height_field' | 'mesh' | 'points'; [key: string]: unknown };
export interface Obstacle {
  name?: string;
  shape: ObstacleShape;
  origin?: Partial<Transform> | number[];
  /** Carried by this link. */
  link?: string;
}

export class State {
  readonly model: Model;
  /** 16 numbers a link, column-major. */
  readonly transforms: Float64Array;
  transform(link: string | number): Transform & { matrix: Float64Array };
}

export class Clip {
  readonly model: Model;
  name: string;
  frame_time: number;
  frames: number;
  /** frames x q_size. */
  readonly q: Float64Array;
  readonly duration: number;
  frame(index: number): Float64Array;
  trail(link: string | number, point?: ArrayLike<number>): [number, number, number][];
  write(format: string): Written;
  /** What a tool said of its work. */
  notes?: string[];
  tool(name: string, argument?: string | number, other?: Clip): Clip;
  trim(from?: number, to?: number): Clip;
  resample(frame_rate: number): Clip;
  reverse(): Clip;
  speed(factor: number): Clip;
  loop(blend?: number): Clip;
  concat(next: Clip, options?: { blend?: number; align?: boolean }): Clip;
  mirror(): Clip;
  inPlace(options?: { turn?: boolean; smooth?: number }): Clip;
  layer(over: Clip, options?: { links?: string[]; weight?: number; start?: number; fade?: number; additive?: boolean }): Clip;
  smooth(seconds: number): Clip;
  reduce(tolerance: number): Clip;
  feet(): Clip;
  stats(): ClipStats;
}

export interface ClipStats {
  frames: number;
  duration: number;
  travel: number;
  distance: number;
  top_speed: number;
  largest_step: number;
  largest_speed_ratio: number;
  joints: Record<string, { largest_speed: number; lowest?: number; highest?: number; outside_limits: boolean }>;
  /** Where feet stand, in frames. */
  stances: { link: string; part: 'toe' | 'heel'; first: number; last: number; slide: number }[];
  largest_slide: number;
}

export interface WorkspaceOptions {
  tip?: string | number;
  base?: string | number;
  point?: ArrayLike<number>;
  /** Along the longest side. */
  cells?: number;
  samples?: number;
  /** Tried per cell; 0: only which cells are reached. */
  orientations?: number;
  seed?: number;
  /** Only the box between these corners, in the base's frame. */
  region?: [ArrayLike<number>, ArrayLike<number>];
  /** Only orientations whose z axis is within this angle of `cone_axis`. */
  cone?: number;
  cone_axis?: ArrayLike<number>;
}
export interface Workspace {
  tip: string;
  base: string;
  /** Cell x, y, z is entry (z * count[1] + y) * count[0] + x. */
  grid: { origin: [number, number, number]; cell: number; count: [number, number, number] };
  reachable: Uint8Array;
  /** Share of the orientations; empty when none were tried. */
  dexterity: Float64Array;
  reachable_cells: number;
  volume: number;
  sampled_volume: number;
  mean_dexterity: number;
}

export class Model {
  readonly name: string;
  readonly description: string;
  readonly links: string[];
  readonly joints: Joint[];
  readonly effectors: string[];
  readonly poses: Record<string, Record<string, number | number[]>>;
  readonly q_size: number;
  readonly v_size: number;
  readonly size: number;
  /** Loops; empty for a tree. */
  readonly closures: ClosureEntry[];
  readonly mobility: number;
  readonly assembled?: boolean;
  readonly drives?: string[];
  /** Every joint turns about z or slides in the xy plane. */
  readonly planar: boolean;
  /** Axis of its world that points up. */
  readonly up: 'y' | 'z';
  /** Name of the format that it was read from. */
  readonly format: string;
  readonly notes: string[];
  readonly clips: Clip[];
  linkIndex(link: string | number): number;
  /** Joints that are not named stand as in `from`, else at 0; with loops, as in startPose(). */
  pose(values?: PoseInput, from?: ArrayLike<number>): Float64Array;
  poseValues(q: ArrayLike<number>): Record<string, number | number[]>;
  startPose(): Float64Array;
  neutralPose(): Float64Array;
  randomPose(seed?: number): Float64Array;
  clamp(q: ArrayLike<number>): Float64Array;
  integrate(q: ArrayLike<number>, velocity: ArrayLike<number>): Float64Array;
  difference(from: ArrayLike<number>, to: ArrayLike<number>): Float64Array;
  interpolate(from: ArrayLike<number>, to: ArrayLike<number>, t: number): Float64Array;
  forward(q?: ArrayLike<number>): State;
  /** 6 x v_size, linear rows first, world axes. */
  jacobian(link: string | number, q?: ArrayLike<number>, point?: ArrayLike<number>): Matrix;
  visuals(): Visual[];
  meshes(): SkinnedMesh[];
  scene(description?: SceneDescription): Scene;
  solve(goals: Goals, options?: SceneOptions & { trace?: boolean }): Report;
  solver(goals: Goals, options?: SceneOptions): Scene;
  solveBatch(targets: ArrayLike<number>, options?: SceneOptions & { size?: 3 | 7; goal?: Goal }): { q: Float64Array; ok: boolean[]; microseconds: Float64Array };
  solutions(goal: Goal, options?: { start?: PoseInput }): { q: Float64Array[]; residuals: Float64Array; complete: boolean; singular_joints: string[]; answers: number[]; message: string };
  follower(goals: Goals, options?: SceneOptions & { velocity_scale?: number }): Follower;
  track(goals: Goals, options?: SceneOptions): Track;
  mechanism(q?: ArrayLike<number>, options?: { drives?: string[] }): Mechanism;
  modes(q?: ArrayLike<number>, options?: { drives?: string[]; max_modes?: number }): AssemblyModes;
  circuit(joint: string | number, q?: ArrayLike<number>, options?: { largest_step?: number }): Circuit;
  drive(options: { joint: string; to: number; from?: number; frames?: number; start?: PoseInput }): DriveReport;
  assemble(q?: ArrayLike<number>, held?: string[]): { ok: boolean; q: Float64Array; message: string; closure_error: number };
  bodies(): BodiesReport;
  centerOfMass(q?: ArrayLike<number>): { position: [number, number, number]; mass: number; source: 'file' | 'shapes' | 'bones' };
  /** Three numbers each. */
  randomPlaces(options?: { tip?: string | number; samples?: number; seed?: number }): Float64Array;
  workspace(options?: WorkspaceOptions): Workspace;
  clip(motion: { name?: string; frame_time: number; q: ArrayLike<number> }): Clip;
  edit(change: Edit | Edit[]): Model;
  /** With `branch` below a link, or without one beside this model, placed in the world. Names that are taken get a prefix. */
  graft(branch: Model, options?: { link?: string | number; prefix?: string } & Partial<Transform>): Model;
  /** What the names of `branch` need in front of them to be free here; '' where they are. */
  freePrefix(branch: Model): string;
  write(format: string, clip?: Clip | { name?: string; frame_time: number; q: ArrayLike<number> }): Written;
  delete(): void;
}

export class Scene {
  readonly model: Model;
  readonly notes: string[];
  /** View: the pose. Write into it, then call forward. */
  readonly q: Float64Array;
  /** View: 16 numbers a link, column-major. */
  readonly transforms: Float64Array;
  forward(): void;
  setPose(q: ArrayLike<number>): void;
  clamp(): void;
  integrate(velocity: ArrayLike<number>, dt?: number): void;
  setTarget(goal: number | string, target: ArrayLike<number> | Partial<Transform>): void;
  goalIndex(name: string): number;
  set(patch: SceneDescription): void;
  replace(description: SceneDescription, keep?: boolean): void;
  solve(options?: { seconds?: number; measures?: boolean }): Report;
  begin(): void;
  follow(options?: { seconds?: number; measures?: boolean }): Report;
  measure(): Report;
  trace(options?: { max_iterations?: number; seconds?: number }): TracedReport;
  explain(iteration: number): ExplainedStep;
  nullSpace(): Matrix;
  check(method?: string): string;
  clearance(options?: { within?: number }): { clearance: number; pairs: NearPair[] };
  compare(methods: string[], options?: { seconds?: number }): { rows: ComparisonRow[]; fastest: string };
  track(): Track;
  /** What `keys` make: the file's motion, then key poses, then keyed goals solved for. */
  animate(below?: Clip): Animation;
  benchmark(goals: number, seed?: number): Benchmark;
  json(): SceneDescription;
  delete(): void;
}

export class Follower {
  readonly model: Model;
  setTarget(goal: number, target: ArrayLike<number> | Partial<Transform>): void;
  setTwist(goal: number, linear: ArrayLike<number>, angular?: ArrayLike<number>): void;
  step(dt: number): { q: Float64Array; velocity: Float64Array; outcome: Outcome; position_error: number; orientation_error: number };
  stop(): void;
  resume(): void;
  delete(): void;
}

export interface Rows {
  /** Angle rows scaled to lengths; one column per velocity that may move. */
  J: Matrix;
  error: Float64Array;
  length: number;
  gradient(factor?: number): Float64Array;
}
export interface Method {
  name: string;
  label?: string;
  group?: string;
  doc?: string;
  options?: Record<string, number>;
  step(rows: Rows, options: Record<string, number>): ArrayLike<number>;
}

export interface ExerciseEntry {
  name: string;
  /** Of the chapter: "5.3.1". */
  section: string;
  title: string;
  task: string;
  answer: 'numbers' | 'pose' | 'choice' | 'model' | 'motion';
  /** Built-in model of a pose or a motion; '' otherwise. */
  model: string;
  choices: string[];
  hints: string[];
  /** An answer that passes; '' where it is a file. */
  solution: string;
}

export interface Armature {
  version(): string;
  simd(): boolean;
  models(): ModelEntry[];
  formats(): FormatEntry[];
  methods(): MethodEntry[];
  builtin(name: string): Model;
  readModel(bytes: Uint8Array | string, file_name: string, files?: Record<string, Uint8Array>): Model;
  loadModel(name: string): Promise<Model>;
  loadClip(name: string): Promise<Clip>;
  readScene(scene: string | SceneDescription, model?: Model): Scene;
  loadScene(address: string): Promise<Scene>;
  retarget(clip: Clip, model: Model, options?: { keep_feet?: boolean; keep_hands?: boolean; within_limits?: boolean; root_scale?: number; still_speed?: number; blend?: number; bone_map?: Record<string, string | null> }): { clip: Clip; root_scale: number; largest_slide: number; hand_error: number; notes: string[]; bone_map: Record<string, string> };
  compare(scene: Scene, methods: string[], options?: { seconds?: number }): { rows: ComparisonRow[]; fastest: string };
  registerMethod(method: Method): void;
  exercises(): ExerciseEntry[];
  checkAnswer(exercise: string, answer: { text?: string; model?: Model; clip?: Clip }): { passed: boolean; message: string };
  measures(matrix: Matrix): Measures;
}

export interface ModuleOptions {
  wasmBinary?: ArrayBuffer | Uint8Array;
  locateFile?: (path: string, prefix: string) => string;
}
export function createArmature(options?: ModuleOptions): Promise<Armature>;
export default createArmature;
