// The openings of the first page: ten with a picture of their own, and the other built-in models, which the core draws. `model` is a
// built-in; the walking clip is written by walk.ts and read by the core's own BVH reader.
import type { ModelEntry } from '@armature';

export type Kind = 'figures' | 'robots' | 'mechanisms';
export interface GalleryItem {
  id: string;
  title: string;
  note: string;
  model: string;
  kind: Kind;
  file?: 'walk';
  art?: string; // name of the thumbnail in thumbnails.ts
}

export const GALLERY: GalleryItem[] = [
  { id: 'human', title: 'Human figure', note: 'DOF, four goals', model: 'human', kind: 'figures', art: 'human' },
  { id: 'walk', title: 'Walking clip', note: 'BVH, 31 joints', model: '', kind: 'figures', file: 'walk', art: 'walk' },
  { id: 'hand', title: 'Hand', note: 'DOF, five tips', model: 'hand', kind: 'figures' },
  { id: 'panda', title: 'Franka Panda', note: 'DOF, redundant', model: 'panda', kind: 'robots', art: 'panda' },
  { id: 'ur5', title: 'UR5', note: 'DOF, 8 solutions', model: 'ur5', kind: 'robots', art: 'ur5' },
  { id: 'scara', title: 'SCARA', note: 'DOF, one slides', model: 'scara', kind: 'robots', art: 'scara' },
  { id: 'planar_arm', title: 'The chapter’s arm', note: 'DOF, planar', model: 'planar_arm', kind: 'robots', art: 'arm' },
  { id: 'chain10', title: 'Ten-link chain', note: 'DOF, planar', model: 'planar_chain', kind: 'robots', art: 'chain' },
  { id: 'four_bar', title: 'Four-bar linkage', note: 'closed loop', model: 'four_bar', kind: 'mechanisms', art: 'fourbar' },
  { id: 'jansen', title: 'Jansen leg', note: 'three loops', model: 'jansen', kind: 'mechanisms' },
];

const LOOPS = new Set(['delta', 'five_bar', 'gripper', 'pantograph', 'peaucellier', 'scissor', 'slider_crank', 'stewart']);

/** All built-in models, those with a place of their own first. */
export function allItems(models: ModelEntry[]): GalleryItem[] {
  const own = new Set(GALLERY.map((g) => g.model));
  const others = models.filter((m) => !own.has(m.name));
  return [...GALLERY, ...others.map((m): GalleryItem => ({ id: GALLERY.some((g) => g.id === m.name) ? `${m.name}_model` : m.name, title: m.label || m.name, note: LOOPS.has(m.name) ? 'closed loops' : 'DOF', model: m.name, kind: LOOPS.has(m.name) || m.name === 'orbit' ? 'mechanisms' : 'robots' }))];
}

/** What the search and the filter leave: every typed word is in the title, the model's name or what it says of itself. */
export function chosenItems(items: GalleryItem[], models: ModelEntry[], kind: Kind | 'all', text: string): GalleryItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (kind === 'all' && words.length === 0) return items.slice(0, GALLERY.length);
  const told = new Map(models.map((m) => [m.name, m.doc]));
  return items.filter((i) => (kind === 'all' || i.kind === kind) && words.every((w) => `${i.title} ${i.model} ${i.kind} ${told.get(i.model) ?? ''}`.toLowerCase().includes(w)));
}
