// One joint at a time: the best change of a single joint for position and orientation goals, in closed form.
// Shared by ccd, ccd_ranked and fabrik.
//
// The objective is the sum over goals of weight * |place - wanted place|^2 (only the axes that count) and of
// weight * length^2 / 2 * |R - R_wanted|_F^2, which is weight * length^2 * angle^2 for small angles.
#pragma once

#include <vector>

#include "armature/solve/stack.hpp"

namespace armature::inline v0_2 {

/// A point (and frame) that should be somewhere.
struct Wanted {
  int link = 0;
  Vec3 place = Vec3::Zero();          // now, in the world
  Vec3 goal = Vec3::Zero();           // wanted, in the world
  Vec3 counts = Vec3::Ones();         // 1 for axes that count, 0 for free ones
  double weight = 0.0;                // of the place; 0: only the orientation matters
  Mat3 turn = Mat3::Identity();       // R now
  Mat3 turn_goal = Mat3::Identity();  // R wanted
  double turn_weight = 0.0;

  double objective() const;
  void rotate(const Mat3& rotation, const Vec3& about) {
    place = about + rotation * (place - about);
    turn = rotation * turn;
  }
};

/// What one joint can do by itself.
struct Handle {
  enum class Kind { turn, slide, screw, ball, coupled } kind = Kind::turn;
  int link = 0;
  int velocity = 0;    // within the joint; a ball's first
  int column = 0;      // of the stack; a ball has three
  int coordinate = 0;  // in the pose vector; a ball's quaternion begins there
};

/// The best change of a handle.
struct Change {
  double amount = 0.0;           // radians or metres
  Vec3 rotation = Vec3::Zero();  // of a ball: rotation vector in the world
  double gain = 0.0;             // by how much the objective falls
};

/// The goals are of one priority and ask for frames in the world (or in that of a link that carries the effector),
/// without tolerance boxes or free axes of rotation: or a sentence that says which is not.
Status check_frames(const CompiledProblem& problem, const char* method);

class CoordinateDescent {
 public:
  /// Lists handles (by link, innermost first) and goals of the prepared stack.
  void prepare(const Stack& stack);
  /// Takes the present places of the goals' points from the stack's state.
  void load(const Stack& stack);
  double objective() const;

  /// The best change of a handle at pose q, inside its limits. Frames at and above the handle's link must be those of
  /// q; `wanted` holds the present places. A coupled handle (a joint that others mimic, or that moves
  /// others to keep a loop closed) has none.
  Change best(const Stack& stack, const Handle& handle, const double* q, const std::vector<Wanted>& wanted) const;
  /// Makes a change, scaled down as the options say, in q, in stack.step and in the places of `wanted`.
  void make(Stack& stack, const Handle& handle, const Change& change, double fraction, double max_step, double* q,
            std::vector<Wanted>& wanted) const;
  /// A coupled handle: one damped step of its column with halving, which evaluates the stack.
  void descend_coupled(Stack& stack, const Handle& handle, double* q);

  std::vector<Handle> handles;
  std::vector<Wanted> wanted;

 private:
  void add_handles(const Stack& stack, int link);

  std::vector<char> followed_;  // per link: another joint of the stack's links mimics it
  VecX u_;
  VecX kept_;
  VecX earlier_;
};

/// Axis (unit, world) and a point on it, or the direction of a slide, of one velocity of a joint.
struct WorldAxis {
  Vec3 direction = Vec3::Zero();
  Vec3 point = Vec3::Zero();
  double advance = 0.0;  // metres a radian
};
WorldAxis world_axis(const Model& model, const State& state, int link, int velocity, bool turns);

}  // namespace armature::inline v0_2
