// Laws of every method about limits: of time, and of joints.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/registry.hpp"
#include "support/arms.hpp"
#include "support/problem_limits.hpp"

using namespace armature;

namespace {

// A whole pose that the arm reaches, but not within a fraction of its limits; no bound proves that.
Problem blocked_problem(const Model& model, Rng& rng) {
  State state;
  forward(model, random_pose(model, rng), state);
  Problem problem;
  problem.model = model;
  PoseGoal goal;
  goal.link = model.link("tip");
  goal.target = state.transform(goal.link);
  problem.goals.emplace_back(goal);
  test::set_limits(problem, 0.15 * model.lower(), 0.15 * model.upper());
  return problem;
}

}  // namespace

TEST_CASE("law: a limit of time ends every search") {
  const Model model = test::compiled(test::seven_linkage());
  int methods = 0;
  for (const BuiltinMethod& entry : builtin_methods()) {
    const std::string method = entry.info.name;
    CAPTURE(method);
    Rng rng(3);
    int hurried = 0;
    for (int n = 0; n < 20; ++n) {
      const Problem problem = blocked_problem(model, rng);
      Solver solver(entry.make());
      if (!solver->check(problem).ok()) break;
      VecX q = VecX::Zero(model.q_size());
      const Report patient = solver->solve(problem, q);
      q = patient.q;
      if (patient.ok() || patient.outcome == Outcome::unreachable || patient.iterations < 40) continue;
      CHECK(patient.outcome != Outcome::time_limit);
      solver->common_options().max_time = 1e-9;
      q.setZero();
      const Report& report = solver->solve(problem, q);
      q = report.q;
      CHECK(report.outcome == Outcome::time_limit);
      CHECK(report.iterations < patient.iterations / 2);
      ++hurried;
    }
    methods += hurried > 0 ? 1 : 0;
    if (method == "reach" || method == "auto" || method == "dls") CHECK(hurried > 0);
  }
  CHECK(methods >= 5);
}

TEST_CASE("law: joints_at_limits names the coordinates that are at a bound, and no others") {
  const Model model = test::compiled(test::seven_linkage());
  for (const BuiltinMethod& entry : builtin_methods()) {
    const std::string method = entry.info.name;
    CAPTURE(method);
    Rng rng(5);
    int at_limits = 0, asked = 0;
    for (int n = 0; n < 12; ++n) {
      const Problem problem = blocked_problem(model, rng);
      Solver solver(entry.make());
      if (!solver->check(problem).ok()) break;
      ++asked;
      solver->common_options().max_iterations = 200;
      VecX q = VecX::Zero(model.q_size());
      const Report& report = solver->solve(problem, q);
      q = report.q;
      for (int i = 0; i < model.q_size(); ++i) {
        const double room = std::min(q[i] - 0.15 * model.lower()[i], 0.15 * model.upper()[i] - q[i]);
        const auto& listed = report.joints_at_limits;
        const bool named =
            std::any_of(listed.begin(), listed.end(), [i](const LimitContact& at) { return at.index == i; });
        if (room == 0.0) CHECK(named);
        if (room > 1e-5) CHECK(!named);
        at_limits += named ? 1 : 0;
      }
    }
    // Analysis says that no answer lies inside such limits, and stays at the start.
    if (asked > 0 && method != "analytic") CHECK(at_limits > 0);
  }
}
