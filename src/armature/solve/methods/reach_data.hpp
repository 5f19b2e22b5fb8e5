// What the kernels of the reach method work on: plain numbers in the chain's internal units (chain_data.hpp).
#pragma once

#include "armature/kinematics/chain_data.hpp"

namespace armature {

/// Where the chain's canonical tip should be: the caller's goal moved through the chain's base and tip constants.
struct alignas(64) ReachGoal {
  double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // row-major
  double position[3] = {0, 0, 0};
  double quaternion[4] = {0, 0, 0, 1};  // of `rotation`: x, y, z, w

  float table_position_weight = 1.0f;  // of |dp|^2 when starts are compared; 0 for a goal without position

  // Partial goals only (`partial`): rows = axes * error, then what lies within +-box is forgiven. A free axis has a
  // zero row. The orientation's error is then the rotation vector.
  bool partial = false;
  bool has_orientation = true;  // false: all orientation rows are zero
  double position_axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double orientation_axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double position_box[3] = {0, 0, 0};
  double orientation_box[3] = {0, 0, 0};
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

/// Random poses of the chain with the tip's place, searched for the nearest to a goal. Eight at a time: px[8] py[8]
/// pz[8] qx[8] qy[8] qz[8] qw[8]. Starts come in eight classes (index mod 8).
inline constexpr int kStartClasses = 8;
struct StartTable {
  int count = 0;                 // a multiple of eight
  int stride = 0;                // numbers per start
  const float* poses = nullptr;  // 7 * count
  const float* joints = nullptr;
};
struct NearestStarts {
  float distance[kStartClasses];  // |dp|^2 + chord^2 of the best in each class
  int index[kStartClasses];
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
  /// The tip's canonical pose: position and quaternion (x, y, z, w).
  void (*place)(const Chain&, const double* q, double* position, double* quaternion);
  void (*nearest_starts)(const StartTable&, const ReachGoal&, NearestStarts&);
};

const ReachKernel& reach_kernel(Isa isa);

}  // namespace armature
