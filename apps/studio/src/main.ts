// Entry: paints the shell at once, loads the solver core beside it, then opens what the address holds.
import { mount } from 'svelte';
import App from './App.svelte';
import './styles/app.css';
import { build } from './state/build.svelte';
import './state/build_keys';
import { limbs } from './state/build_limbs.svelte';
import { plane } from './state/build_plane.svelte';
import { bodies } from './state/bodies.svelte';
import { chapter } from './state/chapter.svelte';
import { cloud } from './state/cloud.svelte';
import { lessons } from './state/lessons.svelte';
import { goTo, linkStats, openLink, scheduleLink } from './state/link';
import { meshesOf } from './state/meshes';
import { mechanism } from './state/mechanism.svelte';
import { player } from './state/player.svelte';
import { solutions } from './state/solutions.svelte';
import { stepper } from './state/stepper.svelte';
import { studio } from './state/studio.svelte';
import { ui } from './state/ui.svelte';
import { sceneToJson } from './logic/scene_json';
import { stats } from './state/animation';
import { exportBytes, plainSettings } from './state/export';
import { exportFilm } from './state/film';
import { sceneHash } from './logic/scene';
import * as files from './state/files';
import { stretches } from './state/nullspace.svelte';
import { views } from './state/views';

mount(App, { target: document.getElementById('app')! });

// What scripts and tests may read: the page's own state, nothing that is computed for them.
Object.assign(window, {
  armature: {
    studio,
    ui,
    stepper,
    player,
    chapter,
    lessons,
    cloud,
    mechanism,
    build,
    limbs,
    plane,
    bodies,
    solutions,
    files,
    linkStats,
    views,
    saved: () => sceneToJson(studio.scene, {}, studio.rig!.names),
    stats,
    exportFilm,
    /** As the export dialog writes it. */
    exportBytes: (format: string) => { const made = exportBytes(format, plainSettings(format)); return made.ok ? made.bytes : made.message; },
    hash: () => sceneHash(studio.scene),
    position: (link: string) => studio.linkPosition(link),
    mesh: (uri: string) => meshesOf(studio.scene.model)(uri),
    /** Nothing is under way: no frame, flight, file, animation or address to write. A held drag counts as rest. */
    atRest: () => !views.stage?.busy && !stretches.pending && !ui.opening && !ui.solving && ui.whole && (!linkStats.pending || studio.gesture !== null) && document.getAnimations().length === 0,
  },
});

void studio.load(document.baseURI).then(async () => {
  if (studio.status !== 'ready') return;
  const asked = new URLSearchParams(location.search);
  const file = asked.get('file');
  const opened = await openLink(location.hash);
  if (!opened && file) await openServed(file, asked.get('token') ?? '');
  studio.onChange(scheduleLink);
});

// Opens again without a network, where a page may be kept: on https, or when it is asked for.
if ('serviceWorker' in navigator && (location.protocol === 'https:' || new URLSearchParams(location.search).has('offline'))) {
  document.head.append(Object.assign(document.createElement('link'), { rel: 'manifest', href: './manifest.webmanifest' }));
  void navigator.serviceWorker.register('./offline.js').catch(() => {}); // a browser that forbids it only needs the network again
}

window.addEventListener('popstate', () => void goTo(location.hash));

/** `armature studio FILE` serves the file, and what it names (buffers, meshes), below a token that only its address tells. */
async function openServed(name: string, token: string): Promise<void> {
  const get = async (path: string) => {
    const answer = await fetch(`${encodeURIComponent(token)}/${path}`).catch(() => null);
    return answer?.ok ? answer : null;
  };
  const main = await get(`files/${encodeURIComponent(name)}`);
  if (!main) return studio.toastError(`${name} was not opened`, 'The server does not have it any more. Drop the file onto the page instead.');
  const all = [new File([await main.arrayBuffer()], name)];
  for (const other of ((await (await get('beside'))?.json()) ?? []) as string[]) {
    const answer = await get(`beside/${encodeURIComponent(other)}`);
    if (answer) all.push(new File([await answer.arrayBuffer()], other));
  }
  await files.openFiles(all);
}

window.addEventListener('error', (event) => {
  if (!/RuntimeError|unreachable|memory access/i.test(event.message)) return;
  studio.rebuild();
  ui.toast({ tone: 'bad', title: 'The solver core stopped and was restarted', text: 'Your scene was rebuilt from its last state.', actions: [{ label: 'Copy report', run: () => void navigator.clipboard?.writeText(`${event.message}\n${event.error?.stack ?? ''}`) }] });
});
