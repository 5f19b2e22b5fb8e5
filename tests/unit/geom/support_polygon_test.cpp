#include "armature/geom/support_polygon.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "armature/base/rng.hpp"

namespace armature {
namespace {

using Point = SupportPolygon::Point;

// The nearest of many places of the polygon, found without its edges: places that are sums of the points with weights,
// and `margin` from every line through two points that has all others on one side.
double nearest_by_trial(const std::vector<Point>& points, const Point& place, Rng& rng) {
  double best = 1e300;
  for (int trial = 0; trial < 20000; ++trial) {
    const auto pick = [&] { return points[static_cast<std::size_t>(rng.below(static_cast<int>(points.size())))]; };
    const Point a = pick();
    const Point b = pick();
    const double t = rng.uniform(0, 1);
    best = std::min(best, (a + t * (b - a) - place).norm());
  }
  return best;
}

}  // namespace

TEST_CASE("support polygon: the way from outside is the shortest one, and zero inside") {
  const std::vector<Point> square{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0.5}, {0.5, 0.0}, {1, 1}};
  SupportPolygon polygon;
  polygon.set(square, 0.0);
  CHECK(polygon.hull().size() == 4);
  CHECK(polygon.way_from({0.3, 0.9}).way.norm() == 0.0);
  CHECK((polygon.way_from({0.3, 1.5}).way - Point(0, -0.5)).norm() < 1e-12);
  CHECK((polygon.way_from({2, 2}).way - Point(-1, -1)).norm() < 1e-12);
  polygon.set(square, 0.1);
  CHECK((polygon.way_from({0.5, 0.95}).way - Point(0, -0.05)).norm() < 1e-12);
  CHECK((polygon.way_from({2, 2}).way - Point(-1.1, -1.1)).norm() < 1e-12);
  polygon.set(square, 7.0);  // more than there is: the middle
  CHECK((polygon.way_from({2, 2}).way - Point(-1.5, -1.5)).norm() < 1e-6);

  Rng rng(3);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Point> points;
    for (int k = 0; k < 3 + trial; ++k) points.emplace_back(rng.uniform(-1, 1), rng.uniform(-1, 1));
    polygon.set(points, 0.0);
    const Point place(3.0 * rng.uniform(-1, 1), 3.0 * rng.uniform(-1, 1));
    const double way = polygon.way_from(place).way.norm();
    if (way > 0.0) CHECK(way == doctest::Approx(nearest_by_trial(points, place, rng)).epsilon(1e-2));
  }
}

TEST_CASE("support polygon: one point, points in line, and the same point many times") {
  SupportPolygon polygon;
  const std::vector<Point> one(5, Point(1, 2));
  polygon.set(one, 0.3);
  CHECK(polygon.hull().size() == 1);
  CHECK((polygon.way_from({0, 0}).way - Point(1, 2)).norm() < 1e-12);
  const std::vector<Point> line{{0, 0}, {2, 0}, {1, 0}, {2, 0}};
  polygon.set(line, 0.3);
  CHECK(polygon.hull().size() == 2);
  CHECK((polygon.way_from({1, -3}).way - Point(0, 3)).norm() < 1e-12);
  CHECK((polygon.way_from({5, 4}).way - Point(-3, -4)).norm() < 1e-12);
}

TEST_CASE("support polygon: slopes are the derivative, by place and by every point") {
  Rng rng(8);
  constexpr double h = 1e-6;
  int corners = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Point> points;
    for (int k = 0; k < 1 + trial % 6; ++k) points.emplace_back(rng.uniform(-1, 1), rng.uniform(-1, 1));
    const double margin = trial % 3 == 0 ? 0.0 : 0.01;
    const Point place(3.0 * rng.uniform(-1, 1), 3.0 * rng.uniform(-1, 1));
    SupportPolygon polygon;
    polygon.set(points, margin);
    const SupportPolygon::Way way = polygon.way_from(place);
    if (polygon.hull().size() > 2 && polygon.margin() < margin) continue;  // cut: it moves with the points
    corners += way.count > 2;
    const auto slope = [&](Point& changed, int axis) {
      const Point kept = changed;
      changed[axis] = kept[axis] + h;
      polygon.set(points, margin);
      const Point plus = polygon.way_from(place).way;
      changed[axis] = kept[axis] - h;
      polygon.set(points, margin);
      const Point minus = polygon.way_from(place).way;
      changed = kept;
      return Point((plus - minus) / (2 * h));
    };
    for (std::size_t k = 0; k < points.size(); ++k) {
      SupportPolygon::Slope known = SupportPolygon::Slope::Zero();
      for (int c = 0; c < way.count; ++c) {
        if (way.point[static_cast<std::size_t>(c)] == static_cast<int>(k))
          known = way.of_point[static_cast<std::size_t>(c)];
      }
      for (int axis = 0; axis < 2; ++axis) CHECK((slope(points[k], axis) - known.col(axis)).norm() < 1e-4);
    }
    polygon.set(points, margin);
    for (int axis = 0; axis < 2; ++axis) {
      Point step = Point::Zero();
      step[axis] = h;
      const Point by_place = (polygon.way_from(place + step).way - polygon.way_from(place - step).way) / (2 * h);
      CHECK((by_place - way.of_place.col(axis)).norm() < 1e-6);
    }
  }
  CHECK(corners > 10);
}

}  // namespace armature
