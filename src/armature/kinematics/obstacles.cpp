#include "armature/kinematics/obstacles.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/covers.hpp"

namespace armature::inline v0_2 {
namespace {

bool fits(double x) { return std::abs(x) < kLargestLength; }
bool fits(const Vec3& x) { return fits(x[0]) && fits(x[1]) && fits(x[2]); }
bool positive(double x) { return fits(x) && x > 0.0; }

struct ShapeProblem {
  bool deep;
  const char* operator()(const Box& s) const {
    return fits(s.size) && s.size.minCoeff() > 0.0 ? "" : "a size that is not positive, or beyond 1e70";
  }
  const char* operator()(const Sphere& s) const {
    return positive(s.radius) ? "" : "a radius that is not positive, or beyond 1e70";
  }
  const char* operator()(const Cylinder& s) const {
    return positive(s.radius) && positive(s.length) ? "" : "a radius or length that is not positive, or beyond 1e70";
  }
  const char* operator()(const Capsule& s) const {
    return positive(s.radius) && fits(s.length) && s.length >= 0.0
               ? ""
               : "a radius or length that is not positive, or beyond 1e70";
  }
  const char* operator()(const Plane& s) const {
    return fits(s.normal) && s.normal.norm() > 1e-9 ? "" : "a normal without a direction";
  }
  const char* operator()(const HeightField& s) const {
    if (s.columns < 2 || s.rows < 2) return "a grid of less than two by two points";
    if (s.heights.size() != at(s.columns) * at(s.rows)) return "another number of heights than its grid has points";
    if (!positive(s.size[0]) || !positive(s.size[1])) return "a size that is not positive, or beyond 1e70";
    return std::all_of(s.heights.begin(), s.heights.end(), [](double h) { return fits(h); })
               ? ""
               : "a height that is not finite, or beyond 1e70";
  }
  const char* operator()(const std::shared_ptr<const TriangleMesh>& s) const {
    if (s == nullptr || s->triangles.empty()) return "no triangles";
    if (!deep) return "";
    const auto finite = [](const Triangle& t) { return fits(t.a) && fits(t.b) && fits(t.c); };
    return std::all_of(s->triangles.begin(), s->triangles.end(), finite)
               ? ""
               : "a corner that is not finite, or beyond 1e70";
  }
  const char* operator()(const std::shared_ptr<const PointCloud>& s) const {
    if (s == nullptr || s->points.empty()) return "no points";
    if (!fits(s->radius) || s->radius < 0.0) return "a radius that is negative, not finite or beyond 1e70";
    if (!deep) return "";
    const auto finite = [](const Vec3& p) { return fits(p); };
    return std::all_of(s->points.begin(), s->points.end(), finite) ? "" : "a point that is not finite, or beyond 1e70";
  }
};

// Coordinates in the grid, 0 to columns - 1.
double grid_place(double x, double size, int points) { return (x / size + 0.5) * (points - 1); }

Vec3 grid_point(const HeightField& f, int c, int r) {
  return {f.size[0] * (static_cast<double>(c) / (f.columns - 1) - 0.5),
          f.size[1] * (static_cast<double>(r) / (f.rows - 1) - 0.5), f.heights[at(r * f.columns + c)]};
}

}  // namespace

Status check_obstacle(const Obstacle& obstacle, bool deep) {
  const std::string who = obstacle.name.empty() ? "An obstacle" : "Obstacle " + detail::quoted(obstacle.name);
  const std::string wrong = std::visit(ShapeProblem{deep}, obstacle.shape);
  if (!wrong.empty()) return Error{who + " (" + obstacle_type(obstacle.shape) + ") has " + wrong + "."};
  if (!obstacle.origin.is_finite() || !fits(obstacle.origin.position)) {
    return Error{who + " has an origin that is not finite, or beyond 1e70."};
  }
  const bool endless =
      std::holds_alternative<Plane>(obstacle.shape) || std::holds_alternative<HeightField>(obstacle.shape);
  if (endless && !obstacle.link.empty()) {
    return Error{who + " is ground, which no link can carry; leave 'link' out."};
  }
  return {};
}

const char* obstacle_type(const ObstacleShape& shape) {
  static constexpr const char* kNames[] = {"box",   "sphere",       "cylinder", "capsule",
                                           "plane", "height_field", "mesh",     "points"};
  return kNames[shape.index()];
}

Shape cover_of_cylinder(const Cylinder& c) {
  const double box_volume = 4.0 * c.radius * c.radius * c.length;
  Capsule best{c.radius, c.length};
  double least = 1e300;
  for (int k = 0; k <= 20; ++k) {  // the caps' centers lie t inside the ends, and the caps hold the ends' rims
    const double t = std::min(0.05 * k * c.radius, 0.5 * c.length);
    const Capsule trial{std::sqrt(c.radius * c.radius + t * t), c.length - 2.0 * t};
    const double volume = kPi * trial.radius * trial.radius * (trial.length + 4.0 / 3.0 * trial.radius);
    if (volume < least) {
      least = volume;
      best = trial;
    }
  }
  if (box_volume <= least) return Box{Vec3(2.0 * c.radius, 2.0 * c.radius, c.length)};
  return best;
}

std::vector<Triangle> surface_of(const HeightField& f, bool sides) {
  std::vector<Triangle> out;
  for (int r = 0; r + 1 < f.rows; ++r) {
    for (int c = 0; c + 1 < f.columns; ++c) {
      const Vec3 a = grid_point(f, c, r), b = grid_point(f, c + 1, r);
      const Vec3 d = grid_point(f, c, r + 1), e = grid_point(f, c + 1, r + 1);
      out.push_back({a, b, e});
      out.push_back({a, e, d});
    }
  }
  if (!sides) return out;
  const auto [low, high] = std::minmax_element(f.heights.begin(), f.heights.end());
  const double bottom = *low - 1e3 * (f.size.sum() + (*high - *low));
  const auto side = [&](const Vec3& a, const Vec3& b) {
    const Vec3 under_a(a[0], a[1], bottom), under_b(b[0], b[1], bottom);
    out.push_back({a, b, under_b});
    out.push_back({a, under_b, under_a});
  };
  for (const int r : {0, f.rows - 1}) {
    for (int c = 0; c + 1 < f.columns; ++c) side(grid_point(f, c, r), grid_point(f, c + 1, r));
  }
  for (const int c : {0, f.columns - 1}) {
    for (int r = 0; r + 1 < f.rows; ++r) side(grid_point(f, c, r), grid_point(f, c, r + 1));
  }
  return out;
}

double height_at(const HeightField& f, double x, double y) {
  const double u = grid_place(x, f.size[0], f.columns), v = grid_place(y, f.size[1], f.rows);
  if (!(u >= 0.0 && v >= 0.0 && u <= f.columns - 1 && v <= f.rows - 1)) return -1e300;
  const int c = std::min(static_cast<int>(u), f.columns - 2), r = std::min(static_cast<int>(v), f.rows - 2);
  const double s = u - c, t = v - r;
  const auto h = [&](int i, int k) { return f.heights[at((r + k) * f.columns + c + i)]; };
  // The triangles of surface_of().
  if (s >= t) return h(0, 0) + s * (h(1, 0) - h(0, 0)) + t * (h(1, 1) - h(1, 0));
  return h(0, 0) + t * (h(0, 1) - h(0, 0)) + s * (h(1, 1) - h(0, 1));
}

}  // namespace armature::inline v0_2
