// Four candidate poses of the true arm side by side: their distance from the goal, and Newton's method. Included after
// lanes.inl.

struct Target {
  double rotation[9];
  double position[3];  // units
};

struct Walk {
  Vec z[6], p[6];       // axes and points on them
  Vec rx, ry, rz, tip;  // of the tip
};

ARMATURE_INLINE void walk_six(const SixArm& arm, const Turn* t, Walk& w) {
  const double* b = arm.link[0];
  Vec x{Pack::all(b[0]), Pack::all(b[3]), Pack::all(b[6])}, y{Pack::all(b[1]), Pack::all(b[4]), Pack::all(b[7])},
      z{Pack::all(b[2]), Pack::all(b[5]), Pack::all(b[8])}, p{Pack::all(b[9]), Pack::all(b[10]), Pack::all(b[11])};
  for (int i = 0; i < 6; ++i) {
    w.z[i] = z;
    w.p[i] = p;
    const Vec x1 = x * t[i].c + y * t[i].s, y1 = y * t[i].c - x * t[i].s;
    b = arm.link[i + 1];
    p = p + ((x1 * Pack::all(b[9]) + y1 * Pack::all(b[10])) + z * Pack::all(b[11]));
    x = (x1 * Pack::all(b[0]) + y1 * Pack::all(b[3])) + z * Pack::all(b[6]);
    y = (x1 * Pack::all(b[1]) + y1 * Pack::all(b[4])) + z * Pack::all(b[7]);
    z = (x1 * Pack::all(b[2]) + y1 * Pack::all(b[5])) + z * Pack::all(b[8]);
  }
  w.rx = x;
  w.ry = y;
  w.rz = z;
  w.tip = p;
}

// e = (translation, half the skew part of goal * actual^T); the size of e, or 9 where the rotation is off by more than
// a right angle, where the skew part says nothing.
ARMATURE_INLINE Pack error_of(const Target& goal, const Walk& w, Vec& d, Vec& r) {
  d = Vec::all(goal.position) - w.tip;
  const double* g = goal.rotation;
  // Columns of goal and actual rotation: the skew part is the sum of actual column x goal column, halved.
  const Vec gx{Pack::all(g[0]), Pack::all(g[3]), Pack::all(g[6])},
      gy{Pack::all(g[1]), Pack::all(g[4]), Pack::all(g[7])}, gz{Pack::all(g[2]), Pack::all(g[5]), Pack::all(g[8])};
  r = ((cross(w.rx, gx) + cross(w.ry, gy)) + cross(w.rz, gz)) * Pack::all(0.5);
  const Pack trace = (dot(w.rx, gx) + dot(w.ry, gy)) + dot(w.rz, gz);
  return select(trace > 1.0, sqrt(dot(d, d) + dot(r, r)), Pack::all(9.0));
}

ARMATURE_INLINE Pack residual_of(const SixArm& arm, const Target& goal, const Turn* t) {
  Walk w;
  walk_six(arm, t, w);
  Vec d, r;
  return error_of(goal, w, d, r);
}

// Solves four 6 x 6 systems by rows swapped lane by lane; b becomes the answer.
ARMATURE_INLINE void solve_lanes(Pack A[6][6], Pack* b) {
  for (int k = 0; k < 6; ++k) {
    for (int r = k + 1; r < 6; ++r) {
      const Mask m = abs(A[r][k]) > abs(A[k][k]);
      if (!any(m)) continue;
      for (int c = k; c < 6; ++c) {
        const Pack t = select(m, A[r][c], A[k][c]);
        A[r][c] = select(m, A[k][c], A[r][c]);
        A[k][c] = t;
      }
      const Pack t = select(m, b[r], b[k]);
      b[r] = select(m, b[k], b[r]);
      b[k] = t;
    }
    A[k][k] = select(abs(A[k][k]) < 1e-14, with_sign(Pack::all(1e-14), A[k][k]), A[k][k]);
    const Pack inverse = Pack::all(1.0) / A[k][k];
    for (int r = k + 1; r < 6; ++r) {
      const Pack f = A[r][k] * inverse;
      for (int c = k + 1; c < 6; ++c) A[r][c] = A[r][c] - f * A[k][c];
      b[r] = b[r] - f * b[k];
    }
    A[k][k] = inverse;
  }
  for (int k = 5; k >= 0; --k) {
    for (int c = k + 1; c < 6; ++c) b[k] = b[k] - A[k][c] * b[c];
    b[k] = b[k] * A[k][k];
  }
}

// Newton from q (lanes of `wanted`); q becomes the best pose seen, the return value its error. Steps are held below
// half a radian.
__attribute__((noinline)) void refine(const SixArm& arm, const Target& goal, Pack* q, Pack& best, int iterations) {
  Pack trial[6];
  for (int i = 0; i < 6; ++i) trial[i] = q[i];
  best = Pack::all(1e9);
  Mask active = Pack::all(1.0) > 0.0;
  for (int n = 0; n <= iterations; ++n) {
    Turn t[6];
    for (int i = 0; i < 6; ++i) sincos(trial[i], t[i].s, t[i].c);
    Walk w;
    walk_six(arm, t, w);
    Vec d, r;
    const Pack error = error_of(goal, w, d, r);
    const Mask better = active & (error < best);
    for (int i = 0; i < 6; ++i) q[i] = select(better, trial[i], q[i]);
    // Done: exact, or at the bottom where rounding decides; or, far out, no better for once.
    active = active & (error > 1e-14) & (error < Pack::all(4.0)) & (better | (error > 1e-12)) &
             ~((best < 1e-12) & (error > Pack::all(0.5) * best));
    best = select(better, error, best);
    if (!any(active) || n == iterations) return;
    Pack A[6][6], b[6] = {d.x, d.y, d.z, r.x, r.y, r.z};
    for (int i = 0; i < 6; ++i) {
      const Vec v = cross(w.z[i], w.tip - w.p[i]);
      A[0][i] = v.x;
      A[1][i] = v.y;
      A[2][i] = v.z;
      A[3][i] = w.z[i].x;
      A[4][i] = w.z[i].y;
      A[5][i] = w.z[i].z;
    }
    solve_lanes(A, b);
    Pack largest = abs(b[0]);
    for (int i = 1; i < 6; ++i) largest = max(largest, abs(b[i]));
    const Pack scale = select(largest > 0.5, Pack::all(0.5) / largest, Pack::all(1.0));
    for (int i = 0; i < 6; ++i) trial[i] = select(active, trial[i] + b[i] * scale, trial[i]);
  }
}

// Angles to (-pi, pi].
ARMATURE_INLINE Pack wrapped(Pack a) {
  const double kMagic = 6755399441055744.0;
  const Pack n = (a * Pack::all(0.15915494309189535) + Pack::all(kMagic)) - kMagic;
  return (a - n * Pack::all(6.283185307179586)) - n * Pack::all(2.4492935982947064e-16);
}
