// Forward kinematics and Jacobian of a chain for callers, in metres and radians. Included by chain_forward_*.cpp inside
// the namespace of their instruction set, after chain_kernel.inl.

// Rotates by the base: canonical axes to the caller's.
ARMATURE_INLINE void to_base(const Chain& chain, double x, double y, double z, double* out) {
  const double* r = chain.base_rotation;
  for (int k = 0; k < 3; ++k) out[k] = (r[3 * k] * x + r[3 * k + 1] * y) + r[3 * k + 2] * z;
}

template <int B, bool kPrismatic>
static void chain_forward_blocks(const Chain& chain, const double* q, double* rotation, double* translation,
                                 double* jacobian) {
  alignas(64) double padded[kChainBlock * B] = {};
  for (int i = 0; i < chain.joints; ++i) padded[i] = kPrismatic ? q[i] / chain.unit[i] : q[i];
  Pack coordinates[B];
  for (int b = 0; b < B; ++b) coordinates[b] = Pack::load(padded + kChainBlock * b);
  ChainFrames<B> f;
  f.clear(chain);
  walk<B, kPrismatic>(chain, coordinates, f);

  double p[3];
  to_base(chain, f.tip.x(), f.tip.y(), f.tip.z(), p);
  for (int k = 0; k < 3; ++k) translation[k] = chain.base_translation[k] + chain.length * p[k];
  double columns[3][3];  // of base * tip frame before tip_rotation
  to_base(chain, f.rx.x(), f.rx.y(), f.rx.z(), columns[0]);
  to_base(chain, f.ry.x(), f.ry.y(), f.ry.z(), columns[1]);
  to_base(chain, f.rz.x(), f.rz.y(), f.rz.z(), columns[2]);
  const double* t = chain.tip_rotation;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      rotation[3 * i + j] = (columns[0][i] * t[j] + columns[1][i] * t[3 + j]) + columns[2][i] * t[6 + j];
  if (jacobian == nullptr) return;

  JacobianRows<B> rows;
  jacobian_rows<B, kPrismatic>(chain, f, rows);
  // The base's rotation, by rows; back from internal units (a prismatic joint's unit cancels the length's).
  const double* r = chain.base_rotation;
  for (int b = 0; b < B; ++b) {
    alignas(64) double out[6][kChainBlock];
    const Pack scale = kPrismatic ? Pack::all(chain.length) * Pack::load(chain.revolute + kChainBlock * b) +
                                        Pack::load(chain.prismatic + kChainBlock * b)
                                  : Pack::all(chain.length);
    for (int k = 0; k < 3; ++k) {
      const Pack rx = Pack::all(r[3 * k]), ry = Pack::all(r[3 * k + 1]), rz = Pack::all(r[3 * k + 2]);
      (scale * ((rx * rows.row[0][b] + ry * rows.row[1][b]) + rz * rows.row[2][b])).store(out[k]);
      ((rx * rows.row[3][b] + ry * rows.row[4][b]) + rz * rows.row[5][b]).store(out[3 + k]);
    }
    for (int i = kChainBlock * b; i < chain.joints && i < kChainBlock * (b + 1); ++i)
      for (int k = 0; k < 6; ++k) jacobian[6 * i + k] = out[k][i - kChainBlock * b];
  }
}

void chain_forward(const Chain& chain, const double* q, double* rotation, double* translation, double* jacobian) {
  const auto run = chain.has_prismatic ? (chain.blocks == 1   ? chain_forward_blocks<1, true>
                                          : chain.blocks == 2 ? chain_forward_blocks<2, true>
                                          : chain.blocks <= 4 ? chain_forward_blocks<4, true>
                                                              : chain_forward_blocks<8, true>)
                                       : (chain.blocks == 1   ? chain_forward_blocks<1, false>
                                          : chain.blocks == 2 ? chain_forward_blocks<2, false>
                                          : chain.blocks <= 4 ? chain_forward_blocks<4, false>
                                                              : chain_forward_blocks<8, false>);
  run(chain, q, rotation, translation, jacobian);
}
