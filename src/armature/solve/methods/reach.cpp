#include "armature/solve/methods/reach.hpp"

#include "armature/kinematics/pose.hpp"

namespace armature {

const Report& Reach::solve(const Problem& problem, VecX& q, Trace* trace) {
  report_.method = kReachInfo.name;
  if (problem.model != nullptr && q.size() == problem.model->q_size()) {
    if (serial_.take(problem)) {
      report_.why = "one goal on a serial chain";
      serial_.solve(problem, settings, q, report_, trace);
      return report_;
    }
    if (check_problem(problem).ok()) {
      report_.why = "general path";
      general_.solve(problem, settings, q, report_, trace);
      return report_;
    }
    clamp(*problem.model, q);
  }
  report_ = Report{};
  report_.outcome = Outcome::refused;
  report_.method = kReachInfo.name;
  return report_;
}

}  // namespace armature
