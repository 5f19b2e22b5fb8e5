#include "armature/solve/methods/reach_step.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature {
namespace {

constexpr double kFloor = 1e-12;   // least damping
constexpr double kHeld = 1e-10;    // damping of rows that keep their errors
constexpr double kIgnored = 1e12;  // damping that makes a row not count
constexpr double kSlack = 1e-12;   // how near to a bound is at it
constexpr double kConeSlack = 1e-9;
constexpr int kPasses = 3;              // of the active set in one step
constexpr double kOwnStiffness = 0.02;  // of every joint, besides the preferences' gains; in parts of the largest gain

}  // namespace

void ReachStep::prepare(const Problem& problem, const ReachOptions& options, const GoalSystem& system,
                        const VecX& seed) {
  const Model& model = *problem.model;
  model_ = &model;
  const auto n = static_cast<std::size_t>(system.columns());
  for (std::vector<double>* each :
       {&lower_, &upper_, &mobility_, &stiffness_, &softness_, &pull_, &weight_, &w_, &g_, &z_, &x_}) {
    each->assign(n, 0.0);
  }
  for (std::vector<double>* each : {&d_, &b_, &t_}) each->assign(static_cast<std::size_t>(system.dual.stride()), 0.0);
  const double* lower = problem.lower.size() > 0 ? problem.lower.data() : model.lower().data();
  const double* upper = problem.upper.size() > 0 ? problem.upper.data() : model.upper().data();
  for (int c = 0; c < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    lower_[at(c)] = column.ball < 0 ? lower[column.coordinate] : -HUGE_VAL;
    upper_[at(c)] = column.ball < 0 ? upper[column.coordinate] : HUGE_VAL;
    const bool locked = !problem.locked.empty() && problem.locked[at(column.velocity)] != 0;
    mobility_[at(c)] = locked ? 0.0 : problem.mobility.size() > 0 ? problem.mobility[column.velocity] : 1.0;
  }

  fixed_.assign(n, 0);
  int balls = 0;
  for (const GoalSystem::Column& column : system.column_list()) balls += column.ball == 0;
  walls_.reserve(static_cast<std::size_t>(2 * balls));
  wall_rows_.resize(static_cast<std::size_t>(2 * balls * system.dual.stride()));

  pulls_.clear();
  for (const Goal& goal : problem.goals) {
    if (!is_preference(goal) || common(goal).weight <= 0.0) continue;
    const auto& posture = std::get<PostureGoal>(goal);
    pulls_.push_back({posture.desired.data(), posture.gain.size() > 0 ? posture.gain.data() : nullptr, posture.weight});
  }
  if (problem.gain.size() > 0) {
    if (problem.rest.size() == 0 && neutral_.size() != model.q_size()) neutral_ = neutral_pose(model);
    pulls_.push_back({problem.rest.size() > 0 ? problem.rest.data() : neutral_.data(), problem.gain.data(), 1.0});
  }
  if (options.quality() == Quality::nearest) {
    seed_ = seed;
    pulls_.push_back({seed_.data(), nullptr, 1.0});
  } else if (options.quality() == Quality::centred) {
    // Towards the middle of the limits, each joint in parts of its own range; unlimited ones are left alone.
    if (centre_.size() != model.q_size()) centre_ = neutral_pose(model);
    centre_gain_.setZero(model.v_size());
    for (int c = 0; c < system.columns(); ++c) {
      const GoalSystem::Column& column = system.column_list()[at(c)];
      const double range = upper_[at(c)] - lower_[at(c)];
      if (column.ball >= 0 || !std::isfinite(range) || !(range > 0.0)) continue;
      centre_[column.coordinate] = 0.5 * (lower_[at(c)] + upper_[at(c)]);
      centre_gain_[column.velocity] = 4.0 * column.unit * column.unit / (range * range);
    }
    pulls_.push_back({centre_.data(), centre_gain_.data(), 1.0});
  }
  double& stiffest = stiffest_;
  stiffest = 0.0;
  for (int c = 0; c < system.columns(); ++c) {
    for (const Pull& pull : pulls_) {
      stiffness_[at(c)] += pull.weight * (pull.gain != nullptr ? pull.gain[system.column_list()[at(c)].velocity] : 1.0);
    }
    if (mobility_[at(c)] > 0.0) stiffest = std::max(stiffest, stiffness_[at(c)]);
  }
  has_preference_ = stiffest > 0.0;
  softest_ = 0.0;
  for (int c = 0; has_preference_ && c < system.columns(); ++c) {
    if (mobility_[at(c)] <= 0.0) continue;
    softness_[at(c)] = 1.0 / (stiffness_[at(c)] / stiffest + kOwnStiffness / mobility_[at(c)]);
    softest_ = std::max(softest_, softness_[at(c)]);
  }
}

// The change that the preferences ask for, internal units, and nothing where they ask for nothing.
void ReachStep::find_pull(const GoalSystem& system, const double* q) {
  std::fill(pull_.begin(), pull_.end(), 0.0);
  double v[kMaxJointVelocities];
  for (const Pull& pull : pulls_) {
    for (int c = 0; c < system.columns(); ++c) {
      const GoalSystem::Column& column = system.column_list()[at(c)];
      if (mobility_[at(c)] <= 0.0) continue;
      const double gain = pull.weight * (pull.gain != nullptr ? pull.gain[column.velocity] : 1.0);
      if (gain <= 0.0) continue;
      if (column.ball <= 0) {  // the first velocity of a ball computes all three
        const ModelJoint& joint = model_->joint(column.joint);
        if (column.ball == 0) {
          const Vec3 w = log_rotation(joint_detail::quaternion(q + column.coordinate).conjugate() *
                                      joint_detail::quaternion(pull.desired + column.coordinate));
          for (int i = 0; i < 3; ++i) v[i] = w[i];
        } else {
          v[0] = pull.desired[column.coordinate] - q[column.coordinate];
          if (std::holds_alternative<Continuous>(joint.type)) v[0] = wrap_angle(v[0]);
        }
      }
      pull_[at(c)] += gain * v[std::max<int>(column.ball, 0)] / column.unit;
    }
  }
}

double ReachStep::preference_cost(const GoalSystem& system, const double* q) {
  find_pull(system, q);
  double sum = 0.0;
  for (double p : pull_) sum += p * p;
  return sum;
}

void ReachStep::settle_others(const Problem& problem, const GoalSystem& system, double* q) const {
  if (pulls_.empty()) return;
  const Model& model = *problem.model;
  double v[kMaxJointVelocities];
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.v_count == 0) continue;
    double wanted[kMaxJointVelocities] = {};
    double gains[kMaxJointVelocities] = {};
    for (const Pull& pull : pulls_) {
      difference_coordinates(joint.type, q + joint.q_index, pull.desired + joint.q_index, v);
      for (int i = 0; i < joint.v_count; ++i) {
        const double gain = pull.weight * (pull.gain != nullptr ? pull.gain[joint.v_index + i] : 1.0);
        wanted[i] += gain * v[i];
        gains[i] += gain;
      }
    }
    bool moves = false;
    for (int i = 0; i < joint.v_count; ++i) {
      const int velocity = joint.v_index + i;
      const bool locked = !problem.locked.empty() && problem.locked[at(velocity)] != 0;
      const bool still = problem.mobility.size() > 0 && problem.mobility[velocity] <= 0.0;
      const bool free = system.column_of(velocity) < 0 && !locked && !still && gains[i] > 0.0;
      v[i] = free ? wanted[i] / gains[i] : 0.0;
      moves = moves || v[i] != 0.0;
    }
    if (moves) integrate_coordinates(joint.type, q + joint.q_index, v, q + joint.q_index);
  }
}

void ReachStep::reset() {
  fresh_ = true;
  null_motion_ = 0.0;
  std::fill(fixed_.begin(), fixed_.end(), 0);
}

// Walls of the balls that are at their cone. With a the cone's axis and R the rotation, the swing grows along
// (R'a x a); the twist t = 2 atan2(v.a, w) grows along (w^2 a + w a x v + (a.v) v) / (w^2 + (a.v)^2).
void ReachStep::find_walls(const GoalSystem& system, const double* q) {
  walls_.clear();
  for (int c = 0; c + 2 < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    if (column.ball != 0 || mobility_[at(c)] <= 0.0) continue;
    const std::optional<ConeLimit>& cone = model_->joint(column.joint).cone;
    if (!cone) continue;
    const Quat r = joint_detail::quaternion(q + column.coordinate);
    const Vec3& a = cone->axis;
    const double along = r.vec().dot(a);
    const double scale = r.w() * r.w() + along * along;  // cos^2(swing/2)
    const std::size_t first = walls_.size();
    const auto add = [&](Vec3 n) {
      if (walls_.size() > first) n -= walls_.back().outward * walls_.back().outward.dot(n);
      const double norm = n.norm();
      if (norm > 1e-9) {
        walls_.push_back({c, n / norm, false, static_cast<int>(walls_.size()) * system.dual.stride()});
      }
    };
    const double swing = 2.0 * std::acos(std::min(1.0, std::sqrt(scale)));
    if (swing >= cone->swing - kConeSlack) add(r.conjugate() * Vec3(a.cross(r * a)));
    if (scale > 1e-12) {
      const double sign = r.w() < 0.0 ? -1.0 : 1.0;
      const double twist = 2.0 * std::atan2(sign * along, sign * r.w());
      const Vec3 grows = (r.w() * r.w() * a + r.w() * a.cross(r.vec()) + along * r.vec()) / scale;
      if (twist >= cone->twist_upper - kConeSlack) {
        add(grows);
      } else if (twist <= cone->twist_lower + kConeSlack) {
        add(-grows);
      }
    }
  }
}

// Takes the outward direction from the ball's columns.
void ReachStep::close(GoalSystem& system, Wall& wall) {
  wall.active = true;
  double* x = system.dual.column(wall.column);
  double* y = system.dual.column(wall.column + 1);
  double* z = system.dual.column(wall.column + 2);
  double* s = wall_rows_.data() + wall.rows;
  const Vec3& n = wall.outward;
  for (int row = 0; row < system.dual.stride(); ++row) {
    s[row] = x[row] * n.x() + y[row] * n.y() + z[row] * n.z();
    x[row] -= s[row] * n.x();
    y[row] -= s[row] * n.y();
    z[row] -= s[row] * n.z();
  }
  Eigen::Map<Vec3> pull(z_.data() + wall.column);
  pull -= n * n.dot(pull);
}

// Blocks what is at a bound that the error (rows in t_) pushes against: right while the error decides.
void ReachStep::block_by_gradient(GoalSystem& system, const double* q) {
  system.dual.transposed_times(t_.data(), g_.data());
  for (int c = 0; c < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    if (column.ball >= 0) continue;
    const double value = q[column.coordinate];
    const bool low = value <= lower_[at(c)] + kSlack;
    const bool high = value >= upper_[at(c)] - kSlack;
    if ((low && g_[at(c)] < 0.0) || (high && g_[at(c)] > 0.0)) w_[at(c)] = 0.0;
  }
  for (Wall& wall : walls_) {
    if (wall.outward.dot(Eigen::Map<const Vec3>(g_.data() + wall.column)) > 0.0) close(system, wall);
  }
}

// Blocks what the step computed would carry across a bound: true when there was something new. What is blocked but
// would go inwards is let go in the next step.
bool ReachStep::block_by_step(GoalSystem& system, const double* q) {
  bool changed = false;
  for (int c = 0; c < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    if (column.ball >= 0 || weight_[at(c)] == 0.0) continue;
    const double value = q[column.coordinate];
    if (fixed_[at(c)] != 0) {  // 1: at the lower bound, 2: at the upper
      const double wants = weight_[at(c)] * g_[at(c)] + pull_[at(c)];
      if ((fixed_[at(c)] == 1) == (wants > 0.0)) fixed_[at(c)] = 0;
      continue;
    }
    const double next = value + column.unit * x_[at(c)];
    if (next >= lower_[at(c)] && next <= upper_[at(c)]) continue;
    const bool low = next < lower_[at(c)];
    fixed_[at(c)] = low ? 1 : 2;
    z_[at(c)] = ((low ? lower_[at(c)] : upper_[at(c)]) - value) / column.unit;
    w_[at(c)] = 0.0;
    changed = true;
  }
  for (std::size_t i = 0; i < walls_.size(); ++i) {
    Wall& wall = walls_[i];
    if (wall.active) continue;
    if (wall.outward.dot(Eigen::Map<const Vec3>(x_.data() + wall.column)) <= 1e-12) continue;
    close(system, wall);
    changed = true;
  }
  return changed;
}

// x_ from the weights, dampings and offsets at hand; g_ = J' y.
bool ReachStep::solve(GoalSystem& system, bool offset) {
  DualSystem& dual = system.dual;
  if (!dual.factor(w_.data(), d_.data())) return false;
  if (offset) {
    dual.times(z_.data(), t_.data());
    for (std::size_t r = 0; r < t_.size(); ++r) t_[r] = b_[r] - t_[r];
  } else {
    std::copy(b_.begin(), b_.end(), t_.begin());
  }
  dual.solve(t_.data());
  dual.transposed_times(t_.data(), g_.data());
  for (std::size_t c = 0; c < x_.size(); ++c) x_[c] = z_[c] + w_[c] * g_[c];
  return true;
}

bool ReachStep::compute(GoalSystem& system, const double* q, const Settings& settings) {
  system.differentiate();
  DualSystem& dual = system.dual;
  const int n = system.columns();

  // Dampings, and what the rows should change by.
  double energy = 0.0;
  std::copy(system.error.begin(), system.error.end(), b_.begin());
  std::fill(t_.begin(), t_.end(), 0.0);
  for (int l = 0; l < static_cast<int>(system.levels().size()); ++l) {
    const GoalSystem::Level& level = system.levels()[at(l)];
    const bool held = l < settings.held;
    const bool off = l >= settings.levels;
    energy += held || off ? 0.0 : level.energy;
    const double damping = off ? kIgnored : held ? kHeld : settings.damping * energy + kFloor;
    for (int r = level.begin; r < level.end; ++r) {
      d_[at(r)] = damping;
      if (held) b_[at(r)] -= settings.hold[r];
      if (off) b_[at(r)] = 0.0;
      t_[at(r)] = b_[at(r)] / damping;
    }
  }

  // Weights and pull.
  const bool pulled = has_preference_ && settings.pull > 0.0;
  if (pulled) find_pull(system, q);
  for (int c = 0; c < n; ++c) {
    const double mobility = mobility_[at(c)];
    weight_[at(c)] = pulled && mobility > 0.0 ? softness_[at(c)] / softest_ : mobility;
    pull_[at(c)] *= pulled && mobility > 0.0 ? settings.pull * softness_[at(c)] / stiffest_ : 0.0;
    z_[at(c)] = pull_[at(c)];
    w_[at(c)] = weight_[at(c)];
  }
  find_walls(system, q);
  if (!pulled) {
    block_by_gradient(system, q);
    if (!solve(system, false)) return false;
    if (settings.resolve && block_by_step(system, q) && !solve(system, true)) return false;
    std::fill(fixed_.begin(), fixed_.end(), 0);
  } else {
    for (int c = 0; c < n; ++c) {
      if (fixed_[at(c)] == 0) continue;
      const double value = q[system.column_list()[at(c)].coordinate];
      const double bound = fixed_[at(c)] == 1 ? lower_[at(c)] : upper_[at(c)];
      if (std::abs(value - bound) > kSlack) {
        fixed_[at(c)] = 0;
      } else {
        w_[at(c)] = z_[at(c)] = 0.0;
      }
    }
    if (fresh_) {  // a first guess of what will be blocked: what the error pushes against
      block_by_gradient(system, q);
      for (int c = 0; c < n; ++c) {
        if (w_[at(c)] != 0.0 || weight_[at(c)] == 0.0) continue;
        fixed_[at(c)] = g_[at(c)] < 0.0 ? 1 : 2;
        z_[at(c)] = 0.0;
      }
      fresh_ = false;
    }
    for (int pass = 0; pass < kPasses; ++pass) {
      if (!solve(system, true)) return false;
      if (!block_by_step(system, q)) break;
    }
    // What is left of the pull after the goals took their part: z - W J' A^-1 J z.
    dual.times(z_.data(), t_.data());
    dual.solve(t_.data());
    dual.transposed_times(t_.data(), g_.data());
    null_motion_ = 0.0;
    for (int c = 0; c < n; ++c) {
      null_motion_ = std::max(null_motion_, std::abs(z_[at(c)] - w_[at(c)] * g_[at(c)]));
    }
  }
  largest_ = 0.0;
  for (int c = 0; c < n; ++c) largest_ = std::max(largest_, std::abs(x_[at(c)]));
  if (!(largest_ < 1e12)) return false;
  double factor = settings.step_size;
  if (settings.max_step > 0.0 && largest_ * factor > settings.max_step) factor = settings.max_step / largest_;
  if (factor != 1.0) {
    for (double& x : x_) x *= factor;
  }
  return true;
}

void ReachStep::apply(const GoalSystem& system, double* q, bool wrap) const {
  for (int c = 0; c < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    if (column.ball < 0) {
      double& value = q[column.coordinate];
      const double low = lower_[at(c)];
      const double high = upper_[at(c)];
      value += column.unit * x_[at(c)];
      if (value < low || value > high) {
        const double middle = 0.5 * (low + high);
        if (wrap && column.turns && std::isfinite(middle)) {
          value -= 2.0 * kPi * std::round((value - middle) / (2.0 * kPi));
        }
        value = std::max(low, std::min(high, value));
      }
    } else if (column.ball == 0) {
      const Vec3 w(x_[at(c)], x_[at(c + 1)], x_[at(c + 2)]);
      double* r = q + column.coordinate;
      Quat turned = (joint_detail::quaternion(r) * exp_rotation(w)).normalized();
      if (const auto& cone = model_->joint(column.joint).cone) clamp_to_cone(*cone, turned);
      for (int i = 0; i < 4; ++i) r[i] = turned.coeffs()[i];
    }
  }
}

}  // namespace armature
