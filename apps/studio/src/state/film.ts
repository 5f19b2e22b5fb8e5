// The motion as pictures: each frame as it is seen in the view, numbered, in one ZIP.
import { count } from '../logic/numbers';
import { zip } from '../logic/zip';
import { baseName, download } from './files';
import { player } from './player.svelte';
import { ui } from './ui.svelte';
import { views } from './views';

const drawn = async (): Promise<void> => {
  do await new Promise((done) => requestAnimationFrame(done));
  while (views.stage?.busy);
};

export async function exportPictures(from: number, to: number, every: number): Promise<void> {
  const before = player.frame;
  player.pause();
  let stopped = false;
  const toast = ui.toast({ title: 'Pictures', text: '', sticky: true, actions: [{ label: 'Cancel', run: () => (stopped = true) }] });
  const files: { name: string; bytes: Uint8Array<ArrayBuffer> }[] = [];
  const all = Math.floor((to - from) / every) + 1;
  ui.opening++;
  try {
    for (let f = from; f <= to && !stopped && views.stage; f += every) {
      player.seek(f);
      await drawn();
      const blob = await views.stage.picture();
      files.push({ name: `${baseName()}_${String(f).padStart(5, '0')}.png`, bytes: new Uint8Array(await blob.arrayBuffer()) });
      ui.update(toast, { text: `${files.length} of ${all}` });
    }
  } finally {
    ui.opening--;
    ui.dismiss(toast);
    player.seek(before);
  }
  if (stopped || files.length === 0) return;
  download(zip(files), `${baseName()}_pictures.zip`, 'application/zip');
  ui.toast({ tone: 'ok', title: `${baseName()}_pictures.zip was saved`, text: count(files.length, 'picture') });
}
