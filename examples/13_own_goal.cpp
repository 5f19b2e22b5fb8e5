// A goal of one's own: both hands at one height, whatever the height. Any method that takes general goals takes it.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

struct Level : GoalFunction {
  int row_count() const override { return 1; }
  void linearize(const State& state, GoalRows& rows) const override {  // error = target - actual
    const Vec3 left = state.transform("left_hand").position, right = state.transform("right_hand").position;
    rows.error[0] = right.z() - left.z();
    rows.add(state, "left_hand", left).row(0).head<3>() = Vec3(0, 0, 1);  // derivative of actual as wrenches on links
    rows.add(state, "right_hand", right).row(0).head<3>() = Vec3(0, 0, -1);
  }
};

int main() {
  const Model human = load_model("human").value();
  const Problem problem{.model = human,
                        .goals = {PositionGoal{.link = "left_hand", .target = {0.35, 0.25, 1.25}},
                                  CustomGoal{.name = "level", .function = std::make_shared<Level>()}}};
  bool good = true;
  for (const char* method : {"reach", "dls", "pseudoinverse"}) {
    Solver solver = make_solver(method).value();
    const Report& report = solver.solve(problem);
    const State state = forward(human, report.q);
    const double left = state.transform("left_hand").position.z(), right = state.transform("right_hand").position.z();
    std::cout << method << ": hands at " << left << " and " << right << " m. " << report.message() << '\n';
    good = good && report.ok() && std::abs(left - right) < 1e-5;
  }
  return good ? 0 : 1;
}
