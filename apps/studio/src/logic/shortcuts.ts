// Every keyboard command: one table that the key handler, the help sheet, the tooltips and the command
// finder read. Single letters act only while the view or the page itself has focus.

export interface Command {
  id: string;
  label: string;
  keys: string[]; // "Ctrl+Shift+Z", "Shift+.", "Num5"
  group: 'Tools' | 'Build' | 'Goals and joints' | 'Show' | 'Camera' | 'Step and time' | 'Panels and views' | 'Files';
  /** Works also while a text field has the focus. */
  everywhere?: boolean;
}

export const COMMANDS: Command[] = [
  { id: 'tool.select', label: 'Select', keys: ['V'], group: 'Tools' },
  { id: 'tool.translate', label: 'Translate', keys: ['W'], group: 'Tools' },
  { id: 'tool.rotate', label: 'Rotate', keys: ['E'], group: 'Tools' },
  { id: 'tool.space', label: 'World or local axes', keys: ['Q'], group: 'Tools' },
  { id: 'tool.path', label: 'Draw a path for the goal', keys: ['D'], group: 'Tools' },
  { id: 'cancel', label: 'Cancel drag, close, deselect', keys: ['Escape'], group: 'Tools', everywhere: true },
  { id: 'build.select', label: 'Select and pose', keys: ['V'], group: 'Build' },
  { id: 'build.draw', label: 'Draw a link', keys: ['D'], group: 'Build' },
  { id: 'build.type', label: 'Joint type', keys: ['T'], group: 'Build' },
  { id: 'build.length', label: 'Pull a link’s end', keys: ['L'], group: 'Build' },
  { id: 'build.limits', label: 'Limits and axis', keys: ['A'], group: 'Build' },
  { id: 'build.tip', label: 'Attach a tip', keys: ['E'], group: 'Build' },
  { id: 'build.close', label: 'Close a loop', keys: ['C'], group: 'Build' },
  { id: 'build.shape', label: 'Thickness', keys: ['S'], group: 'Build' },
  { id: 'build.mirror', label: 'Mirror the limb', keys: ['M'], group: 'Build' },
  { id: 'build.copy', label: 'Duplicate the limb', keys: ['Ctrl+D'], group: 'Build' },
  { id: 'build.live', label: 'Live IK', keys: [], group: 'Build' },
  { id: 'build.rename', label: 'Rename', keys: ['F2'], group: 'Build' },
  { id: 'build.delete', label: 'Delete the limb', keys: ['Delete'], group: 'Build' },
  { id: 'goal.pole', label: 'Pole target', keys: ['P'], group: 'Goals and joints' },
  { id: 'goal.add', label: 'Add a goal', keys: ['G'], group: 'Goals and joints' },
  { id: 'goal.delete', label: 'Delete the goal', keys: ['Shift+G'], group: 'Goals and joints' },
  { id: 'joint.reset', label: 'Reset joint; twice: all', keys: ['R'], group: 'Goals and joints' },
  { id: 'joint.lock', label: 'Lock joint', keys: ['L'], group: 'Goals and joints' },
  { id: 'method.next', label: 'Next method', keys: ['M'], group: 'Goals and joints' },
  { id: 'show.body', label: 'Body', keys: ['B'], group: 'Show' },
  { id: 'show.bones', label: 'Bones', keys: ['N'], group: 'Show' },
  { id: 'show.frames', label: 'Frames', keys: ['J'], group: 'Show' },
  { id: 'show.limits', label: 'Limit arcs', keys: ['A'], group: 'Show' },
  { id: 'show.trails', label: 'Trails', keys: ['T'], group: 'Show' },
  { id: 'show.onion', label: 'Onion skins', keys: ['O'], group: 'Show' },
  { id: 'show.ellipsoid', label: 'Manipulability ellipsoid', keys: ['I'], group: 'Show' },
  { id: 'show.clearance', label: 'Clearance colours', keys: ['H'], group: 'Show' },
  { id: 'show.cloud', label: 'Workspace', keys: ['C'], group: 'Show' },
  { id: 'camera.frame', label: 'Frame the selection', keys: ['F'], group: 'Camera' },
  { id: 'camera.all', label: 'Frame everything', keys: ['Shift+F'], group: 'Camera' },
  { id: 'camera.front', label: 'Front', keys: ['Num1'], group: 'Camera' },
  { id: 'camera.side', label: 'Side', keys: ['Num3'], group: 'Camera' },
  { id: 'camera.top', label: 'Top', keys: ['Num7'], group: 'Camera' },
  { id: 'camera.ortho', label: 'Orthographic', keys: ['Num5'], group: 'Camera' },
  { id: 'step.next', label: 'Next iteration', keys: ['.'], group: 'Step and time' },
  { id: 'step.back', label: 'Iteration back', keys: [','], group: 'Step and time' },
  { id: 'step.end', label: 'Run to the end', keys: ['Shift+.'], group: 'Step and time' },
  { id: 'time.play', label: 'Play, pause', keys: ['Space'], group: 'Step and time' },
  { id: 'time.key', label: 'Key the goal', keys: ['K'], group: 'Step and time' },
  { id: 'time.keyAll', label: 'Key all goals', keys: ['Shift+K'], group: 'Step and time' },
  { id: 'time.keyPose', label: 'Key the pose', keys: ['Y'], group: 'Step and time' },
  { id: 'view.build', label: 'Build', keys: ['0'], group: 'Panels and views' },
  { id: 'view.pose', label: 'Pose', keys: ['1'], group: 'Panels and views' },
  { id: 'view.step', label: 'Step', keys: ['2'], group: 'Panels and views' },
  { id: 'view.compare', label: 'Compare', keys: ['3'], group: 'Panels and views' },
  { id: 'view.chapter', label: 'Chapter', keys: ['4'], group: 'Panels and views' },
  { id: 'panel.tree', label: 'Model tree', keys: ['['], group: 'Panels and views' },
  { id: 'panel.inspector', label: 'Inspector', keys: [']'], group: 'Panels and views' },
  { id: 'panel.dock', label: 'Timeline and plots', keys: ['\\'], group: 'Panels and views' },
  { id: 'tree.filter', label: 'Filter the tree', keys: ['/'], group: 'Panels and views' },
  { id: 'theme', label: 'Light or dark', keys: [], group: 'Panels and views' },
  { id: 'help', label: 'Shortcuts', keys: ['?'], group: 'Panels and views' },
  { id: 'find', label: 'Find a command', keys: ['Ctrl+K'], group: 'Panels and views', everywhere: true },
  { id: 'undo', label: 'Undo', keys: ['Ctrl+Z'], group: 'Files' },
  { id: 'redo', label: 'Redo', keys: ['Ctrl+Shift+Z', 'Ctrl+Y'], group: 'Files' },
  { id: 'open', label: 'Open a file', keys: ['Ctrl+O'], group: 'Files', everywhere: true },
  { id: 'model.add', label: 'Add a model beside this one', keys: [], group: 'Files' },
  { id: 'save', label: 'Save as Armature JSON', keys: ['Ctrl+S'], group: 'Files', everywhere: true },
  { id: 'share', label: 'Copy a link to this scene', keys: [], group: 'Files' },
  { id: 'export', label: 'Export', keys: [], group: 'Files' },
];

export interface Stroke {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

/** "Ctrl+Shift+Z", "Shift+.", "Num5", "?"; Cmd counts as Ctrl. */
export function strokeName(e: Stroke): string {
  const numpad = /^Numpad(\d)$/.exec(e.code);
  let key = e.key;
  let shift = e.shiftKey;
  if (numpad) key = `Num${numpad[1]}`;
  else if (key === ' ') key = 'Space';
  else if (e.code === 'Period') key = '.';
  else if (e.code === 'Comma') key = ',';
  else if (key.length === 1 && /[a-z]/i.test(key)) key = key.toUpperCase();
  else if (key.length === 1) shift = false; // "?" already says that Shift was down
  const parts = [];
  if (e.ctrlKey || e.metaKey) parts.push('Ctrl');
  if (shift) parts.push('Shift');
  if (e.altKey) parts.push('Alt');
  return [...parts, key].join('+');
}

/** Build has a map of its own, where Shift with the letter of something to show is what the letter alone is elsewhere. */
export function commandFor(e: Stroke, inText: boolean, lettersOn: boolean, building = false): Command | null {
  const name = strokeName(e);
  const shown = building && /^Shift\+[A-Z]$/.test(name) ? name.slice(6) : '';
  const command =
    (building ? COMMANDS.find((c) => (c.group === 'Build' && c.keys.includes(name)) || (c.group === 'Show' && c.keys.includes(shown))) : null) ?? COMMANDS.find((c) => c.group !== 'Build' && c.keys.includes(name));
  if (!command) return null;
  if (inText && !command.everywhere) return null;
  const single = !name.startsWith('Ctrl') && name !== 'Escape';
  if (single && !lettersOn && name !== '?') return null;
  return command;
}

export const shortcutOf = (id: string): string => COMMANDS.find((c) => c.id === id)?.keys[0] ?? '';

/** Commands whose label or id holds every typed word; the start of a label counts most. */
export function findCommands<T extends { label: string; id: string }>(commands: T[], text: string): T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const hit = commands.filter((c) => words.every((w) => `${c.label} ${c.id}`.toLowerCase().includes(w)));
  return hit.sort((a, b) => rank(a.label, words) - rank(b.label, words));
}
const rank = (label: string, words: string[]): number => (words[0] && label.toLowerCase().startsWith(words[0]) ? 0 : 1);
