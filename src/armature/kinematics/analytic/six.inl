// All answers of an arm of six revolute joints, whatever its class. Included last, after general.inl.

ARMATURE_INLINE void finish_closed(const SixArm& arm, const Target& goal, Branches& b, SixAnswers& out) {
  for (int m = 0; m < 2; ++m) {
    int lanes = bits(b.valid[m]);
    if (lanes == 0) continue;
    Turn t[6];
    for (int j = 0; j < 6; ++j) t[arm.mirrored ? 5 - j : j] = b.turn[m][j];
    Pack q[6], error = residual_of(arm, goal, t);
    for (int j = 0; j < 6; ++j) q[j] = atan2(t[j].s, t[j].c);
    // An exact arm needs no more, unless the pose is nearly singular and has lost digits; a snapped one always does.
    // Where two axes are one line a step would move the joint that is free.
    const Mask poor = b.valid[m] & (error > 1e-12) & ~(b.in_line[m] & (error <= kAccepted));
    if (any(poor)) {
      Pack better[6], now;
      for (int j = 0; j < 6; ++j) better[j] = q[j];
      refine(arm, goal, better, now, arm.defect > 1e-9 ? 12 : 3);
      const bool lines = any(b.valid[m] & b.in_line[m]);
      if ((arm.defect > 1e-9 || lines) && any(b.valid[m] & (now > kAccepted) & (now < 0.3))) {
        refine_damped(arm, goal, better, now, 20);
        refine(arm, goal, better, now, 4);
      }
      const Mask use = poor & (now < error);
      for (int j = 0; j < 6; ++j) q[j] = select(use, wrapped(better[j]), q[j]);
      error = select(use, now, error);
    }
    alignas(32) double value[6][4], size[4];
    for (int j = 0; j < 6; ++j) q[j].store(value[j]);
    error.store(size);
    for (; lanes != 0; lanes &= lanes - 1) {
      const int lane = __builtin_ctz(static_cast<unsigned>(lanes));
      if (!(size[lane] < 1e-9)) {
        out.complete = false;
        ++out.dropped;
        continue;
      }
      double* pose = out.q[out.count];
      for (int j = 0; j < 6; ++j) pose[j] = value[j][lane];
      if (arm.defect > 1e-9 && find_same(out, pose, 1e-7) >= 0) {
        out.complete = false;
        continue;
      }
      out.residual[out.count++] = size[lane];
    }
  }
}

// The two eliminants of classes K and G under one form.
struct PairQuestion {
  const SixArm& arm;
  const Target& goal;
  PairGoal g;
  static constexpr bool has_second = true;  // NOLINT(readability-identifier-naming): as the arm calls it
  int sampled(int which) const { return ((which == 1) != arm.mirrored) ? 5 : 0; }

  PairQuestion(const SixArm& a, const Target& to, const Target& x) : arm(a), goal(to) { build_pair(a.pair, x, g); }
  void roots(int which, Roots& out, double& noise) {
    which == 0 ? roots_pair<false>(arm, g, out, noise) : roots_pair<true>(arm, g, out, noise);
  }
  void poses(int which, const Roots& from, SixAnswers& out) const {
    which == 0 ? poses_pair<false>(arm, goal, g, from, out) : poses_pair<true>(arm, goal, g, from, out);
  }
};
struct GeneralQuestion {
  const SixArm& arm;
  const Target &goal, &x;
  GeneralGoal g[2];
  bool has_second;
  int sampled(int which) const { return arm.eliminants[which].kept[2]; }

  GeneralQuestion(const SixArm& a, const Target& to, const Target& motion)
      : arm(a), goal(to), x(motion), has_second(a.has_second) {}
  void roots(int which, Roots& out, double& noise) { roots_general(arm.eliminants[which], x, g[which], out, noise); }
  void poses(int which, const Roots& from, SixAnswers& out) const {
    poses_general(arm, arm.eliminants[which], goal, g[which], from, out);
  }
};

// One eliminant where its roots are beyond doubt and lead to an even number of poses; else the other one, if that is
// beyond doubt; else the first, and where that leaves something open both. Nearly double roots are expensive to follow,
// and what looks double to one eliminant seldom does to the other.
template <class Question>
ARMATURE_INLINE void solve_eliminants(Question&& question, bool thorough, SixAnswers& out) {
  Roots roots[2];
  double noise[2] = {0.0, 0.0};
  bool clear[2] = {false, false}, followed[2] = {false, false};
  int dropped[2] = {1, 1};
  const auto look = [&](int which) {
    question.roots(which, roots[which], noise[which]);
    clear[which] = !roots[which].faint && !roots[which].overflow && noise[which] <= 1e-9;
  };
  const auto follow = [&](int which) {
    if (followed[which]) return;
    followed[which] = true;
    out.dropped = 0;
    question.poses(which, roots[which], out);
    dropped[which] = out.dropped;
  };
  const auto settled = [&](int which) { return clear[which] && dropped[which] == 0 && (out.count & 1) == 0; };
  look(0);
  if (clear[0]) follow(0);
  out.noise = noise[0];
  if (settled(0) && !thorough) return;
  if (!question.has_second) {
    follow(0);
    out.complete = false;
    return;
  }
  look(1);
  out.noise = larger(noise[0], noise[1]);
  if (clear[1]) {
    follow(1);
    if (settled(1) && !thorough) return;
  }
  follow(0);
  // Both in doubt, as at every nearly singular pose: one of them, where it left nothing open and has a pose for each
  // root of the other.
  bool agree = !followed[1] && dropped[0] == 0 && (out.count & 1) == 0 && out.noise < 1e-6;
  for (int i = 0; i < roots[1].count && agree; ++i) {
    bool met = false;
    const double near = roots[1].twin[i] ? 4e-3 : 1e-4;
    for (int k = 0; k < out.count && !met; ++k) {
      met = __builtin_fabs(wrapped_one(out.q[k][question.sampled(1)] - roots[1].angle[i])) < near;
    }
    agree = met;
  }
  if (agree && !thorough) return;
  follow(1);
  // Even, and one of the two left nothing open.
  out.complete = (out.count & 1) == 0 && (dropped[0] == 0 || dropped[1] == 0) && !roots[0].overflow &&
                 !roots[1].overflow && out.noise < 1e-6;
}

void solve_six(const SixArm& arm, const SixGoal& asked, SixAnswers& out) {
  Target goal, x;
  const double* g = asked.rotation;
  double motion[12], whole[12], inverse[12];
  for (int i = 0; i < 9; ++i) whole[i] = goal.rotation[i] = g[i];
  for (int i = 0; i < 3; ++i) whole[9 + i] = goal.position[i] = asked.position[i] / arm.length;
  compose(whole, arm.tip_inverse, motion);
  Target forwards;
  for (int i = 0; i < 9; ++i) forwards.rotation[i] = motion[i];
  for (int i = 0; i < 3; ++i) forwards.position[i] = motion[9 + i];
  if (arm.mirrored) {
    invert(motion, inverse);
    for (int i = 0; i < 12; ++i) motion[i] = inverse[i];
  }
  for (int i = 0; i < 9; ++i) x.rotation[i] = motion[i];
  for (int i = 0; i < 3; ++i) x.position[i] = motion[9 + i];
  out.count = out.dropped = 0;
  out.complete = true;
  out.free_joints = 0;
  out.noise = 0.0;
  out.clear_margin = false;
  double start[6];
  for (int j = 0; j < 6; ++j) start[j] = asked.start[arm.mirrored ? 5 - j : j];
  switch (arm.kind) {
    case SixClass::none:
      out.complete = false;
      return;
    case SixClass::wrist_parallel:
    case SixClass::wrist_meeting:
    case SixClass::parallel: {
      Branches b;
      if (arm.kind == SixClass::parallel) {
        solve_parallel_arm(arm, x, start, b);
      } else {
        solve_wrist_arm(arm, x, start, b);
      }
      finish_closed(arm, goal, b, out);
      unsigned joints = 0;
      for (int j = 0; j < 6; ++j) joints |= ((b.free_joints >> j) & 1u) << (arm.mirrored ? 5 - j : j);
      out.free_joints = joints;
      out.clear_margin = b.clear;
      // Snapped arms lose answers near singular poses, where two of the snapped arm's answers are one of the true arm.
      if (arm.defect > 1e-9 && (out.dropped > 0 || !b.clear)) out.complete = false;
      if (arm.defect > 1e-9 && !out.complete && arm.has_general) {
        GeneralGoal g;
        Roots roots;
        roots_general(arm.eliminants[0], forwards, g, roots, out.noise);
        poses_general(arm, arm.eliminants[0], goal, g, roots, out);
        out.complete = (out.count & 1) == 0 && out.noise < 1e-9 && !roots.overflow;
      }
      return;
    }
    case SixClass::pair:
    case SixClass::general:
      break;
  }
  if (arm.kind == SixClass::pair) {
    solve_eliminants(PairQuestion(arm, goal, x), asked.thorough, out);
  } else {
    solve_eliminants(GeneralQuestion(arm, goal, x), asked.thorough, out);
  }
}
