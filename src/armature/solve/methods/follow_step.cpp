#include "armature/solve/methods/follow_step.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kPasses = 10;       // of the active set in one step
constexpr int kProducts = 12;     // of conjugate gradients, at most
constexpr double kEnough = 0.02;  // a correction below this part of the step ends them
constexpr double kTiny = 1e-5;    // and one below this many radians, too
constexpr double kSlack = 1e-12;  // how near to a bound is at it
constexpr double kTouch = 1e-9;   // radians: how near to a wall is at it
constexpr double kBuckle = 0.03;  // radians: how far a compressed limb looks for a bend at a bound

}  // namespace

void FollowStep::prepare(const FollowEnergy& energy) {
  const std::size_t n = at(energy.columns());
  const std::size_t rows = at(energy.system.dual.stride());
  for (std::vector<double>* each : {&x_, &w_, &z_, &d_, &r_, &u_, &p_, &bp_, &pz_, &bend_}) each->assign(n, 0.0);
  fixed_.assign(n, 0);
  blocks_.reserve(4 * n);
  for (std::vector<double>* each : {&rows_, &t_, &D_, &predicted_, &force_, &next_force_}) each->assign(rows, 0.0);
}

void FollowStep::begin() { std::fill(force_.begin(), force_.end(), 0.0); }

double FollowStep::largest() const {
  double most = 0.0;
  for (const double x : x_) most = std::max(most, std::abs(x));
  return most;
}

// The outward direction goes out of the ball's columns and, but for `gap`, out of the step: least motion in the metric.
void FollowStep::close(FollowEnergy& energy, FollowBox::Wall& wall, double gap) {
  DualSystem& dual = energy.system.dual;
  const int c = wall.column;
  const Vec3 W(w_[at(c)], w_[at(c + 1)], w_[at(c + 2)]);
  // Across the ball's other closed walls.
  for (const FollowBox::Wall& other : *walls_) {
    if (!other.closed || other.column != c) continue;
    const double along = other.outward.dot(W.cwiseProduct(wall.outward)) / other.scale;
    wall.outward -= along * other.outward;
    gap -= along * other.gap;
  }
  const Vec3 Wn = W.cwiseProduct(wall.outward);
  wall.scale = wall.outward.dot(Wn);
  if (!(wall.scale > 1e-12 * W.maxCoeff())) return;
  wall.closed = true;
  wall.gap = gap;
  Eigen::Map<Vec3> z(z_.data() + c);
  z += Wn * ((gap - wall.outward.dot(z)) / wall.scale);
  double* J[3] = {dual.column(c), dual.column(c + 1), dual.column(c + 2)};
  for (int r = 0; r < dual.stride(); ++r) {
    const double part = J[0][r] * Wn[0] + J[1][r] * Wn[1] + J[2][r] * Wn[2];
    rows_[at(r)] -= part * (gap / wall.scale);  // what the gap's motion does to the rows
    for (int i = 0; i < 3; ++i) J[i][r] -= part / wall.scale * wall.outward[i];
  }
}

// x from weights, offsets and right-hand rows; the forces in t_.
bool FollowStep::solve(FollowEnergy& energy) {
  DualSystem& dual = energy.system.dual;
  if (!dual.factor(w_.data(), D_.data())) return false;
  dual.times(z_.data(), t_.data());
  for (std::size_t r = 0; r < t_.size(); ++r) t_[r] = rows_[r] - t_[r];
  dual.solve(t_.data());
  dual.transposed_times(t_.data(), p_.data());
  for (std::size_t c = 0; c < x_.size(); ++c) x_[c] = z_[c] + w_[c] * p_[c];
  for (std::size_t r = 0; r < t_.size(); ++r) predicted_[r] = D_[r] * t_[r];
  return true;
}

// P^-1 v on the columns that are free.
void FollowStep::precondition(const FollowEnergy& energy, const double* v, double* out) {
  const DualSystem& dual = energy.system.dual;
  for (std::size_t c = 0; c < x_.size(); ++c) out[c] = w_[c] * v[c];
  for (const FollowBox::Wall& wall : *walls_) {
    if (!wall.closed) continue;
    Eigen::Map<Vec3> part(out + wall.column);
    const Vec3 W(w_[at(wall.column)], w_[at(wall.column + 1)], w_[at(wall.column + 2)]);
    part -= W.cwiseProduct(wall.outward) * (wall.outward.dot(part) / wall.scale);
  }
  dual.times(out, t_.data());
  dual.solve(t_.data());
  dual.transposed_times(t_.data(), bp_.data());
  for (std::size_t c = 0; c < x_.size(); ++c) out[c] -= w_[c] * bp_[c];
}

void FollowStep::add_rest(const FollowEnergy& energy, const double* x, double* out) const {
  energy.add_rest(x, out);
  for (const Block& block : blocks_) {
    Eigen::Map<Vec3> part(out + block.column);
    part += block.stiffness * Eigen::Map<const Vec3>(x + block.column);
  }
}

// p' A p; true where that is negative, and p is kept as the direction to bend in.
bool FollowStep::bends(const FollowEnergy& energy, double& bent) {
  std::fill(bp_.begin(), bp_.end(), 0.0);
  add_rest(energy, p_.data(), bp_.data());
  bent = 0.0;
  double stiff = 0.0;
  for (std::size_t c = 0; c < x_.size(); ++c) {
    if (w_[c] <= 0.0) continue;
    stiff += p_[c] * u_[c];
    bent += p_[c] * (u_[c] + bp_[c]);
  }
  if (bent > 1e-9 * stiff) return false;
  double most = 0.0;
  for (const double p : p_) most = std::max(most, std::abs(p));
  if (!(most > 0.0) || !std::isfinite(most)) return true;
  negative_ = true;
  slope_ = 0.0;
  for (std::size_t c = 0; c < x_.size(); ++c) {
    bend_[c] = p_[c] / most;
    slope_ += bend_[c] * energy.gradient[c];
  }
  return true;
}

// Conjugate gradients for A d = -(A - P) x, added to x. u holds P p, which follows from P z = r without a product.
void FollowStep::refine(FollowEnergy& energy) {
  const std::size_t n = x_.size();
  std::fill(r_.begin(), r_.end(), 0.0);
  add_rest(energy, x_.data(), r_.data());
  for (double& r : r_) r = -r;
  std::fill(d_.begin(), d_.end(), 0.0);
  precondition(energy, r_.data(), pz_.data());
  double rz = 0.0;
  for (std::size_t c = 0; c < n; ++c) rz += w_[c] > 0.0 ? r_[c] * pz_[c] : 0.0;
  p_ = pz_;
  u_ = r_;
  const double size = largest();
  bool moved = false;
  for (int i = 0; i < kProducts && rz > 0.0; ++i) {
    double bent = 0.0;
    if (bends(energy, bent)) break;
    const double alpha = rz / bent;
    double step = 0.0;
    for (std::size_t c = 0; c < n; ++c) {
      if (w_[c] <= 0.0) continue;
      d_[c] += alpha * p_[c];
      r_[c] -= alpha * (u_[c] + bp_[c]);
      step = std::max(step, std::abs(alpha * p_[c]));
    }
    moved = true;
    if (step < std::max(kEnough * size, kTiny)) break;
    precondition(energy, r_.data(), pz_.data());
    double next = 0.0;
    for (std::size_t c = 0; c < n; ++c) next += w_[c] > 0.0 ? r_[c] * pz_[c] : 0.0;
    const double beta = next / rz;
    rz = next;
    for (std::size_t c = 0; c < n; ++c) {
      p_[c] = pz_[c] + beta * p_[c];
      u_[c] = r_[c] + beta * u_[c];
    }
  }
  if (!moved) return;
  energy.system.dual.times(d_.data(), t_.data());
  for (std::size_t r = 0; r < t_.size(); ++r) predicted_[r] -= t_[r];
  for (std::size_t c = 0; c < n; ++c) x_[c] += d_[c];
}

bool FollowStep::compute(FollowEnergy& energy, FollowBox& box, const double* q, double damping, double longest,
                         bool look) {
  energy.differentiate(q);
  DualSystem& dual = energy.system.dual;
  const int n = energy.columns();
  blocked_ = negative_ = false;

  // Gradient, before any column is changed.
  for (int r = 0; r < dual.rows(); ++r) {
    D_[at(r)] = 1.0 / energy.row_stiffness[at(r)];
    t_[at(r)] = energy.row_stiffness[at(r)] * energy.system.error[at(r)];
  }
  dual.transposed_times(t_.data(), p_.data());
  energy.curvature.set_forces(energy.system, force_.data());
  const std::vector<double>& bend = energy.curvature.diagonal();
  for (int c = 0; c < n; ++c) {
    const double own = energy.metric[at(c)];
    energy.gradient[at(c)] = own * energy.offset[at(c)] - p_[at(c)];
    energy.stiffness[at(c)] = energy.pull * own + energy.margin[at(c)] + std::max(0.0, bend[at(c)]);
    fixed_[at(c)] = box.movable(c) ? 0 : 1;
  }
  for (int c = 0; c < n; ++c) {
    const GoalSystem::Column& column = energy.system.column_list()[at(c)];
    if (column.ball >= 0 || fixed_[at(c)] != 0) continue;
    const double value = q[column.coordinate];
    const double slack = kSlack * column.unit;
    // A compressed limb may leave a bound that hardly holds it.
    const double weak = kBuckle * std::max(0.0, -bend[at(c)]);
    const double g = energy.gradient[at(c)];
    const bool low = value <= box.lower(c) + slack && g > weak;
    const bool high = value >= box.upper(c) - slack && g < -weak;
    if (low || high) fixed_[at(c)] = 1;
    blocked_ = blocked_ || low || high;
  }
  // Balls that lean against a wall: it curves away from under them.
  walls_ = &box.walls_at(q);
  blocks_.clear();
  for (const FollowBox::Wall& wall : *walls_) {
    const double push = -wall.outward.dot(Eigen::Map<const Vec3>(energy.gradient.data() + wall.column));
    if (wall.gap > kTouch || push <= 0.0) continue;
    blocks_.push_back({wall.column, push * wall.bend});
    for (int i = 0; i < 3; ++i) energy.stiffness[at(wall.column + i)] += std::max(0.0, push * wall.bend(i, i));
  }
  for (int c = 0; c < n; ++c) {
    const bool free = fixed_[at(c)] == 0;
    w_[at(c)] = free ? 1.0 / (energy.stiffness[at(c)] + damping) : 0.0;
    z_[at(c)] = -energy.metric[at(c)] * energy.offset[at(c)] * w_[at(c)];
  }
  std::copy(energy.system.error.begin(), energy.system.error.end(), rows_.begin());
  for (FollowBox::Wall& wall : *walls_) {
    const Eigen::Map<const Vec3> g(energy.gradient.data() + wall.column);
    if (wall.gap <= kTouch && wall.outward.dot(g) < 0.0 && w_[at(wall.column)] > 0.0) close(energy, wall, 0.0);
  }

  for (int pass = 0; pass < kPasses; ++pass) {
    if (!solve(energy)) return false;
    refine(energy);
    if (pass == 0 && look && !negative_) probe(energy);
    const double most = largest();
    if (!(most < 1e9)) return false;
    expect_forces(energy);
    if (most > longest) {
      const double share = longest / most;
      for (double& x : x_) x *= share;
      for (std::size_t r = 0; r < predicted_.size(); ++r) {
        predicted_[r] = energy.system.error[r] + share * (predicted_[r] - energy.system.error[r]);
      }
    }
    bool crossed = false;
    for (int c = 0; c < n; ++c) {
      const GoalSystem::Column& column = energy.system.column_list()[at(c)];
      if (column.ball >= 0 || fixed_[at(c)] != 0) continue;
      const double value = q[column.coordinate];
      const double next = value + column.unit * x_[at(c)];
      if (next >= box.lower(c) && next <= box.upper(c)) continue;
      z_[at(c)] = ((next < box.lower(c) ? box.lower(c) : box.upper(c)) - value) / column.unit;
      w_[at(c)] = 0.0;
      fixed_[at(c)] = 2;
      crossed = true;
    }
    for (FollowBox::Wall& wall : *walls_) {
      if (wall.closed || w_[at(wall.column)] <= 0.0) continue;
      const Eigen::Map<const Vec3> x(x_.data() + wall.column);
      if (!wall.cone) {  // the way that the step asks for decides where the speed's sphere is met
        const Vec3 whole = wall.turned + x;
        const double angle = whole.norm();
        if (angle <= wall.reach * (1.0 + 1e-6)) continue;
        wall.outward = whole / angle;
        wall.gap = wall.reach - wall.outward.dot(wall.turned);
      }
      if (wall.outward.dot(x) <= wall.gap + 1e-9) continue;
      close(energy, wall, wall.gap);
      crossed = crossed || wall.closed;
    }
    blocked_ = blocked_ || crossed;
    if (!crossed) break;
    if (pass + 1 == kPasses) shorten(energy, box, q);
  }
  return true;
}

// What the goals will pull with where the step ends: no harder than their priority can, whatever the slopes foresee.
void FollowStep::expect_forces(const FollowEnergy& energy) {
  for (int k = 0; k < static_cast<int>(energy.system.levels().size()); ++k) {
    const GoalSystem::Level& level = energy.system.levels()[at(k)];
    double square = 0.0;
    for (int r = level.begin; r < level.end; ++r) {
      next_force_[at(r)] = energy.row_stiffness[at(r)] * predicted_[at(r)];
      square += next_force_[at(r)] * next_force_[at(r)];
    }
    const double most = energy.force_of(k);
    if (!(square > most * most)) continue;
    const double share = most / std::sqrt(square);
    for (int r = level.begin; r < level.end; ++r) next_force_[at(r)] *= share;
  }
}

// As much of the step as crosses no bound: what is cut off at one would leave the goals above it in the lurch.
void FollowStep::shorten(FollowEnergy& energy, const FollowBox& box, const double* q) {
  double share = 1.0;
  for (int c = 0; c < energy.columns(); ++c) {
    const GoalSystem::Column& column = energy.system.column_list()[at(c)];
    if (column.ball >= 0 || fixed_[at(c)] == 1) continue;
    const double room = (x_[at(c)] < 0.0 ? box.lower(c) : box.upper(c)) - q[column.coordinate];
    const double step = column.unit * x_[at(c)];
    if (std::abs(step) > std::abs(room)) share = std::min(share, std::abs(room) / std::abs(step));
  }
  for (double& x : x_) x *= share;
  for (std::size_t r = 0; r < predicted_.size(); ++r) {
    predicted_[r] = energy.system.error[r] + share * (predicted_[r] - energy.system.error[r]);
  }
}

void FollowStep::correct(FollowEnergy& energy) {
  for (std::size_t r = 0; r < t_.size(); ++r) t_[r] = energy.system.error[r] - predicted_[r];
  energy.system.dual.solve(t_.data());
  energy.system.dual.transposed_times(t_.data(), bp_.data());
  for (std::size_t c = 0; c < x_.size(); ++c) x_[c] += w_[c] * bp_[c];
}

void FollowStep::reach(FollowEnergy& energy) {
  std::copy(energy.system.error.begin(), energy.system.error.end(), t_.begin());
  energy.system.dual.solve(t_.data());
  energy.system.dual.transposed_times(t_.data(), bp_.data());
  for (std::size_t c = 0; c < x_.size(); ++c) x_[c] += w_[c] * bp_[c];
}

// Conjugate gradients towards the joint that is compressed most: they meet a negative direction if it has a part in
// one.
void FollowStep::probe(FollowEnergy& energy) {
  const std::vector<double>& bend = energy.curvature.diagonal();
  int most = -1;
  double worst = 1.0;
  for (int c = 0; c < energy.columns(); ++c) {
    if (w_[at(c)] <= 0.0) continue;
    const double ratio = -bend[at(c)] / (energy.pull * energy.metric[at(c)]);
    if (ratio > worst) {
      worst = ratio;
      most = c;
    }
  }
  if (most < 0) return;
  std::fill(r_.begin(), r_.end(), 0.0);
  r_[at(most)] = 1.0;
  precondition(energy, r_.data(), pz_.data());
  p_ = pz_;
  u_ = r_;
  double rz = pz_[at(most)];
  for (int i = 0; i < kProducts && rz > 0.0; ++i) {
    double bent = 0.0;
    if (bends(energy, bent)) return;
    const double alpha = rz / bent;
    for (std::size_t c = 0; c < x_.size(); ++c) r_[c] -= w_[c] > 0.0 ? alpha * (u_[c] + bp_[c]) : 0.0;
    precondition(energy, r_.data(), pz_.data());
    double next = 0.0;
    for (std::size_t c = 0; c < x_.size(); ++c) next += w_[c] > 0.0 ? r_[c] * pz_[c] : 0.0;
    const double beta = next / rz;
    rz = next;
    for (std::size_t c = 0; c < x_.size(); ++c) {
      p_[c] = pz_[c] + beta * p_[c];
      u_[c] = r_[c] + beta * u_[c];
    }
  }
}

void FollowStep::buckle(double factor) {
  for (std::size_t c = 0; c < x_.size(); ++c) x_[c] += factor * bend_[c];
}

}  // namespace armature::inline v0_2
