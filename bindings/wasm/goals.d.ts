// Made by tools/make_types.py from docs/formats/goals.schema.json. Do not edit.

export interface Axes {
  /** Axes that do not count */
  free?: string;
  /** Half sizes: errors up to these do not count */
  box?: ArrayLike<number>;
  /** Whose axes: the base's (default) or the target's own */
  frame?: 'base' | 'target';
}

export interface PositionGoal {
  type?: 'position';
  /** Link that should arrive */
  link?: string;
  /** Point of the link, in its frame */
  point?: ArrayLike<number>;
  /** Where, in the base's frame; with two numbers z is free */
  target?: ArrayLike<number> | 'here';
  /** Frame of the target: a link, or "world" (default) */
  base?: string;
  /** Which axes count, and how exactly */
  axes?: Axes;
  /** Relative importance among goals of one priority; 0 switches the goal off */
  weight?: number;
  /** Error that counts as reached, metres (angle goals: radians); 0: the solver's */
  tolerance?: number;
  /** 0 first; a goal of higher number never disturbs one of lower number */
  priority?: number;
  /** For reports and messages */
  name?: string;
  /** Decides where others leave freedom, never required */
  preference?: boolean;
  path?: Path;
}

export interface OrientationGoal {
  type?: 'orientation';
  /** Link that should turn */
  link?: string;
  /** How it should be turned, in the base's frame */
  target?: ArrayLike<number> | { quaternion?: ArrayLike<number>; rpy?: ArrayLike<number>; matrix?: ArrayLike<number>; } | 'here';
  /** Frame of the target: a link, or "world" (default) */
  base?: string;
  /** Which axes count, and how exactly */
  axes?: Axes;
  /** Relative importance among goals of one priority; 0 switches the goal off */
  weight?: number;
  /** Error that counts as reached, metres (angle goals: radians); 0: the solver's */
  tolerance?: number;
  /** 0 first; a goal of higher number never disturbs one of lower number */
  priority?: number;
  /** For reports and messages */
  name?: string;
  /** Decides where others leave freedom, never required */
  preference?: boolean;
  path?: Path;
}

export interface PoseGoal {
  type?: 'pose';
  /** Link that should arrive */
  link?: string;
  /** Point of the link, in its frame */
  point?: ArrayLike<number>;
  /** Position and rotation of that point, in the base's frame */
  target?: { position?: ArrayLike<number>; quaternion?: ArrayLike<number>; rpy?: ArrayLike<number>; matrix?: ArrayLike<number>; } | ArrayLike<number> | 'here';
  /** Frame of the target: a link, or "world" (default) */
  base?: string;
  /** Which axes of the position count, and how exactly */
  position_axes?: Axes;
  /** Which axes of the rotation count, and how exactly */
  orientation_axes?: Axes;
  /** Rotation that counts as reached, radians; 0: the solver's */
  orientation_tolerance?: number;
  /** Relative importance among goals of one priority; 0 switches the goal off */
  weight?: number;
  /** Error that counts as reached, metres (angle goals: radians); 0: the solver's */
  tolerance?: number;
  /** 0 first; a goal of higher number never disturbs one of lower number */
  priority?: number;
  /** For reports and messages */
  name?: string;
  /** Decides where others leave freedom, never required */
  preference?: boolean;
  path?: Path;
}

export interface AimGoal {
  type: 'aim';
  /** Link that should look */
  link?: string;
  /** The eye, in the link's frame */
  point?: ArrayLike<number>;
  /** Where it looks, in the link's frame; not 0 */
  direction?: ArrayLike<number>;
  /** What to look at, in the base's frame */
  target?: ArrayLike<number>;
  /** Frame of the target: a link, or "world" (default) */
  base?: string;
  /** Relative importance among goals of one priority; 0 switches the goal off */
  weight?: number;
  /** Error that counts as reached, metres (angle goals: radians); 0: the solver's */
  tolerance?: number;
  /** 0 first; a goal of higher number never disturbs one of lower number */
  priority?: number;
  /** For reports and messages */
  name?: string;
  /** Decides where others leave freedom, never required */
  preference?: boolean;
  path?: Path;
}

export interface PointOnLineGoal {
  type: 'point_on_line';
  /** Link that should arrive */
  link?: string;
  /** Point of the link, in its frame */
  point?: ArrayLike<number>;
  /** A point of the line, in the base's frame */
  target?: ArrayLike<number> | 'here';
  /** Direction of the line, in the base's frame; not 0 */
  direction?: ArrayLike<number>;
  /** Frame of the line: a link, or "world" (default) */
  base?: string;
  /** Relative importance among goals of one priority; 0 switches the goal off */
  weight?: number;
  /** Error that counts as reached, metres (angle goals: radians); 0: the solver's */
  tolerance?: number;
  /** 0 first; a goal of higher number never disturbs one of lower number */
  priority?: number;
  /** For reports and messages */
  name?: string;
  /** Decides where others leave freedom, never required */
  preference?: boolean;
  path?: Path;
}

export interface PointOnPlaneGoal {
  type: 'point_on_plane';
  /** Link that should arrive */
  link?: string;
  /** Point of the link, in its frame */
  point?: ArrayLike<number>;
  /** A point of the plane, in the base's frame */
  target?: ArrayLike<number> | 'here';
  /** Normal of the plane, in the base's frame; not 0 */
  normal?: ArrayLike<number>;
  /** Frame of the plane: a link, or "world" (default) */
  base?: string;
  /** Relative importance among goals of one priority; 0 switches the goal off */
  weight?: number;
  /** Error that counts as reached, metres (angle goals: radians); 0: the solver's */
  tolerance?: number;
  /** 0 first; a goal of higher number never disturbs one of lower number */
  priority?: number;
  /** For reports and messages */
  name?: string;
  /** Decides where others leave freedom, never required */
  preference?: boolean;
  path?: Path;
}

export interface DistanceGoal {
  type: 'distance';
  /** Link whose point is measured from */
  link?: string;
  /** Point of the link, in its frame */
  point?: ArrayLike<number>;
  /** Link whose point is measured to, or "world" (default) */
  base?: string;
  /** Point of the other link, in its frame */
  target?: ArrayLike<number>;
  /** How far apart, metres */
  distance?: number;
  /** Relative importance among goals of one priority; 0 switches the goal off */
  weight?: number;
  /** Error that counts as reached, metres (angle goals: radians); 0: the solver's */
  tolerance?: number;
  /** 0 first; a goal of higher number never disturbs one of lower number */
  priority?: number;
  /** For reports and messages */
  name?: string;
  /** Decides where others leave freedom, never required */
  preference?: boolean;
  path?: Path;
}

export interface PostureGoal {
  type: 'posture';
  /** A pose: its name, {joint: value or [values]}, or the whole pose vector */
  target?: string | Record<string, number | ArrayLike<number>> | ArrayLike<number>;
  /** How strongly each joint is drawn: one number for all, {joint: number} with the others 0, or one number per velocity; default 1 for all */
  gain?: number | Record<string, number> | ArrayLike<number>;
  /** Relative importance among goals of one priority; 0 switches the goal off */
  weight?: number;
  /** Error that counts as reached, metres (angle goals: radians); 0: the solver's */
  tolerance?: number;
  /** 0 first; a goal of higher number never disturbs one of lower number */
  priority?: number;
  /** For reports and messages */
  name?: string;
  /** Decides where others leave freedom, never required */
  preference?: boolean;
  path?: Path;
}

export interface PoleGoal {
  type: 'pole';
  /** Upper link of the limb (shoulder) */
  upper?: string;
  /** Middle link (elbow) */
  middle?: string;
  /** End of the limb (wrist) */
  link?: string;
  /** Place that the middle turns to, in the base's frame */
  target?: ArrayLike<number>;
  /** Frame of the pole: a link, or "world" (default) */
  base?: string;
  /** Relative importance among goals of one priority; 0 switches the goal off */
  weight?: number;
  /** Error that counts as reached, metres (angle goals: radians); 0: the solver's */
  tolerance?: number;
  /** 0 first; a goal of higher number never disturbs one of lower number */
  priority?: number;
  /** For reports and messages */
  name?: string;
  /** Decides where others leave freedom, never required */
  preference?: boolean;
  path?: Path;
}

export interface CenterOfMassGoal {
  type: 'center_of_mass';
  /** Where the center of mass should be, in the base's frame */
  target?: ArrayLike<number> | 'here';
  /** Frame of the target: a link, or "world" (default) */
  base?: string;
  /** Which axes count, and how exactly */
  axes?: Axes;
  /** Relative importance among goals of one priority; 0 switches the goal off */
  weight?: number;
  /** Error that counts as reached, metres (angle goals: radians); 0: the solver's */
  tolerance?: number;
  /** 0 first; a goal of higher number never disturbs one of lower number */
  priority?: number;
  /** For reports and messages */
  name?: string;
  /** Decides where others leave freedom, never required */
  preference?: boolean;
  path?: Path;
}

export interface BalanceGoal {
  type: 'balance';
  /** What stands on the ground; left out: the figure's feet */
  contacts?: (string | { link?: string; points?: ArrayLike<number>[]; })[];
  /** How far inside the support polygon, metres */
  margin?: number;
  /** Against gravity, in the world; left out: z */
  up?: ArrayLike<number>;
  /** Relative importance among goals of one priority; 0 switches the goal off */
  weight?: number;
  /** Error that counts as reached, metres (angle goals: radians); 0: the solver's */
  tolerance?: number;
  /** 0 first; a goal of higher number never disturbs one of lower number */
  priority?: number;
  /** For reports and messages */
  name?: string;
  /** Decides where others leave freedom, never required */
  preference?: boolean;
  path?: Path;
}

export interface Path {
  curve?: 'line' | 'polyline' | 'catmull_rom' | 'bezier' | 'circle' | 'arc';
  points?: (ArrayLike<number> | 'here')[];
  closed?: boolean;
  relative?: boolean;
  center?: ArrayLike<number>;
  normal?: ArrayLike<number>;
  from?: ArrayLike<number>;
  angle?: number;
  rotations?: { at?: number; quaternion?: ArrayLike<number>; rpy?: ArrayLike<number>; }[];
  turning?: 'slerp' | 'squad';
  profile?: 'steady' | 'ease' | 'trapezoid';
  duration?: number;
  speed?: number;
  acceleration?: number;
  delay?: number;
}

export type GoalType = 'position' | 'orientation' | 'pose' | 'aim' | 'point_on_line' | 'point_on_plane' | 'distance' | 'posture' | 'pole' | 'center_of_mass' | 'balance';
/** A place, a quaternion, both, a 4x4 matrix by rows, a transform, or 'here': where the start pose has it. */
export type Target = ArrayLike<number> | { position?: ArrayLike<number>; quaternion?: ArrayLike<number>; rpy?: ArrayLike<number>; matrix?: ArrayLike<number> } | 'here';
/** What says no type is a position, orientation or pose by its target. */
export type Goal = PositionGoal | OrientationGoal | PoseGoal | AimGoal | PointOnLineGoal | PointOnPlaneGoal | DistanceGoal | PostureGoal | PoleGoal | CenterOfMassGoal | BalanceGoal | (Omit<PoseGoal, 'type' | 'target'> & { type?: undefined; target: Target; axes?: Axes });
