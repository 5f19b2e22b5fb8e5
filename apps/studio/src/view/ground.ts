// The ground: a grid that fades with distance, with the two axes in their colours. One quad, lines made
// in the shader, so that they stay one pixel wide.
import { Color, DoubleSide, ShaderMaterial } from 'three';

export function groundMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    uniforms: {
      size: { value: 10 },
      cell: { value: 0.2 },
      fade: { value: 3 },
      minor: { value: new Color() },
      major: { value: new Color() },
      axisX: { value: new Color() },
      axisY: { value: new Color() },
    },
    vertexShader: `
      uniform float size;
      varying vec2 at;
      void main() {
        at = position.xy * size;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `
      uniform float cell, fade;
      uniform vec3 minor, major, axisX, axisY;
      varying vec2 at;
      float lines(vec2 p, float step, float width) {
        vec2 g = abs(fract(p / step - 0.5) - 0.5) / fwidth(p / step);
        return 1.0 - min(min(g.x, g.y) / width, 1.0);
      }
      void main() {
        float near = 1.0 - smoothstep(0.15, 1.0, length(at) / fade);
        float a = lines(at, cell, 1.0) * 0.55;
        vec3 color = minor;
        float b = lines(at, cell * 5.0, 1.1);
        color = mix(color, major, b);
        a = max(a, b * 0.8);
        vec2 axis = abs(at) / fwidth(at);
        float x = 1.0 - min(axis.y / 1.2, 1.0);
        float y = 1.0 - min(axis.x / 1.2, 1.0);
        color = mix(mix(color, axisX, x), axisY, y);
        a = max(a, max(x, y) * 0.85);
        gl_FragColor = vec4(color, a * near);
        #include <colorspace_fragment>
      }`,
  });
}
