// three.js without what the studio never draws: virtual reality, environment maps, physically based materials, post-processing. They hang
// on its renderer, so that no bundler can leave them out by itself; here the renderer gets an empty stand-in for each. Shaders lose comments
// and indentation, as in three's own bundle.
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'vite';

const source = join(dirname(createRequire(import.meta.url).resolve('three')), '../src');
const nothing = 'export default "";';
const materials = ['meshphysical', 'meshphong', 'meshtoon', 'meshmatcap', 'meshnormal', 'points', 'sprite', 'linedashed', 'background', 'backgroundCube', 'cube', 'equirect'];
const chunks = ['lights_physical_pars_fragment', 'lights_physical_fragment', 'lights_phong_pars_fragment', 'lights_toon_pars_fragment', 'transmission_pars_fragment', 'transmission_fragment', 'iridescence_fragment', 'envmap_physical_pars_fragment'];

const STAND_INS: Record<string, string> = {
  'renderers/webxr/WebXRManager.js': 'export class WebXRManager { enabled = false; isPresenting = false; addEventListener() {} removeEventListener() {} setAnimationLoop() {} getEnvironmentBlendMode() {} hasDepthSensing() { return false; } dispose() {} }',
  'renderers/webgl/WebGLEnvironments.js': 'export const WebGLEnvironments = function () { return { get: () => null, dispose() {} }; };',
  'renderers/webgl/WebGLOutput.js': 'export class WebGLOutput {}',
  'renderers/webgl/WebGLUniformsGroups.js': 'export const WebGLUniformsGroups = function () { return { dispose() {} }; };',
  'renderers/shaders/DFGLUTData.js': 'export const getDFGLUT = () => null;',
  ...Object.fromEntries(materials.map((m) => [`renderers/shaders/ShaderLib/${m}.glsl.js`, 'export const vertex = ""; export const fragment = "";'])),
  ...Object.fromEntries(chunks.map((c) => [`renderers/shaders/ShaderChunk/${c}.glsl.js`, nothing])),
};

export function threeParts(): Plugin {
  const used = new Set<string>();
  return {
    name: 'three-parts',
    apply: 'build',
    enforce: 'pre',
    resolveId: (id) => (id === 'three' ? join(source, 'Three.js') : null),
    load(id) {
      const file = relative(source, id);
      if (STAND_INS[file] === undefined) return null;
      used.add(file);
      return STAND_INS[file];
    },
    transform(code, id) {
      if (!id.startsWith(source) || !id.endsWith('.glsl.js')) return null;
      return code.replace(/\/\* glsl \*\/\s*`([^`]*)`/g, (_, glsl: string) => JSON.stringify(glsl.replace(/\/\*[\s\S]*?\*\/|[ \t]*\/\/.*/g, '').replace(/\s*\n\s*/g, '\n').trim()));
    },
    /** A part that three.js has renamed would come back unseen. */
    buildEnd(error) {
      const missing = Object.keys(STAND_INS).filter((file) => !used.has(file));
      if (!error && missing.length) this.error(`three.js has no ${missing.join(', ')} any more; see three_parts.ts`);
    },
  };
}
