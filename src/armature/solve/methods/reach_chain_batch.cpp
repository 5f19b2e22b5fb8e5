// Batches on a serial chain: as many descents side by side as the kernel has lanes, each refilled as soon as it ends.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "armature/base/math.hpp"
#include "armature/solve/methods/reach_chain.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kLaneAttempts = 17;    // descents after which a goal is left to the single solver
constexpr int kLaneForetold = 1;     // starts compared by their first step: in lanes a step costs less than comparing
constexpr int kLaneIterations = 30;  // evaluations of one descent, as in single solves

using LaneRowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

}  // namespace

/// What one lane works on.
struct ReachChain::Slot {
  ReachGoal goal;
  NearestStarts near;
  bool scanned = false;
  int id = 0;
  int attempts = 0;
  int iterations = 0;
  int refused = 0;
  alignas(64) double seed[kMaxChainJoints] = {};
  alignas(64) double q[kMaxChainJoints] = {};  // where the next descent starts
};

/// The first start, as ReachChain::search chooses it. `p`: position and quaternion of the tip at the seed.
bool ReachChain::begin(Slot& slot, const ChainQuestion& question, const double* p) {
  const Eigen::Map<const LaneRowMajor> base(chain_.base_rotation), tip(chain_.tip_rotation);
  Eigen::Map<LaneRowMajor> rotation(slot.goal.rotation);
  const LaneRowMajor turned = base.transpose() * question.target.rotation;
  rotation.noalias() = turned * tip.transpose();
  Eigen::Map<Vec3>(slot.goal.position) =
      base.transpose() * (question.target.position - Eigen::Map<const Vec3>(chain_.base_translation)) / chain_.length;
  ChainAnswer unused;
  if (!question.target.is_finite() || proved_unreachable(question, slot.goal, unused)) return false;
  const Quat g(Mat3{rotation});
  std::copy(g.coeffs().data(), g.coeffs().data() + 4, slot.goal.quaternion);
  slot.attempts = 0;
  slot.iterations = 0;
  slot.refused = 0;
  slot.scanned = false;
  std::copy(slot.seed, slot.seed + kMaxChainJoints, slot.q);
  const double* t = slot.goal.position;
  const double dot = (p[3] * g.x() + p[4] * g.y()) + (p[5] * g.z() + p[6] * g.w());
  const double dx = t[0] - p[0], dy = t[1] - p[1], dz = t[2] - p[2];
  const double energy = 0.5 * ((dx * dx + dy * dy + dz * dz) + (4.0 - 4.0 * (dot * dot)));
  if (energy > kNearSeedEnergy && table_.count > 0) {
    kernel_->nearest_starts(table_, range_, slot.goal, kLaneForetold, slot.near);
    slot.scanned = true;
    if (0.5 * slot.near.distance < energy) kernel_->take_start(table_, range_, slot.goal, slot.near.first, slot.q);
  }
  return true;
}

/// The next start after a descent that failed; false: leave it to the single solver.
bool ReachChain::begin_again(Slot& slot) {
  if (++slot.attempts >= kLaneAttempts || table_.count == 0) return false;
  int index = -1;
  if (!slot.scanned) {
    kernel_->nearest_starts(table_, range_, slot.goal, kLaneForetold, slot.near);
    slot.scanned = true;
    index = slot.near.first;
  } else {
    index = slot.near.take();
  }
  if (index < 0) return false;
  kernel_->take_start(table_, range_, slot.goal, index, slot.q);
  return true;
}

void ReachChain::solve_together(const ChainQuestion& pattern, ChainBatch& batch) {
  ChainQuestion question = pattern;
  set_goal(question);  // the tolerances
  if (goal_.partial || settings_.mobility != nullptr) return;
  if (!table_filled_ && table_.count > 0) fill_table();
  DescentSettings settings = settings_;
  settings.resolve = false;

  Slot slots[ReachLanes::kMost];
  ReachLanes lanes;
  const int width = kernel_->lanes;
  // The last seed and where its tip is: batches often have one seed for all goals.
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(chain_.joints);
  double given[kMaxChainJoints] = {}, place[7] = {};
  alignas(64) double seed[kMaxChainJoints] = {};
  bool placed = false;
  const auto load = [&](int lane) {
    const Slot& slot = slots[lane];
    for (int i = 0; i < chain_.joints; ++i) lanes.q[width * i + lane] = slot.q[i];
    lanes.best[lane] = 1e300;
    lanes.idle[lane] = 0.0;
    lanes.left[lane] = kLaneIterations;
  };
  const auto refill = [&](int lane) {
    Slot& slot = slots[lane];
    double q[kMaxChainJoints];
    while (batch.next(slot.id, question.target, q)) {
      if (!placed || std::memcmp(q, given, bytes) != 0) {
        std::memcpy(given, q, bytes);
        enter(q, seed);
        kernel_->place(chain_, seed, place, place + 3, nullptr, 0);
        placed = true;
      }
      std::copy(seed, seed + kMaxChainJoints, slot.seed);
      if (!begin(slot, question, place)) continue;
      for (int k = 0; k < 9; ++k) lanes.rotation[width * k + lane] = slot.goal.rotation[k];
      for (int k = 0; k < 3; ++k) lanes.position[width * k + lane] = slot.goal.position[k];
      load(lane);
      return true;
    }
    return false;
  };

  unsigned active = 0;
  for (int lane = 0; lane < width; ++lane) active |= refill(lane) ? 1u << lane : 0u;
  while (active != 0) {
    unsigned converged = 0;
    unsigned ended = kernel_->run_lanes(chain_, range_, settings, lanes, active, &converged);
    for (int lane = 0; ended != 0; ++lane, ended >>= 1) {
      if ((ended & 1u) == 0) continue;
      Slot& slot = slots[lane];
      const int evaluations = kLaneIterations - static_cast<int>(lanes.ended_left[lane]);
      slot.iterations += evaluations - 1;
      double internal[kMaxChainJoints];
      for (int i = 0; i < chain_.joints; ++i) internal[i] = lanes.ended_q[width * i + lane];
      // What went so far that its errors are uncertain is left to the single solver, which measures them anew.
      const bool certain = (converged >> lane & 1u) != 0 && resolved(internal);
      double q[kMaxChainJoints];
      if (certain) leave(internal, slot.seed, q);
      const bool accepted = certain && batch.accepts(slot.id, q);
      if (accepted) {
        ChainAnswer answer;
        answer.refused = slot.refused;
        answer.outcome = Outcome::converged;
        answer.iterations = slot.iterations;
        answer.restarts = slot.attempts;
        answer.position_error = std::sqrt(lanes.position2[lane]) * chain_.length;
        answer.orientation_error = 2.0 * math::asin(std::min(1.0, 0.5 * std::sqrt(lanes.orientation2[lane])));
        batch.answer(slot.id, answer, q);
      } else {
        slot.refused += certain ? 1 : 0;
        if (begin_again(slot)) {
          load(lane);
          continue;
        }
      }
      if (!refill(lane)) active &= ~(1u << lane);
    }
  }
}

}  // namespace armature::inline v0_2
