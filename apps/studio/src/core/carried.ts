// What a page that holds everything in itself carries (single_file.ts): the core, the workers' scripts, and a scene to open. A page that
// is served from its folder carries nothing.
import type { Armature } from '@armature';

interface Carried {
  core(): Promise<Armature>;
  worker(name: 'worker' | 'gif_worker'): Worker;
  /** Address of the page of third-party notices. */
  notices(): string;
  /** A frame's srcdoc has no address that could say it. */
  given: { embed?: boolean; scene?: unknown };
}
export const carried = (globalThis as { armatureFile?: Carried }).armatureFile;
/** A frame's srcdoc: it has no address to write. */
export const nowhere = typeof location !== 'undefined' && location.protocol === 'about:';
