// A SCARA: four joints place its tool and turn it about the vertical. Ask for what it can do, or hear why it cannot.
#include "builtin.hpp"

using namespace armature;

int main() {
  const Model scara = load_builtin("scara");
  const VecX ready = value_of(scara.find_pose("ready"));
  const std::unique_ptr<Solver> solver = value_of(make_solver("auto"));
  Problem problem;
  problem.model = scara;

  // Its tool points down; a pose that respects this is reached as it stands.
  const Quat down(0, 1, 0, 0);
  PoseGoal pick;
  pick.link = scara.link("tool");
  pick.target = Transform::from(exp_rotation(Vec3(0, 0, 0.7)) * down, Vec3(0.45, 0.2, 0.25));
  problem.goals = {pick};
  VecX q = ready;
  const Report& first = solver->solve(problem, q);
  q = first.q;
  const bool picked = first.ok();
  const Transform tool = where(scara, q, "tool");
  show("picked at", tool.position);
  const bool there = (tool.position - pick.target.position).norm() < 1e-5 &&
                     (tool.rotation - pick.target.rotation).norm() < 1e-5;

  // A tilted part: the full pose is impossible, and the answer is the nearest one.
  PoseGoal tilted = pick;
  tilted.target.rotation = exp_rotation(Vec3(0.2, 0, 0)).toRotationMatrix() * pick.target.rotation;
  problem.goals = {tilted};
  q = ready;
  const Report& refused = solver->solve(problem, q);
  q = refused.q;
  std::printf("%s\n", refused.message().c_str());
  const bool said = !refused.ok() && std::abs(refused.orientation_error - 0.2) < 0.05;

  // Tilts left free: place and turn about the vertical are what counts.
  tilted.orientation_axes.free = {true, true, false};
  problem.goals = {tilted};
  q = ready;
  const Report& report = solver->solve(problem, q);
  q = report.q;
  std::printf("%s\n", report.message().c_str());
  const Vec3 place = where(scara, q, "tool").position;
  return picked && there && said && report.ok() && (place - pick.target.position).norm() < 1e-5 ? 0 : 1;
}
