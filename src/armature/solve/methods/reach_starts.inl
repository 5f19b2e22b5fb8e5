// The table of starts: filling it, and finding good ones. Included after reach_kernel.inl.

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

constexpr double kForetoldDamping = 1e-2;
constexpr double kOutsideCost = 5.0;  // of a step that leaves the range, beside the length of the step

template <int B>
static void place_blocks(const Chain& chain, const double* q_in, double* position, double* quaternion, float* steps,
                         int stride) {
  Pack q[B];
  for (int b = 0; b < B; ++b) q[b] = Pack::load(q_in + kChainBlock * b);
  ChainFrames<B> f;
  f.clear(chain);
  walk<B, true>(chain, q, f);
  position[0] = f.tip.x();
  position[1] = f.tip.y();
  position[2] = f.tip.z();
  quaternion_of(f.rx, f.ry, f.rz, quaternion);
  if (steps == nullptr) return;
  JacobianRows<B> j;
  jacobian_rows<B, true>(chain, f, j);
  Normal n;
  normal_matrix<B>(j, kForetoldDamping, n);
  for (int r = 0; r < 6; ++r) {
    const double e[6] = {r == 0 ? 1.0 : 0.0, r == 1 ? 1.0 : 0.0, r == 2 ? 1.0 : 0.0,
                         r == 3 ? 1.0 : 0.0, r == 4 ? 1.0 : 0.0, r == 5 ? 1.0 : 0.0};
    double y[6];
    solve_normal(n, e, y);
    for (int b = 0; b < B; ++b) {
      alignas(64) double step[kChainBlock];
      along(j, b, y).store(step);
      for (int i = 0; i < kChainBlock; ++i) steps[r * stride + kChainBlock * b + i] = float(step[i]);
    }
  }
}

// Goal minus start: position, and 2 sin(angle/2) axis from the quaternions.
ARMATURE_INLINE void start_error(const StartTable& table, const ReachGoal& goal, int index, double* e) {
  const std::int16_t* p = table.poses + 7 * (index & ~(kStartClasses - 1)) + (index & (kStartClasses - 1));
  const double* g = goal.quaternion;
  const double x = p[3 * kStartClasses], y = p[4 * kStartClasses], z = p[5 * kStartClasses], w = p[6 * kStartClasses];
  const double cosine = (g[3] * w + g[0] * x) + (g[1] * y + g[2] * z);
  const double two = __builtin_copysign(2.0 / kQuaternionFraction, cosine);
  for (int k = 0; k < 3; ++k) {
    e[k] = goal.position_weight * (goal.position[k] - (1.0 / kPositionFraction) * p[kStartClasses * k]);
  }
  e[3] = two * ((g[0] * w - g[3] * x) + (g[2] * y - g[1] * z));
  e[4] = two * ((g[1] * w - g[3] * y) + (g[0] * z - g[2] * x));
  e[5] = two * ((g[2] * w - g[3] * z) + (g[1] * x - g[0] * y));
}

ARMATURE_INLINE Pack foretold_step(const StartTable& table, int index, int b, const double* e) {
  const float* s = table.steps + (6 * index) * table.stride + kChainBlock * b;
  const int n = table.stride;
  return ((Pack::from_floats(s) * Pack::all(e[0]) + Pack::from_floats(s + n) * Pack::all(e[1])) +
          (Pack::from_floats(s + 2 * n) * Pack::all(e[2]) + Pack::from_floats(s + 3 * n) * Pack::all(e[3]))) +
         (Pack::from_floats(s + 4 * n) * Pack::all(e[4]) + Pack::from_floats(s + 5 * n) * Pack::all(e[5]));
}

static void take_start(const StartTable& table, const ChainRange& range, const ReachGoal& goal, int index, double* q) {
  double e[6];
  start_error(table, goal, index, e);
  for (int b = 0; b < table.stride / kChainBlock; ++b) {
    const Pack start = Pack::from_floats(table.joints + table.stride * index + kChainBlock * b);
    const Pack ahead = start + foretold_step(table, index, b, e);
    const Pack lower = Pack::load(range.lower + kChainBlock * b), upper = Pack::load(range.upper + kChainBlock * b);
    max(min(ahead, upper), lower).store(q + kChainBlock * b);
  }
}

// How much a first step from a start would ask of the joints.
static double step_cost(const StartTable& table, const ChainRange& range, const ReachGoal& goal, int index) {
  double e[6];
  start_error(table, goal, index, e);
  Pack cost = Pack::all(0.0);
  for (int b = 0; b < table.stride / kChainBlock; ++b) {
    const Pack step = foretold_step(table, index, b, e);
    const Pack ahead = Pack::from_floats(table.joints + table.stride * index + kChainBlock * b) + step;
    const Pack lower = Pack::load(range.lower + kChainBlock * b), upper = Pack::load(range.upper + kChainBlock * b);
    const Pack outside = ahead - max(min(ahead, upper), lower);
    cost = cost + (step * step + Pack::all(kOutsideCost) * (outside * outside));
  }
  alignas(64) double sum[kChainBlock];
  sums(cost, cost, cost, cost).store(sum);
  return sum[0];
}

ARMATURE_INLINE int fraction(double x, double unit) {
  const double scaled = x * unit;
  return static_cast<int>(scaled > 32767.0 ? 32767.0 : scaled < -32767.0 ? -32767.0 : scaled);
}

// Scans the whole table for |dp|^2 + 4 - 4 (q . g)^2, the squared chord, sixteen starts at a time.
static void nearest_starts(const StartTable& table, const ChainRange& range, const ReachGoal& goal, int foretold,
                           NearestStarts& out) {
  Short16 best = Short16::all(32767), chosen = Short16::all(0);
  const Short16 px = Short16::all(fraction(goal.position[0], kPositionFraction)),
                py = Short16::all(fraction(goal.position[1], kPositionFraction)),
                pz = Short16::all(fraction(goal.position[2], kPositionFraction)),
                qx = Short16::all(fraction(goal.quaternion[0], kQuaternionFraction)),
                qy = Short16::all(fraction(goal.quaternion[1], kQuaternionFraction)),
                qz = Short16::all(fraction(goal.quaternion[2], kQuaternionFraction)),
                qw = Short16::all(fraction(goal.quaternion[3], kQuaternionFraction));
  const Short16 counts = Short16::all(goal.position_weight > 0.0 ? -1 : 0), one = Short16::all(1);
  Short16 block = Short16::all(0);
  const std::int16_t* p = table.poses;
  for (int k = 0; k < table.count; k += 16, p += 7 * 16) {
    Short16 dx = subtract(Short16::load(p), px), dy = subtract(Short16::load(p + 16), py),
            dz = subtract(Short16::load(p + 32), pz);
    dx = add(dx, dx);  // 2^14 a unit, up to 2 units
    dy = add(dy, dy);
    dz = add(dz, dz);
    Short16 dot = add(add(multiply(Short16::load(p + 48), qx), multiply(Short16::load(p + 64), qy)),
                      add(multiply(Short16::load(p + 80), qz), multiply(Short16::load(p + 96), qw)));
    dot = add(dot, dot);                                                                    // 2^15
    const Short16 length = add(add(multiply(dx, dx), multiply(dy, dy)), multiply(dz, dz));  // 2^12
    keep_smaller(subtract(both(length, counts), multiply(dot, dot)), block, best, chosen);
    block = add(block, one);
  }
  std::int16_t score[kStartClasses];
  best.store(score);
  chosen.store(out.block);
  for (int c = 0; c < kStartClasses; ++c) out.key[c] = score[c] * kStartClasses | c;

  // A few of the nearest (the best of every second class): the one whose first step asks least of the joints goes
  // first.
  double cost[2];
  int index[2], nearest = NearestStarts::kTaken;
  for (int a = 0; a < foretold; ++a) {
    int key = out.key[a];
    for (int c = a + foretold; c < kStartClasses; c += foretold) key = out.key[c] < key ? out.key[c] : key;
    nearest = key < nearest ? key : nearest;
    const int c = key & (kStartClasses - 1);
    index[a] = kStartClasses * out.block[c] + c;
    cost[a] = foretold > 1 ? step_cost(table, range, goal, index[a]) : 0.0;
  }
  int first = 0;
  for (int a = 1; a < foretold; ++a) first = cost[a] < cost[first] ? a : first;
  out.first = index[first];
  // take_start() comes next, and the table of steps is larger than the nearest cache.
  const float* steps = table.steps + 6 * table.stride * out.first;
  for (int k = 0; k < 6 * table.stride; k += 16) __builtin_prefetch(steps + k);
  out.key[out.first & (kStartClasses - 1)] = NearestStarts::kTaken;
  out.distance = 4.0 + (nearest >> 4) / kDistanceFraction;
}
