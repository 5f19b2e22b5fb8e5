#include "armature/geom/distance.hpp"

#include <doctest/doctest.h>

#include "support/linkages.hpp"

using namespace armature;

namespace {

Vec3 spread(Rng& rng, double size = 1.0) {
  return size * Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
}

Segment random_segment(Rng& rng) { return {spread(rng), spread(rng, rng.uniform() < 0.1 ? 0.0 : 1.0)}; }
OrientedBox random_box(Rng& rng) {
  const Transform X = test::random_transform(rng);
  return {X.position, X.rotation, Vec3(rng.uniform(0.05, 0.6), rng.uniform(0.05, 0.6), rng.uniform(0.05, 0.6))};
}
Triangle random_triangle(Rng& rng) { return {spread(rng), spread(rng), spread(rng)}; }

// Nearest point of a shape along a direction-free search: alternating projections converge for convex shapes.
Vec3 project(const Segment& s, const Vec3& x) {
  const double e = s.d.squaredNorm();
  const double t = e > 0.0 ? std::min(std::max((x - s.a).dot(s.d) / e, 0.0), 1.0) : 0.0;
  return s.a + t * s.d;
}
Vec3 project(const OrientedBox& b, const Vec3& x) { return nearest_point(b, x); }
Vec3 project(const Triangle& t, const Vec3& x) { return nearest_point(t, x); }

template <class A, class B>
double by_projections(const A& a, const B& b, const Vec3& from) {
  Vec3 x = from, y = from;
  for (int i = 0; i < 4000; ++i) {
    x = project(a, y);
    const Vec3 next = project(b, x);
    if ((next - y).squaredNorm() < 1e-30) break;
    y = next;
  }
  return (x - y).norm();
}

// What every answer must say of itself.
template <class A, class B>
void check(const A& a, const B& b, const Nearest& n) {
  CHECK(n.normal.norm() == doctest::Approx(1.0));
  if (n.distance <= 0.0) return;
  CHECK((n.on_a - n.on_b - n.distance * n.normal).norm() < 1e-9);
  CHECK((project(a, n.on_a) - n.on_a).norm() < 1e-9);
  CHECK((project(b, n.on_b) - n.on_b).norm() < 1e-9);
  CHECK(n.distance <= by_projections(a, b, n.on_a + Vec3(1, 2, 3)) + 1e-9);
  CHECK(n.distance >= by_projections(a, b, n.on_b) - 1e-5);
}

Segment moved(Segment s, const Vec3& by) { return {s.a + by, s.d}; }
OrientedBox moved(OrientedBox b, const Vec3& by) { return {b.center + by, b.axes, b.half}; }

}  // namespace

TEST_CASE("distance: nearest points are right, for every pair of shapes") {
  Rng rng(1);
  for (int i = 0; i < 400; ++i) {
    const Segment s = random_segment(rng), s2 = random_segment(rng);
    const OrientedBox b = random_box(rng), b2 = random_box(rng);
    const Triangle t = random_triangle(rng);
    check(s, s2, distance(s, s2));
    check(s, b, distance(s, b));
    check(s, t, distance(s, t));
    check(b, b2, distance(b, b2));
    check(b, t, distance(b, t));
    CHECK(std::sqrt(squared_distance(s, b)) == doctest::Approx(std::max(0.0, distance(s, b).distance)).epsilon(1e-9));
    CHECK(distance(s, s2).distance == doctest::Approx(distance(s2, s).distance));
    CHECK(distance(b, b2).distance == doctest::Approx(distance(b2, b).distance));
    const double gap = separation(b, b2, 1e300);
    CHECK(gap <= distance(b, b2).distance + 1e-9);
    CHECK((gap < 0.0) == (distance(b, b2).distance <= 0.0));
    if (gap < 0.0) CHECK(gap == doctest::Approx(distance(b, b2).distance).epsilon(1e-9));
  }
}

TEST_CASE("distance: moving along the normal makes it grow by as much, inside too") {
  Rng rng(2);
  int inside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Segment s = random_segment(rng);
    const OrientedBox b = random_box(rng), b2 = random_box(rng);
    const Nearest n = distance(s, b), m = distance(b, b2);
    inside += n.distance < 0.0 ? 1 : 0;
    const double h = 1e-7;
    CHECK(distance(moved(s, h * n.normal), b).distance - n.distance == doctest::Approx(h).epsilon(1e-3));
    CHECK(distance(moved(b, h * m.normal), b2).distance - m.distance == doctest::Approx(h).epsilon(1e-3));
    // To move out by the depth, and no less, is enough.
    if (n.distance < 0.0) {
      CHECK(distance(moved(s, (1e-9 - n.distance) * n.normal), b).distance >= -1e-8);
    }
    if (m.distance < 0.0) {
      CHECK(distance(moved(b, (1e-9 - m.distance) * m.normal), b2).distance >= -1e-8);
    }
  }
  CHECK(inside > 100);
}
