// Arms with fewer joints than a pose has freedoms. Joints that do not exist are added where the goal leaves a freedom
// (a free turn about the tool) or where it asks for too much (then they must come out as zero), until the arm is one of
// those that are solved whole.
#pragma once

#include "armature/kinematics/analytic/answers.hpp"
#include "armature/kinematics/analytic/cartesian.hpp"
#include "armature/kinematics/analytic/six.hpp"
#include "armature/kinematics/analytic/spherical.hpp"

namespace armature::inline v0_2::analytic {

enum class FewerKind {
  none,
  position,   // three joints (added slides among them) bring the tip's point to its place
  last_turn,  // the last joint turns: the others bring a point of its axis to its place, it takes the rotation
  rotation,   // three turning joints take the rotation; the place does not count
  six,        // five joints and one added, as an arm of six
};

struct FewerArm {
  FewerKind kind = FewerKind::none;
  Arm arm;      // joints of the chain, then added ones, in the order in which they are solved
  int own = 0;  // how many are the chain's
  bool own_slides[kMaxArmJoints] = {};
  int free_added = 0;  // of the added ones, how many may have any value (they come first); the rest must be zero
  bool mirrored = false;
  SixArm six;
  SphericalArm spherical;  // when six.kind is none
  CartesianArm cartesian;  // and spherical.first is negative
  double defect = 0.0;
};

/// What a goal leaves open.
struct Task {
  bool position_only = false;
  bool rotation_only = false;
  bool free_turn = false;   // pose: any turn about `axis` of the tip's frame will do
  bool free_slide = false;  // position: any shift along `axis` of the base's frame will do
  Vec3 axis = Vec3::UnitZ();
};

/// False, with a sentence's end in `why`, when there is no closed form.
bool make_fewer(const Arm& arm, const Task& task, bool closed_only, FewerArm& out, const char*& why);
/// `goal` and `start` in units; values of the chain's own joints.
void solve(const FewerArm& arm, const Transform& goal, const double* start, bool thorough, ArmAnswers& out);

}  // namespace armature::inline v0_2::analytic
