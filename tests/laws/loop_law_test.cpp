// Laws of reaching with closed loops, over every built-in model that has some: goals taken from assembled poses are
// reached, every returned pose is assembled and inside limits, out of reach or not, and methods that cannot keep loops
// closed refuse and name the closure.
#include <doctest/doctest.h>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/methods.hpp"
#include "support/loops.hpp"

using namespace armature;

namespace {

std::vector<Model> mechanisms() {
  std::vector<Model> all;
  for (const BuiltinModel& builtin : builtin_models()) {
    ReadOptions options;
    options.file_name = std::string(builtin.name) + ".json";
    const Result<Document> document = read_document(builtin.json, options);
    REQUIRE_MESSAGE(document.ok(), document.message());
    if (document->linkage.closures.empty()) continue;
    Result<Model> model = compile(document->linkage);
    REQUIRE_MESSAGE(model.ok(), model.message());
    all.push_back(*model);
  }
  REQUIRE(all.size() >= 10);
  return all;
}

// An assembled pose near the model's own, inside limits.
VecX assembled_near(const Model& model, Assembler& assembler, Rng& rng, double away) {
  for (int attempt = 0; attempt < 50; ++attempt) {
    VecX v(model.v_size());
    for (int i = 0; i < v.size(); ++i) v[i] = rng.uniform(-away, away) * assembler.rows.unit(i);
    VecX q = integrate(model, model.poses().front().q, v);
    if (assembler.assemble(q.data()).ok && inside_limits(model, q, 1e-9)) return q;
  }
  return model.poses().front().q;
}

PositionGoal goal_at(const Model& model, const VecX& q, const Vec3& beyond) {
  State state;
  forward(model, q, state);
  PositionGoal goal;
  goal.link = model.effectors().front();
  goal.target = state.transform(goal.link).position + beyond;
  return goal;
}

}  // namespace

TEST_CASE("loop law: every mechanism that is built in assembles, its named pose is closed, its drives are enough") {
  for (const Model& model : mechanisms()) {
    INFO(model.name());
    CHECK(closure_error(model, model.poses().front().q) < 1e-11 * model.size());
    const MechanismReport report = analyze_mechanism(model);
    CHECK(report.assembled);
    CHECK(report.driven_well());
    CHECK(report.mobility == static_cast<int>(model.drives().size()));
  }
}

TEST_CASE("loop law: goals of assembled poses are reached with the loops closed, and so are poses out of reach") {
  for (const char* method : {"reach", "auto", "dls"}) {
    Solver solver = make_solver(method).value();
    for (const Model& model : mechanisms()) {
      INFO(model.name(), " by ", method);
      Assembler assembler;
      assembler.prepare(model);
      Rng rng(9);
      for (int n = 0; n < 6; ++n) {
        const bool beyond = n == 5;
        const VecX there = assembled_near(model, assembler, rng, 0.4);
        Problem problem;
        problem.model = model;
        problem.goals.push_back(goal_at(model, there, beyond ? Vec3(20 * model.size(), 0, 0) : Vec3::Zero()));
        VecX q = assembled_near(model, assembler, rng, 0.2);
        CHECK(solver->check(problem).ok());
        const Report report = solver->solve(problem, q);
        q = report.q;
        if (!beyond && std::string(method) != "dls") CHECK(report.outcome == Outcome::converged);
        CHECK(closure_error(model, q) < 1e-12 * std::max(1.0, model.size()));
        CHECK(inside_limits(model, q, 1e-9));
        State state;
        forward(model, q, state);
        const PositionGoal& goal = std::get<PositionGoal>(problem.goals[0]);
        const double gap = (goal.target - state.transform(goal.link).position).norm();
        CHECK(report.position_error == doctest::Approx(gap).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("loop law: locked joints and limits hold where the loops then cannot close") {
  const Model free = test::compiled(test::four_bar(4.0, 3.0, 1.0, 1.0));  // closes near 0 of the crank only
  Linkage limited = test::four_bar(4.0, 3.0, 1.0, 1.0);
  limited.joints[0].limits.lower = {2.9};
  limited.joints[0].limits.upper = {3.1};
  for (const char* method : {"reach", "auto", "dls"}) {
    INFO(method);
    Solver solver = make_solver(method).value();
    const VecX start = Vec3(3.0, 0.1, 0.1);
    Problem problem;
    problem.model = free;
    PositionGoal goal;
    goal.link = free.link("coupler");
    goal.target = Vec3(2.5, 0.5, 0.0);
    problem.goals.emplace_back(goal);
    problem.locked = {"crank"};
    const Report locked = solver->solve(problem, start);
    CHECK(locked.outcome == Outcome::refused);
    CHECK(locked.q[0] == 3.0);
    problem.locked.clear();
    problem.model = test::compiled(limited);
    const Report outside = solver->solve(problem, start);
    CHECK(outside.outcome == Outcome::refused);
    CHECK(inside_limits(problem.model, outside.q));
    // Free to move, the crank is put where the loop closes.
    problem.model = free;
    CHECK(closure_error(free, solver->solve(problem, start).q) < 1e-9);
  }
}

TEST_CASE("loop law: methods that cannot keep loops closed refuse with the closure's name") {
  for (const Model& model : mechanisms()) {
    if (model.name() != "four_bar") continue;
    for (const char* method : {"ccd", "ccd_ranked", "fabrik", "two_link", "inverse"}) {
      INFO(method);
      Solver solver = make_solver(method).value();
      Problem problem;
      problem.model = model;
      VecX q = model.poses().front().q;
      problem.goals.push_back(goal_at(model, q, Vec3::Zero()));
      const Status status = solver->check(problem);
      CHECK_FALSE(status.ok());
      CHECK(status.message().find("'pin'") != std::string::npos);
      CHECK(solver->solve(problem, q).outcome == Outcome::refused);
    }
  }
}

TEST_CASE("loop law: no method calls a mechanism that can never close reached") {
  Linkage linkage = test::four_bar(4, 1.5, 4.2, 2.6);
  linkage.closures[0].b.origin.position.z() = 0.032;
  const Result<Model> model = compile(linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  Problem problem;
  problem.model = *model;
  State state;
  forward(*model, start_pose(*model), state);
  PositionGoal goal;
  goal.link = model->link_count() - 1;
  goal.target = state.X_WL.back().position;
  problem.goals.push_back(goal);
  for (const BuiltinMethod& method : builtin_methods()) {
    CAPTURE(std::string(method.info.name));
    const Report report = method.make()->solve(problem, start_pose(*model));
    CHECK_FALSE(report.ok());
    CHECK_MESSAGE(report.message().find("'pin'") != std::string::npos, report.message());
  }
}
