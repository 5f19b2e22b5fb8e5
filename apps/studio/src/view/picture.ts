// A picture of the view: the WebGL picture, if any, with the overlay on top, tokens resolved to colours.

const PROPERTIES = ['fill', 'stroke', 'stroke-width', 'font-size', 'font-weight', 'font-family', 'font-style', 'paint-order', 'stroke-linejoin', 'opacity'];

export interface PictureSize {
  width: number;
  height: number;
  /** A colour; '': as in the view. */
  background: string;
}

/** `size`: of the view; `wanted`: of the picture. */
export async function paintPicture(overlay: SVGSVGElement, canvas: HTMLCanvasElement | null, { width, height }: { width: number; height: number }, wanted: PictureSize): Promise<HTMLCanvasElement> {
  const out = document.createElement('canvas');
  out.width = wanted.width;
  out.height = wanted.height;
  const context = out.getContext('2d')!;
  const style = getComputedStyle(document.documentElement);
  const sky = context.createLinearGradient(0, 0, 0, out.height);
  sky.addColorStop(0, style.getPropertyValue('--surface-canvas-hi').trim());
  sky.addColorStop(1, style.getPropertyValue('--surface-canvas').trim());
  context.fillStyle = wanted.background || sky;
  context.fillRect(0, 0, out.width, out.height);
  if (canvas) context.drawImage(canvas, 0, 0, out.width, out.height);
  const copy = overlay.cloneNode(true) as SVGSVGElement;
  const from = overlay.querySelectorAll('*');
  copy.querySelectorAll('*').forEach((node, i) => {
    const computed = getComputedStyle(from[i]!);
    for (const name of PROPERTIES) (node as SVGElement).style.setProperty(name, computed.getPropertyValue(name));
  });
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const text = new XMLSerializer().serializeToString(copy);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  context.drawImage(image, 0, 0, out.width, out.height);
  return out;
}

export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be written.'))), 'image/png'));
}
