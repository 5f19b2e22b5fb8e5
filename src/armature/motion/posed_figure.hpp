// A figure while it is posed joint by joint: frames follow each joint that is set, limbs of two bones are bent in
// closed form.
#pragma once

#include <vector>

#include "armature/model/model.hpp"
#include "armature/motion/figure.hpp"

namespace armature::inline v0_2 {

/// The smallest rotation that takes direction a to direction b; none when one of them is too short to have a direction.
Mat3 turn_between(const Vec3& a, const Vec3& b);

class PosedFigure {
 public:
  /// `limits`: joints stay inside theirs.
  PosedFigure(const Model& model, bool limits);

  /// Where the link would be with its joint at zero.
  Transform joint_frame(int link) const;
  void set_frame(int link, const VecX& q);
  void set_frames(int first, int end, const VecX& q);
  /// The joint's coordinates that come nearest to the wanted frame of its link, inside limits.
  void fit(int link, const Transform& wanted, VecX& q) const;
  /// Bends the limb's middle so that its ends are `distance` apart, as far as it can.
  void bend(const FigureLimb& limb, double distance, VecX& q);
  /// Where limits kept the end from its place: a few more turns of both bones, until it is within `tolerance`.
  void settle(const FigureLimb& limb, const Vec3& place, double tolerance, VecX& q);

  std::vector<Transform> X;  // frame of each link in the world

 private:
  void bend_hinge(const FigureLimb& limb, const Revolute& hinge, double distance, VecX& q);
  void bend_ball(const FigureLimb& limb, double distance, VecX& q);

  const Model& model_;
  bool limits_;
};

}  // namespace armature::inline v0_2
