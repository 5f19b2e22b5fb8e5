// Packs a GIF beside the page: samples for the palette first, then frame after frame; `end` answers with the file.
import { Gif, paletteOf } from '../logic/gif';

export type GifRequest =
  | { kind: 'begin'; width: number; height: number; loop: boolean; samples: Uint8ClampedArray[] }
  | { kind: 'frame'; rgba: Uint8ClampedArray; seconds: number }
  | { kind: 'end' };

let gif: Gif | null = null;
self.onmessage = (event: MessageEvent<GifRequest>) => {
  const request = event.data;
  const post = (answer: number | Blob) => (self as unknown as Worker).postMessage(answer);
  if (request.kind === 'begin') gif = new Gif(request.width, request.height, paletteOf(request.samples), request.loop);
  else if (request.kind === 'frame') {
    gif!.add(request.rgba, request.seconds);
    post(gif!.frames);
  } else post(gif!.bytes());
};
