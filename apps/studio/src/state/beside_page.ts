// Work beside the page: one worker for one request, ended with its last answer.
import { carried } from '../core/carried';
import type { WorkerAnswer, WorkerRequest } from '../core/worker';
import { ui } from './ui.svelte';

export function start(request: WorkerRequest, onAnswer: (answer: WorkerAnswer) => void): Worker {
  const worker = carried?.worker('worker') ?? new Worker(new URL('../core/worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = (event: MessageEvent<WorkerAnswer>) => {
    if (event.data.kind === 'error') ui.toast({ tone: 'bad', title: 'The work beside the page failed', text: event.data.message });
    onAnswer(event.data);
    if (event.data.kind === 'done' || event.data.kind === 'error') worker.terminate();
  };
  worker.postMessage(request);
  return worker;
}
