// Candidate poses of an eliminant's roots, made exact on the true arm four at a time and told apart. Included after
// series.inl.

constexpr int kMaxCandidates = 96;
constexpr double kAccepted = 1e-10;  // error of an answer, units and radians
constexpr double kSame = 1e-6;       // answers nearer than this are one

struct Candidates {
  int count = 0;
  alignas(64) double c[6][kMaxCandidates], s[6][kMaxCandidates];  // of the arm's own joints
  int root[kMaxCandidates];

  // `mirrored` turns the order of joints round.
  void add(const double* cosines, const double* sines, bool mirrored, int from_root) {
    if (count == kMaxCandidates) return;
    for (int j = 0; j < 6; ++j) {
      const int k = mirrored ? 5 - j : j;
      c[k][count] = cosines[j];
      s[k][count] = sines[j];
    }
    root[count++] = from_root;
  }
};

ARMATURE_INLINE double wrapped_one(double a) {
  const double kMagic = 6755399441055744.0;
  const double n = (a * 0.15915494309189535 + kMagic) - kMagic;
  return a - n * 6.283185307179586;
}

ARMATURE_INLINE int find_same(const SixAnswers& out, const double* q, double same) {
  for (int k = 0; k < out.count; ++k) {
    double away = 0.0;
    for (int j = 0; j < 6; ++j) away = larger(away, __builtin_fabs(wrapped_one(q[j] - out.q[k][j])));
    if (away < same) return k;
  }
  return -1;
}

// Damped least squares for one pose where Newton's steps do not settle: at and near singular poses.
__attribute__((noinline)) void refine_damped(const SixArm& arm, const Target& goal, Pack* q, Pack& error,
                                             int iterations) {
  Pack damping = Pack::all(1e-3) * error;
  for (int n = 0; n < iterations && any(error > kAccepted); ++n) {
    Turn t[6];
    for (int i = 0; i < 6; ++i) sincos(q[i], t[i].s, t[i].c);
    Walk w;
    walk_six(arm, t, w);
    Vec d, r;
    error_of(goal, w, d, r);
    Vec lever[6];
    for (int i = 0; i < 6; ++i) lever[i] = cross(w.z[i], w.tip - w.p[i]);
    Pack A[6][6], b[6];
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) A[i][j] = dot(lever[i], lever[j]) + dot(w.z[i], w.z[j]);
      A[i][i] = A[i][i] + damping;
      b[i] = dot(lever[i], d) + dot(w.z[i], r);
    }
    solve_lanes(A, b);
    Pack largest = abs(b[0]);
    for (int i = 1; i < 6; ++i) largest = max(largest, abs(b[i]));
    const Pack scale = select(largest > 0.5, Pack::all(0.5) / largest, Pack::all(1.0));
    Pack trial[6];
    for (int i = 0; i < 6; ++i) {
      trial[i] = q[i] + b[i] * scale;
      sincos(trial[i], t[i].s, t[i].c);
    }
    const Pack now = residual_of(arm, goal, t);
    const Mask better = now < error;
    for (int i = 0; i < 6; ++i) q[i] = select(better, trial[i], q[i]);
    error = select(better, now, error);
    damping = select(better, Pack::all(0.1) * damping, Pack::all(10.0) * damping);
    damping = max(damping, Pack::all(1e-16));
  }
}

// Newton on all candidates; what converges and is new goes to `out`. settled[root] becomes true where a candidate
// converged to a pose whose `sampled` joint is the root's.
__attribute__((noinline)) void settle(const SixArm& arm, const Target& goal, Candidates& list, const Roots& roots,
                                      int sampled, int iterations, SixAnswers& out, bool* settled) {
  for (int first = 0; first < list.count; first += 4) {
    for (int k = list.count; k < first + 4; ++k) {
      for (int j = 0; j < 6; ++j) {
        list.c[j][k] = list.c[j][list.count - 1];
        list.s[j][k] = list.s[j][list.count - 1];
      }
    }
    Pack q[6], error;
    for (int j = 0; j < 6; ++j) q[j] = atan2(Pack::load(list.s[j] + first), Pack::load(list.c[j] + first));
    refine(arm, goal, q, error, iterations);
    if (any((error > kAccepted) & (error < 0.3))) {
      refine_damped(arm, goal, q, error, 12);
      refine(arm, goal, q, error, 4);
    }
    alignas(32) double value[6][4], size[4];
    for (int j = 0; j < 6; ++j) wrapped(q[j]).store(value[j]);
    error.store(size);
    for (int lane = 0; lane < 4 && first + lane < list.count; ++lane) {
      if (!(size[lane] < kAccepted)) continue;
      double pose[6];
      for (int j = 0; j < 6; ++j) pose[j] = value[j][lane];
      const int root = list.root[first + lane];
      const double near = roots.twin[root] ? 0.1 : 1e-3;
      if (__builtin_fabs(wrapped_one(pose[sampled] - roots.angle[root])) < near) settled[root] = true;
      if (find_same(out, pose, kSame) >= 0 || out.count == kMaxSixAnswers) continue;
      for (int j = 0; j < 6; ++j) out.q[out.count][j] = pose[j];
      out.residual[out.count++] = size[lane];
    }
  }
}
