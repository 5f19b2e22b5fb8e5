#include "armature/solve/methods/two_link.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/auto.hpp"
#include "support/arms.hpp"
#include "support/solve_in_place.hpp"

using namespace armature;

namespace {

Vec3 random_vector(Rng& rng, double size = 1.0) {
  return size * Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
}

/// Shoulder, elbow, wrist: a ball (or its kin), a hinge, and a wrist of three axes or a ball.
Linkage limb(const std::string& shoulder, const std::string& wrist) {
  using test::joint;
  const auto at = [](double x) { return Transform::translate(Vec3(x, 0, 0)); };
  Linkage l;
  l.name = "limb";
  l.links.push_back({"chest", {}});
  std::string parent = "chest";
  const auto add = [&](const std::string& name, JointType type, const Transform& place) {
    l.links.push_back({name + "_link", {}});
    l.joints.push_back(joint(name, std::move(type), parent, name + "_link", place));
    parent = name + "_link";
  };
  const Transform start = Transform::from(exp_rotation(Vec3(0.3, -0.2, 0.5)), Vec3(0.1, 0.2, 0.3));
  if (shoulder == "ball") add("shoulder", Spherical{}, start);
  if (shoulder == "euler") add("shoulder", Euler{{{2, 1, 0}}}, start);
  if (shoulder == "axes") {
    add("yaw", Revolute{Vec3::UnitZ()}, start);
    add("pitch", Revolute{Vec3::UnitY()}, Transform{});
    add("roll", Revolute{Vec3::UnitX()}, at(0.05));  // further along its own axis: still concurrent
  }
  add("elbow", Revolute{Vec3::UnitY()}, at(0.30));
  if (wrist == "ball") add("wrist", Spherical{}, at(0.25));
  if (wrist == "axes") {
    add("twist", Revolute{Vec3::UnitX()}, at(0.12));
    add("bend", Universal{Vec3::UnitY(), Vec3::UnitZ()}, at(0.13));
  }
  l.links.push_back({"hand", {}});
  l.joints.push_back(joint("mount", Fixed{}, parent, "hand", at(wrist == "none" ? 0.25 : 0.08)));
  return l;
}

double miss(const Problem& problem, const VecX& q, double* turn = nullptr) {
  State state;
  forward(problem.model, q, state);
  if (const auto* position = std::get_if<PositionGoal>(&problem.goals[0])) {
    return (position->target - state.transform(position->link) * position->point).norm();
  }
  const auto& pose = std::get<PoseGoal>(problem.goals[0]);
  const Transform& X = state.transform(pose.link);
  if (turn != nullptr) *turn = log_rotation(Mat3(pose.target.rotation * X.rotation.transpose())).norm();
  return (pose.target.position - X.position).norm();
}

Problem position_problem(const Model& model, const std::string& link, const Vec3& target) {
  Problem problem;
  problem.model = model;
  PositionGoal goal;
  goal.link = model.link(link);
  goal.target = target;
  problem.goals.push_back(goal);
  return problem;
}

}  // namespace

TEST_CASE("two links in the plane: both elbows, exact to rounding, also stretched and folded") {
  Rng rng(1);
  double worst = 0.0;
  for (int n = 0; n < 2000; ++n) {
    const double l1 = rng.uniform(0.1, 2.0);
    const double l2 = rng.uniform(0.1, 2.0);
    double d = rng.uniform(std::abs(l1 - l2), l1 + l2);
    if (n % 10 == 0) d = l1 + l2;
    if (n % 10 == 1) d = std::abs(l1 - l2);
    if (n % 10 == 2) d = (l1 + l2) * (1.0 - 1e-13);
    const double a = rng.uniform(-kPi, kPi);
    const double x = d * std::cos(a);
    const double y = d * std::sin(a);
    for (const double elbow : {1.0, -1.0}) {
      const TwoLinkAngles t = two_link_angles(l1, l2, x, y, elbow);
      const double px = l1 * std::cos(t.theta1) + l2 * std::cos(t.theta1 + t.theta2);
      const double py = l1 * std::sin(t.theta1) + l2 * std::sin(t.theta1 + t.theta2);
      worst = std::max(worst, std::hypot(px - x, py - y) / (l1 + l2));
      CHECK(t.theta2 * elbow >= 0.0);
    }
  }
  CHECK(worst < 1e-14);
}

TEST_CASE("two links in the plane: out of reach gives the nearest pose and says so") {
  const TwoLinkAngles far = two_link_angles(1.0, 0.5, 3.0, 4.0, 1.0);
  CHECK(!far.reached);
  CHECK(far.theta2 == doctest::Approx(0.0));
  CHECK(far.theta1 == doctest::Approx(std::atan2(4.0, 3.0)));
  const TwoLinkAngles near = two_link_angles(1.0, 0.4, 0.1, 0.0, 1.0);
  CHECK(!near.reached);
  CHECK(std::abs(near.theta2) == doctest::Approx(kPi));
  CHECK(two_link_angles(1.0, 1.0, 0.0, 0.0, 1.0).reached);
}

TEST_CASE("a limb in space: the wrist lands on its target, the elbow keeps its bend axis or follows the pole") {
  Rng rng(2);
  double worst = 0.0;
  for (int n = 0; n < 1000; ++n) {
    const Vec3 shoulder = random_vector(rng);
    const Vec3 axis = random_vector(rng).normalized();
    const Vec3 u = axis.unitOrthogonal();
    const Vec3 elbow = shoulder + 0.3 * u;
    const double bend = rng.uniform(0.1, 3.0);
    const Vec3 wrist = elbow + 0.25 * (std::cos(bend) * u + std::sin(bend) * axis.cross(u));
    const Vec3 target = shoulder + rng.uniform(0.051, 0.549) * random_vector(rng).normalized();
    const Vec3 pole = random_vector(rng, 2.0);
    const LimbTurns turns = turn_limb(shoulder, elbow, wrist, axis, target, n % 2 == 0 ? nullptr : &pole);
    CHECK(turns.reached);
    const Vec3 bent = elbow + turns.elbow * (wrist - elbow);
    const Vec3 landed = shoulder + turns.shoulder * (bent - shoulder);
    worst = std::max(worst, (landed - target).norm());
    CHECK(turns.elbow.norm() == doctest::Approx(1.0).epsilon(1e-12));
    if (n % 2 == 1) {
      const Vec3 line = (target - shoulder).normalized();
      const Vec3 side = turns.shoulder * (elbow - shoulder);
      CHECK(std::abs(angle_about(line, side, pole - shoulder)) < 1e-6);
    }
  }
  CHECK(worst < 1e-13);
}

TEST_CASE("three axes through one point: two solutions, both exact") {
  Rng rng(3);
  for (int n = 0; n < 500; ++n) {
    const Vec3 a = random_vector(rng).normalized();
    Vec3 b = random_vector(rng).normalized();
    Vec3 c = random_vector(rng).normalized();
    if (n % 2 == 0) {
      b = a.unitOrthogonal();
      c = n % 4 == 0 ? a : Vec3(a.cross(b));
    }
    const double t[3] = {rng.uniform(-3, 3), rng.uniform(-3, 3), rng.uniform(-3, 3)};
    const auto product = [&](const double* s) {
      return Mat3(Transform::rotate(a, s[0]).rotation * Transform::rotate(b, s[1]).rotation *
                  Transform::rotate(c, s[2]).rotation);
    };
    const Mat3 R = product(t);
    double one[3];
    double two[3];
    CHECK(three_axis_angles(a, b, c, R, one, two));
    CHECK((product(one) - R).norm() < 1e-7);
    CHECK((product(two) - R).norm() < 1e-7);
  }
}

TEST_CASE("the solver finds the limb by itself: every kind of shoulder and wrist, position and pose") {
  Rng rng(4);
  for (const char* shoulder : {"ball", "euler", "axes"}) {
    for (const char* wrist : {"none", "ball", "axes"}) {
      const Model model = test::compiled(limb(shoulder, wrist));
      TwoLink solver;
      for (int n = 0; n < 50; ++n) {
        CAPTURE(shoulder);
        CAPTURE(wrist);
        State state;
        forward(model, random_pose(model, rng), state);
        const std::string end = std::string(wrist) == "none"   ? "hand"
                                : std::string(wrist) == "ball" ? "wrist_link"
                                                               : "bend_link";
        // The wrist's centre as a place, then the whole hand.
        const Vec3 centre = state.X_WL[static_cast<std::size_t>(model.link(end))].position;
        const Problem reach = position_problem(model, end, centre);
        REQUIRE_MESSAGE(solver.check(reach).ok(), solver.check(reach).message());
        VecX q = random_pose(model, rng);
        const Report& report = solver.solve(reach, q);
        q = report.q;
        CHECK(report.outcome == Outcome::converged);
        CHECK(report.iterations == 1);
        CHECK(miss(reach, q) < 1e-12);
        if (std::string(wrist) == "none") continue;
        Problem grasp;
        grasp.model = model;
        PoseGoal goal;
        goal.link = model.link("hand");
        goal.target = state.transform(goal.link);
        grasp.goals.push_back(goal);
        REQUIRE_MESSAGE(solver.check(grasp).ok(), solver.check(grasp).message());
        q = random_pose(model, rng);
        CHECK(test::solve_in_place(solver, grasp, q).outcome == Outcome::converged);
        double turn = 0.0;
        CHECK(miss(grasp, q, &turn) < 1e-7);
        CHECK(turn < 1e-7);
      }
    }
  }
}

TEST_CASE("pole, swivel and elbow options choose among the solutions") {
  const Model model = test::compiled(limb("ball", "none"));
  Problem problem = position_problem(model, "hand", Vec3(0.3, 0.4, 0.25));
  TwoLink solver;
  const auto elbow_place = [&](const VecX& q) {
    State state;
    forward(model, q, state);
    return state.X_WL[static_cast<std::size_t>(model.link("elbow_link"))].position;
  };
  VecX start = neutral_pose(model);
  start[model.q_size() - 1] = 0.4;
  // Both elbows reach; the sign of the hinge's angle tells them apart.
  for (const char* side : {"positive", "negative"}) {
    REQUIRE(solver.set_option("elbow", side).ok());
    VecX q = start;
    CHECK(test::solve_in_place(solver, problem, q).ok());
    CHECK((q[model.q_size() - 1] > 0.0) == (std::string(side) == "positive"));
  }
  REQUIRE(solver.set_option("elbow", "nearest").ok());
  // Hanging down: of all elbows on the circle, the lowest.
  REQUIRE(solver.set_option("swivel_from", "vertical").ok());
  VecX low = start;
  CHECK(test::solve_in_place(solver, problem, low).ok());
  REQUIRE(solver.set_option("swivel", "1.0").ok());
  VecX higher = start;
  CHECK(test::solve_in_place(solver, problem, higher).ok());
  CHECK(elbow_place(low).z() < elbow_place(higher).z());
  REQUIRE(solver.set_option("swivel_from", "pose").ok());
  REQUIRE(solver.set_option("swivel", "0").ok());
  PoleGoal pole;
  pole.upper = model.link("shoulder_link");
  pole.middle = model.link("elbow_link");
  pole.link = model.link("hand");
  pole.target = Vec3(-1.0, 2.0, 3.0);
  problem.goals.push_back(pole);
  VecX q = start;
  CHECK(test::solve_in_place(solver, problem, q).ok());
  const Vec3 line = (Vec3(0.3, 0.4, 0.25) - Vec3(0.1, 0.2, 0.3)).normalized();
  CHECK(std::abs(angle_about(line, elbow_place(q) - Vec3(0.1, 0.2, 0.3), pole.target - Vec3(0.1, 0.2, 0.3))) < 1e-6);
  // What picks a method picks this one, poles included.
  Auto choice;
  VecX chosen = start;
  const Report report = choice.solve(problem, chosen);
  chosen = report.q;
  CHECK(report.ok());
  CHECK(std::string(report.method) == "two_link");
  CHECK((chosen - q).norm() < 1e-9);
  for (const int priority : {0, 2}) {  // a pole does not compete with the goal
    std::get<PoleGoal>(problem.goals[1]).priority = priority;
    CHECK(solver.check(problem).ok());
    const Report& again = choice.solve(problem, start);
    CHECK(again.ok());
    CHECK(std::string(again.method) == "two_link");
    CHECK((again.q - q).norm() < 1e-9);
  }
}

TEST_CASE("out of reach: the nearest pose, and which bound says so") {
  const Model model = test::compiled(test::planar_arm({1.0, 0.6}));
  TwoLink solver;
  VecX q = VecX::Constant(2, 0.3);
  Problem problem = position_problem(model, "tip", Vec3(3.0, 4.0, 0.0));
  const Report far = solver.solve(problem, q);
  q = far.q;
  CHECK(far.outcome == Outcome::unreachable);
  REQUIRE(far.proof.has_value());
  CHECK(far.proof->bound == ReachBound::beyond);
  CHECK(far.proof->length == doctest::Approx(1.6));
  CHECK(far.position_error == doctest::Approx(3.4));
  std::get<PositionGoal>(problem.goals[0]).target = Vec3(0.1, 0.0, 0.0);
  q = VecX::Constant(2, 0.3);
  const Report hole = solver.solve(problem, q);
  q = hole.q;
  CHECK(hole.outcome == Outcome::unreachable);
  REQUIRE(hole.proof.has_value());
  CHECK(hole.proof->bound == ReachBound::inside_hole);
  CHECK(hole.proof->length == doctest::Approx(0.4));
  CHECK(hole.position_error == doctest::Approx(0.3));
}

TEST_CASE("limits: the other elbow, or another swivel, when the nearest one is forbidden") {
  Linkage linkage = test::planar_arm({1.0, 0.8});
  linkage.joints[1].limits = {{0.0}, {2.8}, {}, {}};
  const Model model = test::compiled(linkage);
  TwoLink solver;
  VecX q(2);
  q << 1.4, 0.0;
  const Problem problem = position_problem(model, "tip", Vec3(1.2, 0.3, 0.0));
  CHECK(test::solve_in_place(solver, problem, q).ok());
  CHECK(q[1] >= 0.0);
  // A cone that only some swivels satisfy.
  Linkage arm = limb("ball", "none");
  arm.find_joint("shoulder")->limits.cone = ConeLimit{Vec3::UnitX(), 1.2, -1.5, 1.5};
  const Model coned = test::compiled(arm);
  Rng rng(9);
  int solved = 0;
  for (int n = 0; n < 200; ++n) {
    State state;
    forward(coned, random_pose(coned, rng), state);
    const Problem reach =
        position_problem(coned, "hand", state.X_WL[static_cast<std::size_t>(coned.link("hand"))].position);
    VecX pose = random_pose(coned, rng);
    solved += test::solve_in_place(solver, reach, pose).ok() ? 1 : 0;
    CHECK(inside_limits(coned, pose));
  }
  CHECK(solved > 190);
}

TEST_CASE("a seven-axis arm with concurrent shoulder and wrist axes is a limb for pose goals") {
  const Model seven = test::compiled(test::seven_linkage());
  TwoLink solver;
  Rng rng(6);
  int solved = 0;
  for (int n = 0; n < 200; ++n) {
    State state;
    forward(seven, random_pose(seven, rng), state);
    Problem problem;
    problem.model = seven;
    PoseGoal goal;
    goal.link = seven.link("tip");
    goal.target = state.transform(goal.link);
    problem.goals.push_back(goal);
    REQUIRE_MESSAGE(solver.check(problem).ok(), solver.check(problem).message());
    VecX q = random_pose(seven, rng);
    solved += test::solve_in_place(solver, problem, q).ok() ? 1 : 0;
    CHECK(inside_limits(seven, q));
  }
  CHECK(solved > 150);  // limits forbid some of the swivels that are tried
}

TEST_CASE("what is no limb is refused with the reason") {
  TwoLink solver;
  const Model three = test::compiled(test::planar_arm({3, 2, 1}));
  CHECK(solver.check(position_problem(three, "tip", Vec3::Zero())).message().find("parallel") != std::string::npos);
  const Model seven = test::compiled(test::seven_linkage());
  CHECK(solver.check(position_problem(seven, "tip", Vec3::Zero())).message().find("above its shoulder") !=
        std::string::npos);
  // Locking one of three parallel joints leaves two.
  Problem locked = position_problem(three, "tip", Vec3(2, 2, 0));
  locked.locked = {three.velocity_joint(2)};
  CHECK(solver.check(locked).ok());
  VecX q = VecX::Constant(3, 0.2);
  CHECK(test::solve_in_place(solver, locked, q).ok());
  CHECK(q[2] == 0.2);
}

TEST_CASE("what is free in a goal proves nothing about its reach") {
  const Model model = test::compiled(test::planar_arm({1.0, 1.0}));
  Problem problem;
  problem.model = model;
  PositionGoal goal;
  goal.link = model.link("tip");
  goal.target = Vec3(1.5, 0.0, 0.0);
  goal.axes.free = {false, true, true};
  problem.goals = {goal};
  TwoLink two_link;
  VecX q(2);
  q << 1.5707, 0.0;
  CHECK(test::solve_in_place(two_link, problem, q).outcome != Outcome::unreachable);
  Auto automatic;
  q << 1.5707, 0.0;
  CHECK(test::solve_in_place(automatic, problem, q).outcome == Outcome::converged);
}

TEST_CASE("a limb that is 2 mm too short is stretched towards the goal at once, by auto") {
  for (const char* shoulder : {"ball", "euler", "axes"}) {
    for (const char* wrist : {"none", "ball"}) {
      INFO(shoulder << ", wrist " << wrist);
      const Model model = test::compiled(limb(shoulder, wrist));
      const bool axes = std::string(shoulder) == "axes";
      const bool none = std::string(wrist) == "none";
      // The wrist's own joint is the point that the limb carries; without one it is the hand.
      const double length = (axes ? 0.05 : 0.0) + 0.30 + 0.25;
      const Vec3 way = Vec3(0.4, 0.5, -0.3).normalized();
      const Vec3 target = Vec3(0.1, 0.2, 0.3) + (length + 0.002) * way;
      Problem problem = position_problem(model, none ? "hand" : "wrist_link", target);
      Auto automatic;
      const Report& report = automatic.solve(problem, neutral_pose(model));
      CHECK(report.outcome == Outcome::unreachable);
      CHECK(std::string(report.method) == "two_link");
      CHECK(report.iterations <= 1);
      REQUIRE(report.proof.has_value());
      CHECK(report.proof->length == doctest::Approx(length));
      CHECK(report.position_error == doctest::Approx(0.002).epsilon(1e-6));
      CHECK(miss(problem, report.q) == doctest::Approx(0.002).epsilon(1e-6));
    }
  }
}

TEST_CASE("locked joints hold the anchor of a proof: a foot of a figure whose root is locked") {
  Linkage figure = limb("euler", "none");
  figure.joints.insert(figure.joints.begin(), test::joint("root", Free{}, "", "chest", Transform{}));
  const Model model = test::compiled(figure);
  VecX start = neutral_pose(model);
  start.head<3>() = Vec3(3.0, -1.0, 2.0);
  const Vec3 hip = Vec3(3.1, -0.8, 2.3);
  Problem problem = position_problem(model, "hand", hip + 0.552 * Vec3(0.6, 0.0, -0.8));
  problem.locked = {"root"};
  Auto automatic;
  const Report& near = automatic.solve(problem, start);
  CHECK(near.outcome == Outcome::unreachable);
  CHECK(near.position_error == doctest::Approx(0.002).epsilon(1e-6));
  CHECK(near.iterations <= 1);
  problem.locked.clear();  // the figure can walk there
  CHECK(automatic.solve(problem, start).ok());
}
