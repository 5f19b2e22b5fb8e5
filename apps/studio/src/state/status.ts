// What the status line says in each view, and the short facts at its right end.
import { compareVerdict } from '../logic/explain';
import { count, formatLength, scientific, significant } from '../logic/numbers';
import { verdict, type Tone } from '../logic/verdict';
import { build } from './build.svelte';
import { lengths } from './build_units.svelte';
import { chapter } from './chapter.svelte';
import { mechanism } from './mechanism.svelte';
import { player } from './player.svelte';
import { stepper } from './stepper.svelte';
import { studio } from './studio.svelte';
import { ui } from './ui.svelte';

export interface StatusLine {
  tone: Tone;
  title: string;
  facts: string;
}

export function status(): StatusLine {
  if (studio.status === 'loading') return { tone: 'info', title: 'Loading', facts: 'the solver core.' };
  if (studio.status === 'failed') return { tone: 'bad', title: 'The solver core did not start', facts: studio.failure };
  if (studio.mode === 'chapter') return chapter.status();
  const model = studio.model;
  if (!model) return { tone: 'info', title: 'Ready.', facts: `Solver core loaded in ${studio.loadMs} ms.` };
  if (studio.mode === 'build') return buildStatus();
  if (studio.mode === 'step') return stepStatus();
  if (studio.mode === 'compare') return stepper.traces.length ? compareVerdict(stepper.rows()) : { tone: 'info', title: 'Comparing', facts: 'add a goal first: select a link and press G.' };
  if (player.playing || (player.hasClip && !studio.report)) {
    return { tone: 'info', title: player.playing ? 'Playing' : 'Clip', facts: `frame ${player.frame} of ${studio.scene.clip.frames}.` };
  }
  if (studio.refusal) return { tone: 'bad', title: `${studio.methodLabel} cannot take this`, facts: studio.refusal };
  if (mechanism.active && studio.scene.goals.length === 0) return mechanism.status();
  return verdict(studio.report, { model, goals: studio.scene.goals, style: studio.style, tolerance: studio.tolerance, methodLabel: studio.methodLabel });
}

function buildStatus(): StatusLine {
  if (build.problem) return { tone: 'bad', title: 'Not changed', facts: build.problem };
  const goals = build.live && studio.scene.goals.length > 0 && studio.report;
  if (goals) return verdict(studio.report, { model: studio.model!, goals: studio.scene.goals, style: studio.style, tolerance: studio.tolerance, methodLabel: studio.methodLabel });
  if (mechanism.active) return mechanism.status();
  return { tone: 'info', title: 'Build', facts: 'drag on the plane to draw a link, or choose a part.' };
}

function stepStatus(): StatusLine {
  const current = stepper.current;
  const step = stepper.at(current);
  if (current?.refused) return { tone: 'bad', title: `${current.label} cannot take this`, facts: current.refused };
  if (!step || !current?.trace) return { tone: 'info', title: 'Stepping', facts: 'add a goal first: select a link and press G.' };
  const { report, steps } = current.trace;
  const last = steps[steps.length - 1]!;
  const end =
    report.outcome === 'converged'
      ? `Run to the end reaches the goal with error ${last.error_norm < 1e-3 ? scientific(last.error_norm) : significant(last.error_norm)}${stepper.errorUnit}.`
      : `The search ends with error ${significant(last.error_norm)}${stepper.errorUnit}.`;
  return { tone: 'info', title: 'Stepping', facts: `iteration ${stepper.iteration} of ${steps.length - 1}, error ${significant(step.error_norm, 4)}${stepper.errorUnit}. ${end}` };
}

export function statusFacts(): { text: string; quiet?: boolean }[] {
  if (studio.mode === 'chapter') return chapter.facts();
  const model = studio.model;
  if (!model) return [{ text: studio.status === 'ready' ? `WebAssembly${studio.core?.module.simd() ? ' with SIMD' : ''}` : '' }];
  const facts: { text: string; quiet?: boolean }[] = [];
  const soft = studio.scene.goals.findIndex((g, i) => g.soft && studio.report?.goals[i] && !studio.report.goals[i]!.reached);
  if (studio.mode === 'pose' && soft >= 0 && studio.report!.outcome === 'converged') {
    facts.push({ text: `${studio.scene.goals[soft]!.id} is soft, ${formatLength(studio.report!.goals[soft]!.position_error, studio.style)} off`, quiet: true });
  }
  if (model.closures.length) facts.push({ text: `${model.mobility} DOF, ${count(model.closures.length, 'closure')}` });
  else facts.push({ text: model.planar ? `${model.dof} DOF, planar` : `${model.dof} DOF, ${count(studio.scene.goals.length, 'goal')}` });
  const unit = (studio.mode === 'build' ? lengths.unit : studio.style === 'model' ? '' : 'mm') || 'model units';
  facts.push({ text: `${unit}, ${ui.units}${studio.style === 'model' ? '' : `, ${model.up.toUpperCase()} up`}` });
  return facts;
}
