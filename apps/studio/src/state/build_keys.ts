// Build's own keys and commands, and the way into it. What a key means is in logic/shortcuts.ts.
import { jointOf } from '../logic/linkage_edit';
import { build, type BuildTool } from './build.svelte';
import { limbs } from './build_limbs.svelte';
import { enterMode, onBuild } from './commands';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';
import { views } from './views';

/** Where the pointer was last, in the view: the strip of types opens there. */
export const pointer = { x: 120, y: 120 };

function openPicker(): void {
  const { width, height } = views.stage!.size;
  build.picker = build.picker ? null : { x: Math.max(12, Math.min(width - 330, pointer.x)), y: Math.max(60, Math.min(height - 290, pointer.y)) };
}
/** `build.draw` and the like. */
function run(command: string): void {
  const id = command.slice(6);
  if (studio.mode !== 'build') enterBuild();
  if (id === 'type') openPicker();
  else if (id === 'mirror') limbs.toggleMirror();
  else if (id === 'copy') limbs.copy();
  else if (id === 'live') setLive(!build.live);
  else if (id === 'delete') build.joint && build.remove(build.joint.child);
  else if (id === 'rename') startRename();
  else if (id === 'tip' && build.joint && !tipped(build.joint.child)) build.addTip(build.joint.child);
  else build.tool = id as BuildTool;
  views.stage?.redraw();
}
/** In the tree, or where that is not shown in the panel. */
function startRename(): void {
  const row = document.querySelector('[role=tree] .sel:is([data-row^=link], [data-row^=joint])');
  if (row) row.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
  else (document.querySelector('[aria-label="Name of the link"]') as HTMLInputElement | null)?.select();
}
export const tipped = (link: string): boolean => jointOf(build.json, `${link}_tip`) !== undefined;

export function setLive(on: boolean): void {
  build.live = on;
  if (on) build.tool = 'select'; // tips are dragged, not drawn on
}

/** Keys that depend on what is in hand; true when one was used. */
function key(event: KeyboardEvent, inView: boolean): boolean {
  const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const arrow = arrows[event.key];
  if (event.key === 'Enter' && limbs.mirroring) limbs.applyMirror();
  else if (event.key === 'Enter' && limbs.copying) limbs.dropBeside();
  else if (!inView) return false;
  else if (event.key === 'Enter' && build.joint) openPicker();
  else if (arrow) return limbs.nudge(...arrow, event.shiftKey);
  else if (event.key === 'Tab') return limbs.walk(event.shiftKey ? -1 : 1);
  else return false;
  return true;
}

/** The view Build, with something to build on. */
export function enterBuild(): void {
  if (!studio.core) return;
  ui.gallery = false;
  if (!studio.open) build.fresh();
  enterMode('build');
  studio.changed();
}
onBuild({ open: enterBuild, cancel: () => build.cancel() || limbs.cancel(), run, key });
