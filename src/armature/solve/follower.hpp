// Following goals in a control loop: one short step a tick, within velocity and acceleration limits.
//
//   Follower follower(problem, start, {.velocity_scale = 0.5});
//   while (running) {
//     follower.set_target(0, next_target());
//     send(follower.step(0.002).q);
//   }
//
// Inside, the follow method leads a reference pose towards the goals with a box as wide as the velocities allow; the
// pose that is returned keeps up with it as fast as velocities and accelerations allow, and brakes in time. Both
// limits hold exactly in every tick. A goal that jumps is walked to; stop() brakes to rest. Never allocates in step().
#pragma once

#include "armature/solve/methods/follow.hpp"

namespace armature {

struct FollowerOptions {
  double velocity_scale = 1.0;    // fraction of the velocity limits that is used
  VecX velocity;                  // per velocity, limits; empty: the model's
  VecX acceleration;              // per velocity, limits; empty: none
  double default_velocity = 3.0;  // radians (or model sizes) a second, where there is no limit
};

struct FollowerStep {
  VecX q;
  VecX velocity;  // per velocity of the model, of the step that led here
  const Report* report = nullptr;
};

class Follower {
 public:
  /// status() says what is wrong, if anything is.
  Follower(const Problem& problem, const VecX& start, const FollowerOptions& options = {});

  const Status& status() const { return status_; }
  /// Another target of goal i: a place, a rotation or both, whichever it has. False when it has none.
  bool set_target(int i, const Vec3& place);
  bool set_target(int i, const Transform& target);
  /// Any other change of a goal.
  Goal& goal(int i) { return problem_.goals[static_cast<std::size_t>(i)]; }

  /// `dt` seconds later. Valid until the next step.
  const FollowerStep& step(double dt);
  /// Brakes to rest and stays, until resume().
  void stop() { stopping_ = true; }
  void resume() { stopping_ = false; }
  bool at_rest() const;

  Follow follow;  // its options

 private:
  Problem problem_;
  FollowerOptions options_;
  Status status_;
  VecX limit_;         // velocity, scaled
  VecX acceleration_;  // infinite where there is none
  VecX reference_, reach_, wanted_;
  FollowerStep now_;
  bool stopping_ = false;
};

}  // namespace armature
