// The reach method behind the Solver interface: problems on models, reports, traces; and the real robots where their
// files are at hand.
#include "armature/solve/methods/reach.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/methods.hpp"
#include "support/allocation_counter.hpp"
#include "support/chains.hpp"
#include "support/data.hpp"
#include "support/problem_limits.hpp"
#include "support/solve_in_place.hpp"
#include "support/zoo.hpp"

using namespace armature;
using namespace armature::test;

namespace {

PoseGoal reach_pose_goal(const Model& model, const VecX& q, int base, int link) {
  State state;
  forward(model, q, state);
  PoseGoal goal;
  goal.base = base;
  goal.link = link;
  goal.target = relative(state, base, link);
  return goal;
}

/// Errors of a pose goal at q, by the library's plain forward kinematics.
std::pair<double, double> reach_errors(const Model& model, const VecX& q, const PoseGoal& goal) {
  State state;
  forward(model, q, state);
  const Transform x = state.transform(goal.link, goal.base) * Transform::translate(goal.point);
  return {(x.position - goal.target.position).norm(),
          log_rotation(Mat3(goal.target.rotation * x.rotation.transpose())).norm()};
}

bool reach_inside(const Model& model, const VecX& q) {
  return (q.array() >= model.lower().array()).all() && (q.array() <= model.upper().array()).all();
}

}  // namespace

TEST_CASE("reach is registered, and takes one goal on a chain without allocation") {
  Result<Solver> made = make_solver("reach");
  REQUIRE(made.ok());
  Method& solver = **made;
  const Model model = must_compile(arm_linkage(7));
  const int hand = *model.find_link("hand");
  Rng rng(3);
  Problem problem;
  problem.model = model;
  VecX q = middle_pose(model);
  for (int k = 0; k < 100; ++k) {
    const PoseGoal goal = reach_pose_goal(model, random_pose(model, rng), kWorld, hand);
    problem.goals.assign(1, Goal(goal));
    q = middle_pose(model);
    if (k == 0) q = solver.solve(problem, q).q;  // makes the chain
    const AllocationCounter counter;
    const Report& report = solver.solve(problem, q);
    q = report.q;
    CHECK(counter.count() == 0);
    REQUIRE(report.outcome == Outcome::converged);
    CHECK(std::strcmp(report.method, "reach") == 0);
    CHECK(reach_inside(model, q));
    const auto [position, orientation] = reach_errors(model, q, goal);
    CHECK(position <= 1.001e-6 * model.size());
    CHECK(orientation <= 1.001e-6);
    CHECK(report.position_error == doctest::Approx(position).epsilon(1e-3).scale(1e-10));
    CHECK(report.orientation_error == doctest::Approx(orientation).epsilon(1e-3).scale(1e-10));
    REQUIRE(report.goals.size() == 1);
    CHECK(report.goals[0].reached);
  }
}

TEST_CASE("a model that replaces another is never mistaken for it") {
  Reach solver;
  for (int joints = 6; joints < 9; ++joints) {
    const Model model = must_compile(arm_linkage(joints));
    Rng rng(4);
    Problem problem;
    problem.model = model;
    const PoseGoal goal = reach_pose_goal(model, random_pose(model, rng), kWorld, *model.find_link("hand"));
    problem.goals = {goal};
    VecX q = middle_pose(model);
    CHECK(test::solve_in_place(solver, problem, q).outcome == Outcome::converged);
    CHECK(reach_errors(model, q, goal).first < 2e-6 * model.size());
  }
}

TEST_CASE("relative goals, points, locks, limits of the call, and joints that do not belong to the chain") {
  Linkage linkage = arm_linkage(9);
  add(linkage, make_joint("side", Revolute{Vec3::UnitX()}, "link3", "stub", Vec3(0.1, 0, 0)));
  linkage.joints.back().limits.lower = {-1.0};
  linkage.joints.back().limits.upper = {1.0};
  const Model model = must_compile(linkage);
  const int hand = *model.find_link("hand"), base = *model.find_link("link1");
  Rng rng(5);
  Reach solver;
  Problem problem;
  problem.model = model;
  for (int k = 0; k < 30; ++k) {
    const VecX truth = random_pose(model, rng);
    PoseGoal goal = reach_pose_goal(model, truth, base, hand);
    goal.point = Vec3(0.02, 0.01, -0.03);
    goal.target = goal.target * Transform::translate(goal.point);
    problem.goals = {goal};
    problem.locked = {model.velocity_joint(4)};
    VecX upper = model.upper();
    upper[2] = truth[2] + 0.1;
    test::set_limits(problem, model.lower(), upper);
    VecX q = middle_pose(model);
    q[4] = truth[4];
    const VecX seed = q;
    const Report& report = solver.solve(problem, q);
    q = report.q;
    CHECK(report.outcome == Outcome::converged);
    CHECK(reach_errors(model, q, goal).first < 2e-6 * model.size());
    CHECK(q[4] == doctest::Approx(seed[4]).epsilon(1e-15));
    CHECK(q[2] <= upper[2]);
    CHECK(q[0] == seed[0]);  // above the base: not of the chain
    CHECK(q[model.joint(*model.find_link("stub")).q_index] == seed[model.joint(*model.find_link("stub")).q_index]);
  }
}

TEST_CASE("verdicts: unreachable with the bound, stalled with blocking joints, refused") {
  const Model model = must_compile(arm_linkage(6));
  const int hand = *model.find_link("hand");
  Reach solver;
  Problem problem;
  problem.model = model;
  PositionGoal far;
  far.link = hand;
  far.target = Vec3(0.0, 3.0, 0.0);
  problem.goals = {far};
  VecX q = middle_pose(model);
  const Report& report = solver.solve(problem, q);
  q = report.q;
  CHECK(report.outcome == Outcome::unreachable);
  REQUIRE(report.proof.has_value());
  CHECK(report.proof->bound == ReachBound::beyond);
  CHECK(report.proof->distance > report.proof->length);
  CHECK(report.position_error >= report.proof->distance - report.proof->length - 1e-9);
  far.axes.free = {false, false, true};  // as "x,y" on the command line
  problem.goals = {far};
  q = middle_pose(model);
  CHECK(test::solve_in_place(solver, problem, q).outcome == Outcome::unreachable);
  REQUIRE(report.proof.has_value());
  CHECK(report.proof->bound == ReachBound::beyond);
  far.axes = {};
  problem.goals = {far};
  q = middle_pose(model);
  q = solver.solve(problem, q).q;
  CHECK_FALSE(report.goals[0].reached);
  CHECK(reach_inside(model, q));
  CHECK(report.message().size() > 20);
  CHECK(report.measures.condition > 0.0);  // measures come along when the goal is not reached

  PositionGoal broken = far;
  broken.target.x() = std::numeric_limits<double>::quiet_NaN();
  problem.goals = {broken};
  CHECK(test::solve_in_place(solver, problem, q).outcome == Outcome::refused);
  CHECK(reach_inside(model, q));
}

TEST_CASE("a trace holds every pose of the search; measures on request") {
  const Model model = must_compile(arm_linkage(7));
  Rng rng(6);
  Reach solver;
  solver.settings.measures = true;
  Problem problem;
  problem.model = model;
  problem.goals = {reach_pose_goal(model, random_pose(model, rng), kWorld, *model.find_link("hand"))};
  VecX q = middle_pose(model), again = q;
  Trace trace;
  const Report first = solver.solve(problem, q, &trace);
  q = first.q;
  REQUIRE(first.ok());
  CHECK(static_cast<int>(trace.steps.size()) == first.iterations);
  CHECK(trace.steps.back().error_norm < 0.1);
  CHECK(trace.steps.front().J.rows() == 6);
  CHECK(first.measures.smallest() > 0.0);
  again = solver.solve(problem, again).q;
  CHECK(std::memcmp(q.data(), again.data(), sizeof(double) * static_cast<std::size_t>(q.size())) == 0);
}

TEST_CASE("every chain of the real robots with five joints or more, from the middle and from random seeds") {
  const auto list = shared_data("robots.json");
  if (!list) return;
  const nlohmann::json robots = nlohmann::json::parse(read_file(*list));
  int chains = 0;
  for (const auto& robot : robots["robots"]) {
    const auto file = shared_data(robot["file"].get<std::string>());
    REQUIRE(file);
    ReadOptions options;
    options.file_name = file->string();
    const Result<Document> document = read_document(read_file(*file), options);
    REQUIRE_MESSAGE(document.ok(), document.message());
    const Result<Model> model = compile(document->linkage);
    REQUIRE_MESSAGE(model.ok(), model.message());
    for (const auto& entry : robot["chains"]) {
      if (entry["dof"].get<int>() < 5) continue;
      CAPTURE(robot["file"].get<std::string>());
      CAPTURE(entry["tip"].get<std::string>());
      const int base = *model->find_link(entry["base"].get<std::string>());
      const int tip = *model->find_link(entry["tip"].get<std::string>());
      ++chains;
      Reach solver;
      solver.settings.tolerance = 1e-5;
      solver.settings.orientation_tolerance = 1e-5;
      Problem problem;
      problem.model = *model;
      Rng rng(7);
      for (int k = 0; k < 100; ++k) {
        const PoseGoal goal = reach_pose_goal(*model, random_pose(*model, rng), base, tip);
        problem.goals.assign(1, Goal(goal));
        VecX q = k % 2 == 0 ? middle_pose(*model) : random_pose(*model, rng);
        const Report& report = solver.solve(problem, q);
        q = report.q;
        CHECK(std::strcmp(report.reason, "one goal on a serial chain") == 0);
        CHECK(report.outcome == Outcome::converged);
        const auto [position, orientation] = reach_errors(*model, q, goal);
        CHECK(position <= 1.0001e-5);
        CHECK(orientation <= 1.0001e-5);
        CHECK(reach_inside(*model, q));
      }
    }
  }
  CHECK(chains == 47);
}
