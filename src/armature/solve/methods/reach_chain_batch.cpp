// Batches on a serial chain: as many descents side by side as the kernel has lanes, each refilled as soon as it ends. A
// descent begins in lanes of floats; near its goal it moves to a lane of doubles, where one or two steps are left.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "armature/base/math.hpp"
#include "armature/solve/methods/reach_chain.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kLaneAttempts = 17;    // descents after which a goal is left to the single solver
constexpr int kLaneStarts = 256;     // of the table that are looked at: in lanes a step costs less than looking at more
constexpr int kLaneForetold = 1;     // starts compared by their first step: in lanes a step costs less than comparing
constexpr int kLaneIterations = 30;  // evaluations of one descent, as in single solves

constexpr double kNear = 3e-3;        // position (internal units) and chord at which a descent goes on in doubles
constexpr double kFloatFloor = 1e-6;  // of the damping: below it floats cannot tell a matrix from a singular one

using LaneRowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

template <class T>
LaneSettings<T> lane_settings(const Chain& chain, const ChainRange& range, const DescentSettings& settings) {
  LaneSettings<T> out;
  out.joints = chain.joints;
  out.has_prismatic = chain.has_prismatic;
  for (int i = 0; i < chain.joints; ++i) {
    out.theta[i] = static_cast<T>(chain.theta[i]);
    out.cos_twist[i] = static_cast<T>(chain.cos_twist[i]);
    out.sin_twist[i] = static_cast<T>(chain.sin_twist[i]);
    out.tx[i] = static_cast<T>(chain.tx[i]);
    out.ty[i] = static_cast<T>(chain.ty[i]);
    out.tz[i] = static_cast<T>(chain.tz[i]);
    out.revolute[i] = static_cast<T>(chain.revolute[i]);
    out.prismatic[i] = static_cast<T>(chain.prismatic[i]);
    out.lower[i] = static_cast<T>(range.lower[i]);
    out.upper[i] = static_cast<T>(range.upper[i]);
    out.middle[i] = static_cast<T>(range.middle[i]);
    out.turn[i] = static_cast<T>(range.turn[i]);
  }
  out.position_tolerance = static_cast<T>(settings.position_tolerance);
  out.orientation_tolerance = static_cast<T>(settings.orientation_tolerance);
  out.damping = static_cast<T>(settings.damping);
  out.damping_floor = static_cast<T>(settings.damping_floor);
  out.stall_ratio = static_cast<T>(settings.stall_ratio);
  out.stall_patience = static_cast<T>(settings.stall_patience);
  return out;
}

/// Lanes of one kind of number, and which slot each works on.
template <class T>
struct LaneBank {
  ReachLanes<T> lanes;
  int width = 0;
  unsigned active = 0;
  int slot[ReachLanes<T>::kMost] = {};

  unsigned all() const { return (1u << width) - 1u; }
  int open_lane() const {  // -1: none
    int lane = 0;
    while (lane < width && (active >> lane & 1u) != 0) ++lane;
    return lane < width ? lane : -1;
  }
  void begin(int lane, int index, const ReachGoal& goal, const double* q, int joints) {
    slot[lane] = index;
    active |= 1u << lane;
    for (int i = 0; i < joints; ++i) lanes.q[width * i + lane] = static_cast<T>(q[i]);
    for (int k = 0; k < 9; ++k) lanes.rotation[width * k + lane] = static_cast<T>(goal.rotation[k]);
    for (int k = 0; k < 3; ++k) lanes.position[width * k + lane] = static_cast<T>(goal.position[k]);
    lanes.best[lane] = ReachLanes<T>::kWorst;
    lanes.idle[lane] = 0;
    lanes.left[lane] = kLaneIterations;
  }
  void end(int lane) { active &= ~(1u << lane); }
  int evaluations(int lane) const { return kLaneIterations - static_cast<int>(lanes.ended_left[lane]); }
};

/// Numbers of slots, last in first out.
struct SlotStack {
  static constexpr int kMost = ReachLanes<float>::kMost + ReachLanes<double>::kMost;
  int items[kMost];
  int count = 0;
  void push(int slot) { items[count++] = slot; }
  int pop() { return items[--count]; }
};

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

void ReachChain::scan(Slot& slot) {
  StartTable first = table_;
  first.count = std::min(first.count, kLaneStarts);
  kernel_->nearest_starts(first, range_, slot.goal, kLaneForetold, slot.near);
  slot.scanned = true;
}

/// The first start, much as ReachChain::search chooses it. `p`: position and quaternion of the tip at the seed.
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
    scan(slot);
    if (0.5 * slot.near.distance < energy) kernel_->take_start(table_, range_, slot.goal, slot.near.first, slot.q);
  }
  return true;
}

/// The next start after a descent that failed; false: leave it to the single solver.
bool ReachChain::begin_again(Slot& slot) {
  if (++slot.attempts >= kLaneAttempts || table_.count == 0) return false;
  int index = -1;
  if (!slot.scanned) {
    scan(slot);
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
  const LaneSettings<double> exact = lane_settings<double>(chain_, range_, settings_);
  DescentSettings rough_settings = settings_;
  rough_settings.position_tolerance = std::max(settings_.position_tolerance, kNear);
  rough_settings.orientation_tolerance = std::max(settings_.orientation_tolerance, kNear);
  rough_settings.damping_floor = kFloatFloor;
  const LaneSettings<float> rough = lane_settings<float>(chain_, range_, rough_settings);

  Slot slots[SlotStack::kMost];
  LaneBank<float> floats;
  LaneBank<double> doubles;
  floats.width = kernel_->float_lanes;
  doubles.width = kernel_->lanes;
  SlotStack unused, starting, near;  // starting: waits for a lane of floats; near: for one of doubles
  for (int k = 0; k < floats.width + doubles.width; ++k) unused.push(k);
  // The last seed and where its tip is: batches often have one seed for all goals.
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(chain_.joints);
  double given[kMaxChainJoints] = {}, place[7] = {};
  alignas(64) double seed[kMaxChainJoints] = {};
  bool placed = false, more = true;
  const auto take_goal = [&](Slot& slot) {
    double q[kMaxChainJoints];
    while (batch.next(slot.id, question.target, q)) {
      if (!placed || std::memcmp(q, given, bytes) != 0) {
        std::memcpy(given, q, bytes);
        enter(q, seed);
        kernel_->place(chain_, seed, place, place + 3, nullptr, 0);
        placed = true;
      }
      std::copy(seed, seed + kMaxChainJoints, slot.seed);
      if (begin(slot, question, place)) return true;
    }
    return false;
  };
  // False: the caller does not accept the pose.
  const auto answer = [&](Slot& slot, int lane, const double* internal) {
    double q[kMaxChainJoints];
    leave(internal, slot.seed, q);
    if (!batch.accepts(slot.id, q)) {
      ++slot.refused;
      return false;
    }
    ChainAnswer answer;
    answer.refused = slot.refused;
    answer.outcome = Outcome::converged;
    answer.iterations = slot.iterations;
    answer.restarts = slot.attempts;
    answer.position_error = std::sqrt(doubles.lanes.position2[lane]) * chain_.length;
    answer.orientation_error = 2.0 * math::asin(std::min(1.0, 0.5 * std::sqrt(doubles.lanes.orientation2[lane])));
    batch.answer(slot.id, answer, q);
    return true;
  };

  for (;;) {
    for (int lane = floats.open_lane(); lane >= 0; lane = floats.open_lane()) {
      if (starting.count == 0 && more && unused.count > 0) {
        const int k = unused.pop();
        more = take_goal(slots[k]);
        (more ? starting : unused).push(k);
      }
      if (starting.count == 0) break;
      const int k = starting.pop();
      floats.begin(lane, k, slots[k].goal, slots[k].q, chain_.joints);
    }
    for (int lane = doubles.open_lane(); lane >= 0 && near.count > 0; lane = doubles.open_lane()) {
      const int k = near.pop();
      doubles.begin(lane, k, slots[k].goal, slots[k].q, chain_.joints);
    }
    unsigned converged = 0;
    if (doubles.active == doubles.all() || (floats.active == 0 && doubles.active != 0)) {
      unsigned ended = kernel_->run_lanes(exact, doubles.lanes, doubles.active, &converged);
      for (int lane = 0; ended != 0; ++lane, ended >>= 1) {
        if ((ended & 1u) == 0) continue;
        const int k = doubles.slot[lane];
        Slot& slot = slots[k];
        doubles.end(lane);
        slot.iterations += doubles.evaluations(lane) - 1;
        double internal[kMaxChainJoints];
        for (int i = 0; i < chain_.joints; ++i) internal[i] = doubles.lanes.ended_q[doubles.width * i + lane];
        // What went so far that its errors are uncertain is left to the single solver, which measures them anew.
        const bool answered =
            (converged >> lane & 1u) != 0 && resolved(internal) && resolved(slot.seed) && answer(slot, lane, internal);
        (!answered && begin_again(slot) ? starting : unused).push(k);
      }
    } else if (floats.active != 0) {
      unsigned ended = kernel_->run_float_lanes(rough, floats.lanes, floats.active, &converged);
      for (int lane = 0; ended != 0; ++lane, ended >>= 1) {
        if ((ended & 1u) == 0) continue;
        const int k = floats.slot[lane];
        Slot& slot = slots[k];
        floats.end(lane);
        if ((converged >> lane & 1u) != 0) {  // its step is already made
          slot.iterations += floats.evaluations(lane);
          for (int i = 0; i < chain_.joints; ++i) {
            const double q = floats.lanes.q[floats.width * i + lane];
            slot.q[i] = std::min(std::max(q, range_.lower[i]), range_.upper[i]);
          }
          near.push(k);
          continue;
        }
        slot.iterations += floats.evaluations(lane) - 1;
        (begin_again(slot) ? starting : unused).push(k);
      }
    } else {
      return;
    }
  }
}

}  // namespace armature::inline v0_2
