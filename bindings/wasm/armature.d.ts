// The TypeScript contract of the WebAssembly module (armature.mjs + armature.wasm).
//
// One default export makes the module; a Figure is one opened linkage with everything that is
// computed about it: pose, frames, goals, method, report, trace, clip.
//
// Conventions (docs/conventions.md): SI units and radians, right-handed, twist = linear then
// angular, quaternions x, y, z, w. Keys of plain objects are the core's own names
// (`max_iterations`), so that one word means one thing in C++, Python, the command line and here.
//
// Whatever can fail because of outside data returns Result<T>, whose error is the core's whole
// sentence, unchanged. A call that cannot be answered at all (a link number that does not exist, a
// pose of the wrong length, NaN) throws an Error with a sentence; nothing else is ever thrown.
//
// Float64Array results marked "view" look straight into the module's memory: they cost nothing,
// and they are valid until the next call into the module that may allocate (open, builtin, trace,
// sequence, workspace, write). Take them again after such a call, or copy them (`.slice()`).
// Figures own memory: call `delete()` when done.

import type {
  BatchResult,
  ClipDescription,
  Edit,
  FormatEntry,
  Goal,
  JointSetting,
  MatrixValue,
  ModelDescription,
  ModelEntry,
  Report,
  Result,
  Sequence,
  SequenceRequest,
  SkinnedMesh,
  SolverEntry,
  Trace,
  WriteRequest,
  Written,
} from './types';

export type * from './types';

export interface Figure {
  description(): ModelDescription;
  /** Notes of the reader: what was left out or assumed, a sentence each. */
  notes(): string[];

  // Pose and forward kinematics --------------------------------------------------------------
  /** View of the pose vector, nq numbers. Write into it, then call `forward`. */
  pose(): Float64Array;
  /** Brings `frames` up to date with `pose`. */
  forward(): void;
  /** View of the links' frames in the world, 16 numbers a link, column-major. */
  frames(): Float64Array;
  neutral(): Float64Array;
  random(seed: number): Float64Array;
  /** Puts the pose inside its limits; mimic joints follow. */
  clamp(): void;
  /** The pose between a and b, the short way round. */
  interpolate(a: Float64Array, b: Float64Array, t: number): Float64Array;
  /** Moves the pose along a velocity (nv numbers): q = q (+) v dt. */
  integrate(velocity: Float64Array, dt: number): void;
  /** World Jacobian of a point of a link; 6 x nv, linear rows first. */
  jacobian(link: number, point: [number, number, number] | undefined): MatrixValue;

  // Problem ------------------------------------------------------------------------------------
  setGoals(goals: Goal[]): Result<null>;
  /** Fast path while dragging: no objects are made. NaN keeps a part as it is. */
  moveGoal(index: number, x: number, y: number, z: number,
           qx: number, qy: number, qz: number, qw: number): void;
  /** By joint index; joints not named go back to free. */
  setJoints(settings: Record<number, JointSetting>): Result<null>;
  /** Options not named keep their defaults. */
  setSolver(name: string, options: Record<string, number | boolean | string>): Result<null>;
  /** Why this method cannot take the goals, or ok. */
  check(name: string): Result<null>;

  /** Solves from the current pose; pose and frames then hold the best pose found. */
  solve(): Report;
  /** The same within a time: the outcome is 'time_limit' when it did not suffice. 0: the method's own limit only. */
  solve(seconds: number): Report;
  /** Mean microseconds of the last solve or trace, repeated from its start for about 2 ms. */
  timing(): number;
  /** Errors, limits and measures of the current pose; nothing moves. */
  measure(): Report;
  /** Solves from the current pose without moving it, and returns every iteration. */
  trace(max_iterations: number): Trace;
  trace(max_iterations: number, seconds: number): Trace;
  /** Frames of a sliding goal, from the current pose; the pose itself stays. */
  sequence(request: SequenceRequest): Result<Sequence>;
  /** Orthonormal basis of the motions that leave all goals alone: nv x k. */
  nullSpace(): MatrixValue;

  // More ---------------------------------------------------------------------------------------
  /** Points the link's origin reaches, three numbers each; deterministic. */
  workspace(link: number, samples: number, seed: number): Float64Array;
  /** Success, median and p95 of a method over random reachable goals of the current links. */
  batch(name: string, goals: number, seed: number): BatchResult;
  clips(): ClipDescription[];
  /** Pose of one frame of a clip: nq numbers (copy). */
  clipFrame(clip: number, frame: number): Float64Array;
  meshes(): SkinnedMesh[];
  edit(change: Edit): Result<Figure>;
  write(request: WriteRequest): Result<Written>;
  delete(): void;
}

export interface ArmatureModule {
  version(): string;
  simd(): boolean;
  models(): ModelEntry[];
  formats(): FormatEntry[];
  solvers(): SolverEntry[];
  builtin(name: string): Result<Figure>;
  /** Any format, found by content and by the file's name. `files`: what it refers to, by name. */
  open(bytes: Uint8Array, file_name: string, files: Record<string, Uint8Array>): Result<Figure>;
}

export interface ModuleOptions {
  wasmBinary?: ArrayBuffer | Uint8Array;
  locateFile?: (path: string, prefix: string) => string;
}

export default function createArmature(options?: ModuleOptions): Promise<ArmatureModule>;
