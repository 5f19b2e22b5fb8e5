// A thin edge around solid shapes: the back faces, pushed out by about a pixel along their normals.
import { Color, ShaderMaterial } from 'three';

export function outlineMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { color: { value: new Color() }, pixel: { value: 0.002 } },
    vertexShader: `
      uniform float pixel;
      void main() {
        vec4 at = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
        vec3 n = normalize(mat3(modelViewMatrix) * normal);
        vec2 push = normalize((mat2(projectionMatrix) * n.xy) + vec2(1e-9));
        at.xy += push * pixel * 1.1 * at.w;
        gl_Position = at;
      }`,
    fragmentShader: `
      uniform vec3 color;
      void main() {
        gl_FragColor = vec4(color, 1.0);
        #include <colorspace_fragment>
      }`,
  });
}
