#include "armature/scene/methods.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "support/arms.hpp"
#include "support/solve_in_place.hpp"
#include "support/zoo.hpp"

using namespace armature;

namespace {

/// Two links at one height, as a user would write it.
struct Level : GoalFunction {
  std::string first, second;
  Level(std::string a, std::string b) : first(std::move(a)), second(std::move(b)) {}
  int row_count() const override { return 1; }
  void linearize(const State& state, GoalRows& rows) const override {
    const Vec3 a = state.X_WL[static_cast<std::size_t>(state.model.link(first))].position;
    const Vec3 b = state.X_WL[static_cast<std::size_t>(state.model.link(second))].position;
    rows.error[0] = b.z() - a.z();
    rows.add(state, first, a).row(0).head<3>() = Vec3(0, 0, 1);
    rows.add(state, second, b).row(0).head<3>() = Vec3(0, 0, -1);
  }
};

struct SteepestOptions {
  double gain = 0.5;
  template <class V>
  void describe(V& v) {
    v.field("gain", gain, {"Fraction of the gradient step", 0, 10});
  }
};
struct Steepest : IterativeMethod<SteepestOptions> {
  Move step(const Rows& rows, VecX& change) override {
    change = options.gain * rows.J().transpose() * rows.error();
    return Move::stepped;
  }
};

}  // namespace

TEST_CASE("a goal of one's own works with every method that takes general goals, and is called by its name") {
  const Model model = test::must_compile(test::zoo_linkage());
  CustomGoal level;
  level.name = "level hands";
  level.function = std::make_shared<Level>("hand", "hand2");
  Problem problem;
  problem.model = model;
  problem.goals = {level};
  int solved = 0;
  Rng rng(6);
  for (const BuiltinMethod& entry : builtin_methods()) {
    const std::string method = entry.info.name;
    CAPTURE(method);
    Solver solver(entry.make());
    VecX q = random_pose(model, rng);
    if (!solver->check(problem).ok()) {  // refused by its type's name, or because the Jacobian is not square
      const std::string why = solver->check(problem).message();
      const bool says_why = why.find("'custom'") != std::string::npos || why.find("square") != std::string::npos ||
                            why.find(method) != std::string::npos;
      CHECK(says_why);
      continue;
    }
    const Report& report = solver->solve(problem, q);
    q = report.q;
    CHECK(report.outcome == Outcome::converged);
    State state;
    forward(model, q, state);
    const double apart = std::abs(state.X_WL[static_cast<std::size_t>(model.link("hand"))].position.z() -
                                  state.X_WL[static_cast<std::size_t>(model.link("hand2"))].position.z());
    CHECK(report.position_error == doctest::Approx(apart).epsilon(1e-9));
    ++solved;
  }
  CHECK(solved >= 5);  // auto, reach and the Jacobian methods at least

  // Beside a goal that cannot be met it is the one that is named.
  PositionGoal far;
  far.link = model.link("hand");
  far.target = Vec3(0, 0, 0.5);
  CustomGoal two = level;
  struct Never : GoalFunction {
    int row_count() const override { return 1; }
    void linearize(const State& state, GoalRows& rows) const override {
      rows.error[0] = 1.0;  // whatever one does
      rows.add(state, "hand", Vec3::Zero());
    }
  };
  two.name = "never";
  two.function = std::make_shared<Never>();
  problem.goals = {far, two};
  VecX q = random_pose(model, rng);
  Solver dls = make_solver("dls").value();
  const Report& report = dls->solve(problem, q);
  q = report.q;
  CHECK(report.outcome != Outcome::converged);
  CHECK(report.message().find("never (1)") != std::string::npos);
}

TEST_CASE("a goal of one's own without a function, or with too many rows, is refused") {
  const Model model = test::must_compile(test::zoo_linkage());
  Problem problem;
  problem.model = model;
  problem.goals = {CustomGoal{}};
  CHECK(!check_problem(problem).ok());
  struct Huge : GoalFunction {
    int row_count() const override { return 99; }
    void linearize(const State&, GoalRows&) const override {}
  };
  CustomGoal huge;
  huge.function = std::make_shared<Huge>();
  problem.goals = {huge};
  CHECK(!check_problem(problem).ok());
}

TEST_CASE("a goal that looks at other links from pose to pose ends without a claim") {
  struct Fickle : GoalFunction {
    int row_count() const override { return 1; }
    void linearize(const State& state, GoalRows& rows) const override {
      const bool other = state.X_WL[5].position.x() > 0.0;
      rows.error[0] = 1.0;
      rows.add(state, other ? 3 : 5, Vec3::Zero()).row(0).head<3>() = Vec3(1, 0, 0);
    }
  };
  const Model model = test::must_compile(test::zoo_linkage());
  CustomGoal fickle;
  fickle.function = std::make_shared<Fickle>();
  Problem problem;
  problem.model = model;
  problem.goals = {fickle};
  Rng rng(1);
  for (int k = 0; k < 10; ++k) {
    VecX q = random_pose(model, rng);
    Solver reach = make_solver("reach").value();
    CHECK(test::solve_in_place(*reach, problem, q).outcome != Outcome::converged);
    CHECK(q.allFinite());
  }
}

TEST_CASE("a method of one's own is made, described and held to limits like any other") {
  const std::size_t before = methods().size();
  REQUIRE(register_method<Steepest>({.name = "steepest", .label = "Old"}).ok());
  REQUIRE(register_method<Steepest>({.name = "steepest", .label = "Steepest descent", .doc = "Down the slope."}).ok());
  CHECK(methods().size() == before + 1);  // the later one counts
  CHECK(!register_method<Steepest>({.name = "dls"}).ok());
  CHECK(!register_method<Steepest>({.name = "Not a name"}).ok());
  const std::vector<MethodEntry> all = methods();
  CHECK(all.back().name == "steepest");
  CHECK(make_solver("stepest").message().find("steepest") != std::string::npos);
  Solver solver = make_solver("steepest").value();
  CHECK(std::string(solver->info().label) == "Steepest descent");
  bool described = false;
  for (const OptionInfo& option : solver->option_list()) described = described || option.name == "gain";
  CHECK(described);
  REQUIRE(solver->set_option("gain", "0.4").ok());
  REQUIRE(solver->set_option("max_iterations", "5000").ok());

  const Model model = test::compiled(test::planar_arm({1.0, 1.0}));
  Problem problem;
  problem.model = model;
  PositionGoal goal;
  goal.link = model.link("tip");
  goal.target = Vec3(0.7, 0.9, 0.0);
  problem.goals = {goal};
  VecX q(2);
  q << 0.2, 0.4;
  Trace trace;
  const Report& report = solver->solve(problem, q, &trace);
  q = report.q;
  CHECK(report.outcome == Outcome::converged);
  CHECK(std::string(report.method) == "steepest");
  REQUIRE(trace.steps.size() == static_cast<std::size_t>(report.iterations) + 1);
  CHECK((trace.steps[0].step - 0.4 * trace.steps[0].J.transpose() * trace.steps[0].error).norm() < 1e-12);
}

TEST_CASE("methods: no two look alike in a picture") {
  std::vector<std::string> looks;
  for (const BuiltinMethod& method : builtin_methods()) {
    looks.push_back(std::string(method.info.color) + " " + method.info.dash);
  }
  std::sort(looks.begin(), looks.end());
  CHECK(std::adjacent_find(looks.begin(), looks.end()) == looks.end());
}
