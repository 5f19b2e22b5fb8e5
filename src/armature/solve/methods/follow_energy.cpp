#include "armature/solve/methods/follow_energy.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kForce = 50.0;   // c of the last priority; M is between 5e-4 and about 1
constexpr double kRatio = 100.0;  // c of a priority over that of the next
constexpr double kZone = 0.2;     // of a joint's range, at most a radian: how near a limit is near

// Twice the energy of a rotation whose chord 2 sin(angle/2) has this square: 2 * 4 (1 - cos(angle/2)), the integral of
// the chord, which is the error that GoalSystem gives. About the square itself where that is small.
double twice_turning(double chord_square) {
  const double half = std::sqrt(std::max(0.0, 1.0 - 0.25 * chord_square));  // cos(angle/2)
  return 2.0 * chord_square / (1.0 + half);                                 // 8 (1 - cos) without cancellation
}

}  // namespace

bool FollowEnergy::prepare(const CompiledProblem& problem) {
  const std::uint64_t before = system.layout();
  system.prepare(problem);
  items_.clear();
  for (std::size_t g = 0; g < problem.goals().size(); ++g) {
    const CompiledGoal& goal = problem.goals()[g];
    const int row = goal.required ? system.first_row(static_cast<int>(g)) : -1;
    if (row < 0 || goal.rows == 0) continue;  // all axes free: nothing to follow
    int level = 0;
    while (row >= system.levels()[at(level)].end) ++level;
    items_.push_back({&goal, row, goal.rows, goal.length_rows, level,
                      goal.framed && goal.frame.base == kWorld && goal.frame.whole()});
  }
  curvature.prepare(system, problem);
  const std::size_t n = at(columns());
  if (before == system.layout() && metric.size() == n) return false;
  for (std::vector<double>* each : {&gradient, &metric, &offset, &stiffness, &margin, &low_, &high_})
    each->assign(n, 0.0);
  row_stiffness.assign(at(system.dual.stride()), 1.0);
  square_.assign(system.levels().size(), 0.0);
  blocks_.clear();
  for (int c = 0; c < columns(); ++c) {
    if (system.column_list()[at(c)].ball == 0) blocks_.push_back({c, Mat3::Zero()});
  }
  return true;
}

void FollowEnergy::set_home(const VecX& home, const VecX& per_velocity) {
  home_.assign(home.data(), home.data() + home.size());
  for (int c = 0; c < columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    metric[at(c)] = per_velocity[column.velocity] * column.unit * column.unit;
    if (column.ball >= 0) continue;
    // Never at home itself: a gesture that begins near a limit begins at rest.
    const double lower = system.problem().lower()[column.coordinate];
    const double upper = system.problem().upper()[column.coordinate];
    const double inset = std::min(kZone * (upper - lower), column.unit);
    low_[at(c)] = std::min(home[column.coordinate], lower + inset);
    high_[at(c)] = std::max(home[column.coordinate], upper - inset);
  }
}

double FollowEnergy::force_of(int level) const {
  const int last = static_cast<int>(system.levels().size()) - 1;
  double force = kForce;
  for (int k = level; k < last; ++k) force *= kRatio;
  return level == last ? last_force * force : force;
}

double FollowEnergy::width_of(int level) const {
  return level + 1 == static_cast<int>(system.levels().size()) ? softness : kWidth;
}

double FollowEnergy::evaluate(const double* q) {
  system.evaluate(q);
  std::fill(square_.begin(), square_.end(), 0.0);
  for (const Item& item : items_) {
    const double* e = system.error.data() + item.first_row;
    const int straight = item.plain ? item.length_rows : item.rows;
    double sum = 0.0;
    for (int r = 0; r < straight; ++r) sum += e[r] * e[r];
    double chord = 0.0;
    for (int r = straight; r < item.rows; ++r) chord += e[r] * e[r];
    if (chord > 0.0) sum += item.goal->weight * twice_turning(chord / item.goal->weight);
    square_[at(item.level)] += sum;
  }
  goals_ = 0.0;
  for (int k = 0; k < static_cast<int>(square_.size()); ++k) {
    const double width = width_of(k);
    const double ratio = square_[at(k)] / (width * width);
    goals_ += force_of(k) * width * (ratio / (1.0 + std::sqrt(1.0 + ratio)));
  }
  home_energy_ = pull_home(q, false);
  return goals_ + home_energy_;
}

void FollowEnergy::differentiate(const double* q) {
  system.differentiate();
  for (int k = 0; k < static_cast<int>(square_.size()); ++k) {
    const double width = width_of(k);
    const double s = force_of(k) / (width * std::sqrt(1.0 + square_[at(k)] / (width * width)));
    const GoalSystem::Level& level = system.levels()[at(k)];
    for (int r = level.begin; r < level.end; ++r) row_stiffness[at(r)] = s;
  }
  static_cast<void>(pull_home(q, true));
}

// Its energy; with slopes also offset, and the balls' blocks beyond the diagonal.
double FollowEnergy::pull_home(const double* q, bool slopes) {
  double sum = 0.0;
  std::size_t ball = 0;
  for (int c = 0; c < columns(); ++c) {
    const GoalSystem::Column& column = system.column_list()[at(c)];
    if (column.ball < 0) {
      const double h = (q[column.coordinate] - home_[at(column.coordinate)]) / column.unit;
      sum += metric[at(c)] * h * h;
      // Into the zone before a limit: a cube, so that the stiffness has no step where it begins.
      const double value = q[column.coordinate];
      const double over = (value - std::min(high_[at(c)], std::max(low_[at(c)], value))) / column.unit;
      const double near = 2.5 * avoid_limits * std::abs(over);
      sum += near * metric[at(c)] * over * over;
      if (slopes) {
        offset[at(c)] = pull * (h + 1.5 * near * over);
        margin[at(c)] = 3.0 * pull * near * metric[at(c)];
      }
      continue;
    }
    if (column.ball > 0) continue;
    const Vec3 d = log_rotation(joint_detail::quaternion(home_.data() + column.coordinate).conjugate() *
                                joint_detail::quaternion(q + column.coordinate));
    const Vec3 M(metric[at(c)], metric[at(c + 1)], metric[at(c + 2)]);
    sum += d.dot(M.cwiseProduct(d));
    if (!slopes) continue;
    const Mat3 R = right_jacobian_inverse(d);
    const Vec3 g = R.transpose() * M.cwiseProduct(d);
    for (int i = 0; i < 3; ++i) offset[at(c + i)] = pull * g[i] / M[i];
    blocks_[ball].rest = pull * (R.transpose() * M.asDiagonal() * R);
    for (int i = 0; i < 3; ++i) blocks_[ball].rest(i, i) -= pull * M[i];
    ++ball;
  }
  return 0.5 * pull * sum;
}

void FollowEnergy::add_rest(const double* x, double* out) const {
  curvature.add_product(x, out);
  // The preconditioner's diagonal has M and the positive part of the curvature's diagonal already.
  for (std::size_t c = 0; c < stiffness.size(); ++c) {
    out[c] -= (stiffness[c] - pull * metric[c] - margin[c]) * x[c];
  }
  for (const Block& block : blocks_) {
    Eigen::Map<Vec3> part(out + block.column);
    part += block.rest * Eigen::Map<const Vec3>(x + block.column);
  }
}

}  // namespace armature::inline v0_2
