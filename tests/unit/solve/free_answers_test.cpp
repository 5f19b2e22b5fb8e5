#include "armature/solve/free_answers.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/forward.hpp"
#include "armature/solve/batch.hpp"
#include "armature/solve/methods/reach.hpp"
#include "support/follow_scenario.hpp"
#include "support/linkages.hpp"

using namespace armature;
using namespace armature::test;

namespace {

std::vector<Obstacle> shelf(double size) {
  const auto board = [&](const char* name, const Vec3& s, const Vec3& at) {
    return Obstacle{name, Box{size * s}, Transform::translate(size * at), ""};
  };
  return {board("table", Vec3(1.2, 1.2, 0.02), Vec3(0, 0, -0.15)),
          board("board", Vec3(0.25, 0.6, 0.02), Vec3(0.45, 0, 0.3)),
          board("side", Vec3(0.25, 0.02, 0.5), Vec3(0.45, 0.3, 0.4)),
          board("back", Vec3(0.02, 0.6, 0.5), Vec3(0.6, 0, 0.4))};
}

}  // namespace

TEST_CASE("reach: goals made from free poses are answered by free poses, and some plain answers were not") {
  for (const char* name : {"panda", "ur5"}) {
    const Model model = builtin_model(name);
    Problem problem;
    problem.model = model;
    problem.obstacles = shelf(model.size());
    problem.bodies = std::make_shared<const Bodies>(*compile_bodies(model));
    problem.margin = 0.002;
    Clearance clearance;
    REQUIRE(clearance.prepare(model, *problem.bodies, problem.obstacles).ok());
    Reach reach, plain;
    Rng rng(1);
    State state;
    const int tip = model.effectors().front();
    int asked = 0, plain_touches = 0;
    while (asked < 100) {
      const VecX q0 = random_pose(model, rng);
      if (!clearance.is_free(q0.data(), problem.margin + 1e-6)) continue;
      ++asked;
      forward(model, q0, state);
      PoseGoal goal;
      goal.link = tip;
      goal.target = state.X_WL[static_cast<std::size_t>(tip)];
      problem.goals = {goal};
      problem.collision = Collision::search;
      VecX q = middle_pose(model);
      const Report& report = reach.solve(problem, q);
      q = report.q;
      CHECK_MESSAGE(report.ok(), name << ": " << report.message());
      CHECK(clearance.is_free(q.data(), problem.margin));
      CHECK(report.collisions.empty());
      CHECK(report.position_error < 1e-5);
      problem.collision = Collision::off;
      q = plain.solve(problem, middle_pose(model)).q;
      plain_touches += clearance.is_free(q.data(), problem.margin) ? 0 : 1;
    }
    CHECK(plain_touches > 0);
  }
}

TEST_CASE("reach: a goal inside an obstacle is blocked, and the sentence says by what") {
  const Model model = builtin_model("panda");
  Problem problem;
  problem.model = model;
  Rng rng(2);
  State state;
  forward(model, middle_pose(model), state);
  const int tip = model.effectors().front();
  const Transform at = state.X_WL[static_cast<std::size_t>(tip)];
  problem.obstacles = {{"lump", Sphere{0.25}, Transform::translate(at.position), ""}};
  PoseGoal goal;
  goal.link = tip;
  goal.target = at;
  problem.goals = {goal};
  Reach reach;
  VecX q = middle_pose(model);
  const Report& report = reach.solve(problem, q);
  CHECK(report.outcome == Outcome::blocked);
  CHECK(report.clearance < 0.0);
  REQUIRE(!report.collisions.empty());
  CHECK(report.collisions.front().depth > 0.0);
  const std::string text = report.message();
  CHECK_MESSAGE(text.find("inside lump") != std::string::npos, text);
  // The same question without the obstacle is answered as if it had never been there.
  problem.obstacles.clear();
  VecX again = middle_pose(model), fresh = middle_pose(model);
  again = reach.solve(problem, again).q;
  Reach other;
  fresh = other.solve(problem, fresh).q;
  CHECK(again == fresh);
}

TEST_CASE("reach: quality clear stays farther away, and several goals stay free too") {
  const Model model = builtin_model("panda");
  Problem problem;
  problem.model = model;
  problem.obstacles = shelf(model.size());
  problem.bodies = std::make_shared<const Bodies>(*compile_bodies(model));
  Clearance clearance;
  REQUIRE(clearance.prepare(model, *problem.bodies, problem.obstacles).ok());
  Rng rng(5);
  State state;
  const int tip = model.effectors().front();
  Reach first, clear;
  clear.settings.quality = Quality::clear;
  double sum_first = 0.0, sum_clear = 0.0;
  for (int asked = 0; asked < 40;) {
    const VecX q0 = random_pose(model, rng);
    if (!clearance.is_free(q0.data(), 1e-3)) continue;
    ++asked;
    forward(model, q0, state);
    PositionGoal goal;
    goal.link = tip;
    goal.target = state.X_WL[static_cast<std::size_t>(tip)].position;
    AimGoal aim;
    aim.link = tip;
    aim.target = goal.target + state.X_WL[static_cast<std::size_t>(tip)].rotation.col(0);
    problem.goals = {goal, aim};
    VecX q = middle_pose(model);
    const Report& report = first.solve(problem, q);
    q = report.q;
    CHECK(report.ok());
    CHECK(clearance.is_free(q.data(), 0.0));
    problem.goals = {goal};
    q = middle_pose(model);
    sum_first += first.solve(problem, q).clearance;
    q = middle_pose(model);
    sum_clear += clear.solve(problem, q).clearance;
  }
  CHECK(sum_clear > sum_first);
}

TEST_CASE("reach: a batch among obstacles is free as well, mostly in lanes, and no goal changes another's answer") {
  for (const char* name : {"panda", "ur5"}) {
    const Model model = builtin_model(name);
    Problem problem;
    problem.model = model;
    problem.obstacles = shelf(model.size());
    problem.bodies = std::make_shared<const Bodies>(*compile_bodies(model));
    problem.margin = 0.002;
    Clearance clearance;
    REQUIRE(clearance.prepare(model, *problem.bodies, problem.obstacles).ok());
    Rng rng(6);
    State state;
    const int tip = model.effectors().front();
    std::vector<Goal> goals;
    while (goals.size() < 100) {
      VecX q = random_pose(model, rng);
      if (name[0] == 'p') q.tail(1) = middle_pose(model).tail(1);  // fingers as the answers have them
      if (!clearance.is_free(q.data(), problem.margin + 1e-6)) continue;
      forward(model, q, state);
      PoseGoal goal;
      goal.link = tip;
      goal.target = state.X_WL[static_cast<std::size_t>(tip)];
      goals.push_back(goal);
    }
    const auto solve = [&](const std::vector<Goal>& asked, std::vector<Report>& reports) {
      Reach reach;
      Batch batch;
      MatX poses = middle_pose(model).replicate(1, static_cast<Eigen::Index>(asked.size()));
      batch.solve(reach, problem, asked, poses, reports);
      return poses;
    };
    std::vector<Report> reports, fewer;
    const MatX poses = solve(goals, reports);
    int lanes = 0, refused = 0;
    for (std::size_t k = 0; k < goals.size(); ++k) {
      const VecX q = poses.col(static_cast<Eigen::Index>(k));
      CHECK_MESSAGE(reports[k].ok(), name << ": " << reports[k].message());
      CHECK(clearance.is_free(q.data(), problem.margin));
      CHECK(reports[k].clearance >= problem.margin - 1e-12);
      CHECK(reports[k].collisions.empty());
      CHECK(reports[k].q == q);
      lanes += std::string(reports[k].reason).find("batch") != std::string::npos ? 1 : 0;
      refused += reports[k].times_reached;
    }
    CHECK(lanes > 80);
    CHECK(refused > 0);
    const std::vector<Goal> last(goals.begin() + 50, goals.end());
    CHECK(solve(last, fewer) == poses.rightCols(50));
  }
}

// What the goals cannot move is no fault of an answer, but whoever reads the report has to know.
TEST_CASE("reach: what touches without being moved by the goals is told") {
  const Model model = builtin_model("human");
  const VecX start = neutral_pose(model);
  State state;
  forward(model, start, state);
  const int hand = model.link("left_hand"), arm = model.link("left_upper_arm");
  Problem problem;
  problem.model = model;
  for (int i = 0; i < model.link_count(); ++i) {
    const bool free = i >= arm && i < model.subtree_end(arm);
    if (!free && model.joint(i).v_count > 0) problem.locked.push_back(model.joint(i).name);
  }
  PositionGoal goal;
  goal.link = "left_hand";
  goal.target = state.transform(hand).position + Vec3(0.1, 0.0, 0.1);
  problem.goals.push_back(goal);
  const Vec3 other = state.transform(model.link("right_hand")).position;
  for (const bool there : {true, false, true}) {
    problem.obstacles = {{"crate", Sphere{0.05}, Transform::translate(there ? other : Vec3(9, 9, 9)), ""}};
    for (const Quality quality : {Quality::first, Quality::clear}) {
      INFO(there);
      Reach reach;
      reach.settings.quality = quality;
      const Report& report = reach.solve(problem, start);
      CHECK_MESSAGE(report.ok(), report.message());
      const auto in_crate = [](const Touch& touch) { return touch.b == "crate"; };
      CHECK(std::any_of(report.collisions.begin(), report.collisions.end(), in_crate) == there);
      CHECK((report.message().find("which the goals do not move") != std::string::npos) == !report.collisions.empty());
      if (there) CHECK(report.clearance < -0.02);
      Clearance all;
      REQUIRE(all.prepare(model, *compile_bodies(model), problem.obstacles).ok());
      CHECK(std::abs(report.clearance - all.smallest(report.q.data(), kClearanceSeen * model.size())) < 1e-12);
    }
  }
}

TEST_CASE("reach: a goal of the whole pose keeps clear of obstacles too") {
  Linkage l;
  l.links = {{"ground", {}}, {"cart", {}}};
  l.joints = {test::joint("slide", Prismatic{Vec3::UnitX()}, "ground", "cart", {})};
  l.links[1].mass = 1.0;
  l.bodies = {{"cart", Sphere{0.1}, {}, "file"}};
  Problem problem;
  problem.model = test::compiled(l);
  problem.goals = {CenterOfMassGoal{.target = Vec3(1, 0, 0)}};
  Reach reach;
  CHECK(reach.solve(problem, VecX::Zero(1)).ok());
  problem.obstacles = {{"post", Sphere{0.2}, Transform::translate(Vec3(1, 0.1, 0)), ""}};
  const Report& report = reach.solve(problem, VecX::Zero(1));
  CHECK_MESSAGE(report.outcome == Outcome::blocked, report.message());
}
