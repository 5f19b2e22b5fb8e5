#include "armature/geom/shortest_turn.hpp"

#include <cmath>

namespace armature::inline v0_2 {

Quat quaternion_between(const Vec3& a, const Vec3& b) {
  const Vec3 from = a.normalized(), to = b.normalized();
  const double cosine = from.dot(to);
  Vec3 axis = from.cross(to);
  if (cosine > -0.9) {
    const double s = std::sqrt(2.0 * (1.0 + cosine));
    axis *= 1.0 / s;
    return Quat(0.5 * s, axis.x(), axis.y(), axis.z());
  }
  // Nearly opposite 1 + cosine has few digits left, and the cross product, too: its part along `from` is noise.
  const double length = axis.norm();
  if (length > 1e-15) {
    axis /= length;
  } else {
    axis = std::abs(from.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitX();
  }
  axis = (axis - from.dot(axis) * from).normalized();
  const double sine = 0.5 * (to - from).norm();
  return Quat(0.5 * (from + to).norm(), sine * axis.x(), sine * axis.y(), sine * axis.z());
}

}  // namespace armature::inline v0_2
