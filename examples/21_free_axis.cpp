// A free axis: a screwdriver must point along its screw, but how it is turned about that axis does not matter. So an
// arm of five joints will do; and one of six keeps a joint to spare.
#include <armature/armature.hpp>
#include <cstdio>

using namespace armature;

namespace {
// Where a link is at pose q, in the world.
Transform where(const Model& model, const VecX& q, const char* link) { return forward(model, q).transform(link); }
}  // namespace

int main() {
  const Model arm = load_model("ur5").value();
  const VecX ready = arm.pose("ready");
  Solver solver;

  // The tool's z axis along the screw's, which is tilted.
  PoseGoal screw;
  screw.link = arm.link("tool0");
  screw.target = Transform::from(exp_rotation(Vec3(2.8, 0.3, 0)), Vec3(0.35, 0.25, 0.2));

  // Without its last joint the arm has five, one too few for a full pose.
  Problem problem;
  problem.model = arm;
  problem.goals = {screw};
  problem.locked = {arm.velocity_joint(arm.v_size() - 1)};
  VecX q = ready;
  const bool full = solver.solve(problem, q).ok();
  std::printf("full pose with five joints: %s\n", full ? "reached" : "not reached");

  // Free about the screw: the axis of the goal's own frame, whatever the size of that turn.
  screw.orientation_axes.free = {false, false, true};
  screw.orientation_axes.frame = AxesFrame::target;
  problem.goals = {screw};
  q = ready;
  const Report& report = solver.solve(problem, q);
  q = report.q;
  std::printf("free about the screw: %s\n", report.message().c_str());

  const Transform tool = where(arm, q, "tool0");
  const double tilt = (tool.rotation.col(2) - screw.target.rotation.col(2)).norm();
  const double turn = std::acos(std::min(1.0, std::max(-1.0, tool.rotation.col(0).dot(screw.target.rotation.col(0)))));
  std::printf("axis off by %.1e, turned about it by %.3f rad\n", tilt, turn);
  const bool there = (tool.position - screw.target.position).norm() < 1e-5 && tilt < 1e-5;
  return !full && report.ok() && there && turn > 0.01 && q[arm.q_size() - 1] == ready[arm.q_size() - 1] ? 0 : 1;
}
