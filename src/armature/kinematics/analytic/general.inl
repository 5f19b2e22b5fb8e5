// Class G: any arm of six revolute joints, after Raghavan and Roth (1990). Included after pair.inl.
//
// For a line of direction l through p let x = (l, p, p x l, (p.p) l - 2 (p.l) p, p.l, p.p, 1): rigid motions act on x
// linearly, and "both ways round the loop take the line of one axis to the same place" is 14 equations. Left: products
// of (1, cos, sin) of the eliminated pair u, v, the arm's alone; its left null space leaves six equations in the three
// kept joints, made once per arm. The middle kept joint is written as b = (1, cos, sin), the first as x = tan(half):
// six equations S2 x^2 b + S1 x b + S0 b = 0. Dixon's doubling gives a 12 x 12 matrix whose determinant, the eliminant,
// is a trigonometric polynomial of degree 8 in the last kept joint: 16 roots, none false.

struct GeneralGoal {
  double c[3][6][9];   // equations in [(1, cos, sin) of the sampled joint][row][x^2 b | x b | b]
  double step[3][12];  // motions before each kept joint, goal included
  Target x;
};

ARMATURE_INLINE void compose(const double* a, const double* b, double* o) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) o[3 * i + j] = (a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j]) + a[3 * i + 2] * b[6 + j];
    o[9 + i] = ((a[3 * i] * b[9] + a[3 * i + 1] * b[10]) + a[3 * i + 2] * b[11]) + a[9 + i];
  }
}
ARMATURE_INLINE void invert(const double* a, double* o) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) o[3 * i + j] = a[3 * j + i];
  }
  for (int i = 0; i < 3; ++i) o[9 + i] = -((a[i] * a[9] + a[3 + i] * a[10]) + a[6 + i] * a[11]);
}

// The line's coordinates after a rigid motion; linear in x, so it serves parts of sums, too.
ARMATURE_INLINE void move_line(const double* T, const double* x, double* y) {
  double m[3], tl[3], tm[3];
  put(T, x, y);
  put(T, x + 3, y + 3);
  put(T, x + 6, m);
  put(T, x + 9, y + 9);
  const double* t = T + 9;
  const double tt = dot3(t, t), along = dot3(t, y), one = x[14];
  cross3(t, y, tl);
  cross3(t, m, tm);
  const double both = -2.0 * (x[12] + along);
  y[13] = x[13] + 2.0 * dot3(t, y + 3) + tt * one;
  for (int i = 0; i < 3; ++i) {
    y[3 + i] += t[i] * one;
    y[6 + i] = m[i] + tl[i];
    y[9 + i] = y[9 + i] - 2.0 * tm[i] + both * t[i] + tt * y[i];
  }
  y[12] = x[12] + along;
  y[14] = one;
}
// x turned about z, in (1, cos, sin).
ARMATURE_INLINE void split_line(const double* x, double sign, double o[3][15]) {
  for (int i = 0; i < 15; ++i) o[0][i] = o[1][i] = o[2][i] = 0.0;
  for (int b = 0; b < 12; b += 3) {
    o[0][b + 2] = x[b + 2];
    o[1][b] = x[b];
    o[1][b + 1] = x[b + 1];
    o[2][b] = -sign * x[b + 1];
    o[2][b + 1] = sign * x[b];
  }
  o[0][12] = x[12];
  o[0][13] = x[13];
  o[0][14] = x[14];
}

void build_general(const GeneralArm& a, const Target& x, GeneralGoal& g) {
  g.x = x;
  double goal[12];
  for (int i = 0; i < 9; ++i) goal[i] = x.rotation[i];
  for (int i = 0; i < 3; ++i) goal[9 + i] = x.position[i];
  if (a.goal_inverse) {
    double inverse[12];
    invert(goal, inverse);
    for (int i = 0; i < 12; ++i) goal[i] = inverse[i];
  }
  for (int i = 0; i < 3; ++i) {
    if (a.goal_at == i) {
      double t[12];
      compose(a.before[i], goal, t);
      compose(t, a.after[i], g.step[i]);
    } else {
      compose(a.before[i], a.after[i], g.step[i]);
    }
  }
  double y[15], first[3][15], Q[9][15];
  move_line(g.step[0], a.line0, y);
  split_line(y, a.turn_kept, first);
  for (int i = 0; i < 3; ++i) {
    double z[15], second[3][15];
    move_line(g.step[1], first[i], z);
    split_line(z, a.turn_kept, second);
    for (int j = 0; j < 3; ++j) move_line(g.step[2], second[j], Q[a.swap ? 3 * j + i : 3 * i + j]);
  }
  // (1, c, s) of the first joint to x^2, x, 1: const - cos, 2 sin, const + cos.
  double U[14][12] = {};
  for (int b = 0; b < 3; ++b) {
    for (int k = 0; k < 14; ++k) {
      U[k][b] = Q[b][k] - Q[3 + b][k];
      U[k][3 + b] = 2.0 * Q[6 + b][k];
      U[k][6 + b] = Q[b][k] + Q[3 + b][k];
    }
  }
  for (int r = 0; r < 6; ++r) {
    const double* n = a.equations[r];
    for (int half = 0; half < 12; half += 4) {
      const auto row = [&](int k) { return load_anywhere(U[k] + half); };
      Pack k0 = n[12] * row(12) + n[13] * row(13), kc = Pack::all(0.0), ks = Pack::all(0.0);
      for (int t = 0; t < 12; t += 3) {
        const Pack ux = row(t), uy = row(t + 1);
        k0 = k0 + n[t + 2] * row(t + 2);
        kc = kc + (n[t] * ux + n[t + 1] * uy);
        ks = ks + (n[t + 1] * ux - n[t] * uy);
      }
      alignas(32) double out[3][4];
      k0.store(out[0]);
      kc.store(out[1]);
      (a.turn_kept * ks).store(out[2]);
      for (int c = half; c < half + 4 && c < 9; ++c) {
        for (int m = 0; m < 3; ++m) g.c[m][r][c] = out[m][c - half];
      }
    }
    g.c[0][r][0] -= a.constant[r];
    g.c[0][r][6] -= a.constant[r];
  }
}

// Rows k + 1 ... of a column bubble their largest entry to row k, lane by lane; d changes sign with each swap.
template <int kRows, int kColumns>
ARMATURE_INLINE void pivot(Pack Z[kRows][kColumns], int k, Pack& d) {
  for (int r = k + 1; r < kRows; ++r) {
    const Mask m = abs(Z[r][k]) > abs(Z[k][k]);
    for (int c = k; c < kColumns; ++c) {
      const Pack t = select(m, Z[r][c], Z[k][c]);
      Z[r][c] = select(m, Z[k][c], Z[r][c]);
      Z[k][c] = t;
    }
    d = select(m, -d, d);
  }
}
// Eliminates the first `kCount` columns; returns the product of the pivots with the sign of the swaps.
template <int kRows, int kColumns, int kCount>
ARMATURE_INLINE Pack eliminate(Pack Z[kRows][kColumns]) {
  Pack d = Pack::all(1.0);
  for (int k = 0; k < kCount; ++k) {
    pivot<kRows, kColumns>(Z, k, d);
    d = d * Z[k][k];
    const Pack inverse = Pack::all(1.0) / select(abs(Z[k][k]) < 1e-300, Pack::all(1e-300), Z[k][k]);
    for (int r = k + 1; r < kRows; ++r) {
      const Pack f = Z[r][k] * inverse;
      for (int c = k + 1; c < kColumns; ++c) Z[r][c] = Z[r][c] - f * Z[k][c];
    }
  }
  return d;
}

// The 6 x 6 that is left of the 12 x 12 when S2 is eliminated from one copy of the equations and S0 from the other;
// returns the product of the pivots.
ARMATURE_INLINE Pack reduced(const GeneralGoal& g, Pack c, Pack s, Pack D[6][6]) {
  Pack Z[6][9], Y[6][9];
  for (int r = 0; r < 6; ++r) {
    for (int k = 0; k < 9; ++k) Z[r][k] = (g.c[0][r][k] + g.c[1][r][k] * c) + g.c[2][r][k] * s;
    for (int k = 0; k < 3; ++k) {
      Y[r][k] = Z[r][6 + k];
      Y[r][3 + k] = Z[r][3 + k];
      Y[r][6 + k] = Z[r][k];
    }
  }
  const Pack d = eliminate<6, 9, 3>(Z) * eliminate<6, 9, 3>(Y);
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k < 3; ++k) {
      D[r][k] = Z[3 + r][3 + k];
      D[r][3 + k] = Z[3 + r][6 + k];
      D[3 + r][k] = Y[3 + r][6 + k];
      D[3 + r][3 + k] = Y[3 + r][3 + k];
    }
  }
  return d;
}

__attribute__((noinline)) void sample_general(const GeneralGoal& g, double* samples) {
  for (int first = 0; first < kSeries8.kCount; first += 4) {
    Pack D[6][6];
    const Pack d = reduced(g, Pack::load(kSeries8.cosine + first), Pack::load(kSeries8.sine + first), D);
    (d * eliminate<6, 6, 6>(D)).store(samples + first);
  }
}

// The other five joints for four roots: null vector of the 6 x 6 by complete pivoting, lane by lane.
__attribute__((noinline)) void back_general(const SixArm&, const GeneralArm& a, const GeneralGoal& g,
                                            const double* angles, const int* root, int count, Candidates& out) {
  Turn t3;
  sincos(load_anywhere(angles), t3.s, t3.c);
  Pack D[6][6];
  reduced(g, t3.c, t3.s, D);
  Pack order[6];
  for (int k = 0; k < 6; ++k) order[k] = Pack::all(double(k));
  for (int k = 0; k < 5; ++k) {
    Pack best = Pack::all(-1.0), row = Pack::all(double(k)), column = row;
    for (int r = k; r < 6; ++r) {
      for (int c = k; c < 6; ++c) {
        const Mask m = abs(D[r][c]) > best;
        best = select(m, abs(D[r][c]), best);
        row = select(m, Pack::all(double(r)), row);
        column = select(m, Pack::all(double(c)), column);
      }
    }
    const auto is = [](Pack p, int n) { return (p > double(n) - 0.5) & (p < double(n) + 0.5); };
    for (int r = k + 1; r < 6; ++r) {
      const Mask m = is(row, r);
      if (!any(m)) continue;
      for (int c = k; c < 6; ++c) {
        const Pack t = select(m, D[r][c], D[k][c]);
        D[r][c] = select(m, D[k][c], D[r][c]);
        D[k][c] = t;
      }
    }
    for (int c = k + 1; c < 6; ++c) {
      const Mask m = is(column, c);
      if (!any(m)) continue;
      for (int r = 0; r < 6; ++r) {
        const Pack t = select(m, D[r][c], D[r][k]);
        D[r][c] = select(m, D[r][k], D[r][c]);
        D[r][k] = t;
      }
      const Pack t = select(m, order[c], order[k]);
      order[c] = select(m, order[k], order[c]);
      order[k] = t;
    }
    const Pack inverse = Pack::all(1.0) / select(abs(D[k][k]) < 1e-300, Pack::all(1e-300), D[k][k]);
    for (int r = k + 1; r < 6; ++r) {
      const Pack f = D[r][k] * inverse;
      for (int c = k + 1; c < 6; ++c) D[r][c] = D[r][c] - f * D[k][c];
    }
  }
  Pack y[6], z[6];
  y[5] = Pack::all(1.0);
  for (int k = 4; k >= 0; --k) {
    Pack sum = Pack::all(0.0);
    for (int c = k + 1; c < 6; ++c) sum = sum - D[k][c] * y[c];
    y[k] = sum / select(abs(D[k][k]) < 1e-300, Pack::all(1e-300), D[k][k]);
  }
  for (int k = 0; k < 6; ++k) {
    z[k] = Pack::all(0.0);
    for (int i = 0; i < 6; ++i) {
      z[k] = z[k] + keep_where((order[i] > double(k) - 0.5) & (order[i] < double(k) + 0.5), y[i]);
    }
  }
  // z = (x b, b) times a number: the larger half gives b, both give x.
  const Pack nx = (z[0] * z[0] + z[1] * z[1]) + z[2] * z[2], nb = (z[3] * z[3] + z[4] * z[4]) + z[5] * z[5];
  const Pack xb = (z[0] * z[3] + z[1] * z[4]) + z[2] * z[5];
  const Mask lower = nb >= nx;
  const Pack up = select(lower, xb, nx), down = select(lower, nb, xb);
  const auto normal = [](Pack c, Pack s) {
    const Pack scale = Pack::all(1.0) / sqrt(max(c * c + s * s, Pack::all(1e-300)));
    return Turn{c * scale, s * scale};
  };
  const Turn half = normal(down, up);  // up / down = tan of half the first joint
  const Turn outer{half.c * half.c - half.s * half.s, Pack::all(2.0) * half.c * half.s};
  const Pack b0 = select(lower, z[3], z[0]), b1 = select(lower, z[4], z[1]), b2 = select(lower, z[5], z[2]);
  const Turn inner = normal(with_sign(Pack::all(1.0), b0) * b1, with_sign(Pack::all(1.0), b0) * b2);
  Turn t[6];
  const Turn kept[3] = {a.swap ? inner : outer, a.swap ? outer : inner, t3};
  // The line as the kept joints carry it, then the pair.
  Vec l = Vec::all(a.line0), p = Vec::all(a.line0 + 3), m = Vec::all(a.line0 + 6), w = Vec::all(a.line0 + 9);
  Pack pl = Pack::all(a.line0[12]), pp = Pack::all(a.line0[13]);
  for (int i = 0; i < 3; ++i) {
    const double* T = g.step[i];
    l = times(T, l);
    p = times(T, p);
    m = times(T, m);
    w = times(T, w);
    const Vec shift = Vec::all(T + 9);
    const Pack tt = dot(shift, shift), along = dot(shift, l);
    pp = (pp + Pack::all(2.0) * dot(shift, p)) + tt;
    w = ((w - cross(shift, m) * Pack::all(2.0)) + shift * (Pack::all(-2.0) * (pl + along))) + l * tt;
    p = p + shift;
    m = m + cross(shift, l);
    pl = pl + along;
    const Turn turn{kept[i].c, a.turn_kept * kept[i].s};
    l = turned(turn, l);
    p = turned(turn, p);
    m = turned(turn, m);
    w = turned(turn, w);
    t[a.kept[i]] = kept[i];
  }
  const Pack x[14] = {l.x, l.y, l.z, p.x, p.y, p.z, m.x, m.y, m.z, w.x, w.y, w.z, pl, pp};
  Pack pair[4];
  for (int i = 0; i < 4; ++i) {
    pair[i] = Pack::all(0.0);
    for (int k = 0; k < 14; ++k) pair[i] = pair[i] + a.solve_pair[i][k] * (x[k] - a.left0[k]);
  }
  t[a.v] = normal(pair[0], pair[1]);
  t[a.u] = normal(pair[2], pair[3]);
  // The joint of the line closes the loop: x of its frame through all the others.
  Vec side{Pack::all(a.frame[a.line][0]), Pack::all(a.frame[a.line][3]), Pack::all(a.frame[a.line][6])};
  const auto about = [&](int i, const Vec& v) {
    return times(a.frame[i], turned_back(t[i], times_transposed(a.frame[i], v)));
  };
  for (int i = a.line + 1; i < 6; ++i) side = about(i, side);
  side = times(g.x.rotation, side);
  for (int i = 0; i < a.line; ++i) side = about(i, side);
  side = times_transposed(a.frame[a.line], side);
  t[a.line] = normal(side.x, side.y);
  alignas(32) double c[6][4], s[6][4];
  for (int j = 0; j < 6; ++j) {
    t[j].c.store(c[j]);
    t[j].s.store(s[j]);
  }
  for (int lane = 0; lane < count; ++lane) {
    double cs[6], ss[6];
    for (int j = 0; j < 6; ++j) {
      cs[j] = c[j][lane];
      ss[j] = s[j][lane];
    }
    out.add(cs, ss, false, root[lane]);
  }
}

// Roots of one eliminant.
void roots_general(const GeneralArm& a, const Target& x, GeneralGoal& g, Roots& roots, double& noise) {
  build_general(a, x, g);
  alignas(64) double samples[kSeries8.kCount];
  sample_general(g, samples);
  Series<SeriesTables<8, 24>> series(kSeries8);
  series.read(samples);
  noise = series.largest > 0.0 ? series.noise / series.largest : 1.0;
  series.roots(roots);
}

// The poses of its roots.
void poses_general(const SixArm& arm, const GeneralArm& a, const Target& goal, const GeneralGoal& g, const Roots& roots,
                   SixAnswers& out) {
  bool settled[kMaxRoots] = {};
  Candidates list;
  for (int first = 0; first < roots.count; first += 4) {
    double angle[4];
    int root[4];
    for (int k = 0; k < 4; ++k) {
      root[k] = first + k < roots.count ? first + k : roots.count - 1;
      angle[k] = roots.angle[root[k]];
    }
    back_general(arm, a, g, angle, root, roots.count - first < 4 ? roots.count - first : 4, list);
  }
  settle(arm, goal, list, roots, a.kept[2], 8, out, settled);
  for (int i = 0; i < roots.count; ++i) out.dropped += settled[i] ? 0 : 1;
}
