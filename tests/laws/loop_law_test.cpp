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
#include "armature/solve/follower.hpp"
#include "armature/solve/measure.hpp"
#include "armature/solve/methods/follow.hpp"
#include "support/allocation_counter.hpp"
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
  for (const char* method :
       {"reach", "auto", "dls", "sdls", "pseudoinverse", "transpose", "ccd", "ccd_ranked", "follow"}) {
    Solver solver = make_solver(method).value();
    const bool searches = std::string(method) == "reach" || std::string(method) == "auto";
    int reached = 0, asked = 0;
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
        if (!beyond && searches) CHECK(report.outcome == Outcome::converged);
        reached += !beyond && report.ok() ? 1 : 0;
        // Of what the mechanism can do; its joints one by one can move a planar tip in no third way.
        if (model.name() == "five_bar" && !beyond && report.method != std::string("follow"))
          CHECK(report.measures.condition < 1e3);
        asked += beyond ? 0 : 1;
        if (beyond && std::string(method) == "follow") CHECK(std::string(report.reason) == "as far as it can");
        CHECK(closure_error(model, q) < 1e-12 * std::max(1.0, model.size()));
        CHECK(inside_limits(model, q, 1e-9));
        State state;
        forward(model, q, state);
        const PositionGoal& goal = std::get<PositionGoal>(problem.goals[0]);
        const double gap = (goal.target - state.transform(goal.link).position).norm();
        CHECK(report.position_error == doctest::Approx(gap).epsilon(1e-9));
      }
    }
    // Local methods end in local minima now and then.
    INFO(method, ": ", reached, " of ", asked);
    CHECK(2 * reached > asked);
  }
}

TEST_CASE("loop law: a goal out of reach is come near in whichever assembly comes nearest") {
  const Model model = test::compiled(test::four_bar(0.4, 0.1, 0.35, 0.3));
  for (const auto& [radius, angle] : {std::pair{0.295, 1.7958}, {0.295, -1.7958}, {0.31, 1.9}, {0.31, -1.9}}) {
    Problem problem;
    problem.model = model;
    PositionGoal goal;
    goal.link = "rocker";
    goal.point = Vec3(0.3, 0.0, 0.0);
    goal.target = Vec3(0.4 + radius * std::cos(angle), radius * std::sin(angle), 0.0);
    problem.goals.emplace_back(goal);
    double nearest = 1.0;
    for (int i = 0; i < 720; ++i) {
      for (const double side : {1.0, -1.0}) {
        VecX q;
        if (!test::four_bar_pose(0.4, 0.1, 0.35, 0.3, kPi * i / 360.0, side, q)) continue;
        const Vec3 tip(0.4 + 0.3 * std::cos(q[2]), 0.3 * std::sin(q[2]), 0.0);
        nearest = std::min(nearest, (tip - goal.target).norm());
      }
    }
    VecX start;
    REQUIRE(test::four_bar_pose(0.4, 0.1, 0.35, 0.3, 0.5, 1.0, start));
    const Report report = make_solver("reach").value()->solve(problem, start);
    CHECK_FALSE(report.ok());
    CHECK(report.position_error < nearest + 1e-4);
  }
}

TEST_CASE("loop law: a gesture keeps its loops closed, moves no joint far in a frame, and comes back with the goal") {
  for (const Model& model : mechanisms()) {
    INFO(model.name());
    // There and back along what the drives do, so that the whole way can be reached.
    const VecX home = model.poses().front().q;
    const int drive = model.joint(model.drives().front()).q_index;
    Assembler assembler;
    std::vector<char> held(static_cast<std::size_t>(model.v_size()), 0);
    for (const int link : model.drives()) held[static_cast<std::size_t>(model.joint(link).v_index)] = 1;
    assembler.prepare(model, held);
    const double pitch =
        0.01 * (model.coordinate_kinds()[static_cast<std::size_t>(drive)] == Coordinate::length ? model.size() : 1.0);
    std::vector<VecX> way{home};
    for (int i = 0; i < 20; ++i) {
      VecX q = way.back();
      q[drive] += pitch;
      if (!assembler.assemble(q.data()).ok || !inside_limits(model, q)) break;
      way.push_back(q);
    }
    for (std::size_t i = way.size() - 1; i-- > 0;) way.push_back(way[i]);
    if (way.size() < 10) continue;
    Follow follow;
    follow.settings.recover = Recover::never;
    Problem problem;
    problem.model = model;
    problem.goals.push_back(goal_at(model, home, Vec3::Zero()));
    REQUIRE(follow.begin(problem, home));
    VecX q = home, v(model.v_size());
    for (const VecX& there : way) {
      problem.goals[0] = goal_at(model, there, Vec3::Zero());
      const VecX before = q;
      const Report& report = follow.solve(problem, q);
      q = report.q;
      CHECK(closure_error(model, q) < 1e-12 * std::max(1.0, model.size()));
      CHECK(inside_limits(model, q, 1e-9));
      CHECK(report.position_error < 1e-3 * model.size());
      difference(model, before.data(), q.data(), v.data());
      for (int i = 0; i < v.size(); ++i) CHECK(std::abs(v[i]) < 0.5 * assembler.rows.unit(i));
    }
    difference(model, home.data(), q.data(), v.data());
    for (int i = 0; i < v.size(); ++i) CHECK(std::abs(v[i]) < 1e-3 * assembler.rows.unit(i));
    // A goal that nothing reaches is followed as far as can be, in small steps.
    for (int i = 0; i < 50; ++i) {
      const VecX before = q;
      problem.goals[0] = goal_at(model, home, Vec3(0.02 * (i + 1) * model.size(), 0, 0));
      q = follow.solve(problem, q).q;
      CHECK(closure_error(model, q) < 1e-12 * std::max(1.0, model.size()));
      difference(model, before.data(), q.data(), v.data());
      for (int k = 0; k < v.size(); ++k) CHECK(std::abs(v[k]) < 1.0 * assembler.rows.unit(k));
    }
  }
}

TEST_CASE("loop law: a control loop keeps the velocities of a mechanism's joints, closed at every tick") {
  for (const Model& model : mechanisms()) {
    INFO(model.name());
    Problem problem;
    problem.model = model;
    problem.start = model.poses().front().q;
    problem.goals.push_back(goal_at(model, problem.start, Vec3(0.05, 0.05, 0.0) * model.size()));
    Follower follower(problem, {.velocity = VecX::Constant(model.v_size(), 0.4 * std::max(1.0, model.size()))});
    REQUIRE_MESSAGE(follower.status().ok(), follower.status().message());
    const PositionGoal& goal = std::get<PositionGoal>(problem.goals[0]);
    State state;
    forward(model, problem.start, state);
    const double far = (goal.target - state.transform(goal.link).position).norm();
    double error = far;
    for (int i = 0; i < 200; ++i) {
      const FollowerStep& step = follower.step(0.01);
      CHECK(closure_error(model, step.q) < 1e-12 * std::max(1.0, model.size()));
      CHECK(step.velocity.cwiseAbs().maxCoeff() <= 0.4 * std::max(1.0, model.size()) * (1.0 + 1e-12));
      error = step.report->position_error;
    }
    CHECK(error < far);
    CHECK_FALSE(Follower(problem, {.acceleration = VecX::Constant(model.v_size(), 1.0)}).status().ok());
  }
}

TEST_CASE("loop law: locked joints and limits hold where the loops then cannot close") {
  const Model free = test::compiled(test::four_bar(4.0, 3.0, 1.0, 1.0));  // closes near 0 of the crank only
  Linkage limited = test::four_bar(4.0, 3.0, 1.0, 1.0);
  limited.joints[0].limits.lower = {2.9};
  limited.joints[0].limits.upper = {3.1};
  for (const char* method : {"reach", "auto", "dls", "ccd", "follow"}) {
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
    for (const char* method : {"fabrik", "two_link", "inverse"}) {
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

TEST_CASE("loop law: an answer of a mechanism that touches an obstacle is called blocked") {
  for (const Model& model : mechanisms()) {
    if (model.name() != "five_bar") continue;
    Problem problem;
    problem.model = model;
    const VecX q = model.poses().front().q;
    problem.goals.push_back(goal_at(model, q, Vec3::Zero()));
    const Vec3 place = std::get<PositionGoal>(problem.goals[0]).target;
    for (const bool near : {true, false}) {
      problem.obstacles = {{"ball", Sphere{0.1}, Transform::translate(place + Vec3(0, 0, near ? 0.0 : 5.0)), ""}};
      for (const char* method : {"reach", "auto"}) {
        CAPTURE(std::string(method));
        CHECK(make_solver(method).value()->solve(problem, q).outcome == (near ? Outcome::blocked : Outcome::converged));
      }
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

TEST_CASE("loop law: the inverse of a square Jacobian is over the mechanism's own motions") {
  Solver solver = make_solver("inverse").value();
  int reached = 0, square = 0;
  for (const Model& model : mechanisms()) {
    INFO(model.name());
    const MechanismReport mechanism = analyze_mechanism(model);
    Assembler assembler;
    assembler.prepare(model);
    Rng rng(4);
    const VecX start = model.poses().front().q;
    PositionGoal goal = goal_at(model, assembled_near(model, assembler, rng, 0.1), Vec3::Zero());
    goal.axes.free[2] = mechanism.mobility == 2;  // planar ones ask for x and y
    Problem problem;
    problem.model = model;
    problem.goals = {goal};
    const int rows = mechanism.mobility == 2 ? 2 : 3;
    const Report report = solver->solve(problem, start);
    CHECK(solver->check(problem).ok() == (rows == mechanism.mobility));
    CHECK(closure_error(model, report.q) < 1e-12 * std::max(1.0, model.size()));
    if (rows != mechanism.mobility) {
      CHECK(report.outcome == Outcome::refused);
      CHECK_MESSAGE(report.message().find("closure '") != std::string::npos, report.message());
      continue;
    }
    ++square;
    reached += report.ok() ? 1 : 0;
    CHECK(report.iterations < 20);  // Newton's method
  }
  CHECK(square >= 2);  // five_bar, delta
  CHECK(reached == square);
}

// Elbow and hand of an arm whose elbow is moved by a parallel lever, as palletizers have it: the hand's goal is out of
// the reach that the elbow's leaves, or the other way round.
TEST_CASE("loop law: a lower priority never spoils a higher one that can be reached") {
  Linkage l = test::four_bar(4.0, 1.5, 4.2, 2.6);
  l.links.push_back({"hand", {}});
  l.joints.push_back(test::joint("wrist", Revolute{}, "coupler", "hand", Transform::translate(Vec3(2, 1, 0))));
  const Model model = test::compiled(l);
  Assembler assembler;
  assembler.prepare(model);
  for (const char* method : {"reach", "auto", "follow"}) {
    Solver solver = make_solver(method).value();
    for (int n = 0; n < 12; ++n) {
      INFO(method, " ", n);
      VecX first, start;
      REQUIRE(test::four_bar_pose(4.0, 1.5, 4.2, 2.6, 0.5 * n, 1.0, first));
      REQUIRE(test::four_bar_pose(4.0, 1.5, 4.2, 2.6, 0.5 * n - 0.3, 1.0, start));
      VecX there(4), from(4);
      there << first[0], first[1], 0.4, first[2];  // the wrist is above the rocker
      from << start[0], start[1], 0.0, start[2];
      State state;
      forward(model, there, state);
      PositionGoal knee;  // of the rocker's end, which the crank can bring where it is asked for
      knee.link = "rocker";
      knee.point = Vec3(2.6, 0, 0);
      knee.target = state.transform(model.link("rocker")) * knee.point;
      PositionGoal hand;  // pulls elsewhere, and four times as hard
      hand.link = "hand";
      hand.point = Vec3(1, 0, 0);
      hand.target = Vec3(1.0, -3.0, 0.0);
      hand.weight = 4.0;
      hand.priority = 1;
      Problem problem;
      problem.model = model;
      problem.goals = {knee, hand};
      if (std::string(method) == "follow") {  // a walk ends where it is caught, with or without the second goal
        Problem alone = problem;
        alone.goals.pop_back();
        if (!make_solver(method).value()->solve(alone, from).ok()) continue;
      }
      const Report report = solver->solve(problem, from);
      CHECK(report.goals[0].reached);
      CHECK_FALSE(report.goals[1].reached);
      CHECK(closure_error(model, report.q) < 1e-11);
      // What is left is taken: the hand turns about its wrist until it points to its goal.
      forward(model, report.q, state);
      const Vec3 wrist = state.transform(model.link("hand")).position;
      CHECK(report.goals[1].position_error == doctest::Approx((hand.target - wrist).norm() - 1.0).epsilon(1e-5));
      // The other way round the knee waits, and the hand comes as near as it does alone.
      std::swap(problem.goals[0], problem.goals[1]);
      std::get<PositionGoal>(problem.goals[0]).priority = 0;
      std::get<PositionGoal>(problem.goals[1]).priority = 1;
      if (std::string(method) == "follow") continue;
      const Report turned = solver->solve(problem, from);
      problem.goals.pop_back();
      const Report alone = solver->solve(problem, from);
      CHECK(turned.goals[0].position_error <= 1.002 * alone.goals[0].position_error + 1e-6);
    }
  }
}

// The arm begins with an elbow inside a ball, reaches its goal there, and has to go to another assembly.
TEST_CASE("loop law: answers that touch nothing are searched for among the assemblies of a mechanism") {
  for (const Model& model : mechanisms()) {
    if (model.name() != "five_bar") continue;
    Problem problem;
    problem.model = model;
    const VecX q = model.poses().front().q;
    problem.goals.push_back(goal_at(model, q, Vec3::Zero()));
    State state;
    for (const char* elbow : {"left_rod", "right_rod"}) {
      forward(model, q, state);
      const Vec3 place = state.transform(model.link(elbow)).position;
      problem.obstacles = {{"ball", Sphere{0.1}, Transform::translate(place), ""}};
      for (const char* method : {"reach", "auto"}) {
        INFO(elbow, " ", method);
        const Report report = make_solver(method).value()->solve(problem, q);
        CHECK(report.ok());
        CHECK(report.clearance > 0.0);
        CHECK(report.collisions.empty());
        CHECK(closure_error(model, report.q) < 1e-12);
        forward(model, report.q, state);
        CHECK((state.transform(model.link(elbow)).position - place).norm() > 0.1);
      }
      // A local method, which does not look at what is touched, stays where it is.
      CHECK(make_solver("dls").value()->solve(problem, q).q == q);
    }
  }
}

TEST_CASE("loop law: a goal that limits keep out of reach is given up soon, and nothing allocates") {
  for (const Model& model : mechanisms()) {
    INFO(model.name());
    Linkage l = model.linkage();
    const VecX home = model.poses().front().q;
    for (Joint& joint : l.joints) {
      const ModelJoint& own = model.joint(joint.name);
      if (own.mimic) continue;
      joint.limits.lower.clear();
      joint.limits.upper.clear();
      for (int i = own.q_index; i < own.q_index + own.q_count; ++i) {
        const bool slides = model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::length;
        joint.limits.lower.push_back(home[i] - 0.2 * (slides ? 0.3 * model.size() : 1.0));
        joint.limits.upper.push_back(home[i] + 0.2 * (slides ? 0.3 * model.size() : 1.0));
      }
    }
    Problem problem;
    problem.model = test::compiled(l);
    problem.goals.push_back(goal_at(problem.model, home, Vec3(0.3, -0.3, 0.3) * model.size()));
    Solver solver = make_solver("reach").value();
    solver->solve(problem, home);
    const AllocationCounter counter;
    const Report& report = solver->solve(problem, home);
    // Peaucellier's freedom is another one from pose to pose, and so is the size of what is measured of it.
    if (model.name() != "peaucellier") CHECK(counter.count() == 0);
    CHECK_FALSE(report.ok());
    CHECK(report.restarts <= (model.drives().size() > 1 ? 24 : 60));
    CHECK(closure_error(problem.model, report.q) < 1e-12 * std::max(1.0, model.size()));
    CHECK(inside_limits(problem.model, report.q, 1e-9));
  }
}

TEST_CASE("loop law: limits of a closure's own joint hold while reaching") {
  Linkage l = test::four_bar(4.0, 1.5, 4.2, 2.6);
  VecX low, high;
  REQUIRE(test::four_bar_pose(4.0, 1.5, 4.2, 2.6, 0.6, 1.0, low));
  REQUIRE(test::four_bar_pose(4.0, 1.5, 4.2, 2.6, 1.6, 1.0, high));
  const auto cut = [](const VecX& q) { return q[2] - q[0] - q[1]; };  // rocker seen from the coupler
  l.closures[0].limits.lower = {std::min(cut(low), cut(high))};
  l.closures[0].limits.upper = {std::max(cut(low), cut(high))};
  const Model model = test::compiled(l);
  for (const char* method : {"reach", "dls", "ccd", "follow"}) {
    Solver solver = make_solver(method).value();
    for (int n = 0; n <= 20; ++n) {
      INFO(method, " ", n);
      VecX there, start;
      REQUIRE(test::four_bar_pose(4.0, 1.5, 4.2, 2.6, 0.3 * n, 1.0, there));
      REQUIRE(test::four_bar_pose(4.0, 1.5, 4.2, 2.6, 1.1, 1.0, start));
      PositionGoal goal;
      goal.link = "rocker";
      goal.point = Vec3(2.6, 0, 0);
      goal.target = Vec3(4.0 + 2.6 * std::cos(there[2]), 2.6 * std::sin(there[2]), 0.0);
      Problem problem;
      problem.model = model;
      problem.goals = {goal};
      const Report report = solver->solve(problem, start);
      const double middle = 0.5 * (cut(low) + cut(high)), half = 0.5 * std::abs(cut(low) - cut(high));
      CHECK(std::abs(wrap_angle(cut(report.q) - middle)) <= half + 1e-8);
      const bool inside = std::abs(wrap_angle(cut(there) - middle)) < half - 1e-6;
      if (inside && std::string(method) == "reach") CHECK(report.ok());
    }
  }
}

TEST_CASE("loop law: what an answer says of its freedom is of the mechanism's motions") {
  for (const Model& model : mechanisms()) {
    INFO(model.name());
    Problem problem;
    problem.model = model;
    const VecX q = model.poses().front().q;
    problem.goals.push_back(goal_at(model, q, Vec3::Zero()));
    const int mobility = analyze_mechanism(model).mobility;
    CHECK(static_cast<int>(measures(problem, q).singular_values.size()) == std::min(3, mobility));
    // Motions that leave the goal alone leave the loops closed.
    const MatX free = null_space(problem, q);
    CHECK(free.cols() >= std::max(0, mobility - 3));
    for (Eigen::Index k = 0; k < free.cols(); ++k) {
      CHECK(closure_error(model, integrate(model, q, VecX(1e-5 * free.col(k)))) < 1e-8 * model.size());
    }
  }
}
