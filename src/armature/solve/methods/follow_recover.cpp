#include "armature/solve/methods/follow_recover.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/reach_nearest.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kCaught = 0.01;       // error that counts, of size/4
constexpr int kPatience = 4;           // frames of it before the first look
constexpr int kFirst = 8;              // starts before a glide
constexpr int kMost = 48;              // starts after which the search begins anew
constexpr double kWorth = 0.2;         // of the time that a glide takes: how long to wait for it
constexpr double kLongestGlide = 2.6;  // radians of a glide
constexpr double kAtLimit = 1e-3;      // radians
constexpr int kIterations = 40;        // of one start
constexpr double kPerFrame = 4;        // velocities times starts in a frame

}  // namespace

void FollowRecover::prepare(const Problem& problem) {
  ReachSettings& options = local_.settings;
  options.local = true;
  target_ = candidate_ = neutral_pose(problem.model);
  v_.resize(problem.model.v_size());
  for (const int iterations : {0, kIterations}) {  // takes its memory now, for both ways that a search can end
    options.max_iterations = options.patience = iterations;
    local_.solve(problem, target_);
  }
}

void FollowRecover::begin() {
  rng_ = Rng(1);
  caught_ = 0;
  starts_ = 0;
  budget_ = 0.0;
  found_ = gliding_ = false;
}

// The largest change of a joint: what a glide takes its time for.
double FollowRecover::distance(const Model& model, const VecX& a, const VecX& b) {
  difference(model, a.data(), b.data(), v_.data());
  double most = 0.0;
  for (int v = 0; v < model.v_size(); ++v) {
    const ModelJoint& joint = model.joint(model.velocity_joint(v));
    const auto kinds = coordinates(joint.type);
    const bool slides = kinds[at(v - joint.v_index)] == Coordinate::length;
    most = std::max(most, std::abs(v_[v]) / (slides ? 0.25 * model.size() : 1.0));
  }
  // The short way round is not open to a joint that counts its turns.
  for (int i = 0; i < model.q_size(); ++i) {
    if (model.coordinate_kinds()[at(i)] == Coordinate::angle) most = std::max(most, std::abs(a[i] - b[i]));
  }
  return most;
}

// One start around q, further and further out.
void FollowRecover::look(const CompiledProblem& compiled, const VecX& q) {
  const Model& model = compiled.model();
  const double spread = std::min(1.0, 0.15 + 0.85 * starts_ / 16.0);
  candidate_ = q;
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.v_count == 0 || joint.v_count == 6) continue;  // nobody tumbles as a whole
    for (int i = 0; i < joint.v_count; ++i) v_[joint.v_index + i] = 0.0;
    const auto kinds = coordinates(joint.type);
    for (int i = 0; i < joint.v_count; ++i) {
      const int v = joint.v_index + i;
      const double draw = rng_.uniform(-1.0, 1.0);
      if (compiled.joint_weight(v) <= 0.0) continue;
      const bool slides = kinds[at(i)] == Coordinate::length;
      v_[v] = spread * draw * (slides ? 0.25 * model.size() : kPi);
    }
    integrate_coordinates(joint.type, candidate_.data() + joint.q_index, v_.data() + joint.v_index,
                          candidate_.data() + joint.q_index);
  }
  ++starts_;
  const Report& report = local_.solve(compiled.problem(), candidate_);
  if (!report.ok()) return;
  candidate_ = report.q;
  turn_towards(model, compiled.lower(), compiled.upper(), q.data(), candidate_.data());
  const double far = distance(model, q, candidate_);
  if (found_ && far >= (gliding_ ? 0.7 : 1.0) * best_) return;
  found_ = true;
  best_ = far;
  target_ = candidate_;
}

// A joint that stands at its limit may stand one turn back as well: the same pose of the links, with room ahead. Others
// that are wound up go back with it.
bool FollowRecover::unwind(const CompiledProblem& compiled, const VecX& q, const VecX& home) {
  const Model& model = compiled.model();
  candidate_ = q;
  bool wound = false;
  for (int i = 0; i < model.q_size(); ++i) {
    const ModelJoint& joint = model.joint(model.coordinate_joint(i));
    if (model.coordinate_kinds()[at(i)] != Coordinate::angle || joint.mimic || joint.v_count != 1) continue;
    if (compiled.joint_weight(joint.v_index) <= 0.0) continue;
    const double lower = compiled.lower()[i];
    const double upper = compiled.upper()[i];
    const bool high = q[i] > upper - kAtLimit && q[i] - 2.0 * kPi >= lower - kAtLimit;
    const bool low = q[i] < lower + kAtLimit && q[i] + 2.0 * kPi <= upper + kAtLimit;
    wound = wound || high || low;
    double turn = high ? -2.0 * kPi : low ? 2.0 * kPi : 0.0;
    if (turn == 0.0 && std::abs(q[i] - home[i]) > kPi) turn = q[i] > home[i] ? -2.0 * kPi : 2.0 * kPi;
    candidate_[i] = std::min(upper, std::max(lower, q[i] + turn));
  }
  if (!wound) return false;
  const Report& report = local_.solve(compiled.problem(), candidate_);
  if (!report.ok()) return false;
  found_ = true;
  target_ = report.q;
  best_ = distance(model, q, target_);
  return true;
}

void FollowRecover::watch(const CompiledProblem& compiled, const VecX& q, const VecX& home, double error, bool late,
                          double bound) {
  if (!gliding_ && error < kCaught) {
    if (caught_ > 0) begin();
    return;
  }
  caught_ += gliding_ || (late && starts_ == 0) ? 0 : 1;
  if (!gliding_ && caught_ < kPatience) return;
  budget_ = std::min(budget_ + kPerFrame / compiled.model().v_size(), 2.0);
  if (found_) best_ = distance(compiled.model(), q, target_);  // nearer ones are welcome, on the way, too
  for (; budget_ >= 1.0; budget_ -= 1.0) look(compiled, q);
  if (gliding_) {
    if (--time_left_ <= 0) begin();  // pinned goals are in the way: stay
    return;
  }
  const bool near = found_ && starts_ >= kFirst && best_ < kLongestGlide;
  if ((near || unwind(compiled, q, home)) && caught_ * bound >= kWorth * best_) {
    gliding_ = true;
    time_left_ = 4 + static_cast<int>(2.0 * best_ / bound);
  }
  if (starts_ >= kMost) {
    starts_ = 0;
    found_ = false;  // goals have moved on
  }
}

bool FollowRecover::refresh(const Problem& problem) {
  if (!gliding_) return false;
  const Report& report = local_.solve(problem, target_);
  if (report.ok()) {
    target_ = report.q;
    return true;
  }
  begin();
  return false;
}

}  // namespace armature::inline v0_2
