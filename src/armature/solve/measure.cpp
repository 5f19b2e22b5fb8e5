#include "armature/solve/measure.hpp"

#include "armature/geom/svd.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/solve/pose_rows.hpp"

namespace armature::inline v0_2 {
Measures measures(const Problem& problem, const VecX& q) {
  PoseRows rows(problem, q);
  Measures out;
  if (rows.any()) rows.stack.measure(out);
  return out;
}

Report measure(const Problem& problem, const VecX& q, const SolveOptions& options) {
  Report report;
  report.outcome = Outcome::refused;
  PoseRows rows(problem, q, options);
  if (!rows.ok) return report;
  report.q = q;
  rows.stack.finish(q.data(), report);
  report.outcome = rows.stack.converged() ? Outcome::converged : Outcome::iteration_limit;
  return report;
}

MatX null_space(const Problem& problem, const VecX& q) {
  MatX basis(problem.model.v_size(), 0);
  const PoseRows rows(problem, q);
  if (!rows.any()) return basis;
  const Stack& stack = rows.stack;
  MatX small;
  if (stack.has_loops()) {
    MatX reduced;
    stack.reduce(reduced);
    if (reduced.cols() == 0) return basis;
    const MatX free = null_space(reduced, 1e-6);
    small.setZero(stack.columns(), free.cols());
    VecX u(stack.columns());
    for (Eigen::Index k = 0; k < free.cols(); ++k) {
      stack.expand(free.col(k), u);
      u = u.cwiseProduct(stack.scale);
      for (Eigen::Index i = 0; i < k; ++i) u -= small.col(i) * small.col(i).dot(u);
      small.col(k) = u.normalized();
    }
  } else {
    small = null_space(stack.J, 1e-6);
  }
  basis = MatX::Zero(problem.model.v_size(), small.cols());
  for (int c = 0; c < stack.columns(); ++c) basis.row(stack.active[static_cast<std::size_t>(c)]) = small.row(c);
  return basis;
}

}  // namespace armature::inline v0_2
