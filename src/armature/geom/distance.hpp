// Distances between segments, boxes and triangles in closed form, with the points where they are nearest. What touches
// has a distance of 0 or less: minus how far one must move to be free, as far as the shapes know an inside.
//
// A capsule is a segment with a radius, a sphere a segment of no length: their distance is that of the segments minus
// the radii. Everything is branch-light and allocates nothing; docs/bodies.md has the mathematics.
#pragma once

#include "armature/geom/transform.hpp"

namespace armature::inline v0_2 {

struct Segment {
  Vec3 a;  // one end
  Vec3 d;  // to the other
};

struct OrientedBox {
  Vec3 center;
  Mat3 axes;  // columns
  Vec3 half;
};

struct Triangle {
  Vec3 a, b, c;
};

/// Two shapes at their nearest points (or deepest ones). `normal` is of unit length and leads from b to a: moving a
/// along it by x makes the distance grow by x.
struct Nearest {
  double distance = 0.0;
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();
};

/// Where two segments are nearest: fractions of the way along each, and the squared distance.
struct SegmentPair {
  double s, t, squared;
};
SegmentPair nearest_on_segments(const Segment& p, const Segment& q);

Nearest distance(const Segment& p, const Segment& q);
Nearest distance(const Segment& p, const OrientedBox& box);
Nearest distance(const Segment& p, const Triangle& triangle);
Nearest distance(const OrientedBox& p, const OrientedBox& q);
Nearest distance(const OrientedBox& p, const Triangle& triangle);

/// Squared, 0 where they meet: what a yes or no needs.
double squared_distance(const Segment& p, const OrientedBox& box);

/// A lower bound of the distance of two boxes, quickly: their gap along the best of the 15 separating axes. At least
/// `enough` ends the search; negative: they overlap, by at least that much along every axis.
double separation(const OrientedBox& p, const OrientedBox& q, double enough);

/// Shrinks a distance by the shapes' radii, and moves the points to their surfaces.
Nearest with_radii(Nearest n, double radius_a, double radius_b);
/// a and b changed round.
Nearest flipped(const Nearest& n);

/// The point of the box, or of the triangle, that is nearest to x.
Vec3 nearest_point(const OrientedBox& box, const Vec3& x);
Vec3 nearest_point(const Triangle& triangle, const Vec3& x);

}  // namespace armature::inline v0_2
