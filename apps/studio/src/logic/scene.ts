// The scene: everything that undo covers and the URL can carry. Plain immutable data; every change
// makes a new object that shares the rest. Links and joints are named, never indexed, so that a scene
// survives an edit of its model.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

export interface ModelSource {
  /** A built-in model by name, or a file's own text (bytes as base64 when binary). */
  builtin?: string;
  file?: { name: string; base64: string; /** Files it refers to, by name. */ beside?: Record<string, string> };
}

export interface SceneGoal {
  id: string;
  link: string;
  position: Vec3;
  quaternion: Quat;
  /** Which parts count. */
  usePosition: boolean;
  useRotation: boolean;
  weight: number;
  soft: boolean;
  pinned: boolean;
  visible: boolean;
  /** Where the mid joint should point. */
  pole?: Vec3;
}

export interface JointChoice {
  lock?: boolean;
  /** Desired value and gain, one per coordinate of motion. */
  rest?: number[];
  gain?: number[];
}

/** How things go from a key to the next one, by the core's names (docs/formats/motion_files.md). */
export type Way = 'auto' | 'cubic' | 'linear' | 'step' | 'ease';

export interface Key {
  frame: number;
  position: Vec3;
  quaternion?: Quat;
  /** `auto` unless it says. */
  way?: Way;
  /** Tangents given by hand: velocity of the position before and after the key, per second. */
  rateIn?: Vec3;
  rateOut?: Vec3;
}

/** The whole figure at a frame. */
export interface PoseKey {
  frame: number;
  name: string;
  q: number[];
  way?: Way;
}

export interface Clip {
  fps: number;
  frames: number;
  loop: boolean;
  keys: Record<string, Key[]>;
  poses: PoseKey[];
  /** What was done to the file's motion, in the words of the command line: "trim 0.5..2", "mirror". */
  tools: string[];
  /** Of the pose keys on top of the file's motion, and of the goals on top of both. */
  weight: number;
  goalWeight: number;
  /** Seconds over which layers come and go outside their keys; 0: keys hold. */
  fade: number;
  /** Pose from which a motion of goals alone begins. */
  start?: number[];
}

export interface NamedPose {
  name: string;
  q: number[];
}

/** Something in the way. `plane` is the floor's side of its position. */
export interface SceneObstacle {
  name: string;
  type: 'box' | 'sphere' | 'plane';
  position: Vec3;
  /** Edges of a box; the first is the radius of a sphere. */
  size: Vec3;
}

export interface Scene {
  model: ModelSource;
  name: string;
  q: number[];
  goals: SceneGoal[];
  solver: { method: string; options: Record<string, number | boolean | string> };
  joints: Record<string, JointChoice>;
  clip: Clip;
  poses: NamedPose[];
  obstacles: SceneObstacle[];
  /** Only answers that touch nothing, and stay this far away. */
  free: boolean;
  margin: number;
}

export const EMPTY_CLIP: Clip = { fps: 30, frames: 120, loop: true, keys: {}, poses: [], tools: [], weight: 1, goalWeight: 1, fade: 0 };

/** Frames per second, round where the file's rounding is all that is amiss. */
export function frameRate(frameTime: number): number {
  const rate = 1 / frameTime;
  return Math.abs(rate - Math.round(rate)) < 2e-6 * rate ? Math.round(rate) : rate;
}

/** Whether the scene has a motion of its own to tell. */
export const isKeyed = (clip: Clip): boolean => Object.keys(clip.keys).length > 0 || clip.poses.length > 0 || clip.tools.length > 0;

export function emptyScene(): Scene {
  return {
    model: {},
    name: '',
    q: [],
    goals: [],
    solver: { method: 'dls', options: {} },
    joints: {},
    clip: EMPTY_CLIP,
    poses: [],
    obstacles: [],
    free: false,
    margin: 0,
  };
}

export function changeGoal(scene: Scene, id: string, change: Partial<SceneGoal>): Scene {
  return { ...scene, goals: scene.goals.map((g) => (g.id === id ? { ...g, ...change } : g)) };
}

export function changeJoint(scene: Scene, name: string, change: JointChoice): Scene {
  const merged = { ...scene.joints[name], ...change };
  if (!merged.lock) delete merged.lock;
  const joints = { ...scene.joints, [name]: merged };
  if (Object.keys(merged).length === 0) delete joints[name];
  return { ...scene, joints };
}

export function setOption(scene: Scene, name: string, value: number | boolean | string | undefined): Scene {
  const options = { ...scene.solver.options };
  if (value === undefined) delete options[name];
  else options[name] = value;
  return { ...scene, solver: { ...scene.solver, options } };
}

/** A goal name that is free: the link's own, or with a number. */
export function freeGoalId(scene: Scene, link: string): string {
  const taken = new Set(scene.goals.map((g) => g.id));
  if (!taken.has(link)) return link;
  let n = 2;
  while (taken.has(`${link}_${n}`)) n++;
  return `${link}_${n}`;
}

export function changeObstacle(scene: Scene, name: string, change: Partial<SceneObstacle>): Scene {
  return { ...scene, obstacles: scene.obstacles.map((o) => (o.name === name ? { ...o, ...change } : o)) };
}

/** A short fingerprint: equal scenes have equal hashes (FNV-1a over the JSON). */
export function sceneHash(scene: Scene): string {
  const text = JSON.stringify(scene);
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
