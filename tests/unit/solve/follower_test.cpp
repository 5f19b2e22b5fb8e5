// Control loops: limits hold in every tick, jumps are walked, stop() brakes, nothing is allocated.
#include "armature/solve/follower.hpp"

#include <doctest/doctest.h>

#include "support/allocation_counter.hpp"
#include "support/follow_scenario.hpp"

using namespace armature;
using namespace armature::test;

namespace {

Problem tool_goal(const Model& model, const VecX& q) {
  State state;
  forward(model, q, state);
  Problem problem;
  problem.model = model;
  PoseGoal goal;
  goal.link = model.link("panda_tcp");
  goal.target = state.transform(goal.link);
  problem.goals.emplace_back(goal);
  return problem;
}

}  // namespace

TEST_CASE("follower: a goal that jumps is walked to within velocity and acceleration limits, without a byte") {
  const Model model = builtin_model("panda");
  const VecX start = model.find_pose("ready").value();
  const Problem problem = tool_goal(model, start);
  FollowerOptions options;
  options.velocity_scale = 0.5;
  options.acceleration = VecX::Constant(model.v_size(), 8.0);
  Follower follower(problem, start, options);
  REQUIRE(follower.status().ok());
  Transform target = std::get<PoseGoal>(problem.goals[0]).target;
  target.translation += Vec3(-0.1, 0.25, 0.15);
  REQUIRE(follower.set_target(0, target));
  const double dt = 0.002;
  VecX before = start;
  VecX velocity = VecX::Zero(model.v_size());
  double most_velocity = 0.0, most_acceleration = 0.0;
  std::size_t allocations = 0;
  for (int i = 0; i < 2000; ++i) {
    AllocationCounter counter;
    const FollowerStep& step = follower.step(dt);
    allocations += counter.count();
    for (int v = 0; v < 7; ++v) {
      const double speed = (step.q[v] - before[v]) / dt;
      most_velocity = std::max(most_velocity, std::abs(speed) / (0.5 * model.velocity_limit()[v]));
      most_acceleration = std::max(most_acceleration, std::abs(speed - velocity[v]) / (dt * 8.0));
      velocity[v] = speed;
    }
    before = step.q;
  }
  CHECK(allocations == 0);
  CHECK(most_velocity <= 1.0 + 1e-9);
  CHECK(most_acceleration <= 1.0 + 1e-6);
  CHECK(most_acceleration > 0.5);  // it did hurry
  CHECK(inside_limits(model, before));
  CHECK(follower.step(dt).report->ok());
  State state;
  forward(model, before, state);
  const Vec3 place = state.X_WL[static_cast<std::size_t>(model.link("panda_tcp"))].translation;
  CHECK((place - target.translation).norm() < 1e-4);
}

TEST_CASE("follower: stop brakes to rest, and resume goes on") {
  const Model model = builtin_model("panda");
  const VecX start = model.find_pose("ready").value();
  FollowerOptions options;
  options.acceleration = VecX::Constant(model.v_size(), 5.0);
  Follower follower(tool_goal(model, start), start, options);
  Transform target = std::get<PoseGoal>(follower.goal(0)).target;
  target.translation += Vec3(0.1, 0.3, 0.0);
  REQUIRE(follower.set_target(0, target));
  for (int i = 0; i < 100; ++i) follower.step(0.002);
  CHECK(!follower.at_rest());
  const double fast = follower.step(0.002).velocity.cwiseAbs().maxCoeff();
  follower.stop();
  int ticks = 0;
  VecX last = follower.step(0.002).velocity;
  while (!follower.at_rest() && ticks < 5000) {
    const VecX now = follower.step(0.002).velocity;
    CHECK((now - last).cwiseAbs().maxCoeff() <= 5.0 * 0.002 + 1e-9);
    last = now;
    ++ticks;
  }
  CHECK(ticks <= fast / (5.0 * 0.002) + 2);
  const VecX rest = follower.step(0.002).q;
  CHECK(follower.step(0.002).q == rest);
  follower.resume();
  for (int i = 0; i < 4000; ++i) follower.step(0.002);
  CHECK(follower.step(0.002).report->ok());
}

TEST_CASE("follower: mistakes are said") {
  const Model model = builtin_model("panda");
  const VecX start = model.find_pose("ready").value();
  FollowerOptions options;
  options.velocity_scale = 2.0;
  CHECK(!Follower(tool_goal(model, start), start, options).status().ok());
  options = {};
  options.acceleration = VecX::Ones(2);
  CHECK(!Follower(tool_goal(model, start), start, options).status().ok());
  CHECK(!Follower(tool_goal(model, start), VecX::Zero(3)).status().ok());
}
