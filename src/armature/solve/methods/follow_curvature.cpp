#include "armature/solve/methods/follow_curvature.hpp"

#include <algorithm>

#include "armature/base/index.hpp"

namespace armature::inline v0_2 {
namespace {

// The link that the goal pulls at, if its forces keep their direction in the world as joints move; else -1.
int pulled_link(const CompiledGoal& goal) {
  if (!goal.required) return -1;
  if (goal.framed) return goal.frame.base == kWorld ? goal.frame.link : -1;
  const bool straight =
      std::holds_alternative<PointOnLineGoal>(*goal.goal) || std::holds_alternative<PointOnPlaneGoal>(*goal.goal);
  return straight && goal.links.base == kWorld ? goal.links.link : -1;
}

}  // namespace

void FollowCurvature::prepare(const GoalSystem& system, const CompiledProblem& problem) {
  if (layout_ == system.layout()) return;
  layout_ = system.layout();
  paths_.clear();
  joints_.clear();
  std::vector<int> links;
  for (const CompiledGoal& goal : problem.goals()) {
    if (const int link = pulled_link(goal); link >= 0) links.push_back(link);
  }
  branches_.compile(problem.model(), links);
  for (std::size_t g = 0; g < problem.goals().size(); ++g) {
    const int link = pulled_link(problem.goals()[g]);
    if (link < 0) continue;
    Path path{g, link, system.first_row(static_cast<int>(g)), static_cast<int>(joints_.size()), 0};
    for (const int motion : branches_.motions_of(link)) {
      const int column = system.column_of(branches_.velocities()[at(motion)]);
      const bool ball = system.column_list()[at(column)].ball == 0;
      joints_.push_back({column, motion, ball ? 0 : -1, Vec3::Zero(), Vec3::Zero(), Vec3::Zero()});
    }
    path.end = static_cast<int>(joints_.size());
    paths_.push_back(path);
  }
  diagonal_.assign(at(system.columns()), 0.0);
}

void FollowCurvature::set_forces(const GoalSystem& system, const double* force) {
  std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
  force_ = 0.0;
  branches_.move(system.state);
  GoalRows rows;
  for (const Path& path : paths_) {
    const CompiledGoal& goal = system.problem().goals()[path.goal];
    const double* y = force + path.first_row;
    const Transform& X = system.state.X_WL[at(path.link)];
    Vec3 at_point = X.position;
    Vec3 f = Vec3::Zero();
    Vec3 t = Vec3::Zero();
    const double length_scale = goal.root_weight / system.length;
    if (goal.framed && goal.frame.whole()) {
      const int turn = goal.frame.position ? 3 : 0;
      if (goal.frame.position) f = length_scale * Vec3(y[0], y[1], y[2]);
      if (goal.frame.orientation) t = goal.root_weight * Vec3(y[turn], y[turn + 1], y[turn + 2]);
      at_point = X * goal.frame.point;
    } else {
      if (goal.framed) {
        linearize(goal.frame, system.state, rows);
      } else {
        linearize(*goal.goal, system.state, goal.links, rows);
      }
      at_point = rows.at[0];
      for (int r = 0; r < goal.rows; ++r) {
        const double scale = y[r] * (r < goal.length_rows ? length_scale : goal.root_weight);
        f += scale * rows.wrench[0].row(r).head<3>().transpose();
        t += scale * rows.wrench[0].row(r).tail<3>().transpose();
      }
    }
    force_ += f.norm() * system.length + t.norm();
    const Vec3 from_centre = at_point - branches_.centre();
    for (int n = path.begin; n < path.end; ++n) {
      Joint& joint = joints_[at(n)];
      const Motion& motion = branches_.motions()[at(joint.motion)];
      const double unit = system.column_list()[at(joint.column)].unit;
      joint.a = unit * motion.angular;
      joint.G = 0.5 * t.cross(joint.a) - (unit * motion.at(from_centre)).cross(f);
    }
    for (int n = path.begin; n < path.end; ++n) {
      Joint& joint = joints_[at(n)];
      diagonal_[at(joint.column)] += joint.a.dot(joint.G);
      if (joint.ball != 0) continue;
      // -1/2 (a_i . H_j + a_j . H_i) instead of a_i . G_j, with H = J x f, G = 1/2 t x a - H.
      const auto both = [&](int i, int j) {
        const Joint& p = joints_[at(n + i)];
        const Joint& q = joints_[at(n + j)];
        const Vec3 Hp = 0.5 * t.cross(p.a) - p.G;
        const Vec3 Hq = 0.5 * t.cross(q.a) - q.G;
        return -0.5 * (p.a.dot(Hq) + q.a.dot(Hp)) - p.a.dot(q.G);
      };
      joint.within = Vec3(both(0, 1), both(0, 2), both(1, 2));
    }
  }
}

void FollowCurvature::add_product(const double* x, double* out) const {
  for (const Path& path : paths_) {
    Vec3 above = Vec3::Zero();  // sum of a_j x_j over joints above
    for (int n = path.begin; n < path.end; ++n) {
      const Joint& joint = joints_[at(n)];
      out[joint.column] += joint.G.dot(above);
      above += x[joint.column] * joint.a;
      if (joint.ball != 0) continue;
      const int c = joint.column;
      const Vec3& k = joint.within;
      out[c] += k[0] * x[c + 1] + k[1] * x[c + 2];
      out[c + 1] += k[0] * x[c] + k[2] * x[c + 2];
      out[c + 2] += k[1] * x[c] + k[2] * x[c + 1];
    }
    Vec3 below = Vec3::Zero();  // sum of G_j x_j from here on
    for (int n = path.end - 1; n >= path.begin; --n) {
      const Joint& joint = joints_[at(n)];
      below += x[joint.column] * joint.G;
      out[joint.column] += joint.a.dot(below);
    }
  }
}

}  // namespace armature::inline v0_2
