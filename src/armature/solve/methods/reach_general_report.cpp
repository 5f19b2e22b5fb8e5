// What the general path of reach says about a search: trace, proof, report.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/solve/methods/reach_general.hpp"

namespace armature {

void ReachGeneral::record(const double* q) {
  if (trace_ == nullptr) return;
  TraceStep entry;
  entry.q = Eigen::Map<const VecX>(q, problem_->model->q_size());
  entry.error = system_.length * Eigen::Map<const VecX>(system_.error.data(), system_.rows());
  entry.error_norm = entry.error.norm();
  entry.step = VecX::Zero(problem_->model->v_size());
  trace_->steps.push_back(std::move(entry));
}

// The first goal that cannot be reached for sure.
BoundProof ReachGeneral::prove(const Problem& problem) const {
  for (const Goal& goal : problem.goals) {
    if (common(goal).weight <= 0.0 || is_preference(goal)) continue;
    const double own = common(goal).tolerance;
    const BoundProof proof = prove_unreachable(problem, goal, own > 0.0 ? own : system_.tolerance);
    if (proof.bound != ReachBound::none) return proof;
  }
  return {};
}

void ReachGeneral::finish(const VecX& q, Report& report) {
  system_.measure(q.data(), report.goals);
  report.position_error = 0.0;
  report.orientation_error = 0.0;
  for (std::size_t g = 0; g < report.goals.size(); ++g) {
    if (is_preference(problem_->goals[g])) continue;
    report.position_error = std::max(report.position_error, report.goals[g].position_error);
    report.orientation_error = std::max(report.orientation_error, report.goals[g].orientation_error);
  }
  report.joints_at_limits.clear();
  report.blocking.clear();
  const bool failed = report.outcome != Outcome::converged;
  if (failed) {
    system_.differentiate();
    system_.dual.transposed_times(system_.error.data(), hold_.data());
  }
  for (int c = 0; c < system_.columns(); ++c) {
    const GoalSystem::Column& column = system_.column_list()[at(c)];
    if (column.ball >= 0) continue;
    const double value = q[column.coordinate];
    const bool low = value <= step_.lower(c) + 1e-9;
    const bool high = value >= step_.upper(c) - 1e-9;
    if (!low && !high) continue;
    report.joints_at_limits.push_back(column.coordinate);
    const double push = hold_[at(c)];
    if (failed && ((low && push < 0.0) || (high && push > 0.0))) report.blocking.push_back(column.coordinate);
  }
  for (const ReachStep::Wall& wall : step_.walls_at(system_, q.data())) {  // balls at their cones
    const int coordinate = system_.column_list()[at(wall.column)].coordinate;
    const Vec3 push(hold_[at(wall.column)], hold_[at(wall.column + 1)], hold_[at(wall.column + 2)]);
    if (report.joints_at_limits.empty() || report.joints_at_limits.back() != coordinate) {
      report.joints_at_limits.push_back(coordinate);
    }
    if (failed && wall.outward.dot(push) > 0.0 && (report.blocking.empty() || report.blocking.back() != coordinate)) {
      report.blocking.push_back(coordinate);
    }
  }
  std::sort(report.joints_at_limits.begin(), report.joints_at_limits.end());
  std::sort(report.blocking.begin(), report.blocking.end());
  report.smallest_singular_value = 0.0;
  report.manipulability = 0.0;
  report.condition = 0.0;
}

}  // namespace armature
