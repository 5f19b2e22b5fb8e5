// Entry: paints the shell at once, loads the solver core beside it, then opens what the address holds.
import { mount } from 'svelte';
import App from './App.svelte';
import './styles/app.css';
import { chapter } from './state/chapter.svelte';
import { cloud } from './state/cloud.svelte';
import { linkStats, openLink, scheduleLink } from './state/link';
import { meshesOf } from './state/meshes';
import { player } from './state/player.svelte';
import { stepper } from './state/stepper.svelte';
import { studio } from './state/studio.svelte';
import { ui } from './state/ui.svelte';
import { sceneHash } from './logic/scene';
import * as files from './state/files';
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
    cloud,
    files,
    linkStats,
    views,
    hash: () => sceneHash(studio.scene),
    position: (link: string) => studio.linkPosition(link),
    mesh: (uri: string) => meshesOf(studio.scene.model)(uri),
    /** Nothing is under way: no frame, flight, file, animation or address to write. A held drag counts as rest. */
    atRest: () => !views.stage?.busy && !ui.opening && (!linkStats.pending || studio.gesture !== null) && document.getAnimations().length === 0,
  },
});

void studio.load(document.baseURI).then(async () => {
  if (studio.status !== 'ready') return;
  const file = new URLSearchParams(location.search).get('file');
  const opened = await openLink(location.hash);
  if (!opened && file) await openServed(file);
  studio.onChange(scheduleLink);
});

window.addEventListener('popstate', () => void openLink(location.hash));

/** `armature studio FILE` serves the file beside the page and names it in the address. */
async function openServed(name: string): Promise<void> {
  const answer = await fetch(`files/${encodeURIComponent(name)}`).catch(() => null);
  if (!answer?.ok) return studio.toastError(`${name} was not opened`, 'The server does not have it any more. Drop the file onto the page instead.');
  files.openBytes(new Uint8Array(await answer.arrayBuffer()), name);
}

window.addEventListener('error', (event) => {
  if (!/RuntimeError|unreachable|memory access/i.test(event.message)) return;
  studio.rebuild();
  ui.toast({ tone: 'bad', title: 'The solver core stopped and was restarted', text: 'Your scene was rebuilt from its last state.', actions: [{ label: 'Copy report', run: () => void navigator.clipboard?.writeText(`${event.message}\n${event.error?.stack ?? ''}`) }] });
});
