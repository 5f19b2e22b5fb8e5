// A smooth path through poses: what lies between the frames of a clip when its clock is to be changed.
//
// Cubic pieces with one velocity at each pose (that of the parabola through three of them), so that speed is continuous
// along the path and its rate of change is bounded. Where such a piece would leave the joint's limits its slopes are
// reduced until it does not; poses that lie outside are gone through as they are. Quaternions follow the same cubics as
// rotation vectors from the piece's first pose.
#pragma once

#include <vector>

#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

class PosePath {
 public:
  /// `poses`: count poses of model.q_size() numbers each, one after the other. `scale` (per velocity) is what counts as
  /// one unit of the path's parameter; poses that do not differ from the one before are left out. The model must
  /// outlive the path.
  PosePath(const Model& model, const double* poses, int count, const VecX& scale);

  int pieces() const { return static_cast<int>(spans_.size()); }
  double span(int piece) const { return spans_[static_cast<std::size_t>(piece)]; }  // of the parameter

  /// The pose at u in [0, 1] of a piece.
  void pose(int piece, double u, double* q) const;
  /// Which of the given poses that is: 2.5 lies between the third and the fourth. As smooth as the path.
  double frame(int piece, double u) const;
  /// First and second derivative by the parameter, per velocity; at u = 0 and 1 those of this piece.
  void derivatives(int piece, double u, double* first, double* second) const;

 private:
  const double* knot(int i) const { return poses_.data() + static_cast<std::size_t>(i) * stride_; }
  double* slope(int i) { return slopes_.data() + static_cast<std::size_t>(i) * velocities_; }
  const double* slope(int i) const { return slopes_.data() + static_cast<std::size_t>(i) * velocities_; }
  void limit_slopes();
  void set_rates();
  Vec3 turned(const ModelJoint& joint, int piece, double u) const;  // rotation vector from the piece's first pose

  Model model_;
  std::size_t stride_, velocities_;
  std::vector<double> poses_, spans_, slopes_;
  std::vector<double> steps_;  // per piece and velocity: difference of its two poses
  std::vector<int> frames_;    // per pose: its place among those given
  std::vector<double> rates_;  // per pose: given poses per unit of the parameter
  std::vector<char> inside_;   // per piece: both its poses lie inside limits
};

}  // namespace armature::inline v0_2
