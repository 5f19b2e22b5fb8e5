// Goals that contradict each other: weights share the error, priorities decide.
#include <armature/armature.hpp>
#include <cstdio>

using namespace armature;

namespace {
// Where a link is at pose q, in the world.
Transform where(const Model& model, const VecX& q, const char* link) { return forward(model, q).transform(link); }
}  // namespace

int main() {
  const Model arm = load_model("panda").value();
  const VecX ready = arm.pose("ready");
  Solver solver;

  // The tool cannot be in two places, 0.2 m apart.
  PositionGoal here;
  here.link = arm.link("panda_tcp");
  here.target = Vec3(0.5, 0.1, 0.4);
  PositionGoal there = here;
  there.target = Vec3(0.5, -0.1, 0.4);

  Problem problem;
  problem.model = arm;
  bool good = true;
  const auto solve = [&](const char* what) {
    problem.goals = {here, there};
    VecX q = ready;
    const Report& report = solver.solve(problem, q);
    q = report.q;
    std::printf("%-28s %.6f m from here, %.6f m from there: %s\n", what, report.goals[0].position_error,
                report.goals[1].position_error, outcome_name(report.outcome));
    good = good && !report.ok() && inside_limits(arm, q);  // both cannot be reached, and the report says so
    return where(arm, q, "panda_tcp").position;
  };

  // Equal weights: the middle. Three times the weight: a quarter of the way.
  good = (solve("equal weights") - Vec3(0.5, 0.0, 0.4)).norm() < 1e-3 && good;
  here.weight = 3.0;
  good = (solve("three times the weight") - Vec3(0.5, 0.05, 0.4)).norm() < 1e-3 && good;

  // Priorities: 0 comes first, and 1 gets only what freedom is left, whatever its weight.
  here.weight = 1.0;
  there.weight = 100.0;
  there.priority = 1;
  good = (solve("here first, there second") - here.target).norm() < 1e-5 && good;

  // A second goal that does not contradict is reached too: the flange looks at a place.
  AimGoal aim;
  aim.link = arm.link("panda_tcp");
  aim.direction = Vec3::UnitZ();
  aim.target = Vec3(0.6, 0.1, 0.0);
  aim.priority = 1;
  problem.goals = {here, aim};
  VecX q = ready;
  const Report& report = solver.solve(problem, q);
  q = report.q;
  std::printf("%s\n", report.message().c_str());
  return good && report.ok() && (where(arm, q, "panda_tcp").position - here.target).norm() < 1e-5 ? 0 : 1;
}
