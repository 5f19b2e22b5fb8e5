// Several goals on a tree at once: a figure holds a tray with both hands, keeps its feet on the floor and looks at it.
#include <armature/armature.hpp>
#include <cstdio>

using namespace armature;

namespace {
// Where a link is at pose q, in the world.
Transform where(const Model& model, const VecX& q, const char* link) { return forward(model, q).transform(link); }
void show(const char* what, const Vec3& v) { std::printf("%-34s %8.4f %8.4f %8.4f\n", what, v.x(), v.y(), v.z()); }
}  // namespace

int main() {
  const Model human = load_model("human").value();
  const VecX rest = human.pose("rest");

  Problem problem;
  problem.model = human;
  const auto at = [&](const char* link, const Vec3& place) {
    PositionGoal goal;
    goal.link = human.link(link);
    goal.target = place;
    problem.goals.emplace_back(goal);
  };
  // Both hands at the tray's edges; feet where they are.
  const Vec3 left(0.42, 0.22, 1.05);
  const Vec3 right(0.42, -0.22, 1.05);
  const Vec3 left_foot = where(human, rest, "left_foot").position;
  const Vec3 right_foot = where(human, rest, "right_foot").position;
  at("left_hand", left);
  at("right_hand", right);
  at("left_foot", left_foot);
  at("right_foot", right_foot);
  // The head looks at the middle of the tray.
  AimGoal look;
  look.link = human.link("head");
  look.direction = Vec3::UnitX();
  look.target = Vec3(0.42, 0, 1.05);
  problem.goals.emplace_back(look);
  // What is left free stays near the rest pose. A posture without tolerance is a preference, never in the way.
  PostureGoal posture;
  posture.target = rest;
  problem.goals.emplace_back(posture);

  Solver solver;
  VecX q = rest;
  const Report& report = solver.solve(problem, q);
  q = report.q;
  std::printf("%s (%s): %s\n", outcome_name(report.outcome), report.method, report.message().c_str());
  show("left hand", where(human, q, "left_hand").position);
  show("right hand", where(human, q, "right_hand").position);
  show("left foot", where(human, q, "left_foot").position);

  // Seen from outside: the places by forward kinematics, and the line of sight.
  const Transform head = where(human, q, "head");
  const Vec3 sight = head.rotation * Vec3::UnitX();
  const double off = sight.cross((look.target - head.position).normalized()).norm();
  const bool good = (where(human, q, "left_hand").position - left).norm() < 1e-5 &&
                    (where(human, q, "right_hand").position - right).norm() < 1e-5 &&
                    (where(human, q, "left_foot").position - left_foot).norm() < 1e-5 &&
                    (where(human, q, "right_foot").position - right_foot).norm() < 1e-5 && off < 1e-5;
  return report.ok() && good && inside_limits(human, q) ? 0 : 1;
}
