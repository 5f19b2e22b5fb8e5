// Over 400 lines: a gesture, its frames and the walks of single questions share all of their state.
#include "armature/solve/methods/follow.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kLight = 5e-4;         // least mass term of a joint, of total mass * size^2
constexpr double kPreference = 10;      // stiffness of a preference of weight 1, of the joint's own
constexpr double kStill = 1e-9;         // goals that moved less than this rest
constexpr double kIdle = 1e-7;          // a walk whose frames move less than this has ended
constexpr double kStands = 1e-3;        // error below which a goal is met where the gesture begins, of size/4
constexpr double kWalk = 0.2;           // radians a frame of a walk
constexpr double kLongestDetour = 0.2;  // radians: a step between obstacles

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

bool is_length(const Model& model, int velocity) {
  const ModelJoint& joint = model.joint(model.velocity_joint(velocity));
  return coordinates(joint.type)[at(velocity - joint.v_index)] == Coordinate::length;
}

}  // namespace

Status Follow::accept(const Problem& problem, const VecX& q) {
  report_.iterations = 0;
  report_.restarts = 0;
  report_.method = kFollowInfo.name;
  report_.reason = "";
  report_.proof.reset();
  compiled_.closes_loops = true;
  if (Status status = compiled_.interpret(problem, settings, q); !status) return status;
  if (keeps_loops()) loops_.prepare(compiled_);
  if (fingerprint_ != problem.model.fingerprint()) {  // what the last solve returned was of another model
    fingerprint_ = problem.model.fingerprint();
    last_ = VecX::Constant(q.size(), std::nan(""));
    begun_ = false;
  }
  if (energy_.prepare(compiled_)) {
    const std::size_t coordinates = at(problem.model.q_size());
    step_.prepare(energy_);
    closing_.prepare(energy_);
    report_.goals.reserve(problem.goals.size());
    report_.joints_at_limits.reserve(coordinates);
    report_.blocking_joints.reserve(coordinates);
    last_error_.assign(energy_.system.error.size(), 0.0);
    last_target_.assign(energy_.items().size(), Mat3::Identity());
    last_place_.assign(energy_.items().size(), Vec3::Zero());
    push_.assign(at(problem.model.v_size()), 0.0);
    level_square_.assign(energy_.system.levels().size(), 0.0);
    comparable_ = false;
    mass_.prepare(problem.model);
    reach_.resize(problem.model.v_size());
    weights_.resize(problem.model.v_size());
    unit_.resize(problem.model.v_size());
    for (int v = 0; v < unit_.size(); ++v) unit_[v] = is_length(problem.model, v) ? energy_.system.length : 1.0;
    walk_ = kWalk * unit_;
    inward_.resize(problem.model.q_size());
    for (VecX* each : {&home_, &drawn_, &start_, &last_, &from_, &soft_, &trial_, &second_}) {
      if (each->size() == q.size()) continue;
      each->resize(q.size());
      each->setConstant(std::nan(""));
    }
    held_.reserve(energy_.items().size());
    recover_.prepare(problem);
    recover_.begin();
  }
  box_.prepare(compiled_, energy_.system);
  free_.prepare(compiled_, energy_);
  energy_.softness = settings.softness;
  return {};
}

// Masses at the pose where the gesture begins; they stay what they are then.
void Follow::find_metric(const Problem& problem, const VecX& q) {
  const Model& model = problem.model;
  // Feet that stand where they should: of the first priority, with others after it.
  held_.clear();
  energy_.system.evaluate(q.data());
  for (const FollowEnergy::Item& item : energy_.items()) {
    if (item.level > 0 || energy_.system.levels().size() < 2 || !item.goal->framed || !item.goal->frame.position)
      continue;
    double square = 0.0;
    for (int r = 0; r < item.rows; ++r) {
      const double e = energy_.system.error[at(item.first_row + r)];
      square += e * e;
    }
    if (item.goal->frame.base == kWorld && square < kStands * kStands) held_.push_back(item.goal->frame.link);
  }
  mass_.hold(held_);
  mass_.compute(q.data(), metric_);
  for (int v = 0; v < model.v_size(); ++v) {
    const double unit = unit_[v] * unit_[v];  // per radian, or per internal length
    const double ratio = std::max(1.0, metric_[v] * unit / kLight);
    metric_[v] = settings.home * kLight * ratio * std::sqrt(ratio) / unit;
    if (const double weight = compiled_.joint_weight(v); weight > 0.0) metric_[v] /= weight;
    metric_[v] = std::max(metric_[v], 1e-9 * kLight / unit);
  }
}

void Follow::start(const Problem& problem, const VecX& q) {
  const Model& model = problem.model;
  start_ = home_ = soft_ = q;
  step_.begin();
  closing_.begin();
  recover_.begin();
  comparable_ = stuck_ = false;
  damping_ = closing_damping_ = 0.0;
  find_metric(problem, q);

  // Preferences draw home, and stiffen it.
  weights_.setZero();
  for (const Preference& preference : compiled_.preferences()) {
    for (const ModelJoint& joint : model.joints()) {
      if (joint.mimic || joint.v_count == 0) continue;
      double v[kMaxJointVelocities];
      double* home = home_.data() + joint.q_index;
      difference_coordinates(joint.type, home, preference.desired + joint.q_index, v);
      for (int i = 0; i < joint.v_count; ++i) {
        const int n = joint.v_index + i;
        const double pull = kPreference * preference.gain_of(n);
        weights_[n] += pull;
        v[i] *= pull / (1.0 + weights_[n]);
      }
      integrate_coordinates(joint.type, home, v, home);
    }
  }
  for (int v = 0; v < model.v_size(); ++v) metric_[v] *= 1.0 + weights_[v];

  // Joints that begin at a bound.
  const double* lower = compiled_.lower();
  const double* upper = compiled_.upper();
  inward_.setZero();
  has_inward_ = false;
  for (int i = 0; i < model.q_size(); ++i) {
    if (model.coordinate_kinds()[at(i)] != Coordinate::angle || !(upper[i] > lower[i])) continue;
    const double most = std::min(settings.straight, 0.25 * (upper[i] - lower[i]));
    if (std::isfinite(lower[i]) && q[i] < lower[i] + most) inward_[i] = lower[i] + most - q[i];
    if (std::isfinite(upper[i]) && q[i] > upper[i] - most) inward_[i] = upper[i] - most - q[i];
    has_inward_ = has_inward_ || inward_[i] != 0.0;
  }
}

bool Follow::begin(const Problem& problem, const VecX& q) {
  if (!accept(problem, q).ok()) return false;
  trial_ = q;
  clamp(problem.model, trial_);
  if (keeps_loops() && !loops_.assemble(trial_).ok()) return false;
  start(problem, trial_);
  last_ = q;
  begun_ = true;
  stood_ = false;
  return true;
}

void Follow::set_home(const VecX& home) {
  home_ = home;
  stood_ = false;
  inward_.setZero();
  has_inward_ = false;
}

// Straight limbs: home goes inside the bounds as the goals leave where they were, so that nothing moves at the start
// and a closed path still returns.
void Follow::draw_inward() {
  drawn_ = home_;
  if (has_inward_) {
    GoalSystem& system = energy_.system;
    system.evaluate(start_.data());
    double far = 0.0;
    for (const FollowEnergy::Item& item : energy_.items()) {
      if (item.goal->posture) continue;
      double square = 0.0;
      for (int r = 0; r < item.rows; ++r) {
        const double e = system.error[at(item.first_row + r)];
        square += e * e;
      }
      far = std::max(far, std::sqrt(square) / item.goal->root_weight);
    }
    const double t = std::min(1.0, far);
    drawn_ += (0.05 * std::min(1.0, 100.0 * far) + 0.95 * t * t * (3.0 - 2.0 * t)) * inward_;
  }
  energy_.set_home(drawn_, metric_);
}

// How far the goals moved since the last frame, seen from the pose they were followed to: the largest over goals. By
// the change of their errors; a rotation's error turns over at half a turn, so that targets are compared instead.
double Follow::goal_motion() const {
  if (!comparable_) return 0.0;
  double most = 0.0;
  const double square_length = energy_.system.length * energy_.system.length;
  for (std::size_t i = 0; i < energy_.items().size(); ++i) {
    const FollowEnergy::Item& item = energy_.items()[i];
    if (item.goal->posture) continue;
    const double* e = energy_.system.error.data() + item.first_row;
    const double* before = last_error_.data() + item.first_row;
    const bool turns = item.plain && item.goal->frame.orientation;
    const int rows = item.plain ? item.length_rows : item.rows;
    double square = 0.0;
    double now_square = 0.0;
    double before_square = 0.0;
    for (int r = 0; r < rows; ++r) {
      square += (e[r] - before[r]) * (e[r] - before[r]);
      now_square += e[r] * e[r];
      before_square += before[r] * before[r];
    }
    square /= item.goal->weight;
    if (const auto* aim = std::get_if<AimGoal>(item.goal->goal)) {
      // What is looked at may pass close by: its angle then changes faster than the box should open.
      square = std::min(square, (aim->target - last_place_[i]).squaredNorm() / square_length);
    }
    if (!item.plain && square > 0.25) {  // may have turned over
      const double change = (std::sqrt(now_square) - std::sqrt(before_square)) / item.goal->root_weight;
      square = std::min(square, change * change);
    }
    if (turns) {
      const Mat3& target = item.goal->frame.target.rotation;
      const double angle = log_rotation(Mat3(target * last_target_[i].transpose())).norm();
      square += angle * angle;
    }
    most = std::max(most, std::sqrt(square));
  }
  return most;
}

bool Follow::goals_rest(const VecX& q) {
  energy_.system.evaluate(q.data());
  return goal_motion() <= kStill;
}

double Follow::error() const {
  double sum = 0.0;
  for (int k = 0; k < static_cast<int>(energy_.system.levels().size()); ++k) sum += energy_.level_square(k);
  return std::sqrt(sum);
}

// Joints that no goal sees go home at the speed of the box.
void Follow::settle_others(const Problem& problem, VecX& q) {
  const Model& model = problem.model;
  double v[kMaxJointVelocities];
  bool moved = false;
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.v_count == 0) continue;
    bool other = false;
    for (int i = 0; i < joint.v_count; ++i) other = other || energy_.system.column_of(joint.v_index + i) < 0;
    if (!other) continue;
    double* value = q.data() + joint.q_index;
    difference_coordinates(joint.type, value, home_.data() + joint.q_index, v);
    double far = 0.0;  // in parts of the box; a ball as a whole
    for (int i = 0; i < joint.v_count; ++i) {
      const int n = joint.v_index + i;
      const bool free = energy_.system.column_of(n) < 0 && compiled_.joint_weight(n) > 0.0;
      v[i] = free ? v[i] : 0.0;
      far += v[i] * v[i] / (reach_[n] * reach_[n]);
    }
    if (far < 1e-24) continue;
    for (int i = 0; i < joint.v_count && far > 1.0; ++i) v[i] /= std::sqrt(far);
    integrate_coordinates(joint.type, value, v, value);
    moved = true;
  }
  // A home that was given may lie outside the problem's limits.
  if (moved) clamp(model, compiled_.lower(), compiled_.upper(), q.data());
}

// A frame that would touch something begins anew, with what is near as constraints; loops stay where they were.
void Follow::keep_free(VecX& q) {
  detoured_ = free_.on() && !free_.allows(from_, q);
  if (!detoured_) return;
  q = from_;
  const double most = settings.max_step > 0.0 ? settings.max_step : kLongestDetour;
  if (!keeps_loops()) free_.descend(energy_, box_, std::min(most, 3.0 * bound_), q, iterations_);
}

void Follow::frame(const Problem& problem, VecX& q, const VecX* reach, bool ticks) {
  const Model& model = problem.model;
  from_ = q;
  draw_inward();
  const bool glides = recover_.refresh(problem);
  energy_.evaluate(q.data());
  motion_ = goal_motion();
  bound_ = motion_ > kStill ? settings.settle + 0.25 * settings.turn_rate * motion_ : settings.rest;
  if (!settings.bounded) bound_ = HUGE_VAL;
  if (reach != nullptr) {
    reach_ = *reach;
    bound_ = 0.0;
    for (int v = 0; v < model.v_size(); ++v) bound_ = std::max(bound_, reach_[v] / unit_[v]);
  } else {
    reach_ = bound_ * unit_;
  }
  if (keeps_loops()) {
    record(q.data());
    speeding_ = loops_.descend(q, drawn_, reach_, iterations_);
    keep_free(q);
    energy_.evaluate(q.data());
    end_frame(model, q);
    return;
  }
  if (ticks) {
    q = soft_;
    energy_.evaluate(q.data());
  }
  box_.set(energy_.system, q, reach_);

  if (glides) {
    // A part of the straight way to the other branch, as far as the box lets every joint go.
    difference(model, q.data(), recover_.target().data(), weights_.data());
    for (int i = 0; i < model.q_size(); ++i) {
      if (model.coordinate_kinds()[at(i)] != Coordinate::angle) continue;
      const ModelJoint& joint = model.joint(model.coordinate_joint(i));
      weights_[joint.v_index + i - joint.q_index] = recover_.target()[i] - q[i];
    }
    double share = 1.0;
    for (int v = 0; v < model.v_size(); ++v)
      share = std::min(share, 0.95 * reach_[v] / std::max(std::abs(weights_[v]), 1e-12));
    weights_ *= share;
    integrate(model, q.data(), weights_.data(), drawn_.data());
    clamp(model, drawn_);
    if (share >= 1.0) {
      recover_.arrived();
    } else {
      energy_.set_home(drawn_, metric_);
      energy_.pull = 1e3;
      energy_.last_force = 1e-9;
      energy_.evaluate(q.data());
    }
  }
  descend(q);
  if (!ticks) reach_near(q);
  energy_.pull = energy_.last_force = 1.0;
  settle_others(problem, q);
  speeding_ = box_.touches(energy_.system, q.data());
  if (ticks) {
    close_behind(q);
    settle_others(problem, q);
  }
  keep_free(q);
  if (ticks && detoured_) soft_ = q;
  speeding_ = box_.touches(energy_.system, q.data()) || (ticks && speeding_);
  const bool may = settings.recover == Recover::always || (settings.recover == Recover::resting && motion_ <= kStill);
  if (may) recover_.watch(compiled_, q, home_, error(), speeding_, bound_);
  end_frame(model, q);
}

// What the next frame compares its goals with.
void Follow::remember_goals() {
  std::copy(energy_.system.error.begin(), energy_.system.error.end(), last_error_.begin());
  for (std::size_t i = 0; i < energy_.items().size(); ++i) {
    const CompiledGoal& goal = *energy_.items()[i].goal;
    if (goal.framed) last_target_[i] = goal.frame.target.rotation;
    if (const auto* aim = std::get_if<AimGoal>(goal.goal)) last_place_[i] = aim->target;
  }
  comparable_ = true;
}

// And its pose.
void Follow::end_frame(const Model& model, const VecX& q) {
  remember_goals();
  difference(model, from_.data(), q.data(), weights_.data());
  moved_ = 0.0;
  for (int v = 0; v < model.v_size(); ++v) {
    moved_ = std::max(moved_, std::abs(weights_[v]) / unit_[v]);
  }
}

// A gesture of its own at q, inside limits and with its loops closed; false when they do not close.
bool Follow::start_from(const Problem& problem, VecX& q) {
  clamp_start(problem.model, compiled_.lower(), compiled_.upper(), q.data());
  if (keeps_loops()) {
    if (const Status status = loops_.assemble(q); !status) {
      refuse(problem, kFollowInfo.name, status, report_);
      return false;
    }
  }
  start(problem, q);
  return true;
}

const Report& Follow::run(const Problem& problem, ConstVecRef start_pose, Trace* trace) {
  trace_ = trace;
  VecX& q = report_.q;
  q = start_pose;
  if (const Status status = accept(problem, q); !status) {
    refuse(problem, kFollowInfo.name, status, report_);
    return report_;
  }
  const bool continues = q == last_;
  const bool walk = !continues || (stood_ && goals_rest(q));
  iterations_ = 0;
  if (!walk && begun_) q = start_;
  if (walk && !start_from(problem, q)) return report_;
  begun_ = false;
  if (walk) {
    // To the end of the way, in frames of a walk's speed.
    draw_inward();
    energy_.evaluate(q.data());
    deadline_ = settings.max_time > 0.0 ? now() + settings.max_time : 0.0;
    if (!energy_.system.reached() || home_ != start_) {
      double best = HUGE_VAL;
      int still = 0;
      while (iterations_ < settings.max_iterations) {
        frame(problem, q, settings.bounded ? &walk_ : nullptr);
        const double e = error();
        const bool better = e < 0.999 * best;
        best = std::min(best, e);
        still = better || recover_.gliding() ? 0 : still + 1;
        if (energy_.system.reached() && moved_ < 1e-3) break;
        if (moved_ < kIdle || still > 12) break;
        if (deadline_ > 0.0 && now() > deadline_) break;
      }
    }
  } else {
    frame(problem, q, nullptr);
  }
  last_ = soft_ = q;
  record(q.data());
  finish(q);
  if (walk && report_.outcome != Outcome::converged && !free_.on()) keep_priorities(q);
  stood_ = walk && q == start_;
  if (stood_) remember_goals();
  return report_;
}

// A walk is an answer of its own: what is asked last must not have led the others astray.
void Follow::keep_priorities(VecX& q) {
  if (!priorities_.missed(compiled_, report_)) return;
  // The limit of time is one for all of it.
  const auto has_time = [&](SolveOptions& options) {
    options.max_time = deadline_ > 0.0 ? deadline_ - now() : 0.0;
    return deadline_ == 0.0 || options.max_time > 0.0;
  };
  if (!above_) above_ = std::make_unique<Follow>();
  above_->settings = settings;
  if (!has_time(above_->settings)) return;
  above_->go_on_from(VecX::Constant(q.size(), std::nan("")));  // never a gesture of its own
  const Report& alone = above_->solve(priorities_.upper(), start_);
  if (!priorities_.spoiled(compiled_, report_, alone)) return;
  iterations_ += alone.iterations;
  q = alone.q;
  if (keeps_loops()) {
    reach_.setConstant(kInfinity);
    loops_.descend(q, q, reach_, iterations_);
    energy_.evaluate(q.data());
  } else {
    if (!improver_) improver_ = std::make_unique<ReachGeneral>();
    ReachSettings options;
    static_cast<SolveOptions&>(options) = settings;
    if (has_time(options)) {
      improver_->improve(compiled_, options, q, report_);
      iterations_ += report_.iterations;
    }
  }
  finish(q);
  if (priorities_.spoiled(compiled_, report_, alone)) {  // what is asked last gets what the others leave, as it stands
    q = alone.q;
    finish(q);
  }
  last_ = soft_ = q;
}

const Report& Follow::solve_within(const Problem& problem, ConstVecRef start_pose, const VecX& reach) {
  trace_ = nullptr;
  VecX& q = report_.q;
  q = start_pose;
  if (const Status status = accept(problem, q); !status) {
    refuse(problem, kFollowInfo.name, status, report_);
    return report_;
  }
  iterations_ = 0;
  if (!(q == last_)) {
    if (!start_from(problem, q)) return report_;
  } else if (begun_ && keeps_loops()) {
    q = start_;  // which is closed
  }
  begun_ = stood_ = false;
  frame(problem, q, &reach, true);
  last_ = q;
  finish(q);
  return report_;
}

}  // namespace armature::inline v0_2
