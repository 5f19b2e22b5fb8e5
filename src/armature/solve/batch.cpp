#include "armature/solve/batch.hpp"

#include "armature/base/check.hpp"

namespace armature::inline v0_2 {

void Batch::solve(Method& solver, const Problem& shared, std::span<const Goal> goals, MatX& poses,
                  std::vector<Report>& reports) {
  ARMATURE_CHECK(!shared.model.empty() && poses.cols() == static_cast<Eigen::Index>(goals.size()) &&
                     poses.rows() == shared.model.q_size(),
                 "Batch: one column of poses per goal");
  reports.resize(goals.size());
  if (goals.empty()) return;
  for (Report& report : reports) report.method = "";
  problem_.model = shared.model;
  problem_.locked = shared.locked;
  problem_.joint_weights = shared.joint_weights;
  problem_.limits = shared.limits;
  problem_.tip = shared.tip;
  problem_.obstacles = shared.obstacles;
  problem_.margin = shared.margin;
  problem_.collision = shared.collision;
  problem_.bodies = shared.bodies;
  problem_.goals.assign(1, goals[0]);
  // Each kind of goal in turn, so that what a goal's answer is does not depend on which goal comes first.
  asked_.assign(goals.size(), 0);
  for (std::size_t k = 0; k < goals.size(); ++k) {
    if (asked_[k] != 0) continue;
    problem_.goals[0] = goals[k];
    if (solver.check(problem_).ok()) solver.solve_together(problem_, goals, asked_, poses, reports);
    asked_[k] = 1;
  }
  for (std::size_t k = 0; k < goals.size(); ++k) {
    if (*reports[k].method != '\0') continue;
    problem_.goals[0] = goals[k];
    auto pose = poses.col(static_cast<Eigen::Index>(k));
    reports[k] = solver.solve(problem_, pose);
    pose = reports[k].q;
  }
}

}  // namespace armature::inline v0_2
