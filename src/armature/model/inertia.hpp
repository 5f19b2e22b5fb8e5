// Mass, center of mass and inertia of rigid bodies: of one link, and of several that move as one.
#pragma once

#include "armature/base/result.hpp"
#include "armature/geom/transform.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

struct Inertia {
  double mass = 0.0;
  Vec3 center = Vec3::Zero();
  Mat3 about_center = Mat3::Zero();  // kg m^2, along the axes of the frame that `center` is given in

  /// The body seen from frame A, given in frame B.
  Inertia in(const Transform& X_AB) const {
    return {mass, X_AB * center, X_AB.rotation * about_center * X_AB.rotation.transpose()};
  }
  /// Both as one rigid body (Steiner's parallel axes).
  Inertia& operator+=(const Inertia& other);
};
inline Inertia operator+(Inertia a, const Inertia& b) { return a += b; }

/// In the link's frame.
inline Inertia inertia_of(const Link& link) { return {link.mass, link.center, link.inertia}; }

/// Of a solid of this shape and density, in the shape's frame; mass 0 for lines and mesh files.
Inertia solid_inertia(const Shape& shape, double density);

/// Whether it can be computed with: mass not negative, all finite, inertia symmetric, moments not negative. A sentence
/// otherwise, with `who` as its subject.
Status check_inertia(const Inertia& inertia, const std::string& who);
/// Whether a rigid body can have it: no principal moment is negative or above the sum of the other two. Files of robots
/// that move have such inertias, so they are kept, and `armature check` tells them.
Status check_moments(const Inertia& inertia, const std::string& who);

}  // namespace armature::inline v0_2
