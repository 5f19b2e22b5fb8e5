// Names as people would shorten them.

/** Names without what all of them begin with up to a separator: "panda_joint1" and "panda_finger" are "joint1" and "finger". */
export function withoutPrefix(names: string[]): string[] {
  const first = names[0];
  if (names.length < 2 || first === undefined) return names;
  let shared = first.length;
  for (const name of names) while (!name.startsWith(first.slice(0, shared))) shared--;
  const cut = Math.max(first.lastIndexOf('_', shared - 1), first.lastIndexOf('/', shared - 1), first.lastIndexOf(':', shared - 1)) + 1;
  return cut > 0 && cut <= shared && names.every((name) => name.length > cut) ? names.map((name) => name.slice(cut)) : names;
}

/** In a list of joints that one is a joint need not be said: "shoulder_lift_joint" is "shoulder_lift". */
export const shortJoint = (name: string): string => name.replace(/(.)[_ ]joint$/i, '$1');

/** Long names cut in the middle, where names of parts differ least: "r_gripper…finger_tip". */
export function middle(name: string, most = 22): string {
  if (name.length <= most) return name;
  const head = Math.floor((most - 1) / 2);
  return `${name.slice(0, head)}…${name.slice(name.length - (most - 1 - head))}`;
}
