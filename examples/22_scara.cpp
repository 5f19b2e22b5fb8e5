// A SCARA: four joints place its tool and turn it about the vertical. Ask for what it can do, or hear why it cannot.
#include <armature/armature.hpp>
#include <cstdio>

using namespace armature;

namespace {
// Where a link is at pose q, in the world.
Transform where(const Model& model, const VecX& q, const char* link) { return forward(model, q).transform(link); }
void show(const char* what, const Vec3& v) { std::printf("%-34s %8.4f %8.4f %8.4f\n", what, v.x(), v.y(), v.z()); }
}  // namespace

int main() {
  const Model scara = load_model("scara").value();
  const VecX ready = scara.pose("ready");
  Solver solver;
  Problem problem;
  problem.model = scara;

  // Its tool points down; a pose that respects this is reached as it stands.
  const Quat down(0, 1, 0, 0);
  PoseGoal pick;
  pick.link = scara.link("tool");
  pick.target = Transform::from(exp_rotation(Vec3(0, 0, 0.7)) * down, Vec3(0.45, 0.2, 0.25));
  problem.goals = {pick};
  VecX q = ready;
  const Report& first = solver.solve(problem, q);
  q = first.q;
  const bool picked = first.ok();
  const Transform tool = where(scara, q, "tool");
  show("picked at", tool.position);
  const bool there =
      (tool.position - pick.target.position).norm() < 1e-5 && (tool.rotation - pick.target.rotation).norm() < 1e-5;

  // A tilted part: the full pose is impossible, and the answer is the nearest one.
  PoseGoal tilted = pick;
  tilted.target.rotation = exp_rotation(Vec3(0.2, 0, 0)).toRotationMatrix() * pick.target.rotation;
  problem.goals = {tilted};
  q = ready;
  const Report& refused = solver.solve(problem, q);
  q = refused.q;
  std::printf("%s\n", refused.message().c_str());
  const bool said = !refused.ok() && std::abs(refused.orientation_error - 0.2) < 0.05;

  // Tilts left free: place and turn about the vertical are what counts.
  tilted.orientation_axes.free = {true, true, false};
  problem.goals = {tilted};
  q = ready;
  const Report& report = solver.solve(problem, q);
  q = report.q;
  std::printf("%s\n", report.message().c_str());
  const Vec3 place = where(scara, q, "tool").position;
  return picked && there && said && report.ok() && (place - pick.target.position).norm() < 1e-5 ? 0 : 1;
}
