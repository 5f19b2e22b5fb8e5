#include "armature/solve/methods/reach_nearest.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kFullTurn = 2.0 * kPi;
constexpr double kFirstSpread = 0.15;  // of the way to a random pose, where starts begin
constexpr int kSpreading = 16;         // starts until they are anywhere
constexpr double kWorthSliding = 1.6;  // times the nearest distance: farther answers hardly slide below it
constexpr double kSame = 1e-3;         // radians: answers that differ by less are the same
constexpr double kEqual = 1e-9;        // of a quality: answers that differ by less are as good
constexpr int kDescents = 100;         // iterations of one descent

}  // namespace

void turn_towards(const Model& model, const double* lower, const double* upper, const double* from, double* q) {
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.q_count != 1 || coordinates(joint.type)[0] != Coordinate::angle) continue;
    if (std::holds_alternative<Helical>(joint.type)) continue;
    const int i = joint.q_index;
    // The nearest turn, or else the next one towards the value there is, which lies inside.
    double turns = std::round((from[i] - q[i]) / kFullTurn);
    const double back = turns > 0.0 ? -1.0 : 1.0;
    while (turns != 0.0 && !(q[i] + kFullTurn * turns >= lower[i] && q[i] + kFullTurn * turns <= upper[i]))
      turns += back;
    q[i] += kFullTurn * turns;
  }
}

void ReachNearest::prepare(const CompiledProblem& problem, const ReachSettings& options, const VecX& q) {
  const Model& model = problem.model();
  start_ = q_ = slid_ = best_ = q;
  clamp_start(model, problem.lower(), problem.upper(), start_.data());
  known_.resize(q.size(), options.candidates + 1);
  answers_ = iterations_ = starts_ = 0;
  nearest_ = HUGE_VAL;
  all_ = false;
  rng_ = Rng(static_cast<std::uint64_t>(options.seed));
  static_cast<SolveOptions&>(local_.settings) = options;
  local_.settings.local = true;
  local_.settings.max_iterations = local_.settings.patience = kDescents;
  local_.settings.max_time = 0.0;
  static_cast<SolveOptions&>(slide_.settings) = options;
  int rows = 0, movable = 0;
  for (const CompiledGoal& goal : problem.goals()) rows += goal.required ? goal.rows : 0;
  for (int v = 0; v < model.v_size(); ++v) movable += problem.joint_weight(v) > 0.0 ? 1 : 0;
  free_ = rows < movable;
}

// Whether the problem is one whole goal on a chain with a closed form that is exact.
bool ReachNearest::analyze(const CompiledProblem& problem) {
  if (problem.goals().size() != 1) return false;
  const CompiledGoal& goal = problem.goals()[0];
  if (!goal.framed || !goal.frame.position || !goal.frame.whole()) return false;
  const FrameTarget& frame = goal.frame;
  const bool same = fingerprint_ == problem.model().fingerprint() && base_ == frame.base && tip_ == frame.link &&
                    point_ == frame.point && orientation_ == frame.orientation;
  const auto moves_all = [&] {
    for (const ChainCoordinate& c : analysis_.chain.coordinates) {
      if (problem.joint_weight(c.velocity) != 1.0) return false;
    }
    return true;
  };
  if (same) return has_equations_ && moves_all();
  fingerprint_ = problem.model().fingerprint();
  base_ = frame.base;
  tip_ = frame.link;
  point_ = frame.point;
  orientation_ = frame.orientation;
  ChainTask task;
  task.position_only = !frame.orientation;
  Result<ChainAnalysis> analysis = analyze_chain(problem.model(), base_, tip_, point_, task);
  has_equations_ =
      analysis.ok() && analysis->exact() && analysis->kind != ChainClass::srs && analysis->kind != ChainClass::locked;
  if (has_equations_) analysis_ = std::move(*analysis);
  return has_equations_ && moves_all();
}

// All answers, in equations_; false when they are not all or not apart from each other.
bool ReachNearest::solve_equations(CompiledProblem& problem) {
  for (int j = 0; j < analysis_.joint_count(); ++j) {
    const ChainCoordinate& c = analysis_.chain.coordinates[at(j)];
    chain_start_[j] = c.multiplier * start_[c.coordinate] + c.offset;
    const double a = c.multiplier * problem.lower()[c.coordinate] + c.offset;
    const double b = c.multiplier * problem.upper()[c.coordinate] + c.offset;
    chain_lower_[j] = std::min(a, b);
    chain_upper_[j] = std::max(a, b);
  }
  ChainSolveOptions how;
  how.lower = chain_lower_;
  how.upper = chain_upper_;
  solve_chain(analysis_, problem.goals()[0].frame.target, chain_start_, how, equations_);
  return equations_.complete && equations_.singular_joints == 0;
}

void ReachNearest::set_chain(const CompiledProblem& problem, const double* value) {
  q_ = start_;
  for (int j = 0; j < analysis_.joint_count(); ++j) {
    const ChainCoordinate& c = analysis_.chain.coordinates[at(j)];
    const double own = (value[j] - c.offset) / c.multiplier;
    q_[c.coordinate] = std::min(std::max(own, problem.lower()[c.coordinate]), problem.upper()[c.coordinate]);
  }
}

bool ReachNearest::nearest_of_equations(CompiledProblem& problem, VecX& q) {
  if (!solve_equations(problem)) return false;
  within_limits(analysis_, equations_, chain_lower_, chain_upper_, chain_start_, kMaxLimited, limited_);
  if (limited_.count == 0) return false;  // a search says it with more words
  set_chain(problem, limited_.item[0].value);
  const Report& report = local_.answer(problem, q_, nullptr);  // to the problem's own tolerance
  iterations_ += 1 + report.iterations;
  if (!report.ok() || (report.q - q_).cwiseAbs().maxCoeff() > kSame) return false;
  answers_ = limited_.count;
  all_ = !limited_.cut;
  q = report.q;
  return true;
}

// Larger is better; docs/methods/reach.md has the definitions.
double ReachNearest::worth(CompiledProblem& problem, Quality quality, const Report& report) {
  if (quality == Quality::clear) return local_.clearance(report.q);
  if (quality == Quality::centered) {
    double sum = 0.0;
    for (const ChainCoordinate& c : analysis_.chain.coordinates) {
      const double lower = problem.lower()[c.coordinate], upper = problem.upper()[c.coordinate];
      if (!(upper > lower) || !std::isfinite(upper - lower)) continue;
      const double off = (2.0 * report.q[c.coordinate] - lower - upper) / (upper - lower);
      sum += off * off;
    }
    return -sum;
  }
  stack_.evaluate(report.q.data());
  stack_.differentiate();
  measures(stack_.J, measures_);
  return measures_.manipulability;
}

bool ReachNearest::choose(CompiledProblem& problem, const ReachSettings& options, VecX& q) {
  prepare(problem, options, q);
  if (!analyze(problem) || !solve_equations(problem)) return false;
  stack_.prepare(problem);
  // Full turns change nothing but how far a joint is from the middle of its limits.
  double target[kMaxAnalyticJoints], value[kMaxAnalyticJoints];
  for (int j = 0; j < analysis_.joint_count(); ++j) {
    const double middle = 0.5 * (chain_lower_[j] + chain_upper_[j]);
    target[j] = options.quality == Quality::centered && std::isfinite(middle) ? middle : chain_start_[j];
  }
  double best = -HUGE_VAL;
  for (int k = 0; k < equations_.count; ++k) {
    if (!nearest_variant(analysis_, equations_, k, chain_lower_, chain_upper_, target, value)) continue;
    set_chain(problem, value);
    const Report& report = local_.answer(problem, q_, nullptr);
    iterations_ += 1 + report.iterations;
    if (report.outcome == Outcome::blocked) continue;
    if (!report.ok() || (report.q - q_).cwiseAbs().maxCoeff() > kSame) return false;
    ++answers_;
    q_ = report.q;
    const double now = worth(problem, options.quality, report), far = distance(problem, q_);
    // Flips of a wrist are often equally good: then the nearer one.
    const double same = std::isfinite(best) ? kEqual * std::abs(best) : 0.0;
    if (now > best + same || (now >= best - same && far < nearest_)) {
      best = now;
      nearest_ = far;
      best_ = q_;
    }
  }
  all_ = true;
  if (answers_ > 0) q = best_;
  return answers_ > 0;
}

// A start in q_: part of the way from the given one to a random pose.
void ReachNearest::draw(const CompiledProblem& problem, double spread) {
  const Model& model = problem.model();
  q_ = start_;
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.v_count == 0) continue;
    const auto kinds = coordinates(joint.type);
    for (int i = 0; i < joint.q_count; ++i) {
      const int c = joint.q_index + i;
      if (kinds[at(i)] == Coordinate::quaternion) {
        const double most = joint.v_count == 6 ? 0.5 : kPi;  // a free root: the figure stays upright
        const double angle = spread * most;
        const Vec3 turn{rng_.uniform(-angle, angle), rng_.uniform(-angle, angle), rng_.uniform(-angle, angle)};
        const Quat turned = (joint_detail::quaternion(q_.data() + c) * exp_rotation(turn)).normalized();
        if (problem.joint_weight(joint.v_index + joint.v_count - 3) > 0.0) {
          for (int k = 0; k < 4; ++k) q_[c + k] = turned.coeffs()[k];
        }
        i += 3;
        continue;
      }
      const double span = kinds[at(i)] == Coordinate::length ? model.size() : kPi;
      const bool wide = !(problem.upper()[c] - problem.lower()[c] <= 2.0 * span + 1.0);
      const double target =
          wide ? start_[c] + rng_.uniform(-span, span) : rng_.uniform(problem.lower()[c], problem.upper()[c]);
      if (problem.joint_weight(joint.v_index + i) > 0.0) q_[c] += spread * (target - q_[c]);
    }
  }
  clamp(model, problem.lower(), problem.upper(), q_.data());
}

double ReachNearest::distance(const CompiledProblem& problem, const VecX& q) const {
  const Model& model = problem.model();
  const double length = 0.25 * model.size();
  double sum = 0.0;
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.v_count == 0) continue;
    double v[kMaxJointVelocities];
    difference_coordinates(joint.type, start_.data() + joint.q_index, q.data() + joint.q_index, v);
    const auto kinds = coordinates(joint.type);
    for (int i = 0; i < joint.v_count; ++i) {
      // An angle counts its turns; of a quaternion there are three velocities for four numbers.
      double d = v[i];
      if (kinds[at(i)] == Coordinate::angle) d = q[joint.q_index + i] - start_[joint.q_index + i];
      if (kinds[at(i)] == Coordinate::length) d /= length;
      const double weight = problem.joint_weight(joint.v_index + i);
      if (weight > 0.0) sum += d * d / weight;
    }
  }
  return std::sqrt(sum);
}

// A descent from q_, and what it found as near to the start as it can be had. False when it found nothing.
bool ReachNearest::consider(CompiledProblem& problem) {
  const Report& report = local_.answer(problem, q_, nullptr);
  iterations_ += report.iterations;
  if (!report.ok()) return false;
  q_ = report.q;
  turn_towards(problem.model(), problem.lower(), problem.upper(), start_.data(), q_.data());
  double far = distance(problem, q_);
  if (free_ && far < kWorthSliding * nearest_ && far > 1e-9) {
    slid_ = q_;
    if (slide_.slide(problem.problem(), start_, slid_)) {
      const double slid = distance(problem, slid_);
      if (slid < far) {
        far = slid;
        q_ = slid_;
      }
    }
  }
  bool fresh = answers_ < known_.cols();
  for (int k = 0; fresh && k < answers_; ++k) fresh = (known_.col(k) - q_).cwiseAbs().maxCoeff() > kSame;
  if (fresh) known_.col(answers_++) = q_;
  if (far < nearest_) {
    nearest_ = far;
    best_ = q_;
  }
  return true;
}

bool ReachNearest::search(CompiledProblem& problem, const ReachSettings& options, VecX& q) {
  prepare(problem, options, q);
  if (analyze(problem) && nearest_of_equations(problem, q)) return true;
  const double deadline = options.max_time > 0.0 ? ReachLast::clock() + options.max_time : 0.0;
  for (; starts_ < options.candidates && iterations_ < options.max_iterations; ++starts_) {
    if (starts_ == 0) {
      q_ = start_;
    } else {
      draw(problem, std::min(1.0, kFirstSpread + (1.0 - kFirstSpread) * starts_ / kSpreading));
    }
    consider(problem);
    if (nearest_ < 1e-9 || (deadline > 0.0 && ReachLast::clock() > deadline)) break;
  }
  if (answers_ == 0) return false;
  q = best_;
  return true;
}

}  // namespace armature::inline v0_2
