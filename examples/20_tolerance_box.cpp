// A tolerance box: the cup may stand anywhere in a rectangle of the shelf, and the hand may be turned a little.
#include <armature/armature.hpp>
#include <cstdio>

using namespace armature;

namespace {
// Where a link is at pose q, in the world.
Transform where(const Model& model, const VecX& q, const char* link) { return forward(model, q).transform(link); }
void show(const char* what, const Vec3& v) { std::printf("%-34s %8.4f %8.4f %8.4f\n", what, v.x(), v.y(), v.z()); }
}  // namespace

int main() {
  const Model arm = load_model("panda").value();
  const VecX ready = arm.pose("ready");
  Solver solver;
  // Of all answers the nearest to where the arm is.
  if (!solver->set_option("quality", "nearest").ok()) return 1;

  // Tool down, on the shelf: x and y within 10 cm, the height exactly; each turn within 0.3 rad.
  PoseGoal exact;
  exact.link = arm.link("panda_tcp");
  exact.target = Transform::from(Quat(0, 1, 0, 0), Vec3(0.45, 0.3, 0.3));
  PoseGoal loose = exact;
  loose.position_axes.box = Vec3(0.1, 0.1, 0.0);
  loose.orientation_axes.box = Vec3(0.3, 0.3, 0.3);

  Problem problem;
  problem.model = arm;
  double moved[2];
  bool good = true;
  for (const bool box : {false, true}) {
    problem.goals = {box ? loose : exact};
    VecX q = ready;
    const Report& report = solver.solve(problem, q);
    q = report.q;
    const Transform tool = where(arm, q, "panda_tcp");
    const Vec3 off = tool.position - exact.target.position;
    const Vec3 turned = log_rotation(Mat3(exact.target.rotation * tool.rotation.transpose()));
    moved[box] = (q - ready).norm();
    std::printf("%s: %s, joints moved by %.3f rad\n", box ? "box" : "exact", outcome_name(report.outcome), moved[box]);
    show("  away from the middle", off);
    show("  turned by", turned);
    const Vec3 room = box ? loose.position_axes.box : Vec3::Zero();
    const double turn_room = box ? 0.3 : 0.0;
    good = good && report.ok() && ((off.cwiseAbs() - room).array() < 1e-5).all() &&
           (turned.cwiseAbs().array() < turn_room + 1e-5).all();
  }
  // The box is used: less had to move.
  return good && moved[1] < moved[0] ? 0 : 1;
}
