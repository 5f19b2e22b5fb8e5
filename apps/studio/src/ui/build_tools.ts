// Tools of Build in their order; 'limb': those that need one.
import type { IconName } from './icons';

export const BUILD_TOOLS: [id: string, icon: IconName, label: string, off?: 'limb'][] = [
  ['select', 'select', 'Select and pose'],
  ['draw', 'draw', 'Draw a link'],
  ['type', 'revolute', 'Joint type'],
  ['length', 'ruler', 'Pull a link’s end'],
  ['limits', 'limits', 'Limits and axis'],
  ['tip', 'effector', 'Attach a tip'],
  ['close', 'chain', 'Close a loop'],
  ['shape', 'box', 'Thickness'],
  ['mirror', 'mirror', 'Mirror the limb', 'limb'],
  ['copy', 'copy', 'Duplicate the limb', 'limb'],
];
