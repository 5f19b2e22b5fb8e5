#include "armature/solve/compiled_problem.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/methods.hpp"
#include "armature/solve/methods/auto.hpp"
#include "support/allocation_counter.hpp"
#include "support/arms.hpp"
#include "support/solve_in_place.hpp"
#include "support/zoo.hpp"

using namespace armature;

TEST_CASE("a quaternion of any length is a rotation, for every method") {
  const Model model = test::compiled(test::seven_linkage());
  Rng rng(3);
  State state;
  forward(model, random_pose(model, rng), state);
  OrientationGoal goal;
  goal.link = model.link("tip");
  goal.target = state.transform(goal.link).quaternion();
  goal.target.coeffs() *= 3.7;
  Problem problem;
  problem.model = model;
  problem.goals = {goal};
  for (const char* method : {"auto", "reach", "dls", "pseudoinverse", "ccd"}) {
    CAPTURE(std::string(method));
    VecX q = VecX::Constant(7, 0.1);
    const Report report = make_solver(method).value()->solve(problem, q);
    q = report.q;
    CHECK(report.outcome == Outcome::converged);
    REQUIRE(q.allFinite());
    forward(model, q, state);
    const Mat3 error = state.transform(goal.link).rotation.transpose() * goal.target.normalized().toRotationMatrix();
    CHECK(log_rotation(error).norm() < 2e-6);
  }
}

TEST_CASE("the tolerance of a pose is a length, also where its place is free") {
  const Model model = test::compiled(test::seven_linkage());
  Problem problem;
  problem.model = model;
  PoseGoal pose;
  pose.link = model.link("tip");
  pose.tolerance = 0.1;
  pose.position_axes.free = {true, true, true};
  OrientationGoal turn;
  turn.link = pose.link;
  turn.tolerance = 0.1;
  problem.goals = {pose, turn};
  SolveOptions options;
  options.orientation_tolerance = 1e-5;
  CompiledProblem compiled;
  REQUIRE(compiled.interpret(problem, options).ok());
  CHECK(compiled.goals()[0].orientation_tolerance == 1e-5);
  CHECK(compiled.goals()[1].orientation_tolerance == 0.1);
}

TEST_CASE("tolerances, weights and limits are resolved once") {
  const Model model = test::compiled(test::seven_linkage());
  Problem problem;
  problem.model = model;
  PoseGoal pose;
  pose.link = model.link("tip");
  pose.tolerance = 1e-3;
  AimGoal aim;
  aim.link = pose.link;
  aim.tolerance = 0.02;
  aim.priority = 1;
  PostureGoal posture;
  posture.target = neutral_pose(model);
  posture.weight = 0.5;
  problem.goals = {pose, aim, posture};
  problem.locked = {model.velocity_joint(2)};
  SolveOptions options;
  options.orientation_tolerance = 1e-5;
  CompiledProblem compiled;
  REQUIRE(compiled.interpret(problem, options).ok());
  CHECK(compiled.goals()[0].tolerance == 1e-3);
  CHECK(compiled.goals()[0].orientation_tolerance == 1e-5);
  CHECK(compiled.goals()[0].rows == 6);
  CHECK(compiled.goals()[0].length_rows == 3);
  CHECK(compiled.goals()[1].orientation_tolerance == 0.02);  // of a goal that only turns, `tolerance` is an angle
  CHECK(compiled.goals()[1].tolerance == doctest::Approx(1e-6 * model.size()));
  CHECK(!compiled.goals()[2].required);
  REQUIRE(compiled.preferences().size() == 1);
  CHECK(compiled.preferences()[0].gain_of(4) == 0.5);
  CHECK(!compiled.all_one_priority());
  CHECK(compiled.joint_weight(2) == 0.0);
  CHECK(compiled.joint_weight(3) == 1.0);
  CHECK(compiled.plain_limits());
  problem.goals[0] = PositionGoal{};
  std::get<PositionGoal>(problem.goals[0]).link = 99;
  CHECK(!compiled.interpret(problem, options).ok());
}

TEST_CASE("goals that ask for too much end as stalled; only a singular pose is called singular") {
  const Model model = test::compiled(test::planar_arm({0.5, 0.4}));
  Problem problem;
  problem.model = model;
  PoseGoal pose;
  pose.link = model.link("tip");
  pose.target = Transform::translate(Vec3(0.5, 0.5, 0.0));
  problem.goals = {pose};
  VecX q(2);
  q << 0.3, 0.4;
  const Report over = make_solver("dls").value()->solve(problem, q);
  q = over.q;
  CHECK(over.outcome == Outcome::stalled);
  CHECK(over.measures.condition < 100.0);
  PositionGoal inward;  // on the line of the stretched arm: no joint moves the tip along it (fig 5.19)
  inward.link = pose.link;
  inward.target = Vec3(0.4, 0.0, 0.0);
  problem.goals = {inward};
  q << 0.0, 0.0;
  CHECK(test::solve_in_place(*make_solver("dls").value(), problem, q).outcome == Outcome::singular);
}

TEST_CASE("an orientation out of reach is told of the last joint, not of the goal") {
  const Model model = test::compiled(test::seven_linkage());
  Problem problem;
  problem.model = model;
  PoseGoal pose;
  pose.link = model.link("tip");
  pose.target = Transform::from(exp_rotation(Vec3(0, kPi, 0)), Vec3(0, 0, model.size() - 0.05));  // pointing back down
  problem.goals = {pose};
  VecX q = VecX::Constant(7, 0.1);
  Reach reach;
  const Report& report = reach.solve(problem, q);
  q = report.q;
  REQUIRE(report.outcome == Outcome::unreachable);
  CHECK((report.proof && report.proof->of_wrist));
  CHECK(report.message().find("With this orientation the last joint") == 0);
}

TEST_CASE("auto with a pole allocates nothing once it has solved one") {
  Linkage linkage = test::ball_chain(1, 0.3);
  linkage.name = "arm";
  linkage.links.push_back({"fore", {}});
  linkage.joints.push_back(
      test::joint("elbow", Revolute{Vec3::UnitY()}, "link1", "fore", Transform::translate(Vec3(0.3, 0, 0))));
  linkage.links.push_back({"hand", {}});
  linkage.joints.push_back(test::joint("wrist", Fixed{}, "fore", "hand", Transform::translate(Vec3(0.3, 0, 0))));
  const Model model = test::compiled(linkage);
  Problem problem;
  problem.model = model;
  PositionGoal hand;
  hand.link = model.link("hand");
  hand.target = Vec3(0.3, 0.2, 0.1);
  PoleGoal pole;
  pole.upper = model.link("link1");
  pole.middle = model.link("fore");
  pole.link = hand.link;
  pole.target = Vec3(0, 0, 1);
  problem.goals = {hand, pole};
  Auto automatic;
  VecX q = neutral_pose(model);
  q[4] = 0.5;
  const VecX start = q;
  q = automatic.solve(problem, q).q;
  q = start;
  std::get<PositionGoal>(problem.goals[0]).target = Vec3(0.2, 0.3, 0.2);
  test::AllocationCounter counter;
  const Report& report = automatic.solve(problem, q);
  q = report.q;
  CHECK(counter.count() == 0);
  CHECK(std::string(report.method) == "two_link");
  CHECK(report.outcome == Outcome::converged);
}
