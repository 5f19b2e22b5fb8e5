// A small skinned glTF file as text: a square tube along y over two bones, the upper one at y = 1, weights in between.
export function skinnedTube(rings = 9, side = 0.2) {
  const positions = [], joints = [], weights = [], indices = [];
  for (let r = 0; r < rings; r++) {
    const y = (2 * r) / (rings - 1);
    const upper = Math.min(1, Math.max(0, (y - 0.75) / 0.5));
    for (const [x, z] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
      positions.push(side * x, y, side * z);
      joints.push(0, 1, 0, 0);
      weights.push(1 - upper, upper, 0, 0);
    }
    for (let k = 0; r > 0 && k < 4; k++) {
      const a = 4 * (r - 1) + k, b = 4 * (r - 1) + ((k + 1) % 4);
      indices.push(a, a + 4, b, b, a + 4, b + 4);
    }
  }
  const bind = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1];
  const parts = [Float32Array.from(positions), Uint8Array.from(joints), Float32Array.from(weights), Float32Array.from(bind), Uint16Array.from(indices)];
  const bytes = Buffer.concat(parts.map((p) => Buffer.from(p.buffer)));
  let offset = 0;
  const bufferViews = parts.map((p) => ({ buffer: 0, byteOffset: (offset += p.byteLength) - p.byteLength, byteLength: p.byteLength }));
  const count = positions.length / 3;
  return JSON.stringify({
    asset: { version: '2.0' },
    scenes: [{ nodes: [0, 2] }],
    nodes: [{ name: 'lower', children: [1] }, { name: 'upper', translation: [0, 1, 0] }, { name: 'tube', mesh: 0, skin: 0 }],
    skins: [{ joints: [0, 1], inverseBindMatrices: 3 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, JOINTS_0: 1, WEIGHTS_0: 2 }, indices: 4 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count, type: 'VEC3', min: [-side, 0, -side], max: [side, 2, side] },
      { bufferView: 1, componentType: 5121, count, type: 'VEC4' },
      { bufferView: 2, componentType: 5126, count, type: 'VEC4' },
      { bufferView: 3, componentType: 5126, count: 2, type: 'MAT4' },
      { bufferView: 4, componentType: 5123, count: indices.length, type: 'SCALAR' },
    ],
    bufferViews,
    buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }],
  });
}
