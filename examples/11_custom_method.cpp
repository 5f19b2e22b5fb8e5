// A method of one's own beside the built-in ones: steepest descent. The base class brings limits, stopping, trace and
// report.
#include "armature/scene/load.hpp"
#include "armature/scene/methods.hpp"
#include "builtin.hpp"

using namespace armature;

namespace {

struct SteepestOptions {
  double gain = 0.5;
  template <class V>
  void describe(V& v) {
    v.field("gain", gain, {"Fraction of the gradient step", 0, 10});
  }
};

struct Steepest : IterativeMethod<SteepestOptions> {
  Move step(const Rows& rows, VecX& change) override {
    // Along J' e, as far as the rows' own size allows.
    const double size = rows.J().squaredNorm();
    change = own().gain / (size > 0.0 ? size : 1.0) * 2.0 * rows.J().transpose() * rows.error();
    return Move::stepped;
  }
};

}  // namespace

int main() {
  if (!register_method<Steepest>({.name = "steepest", .label = "Steepest descent"}).ok()) return 1;
  const Model arm = value_of(load_model("planar_arm")).model;
  Problem problem;
  problem.model = arm;
  PositionGoal goal;
  goal.link = arm.link("tip");
  goal.target = Vec3(-20, 5, 0);
  problem.goals = {goal};

  bool good = true;
  for (const char* method : {"steepest", "dls", "ccd", "reach"}) {
    VecX q = value_of(arm.find_pose("chapter"));
    const std::unique_ptr<Solver> solver = value_of(make_method(method));
    solver->common_options().max_iterations = 5000;
    const Report& report = solver->solve(problem, q);
    q = report.q;
    std::printf("%-10s %5d iterations, %s\n", method, report.iterations, report.message().c_str());
    good = good && report.ok();
  }
  return good ? 0 : 1;
}
