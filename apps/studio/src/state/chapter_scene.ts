// From a chapter page into the person's own scene: as one undoable change, when they ask for it.
import type { TryIt } from '../chapter/pages';
import { chapter } from './chapter.svelte';
import { enterMode } from './commands';
import { goalFor } from './first_scene';
import { stepper } from './stepper.svelte';
import { studio } from './studio.svelte';

export function openChapterScene(item: TryIt): void {
  const data = chapter.stages.find((s) => s.spec.method) ?? chapter.stages[0];
  const goal = chapter.goal;
  if (!data || !studio.core) return;
  const opened = studio.core.builtin(data.spec.model);
  if (!opened.ok) return;
  const frame = Math.min(item.step ?? 0, data.poses.length - 1);
  const q = Array.from(data.poses[frame]!);
  opened.rig.setPose(q);
  const target = goalFor(opened.rig, data.tip);
  if (goal) target.position = [goal[0], goal[1], 0];
  opened.rig.dispose();
  const options = { ...data.spec.options };
  if (chapter.change.damping !== undefined && 'damping' in options) options.damping = chapter.change.damping;
  const joints = data.spec.gains
    ? Object.fromEntries(data.model.joints.filter((j) => j.nv > 0).map((j, i) => [j.name, { gain: [data.spec.gains![i] ?? 0], rest: [0] }]))
    : {};
  const error = studio.openModel({ builtin: data.spec.model }, data.spec.model, { q, goals: [target], solver: { method: data.spec.method ?? 'dls', options }, joints });
  if (error) return studio.toastError('The page was not opened', error.message);
  studio.solveStart = q;
  if (item.compare) {
    const methods = [...new Set(chapter.stages.flatMap((s) => s.spec.method ?? []))];
    for (const extra of ['dls', 'fabrik', 'ccd']) if (methods.length < 2 && !methods.includes(extra)) methods.push(extra);
    stepper.methods = methods.slice(0, 4);
  }
  enterMode(item.compare ? 'compare' : 'step');
  studio.changed();
}
