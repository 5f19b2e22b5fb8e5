// What the search on a serial chain starts from: kernels, limits, the table of starts, and goals in the chain's own
// units.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "armature/base/math.hpp"
#include "armature/solve/methods/reach_chain.hpp"

namespace armature::inline v0_2 {

namespace baseline {
extern const ReachKernel kReachKernel;
}
#if defined(__x86_64__) && defined(__GNUC__)
namespace avx2 {
extern const ReachKernel kReachKernel;
}
namespace avx512 {
extern const ReachKernel kReachKernel;
}
#endif

const ReachKernel& reach_kernel([[maybe_unused]] Isa isa) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (isa == Isa::avx512) return avx512::kReachKernel;
  if (isa == Isa::avx2) return avx2::kReachKernel;
#endif
  return baseline::kReachKernel;
}

namespace {

using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

constexpr std::uint64_t kTableSeed = 0x5eed0f57a4275ull;
constexpr double kInnerPart = 0.9;  // of each range that the table samples: its edges are poor starts

RowMajor base_rotation(const Chain& chain) { return Eigen::Map<const RowMajor>(chain.base_rotation); }

}  // namespace

ReachChain::ReachChain(const Chain& chain, const double* lower, const double* upper, int starts)
    : chain_(chain), kernel_(&reach_kernel(chain.isa)) {
  for (int i = 0; i < kMaxChainJoints; ++i) {
    own_lower_[i] = i < chain_.joints ? lower[i] : 0.0;
    own_upper_[i] = i < chain_.joints ? upper[i] : 0.0;
  }
  own_range_ = make_range(chain_, own_lower_, own_upper_);
  own_tip_bound_ = chain_bound(chain_, own_range_, chain_.joints);
  own_wrist_bound_ = chain_bound(chain_, own_range_, chain_.joints - 1);
  restore_limits();
  const int count = (starts + kStartClasses - 1) / kStartClasses * kStartClasses;
  const int stride = kChainBlock * chain_.blocks;
  table_poses_.assign(static_cast<std::size_t>(7 * count), 0);
  table_joints_.assign(static_cast<std::size_t>(count * stride), 0.0f);
  table_steps_.assign(static_cast<std::size_t>(6 * count * stride), 0.0f);
  table_ = {count, stride, table_poses_.data(), table_joints_.data(), table_steps_.data()};
}

void ReachChain::use(Isa isa) {
  chain_.isa = isa;
  kernel_ = &reach_kernel(isa);
}

void ReachChain::set_limits(const double* lower, const double* upper) {
  std::copy(lower, lower + chain_.joints, lower_);
  std::copy(upper, upper + chain_.joints, upper_);
  range_ = make_range(chain_, lower_, upper_);
  tip_bound_ = chain_bound(chain_, range_, chain_.joints);
  wrist_bound_ = chain_bound(chain_, range_, chain_.joints - 1);
}

void ReachChain::restore_limits() {
  std::copy(own_lower_, own_lower_ + kMaxChainJoints, lower_);
  std::copy(own_upper_, own_upper_ + kMaxChainJoints, upper_);
  range_ = own_range_;
  tip_bound_ = own_tip_bound_;
  wrist_bound_ = own_wrist_bound_;
}

void ReachChain::set_mobility(const double* mobility) {
  settings_.mobility = nullptr;
  if (mobility == nullptr) return;
  for (int i = 0; i < kMaxChainJoints; ++i) mobility_[i] = i < chain_.joints ? std::sqrt(mobility[i]) : 1.0;
  settings_.mobility = mobility_;
}

void ReachChain::set_filter(ChainFilter* filter, std::uint64_t stamp) {
  filter_ = filter;
  if (stamp == table_stamp_) return;
  table_stamp_ = stamp;
  table_filled_ = false;
}

void ReachChain::to_joints(const double* internal, double* q) const {
  for (int i = 0; i < chain_.joints; ++i) {
    q[i] = std::min(std::max(internal[i] * chain_.unit[i], lower_[i]), upper_[i]);
  }
}

bool ReachChain::free(const double* internal) const {
  double q[kMaxChainJoints];
  to_joints(internal, q);
  return filter_ == nullptr || filter_->is_free(q);
}

void ReachChain::fill_table() {
  constexpr int kDraws = 200;  // for one start that touches nothing; a figure that always touches gets any
  Rng rng(kTableSeed);
  for (int k = 0; k < table_.count; ++k) {
    alignas(64) double q[kMaxChainJoints] = {};
    const std::size_t first = static_cast<std::size_t>(k) * static_cast<std::size_t>(table_.stride);
    for (int draw = 0; draw < kDraws; ++draw) {
      for (int i = 0; i < chain_.joints; ++i) {
        q[i] = own_range_.middle[i] + (rng.uniform() - 0.5) * kInnerPart * own_range_.span[i];
      }
      if (filter_ == nullptr) break;
      double joints[kMaxChainJoints];
      to_joints(q, joints);
      if (filter_->start_is_free(joints)) break;
    }
    for (int i = 0; i < chain_.joints; ++i) {
      table_joints_[first + static_cast<std::size_t>(i)] = static_cast<float>(q[i]);
    }
    double place[7];
    kernel_->place(chain_, q, place, place + 3, &table_steps_[6 * first], table_.stride);
    std::int16_t* pose =
        &table_poses_[static_cast<std::size_t>(k / kStartClasses * 7 * kStartClasses + k % kStartClasses)];
    for (int j = 0; j < 7; ++j) {
      const double scaled = place[j] * (j < 3 ? kPositionFraction : kQuaternionFraction);
      pose[kStartClasses * j] = static_cast<std::int16_t>(std::clamp(scaled, -32767.0, 32767.0));
    }
  }
  table_filled_ = true;
}

void ReachChain::set_goal(const ChainQuestion& question) {
  const RowMajor base = base_rotation(chain_);
  const RowMajor rotation =
      base.transpose() * question.target.rotation * Eigen::Map<const RowMajor>(chain_.tip_rotation).transpose();
  const Vec3 position =
      base.transpose() * (question.target.position - Eigen::Map<const Vec3>(chain_.base_translation)) / chain_.length;
  Eigen::Map<RowMajor>(goal_.rotation) = rotation;
  Eigen::Map<Vec3>(goal_.position) = position;
  goal_.partial = question.partial || !question.position || !question.orientation;
  settings_.position_tolerance = question.tolerance / chain_.length;
  goal_.position_weight = question.position ? 1.0 : 0.0;
  goal_.has_orientation = question.orientation;
  if (!goal_.partial) {
    settings_.orientation_tolerance = 2.0 * math::sin(0.5 * std::min(question.orientation_tolerance, kPi));
    return;
  }
  settings_.orientation_tolerance = question.orientation_tolerance;
  const auto axes = [&](bool counts, const std::array<bool, 3>& is_free, bool in_goal_frame, double* out) {
    const RowMajor rows = in_goal_frame ? RowMajor(question.target.rotation.transpose() * base) : base;
    for (int k = 0; k < 3; ++k) {
      const bool off = !counts || (question.partial && is_free[static_cast<std::size_t>(k)]);
      Eigen::Map<Vec3>(out + 3 * k) = off ? Vec3::Zero() : Vec3(rows.row(k));
    }
  };
  axes(question.position, question.position_free, question.position_in_goal_frame, goal_.position_axes);
  axes(question.orientation, question.orientation_free, question.orientation_in_goal_frame, goal_.orientation_axes);
  const auto& turns = question.orientation_free;
  goal_.swing = question.orientation && question.partial && int{turns[0]} + int{turns[1]} + int{turns[2]} == 1;
  if (goal_.swing) {
    const RowMajor rows =
        question.orientation_in_goal_frame ? RowMajor(question.target.rotation.transpose() * base) : base;
    Eigen::Map<Vec3>(goal_.free_axis) = rows.row(turns[0] ? 0 : turns[1] ? 1 : 2);
  }
  for (int k = 0; k < 3; ++k) {
    goal_.position_box[k] = question.partial ? question.position_box[k] / chain_.length : 0.0;
    goal_.orientation_box[k] = question.partial ? question.orientation_box[k] : 0.0;
  }
}

void ReachChain::enter(const double* q, double* internal) const {
  for (int i = 0; i < kMaxChainJoints; ++i) {
    if (i >= chain_.joints) {
      internal[i] = 0.0;
      continue;
    }
    double v = q[i] / chain_.unit[i];
    if (!std::isfinite(v)) v = range_.middle[i];
    if (v < range_.lower[i] || v > range_.upper[i]) {
      if (range_.turn[i] > 0.0) v -= range_.turn[i] * std::nearbyint((v - range_.middle[i]) / range_.turn[i]);
      v = std::min(std::max(v, range_.lower[i]), range_.upper[i]);
    }
    internal[i] = v;
  }
}

void ReachChain::leave(const double* internal, const double* seed, double* q) const {
  for (int i = 0; i < chain_.joints; ++i) {
    double v = internal[i];
    // Of equivalent angles the one nearest to the seed; inside a range of less than a turn there is but one.
    const bool only_one =
        range_.upper[i] - range_.lower[i] < range_.turn[i] && v >= range_.lower[i] && v <= range_.upper[i];
    if (range_.turn[i] > 0.0 && !only_one) {
      double turns = std::nearbyint((seed[i] - v) / range_.turn[i]);
      const double least = std::ceil((range_.lower[i] - v) / range_.turn[i]);
      const double most = std::floor((range_.upper[i] - v) / range_.turn[i]);
      turns = least <= most ? std::min(std::max(turns, least), most) : 0.0;
      v += turns * range_.turn[i];
    }
    q[i] = std::min(std::max(v * chain_.unit[i], lower_[i]), upper_[i]);
  }
}

void ReachChain::draw(Rng& rng, double* internal) const {
  for (int i = 0; i < chain_.joints; ++i) {
    const double v = range_.middle[i] + (rng.uniform() - 0.5) * range_.span[i];
    internal[i] = std::min(std::max(v, range_.lower[i]), range_.upper[i]);
  }
}

bool ReachChain::proved_unreachable(const ChainQuestion& question, const ReachGoal& goal, ChainAnswer& answer) const {
  if (!question.position || question.partial) return false;
  double x[3];
  for (int k = 0; k < 3; ++k) x[k] = goal.position[k];
  const ChainBound& bound = question.orientation ? wrist_bound_ : tip_bound_;
  if (question.orientation) {  // where the last joint must sit
    const int last = chain_.joints - 1;
    if (chain_.prismatic[last] > 0.0) return false;
    const double* r = goal.rotation;
    for (int k = 0; k < 3; ++k) {
      x[k] -= r[3 * k] * chain_.tx[last] + r[3 * k + 1] * chain_.ty[last] + r[3 * k + 2] * chain_.tz[last];
    }
  }
  const double distance = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  const double slack = settings_.position_tolerance + 4.0 * settings_.orientation_tolerance + 1e-12;
  if (distance > bound.outer + slack) {
    answer.proof = {ReachBound::beyond, bound.outer * chain_.length};
  } else if (distance < bound.inner - slack) {
    answer.proof = {ReachBound::inside_hole, bound.inner * chain_.length};
  } else {
    return false;
  }
  answer.proof->distance = distance * chain_.length;
  answer.proof->of_wrist = question.orientation;
  return true;
}

}  // namespace armature::inline v0_2
