// Drawings of the chapter's stages and film strips: flat bodies, paths, trees, change vectors.
import type { ModelDescription } from '../logic/model';
import { Camera } from '../logic/camera';
import { columnToken, methodLook } from '../logic/methods';
import { fixed, formatAngle, significant } from '../logic/numbers';
import type { Vec3 } from '../logic/scene';
import { add, dist, mul, origin, sub } from '../logic/vec';
import { bars, barRadius, chainReach, flatBody, grid, pedestal, reachCircle } from '../view/planar';
import { arrow, circle, disc, escape, label, line, n, path, polyline, stadium } from '../view/svg';
import type { StageData } from './compute';

export function stageCamera(data: StageData, width: number, height: number, goal?: [number, number]): Camera {
  const camera = new Camera('y', true);
  camera.resize(width, height);
  if (data.spec.kind === 'vectors') return fitVectors(data, camera);
  const r = data.model.reach;
  const far = Math.max(0, ...data.frames.flatMap((f) => data.model.links.map((_, i) => Math.abs(f[16 * i + 12]!) + r * 0.06))); // a stretched arm, whole in its small picture
  const wide = Math.max(r * 0.92, far, goal ? Math.abs(goal[0]) * 1.18 : 0);
  const high = r * 1.02;
  const low = Math.min(-r * 0.28, ...data.frames.flatMap((f) => data.model.links.map((_, i) => f[16 * i + 13]! - r * 0.06)));
  const scale = Math.min(width / (2 * wide), height / (high - low));
  camera.set({ target: [goal && goal[0] < 0 ? -wide * 0.06 : 0, (high + low) / 2, 0], distance: camera.height / 2 / Math.tan(camera.fov / 2) / scale });
  return camera;
}

/** What must stay inside: a point of the world, and how many pixels from it something is drawn. */
interface Kept {
  x: number;
  y: number;
  px: number;
  py: number;
}

/** The links, the goals, and the arrows with their letters, of all frames: scrubbing never moves the camera, nothing is cut. */
function fitVectors(data: StageData, camera: Camera): Camera {
  const kept: Kept[] = [];
  const chosen = movers(data.model);
  data.frames.forEach((frames, f) => {
    for (let i = 0; i < data.model.links.length; i++) kept.push({ x: frames[16 * i + 12]!, y: frames[16 * i + 13]!, px: 0, py: 0 });
    const tip = data.tips[f]!;
    const goal = data.goals[f];
    if (goal) kept.push({ x: goal[0], y: goal[1], px: 14, py: 14 }, { x: goal[0], y: goal[1], px: -14, py: -14 });
    const arrows = chosen.map((j) => { const v = data.model.joints[j]!.v; const J = data.jacobians[f]!; return [J[6 * v]!, J[6 * v + 1]!]; });
    const longest = Math.max(1e-9, ...arrows.map((g) => Math.hypot(g[0]!, g[1]!)));
    if (goal) arrows.push([((goal[0] - tip[0]) / (dist(goal, tip) || 1)) * longest, ((goal[1] - tip[1]) / (dist(goal, tip) || 1)) * longest]);
    for (const g of arrows) kept.push({ x: tip[0], y: tip[1], px: (g[0]! / longest) * ARROW, py: (g[1]! / longest) * ARROW });
  });
  const room = { width: camera.width - 2 * EDGE, height: camera.height - 2 * EDGE };
  const box = (scale: number) => {
    const xs = kept.map((k) => k.x * scale + k.px);
    const ys = kept.map((k) => k.y * scale + k.py);
    return { left: Math.min(...xs), right: Math.max(...xs), low: Math.min(...ys), high: Math.max(...ys) };
  };
  let [lo, hi] = [1e-6, 1e6];
  for (let i = 0; i < 80; i++) {
    const scale = Math.sqrt(lo * hi);
    const b = box(scale);
    if (b.right - b.left <= room.width && b.high - b.low <= room.height) lo = scale;
    else hi = scale;
  }
  const b = box(lo);
  camera.set({ target: [(b.left + b.right) / 2 / lo, (b.low + b.high) / 2 / lo, 0], distance: camera.height / 2 / Math.tan(camera.fov / 2) / lo });
  return camera;
}
/** The longest arrow with its letter, and the free edge of a stage, in pixels. */
const ARROW = 98;
const EDGE = 24;

function movers(model: ModelDescription): number[] {
  return model.joints.flatMap((j, i) => (j.nv > 0 && !j.mimic ? [i] : []));
}

export function drawStage(data: StageData, frame: number, camera: Camera, goal?: [number, number]): string {
  const { spec, model } = data;
  const f = Math.min(frame, data.frames.length - 1);
  const frames = data.frames[f];
  if (!frames) return '';
  if (spec.kind === 'tree') return drawTree(data, f, camera, -1);
  if (spec.kind === 'walk') return drawTree(data, f, camera, walkStep(model, f));
  const chain = movers(model);
  const reach = chainReach(model, frames, chain.slice(0, 3), data.tip);
  let out = grid(camera, false);
  if (reach && (spec.kind === 'sequence' || spec.kind === 'vectors' || spec.kind === 'reach')) out += reachCircle(reach.center, reach.radius, camera, spec.kind === 'reach');
  if (spec.kind === 'reach' && reach) out += innerHole(data, camera);
  if (spec.kind === 'sequence') for (const k of [0, 5]) if (k < f) out += flatBody(model, data.frames[k]!, camera, { style: 'ghost', opacity: 0.3 });
  out += pedestal(camera.project(origin(frames, 0)), 0.85);
  if (spec.kind === 'assembly') out += assembly(data, f, camera);
  else if (spec.kind === 'sweep' && data.spec.title === 'Links drawn so far') out += partial(data, camera, walkStep(model, f));
  else out += flatBody(model, frames, camera);
  if (spec.kind === 'sequence') out += sequencePath(data, f, camera, goal);
  if (spec.kind === 'reach' || spec.kind === 'elbows') out += goalMark(data.goals[f], camera);
  if (spec.kind === 'vectors') out += vectors(data, f, camera);
  return out;
}

function goalMark(at: Vec3 | undefined, camera: Camera, small = false): string {
  if (!at) return '';
  const p = camera.project(at);
  const r = small ? 3.4 : 7;
  return circle(p, r, { color: 'var(--text)', width: small ? 1.2 : 1.8, fill: 'var(--surface-raised)' }) + path(`M${n(p.x - r * 1.6)} ${n(p.y)}h${n(r * 3.2)}M${n(p.x)} ${n(p.y - r * 1.6)}v${n(r * 3.2)}`, { color: 'var(--text)', width: small ? 0.9 : 1.3 });
}

function sequencePath(data: StageData, f: number, camera: Camera, goal?: [number, number]): string {
  const look = methodLook(data.spec.method ?? 'dls');
  const a = data.goals[0];
  const end: Vec3 | undefined = goal ? [goal[0], goal[1], 0] : data.goals[data.goals.length - 1];
  let out = a && end ? line(camera.project(a), camera.project(end), { color: 'var(--text-3)', width: 1.2, dash: '2 4' }) : '';
  out += polyline(data.tips.slice(0, f + 1).map((p) => camera.project(p)), { color: `var(${look.token})`, width: 2 });
  out += goalMark(end, camera);
  if (data.goals[f]) out += circle(camera.project(data.tips[f]!), 5, { color: 'var(--accent)', width: 2 });
  return out;
}

/** Links appear in the order of their placements; the last one fades in. */
function assembly(data: StageData, f: number, camera: Camera): string {
  const list = bars(data.model, data.frames[f]!);
  const shown = 0.4 + (list.length * f) / (data.frames.length - 1);
  const scale = camera.pixelsPerUnit();
  let out = '';
  list.forEach((bar, i) => {
    const opacity = Math.max(0.12, Math.min(1, shown - i));
    const a = camera.project(bar.from);
    const b = camera.project(bar.to);
    const r = barRadius(data.model, bar.depth, scale);
    const solid = shown - i > 0.3;
    out += `<g opacity="${opacity.toFixed(2)}">${path(stadium(a, b, r, r * 0.92), { color: 'var(--fig-edge)', width: 1, fill: solid ? 'var(--fig-mid)' : 'none', ...(solid ? {} : { dash: '4 3' }) })}${circle(a, r * 0.5, { color: 'var(--bone)', width: 1.6, fill: 'var(--surface-raised)' })}</g>`;
    if (solid) {
      const mid = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
      out += label({ x: mid.x + 14, y: mid.y + 16 }, `link ${i}`, { quiet: true });
      out += label({ x: a.x - 8, y: a.y + 26 }, ['T0', 'T1', 'T1.1', 'T1.1.1'][i] ?? '', { anchor: 'end' });
    }
  });
  return out;
}

function innerHole(data: StageData, camera: Camera): string {
  const list = bars(data.model, data.frames[0]!);
  const lengths = list.map((b) => Math.hypot(b.to[0] - b.from[0], b.to[1] - b.from[1]));
  if (lengths.length < 2) return '';
  return circle(camera.project(list[0]!.from), Math.abs(lengths[0]! - lengths[1]!) * camera.pixelsPerUnit(), { color: 'var(--limit)', width: 1, dash: '6 5', opacity: 0.8 });
}

function partial(data: StageData, camera: Camera, step: { links: number[] } | -1): string {
  const seen = new Set(step === -1 ? [] : step.links);
  const frames = data.frames[data.frames.length - 1]!;
  const scale = camera.pixelsPerUnit();
  return bars(data.model, frames)
    .map((bar) => {
      const r = barRadius(data.model, bar.depth, scale);
      const on = seen.has(bar.link);
      return path(stadium(camera.project(bar.from), camera.project(bar.to), r, r * 0.92), { color: on ? 'var(--fig-edge)' : 'var(--ghost)', width: 1, fill: on ? 'var(--fig-mid)' : 'none', ...(on ? {} : { dash: '4 3', opacity: 0.5 }) });
    })
    .join('');
}

function vectors(data: StageData, f: number, camera: Camera): string {
  const { spec, model } = data;
  const J = data.jacobians[f]!;
  const tip = data.tips[f]!;
  const goal = data.goals[f];
  const chosen = movers(model).filter((_, i) => !spec.joints || spec.joints.includes(i));
  const draw = new Set(spec.draw ?? []);
  const columns = chosen.map((j) => ({ at: origin(data.frames[f]!, model.joints[j]!.child), g: [J[6 * model.joints[j]!.v]!, J[6 * model.joints[j]!.v + 1]!, 0] as Vec3 }));
  const longest = Math.max(1e-9, ...columns.map((c) => Math.hypot(...c.g)));
  const k = 70 / (longest * camera.pixelsPerUnit());
  const e = camera.project(tip);
  let out = '';
  columns.forEach((c, i) => {
    const color = `var(${columnToken(spec.joints?.[i] ?? i).token})`;
    if (draw.has('levers')) out += line(camera.project(c.at), e, { color, width: 1.2, dash: '3 4' });
    if (draw.has('g')) {
      const end = camera.project(add(tip, mul(c.g, k)));
      out += arrow(e, end, { color, width: 2.6 });
      out += `<text class="pt" x="${n(end.x + (end.x - e.x) * 0.18)}" y="${n(end.y + (end.y - e.y) * 0.18 + 4)}" text-anchor="middle" fill="${color}"><tspan font-style="italic">g</tspan><tspan dy="3" font-size="9">${(spec.joints?.[i] ?? i) + 1}</tspan></text>`;
    }
  });
  if (draw.has('V') && goal) {
    const v = sub(goal, tip);
    const l = Math.hypot(...v) || 1;
    const shown = mul(v, Math.min(1, 84 / (l * camera.pixelsPerUnit())));
    const end = camera.project(add(tip, shown));
    out += line(e, camera.project(goal), { color: 'var(--text-3)', width: 1.2, dash: '2 4' }) + arrow(e, end, { color: 'var(--col-v)', width: 3 });
    out += `<text class="pt" x="${n(end.x + 4)}" y="${n(end.y + 20)}" text-anchor="middle" fill="var(--col-v)" font-style="italic">V</text>`;
  }
  if (draw.has('sum')) out += takenSum(data, f, columns.map((c) => c.g), chosen, camera);
  if (goal && (draw.has('V') || draw.has('sum'))) out += goalMark(goal, camera);
  return out + circle(e, 5, { color: 'var(--needle)', width: 2, fill: 'var(--surface-raised)' });
}

/** What the method takes of each arrow in this step, tip to tail, enlarged to be seen. */
function takenSum(data: StageData, f: number, g: Vec3[], chosen: number[], camera: Camera): string {
  const next = data.poses[f + 1];
  if (!next) return '';
  const parts = chosen.map((j, i) => mul(g[i]!, next[data.model.joints[j]!.q]! - data.poses[f]![data.model.joints[j]!.q]!));
  const whole = parts.reduce((a, b) => add(a, b), [0, 0, 0] as Vec3);
  const l = Math.max(Math.hypot(...whole), ...parts.map((p) => Math.hypot(...p)));
  if (!(l > 1e-12)) return '';
  const k = 64 / (l * camera.pixelsPerUnit());
  let at = data.tips[f]!;
  let out = '';
  parts.forEach((p, i) => {
    const to = add(at, mul(p, k));
    out += arrow(camera.project(at), camera.project(to), { color: `var(${columnToken(data.spec.joints?.[i] ?? i).token})`, width: 1.6, dash: '4 3' });
    at = to;
  });
  return out;
}

// Trees ------------------------------------------------------------------------------------------------

interface Spot {
  link: number;
  x: number;
  y: number;
}

/** `beside`: pixels that the names of branches need at either side. */
function layout(model: ModelDescription, camera: Camera, beside: number): Spot[] {
  const spots: Spot[] = [];
  let leaf = 0;
  let deepest = 0;
  const place = (link: number, depth: number): number => {
    deepest = Math.max(deepest, depth);
    const children = model.links[link]!.children;
    const xs = children.map((c) => place(c, depth + 1));
    const x = xs.length ? (xs[0]! + xs[xs.length - 1]!) / 2 : leaf++;
    spots.push({ link, x, y: depth });
    return x;
  };
  model.links.forEach((l, i) => l.parent < 0 && place(i, 0));
  const edge = leaf > 1 ? Math.min(beside, 0.38 * camera.width) : camera.width / 2;
  return spots.map((s) => ({ link: s.link, x: edge + (s.x * (camera.width - 2 * edge)) / Math.max(1, leaf - 1), y: 64 + (s.y * (camera.height - 120)) / Math.max(1, deepest) }));
}

/** Depth-first walk: which link is current at a frame, and which are done. */
export function walkStep(model: ModelDescription, frame: number): { current: number; links: number[]; stack: number[] } {
  const events: { link: number; stack: number[] }[] = [];
  const done: number[] = [];
  const visit = (link: number, stack: number[]) => {
    events.push({ link, stack: [...stack] });
    for (const c of model.links[link]!.children) {
      visit(c, [...stack, link]);
      events.push({ link, stack: [...stack] });
    }
  };
  model.links.forEach((l, i) => l.parent < 0 && visit(i, []));
  const at = Math.min(events.length - 1, Math.floor((frame / 20) * (events.length - 1) + 1e-9));
  for (let i = 0; i <= at; i++) if (!done.includes(events[i]!.link)) done.push(events[i]!.link);
  return { current: events[at]!.link, links: done, stack: events[at]!.stack };
}

/** Width of a letter in pixels, and the letters of a joint's turn, whatever it is now: scrubbing moves no node. */
const LETTER = 5.8;
const TURN = 11;

function drawTree(data: StageData, f: number, camera: Camera, walk: ReturnType<typeof walkStep> | -1): string {
  const { model } = data;
  const nameOf = (link: number) => (model.links[link]!.parent < 0 ? 'T0' : (model.joints[model.links[link]!.joint]!.name || 'T').replace('joint', 'T'));
  const spots = layout(model, camera, 26 + LETTER * (Math.max(...model.links.map((_, i) => nameOf(i).length)) + (data.spec.to ? TURN : 0)));
  const middle = (Math.min(...spots.map((s) => s.x)) + Math.max(...spots.map((s) => s.x))) / 2;
  const at = (link: number) => spots.find((s) => s.link === link)!;
  const q = data.poses[f]!;
  let out = '';
  for (const s of spots) {
    const parent = model.links[s.link]!.parent;
    const from = parent >= 0 ? at(parent) : { x: s.x, y: s.y - 44 };
    const on = walk !== -1 && (walk.current === s.link || walk.stack.includes(s.link));
    out += line(from, s, { color: on ? 'var(--accent)' : 'var(--line-control)', width: on ? 2.4 : 1.5 });
    const joint = model.joints[model.links[s.link]!.joint]!;
    const turn = joint.nv === 1 && data.spec.to ? ` R(${formatAngle(q[joint.q] ?? 0, 'deg')})` : '';
    // On the outer side of its branch, inside the stage, and below the name of the link above where the branch runs straight down.
    const text = `${nameOf(s.link)}${turn}`;
    const left = s.x < middle - 1;
    const y = Math.max((from.y + s.y) / 2 + 4, parent >= 0 && s.x === from.x ? from.y + 39 : 0);
    const x = from.x + ((s.x - from.x) * (y - 4 - from.y)) / (s.y - from.y) + (left ? -10 : 10);
    const wide = LETTER * text.length;
    const inside = left ? Math.max(x, 16 + wide) : Math.min(x, camera.width - 16 - wide);
    out += label({ x: inside, y }, text, { quiet: true, ...(left ? { anchor: 'end' as const } : {}) });
  }
  for (const s of spots) {
    const current = walk !== -1 && walk.current === s.link;
    const done = walk === -1 || walk.links.includes(s.link);
    out += circle(s, 9, { color: current ? 'var(--accent)' : 'var(--fig-edge)', width: current ? 2.6 : 1.4, fill: done ? 'var(--fig-mid)' : 'var(--surface-raised)' });
    out += `<text class="vlabel" x="${n(s.x)}" y="${n(s.y + 24)}" text-anchor="middle">${escape(model.links[s.link]!.name)}</text>`;
  }
  if (walk !== -1) out += label({ x: 16, y: camera.height - 14 }, `stack: ${walk.stack.map((l) => model.links[l]!.name).join(', ') || 'empty'}`, { quiet: true });
  return out;
}

/** A small picture of one frame for the film strip. */
export function drawCell(data: StageData, frame: number, width: number, height: number, goal?: [number, number]): string {
  const frames = data.frames[Math.min(frame, data.frames.length - 1)];
  if (!frames) return '';
  // What has words or arrows of fixed size is drawn large and made small.
  if (['tree', 'walk', 'vectors'].includes(data.spec.kind)) return `<g transform="scale(.3333)">${drawStage(data, frame, stageCamera(data, width * 3, height * 3, goal), goal)}</g>`;
  const camera = stageCamera(data, width, height, goal);
  const base = camera.project(origin(frames, 0));
  let out = path(`M0 ${n(base.y)}H${width}`, { color: 'var(--grid-major)', width: 1 });
  const look = methodLook(data.spec.method ?? 'dls');
  if (data.spec.kind === 'sequence') out += polyline(data.tips.slice(0, frame + 1).map((p) => camera.project(p)), { color: `var(${look.token})`, width: 1.4 });
  if (data.spec.kind === 'assembly') out += assembly(data, frame, camera).replace(/<text[\s\S]*?<\/text>/g, '');
  else out += flatBody(data.model, frames, camera, { joints: false });
  const end: Vec3 | undefined = data.spec.kind === 'sequence' && goal ? [goal[0], goal[1], 0] : data.goals[frame];
  return out + goalMark(end, camera, true) + (data.goals.length ? '' : disc(camera.project(data.tips[Math.min(frame, data.tips.length - 1)]!), 2, 'var(--accent)'));
}

export function stageCaption(data: StageData, frame: number, off: number): string {
  const tip = data.tips[Math.min(frame, data.tips.length - 1)];
  if (!tip || data.spec.kind === 'tree' || data.spec.kind === 'walk') return '';
  const at = `tip ${fixed(tip[0], 2)}, ${fixed(tip[1], 2)}`;
  if (data.spec.kind === 'sequence') return `${at}; off the path by ${fixed(off, 3)}`;
  if (data.spec.kind === 'vectors') {
    const J = data.jacobians[frame]!;
    let [a, b, c] = [0, 0, 0];
    for (let i = 0; i < J.length; i += 6) {
      a += J[i]! * J[i]!;
      b += J[i]! * J[i + 1]!;
      c += J[i + 1]! * J[i + 1]!;
    }
    const goal = data.goals[frame];
    if (data.spec.draw?.includes('sum') && goal) return `${at}; ${fixed(Math.hypot(goal[0] - tip[0], goal[1] - tip[1]), 2)} from the goal`;
    const small = Math.sqrt(Math.max(0, (a + c - Math.sqrt((a - c) ** 2 + 4 * b * b)) / 2));
    return `${at}; smallest singular value ${significant(small < 1e-9 ? 0 : small)}`;
  }
  if (data.spec.kind === 'reach') {
    const goal = data.goals[frame];
    const far = goal ? Math.hypot(goal[0] - tip[0], goal[1] - tip[1]) : 0;
    return far > 1e-6 * data.model.reach ? `${at}; the goal is ${fixed(far, 3)} away` : `${at}; reached`;
  }
  return at;
}
