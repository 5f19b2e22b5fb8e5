#include "armature/solve/methods/reach_step.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kFloor = 1e-12;   // least damping
constexpr double kHeld = 1e-10;    // damping of rows that keep their errors
constexpr double kIgnored = 1e12;  // damping that makes a row not count
constexpr double kSlack = 1e-12;   // how near to a bound is at it
constexpr double kConeSlack = 1e-9;
constexpr int kPasses = 3;  // of the active set in one step

}  // namespace

// With r = (v, w), a the cone's axis and the twist's half angle h = atan2(v.a, w): cos^2(swing/2) = w^2 + (v.a)^2, and
// h is above a bound b when sin(h - b) = (v.a) cos b - w sin b, in units of cos(swing/2), is positive.
bool ReachStep::Ball::inside(const double* r, double margin) const {
  const Vec3& a = cone.axis;
  const double along = r[0] * a.x() + r[1] * a.y() + r[2] * a.z();
  const double sign = r[3] < 0.0 ? -1.0 : 1.0;
  return r[3] * r[3] + along * along > swing + margin && sign * (along * cos_up - r[3] * sin_up) < -margin &&
         sign * (along * cos_low - r[3] * sin_low) > margin;
}

void ReachStep::reset() {
  fresh_ = true;
  std::fill(fixed_.begin(), fixed_.end(), 0);
}

void ReachStep::find_walls(const GoalSystem& system, const double* q) {
  walls_.clear();
  for (const Ball& ball : balls_) {
    if (mobility_[at(ball.column)] <= 0.0 || ball.inside(q + ball.coordinate, 4.0 * kConeSlack)) continue;
    Vec3 outward[2];
    const int count = cone_walls(ball.cone, q + ball.coordinate, outward);
    for (int k = 0; k < count; ++k) {
      walls_.push_back({ball.column, outward[k], false, static_cast<int>(walls_.size()) * system.dual.stride()});
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

// What is left of the pull after the goals took their part: z - W J' A^-1 J z.
double ReachStep::null_motion(GoalSystem& system) {
  system.dual.times(z_.data(), t_.data());
  system.dual.solve(t_.data());
  system.dual.transposed_times(t_.data(), g_.data());
  double motion = 0.0;
  for (std::size_t c = 0; c < z_.size(); ++c) motion = std::max(motion, std::abs(z_[c] - w_[c] * g_[c]));
  return motion;
}

bool ReachStep::repeat(GoalSystem& system) {
  std::copy(system.error.begin(), system.error.end(), t_.begin());
  system.dual.solve(t_.data());
  system.dual.transposed_times(t_.data(), g_.data());
  for (std::size_t c = 0; c < x_.size(); ++c) x_[c] = w_[c] * g_[c];
  return measure();
}

// Whether the step can be taken: the largest of its parts is a number, and no huge one.
bool ReachStep::measure() {
  largest_ = 0.0;
  bool sound = true;
  for (const double x : x_) {
    largest_ = std::max(largest_, std::abs(x));
    sound = sound && std::abs(x) < 1e12;
  }
  return sound;
}

bool ReachStep::compute(GoalSystem& system, const double* q, const Settings& settings) {
  system.differentiate();
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
  }
  if (!measure()) return false;
  double factor = settings.step_size;
  if (settings.max_step > 0.0 && largest_ * factor > settings.max_step) factor = settings.max_step / largest_;
  if (factor != 1.0) {
    for (double& x : x_) x *= factor;
  }
  return true;
}

void ReachStep::apply(const GoalSystem& system, double* q, bool wrap) const {
  std::size_t next = 0;  // of balls_, which are in the columns' order
  for (int c = 0; c < system.columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    if (column.ball < 0) {
      double& value = q[column.coordinate];
      const double low = lower_[at(c)];
      const double high = upper_[at(c)];
      value += column.unit * x_[at(c)];
      if (value < low || value > high) {
        if (wrap && column.turns) {  // by the fewest turns that lead inside
          const double turned = value < low ? value + 2.0 * kPi * std::ceil((low - value) / (2.0 * kPi))
                                            : value - 2.0 * kPi * std::ceil((value - high) / (2.0 * kPi));
          if (turned >= low && turned <= high) value = turned;
        }
        value = std::max(low, std::min(high, value));
      }
    } else if (column.ball == 0) {
      const Vec3 w(x_[at(c)], x_[at(c + 1)], x_[at(c + 2)]);
      double* r = q + column.coordinate;
      Quat turned = (joint_detail::quaternion(r) * exp_rotation(w)).normalized();
      if (next < balls_.size() && balls_[next].column == c) {
        const Ball& ball = balls_[next++];
        if (!ball.inside(turned.coeffs().data(), 1e-12)) clamp_to_cone(ball.cone, turned);
      }
      for (int i = 0; i < 4; ++i) r[i] = turned.coeffs()[i];
    }
  }
}

}  // namespace armature::inline v0_2
