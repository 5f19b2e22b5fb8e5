// The parts of the follow method: curvature, box, masses, buckling, words.
#include "armature/solve/methods/follow.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/mass_metric.hpp"
#include "support/arms.hpp"
#include "support/follow_scenario.hpp"
#include "support/problem_limits.hpp"
#include "support/solve_in_place.hpp"

using namespace armature;
using namespace armature::test;

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Half the squared errors at q, a rotation's as the integral of its chord: the energy whose slope is -J' e.
double energy_at(GoalSystem& system, const VecX& q) {
  system.evaluate(q.data());
  double sum = 0.0;
  for (std::size_t g = 0; g < system.problem().goals().size(); ++g) {
    const CompiledGoal& goal = system.problem().goals()[g];
    const double* e = system.error.data() + system.first_row(static_cast<int>(g));
    for (int r = 0; r < goal.length_rows; ++r) sum += 0.5 * e[r] * e[r];
    double chord = 0.0;
    for (int r = goal.length_rows; r < goal.rows; ++r) chord += e[r] * e[r];
    sum += 4.0 * (1.0 - std::sqrt(1.0 - 0.25 * chord));
  }
  return sum;
}

Problem near(const Model& model, const VecX& q, Rng& rng, double length, double angle) {
  State state;
  forward(model, q, state);
  Problem problem;
  problem.model = model;
  const auto vector = [&](double size) {
    return Vec3(rng.uniform(-size, size), rng.uniform(-size, size), rng.uniform(-size, size));
  };
  for (const int link : {model.link_count() - 1, model.link_count() / 2}) {
    const Transform& X = state.X_WL[index(link)];
    PoseGoal pose;
    pose.link = link;
    pose.point = Vec3(0.1, -0.2, 0.05);
    pose.target = Transform::from(X.quaternion() * exp_rotation(vector(angle)), X * pose.point + vector(length));
    problem.goals.emplace_back(pose);
  }
  PositionGoal position;
  position.link = model.link_count() - 1;
  position.target = state.transform(position.link).position + vector(length);
  problem.goals.emplace_back(position);
  return problem;
}

}  // namespace

TEST_CASE("follow: the goals' curvature is that of their energy") {
  Rng rng(11);
  for (const Linkage& linkage : {everything_tree(), seven_linkage(), ball_chain(4, 0.3)}) {
    const Model model = compiled(linkage);
    CAPTURE(model.name());
    double largest = 0.0;
    for (int n = 0; n < 5; ++n) {
      const VecX q = random_pose(model, rng);
      const Problem problem = near(model, q, rng, 0.3 * model.size(), 0.02);
      CompiledProblem compiled;
      REQUIRE(compiled.interpret(problem, SolveOptions{}).ok());
      GoalSystem system;
      system.prepare(compiled);
      FollowCurvature curvature;
      curvature.prepare(system, compiled);
      system.evaluate(q.data());
      system.differentiate();
      curvature.set_forces(system, system.error.data());
      const int columns = system.columns();
      for (int k = 0; k < 10; ++k) {
        std::vector<double> x(index(columns)), Kx(index(columns), 0.0), Jx(index(system.dual.stride()));
        VecX v = VecX::Zero(model.v_size());
        for (int c = 0; c < columns; ++c) {
          x[index(c)] = rng.uniform(-1.0, 1.0);
          const GoalSystem::Column& column = system.column_list()[index(c)];
          v[column.velocity] = column.unit * x[index(c)];
        }
        system.evaluate(q.data());
        system.differentiate();
        system.dual.times(x.data(), Jx.data());
        curvature.add_product(x.data(), Kx.data());
        double bent = 0.0;
        for (int c = 0; c < columns; ++c) bent += x[index(c)] * Kx[index(c)];
        double stiff = 0.0;
        for (const double j : Jx) stiff += j * j;
        const double h = 1e-4;
        const double middle = energy_at(system, q);
        const double ahead = energy_at(system, integrate(model, q, VecX(h * v)));
        const double behind = energy_at(system, integrate(model, q, VecX(-h * v)));
        const double measured = (ahead - 2.0 * middle + behind) / (h * h);
        CHECK(std::abs(measured - stiff - bent) < 2e-3 * (stiff + std::abs(bent)));
        largest = std::max(largest, std::abs(bent) / stiff);
      }
    }
    CHECK(largest > 0.02);  // no small part of it: without the curvature the check above would fail
  }
}

TEST_CASE("follow: the curvature is symmetric, and its diagonal is the one it tells") {
  Rng rng(3);
  const Model model = compiled(everything_tree());
  const VecX q = random_pose(model, rng);
  const Problem problem = near(model, q, rng, 0.3, 0.5);
  CompiledProblem compiled;
  REQUIRE(compiled.interpret(problem, SolveOptions{}).ok());
  GoalSystem system;
  system.prepare(compiled);
  FollowCurvature curvature;
  curvature.prepare(system, compiled);
  system.evaluate(q.data());
  system.differentiate();
  curvature.set_forces(system, system.error.data());
  const int n = system.columns();
  MatX K = MatX::Zero(n, n);
  for (int c = 0; c < n; ++c) {
    VecX x = VecX::Unit(n, c);
    curvature.add_product(x.data(), K.col(c).data());
  }
  CHECK((K - K.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * K.cwiseAbs().maxCoeff());
  const Eigen::Map<const VecX> diagonal(curvature.diagonal().data(), n);
  // Mimics give their source's column more than its own square; everywhere else it is the diagonal.
  int alike = 0;
  for (int c = 0; c < n; ++c) alike += std::abs(K(c, c) - diagonal[c]) <= 1e-12 * K.cwiseAbs().maxCoeff() ? 1 : 0;
  CHECK(alike >= n - 2);
}

TEST_CASE("follow: the slope of the energy is that of its differences, near limits too") {
  const Model model = builtin_model("panda");
  Rng rng(9);
  for (int n = 0; n < 20; ++n) {
    const VecX home = random_pose(model, rng);
    VecX q = random_pose(model, rng);
    q[3] = n % 2 == 0 ? -3.0 : -0.1;  // the elbow, in the zone before its limits -3.07 and -0.07
    const Problem problem = near(model, q, rng, 0.2, 0.3);
    CompiledProblem compiled;
    REQUIRE(compiled.interpret(problem, SolveOptions{}).ok());
    FollowEnergy energy;
    energy.prepare(compiled);
    energy.set_home(home, VecX::Constant(model.v_size(), 0.5));
    FollowBox box;
    box.prepare(compiled, energy.system);
    box.set(energy.system, q, VecX::Constant(model.v_size(), 1.0));
    FollowStep step;
    step.prepare(energy);
    energy.evaluate(q.data());
    REQUIRE(step.compute(energy, box, q.data(), 0.0, 1.0, false));
    const std::vector<double> slope = energy.gradient;
    for (int c = 0; c < energy.columns(); ++c) {
      const GoalSystem::Column& column = energy.system.column_list()[index(c)];
      const double h = 1e-6 * column.unit;
      VecX ahead = q, behind = q;
      ahead[column.coordinate] += h;
      behind[column.coordinate] -= h;
      const double difference = (energy.evaluate(ahead.data()) - energy.evaluate(behind.data())) / 2e-6;
      CHECK(slope[index(c)] == doctest::Approx(difference).epsilon(1e-4));
    }
  }
}

TEST_CASE("follow: a joint wound up to its limit turns back once the goal rests, and never jumps") {
  const Model model = builtin_model("ur5");
  for (const bool recovers : {false, true}) {
    VecX q = model.find_pose("ready").value();
    q[0] = 2.0 * kPi - 0.1;
    State state;
    forward(model, q, state);
    Problem problem;
    problem.model = model;
    PoseGoal goal;
    goal.link = model.link("tool0");
    goal.target = state.transform(goal.link);
    problem.goals.emplace_back(goal);
    for (const char* joint : {"shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"})
      problem.locked.emplace_back(joint);  // no other branch
    Follow follow;
    follow.settings.recover = recovers ? Recover::resting : Recover::never;
    REQUIRE(follow.begin(problem, q));
    double most = 0.0;
    for (int f = 0; f < 300; ++f) {
      VecX asked = model.find_pose("ready").value();
      asked[0] = 2.0 * kPi - 0.1 + 0.01 * std::min(f, 30);  // 0.2 radians beyond its limit
      forward(model, asked, state);
      std::get<PoseGoal>(problem.goals[0]).target = state.transform(goal.link);
      const VecX before = q;
      q = follow.solve(problem, q).q;
      if (f > 31) most = std::max(most, largest_turn(model, before, q));
    }
    CHECK(most <= 0.05 + 1e-9);
    CHECK(test::solve_in_place(follow, problem, q).ok() == recovers);
    if (recovers) CHECK(q[0] == doctest::Approx(0.2).epsilon(1e-3));
  }
}

TEST_CASE("follow: a step ends inside the box, however long it is") {
  Rng rng(5);
  for (const char* name : {"human", "panda"}) {
    const Model model = builtin_model(name);
    Problem problem;
    problem.model = model;
    for (const int link : model.effectors()) {
      PositionGoal goal;
      goal.link = link;
      problem.goals.emplace_back(goal);
    }
    CompiledProblem compiled;
    REQUIRE(compiled.interpret(problem, SolveOptions{}).ok());
    GoalSystem system;
    system.prepare(compiled);
    FollowBox box;
    box.prepare(compiled, system);
    const VecX reach = VecX::Constant(model.v_size(), 0.07);
    for (int n = 0; n < 200; ++n) {
      const VecX from = random_pose(model, rng);
      box.set(system, from, reach);
      std::vector<double> x(index(system.columns()));
      for (double& each : x) each = rng.uniform(-1.0, 1.0) * std::pow(10.0, rng.uniform(-3.0, 1.0));
      VecX q = from;
      box.apply(system, from.data(), x.data(), q.data());
      CHECK(inside_limits(model, q));
      CHECK(largest_turn(model, from, q) <= 0.07 + 1e-9);
      box.apply(system, q.data(), x.data(), q.data());  // from within
      CHECK(inside_limits(model, q));
      CHECK(largest_turn(model, from, q) <= 0.07 + 1e-9);
    }
  }
}

TEST_CASE("follow: masses by subtree are those of the links' Jacobians") {
  for (const char* name : {"human", "ur5"}) {
    const Model model = builtin_model(name);
    Rng rng(2);
    const VecX q = random_pose(model, rng);
    const LinkMasses masses = link_masses(model);
    CHECK(masses.total > 0.0);
    MassMetric metric;
    metric.prepare(model);
    VecX found;
    metric.compute(q.data(), found);
    VecX plain = VecX::Zero(model.v_size());
    State state;
    forward(model, q, state);
    Jacobian J(6, model.v_size());
    for (int link = 0; link < model.link_count(); ++link) {
      jacobian(model, state, link, masses.center[index(link)], J);
      for (int v = 0; v < model.v_size(); ++v) plain[v] += masses.mass[index(link)] * J.col(v).head<3>().squaredNorm();
    }
    plain /= masses.total * model.size() * model.size();
    for (const ModelJoint& joint : model.joints()) {  // mimics count by themselves
      if (joint.mimic) plain[joint.v_index] = found[joint.v_index];
    }
    CHECK((found - plain).cwiseAbs().maxCoeff() <= 1e-9 * plain.maxCoeff());
  }
}

TEST_CASE("follow: limbs that stand do not weigh, and bodies of one limb do") {
  const Model human = builtin_model("human");
  const VecX rest = human.find_pose("rest").value();
  MassMetric metric;
  metric.prepare(human);
  VecX free, standing;
  metric.compute(rest.data(), free);
  const int feet[] = {human.link("left_foot"), human.link("right_foot")};
  metric.hold(feet);
  metric.compute(rest.data(), standing);
  const auto of = [&](const VecX& v, const char* joint) {
    return v[human.joint(human.find_joint(joint).value()).v_index];
  };
  for (const char* joint : {"left_hip", "right_knee", "left_ankle"}) {
    CHECK(of(free, joint) > 0.0);
    CHECK(of(standing, joint) == 0.0);
  }
  CHECK(of(standing, "left_elbow") > of(free, "left_elbow"));  // a larger part of what is left
  metric.hold({});
  metric.compute(rest.data(), standing);
  CHECK(standing == free);
  // Everything ends in the tool of an arm: it keeps its weight.
  const Model arm = builtin_model("ur5");
  const VecX ready = arm.find_pose("ready").value();
  metric.prepare(arm);
  metric.compute(ready.data(), free);
  const int tool[] = {arm.link("tool0")};
  metric.hold(tool);
  metric.compute(ready.data(), standing);
  CHECK(standing == free);
}

TEST_CASE("follow: a straight leg that is pushed buckles, to the side that its limits leave") {
  struct Row {
    double lower, upper;
  };
  for (const Row row : {Row{-2.5, 2.5}, Row{0.0, 2.5}, Row{-2.5, 0.0}}) {
    CAPTURE(row.lower);
    CAPTURE(row.upper);
    Linkage linkage = planar_arm({1.0, 1.0});
    linkage.joints[1].limits.lower = {row.lower};
    linkage.joints[1].limits.upper = {row.upper};
    const Model model = compiled(linkage);
    Problem problem;
    problem.model = model;
    PositionGoal goal;
    goal.link = model.link("tip");
    goal.target = Vec3(2.0, 0.0, 0.0);
    problem.goals.emplace_back(goal);
    Follow follow;
    VecX q = VecX::Zero(2);
    REQUIRE(follow.begin(problem, q));
    for (int f = 0; f < 60; ++f) {
      std::get<PositionGoal>(problem.goals[0]).target.x() = std::max(1.5, 2.0 - 0.02 * f);
      q = follow.solve(problem, q).q;
    }
    CHECK(test::solve_in_place(follow, problem, q).ok());
    CHECK(std::abs(q[1]) > 1.0);
    CHECK(q[1] >= row.lower);
    CHECK(q[1] <= row.upper);
  }
}

TEST_CASE("follow: every goal type is followed") {
  const Model model = builtin_model("human");
  const VecX rest = model.find_pose("rest").value();
  VecX there = rest;
  REQUIRE(set_joint(model, "left_elbow", {0.7}, there).ok());
  State state;
  forward(model, there, state);
  const auto at = [&](const char* link) { return state.X_WL[index(model.link(link))]; };
  std::vector<Goal> goals;
  PositionGoal position;
  position.link = model.link("left_hand");
  position.target = at("left_hand").position;
  goals.emplace_back(position);
  OrientationGoal orientation;
  orientation.link = position.link;
  orientation.target = at("left_hand").quaternion();
  goals.emplace_back(orientation);
  PoseGoal pose;
  pose.link = position.link;
  pose.target = at("left_hand");
  pose.orientation_axes.free[2] = true;
  goals.emplace_back(pose);
  AimGoal aim;
  aim.link = model.link("head");
  aim.target = at("left_hand").position;
  goals.emplace_back(aim);
  PointOnLineGoal line;
  line.link = position.link;
  line.target = at("left_hand").position;
  goals.emplace_back(line);
  PointOnPlaneGoal plane;
  plane.link = position.link;
  plane.target = at("left_hand").position;
  goals.emplace_back(plane);
  DistanceGoal distance;
  distance.link = position.link;
  distance.base = model.link("right_hand");
  distance.distance = (at("left_hand").position - at("right_hand").position).norm();
  goals.emplace_back(distance);
  PostureGoal posture;
  posture.target = there;
  posture.tolerance = 1e-4;
  goals.emplace_back(posture);
  PoleGoal pole;
  pole.upper = model.link("left_upper_arm");
  pole.middle = model.link("left_forearm");
  pole.link = position.link;
  pole.target = at("left_forearm").position + Vec3(0.0, 0.3, 0.0);
  goals.emplace_back(pole);
  for (const Goal& goal : goals) {
    CAPTURE(goal_name(goal));
    Problem problem;
    problem.model = model;
    problem.goals.push_back(goal);
    Follow follow;
    VecX q = rest;
    const Report& report = follow.solve(problem, q);
    q = report.q;
    CHECK(report.ok());
    CHECK(inside_limits(model, q));
  }
}

TEST_CASE("follow: the report says in words how the gesture stands") {
  const Model model = builtin_model("human");
  VecX q = model.find_pose("rest").value();
  State state;
  forward(model, q, state);
  Problem problem;
  problem.model = model;
  for (const char* name : {"left_foot", "right_foot"}) {
    PoseGoal foot;
    foot.link = model.link(name);
    foot.target = state.transform(foot.link);
    problem.goals.emplace_back(foot);
  }
  PositionGoal hand;
  hand.link = model.link("left_hand");
  hand.target = state.transform(hand.link).position;
  hand.priority = 1;
  problem.goals.emplace_back(hand);
  Follow follow;
  REQUIRE(follow.begin(problem, q));
  CHECK(std::string(test::solve_in_place(follow, problem, q).reason) == "arrived");
  auto& target = std::get<PositionGoal>(problem.goals[2]).target;
  target += Vec3(0.0, 0.4, 0.0);
  follow.settings.turn_rate = 0.1;  // slow
  const std::string slow = test::solve_in_place(follow, problem, q).message();
  CAPTURE(slow);
  CHECK(slow.find("left_hand is on its way: ") == 0);
  follow.settings.turn_rate = FollowOptions{}.turn_rate;
  for (int i = 0; i < 100; ++i) {
    target += Vec3(0.0, 0.03, 0.01);
    q = follow.solve(problem, q).q;
  }
  for (int i = 0; i < 60; ++i) q = follow.solve(problem, q).q;
  const Report& far = follow.solve(problem, q);
  q = far.q;
  CHECK(std::string(far.reason) == "as far as it can");
  const std::string text = far.message();
  CAPTURE(text);
  CHECK(text.find("left_hand follows as far as it can: ") == 0);
  CHECK(text.find(" m short") != std::string::npos);  // metres from one on
  CHECK(text.find("left_foot, right_foot stay") != std::string::npos);
}

TEST_CASE("follow: asked the same again, it answers the same, also where the answer is the start") {
  const Model model = builtin_model("panda");
  const VecX start = middle_pose(model);
  State state;
  forward(model, start, state);
  Problem problem;
  problem.model = model;
  PoseGoal goal;
  goal.link = model.link_count() - 1;
  goal.target = state.transform(goal.link);
  goal.target.position += Vec3(0.02, -0.03, -0.04);
  goal.tolerance = 0.3;
  goal.orientation_tolerance = 0.1;
  problem.goals.emplace_back(goal);
  SUBCASE("it meets the goal") {}
  SUBCASE("there is no time to move") { std::get<PoseGoal>(problem.goals[0]).tolerance = 1e-3; }
  Follow follow;
  if (std::get<PoseGoal>(problem.goals[0]).tolerance < 0.1) follow.settings.max_iterations = 0;
  for (int i = 0; i < 3; ++i) CHECK(follow.solve(problem, start).q == start);

  // A goal that begins to move is followed: no joint turns faster than the goal's motion lets it.
  follow.settings.max_iterations = 100;
  PoseGoal& moving = std::get<PoseGoal>(problem.goals[0]);
  moving.tolerance = moving.orientation_tolerance = 1e-6;
  moving.target =
      Transform::from(exp_rotation(Vec3(0.0, 0.0, 0.01)) * moving.target.quaternion(), moving.target.position);
  const double fastest = follow.settings.settle + 0.25 * follow.settings.turn_rate * 0.01;
  const VecX next = follow.solve(problem, start).q;
  CHECK((next - start).cwiseAbs().maxCoeff() <= fastest + 1e-12);
  CHECK(next != start);
}

TEST_CASE("follow: a joint that no goal sees goes home as far as the problem's limits let it") {
  const Model model = builtin_model("planar_arm");
  const VecX start = Vec3(0.2, 0.4, -1.7);
  Problem problem;
  problem.model = model;
  PositionGoal position;
  position.link = model.link("link3");  // where joint3 sits
  position.target = {20.0, 8.0, 0.0};
  problem.goals.emplace_back(position);
  PostureGoal posture;
  posture.target = Vec3(0.2, 0.4, 1.0);
  posture.gain = VecX::Constant(3, 1.0);
  problem.goals.emplace_back(posture);
  set_limits(problem, Vec3(-3.0, -3.0, -3.0), Vec3(3.0, 3.0, -1.5));
  Follow follow;
  const Report& report = follow.solve(problem, start);
  CHECK(report.outcome == Outcome::converged);
  CHECK(report.q[2] == -1.5);
}
