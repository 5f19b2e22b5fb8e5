// A PNG of the view: the WebGL picture, if any, with the overlay on top, tokens resolved to colours.

const PROPERTIES = ['fill', 'stroke', 'stroke-width', 'font-size', 'font-weight', 'font-family', 'font-style', 'paint-order', 'stroke-linejoin', 'opacity'];

export async function svgPicture(overlay: SVGSVGElement, canvas: HTMLCanvasElement | null, width: number, height: number): Promise<Blob> {
  const scale = 2;
  const out = document.createElement('canvas');
  out.width = width * scale;
  out.height = height * scale;
  const context = out.getContext('2d')!;
  const style = getComputedStyle(document.documentElement);
  const sky = context.createLinearGradient(0, 0, 0, out.height);
  sky.addColorStop(0, style.getPropertyValue('--surface-canvas-hi').trim());
  sky.addColorStop(1, style.getPropertyValue('--surface-canvas').trim());
  context.fillStyle = sky;
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
  return new Promise((resolve, reject) => out.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be written.'))), 'image/png'));
}
