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

export interface Key {
  frame: number;
  position: Vec3;
  quaternion?: Quat;
}

export interface Clip {
  fps: number;
  frames: number;
  loop: boolean;
  keys: Record<string, Key[]>;
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

export const EMPTY_CLIP: Clip = { fps: 30, frames: 120, loop: true, keys: {} };

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
