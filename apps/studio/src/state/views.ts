// The mounted stage, so that commands can reach its camera and picture. Set by the stage itself.
import type { Camera } from '../logic/camera';
import type { Vec3 } from '../logic/scene';
import type { PictureSize } from '../view/picture';

export interface StageHandle {
  camera: Camera;
  /** A frame is asked for, the camera flies, the body is being loaded or a pointer event waits. */
  readonly busy: boolean;
  redraw(): void;
  frameSelection(): void;
  frameAll(): void;
  look(axis: 'x' | 'y' | 'z', sign: number): void;
  toggleOrtho(): void;
  cancelDrag(): boolean;
  axisKey(key: string): boolean;
  holdSpace(on: boolean): void;
  readonly size: { width: number; height: number };
  /** The view as a picture of a size of its own; as a PNG. */
  canvas(wanted: PictureSize): Promise<HTMLCanvasElement>;
  picture(): Promise<Blob>;
  /** Where a vertex of the first skin is drawn, in the world; null without a skin. */
  skinPoint(vertex: number): Vec3 | null;
  focus(): void;
}

/** Where a link looks from; the stage takes it with the next model. */
export interface LinkedCamera {
  eye: Vec3;
  target: Vec3;
  ortho: boolean;
}

export const views: { stage: StageHandle | null; linked: LinkedCamera | null } = { stage: null, linked: null };

/** The next model, of this flatness, is seen from where the last one was: a linkage that is changed in Build, or changed back. */
export function keepView(planar: boolean | undefined): void {
  const camera = views.stage?.camera;
  if (camera && camera.planar === planar) views.linked = { eye: camera.eyePosition, target: camera.state.target, ortho: camera.state.ortho };
}
