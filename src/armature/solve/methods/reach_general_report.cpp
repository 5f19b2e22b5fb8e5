// What the general path of reach says about a search: trace, proof, report.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/solve/methods/reach_general.hpp"

namespace armature::inline v0_2 {

void ReachGeneral::record(const double* q) {
  if (trace_ == nullptr) return;
  TraceStep entry;
  entry.q = Eigen::Map<const VecX>(q, problem_->model().q_size());
  entry.error = system_.length * Eigen::Map<const VecX>(system_.error.data(), system_.rows());
  entry.error_norm = entry.error.norm();
  entry.step = VecX::Zero(problem_->model().v_size());
  trace_->steps.push_back(std::move(entry));
}

void ReachGeneral::finish(const VecX& q, Report& report) {
  system_.measure(*problem_, report.goals);
  const double* push = nullptr;
  if (report.outcome != Outcome::converged) {
    system_.differentiate();
    system_.dual.transposed_times(system_.error.data(), hold_.data());
    push_.assign(at(problem_->model().v_size()), 0.0);
    for (int c = 0; c < system_.columns(); ++c) push_[at(system_.column_list()[at(c)].velocity)] = hold_[at(c)];
    push = push_.data();
  }
  fill_report(*problem_, q.data(), push, 0.0, report);
  report.measures.clear();
  if (!options_->measures) return;
  if (push == nullptr) system_.differentiate();
  J_.resize(system_.rows(), system_.columns());
  for (int c = 0; c < system_.columns(); ++c) {
    const double factor = step_.movable(c) ? system_.length / system_.column_list()[at(c)].unit : 0.0;
    for (int r = 0; r < system_.rows(); ++r) J_(r, c) = factor * system_.dual.column(c)[r];
  }
  measures(J_, report.measures);
}

}  // namespace armature::inline v0_2
