// Position, error and Jacobian of a compiled chain. Included like pack.inl, after sincos.inl.

// The state of one evaluation: frame of the tip, and for every joint its axis and a point on it.
template <int B>
struct ChainFrames {
  alignas(64) double z[kChainBlock * B][4];  // axis of joint i
  alignas(64) double p[kChainBlock * B][4];  // point on it
  Col rx, ry, rz, tip;                       // columns of the tip's rotation, its position

  // Joints that are not there get no axis, once.
  ARMATURE_INLINE void clear(const Chain& chain) {
    for (int i = chain.joints; i < kChainBlock * B; ++i) {
      Col::of(0, 0, 0).store(z[i]);
      Col::of(0, 0, 0).store(p[i]);
    }
  }
};

// Walks the chain once. `q` in internal units.
template <int B, bool kPrismatic>
ARMATURE_INLINE void walk(const Chain& chain, const Pack* q, ChainFrames<B>& f) {
  // Per-joint constants of the update, all joints at once:
  //   x' = c x + s y,  y' = -ca s x + ca c y + sa z,  z' = sa s x - sa c y + ca z,  p' = p + u x + v y + w z
  struct alignas(64) {
    double c[kChainBlock * B], s[kChainBlock * B], yx[kChainBlock * B], yy[kChainBlock * B], zx[kChainBlock * B],
        zy[kChainBlock * B], u[kChainBlock * B], v[kChainBlock * B], w[kChainBlock * B];
  } m;
  for (int b = 0; b < B; ++b) {
    const int i = kChainBlock * b;
    Pack s, c;
    Pack angle = kPrismatic ? q[b] * Pack::load(chain.revolute + i) + Pack::load(chain.theta + i)
                            : q[b] + Pack::load(chain.theta + i);
    sincos(angle, s, c);
    Pack ca = Pack::load(chain.cos_twist + i), sa = Pack::load(chain.sin_twist + i);
    Pack tx = Pack::load(chain.tx + i), ty = Pack::load(chain.ty + i), tz = Pack::load(chain.tz + i);
    c.store(m.c + i);
    s.store(m.s + i);
    (ca * s).store(m.yx + i);
    (ca * c).store(m.yy + i);
    (sa * s).store(m.zx + i);
    (sa * c).store(m.zy + i);
    (c * tx - s * ty).store(m.u + i);
    (s * tx + c * ty).store(m.v + i);
    if (kPrismatic) (tz + q[b] * Pack::load(chain.prismatic + i)).store(m.w + i);
  }
  const double* w = kPrismatic ? m.w : chain.tz;
  Col x = Col::of(1, 0, 0), y = Col::of(0, 1, 0), z = Col::of(0, 0, 1), p = Col::of(0, 0, 0);
  const int n = chain.joints;
  for (int i = 0; i < n; ++i) {
    z.store(f.z[i]);
    p.store(f.p[i]);
    p = p + ((x * m.u[i] + y * m.v[i]) + z * w[i]);
    Col x1 = x * m.c[i] + y * m.s[i];
    Col y1 = (y * m.yy[i] - x * m.yx[i]) + z * chain.sin_twist[i];
    z = (x * m.zx[i] - y * m.zy[i]) + z * chain.cos_twist[i];
    x = x1;
    y = y1;
  }
  f.rx = x;
  f.ry = y;
  f.rz = z;
  f.tip = p;
}

// Rows of the 6 x n Jacobian at the tip, linear then angular; column i is the tip's motion per unit of q_i.
template <int B>
struct JacobianRows {
  Pack row[6][B];
};

template <int B, bool kPrismatic>
ARMATURE_INLINE void jacobian_rows(const Chain& chain, const ChainFrames<B>& f, JacobianRows<B>& j) {
  Pack tx = Pack::all(f.tip.x()), ty = Pack::all(f.tip.y()), tz = Pack::all(f.tip.z());
  for (int b = 0; b < B; ++b) {
    Pack zx, zy, zz, px, py, pz;
    rows_of(f.z[4 * b], zx, zy, zz);
    rows_of(f.p[4 * b], px, py, pz);
    Pack dx = tx - px, dy = ty - py, dz = tz - pz;
    Pack lx = zy * dz - zz * dy, ly = zz * dx - zx * dz, lz = zx * dy - zy * dx;
    if (kPrismatic) {
      Pack r = Pack::load(chain.revolute + 4 * b), s = Pack::load(chain.prismatic + 4 * b);
      lx = lx * r + zx * s;
      ly = ly * r + zy * s;
      lz = lz * r + zz * s;
      zx = zx * r;
      zy = zy * r;
      zz = zz * r;
    }
    j.row[0][b] = lx;
    j.row[1][b] = ly;
    j.row[2][b] = lz;
    j.row[3][b] = zx;
    j.row[4][b] = zy;
    j.row[5][b] = zz;
  }
}
