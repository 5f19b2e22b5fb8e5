// The clip tools of the menu: the core's words, and what each would do to the motion as it is now.
import { count, DEG, fixed, formatLength } from '../logic/numbers';
import { below, stats } from './animation';
import { player } from './player.svelte';
import { blendWith, retargetTo, retargetToFile } from './second_motion';
import { studio } from './studio.svelte';

export interface ClipToolItem {
  label: string;
  /** As the command line would say it. */
  words: string;
  /** What it would change. */
  note: string;
  /** Why it cannot be used; '' when it can. */
  off: string;
  /** What needs more than words: a second motion or figure. */
  run?: () => void;
}

/** How far the last frame is from the first, the largest turn of a joint. */
function endsApart(): string {
  const { rig, scene } = studio;
  const motion = rig && below(rig, scene.clip.tools);
  if (!rig || !motion || motion.frames < 2) return '';
  const v = rig.core.difference(motion.frame(0), motion.frame(motion.frames - 1));
  const turns = studio.rows.filter((r) => r.unit === 'angle').map((r) => Math.abs(v[r.v] ?? 0));
  return `ends ${fixed(Math.max(0, ...turns) / DEG, 1)}° apart`;
}

export function clipTools(): ClipToolItem[] {
  const { clip } = studio.scene;
  const range = player.range;
  const found = stats();
  const none = player.hasClip ? '' : 'The file of this model holds no motion';
  const frameTime = (studio.rig && player.hasClip && below(studio.rig, clip.tools)?.frame_time) || 1 / clip.fps;
  const seconds = (frame: number) => String(Number((frame * frameTime).toPrecision(15)));
  const stances = found?.stances.length ?? 0;
  const item = (label: string, words: string, note = '', off = ''): ClipToolItem => ({ label, words, note, off: none || off });
  const rate = Math.round(clip.fps) === 30 ? 60 : 30;
  return [
    item('Trim to range', range ? `trim ${seconds(range[0])}..${seconds(range[1])}` : 'trim', range ? `frames ${range[0]} to ${range[1]}` : 'Ctrl+drag on the ruler', range ? '' : 'Choose a range first: Ctrl with a drag on the ruler'),
    item('Cut before this frame', `trim ${seconds(player.frame)}..`, `from frame ${player.frame}`, player.frame > 0 ? '' : 'This is the first frame'),
    item('Cut after this frame', `trim ..${seconds(player.frame)}`, `to frame ${player.frame}`, player.frame > 0 && player.frame < clip.frames ? '' : 'Go to a frame between the ends first'),
    item('Make it loop', 'loop', none ? '' : endsApart()),
    item('Mirror left and right', 'mirror'),
    item('Lock feet from contacts', 'feet', stances ? count(stances, 'contact') : '', stances ? '' : 'No foot stands still in this motion'),
    item('Root motion in place', 'in_place', found ? `travels ${formatLength(found.distance, studio.style)}` : ''),
    item('Reverse', 'reverse'),
    item('Twice as fast', 'speed 2', `${Math.round(clip.frames / 2) + 1} frames`),
    item('Half as fast', 'speed 0.5', `${clip.frames * 2 + 1} frames`),
    item('Smooth', 'smooth 0.1', '0.1 s'),
    item('Smooth within limits', 'optimize'),
    item('Resample', `resample ${rate}`, `${rate} fps`),
    { ...item('Blend with…', 'concat', 'another motion behind this one'), run: () => blendWith() },
    { ...item('Retarget to human', 'retarget', 'opens the figure', studio.scene.model.builtin === 'human' ? 'This is the human figure' : ''), run: () => retargetTo({ builtin: 'human' }) },
    { ...item('Retarget to…', 'retarget', 'a figure of a file'), run: () => retargetToFile() },
  ];
}
