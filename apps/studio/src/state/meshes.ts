// Mesh files that were opened with a model: by reference, parsed once.
import type { ModelDescription } from '../logic/model';
import { Core } from '../core/core';
import { isMeshFile, meshKey, readMesh, type Triangles } from '../logic/mesh_files';
import type { ModelSource } from '../logic/scene';

const parsed = new WeakMap<ModelSource, Map<string, Triangles | null>>();

function all(model: ModelSource): Map<string, Triangles | null> {
  let known = parsed.get(model);
  if (!known) {
    known = new Map(Object.entries(Core.beside(model)).filter(([name]) => isMeshFile(name)).map(([name, bytes]) => [meshKey(name), readMesh(bytes, name)]));
    parsed.set(model, known);
  }
  return known;
}

export const meshesOf = (model: ModelSource) => (uri: string): Triangles | null => all(model).get(meshKey(uri)) ?? null;

/** File names of visible meshes that were not opened with the model, or could not be read. */
export function missingMeshes(model: ModelDescription, source: ModelSource): string[] {
  const wanted = model.links.flatMap((l) => l.geometry).filter((g) => g.type === 'mesh' && !g.collision);
  return [...new Set(wanted.map((g) => meshKey(g.uri ?? '')))].filter((key) => !all(source).get(key));
}
