// A gesture that is caught: its branch does not reach the goals although another one does. Looks for that branch, a
// little in every frame, and glides there within the speed box; never a jump.
#pragma once

#include "armature/base/rng.hpp"
#include "armature/solve/methods/reach.hpp"
#include "armature/solve/problem.hpp"

namespace armature::inline v0_2 {

class FollowRecover {
 public:
  /// Makes room for problems of this shape.
  void prepare(const Problem& problem);
  /// A new gesture: nothing found, nobody caught.
  void begin();

  /// After a frame that ended at q with this error (internal units). `late`: the speed, `bound` radians a frame, holds
  /// it back, so it may still arrive. Looks on when it has been caught for long enough; glides when waiting has cost
  /// half as much as the glide will, for the path may lead out of the trap by itself.
  void watch(const CompiledProblem& compiled, const VecX& q, const VecX& home, double error, bool late, double bound);
  /// The goals moved: brings the pose that is glided to along. False when there is none (any more).
  bool refresh(const Problem& problem);
  bool gliding() const { return gliding_; }
  const VecX& target() const { return target_; }
  void arrived() { begin(); }

 private:
  double distance(const Model& model, const VecX& a, const VecX& b);
  void look(const CompiledProblem& compiled, const VecX& q);
  bool unwind(const CompiledProblem& compiled, const VecX& q, const VecX& home);

  Reach local_;
  Rng rng_;
  VecX target_, candidate_, v_;
  double best_ = 0.0;
  double budget_ = 0.0;  // starts that may be taken now: a share per frame
  int caught_ = 0;       // frames in a row
  int starts_ = 0;
  int time_left_ = 0;  // frames of a glide
  bool found_ = false;
  bool gliding_ = false;
};

}  // namespace armature::inline v0_2
