// The nearest pose to a goal that cannot be reached, and which instance of a kernel serves a chain. Included after
// reach_kernel.inl and reach_starts.inl.

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

static void place(const Chain& c, const double* q, double* position, double* quaternion, float* steps, int stride) {
  switch (c.blocks) {
    case 1:
      return place_blocks<1>(c, q, position, quaternion, steps, stride);
    case 2:
      return place_blocks<2>(c, q, position, quaternion, steps, stride);
    case 3:
      return place_blocks<3>(c, q, position, quaternion, steps, stride);
    case 4:
      return place_blocks<4>(c, q, position, quaternion, steps, stride);
    default:
      return place_blocks<8>(c, q, position, quaternion, steps, stride);
  }
}

extern const ReachKernel kReachKernel;
const ReachKernel kReachKernel{descend,
                               approach,
                               evaluate,
                               place,
                               nearest_starts,
                               take_start,
                               kLanes,
                               kFloatLanes,
                               run_lanes<Lanes, double>,
                               run_lanes<Floats, float>};
