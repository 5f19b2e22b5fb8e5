// What the kernels of the reach method work on: plain numbers in the chain's internal units (chain_data.hpp).
#pragma once

#include <cstdint>

#include "armature/kinematics/chain_data.hpp"

namespace armature::inline v0_2 {

/// Where the chain's canonical tip should be: the caller's goal moved through the chain's base and tip constants.
struct alignas(64) ReachGoal {
  double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // row-major
  double position[3] = {0, 0, 0};
  double quaternion[4] = {0, 0, 0, 1};  // of `rotation`: x, y, z, w

  double position_weight = 1.0;  // 0 for a goal without position: starts are compared without it

  // Partial goals only (`partial`): rows = axes * error, then what lies within +-box is forgiven. A free axis has a
  // zero row. The orientation's error is then the rotation vector.
  bool partial = false;
  bool has_orientation = true;  // false: all orientation rows are zero
  double position_axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double orientation_axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double position_box[3] = {0, 0, 0};
  double orientation_box[3] = {0, 0, 0};
  // With exactly one free axis of rotation the error is that of the swing which is left when the turn about the free
  // axis is taken out, as OrientationGoal defines it.
  bool swing = false;
  double free_axis[3] = {0, 0, 0};
};

/// How a descent searches. The defaults were found by experiment (docs/decisions/reach.md).
struct DescentSettings {
  double position_tolerance = 0.0;     // internal length
  double orientation_tolerance = 0.0;  // chord 2 sin(angle/2); a partial goal's: radians
  double damping = 0.1;                // lambda = damping * E + floor (Chan & Lawrence 1988)
  double damping_floor = 1e-12;
  double stall_ratio = 0.7;  // progress means E below this part of the best so far
  int stall_patience = 2;    // iterations without progress that are forgiven
  int max_iterations = 30;   // of one descent
  bool resolve = false;      // solve once more with the joints that would cross a limit fixed at it
  double step_size = 1.0;
  double max_step = 0.0;             // internal units; 0: none
  const double* mobility = nullptr;  // square roots per joint, padded; null: all 1
  double* trail = nullptr;           // receives q before each step, kMaxChainJoints apart
  int trail_size = 0;                // poses it has room for
};

struct DescentResult {
  int iterations = 0;  // evaluations of the chain
  bool converged = false;
  double position = 0.0;     // squared error norms, internal units (of the rows, for partial goals)
  double orientation = 0.0;  // squared chord; a partial goal's: squared rotation vector rows
  double energy() const { return 0.5 * (position + orientation); }
};

/// Random poses of the chain, searched for good starts. Three tables, filled by the same index:
///   poses   the tip's place in 16-bit fractions, sixteen at a time: px[16] py[16] pz[16] qx[16] qy[16] qz[16] qw[16]
///   joints  `stride` coordinates each
///   steps   the damped inverse of the Jacobian, six rows of `stride`: what a first step from there would be, so that
///           a start is used one step ahead, and starts that need short steps inside limits are preferred
struct StartTable {
  int count = 0;  // a multiple of kStartClasses
  int stride = 0;
  const std::int16_t* poses = nullptr;
  const float* joints = nullptr;
  const float* steps = nullptr;
};
inline constexpr double kNearSeedEnergy = 0.02;  // at the caller's seed: below it no other start is looked for
inline constexpr int kStartClasses = 16;
inline constexpr double kPositionFraction = 8192.0;     // +-4 units, all that a chain can reach
inline constexpr double kQuaternionFraction = 32000.0;  // a little below 2^15, so that no product overflows
inline constexpr double kDistanceFraction = 4096.0;     // of scores

/// The nearest start of each class (index mod 16): score << 4 | class, smallest is nearest. kTaken: gone.
struct NearestStarts {
  static constexpr int kTaken = 0x7fffffff;
  int key[kStartClasses];
  std::int16_t block[kStartClasses];
  int first = 0;          // the start to try first, already taken
  double distance = 0.0;  // |dp|^2 + chord^2 of the nearest

  /// Takes the nearest that is left; -1 when none is.
  int take() {
    int best = kTaken;
    for (int k : key) best = k < best ? k : best;
    if (best == kTaken) return -1;
    const int c = best & (kStartClasses - 1);
    key[c] = kTaken;
    return kStartClasses * block[c] + c;
  }
};

/// What descents in lanes of floats or doubles go by: chain, range and settings in these numbers.
template <class T>
struct LaneSettings {
  int joints = 0;
  bool has_prismatic = false;
  T theta[kMaxChainJoints] = {}, cos_twist[kMaxChainJoints] = {}, sin_twist[kMaxChainJoints] = {};
  T tx[kMaxChainJoints] = {}, ty[kMaxChainJoints] = {}, tz[kMaxChainJoints] = {};
  T revolute[kMaxChainJoints] = {}, prismatic[kMaxChainJoints] = {};
  T lower[kMaxChainJoints] = {}, upper[kMaxChainJoints] = {}, middle[kMaxChainJoints] = {}, turn[kMaxChainJoints] = {};
  T position_tolerance = 0, orientation_tolerance = 0, damping = 0, damping_floor = 0, stall_ratio = 0;
  T stall_patience = 0;
};

/// Descents side by side, one per lane; number k of lane l is at [k * lanes + l], `lanes` being the kernel's.
template <class T>
struct alignas(64) ReachLanes {
  static constexpr int kMost = 64 / sizeof(T);
  alignas(64) T q[kMost * kMaxChainJoints] = {};
  alignas(64) T rotation[kMost * 9] = {};  // the goals', row-major
  alignas(64) T position[kMost * 3] = {};
  alignas(64) T best[kMost] = {};  // kWorst at the start of a descent
  alignas(64) T idle[kMost] = {};  // 0
  alignas(64) T left[kMost] = {};  // evaluations left
  // Of the lanes that ended (`q` holds the pose one step farther):
  alignas(64) T ended_q[kMost * kMaxChainJoints] = {};
  alignas(64) T ended_left[kMost] = {};
  alignas(64) T position2[kMost] = {};  // squared errors, as in DescentResult
  alignas(64) T orientation2[kMost] = {};
  static constexpr T kWorst = sizeof(T) == 4 ? T(1e30) : T(1e300);
};

/// The functions that are compiled once per instruction set. `q` is padded to kMaxChainJoints and 64-byte aligned.
struct ReachKernel {
  /// Damped Gauss-Newton from q, limits inside the step, no acceptance test: fast, may wander. Ends when converged or
  /// stalled; q is the last pose evaluated.
  DescentResult (*descend)(const Chain&, const ChainRange&, const ReachGoal&, const DescentSettings&, double* q);
  /// Levenberg-Marquardt with acceptance from q: slower, and it ends in a local minimum of the error. For goals that
  /// cannot be reached.
  DescentResult (*approach)(const Chain&, const ChainRange&, const ReachGoal&, const DescentSettings&, double* q);
  /// Errors only, at q; and the gradient J^T e of each joint unless null.
  DescentResult (*evaluate)(const Chain&, const ReachGoal&, const double* q, double* gradient);
  /// What a StartTable holds of q: position and quaternion (x, y, z, w) of the canonical tip, and the damped inverse of
  /// the Jacobian (six rows, `stride` apart) unless `steps` is null.
  void (*place)(const Chain&, const double* q, double* position, double* quaternion, float* steps, int stride);
  /// Compares the first steps of `foretold` (1 or 2) of the nearest starts to find the one to try first.
  void (*nearest_starts)(const StartTable&, const ChainRange&, const ReachGoal&, int foretold, NearestStarts&);
  /// The pose one step ahead of a start, inside the range.
  void (*take_start)(const StartTable&, const ChainRange&, const ReachGoal&, int index, double* q);
  int lanes, float_lanes;  // of run_lanes and run_float_lanes
  /// Advances all lanes until one of `active` ends (bit masks): returns those that did, and which of them converged.
  unsigned (*run_lanes)(const LaneSettings<double>&, ReachLanes<double>&, unsigned active, unsigned* converged);
  unsigned (*run_float_lanes)(const LaneSettings<float>&, ReachLanes<float>&, unsigned active, unsigned* converged);
};

const ReachKernel& reach_kernel(Isa isa);

}  // namespace armature::inline v0_2
