// Objects of other languages: trees without text, goals of the whole pose, batches on several threads.
#include <doctest/doctest.h>

#include <algorithm>

#include "armature/kinematics/pose.hpp"
#include "armature/parallel/solve_batch.hpp"
#include "armature/scene/scene.hpp"

namespace armature {
namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

void numbers(JsonTreeBuilder& builder, std::initializer_list<double> list) {
  builder.begin_array();
  for (const double number : list) builder.number(number);
  builder.end();
}

// {"model": model, "goals": [{"target": target, extra: 1}]}
JsonInput scene_tree(std::string_view model, std::initializer_list<double> target, std::string_view extra = "") {
  JsonTree tree;
  JsonTreeBuilder builder(tree);
  builder.begin_object();
  builder.key("model");
  builder.string(model);
  builder.key("goals");
  builder.begin_array();
  builder.begin_object();
  builder.key("target");
  numbers(builder, target);
  if (!extra.empty()) {
    builder.key(extra);
    builder.number(1.0);
  }
  builder.end();
  builder.end();
  builder.end();
  return JsonInput::from_tree(std::move(tree));
}

// One joint keeps half the angle of another, by slopes over all velocities.
struct Half : GoalFunction {
  int row_count() const override { return 1; }
  bool of_whole_pose() const override { return true; }
  void linearize(const State& state, GoalRows& rows) const override { rows.error[0] = 0.5 * state.q[1] - state.q[2]; }
  void slopes(const State&, MatX& J) const override {
    J.setZero();
    J(0, 1) = -0.5;
    J(0, 2) = 1.0;
  }
};

}  // namespace

TEST_CASE("A tree without text is read like text, and its values are named by their path") {
  const Result<Scene> built = read_scene(scene_tree("planar_arm", {10, 15, 0}), {});
  REQUIRE(built.ok());
  const Scene text = read_scene(R"({"model": "planar_arm", "goals": [{"target": [10, 15, 0]}]})", "", {}).value();
  CHECK(to_json(*built) == to_json(text));
  CHECK(read_scene(scene_tree("planar_arm", {10, 15, 0}, "tolerence"), {}).message().rfind("goals[0].tolerence: ", 0) ==
        0);
  CHECK(read_scene(scene_tree("planar_arm", {1, 2, 3, 4, 5}), {}).message().rfind("goals[0].target: ", 0) == 0);
}

TEST_CASE("A tree is no deeper than text may be, and has a key once") {
  JsonTree tree;
  JsonTreeBuilder deep(tree);
  bool ok = true;
  for (int i = 0; i <= kMaxJsonDepth && ok; ++i) ok = deep.begin_array();
  CHECK_FALSE(ok);
  CHECK(has(deep.mistake, "nested deeper"));
  JsonTree other;
  JsonTreeBuilder twice(other);
  twice.begin_object();
  twice.key("a");
  twice.number(1);
  twice.key("a");
  twice.number(2);
  CHECK_FALSE(twice.end());
  CHECK(has(twice.mistake, "'a' stands twice"));
}

TEST_CASE("Matrices come as rows, links as numbers") {
  const Scene scene = read_scene(R"({"model": "planar_arm", "goals": [{"link": 4, "target":
      [[0, -1, 0, 10], [1, 0, 0, 15], [0, 0, 1, 0], [0, 0, 0, 1]]}]})",
                                 "", {})
                          .value();
  const auto* goal = std::get_if<PoseGoal>(&scene.goals.front());
  REQUIRE(goal != nullptr);
  CHECK(goal->link == LinkRef(4));
  CHECK(goal->target.position == Vec3(10, 15, 0));
  CHECK(goal->target.rotation(1, 0) == doctest::Approx(1.0));
  CHECK(has(read_scene(R"({"model": "planar_arm", "goals": [{"link": 5, "target": [1, 2]}]})", "", {}).message(),
            "numbered from 0 to 4"));
}

TEST_CASE("A goal of the whole pose works with the methods that take goals of one's own") {
  SceneArguments arguments;
  arguments.functions = {std::make_shared<Half>()};
  const Scene scene = read_scene(R"({"model": "planar_arm", "start": "chapter", "goals": [{"target": [10, 15]},
      {"type": "custom", "name": "half", "function": 0, "weight": 100}]})",
                                 "", arguments)
                          .value();
  const Problem problem = make_problem(scene);
  for (const char* name : {"auto", "reach", "dls", "pseudoinverse", "sdls", "transpose", "follow"}) {
    CAPTURE(name);
    Solver solver = std::move(make_solver(name)).value();
    REQUIRE(solver->set_option("max_iterations", "20000").ok());
    const Report& report = solver->solve(problem);
    CHECK(report.ok());
    CHECK(report.q[2] == doctest::Approx(0.5 * report.q[1]).epsilon(1e-4));
  }
  CHECK(has(read_scene(R"({"model": "planar_arm", "goals": [{"type": "custom", "function": 0}]})", "", {}).message(),
            "is code"));
}

TEST_CASE("A batch gives the same on any number of threads, and stops when it is told") {
  const Scene scene = read_scene(R"({"model": "panda", "start": "ready"})", "", {}).value();
  std::vector<Goal> goals;
  for (int i = 0; i < 700; ++i) {
    PositionGoal goal;
    goal.link = "panda_tcp";
    goal.target = Vec3(0.3 + 0.0003 * i, 0.1, 0.5);
    goals.emplace_back(goal);
  }
  const MatX starts = scene.start.replicate(1, 700);
  const auto make = [] { return std::move(make_solver("auto")).value(); };
  const BatchReport one = solve_batch(make_problem(scene), goals, starts, make, {1, {}});
  const BatchReport many = solve_batch(make_problem(scene), goals, starts, make, {3, {}});
  CHECK(one.q == many.q);
  CHECK(std::all_of(one.reports.begin(), one.reports.end(), [](const Report& r) { return r.ok(); }));
  double last = 0.0;
  CHECK(solve_batch(make_problem(scene), goals, starts, make,
                    {2, [&](double f) { return (last = std::max(last, f)), true; }})
            .complete);
  CHECK(last == 1.0);
  CHECK_FALSE(solve_batch(make_problem(scene), goals, starts, make, {1, [](double) { return false; }}).complete);
}

}  // namespace armature
