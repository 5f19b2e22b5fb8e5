// A small picture of one pose: modes of a mechanism, solutions of an arm.
import type { ModelDescription } from '../logic/model';
import { Camera } from '../logic/camera';
import { bars, flatBody, grounded, pedestal } from './planar';
import { circle, path, stadium } from './svg';
import { views } from '../state/views';

export function miniPose(model: ModelDescription, frames: ArrayLike<number>, width: number, height: number, around: ArrayLike<number>[] = [frames]): string {
  const camera = new Camera(model.planar ? 'y' : model.up, model.planar);
  camera.resize(width, height);
  camera.inset = { left: 12, right: 12, top: 10, bottom: 10 };
  const points = around.flatMap((f) => bars(model, f).flatMap((b) => [b.from, b.to]));
  if (points.length === 0) return '';
  if (model.planar) camera.set(camera.framingFlat(points));
  else {
    const { yaw, pitch } = views.stage?.camera.state ?? { yaw: 0.55, pitch: 0.2 };
    camera.set({ yaw, pitch });
    camera.set(camera.framingPoints(points));
  }
  if (model.planar) {
    return grounded(model, frames).map((p) => pedestal(camera.project(p), 0.4)).join('') + flatBody(model, frames, camera);
  }
  const scale = camera.pixelsPerUnit();
  const list = bars(model, frames);
  const shown = list.map((b) => {
    const r = Math.max(2, Math.min(6, model.reach * 0.035 * scale));
    return path(stadium(camera.project(b.from), camera.project(b.to), r, r * 0.9), { color: 'var(--bot-edge)', width: 0.7, fill: 'var(--bot-mid)' });
  });
  return shown.join('') + list.map((b) => circle(camera.project(b.from), 2, { color: 'var(--bone)', width: 1, fill: 'var(--surface-raised)' })).join('');
}
