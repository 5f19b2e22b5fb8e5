// A goal of one's own: both hands at one height, whatever the height. Any method that takes general goals takes it.
#include "armature/scene/load.hpp"
#include "builtin.hpp"

using namespace armature;

namespace {

/// One row: its error is target minus actual, and its slope the derivative of what is actual, as forces on links.
struct Level : GoalFunction {
  int row_count() const override { return 1; }
  void linearize(const State& state, GoalRows& rows) const override {
    const Vec3 left = state.transform("left_hand").position, right = state.transform("right_hand").position;
    rows.error[0] = right.z() - left.z();
    rows.add(state, "left_hand", left).row(0).head<3>() = Vec3(0, 0, 1);
    rows.add(state, "right_hand", right).row(0).head<3>() = Vec3(0, 0, -1);
  }
};

}  // namespace

int main() {
  const Model human = value_of(load_model("human")).model;
  PositionGoal reach;  // the left hand goes somewhere, the right one follows in height
  reach.link = human.link("left_hand");
  reach.target = Vec3(0.35, 0.25, 1.25);
  CustomGoal level;
  level.name = "level hands";
  level.function = std::make_shared<Level>();

  Problem problem;
  problem.model = human;
  problem.goals = {reach, level};
  bool good = true;
  for (const char* method : {"reach", "dls", "pseudoinverse"}) {
    VecX q = neutral_pose(human);
    clamp(human, q);
    const std::unique_ptr<Solver> solver = value_of(make_solver(method));
    const Report& report = solver->solve(problem, q);
    q = report.q;
    const double left = where(human, q, "left_hand").position.z();
    const double right = where(human, q, "right_hand").position.z();
    std::printf("%-14s hands at %.6f and %.6f m: %s\n", method, left, right, report.message().c_str());
    good = good && report.ok() && std::abs(left - right) < 1e-5;
  }
  return good ? 0 : 1;
}
