// A table of problems that break solvers: every method must answer each with a finite pose inside limits and a verdict.
#include <doctest/doctest.h>

#include <memory>

#include "armature/geom/svd.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/methods.hpp"
#include "support/arms.hpp"
#include "support/solve_in_place.hpp"

using namespace armature;

namespace {

struct Row {
  std::string name;
  Linkage linkage;
  Vec3 target;
  double start = 0.0;  // of every angle
};

Linkage zero_lengths() {
  Linkage linkage = test::planar_arm({0.0, 0.0, 0.0});
  linkage.name = "zero";
  return linkage;
}

Linkage limited(Linkage linkage, double low, double high) {
  for (Joint& joint : linkage.joints) {
    if (std::holds_alternative<Revolute>(joint.type)) joint.limits = {{low}, {high}, {}, {}};
  }
  return linkage;
}

std::vector<Row> table() {
  std::vector<Row> rows;
  const Linkage arm = test::planar_arm({15, 10, 5});
  rows.push_back({"stretched, goal on the forearm (fig 5.19)", arm, {22, 0, 0}});
  rows.push_back({"stretched, goal at the shoulder", arm, {0, 0, 0}});
  rows.push_back({"folded onto itself", arm, {10, 1, 0}, kPi});
  rows.push_back({"out of reach, straight ahead", arm, {100, 0, 0}});
  rows.push_back({"out of reach, opposite", arm, {-100, 0, 0}});
  rows.push_back({"off the arm's plane", arm, {10, 5, 7}, 0.3});
  rows.push_back({"just reachable", arm, {30, 0, 0}, 0.4});
  rows.push_back({"links of no length", zero_lengths(), {1, 1, 0}, 0.2});
  rows.push_back({"links of no length, goal there", zero_lengths(), {0, 0, 0}, 0.2});
  rows.push_back({"tiny", test::scaled(arm, 1e-12), {-20e-12, 5e-12, 0}, 0.4});
  rows.push_back({"huge", test::scaled(arm, 1e12), {-20e12, 5e12, 0}, 0.4});
  rows.push_back({"very tiny", test::scaled(arm, 1e-100), {-20e-100, 5e-100, 0}, 0.4});
  rows.push_back({"very huge", test::scaled(arm, 1e100), {-20e100, 5e100, 0}, 0.4});
  rows.push_back({"a tiny arm and a huge goal", test::scaled(arm, 1e-9), {1e9, 1e9, 0}, 0.4});
  rows.push_back({"absurdly far", arm, {1e300, -1e300, 1e300}, 0.4});
  rows.push_back({"a long link and a tiny one", test::planar_arm({1e6, 1e-6}), {7e5, 7e5, 0}, 0.1});
  rows.push_back({"limits of no width", limited(arm, 0.3, 0.3), {-20, 5, 0}, 0.3});
  rows.push_back({"narrow limits", limited(arm, -0.01, 0.01), {-20, 5, 0}});
  rows.push_back({"two links, square and singular", test::planar_arm({15, 10}), {18, 0, 0}});
  rows.push_back({"two links, inside the hole", test::planar_arm({15, 10}), {2, 0, 0}, 0.5});
  rows.push_back({"ten balls in a line, goal on it", test::ball_chain(10, 0.1), {0.5, 0, 0}});
  rows.push_back({"ten balls, goal behind the root", test::ball_chain(10, 0.1), {-0.5, 0, 0}});
  rows.push_back({"ten balls, out of reach", test::ball_chain(10, 0.1), {0.3, 2, -1}});
  rows.push_back({"seven joints, all axes in line", test::seven_linkage(), {0, 0, 0.9}});
  return rows;
}

Problem problem_of(const Model& model, const Vec3& target, bool planar) {
  Problem problem;
  problem.model = model;
  PositionGoal goal;
  goal.link = model.link("tip");
  goal.target = target;
  goal.axes.free[2] = planar;
  problem.goals.push_back(goal);
  return problem;
}

}  // namespace

TEST_CASE("every method survives every problem of the table") {
  for (const Row& row : table()) {
    const Model model = test::compiled(row.linkage);
    for (const BuiltinMethod& entry : builtin_methods()) {
      for (const bool planar : {false, true}) {
        CAPTURE(row.name);
        const std::string method = entry.info.name;
        CAPTURE(method);
        CAPTURE(planar);
        const Problem problem = problem_of(model, row.target, planar);
        VecX q = neutral_pose(model);
        for (int i = 0; i < model.q_size(); ++i) {
          if (model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::angle) q[i] = row.start;
        }
        Solver solver(entry.make());
        const Report& report = solver->solve(problem, q);
        q = report.q;
        CHECK(q.allFinite());
        CHECK(inside_limits(model, q));
        CHECK(!report.message().empty());
        if (report.outcome == Outcome::refused) continue;
        CHECK(!std::isnan(report.position_error));
        CHECK(!std::isnan(report.measures.manipulability));
        CHECK(!std::isnan(report.measures.condition));
        if (report.ok()) {
          State state;
          forward(model, q, state);
          Vec3 away = row.target - state.X_WL[static_cast<std::size_t>(model.link("tip"))].position;
          if (planar) away.z() = 0.0;
          CHECK(away.norm() <= 1.0001e-6 * model.size());
        }
      }
    }
  }
}

TEST_CASE("fig 5.19: a stretched arm with its goal on the forearm; each report says what happened") {
  const Model three = test::compiled(test::planar_arm({15, 10, 5}));
  const Model two = test::compiled(test::planar_arm({15, 10}));
  const auto outcome_of = [&](const Model& model, const char* method, const Vec3& target) {
    const Problem problem = problem_of(model, target, true);
    auto solver = make_solver(method).value();
    VecX q = neutral_pose(model);
    const Report& report = solver->solve(problem, q);
    q = report.q;
    CAPTURE(method);
    CHECK(!report.message().empty());
    return report.outcome;
  };
  for (const char* method : {"pseudoinverse", "dls", "sdls", "transpose"}) {
    CAPTURE(method);
    CHECK(outcome_of(three, method, {22, 0, 0}) == Outcome::singular);
    CHECK(outcome_of(two, method, {20, 0, 0}) == Outcome::singular);
  }
  CHECK(outcome_of(two, "inverse", {20, 0, 0}) == Outcome::singular);
  CHECK(outcome_of(three, "inverse", {22, 0, 0}) == Outcome::refused);
  CHECK(outcome_of(two, "two_link", {20, 0, 0}) == Outcome::converged);
  // One joint at a time cannot leave the line either; points that are pulled can, once bent.
  for (const char* method : {"ccd", "ccd_ranked"}) CHECK(outcome_of(two, method, {20, 0, 0}) == Outcome::singular);
  CHECK(outcome_of(three, "fabrik", {22, 0, 0}) == Outcome::converged);
  CHECK(outcome_of(two, "fabrik", {20, 0, 0}) == Outcome::converged);
}

TEST_CASE("verdicts: out of reach is proved, with lengths; a fixed transpose scale that is too large diverges") {
  const Model arm = test::compiled(test::planar_arm({15, 10, 5}));
  for (const char* method : {"pseudoinverse", "dls", "sdls", "transpose", "ccd", "ccd_ranked", "fabrik"}) {
    CAPTURE(method);
    const Problem problem = problem_of(arm, {-35, 5, 0}, true);
    auto solver = make_solver(method).value();
    VecX q = VecX::Constant(3, 0.5);
    const Report& report = solver->solve(problem, q);
    q = report.q;
    CHECK(report.outcome == Outcome::unreachable);
    REQUIRE(report.proof.has_value());
    CHECK(report.proof->bound == ReachBound::beyond);
    CHECK(report.proof->length == doctest::Approx(30.0));
    CHECK(report.proof->distance == doctest::Approx(std::hypot(35.0, 5.0)));
    CHECK(report.position_error >= std::hypot(35.0, 5.0) - 30.0 - 1e-9);
    CHECK(report.message().find("beyond the reach of 30") != std::string::npos);
  }
  // Near its best pose even the slow ones come close: the arm stretches at the goal.
  for (const char* method : {"dls", "sdls", "fabrik"}) {
    CAPTURE(method);
    const Problem problem = problem_of(arm, {-35, 5, 0}, true);
    auto solver = make_solver(method).value();
    solver->common_options().max_iterations = 2000;
    VecX q = VecX::Constant(3, 0.5);
    CHECK(test::solve_in_place(*solver, problem, q).position_error ==
          doctest::Approx(std::hypot(35.0, 5.0) - 30.0).epsilon(0.01));
  }
  const Problem near = problem_of(arm, {-20, 5, 0}, true);
  auto transpose = make_solver("transpose").value();
  REQUIRE(transpose->set_option("alpha", "0.1").ok());
  VecX q(3);
  q << kPi / 8, kPi / 4, kPi / 4;
  CHECK(test::solve_in_place(*transpose, near, q).outcome == Outcome::diverged);
  REQUIRE(transpose->set_option("alpha", "0.001").ok());
  q << kPi / 8, kPi / 4, kPi / 4;
  CHECK(test::solve_in_place(*transpose, near, q).outcome == Outcome::converged);
}

TEST_CASE("null-space law: the control term does not move the effector, to 1e-9 of the step") {
  Rng rng(31);
  for (const Linkage& linkage : {test::planar_arm({15, 10, 5}), test::seven_linkage(), test::ball_chain(5, 0.2)}) {
    const Model model = test::compiled(linkage);
    for (const char* method : {"pseudoinverse", "dls"}) {
      for (int n = 0; n < 20; ++n) {
        CAPTURE(model.name());
        CAPTURE(method);
        Problem problem = problem_of(model, Vec3::Zero(), false);
        State state;
        forward(model, random_pose(model, rng), state);
        std::get<PositionGoal>(problem.goals[0]).target =
            state.X_WL[static_cast<std::size_t>(model.link("tip"))].position;
        const VecX start = random_pose(model, rng);
        auto solver = make_solver(method).value();
        solver->common_options().max_iterations = 1;
        solver->common_options().max_step = 0.0;
        Trace plain, controlled;
        VecX q = start;
        q = solver->solve(problem, q, &plain).q;
        problem.goals.emplace_back(
            PostureGoal{.target = random_pose(model, rng), .gain = VecX::Constant(model.v_size(), 0.3)});
        q = start;
        q = solver->solve(problem, q, &controlled).q;
        const VecX null = controlled.steps[0].step - plain.steps[0].step;
        CHECK(null.norm() > 1e-6);
        CHECK((plain.steps[0].J * null).norm() <= 1e-9 * null.norm());
      }
    }
  }
}

TEST_CASE(
    "the control term: drawn to the rest pose by its gradient form; the printed square is eq 5.27 to the letter") {
  const Model arm = test::compiled(test::planar_arm({15, 10, 5}));
  Problem problem = problem_of(arm, {-20, 5, 0}, true);
  const VecX gain = Vec3(0.1, 0.5, 0.1), rest = Vec3(0, 1.8, 0);
  problem.goals.emplace_back(PostureGoal{.target = rest, .gain = gain});
  VecX start(3);
  start << 2.1, 1.3, 0.7;
  auto solver = make_solver("pseudoinverse").value();
  solver->common_options().max_iterations = 60;
  solver->common_options().tolerance = 1e-300;
  solver->common_options().keep_best = false;
  VecX q = start;
  q = solver->solve(problem, q).q;
  CHECK(q[1] > 1.5);  // from 1.3 up towards 1.8, with the effector at its goal

  for (const char* form : {"gradient", "printed"}) {
    CAPTURE(form);
    REQUIRE(solver->set_option("control", form).ok());
    solver->common_options().max_iterations = 1;
    solver->common_options().max_step = 0.0;
    Trace trace;
    q = start;
    q = solver->solve(problem, q, &trace).q;
    const MatX J = trace.steps[0].J;
    Svd svd;
    svd.compute(J);
    VecX z = start - rest;
    if (std::string(form) == "printed") z = z.cwiseProduct(z);
    z = z.cwiseProduct(gain);
    const MatX inverse = svd.V() * svd.s().cwiseInverse().asDiagonal() * svd.U().transpose();
    const VecX expected = inverse * (trace.steps[0].error + J * z) - z;  // eq 5.29
    CHECK((trace.steps[0].step - expected).norm() < 1e-12);
  }
}
