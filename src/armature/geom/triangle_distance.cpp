#include "armature/geom/triangle_distance.hpp"

#include <algorithm>
#include <cmath>

namespace armature::inline v0_2 {
namespace {

constexpr double kOnFace = 1e-24;  // squared distance from the face at which an edge still goes through it

Vec3 unit_normal(const Triangle& t) {
  const Vec3 n = (t.b - t.a).cross(t.c - t.a);
  const double length = n.norm();
  return length > 0.0 ? Vec3(n / length) : Vec3::Zero();
}

// Where the edge goes through the face, and how far its shorter side sticks out; the longer side is the way out.
bool goes_through(const Segment& edge, const Triangle& face, const Vec3& unit, Nearest& out) {
  const double da = unit.dot(edge.a - face.a), db = unit.dot(edge.a + edge.d - face.a);
  if (da * db > 0.0 || da == db) return false;
  const Vec3 x = edge.a + (da / (da - db)) * edge.d;
  if ((nearest_point(face, x) - x).squaredNorm() > kOnFace) return false;
  out.distance = -std::min(std::abs(da), std::abs(db));
  out.on_a = out.on_b = x;
  out.normal = da + db >= 0.0 ? unit : Vec3(-unit);
  return true;
}

double gap_above(const Triangle& plane, const Triangle& t) {
  const Vec3 n = unit_normal(plane);
  const double a = n.dot(t.a - plane.a), b = n.dot(t.b - plane.a), c = n.dot(t.c - plane.a);
  return std::max(std::min({a, b, c}), -std::max({a, b, c}));
}

}  // namespace

double plane_gap(const Triangle& p, const Triangle& q) { return std::max(gap_above(p, q), gap_above(q, p)); }

Nearest distance(const Triangle& p, const Triangle& q) {
  const Segment own[3] = {{p.a, p.b - p.a}, {p.b, p.c - p.b}, {p.c, p.a - p.c}};
  const Segment other[3] = {{q.a, q.b - q.a}, {q.b, q.c - q.b}, {q.c, q.a - q.c}};
  const Vec3 normal_p = unit_normal(p), normal_q = unit_normal(q);
  Nearest best, trial;
  best.distance = 1e300;
  for (int i = 0; i < 3; ++i) {
    if (goes_through(own[i], q, normal_q, trial) && trial.distance < best.distance) best = trial;
    if (goes_through(other[i], p, normal_p, trial) && trial.distance < best.distance) best = flipped(trial);
  }
  if (best.distance <= 0.0) return best;
  // Apart: the nearest points lie on two edges, or on a corner and a face.
  double least = 1e300;
  const auto keep = [&](const Vec3& x, const Vec3& y) {
    const double squared = (x - y).squaredNorm();
    if (squared >= least) return;
    least = squared;
    best.on_a = x;
    best.on_b = y;
  };
  for (const Segment& a : own) {
    for (const Segment& b : other) {
      const SegmentPair at = nearest_on_segments(a, b);
      if (at.squared < least) keep(a.a + at.s * a.d, b.a + at.t * b.d);
    }
  }
  for (int i = 0; i < 3; ++i) {
    keep(own[i].a, nearest_point(q, own[i].a));
    keep(nearest_point(p, other[i].a), other[i].a);
  }
  best.distance = std::sqrt(least);
  best.normal = best.distance > 1e-12          ? Vec3((best.on_a - best.on_b) / best.distance)
                : normal_q.squaredNorm() > 0.0 ? normal_q
                                               : Vec3::UnitZ();
  return best;
}

}  // namespace armature::inline v0_2
