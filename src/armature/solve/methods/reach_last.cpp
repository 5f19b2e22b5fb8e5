#include "armature/solve/methods/reach_last.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kLastDamping = 0.1;         // of the energy, at first
constexpr double kLastDampingFloor = 1e-14;  // damping, so that a singular system has a solution
constexpr int kLastWindow = 10;              // evaluations in which the energy must halve
constexpr int kLastDrawn = 6;                // random poses of which the nearest becomes a start
constexpr int kLastPasses = 60;              // of the pivoting
constexpr double kLastUsualSize = 60.0;      // rows times columns: larger systems get fewer iterations

}  // namespace

double ReachLast::clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void ReachLast::prepare(const CompiledProblem& problem) {
  problem_ = &problem;
  system_.exact_rotations = true;
  system_.prepare(problem);
  const std::size_t columns = at(system_.columns());
  for (std::vector<double>* each : {&low_, &high_, &w_, &z_, &g_, &x_}) each->assign(columns, 0.0);
  state_.assign(columns, At::free);
  for (std::vector<double>* each : {&damping_, &t_}) each->assign(at(system_.dual.stride()), 0.0);
}

bool ReachLast::over() {
  if (deadline_ > 0.0 && clock() > deadline_) out_of_time_ = true;
  return iterations_ >= budget_ || out_of_time_;
}

// How far each column may go from q.
void ReachLast::find_bounds(const double* q) {
  for (int c = 0; c < system_.columns(); ++c) {
    const GoalSystem::Column& column = system_.column_list()[at(c)];
    const bool locked = problem_->joint_weight(column.velocity) <= 0.0;
    low_[at(c)] = -HUGE_VAL;
    high_[at(c)] = HUGE_VAL;
    if (column.ball < 0) {
      const double value = q[column.coordinate];
      low_[at(c)] = std::min(0.0, (problem_->lower()[column.coordinate] - value) / column.unit);
      high_[at(c)] = std::max(0.0, (problem_->upper()[column.coordinate] - value) / column.unit);
    }
    if (locked) low_[at(c)] = high_[at(c)] = 0.0;
    state_[at(c)] = high_[at(c)] <= low_[at(c)] ? At::locked : At::free;
  }
}

// A ball at its cone: the outward direction is taken from its columns where the error pushes that way.
void ReachLast::close_walls(const double* q) {
  DualSystem& dual = system_.dual;
  dual.transposed_times(system_.error.data(), g_.data());
  for (int c = 0; c < system_.columns(); ++c) {
    const GoalSystem::Column& column = system_.column_list()[at(c)];
    if (column.ball != 0) continue;
    const auto& cone = problem_->model().joint(column.joint).cone;
    if (!cone) continue;
    Vec3 outward[2];
    const int count = cone_walls(*cone, q + column.coordinate, outward);
    for (int k = 0; k < count; ++k) {
      const Vec3& n = outward[k];
      if (n.dot(Eigen::Map<const Vec3>(g_.data() + c)) <= 0.0) continue;
      double* x = dual.column(c);
      double* y = dual.column(c + 1);
      double* z = dual.column(c + 2);
      for (int row = 0; row < dual.stride(); ++row) {
        const double s = x[row] * n.x() + y[row] * n.y() + z[row] * n.z();
        x[row] -= s * n.x();
        y[row] -= s * n.y();
        z[row] -= s * n.z();
      }
    }
  }
}

// Columns on the wrong side change sides: all of them while that helps, else only the last, which always ends (Murty
// 1974). Returns how many were wrong.
int ReachLast::pivot(int pass) {
  const auto wrong = [&](std::size_t c) {
    switch (state_[c]) {
      case At::free:
        return x_[c] < low_[c] ? At::lower : x_[c] > high_[c] ? At::upper : At::free;
      case At::lower:
        return g_[c] > z_[c] ? At::free : At::lower;
      case At::upper:
        return g_[c] < z_[c] ? At::free : At::upper;
      default:
        return At::locked;
    }
  };
  int count = 0;
  std::size_t last = 0;
  for (std::size_t c = 0; c < state_.size(); ++c) {
    if (wrong(c) == state_[c]) continue;
    ++count;
    last = c;
  }
  if (count == 0) return 0;
  if (pass == 0 || count < fewest_) {
    fewest_ = count;
    grace_ = 3;
  } else {
    --grace_;
  }
  if (grace_ < 0) {
    state_[last] = wrong(last);
    return count;
  }
  for (std::size_t c = 0; c < state_.size(); ++c) state_[c] = wrong(c);
  return count;
}

// x = argmin |J x - e|^2 + damping |x|^2 inside the bounds. With x = z + W J' y, where W takes the free columns and z
// holds the others' values: (J W J' + damping) y = e - J z.
bool ReachLast::step(double damping) {
  DualSystem& dual = system_.dual;
  std::fill(damping_.begin(), damping_.end(), damping);
  for (int pass = 0; pass < kLastPasses; ++pass) {
    for (std::size_t c = 0; c < state_.size(); ++c) {
      w_[c] = state_[c] == At::free ? 1.0 : 0.0;
      z_[c] = state_[c] == At::lower ? low_[c] : state_[c] == At::upper ? high_[c] : 0.0;
    }
    if (!dual.factor(w_.data(), damping_.data())) return false;
    dual.times(z_.data(), t_.data());
    for (std::size_t r = 0; r < t_.size(); ++r) t_[r] = system_.error[r] - t_[r];
    dual.solve(t_.data());
    dual.transposed_times(t_.data(), g_.data());
    for (std::size_t c = 0; c < x_.size(); ++c) x_[c] = z_[c] + w_[c] * g_[c];
    if (pivot(pass) == 0) break;
  }
  bool finite = true;
  for (std::size_t c = 0; c < x_.size(); ++c) {
    x_[c] = std::min(std::max(x_[c], low_[c]), high_[c]);
    finite = finite && std::abs(x_[c]) < 1e12;
  }
  return finite;
}

void ReachLast::apply(double* q) const {
  for (int c = 0; c < system_.columns(); ++c) {
    const GoalSystem::Column& column = system_.column_list()[at(c)];
    if (column.ball < 0) {
      double& value = q[column.coordinate];
      value += column.unit * x_[at(c)];
      value = std::min(std::max(value, problem_->lower()[column.coordinate]), problem_->upper()[column.coordinate]);
    } else if (column.ball == 0) {
      double* r = q + column.coordinate;
      const Vec3 turn(x_[at(c)], x_[at(c + 1)], x_[at(c + 2)]);
      Quat turned = (joint_detail::quaternion(r) * exp_rotation(turn)).normalized();
      if (const auto& cone = problem_->model().joint(column.joint).cone) clamp_to_cone(*cone, turned);
      for (int i = 0; i < 4; ++i) r[i] = turned.coeffs()[i];
    }
  }
}

// Levenberg-Marquardt from q until it rests.
bool ReachLast::descend(double* q) {
  const int size = problem_->model().q_size();
  system_.evaluate(q);
  ++iterations_;
  double energy = system_.energy(), mark = energy, factor = 1.0;
  int since = 0;
  bool fresh = true;
  while (!system_.reached() && std::isfinite(energy) && !over()) {
    if (fresh) {
      system_.differentiate();
      close_walls(q);
      find_bounds(q);
    }
    if (!step(factor * kLastDamping * energy + kLastDampingFloor)) return false;
    std::copy(q, q + size, trial_.data());
    apply(trial_.data());
    system_.evaluate(trial_.data());
    ++iterations_;
    fresh = system_.energy() < energy;
    if (fresh || system_.reached()) {
      energy = system_.energy();
      std::copy(trial_.data(), trial_.data() + size, q);
      factor = std::max(0.25 * factor, 1e-6);
    } else {
      factor *= 8.0;
    }
    since = energy < 0.5 * mark ? 0 : since + 1;
    if (since == 0) mark = energy;
    if (since > kLastWindow || factor > 1e12) break;
  }
  return system_.reached();
}

// Anywhere inside the limits, half of the limited coordinates at one of them. What has none stays near the seed.
void ReachLast::draw(Rng& rng, const VecX& seed, double* q) const {
  const Model& model = problem_->model();
  std::copy(seed.data(), seed.data() + seed.size(), q);
  for (int c = 0; c < system_.columns(); ++c) {
    const GoalSystem::Column& column = system_.column_list()[at(c)];
    if (problem_->joint_weight(column.velocity) <= 0.0) continue;
    if (column.ball < 0) {
      const bool angle = model.coordinate_kinds()[at(column.coordinate)] != Coordinate::length;
      const double span = angle ? kPi : model.size();
      double& value = q[column.coordinate];
      const double lower = problem_->lower()[column.coordinate], upper = problem_->upper()[column.coordinate];
      const double low = std::max(lower, value - 2.0 * span), high = std::min(upper, value + 2.0 * span);
      const double part = 2.0 * rng.uniform() - 0.5;  // a quarter of the draws beyond either end
      value = std::min(std::max(low + part * (high - low), low), high);
    } else if (column.ball == 0) {
      double* r = q + column.coordinate;
      const double most = model.joint(column.joint).v_count == 6 ? 0.5 : 2.0;  // a free root: the figure stays upright
      const Vec3 turn{rng.uniform(-most, most), rng.uniform(-most, most), rng.uniform(-most, most)};
      Quat turned = (joint_detail::quaternion(r) * exp_rotation(turn)).normalized();
      if (const auto& cone = model.joint(column.joint).cone) clamp_to_cone(*cone, turned);
      for (int i = 0; i < 4; ++i) r[i] = turned.coeffs()[i];
    }
  }
}

bool ReachLast::search(const CompiledProblem& problem, int iterations, std::uint64_t seed, double deadline, VecX& q) {
  prepare(problem);
  deadline_ = deadline;
  out_of_time_ = false;
  iterations_ = 0;
  const double size = static_cast<double>(system_.columns()) * system_.rows();
  budget_ = static_cast<int>(iterations * std::min(1.0, kLastUsualSize / std::max(size, 1.0)));
  trial_ = start_ = q;
  Rng rng(seed);
  for (starts_ = 0; system_.columns() > 0 && !over(); ++starts_) {
    if (starts_ > 0) {
      double best = HUGE_VAL;
      for (int k = 0; k < kLastDrawn; ++k) {
        draw(rng, q, trial_.data());
        system_.evaluate(trial_.data());
        if (!(system_.energy() < best)) continue;
        best = system_.energy();
        start_ = trial_;
      }
      iterations_ += kLastDrawn / 2;  // an evaluation is less than half of an iteration
    }
    if (!descend(start_.data())) continue;
    q = start_;
    return true;
  }
  return false;
}

}  // namespace armature::inline v0_2
