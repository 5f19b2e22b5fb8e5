// Where Build draws: on which plane, through which point, in which steps.
import type { Camera } from '../logic/camera';
import type { Vec3 } from '../logic/scene';
import { add, axisOf, cross, dist, dot, mul, origin, perpendicular, rayPlane, sub } from '../logic/vec';
import { gridStep } from '../view/planar';
import { lengths } from './build_units.svelte';
import { load, save } from './prefs';
import { studio } from './studio.svelte';
import { views } from './views';

export type PlaneName = 'auto' | 'yz' | 'xz' | 'xy' | 'view' | 'link';
/** Steps of lengths: 'auto' is half a square of the view's grid, '0' none; of directions in degrees, '0' any. */
const STEPS = ['auto', '0', '0.001', '0.01', '0.05'];
const ANGLES = ['0', '5', '15', '45'];
const AXES = ['yz', 'xz', 'xy'] as const;
export const unitAxis = (i: number): Vec3 => [0, 1, 2].map((k) => (k === i ? 1 : 0)) as Vec3;

class DrawPlane {
  chosen = $state<PlaneName>('auto');
  step = $state(load('build.step', 'auto'));
  angle = $state(load('build.angle', '0'));

  /** Which of x, y, z points at the eye most: noted with every picture, as panels are there before the view is. */
  private facing = $state(1);
  look(camera: Camera): void {
    const f = camera.basis.forward.map(Math.abs);
    this.facing = f.indexOf(Math.max(...f));
  }
  get planar(): boolean {
    return studio.model?.planar ?? true;
  }
  /** Link whose face is drawn on, when that is chosen and one is selected. */
  private get face(): number {
    return this.chosen === 'link' ? (studio.model?.joints[studio.selectedJoint]?.child ?? -1) : -1;
  }
  /** Of a flat linkage its own; else as chosen, or the one of x, y, z that faces the eye. */
  get normal(): Vec3 {
    if (this.planar) return [0, 0, 1];
    if (this.face >= 0) return axisOf(studio.rig!.frames, this.face, 2);
    const at = AXES.indexOf(this.chosen as 'xy');
    if (at >= 0) return unitAxis(at);
    return this.chosen === 'view' ? mul(views.stage!.camera.basis.forward, -1) : unitAxis(this.facing);
  }
  /** The selected joint, else the world's origin: where a link begins that begins on nothing. */
  get through(): Vec3 {
    const joint = studio.model?.joints[studio.selectedJoint];
    return joint && !this.planar ? origin(studio.rig!.frames, joint.child) : [0, 0, 0];
  }
  /** Two directions of the plane that lengths are counted along: the world's axes where they lie in it. */
  get directions(): [Vec3, Vec3] {
    const n = this.normal;
    const u = [0, 1, 2].map(unitAxis).find((a) => Math.abs(dot(a, n)) < 1e-9) ?? perpendicular(n);
    return [u, cross(n, u)];
  }
  get stepLength(): number {
    return this.step === 'auto' ? gridStep(views.stage!.camera) / 2 : Number(this.step);
  }
  get words(): string {
    if (this.planar) return 'XY (planar)';
    const at = this.normal.findIndex((v) => Math.abs(v) > 1 - 1e-9);
    if (this.face >= 0) return `Face of ${studio.model!.links[this.face]!.name}`;
    if (at < 0) return 'View';
    const height = this.through[at]!;
    return `${AXES[at]!.toUpperCase()}${Math.abs(height) > 1e-9 ? ` at ${'xyz'[at]} ${lengths.text(height)}` : ''}`;
  }
  get choices(): { value: PlaneName; label: string }[] {
    return [{ value: 'auto', label: 'Facing the eye' }, { value: 'xy', label: 'XY' }, { value: 'xz', label: 'XZ' }, { value: 'yz', label: 'YZ' }, { value: 'view', label: 'View plane' }, { value: 'link', label: 'Face of the selected link' }];
  }
  get stepChoices(): { value: string; label: string }[] {
    return STEPS.map((value) => ({ value, label: value === 'auto' ? 'Grid' : value === '0' ? 'Off' : lengths.round(Number(value)) }));
  }
  get angleChoices(): { value: string; label: string }[] {
    return ANGLES.map((value) => ({ value, label: value === '0' ? 'Any angle' : `${value}°` }));
  }
  setStep(step: string): void {
    save('build.step', (this.step = step));
  }
  setAngle(angle: string): void {
    save('build.angle', (this.angle = angle));
  }

  /** The point of the plane under a place of the screen, in steps unless `free`; seen from `from`, directions are in steps as well, and `length` is kept. */
  point(x: number, y: number, through: Vec3, { free = false, from = null as Vec3 | null, length = 0 } = {}): Vec3 | null {
    const camera = views.stage!.camera;
    const p = rayPlane(camera.ray(x, y), through, this.normal);
    if (!p) return null;
    const [u, v] = this.directions;
    const step = free ? 0 : this.stepLength;
    const near = (value: number, by: number) => (by > 0 ? Math.round(value / by) * by : value);
    const turn = free ? 0 : (Number(this.angle) * Math.PI) / 180;
    if (from && (turn > 0 || length > 0)) {
      const d = sub(p, from);
      const angle = near(Math.atan2(dot(d, v), dot(d, u)), turn);
      const far = length || near(dist(p, from), step);
      return add(from, add(mul(u, far * Math.cos(angle)), mul(v, far * Math.sin(angle))));
    }
    // In the world's steps along both directions; through the plane's own point across it.
    const across = mul(this.normal, dot(through, this.normal));
    return add(across, add(mul(u, near(dot(p, u), step)), mul(v, near(dot(p, v), step))));
  }
}
export const plane = new DrawPlane();
