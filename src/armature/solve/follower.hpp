// Following goals in a control loop: one short step a tick, within velocity and acceleration limits.
//
//   Follower follower({.model = panda, .goals = {PoseGoal{.link = "panda_tcp"}}, .start = q}, {.velocity_scale = 0.5});
//   while (running) {
//     follower.set_target(0, next_target());
//     send(follower.step(0.002).q);
//   }
//
// Inside, the follow method leads a reference pose towards the goals with a box as wide as the velocities allow; the
// pose that is returned keeps up with it as fast as velocities and accelerations allow, and brakes in time. Both
// limits hold exactly in every tick. A goal that jumps is walked to; stop() brakes to rest. Never allocates in step().
#pragma once

#include <memory>
#include <vector>

#include "armature/kinematics/state.hpp"
#include "armature/solve/method_options.hpp"

namespace armature::inline v0_2 {

struct FollowerOptions {
  double velocity_scale = 1.0;    // fraction of the velocity limits that is used
  VecX velocity{};                // per velocity, limits; empty: the model's
  VecX acceleration{};            // per velocity, limits; empty: none
  double default_velocity = 3.0;  // radians (or model sizes) per second, where there is no limit
  FollowOptions follow{};         // of the method inside; a machine never recovers by itself
  SolveOptions common{};
};

struct FollowerStep {
  VecX q;
  VecX velocity;  // per velocity of the model, of the step that led here
  const Report* report = nullptr;
};

class Follow;

class Follower {
 public:
  /// At rest in problem.start. status() says what is wrong, if anything is.
  explicit Follower(const Problem& problem, const FollowerOptions& options = {});
  ~Follower();
  Follower(Follower&&) noexcept;
  Follower& operator=(Follower&&) noexcept;

  const Status& status() const { return status_; }
  /// Another target of goal i: a place, a rotation or both, whichever it has. False when it has none.
  bool set_target(int i, const Vec3& place);
  bool set_target(int i, const Transform& target);
  /// A velocity instead of a target: the link of goal i moves by `linear` metres and `angular` radians a second (world
  /// axes) from where it is, until another target or twist is set. For position, orientation and pose goals whose base
  /// is the world; false for others.
  bool set_twist(int i, const Vec3& linear, const Vec3& angular);
  /// The target of goal i counts again, instead of a velocity.
  void end_twist(int i) { twists_[static_cast<std::size_t>(i)].on = false; }
  /// Any other change of a goal.
  Goal& goal(int i) { return problem_.goals[static_cast<std::size_t>(i)]; }
  const Problem& problem() const { return problem_; }

  /// `dt` seconds later. Valid until the next step.
  const FollowerStep& step(double dt);
  /// Brakes to rest and stays, until resume().
  void stop() { stopping_ = true; }
  void resume() { stopping_ = false; }
  bool at_rest() const;

 private:
  struct Twist {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    bool on = false;
    int link = kWorld;
    bool stands = false, keeps = false;  // its place, its rotation: the target of a zero velocity is taken once
  };
  void move_targets(double dt);

  std::unique_ptr<Follow> follow_;
  Problem problem_;
  std::vector<Twist> twists_;  // per goal
  State state_;
  FollowerOptions options_;
  Status status_;
  VecX limit_;          // velocity, scaled
  VecX acceleration_;   // infinite where there is none
  VecX lower_, upper_;  // per coordinate
  VecX reference_, reach_, wanted_;
  FollowerStep now_;
  bool stopping_ = false;
};

}  // namespace armature::inline v0_2
