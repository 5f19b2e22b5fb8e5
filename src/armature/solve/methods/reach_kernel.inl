// One descent of the reach method on a compiled chain. Included by reach_kernel_*.cpp inside the namespace of their
// instruction set, after chain_kernel.inl and reach_solve6.inl.
//
// B       blocks of four joints
// kAll    false: revolute joints, whole pose, every joint alike (the usual case, kept free of everything else);
//         true: prismatic joints, partial goals, joint weights, shortened steps as well
//
// Everything is summed in one fixed order, so that every instruction set gives the same bits.

constexpr double kTwoPi = 6.283185307179586477;
constexpr double kRoundMagic = 6755399441055744.0;  // 1.5 * 2^52

// The goal as columns, and the same shifted (y, z, x) for cross products.
struct GoalColumns {
  Col x, y, z, x1, y1, z1, p;
  ARMATURE_INLINE explicit GoalColumns(const ReachGoal& g) {
    const double* r = g.rotation;
    x = Col::of(r[0], r[3], r[6]);
    y = Col::of(r[1], r[4], r[7]);
    z = Col::of(r[2], r[5], r[8]);
    x1 = yzx(x);
    y1 = yzx(y);
    z1 = yzx(z);
    p = Col::of(g.position[0], g.position[1], g.position[2]);
  }
};

// Error of the tip: e = [position; 2 sin(angle/2) axis]. The chord needs no inverse trigonometry:
// sum_k r_k x g_k = 2 sin(angle) axis and sum_k r_k . g_k = 1 + 2 cos(angle).
struct TipError {
  Col position, cross;
  double position2, cross2;
  double one_plus_trace;  // 2 + 2 cos(angle) = 4 cos^2(angle/2)
};

template <int B>
ARMATURE_INLINE TipError tip_error(const ChainFrames<B>& f, const GoalColumns& g) {
  TipError e;
  e.position = g.p - f.tip;
  const Col cosines = (f.rx * g.x + f.ry * g.y) + f.rz * g.z;
  const Col twisted =
      ((f.rx * g.x1 - yzx(f.rx) * g.x) + (f.ry * g.y1 - yzx(f.ry) * g.y)) + (f.rz * g.z1 - yzx(f.rz) * g.z);
  e.cross = yzx(twisted);
  e.one_plus_trace = 1.0 + sum(cosines);
  e.position2 = sum(e.position * e.position);
  e.cross2 = sum(e.cross * e.cross);
  return e;
}

// The axis of a half turn, where the cross product vanishes: goal * tip^T = 2 a a^T - 1. Length 2.
template <int B>
static __attribute__((noinline)) void half_turn(const ChainFrames<B>& f, const ReachGoal& g, double* axis) {
  const double r[9] = {f.rx.x(), f.ry.x(), f.rz.x(), f.rx.y(), f.ry.y(), f.rz.y(), f.rx.z(), f.ry.z(), f.rz.z()};
  double d[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      d[3 * i + j] =
          (g.rotation[3 * i] * r[3 * j] + g.rotation[3 * i + 1] * r[3 * j + 1]) + g.rotation[3 * i + 2] * r[3 * j + 2];
  int k = d[4] > d[0] ? 1 : 0;
  if (d[8] > d[4 * k]) k = 2;
  for (int i = 0; i < 3; ++i) axis[i] = 0.5 * (d[3 * i + k] + d[3 * k + i]);
  axis[k] += 1.0;
  const double norm = __builtin_sqrt((axis[0] * axis[0] + axis[1] * axis[1]) + axis[2] * axis[2]);
  for (int i = 0; i < 3; ++i) axis[i] *= 2.0 / norm;
}

#include "armature/solve/methods/reach_partial.inl"

// The six error rows with their squared norms.
struct ErrorRows {
  alignas(64) double e[8];
  double position2, orientation2;
  double rough_energy;  // good enough to damp by, known earlier
  bool converged;
};

template <int B, bool kAll>
ARMATURE_INLINE void error_rows(const ChainFrames<B>& f, const ReachGoal& goal, const GoalColumns& columns,
                                const DescentSettings& s, ErrorRows& r) {
  if (kAll && goal.partial) {
    partial_error<B>(f, goal, r.e);
    r.position2 = (r.e[0] * r.e[0] + r.e[1] * r.e[1]) + r.e[2] * r.e[2];
    r.orientation2 = (r.e[3] * r.e[3] + r.e[4] * r.e[4]) + r.e[5] * r.e[5];
    r.rough_energy = 0.5 * (r.position2 + r.orientation2);
    r.converged = r.position2 <= s.position_tolerance * s.position_tolerance &&
                  r.orientation2 <= s.orientation_tolerance * s.orientation_tolerance;
    return;
  }
  const TipError t = tip_error(f, columns);
  // The last test tells a small angle from one near pi, whose cross product is as small.
  r.converged = t.position2 <= s.position_tolerance * s.position_tolerance &&
                t.cross2 <= s.orientation_tolerance * s.orientation_tolerance * t.one_plus_trace &&
                t.one_plus_trace > 1.0;
  r.position2 = t.position2;
  // The chord's square is also 4 - (1 + trace): no division, but useless for small angles.
  const double chord2 = 4.0 - t.one_plus_trace;
  r.rough_energy = 0.5 * (t.position2 + (chord2 > 0.0 ? chord2 : 0.0));
  r.e[0] = t.position.x();
  r.e[1] = t.position.y();
  r.e[2] = t.position.z();
  if (__builtin_expect(t.one_plus_trace < 1e-9, 0)) {
    half_turn(f, goal, r.e + 3);
    r.orientation2 = 4.0;
    return;
  }
  const double scale = 1.0 / __builtin_sqrt(t.one_plus_trace);
  r.orientation2 = t.cross2 / t.one_plus_trace;
  r.e[3] = t.cross.x() * scale;
  r.e[4] = t.cross.y() * scale;
  r.e[5] = t.cross.z() * scale;
}

// One component per joint of J^T v.
template <int B>
ARMATURE_INLINE Pack along(const JacobianRows<B>& j, int b, const double* v) {
  return ((j.row[0][b] * Pack::all(v[0]) + j.row[1][b] * Pack::all(v[1])) +
          (j.row[2][b] * Pack::all(v[2]) + j.row[3][b] * Pack::all(v[3]))) +
         (j.row[4][b] * Pack::all(v[4]) + j.row[5][b] * Pack::all(v[5]));
}

// Joints at a bound that the error pushes outward leave the step: their columns become zero.
template <int B>
ARMATURE_INLINE void drop_blocked(const Pack* q, const Pack* lower, const Pack* upper, const double* e,
                                  JacobianRows<B>& j) {
  bool touching = false;
  for (int b = 0; b < B; ++b) touching |= any((q[b] <= lower[b]) | (q[b] >= upper[b]));
  if (!touching) return;
  const Pack zero = Pack::all(0.0);
  for (int b = 0; b < B; ++b) {
    const Pack g = along(j, b, e);
    const Mask blocked = ((q[b] <= lower[b]) & (g < zero)) | ((q[b] >= upper[b]) & (g > zero));
    for (int k = 0; k < 6; ++k) j.row[k][b] = zero_where(blocked, j.row[k][b]);
  }
}

// Back into the range: by whole turns about its middle if that helps, else to the bound.
ARMATURE_INLINE Pack into_range(Pack q, const ChainRange& range, int b, Pack lower, Pack upper) {
  const Pack turns =
      ((q - Pack::load(range.middle + kChainBlock * b)) * Pack::all(1.0 / kTwoPi) + Pack::all(kRoundMagic)) -
      Pack::all(kRoundMagic);
  return max(min(q - turns * Pack::load(range.turn + kChainBlock * b), upper), lower);
}

// The second solve: joints that would cross their bound go there, the others make up for it.
template <int B>
static __attribute__((noinline)) void resolve_step(const ChainRange& range, double lambda, const ErrorRows& error,
                                                   JacobianRows<B> j, const Pack* next, Pack* q) {
  Pack moved[6];
  for (Pack& m : moved) m = Pack::all(0.0);
  for (int b = 0; b < B; ++b) {
    const Pack lower = Pack::load(range.lower + kChainBlock * b), upper = Pack::load(range.upper + kChainBlock * b);
    const Mask outside = (next[b] < lower) | (next[b] > upper);
    const Pack to = select(outside, into_range(next[b], range, b, lower, upper), q[b]);
    const Pack step = to - q[b];
    for (int k = 0; k < 6; ++k) {
      moved[k] = moved[k] + j.row[k][b] * step;
      j.row[k][b] = zero_where(outside, j.row[k][b]);
    }
    q[b] = to;
  }
  alignas(64) double e[8];
  sums(moved[0], moved[1], moved[2], moved[3]).store(e);
  sums(moved[4], moved[5], moved[5], moved[5]).store(e + 4);
  for (int k = 0; k < 6; ++k) e[k] = error.e[k] - e[k];
  Normal n;
  normal_matrix<B>(j, lambda, n);
  double y[6];
  solve_normal(n, e, y);
  for (int b = 0; b < B; ++b) {
    const Pack lower = Pack::load(range.lower + kChainBlock * b), upper = Pack::load(range.upper + kChainBlock * b);
    q[b] = max(min(q[b] + along(j, b, y), upper), lower);
  }
}

// Weights, and what shortens a step. Only for kAll.
template <int B>
ARMATURE_INLINE void scale_columns(const DescentSettings& s, JacobianRows<B>& j) {
  if (s.mobility == nullptr) return;
  for (int b = 0; b < B; ++b) {
    const Pack w = Pack::load(s.mobility + kChainBlock * b);
    for (int k = 0; k < 6; ++k) j.row[k][b] = j.row[k][b] * w;
  }
}
template <int B>
ARMATURE_INLINE void scale_step(const DescentSettings& s, Pack* step) {
  if (s.mobility != nullptr) {
    for (int b = 0; b < B; ++b) step[b] = step[b] * Pack::load(s.mobility + kChainBlock * b);
  }
  double factor = s.step_size;
  if (s.max_step > 0.0) {
    double largest = 0.0;
    for (int b = 0; b < B; ++b) {
      alignas(64) double v[kChainBlock];
      step[b].store(v);
      for (double x : v) largest = __builtin_fabs(x) > largest ? __builtin_fabs(x) : largest;
    }
    if (largest * factor > s.max_step) factor = s.max_step / largest;
  }
  if (factor != 1.0) {
    for (int b = 0; b < B; ++b) step[b] = step[b] * Pack::all(factor);
  }
}

template <int B, bool kAll>
static DescentResult descend_blocks(const Chain& chain, const ChainRange& range, const ReachGoal& goal,
                                    const DescentSettings& settings, double* q_io) {
  const GoalColumns columns(goal);
  Pack q[B], lower[B], upper[B];
  for (int b = 0; b < B; ++b) {
    q[b] = Pack::load(q_io + kChainBlock * b);
    lower[b] = Pack::load(range.lower + kChainBlock * b);
    upper[b] = Pack::load(range.upper + kChainBlock * b);
  }
  ChainFrames<B> f;
  f.clear(chain);
  ErrorRows error;
  double best = 1e300;
  int idle = 0;
  int iteration = 0;
  for (;;) {
    walk<B, kAll>(chain, q, f);
    ++iteration;
    error_rows<B, kAll>(f, goal, columns, settings, error);
    if (error.converged) break;
    const double energy = 0.5 * (error.position2 + error.orientation2);
    idle = energy < settings.stall_ratio * best ? 0 : idle + 1;
    best = energy < best ? energy : best;
    // The negated test ends the descent on NaN too.
    if (idle > settings.stall_patience || iteration >= settings.max_iterations || !(energy < 1e300)) break;

    JacobianRows<B> j;
    jacobian_rows<B, kAll>(chain, f, j);
    if (kAll) {
      if (goal.partial) partial_rows<B>(f, goal, error.e, j);
      scale_columns<B>(settings, j);
    }
    drop_blocked<B>(q, lower, upper, error.e, j);
    const double lambda = settings.damping * error.rough_energy + settings.damping_floor;
    Normal n;
    normal_matrix<B>(j, lambda, n);
    double y[6];
    solve_normal(n, error.e, y);

    Pack next[B];
    for (int b = 0; b < B; ++b) next[b] = along(j, b, y);
    if (kAll) scale_step<B>(settings, next);
    bool crossing = false;
    for (int b = 0; b < B; ++b) {
      next[b] = q[b] + next[b];
      crossing |= any((next[b] < lower[b]) | (next[b] > upper[b]));
    }
    if (__builtin_expect(settings.trail != nullptr, 0) && iteration <= settings.trail_size) {
      for (int b = 0; b < B; ++b) q[b].store(settings.trail + kMaxChainJoints * (iteration - 1) + kChainBlock * b);
    }
    if (crossing) {
      if (settings.resolve && !kAll) {
        resolve_step<B>(range, lambda, error, j, next, q);
        continue;
      }
      for (int b = 0; b < B; ++b) {
        const Mask outside = (next[b] < lower[b]) | (next[b] > upper[b]);
        next[b] = select(outside, into_range(next[b], range, b, lower[b], upper[b]), next[b]);
      }
    }
    for (int b = 0; b < B; ++b) q[b] = next[b];
  }
  for (int b = 0; b < B; ++b) q[b].store(q_io + kChainBlock * b);
  return {iteration, error.converged, error.position2, error.orientation2};
}
