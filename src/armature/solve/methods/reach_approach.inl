// The nearest pose to a goal that cannot be reached, and the small kernels. Included after reach_kernel.inl.

// Levenberg-Marquardt inside the limits: a step counts only if it lowers the error (Chan's damping times a factor that
// grows fourfold on failure and halves on success).
template <int B>
static DescentResult approach_blocks(const Chain& chain, const ChainRange& range, const ReachGoal& goal,
                                     const DescentSettings& settings, double* q_io) {
  const GoalColumns columns(goal);
  Pack q[B], lower[B], upper[B], next[B];
  for (int b = 0; b < B; ++b) {
    q[b] = Pack::load(q_io + kChainBlock * b);
    lower[b] = Pack::load(range.lower + kChainBlock * b);
    upper[b] = Pack::load(range.upper + kChainBlock * b);
  }
  ChainFrames<B> f;
  f.clear(chain);
  ErrorRows error;
  walk<B, true>(chain, q, f);
  error_rows<B, true>(f, goal, columns, settings, error);
  double energy = 0.5 * (error.position2 + error.orientation2), factor = 1.0;
  int iteration = 1, slow = 0;
  while (!error.converged && iteration < settings.max_iterations && energy < 1e300) {
    JacobianRows<B> j;
    jacobian_rows<B, true>(chain, f, j);
    if (goal.partial) partial_rows<B>(f, goal, error.e, j);
    scale_columns<B>(settings, j);
    drop_blocked<B>(q, lower, upper, error.e, j);
    bool accepted = false;
    double longest = 0.0;
    while (!accepted && iteration < settings.max_iterations) {
      Normal n;
      normal_matrix<B>(j, factor * settings.damping * energy + settings.damping_floor, n);
      double y[6];
      solve_normal(n, error.e, y);
      longest = 0.0;
      for (int b = 0; b < B; ++b) next[b] = along(j, b, y);
      if (settings.mobility != nullptr) {
        for (int b = 0; b < B; ++b) next[b] = next[b] * Pack::load(settings.mobility + kChainBlock * b);
      }
      for (int b = 0; b < B; ++b) {
        next[b] = max(min(q[b] + next[b], upper[b]), lower[b]);
        alignas(64) double d[kChainBlock];
        (next[b] - q[b]).store(d);
        for (double x : d) longest = __builtin_fabs(x) > longest ? __builtin_fabs(x) : longest;
      }
      ErrorRows trial;
      walk<B, true>(chain, next, f);
      error_rows<B, true>(f, goal, columns, settings, trial);
      ++iteration;
      const double lowered = 0.5 * (trial.position2 + trial.orientation2);
      if (trial.converged || lowered < energy) {
        accepted = true;
        slow = energy - lowered < 1e-7 * energy ? slow + 1 : 0;
        energy = lowered;
        error = trial;
        factor = factor * 0.5 > 0.01 ? factor * 0.5 : 0.01;
        for (int b = 0; b < B; ++b) q[b] = next[b];
      } else {
        factor *= 4.0;
        if (longest < 1e-7) break;
      }
    }
    if (!accepted || slow >= 2 || longest < 1e-7) break;
  }
  for (int b = 0; b < B; ++b) q[b].store(q_io + kChainBlock * b);
  return {iteration, error.converged, error.position2, error.orientation2};
}

template <int B>
static DescentResult evaluate_blocks(const Chain& chain, const ReachGoal& goal, const double* q_in, double* gradient) {
  Pack q[B];
  for (int b = 0; b < B; ++b) q[b] = Pack::load(q_in + kChainBlock * b);
  ChainFrames<B> f;
  f.clear(chain);
  walk<B, true>(chain, q, f);
  ErrorRows error;
  error_rows<B, true>(f, goal, GoalColumns(goal), DescentSettings{}, error);
  if (gradient != nullptr) {
    JacobianRows<B> j;
    jacobian_rows<B, true>(chain, f, j);
    if (goal.partial) partial_rows<B>(f, goal, error.e, j);
    for (int b = 0; b < B; ++b) along(j, b, error.e).store(gradient + kChainBlock * b);
  }
  return {1, false, error.position2, error.orientation2};
}

// Quaternion of a rotation given by columns (Shepperd 1978): the largest component first.
static void quaternion_of(Col x, Col y, Col z, double* q) {
  const double m00 = x.x(), m11 = y.y(), m22 = z.z();
  const double four[4] = {1.0 + m00 - m11 - m22, 1.0 - m00 + m11 - m22, 1.0 - m00 - m11 + m22, 1.0 + m00 + m11 + m22};
  int k = 0;
  for (int i = 1; i < 4; ++i) k = four[i] > four[k] ? i : k;
  const double half = 0.5 / __builtin_sqrt(four[k]);
  const double a = (y.z() - z.y()) * half, b = (z.x() - x.z()) * half, c = (x.y() - y.x()) * half;
  const double d = (y.x() + x.y()) * half, e = (z.x() + x.z()) * half, g = (z.y() + y.z()) * half;
  const double top = four[k] * half;
  const double all[4][4] = {{top, d, e, a}, {d, top, g, b}, {e, g, top, c}, {a, b, c, top}};
  for (int i = 0; i < 4; ++i) q[i] = all[k][i];
}

template <int B>
static void place_blocks(const Chain& chain, const double* q_in, double* position, double* quaternion) {
  Pack q[B];
  for (int b = 0; b < B; ++b) q[b] = Pack::load(q_in + kChainBlock * b);
  ChainFrames<B> f;
  walk<B, true>(chain, q, f);
  position[0] = f.tip.x();
  position[1] = f.tip.y();
  position[2] = f.tip.z();
  quaternion_of(f.rx, f.ry, f.rz, quaternion);
}

// Scans the whole table: |dp|^2 + 4 - 4 (q . g)^2, the chord's square, for eight starts at a time.
static void nearest_starts(const StartTable& table, const ReachGoal& goal, NearestStarts& out) {
  Float8 best = Float8::all(1e30f), chosen = Float8::all(0.0f);
  const Float8 px = Float8::all(float(goal.position[0])), py = Float8::all(float(goal.position[1])),
               pz = Float8::all(float(goal.position[2]));
  const Float8 qx = Float8::all(float(goal.quaternion[0])), qy = Float8::all(float(goal.quaternion[1])),
               qz = Float8::all(float(goal.quaternion[2])), qw = Float8::all(float(goal.quaternion[3]));
  const Float8 four = Float8::all(4.0f), weight = Float8::all(goal.table_position_weight);
  const float* p = table.poses;
  for (int k = 0; k < table.count; k += 8, p += 56) {
    const Float8 dx = Float8::load(p) - px, dy = Float8::load(p + 8) - py, dz = Float8::load(p + 16) - pz;
    const Float8 dot = (Float8::load(p + 24) * qx + Float8::load(p + 32) * qy) +
                       (Float8::load(p + 40) * qz + Float8::load(p + 48) * qw);
    const Float8 distance = weight * ((dx * dx + dy * dy) + dz * dz) - four * (dot * dot);
    keep_smaller(distance, Float8::all(float(k)), best, chosen);
  }
  best.store(out.distance);
  float index[8];
  chosen.store(index);
  for (int c = 0; c < kStartClasses; ++c) {
    out.distance[c] += 4.0f;
    out.index[c] = int(index[c]) + c;
  }
}

// ---- which instance serves a chain

static DescentResult descend(const Chain& c, const ChainRange& r, const ReachGoal& g, const DescentSettings& s,
                             double* q) {
  const bool all = c.has_prismatic || g.partial || s.mobility != nullptr || s.step_size != 1.0 || s.max_step > 0.0;
  switch (c.blocks) {
    case 1:
      return all ? descend_blocks<1, true>(c, r, g, s, q) : descend_blocks<1, false>(c, r, g, s, q);
    case 2:
      return all ? descend_blocks<2, true>(c, r, g, s, q) : descend_blocks<2, false>(c, r, g, s, q);
    case 3:
      return all ? descend_blocks<3, true>(c, r, g, s, q) : descend_blocks<3, false>(c, r, g, s, q);
    case 4:
      return all ? descend_blocks<4, true>(c, r, g, s, q) : descend_blocks<4, false>(c, r, g, s, q);
    default:
      return all ? descend_blocks<8, true>(c, r, g, s, q) : descend_blocks<8, false>(c, r, g, s, q);
  }
}

static DescentResult approach(const Chain& c, const ChainRange& r, const ReachGoal& g, const DescentSettings& s,
                              double* q) {
  switch (c.blocks) {
    case 1:
      return approach_blocks<1>(c, r, g, s, q);
    case 2:
      return approach_blocks<2>(c, r, g, s, q);
    case 3:
      return approach_blocks<3>(c, r, g, s, q);
    case 4:
      return approach_blocks<4>(c, r, g, s, q);
    default:
      return approach_blocks<8>(c, r, g, s, q);
  }
}

static DescentResult evaluate(const Chain& c, const ReachGoal& g, const double* q, double* gradient) {
  switch (c.blocks) {
    case 1:
      return evaluate_blocks<1>(c, g, q, gradient);
    case 2:
      return evaluate_blocks<2>(c, g, q, gradient);
    case 3:
      return evaluate_blocks<3>(c, g, q, gradient);
    case 4:
      return evaluate_blocks<4>(c, g, q, gradient);
    default:
      return evaluate_blocks<8>(c, g, q, gradient);
  }
}

static void place(const Chain& c, const double* q, double* position, double* quaternion) {
  switch (c.blocks) {
    case 1:
      return place_blocks<1>(c, q, position, quaternion);
    case 2:
      return place_blocks<2>(c, q, position, quaternion);
    case 3:
      return place_blocks<3>(c, q, position, quaternion);
    case 4:
      return place_blocks<4>(c, q, position, quaternion);
    default:
      return place_blocks<8>(c, q, position, quaternion);
  }
}

extern const ReachKernel kReachKernel;
const ReachKernel kReachKernel{descend, approach, evaluate, place, nearest_starts};
