// Class K: 2 parallel to 3, 4 meets 5. Included after candidates.inl.
//
// With C where 4 meets 5, H = R1 h, r = X E6^-1 C - o1, Y = r - R1 (o2 - o1) and K = X R6^T R5^T k4:
//   1.  H.r = h.(C - o1)                                        linear in (1, c, s) of joint 1 and of joint 6
//   2.  H.K = h.k4                                              linear in (c5, s5)
//   3.  |Y|^2 - 2 lambda Y.K - 2 mu Y.(H x K) = constant        linear in (c5, s5)
// 2 and 3 give (c5, s5), and c5^2 + s5^2 = 1 becomes Q(joint 1, joint 6) = 0. For a sampled joint 1 the two values of
// joint 6 are p +- q sqrt(d): compute with numbers x + y sqrt(d), and the product over both signs is the eliminant, a
// trigonometric polynomial of degree 8. The second eliminant samples joint 6 and takes both values of joint 1.

struct PairGoal {
  double r[3][3];     // r in (1, c6, s6)
  double k[3][3][3];  // K in [(1, c5, s5)][(1, c6, s6)]
  Target x;
};

ARMATURE_INLINE void put(const double* m, const double* v, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = (m[3 * i] * v[0] + m[3 * i + 1] * v[1]) + m[3 * i + 2] * v[2];
}
ARMATURE_INLINE double dot3(const double* a, const double* b) { return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]; }
ARMATURE_INLINE void cross3(const double* a, const double* b, double* o) {
  o[0] = a[1] * b[2] - a[2] * b[1];
  o[1] = a[2] * b[0] - a[0] * b[2];
  o[2] = a[0] * b[1] - a[1] * b[0];
}
// v turned about the unit axis k.
ARMATURE_INLINE void turn3(const double* k, double c, double s, const double* v, double* o) {
  double kv[3];
  cross3(k, v, kv);
  const double along = (1.0 - c) * dot3(k, v);
  for (int i = 0; i < 3; ++i) o[i] = (c * v[i] + s * kv[i]) + along * k[i];
}

void build_pair(const PairArm& a, const Target& x, PairGoal& g) {
  g.x = x;
  for (int i = 0; i < 3; ++i) {
    put(x.rotation, a.c6[i], g.r[i]);
    for (int j = 0; j < 3; ++j) put(x.rotation, a.k6[i][j], g.k[i][j]);
  }
  for (int i = 0; i < 3; ++i) g.r[0][i] += x.position[i] - a.origin1[i];
}

struct Root2 {  // x + y sqrt(d), d of the pack at hand
  Pack x, y;
};

template <bool kSampleLast>
__attribute__((noinline)) void sample_pair(const PairArm& a, const PairGoal& g, double* samples) {
  for (int first = 0; first < kSeries8.kCount; first += 4) {
    const Pack c = Pack::load(kSeries8.cosine + first), s = Pack::load(kSeries8.sine + first);
    const Pack zero = Pack::all(0.0);
    // Equation 1 for the joint that is not sampled: A cos + B sin = C.
    Pack A, B, C;
    {
      Pack v[3];
      for (int i = 0; i < 3; ++i) {
        const double(*m)[3] = kSampleLast ? g.r : a.h1;
        v[i] = (m[0][i] + c * Pack::all(m[1][i])) + s * Pack::all(m[2][i]);
      }
      const auto along = [&](const double* w) { return (w[0] * v[0] + w[1] * v[1]) + w[2] * v[2]; };
      const double(*m)[3] = kSampleLast ? a.h1 : g.r;
      A = along(m[1]);
      B = along(m[2]);
      C = a.height - along(m[0]);
    }
    const Pack r2 = A * A + B * B, inverse = Pack::all(1.0) / r2, del = r2 - C * C;
    const Root2 given_c{c, zero}, given_s{s, zero};
    const Root2 other_c{A * C * inverse, -B * inverse}, other_s{B * C * inverse, A * inverse};
    const Root2 c1 = kSampleLast ? other_c : given_c, s1 = kSampleLast ? other_s : given_s;
    const Root2 c6 = kSampleLast ? given_c : other_c, s6 = kSampleLast ? given_s : other_s;
    const auto mul = [&](const Root2& p, const Root2& q) {
      return Root2{p.x * q.x + del * (p.y * q.y), p.x * q.y + p.y * q.x};
    };
    const auto sub = [](const Root2& p, const Root2& q) { return Root2{p.x - q.x, p.y - q.y}; };
    const auto dot = [&](const Root2* p, const Root2* q) {
      const Root2 i = mul(p[0], q[0]), j = mul(p[1], q[1]), k = mul(p[2], q[2]);
      return Root2{(i.x + j.x) + k.x, (i.y + j.y) + k.y};
    };
    const auto combine = [](const double(*m)[3], const Root2& p, const Root2& q, Root2* o) {
      for (int i = 0; i < 3; ++i) {
        o[i].x = (m[0][i] + m[1][i] * p.x) + m[2][i] * q.x;
        o[i].y = m[1][i] * p.y + m[2][i] * q.y;
      }
    };
    Root2 H[3], Y[3], D[3], k[3][3], Z[3];
    combine(a.h1, c1, s1, H);
    combine(a.d1, c1, s1, D);
    combine(g.r, c6, s6, Y);
    for (int i = 0; i < 3; ++i) Y[i] = sub(Y[i], D[i]);
    for (int i = 0; i < 3; ++i) combine(g.k[i], c6, s6, k[i]);
    const Pack lambda = Pack::all(-2.0 * a.lambda), mu = Pack::all(-2.0 * a.mu);
    for (int i = 0; i < 3; ++i) {
      const int p = (i + 1) % 3, q = (i + 2) % 3;
      const Root2 turn = sub(mul(Y[p], H[q]), mul(Y[q], H[p]));
      Z[i] = {lambda * Y[i].x + mu * turn.x, lambda * Y[i].y + mu * turn.y};
    }
    const Root2 a2 = dot(H, k[1]), b2 = dot(H, k[2]), h0 = dot(H, k[0]);
    const Root2 a3 = dot(Z, k[1]), b3 = dot(Z, k[2]), z0 = dot(Z, k[0]), yy = dot(Y, Y);
    const Root2 d2{a.slope - h0.x, -h0.y}, d3{-((yy.x + Pack::all(a.rest)) + z0.x), -(yy.y + z0.y)};
    const Root2 x = sub(mul(d2, b3), mul(d3, b2)), y = sub(mul(a2, d3), mul(a3, d2)), z = sub(mul(a2, b3), mul(a3, b2));
    const Root2 xx = mul(x, x), y2 = mul(y, y), zz = mul(z, z);
    const Pack U = (xx.x + y2.x) - zz.x, V = (xx.y + y2.y) - zz.y;
    ((r2 * r2) * (U * U - del * (V * V))).store(samples + first);
  }
}

// All poses for one pair of joints 1 and 6; `loose`: equation 3 is not held to, for roots that are nearly double.
void back_pair_one(const PairArm& a, const PairGoal& g, double c1, double s1, double c6, double s6, double tolerance,
                   bool loose, bool mirrored, int root, Candidates& out) {
  double H[3], D[3], Y[3], k[3][3], Z[3], YH[3];
  for (int i = 0; i < 3; ++i) {
    H[i] = (a.h1[0][i] + c1 * a.h1[1][i]) + s1 * a.h1[2][i];
    D[i] = (a.d1[0][i] + c1 * a.d1[1][i]) + s1 * a.d1[2][i];
    Y[i] = (g.r[0][i] + c6 * g.r[1][i]) + s6 * g.r[2][i] - D[i];
    for (int j = 0; j < 3; ++j) k[j][i] = (g.k[j][0][i] + c6 * g.k[j][1][i]) + s6 * g.k[j][2][i];
  }
  cross3(Y, H, YH);
  for (int i = 0; i < 3; ++i) Z[i] = -2.0 * (a.lambda * Y[i] + a.mu * YH[i]);
  const double a2 = dot3(H, k[1]), b2 = dot3(H, k[2]), d2 = a.slope - dot3(H, k[0]);
  const double a3 = dot3(Z, k[1]), b3 = dot3(Z, k[2]), d3 = -((dot3(Y, Y) + a.rest) + dot3(Z, k[0]));
  const double x = d2 * b3 - d3 * b2, y = a2 * d3 - a3 * d2, z = a2 * b3 - a3 * b2;
  double c5[2], s5[2];
  int n = 0;
  const auto linear = [&](double slack, double check) {
    const double r2 = a2 * a2 + b2 * b2, d = r2 - d2 * d2, r = __builtin_sqrt(r2);
    if (!(r > 0.0) || (d < 0.0 && __builtin_fabs(d2) - r > slack)) return;
    const double c = d < 0.0 ? (d2 > 0.0 ? r : -r) : d2, root2 = d < 0.0 ? 0.0 : __builtin_sqrt(d);
    for (int sign = -1; sign <= 1; sign += 2) {
      const double cc = (a2 * c - sign * b2 * root2) / r2, ss = (b2 * c + sign * a2 * root2) / r2;
      if (!(__builtin_fabs(a3 * cc + b3 * ss - d3) < check)) continue;
      c5[n] = cc;
      s5[n++] = ss;
      if (root2 == 0.0) return;
    }
  };
  if (loose) {
    linear(1e-3, 1e9);
  } else if (z * z > 1e-10 * (a2 * a2 + b2 * b2) * (a3 * a3 + b3 * b3)) {
    c5[0] = x / z;
    s5[0] = y / z;
    const double size = __builtin_sqrt(c5[0] * c5[0] + s5[0] * s5[0]);
    if (__builtin_fabs(size - 1.0) < tolerance) {
      c5[0] /= size;
      s5[0] /= size;
      n = 1;
    }
  } else {
    linear(1e-6, 1e-2);
  }
  for (int i = 0; i < n; ++i) {
    double K[3], y1[3], k1[3], e[3], t[3], f[3], side[3];
    for (int j = 0; j < 3; ++j) K[j] = (k[0][j] + c5[i] * k[1][j]) + s5[i] * k[2][j];
    turn3(a.axis[0], c1, -s1, Y, y1);
    turn3(a.axis[0], c1, -s1, K, k1);
    cross3(a.along4, k1, t);
    double cf = dot3(a.along4, k1), sf = dot3(a.h, t);
    const double mf = __builtin_sqrt(cf * cf + sf * sf);
    if (!(mf > 0.0)) continue;
    cf /= mf;
    sf /= mf;
    turn3(a.h, cf, sf, a.u, t);
    for (int j = 0; j < 3; ++j) e[j] = y1[j] - t[j];
    cross3(a.n, e, t);
    double c2 = dot3(a.n, e), s2 = dot3(a.h, t);
    const double m2 = __builtin_sqrt(c2 * c2 + s2 * s2);
    if (!(m2 > 0.0)) continue;
    c2 /= m2;
    s2 /= m2;
    // Joint 4: what is left of x of frame 4 (any direction across axis 4).
    const double* k4 = a.axis[3];
    const double pick[3] = {__builtin_fabs(k4[0]) < 0.6 ? 1.0 : 0.0, __builtin_fabs(k4[0]) < 0.6 ? 0.0 : 1.0, 0.0};
    const double along = dot3(pick, k4);
    for (int j = 0; j < 3; ++j) side[j] = pick[j] - along * k4[j];
    turn3(a.axis[4], c5[i], -s5[i], side, t);
    turn3(a.axis[5], c6, -s6, t, f);
    put(g.x.rotation, f, t);
    turn3(a.axis[0], c1, -s1, t, f);
    turn3(a.h, cf, -sf, f, t);
    cross3(side, t, f);
    double c4 = dot3(side, t), s4 = dot3(k4, f);
    const double c[6] = {c1, c2, cf * c2 + sf * s2, c4, c5[i], c6};
    const double s[6] = {s1, s2, a.sign3 * (sf * c2 - cf * s2), s4, s5[i], s6};
    out.add(c, s, mirrored, root);
  }
}

// Poses for one root of the eliminant.
template <bool kSampleLast>
void back_pair(const PairArm& a, const PairGoal& g, double angle, double tolerance, bool loose, bool mirrored, int root,
               Candidates& out) {
  double s, c, v[3];
  sincos_one(angle, s, c);
  const double(*m)[3] = kSampleLast ? g.r : a.h1;
  for (int i = 0; i < 3; ++i) v[i] = (m[0][i] + c * m[1][i]) + s * m[2][i];
  const double(*w)[3] = kSampleLast ? a.h1 : g.r;
  const double A = dot3(w[1], v), B = dot3(w[2], v), C = a.height - dot3(w[0], v), r2 = A * A + B * B;
  double d = r2 - C * C;
  if (!(r2 > 0.0) || d < -1e-3 * r2) return;
  const double root2 = d > 0.0 ? __builtin_sqrt(d) : 0.0;
  for (int sign = -1; sign <= 1; sign += 2) {
    double co = A * C - sign * B * root2, so = B * C + sign * A * root2;
    const double size = __builtin_sqrt(co * co + so * so);
    if (!(size > 0.0)) continue;
    co /= size;
    so /= size;
    if (kSampleLast) {
      back_pair_one(a, g, co, so, c, s, tolerance, loose, mirrored, root, out);
    } else {
      back_pair_one(a, g, c, s, co, so, tolerance, loose, mirrored, root, out);
    }
    if (root2 == 0.0) return;
  }
}

// Roots of one eliminant of the class.
template <bool kSampleLast>
void roots_pair(const SixArm& arm, const PairGoal& g, Roots& roots, double& noise) {
  alignas(64) double samples[kSeries8.kCount];
  sample_pair<kSampleLast>(arm.pair, g, samples);
  Series<SeriesTables<8, 24>> series(kSeries8);
  series.read(samples);
  noise = series.largest > 0.0 ? series.noise / series.largest : 1.0;
  series.roots(roots);
}

// The poses of its roots.
template <bool kSampleLast>
void poses_pair(const SixArm& arm, const Target& goal, const PairGoal& g, const Roots& roots, SixAnswers& out) {
  const int sampled = (kSampleLast != arm.mirrored) ? 5 : 0;
  bool settled[kMaxRoots] = {};
  Candidates list;
  for (int i = 0; i < roots.count; ++i) {
    back_pair<kSampleLast>(arm.pair, g, roots.angle[i], roots.twin[i] ? 0.2 : 1e-2, false, arm.mirrored, i, list);
  }
  settle(arm, goal, list, roots, sampled, 8, out, settled);
  list.count = 0;
  for (int i = 0; i < roots.count; ++i) {
    if (!settled[i]) back_pair<kSampleLast>(arm.pair, g, roots.angle[i], 0.0, true, arm.mirrored, i, list);
  }
  if (list.count > 0) settle(arm, goal, list, roots, sampled, 12, out, settled);
  for (int i = 0; i < roots.count; ++i) out.dropped += settled[i] ? 0 : 1;
}
