// Things that a figure must not touch: fixed in the world, or carried by a link (a gripped object).
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/geom/distance.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

/// Everything below the plane through the origin of the obstacle is solid.
struct Plane {
  Vec3 normal = Vec3::UnitZ();
};
/// Ground: heights over a grid of `columns` by `rows` points that spans size[0] along x and size[1] along y, centered
/// at the origin; row by row, x fastest. Solid below, between its four sides.
struct HeightField {
  int columns = 2, rows = 2;
  Vec2 size = Vec2::Ones();
  std::vector<double> heights = {0.0, 0.0, 0.0, 0.0};
};
/// A surface; it has no inside.
struct TriangleMesh {
  std::vector<Triangle> triangles = {};
  std::string uri = "";  // where it was read from
};
/// Points with a radius, as a depth camera gives them.
struct PointCloud {
  std::vector<Vec3> points = {};
  double radius = 0.0;
};
using ObstacleShape = std::variant<Box, Sphere, Cylinder, Capsule, Plane, HeightField,
                                   std::shared_ptr<const TriangleMesh>, std::shared_ptr<const PointCloud>>;

struct Obstacle {
  std::string name = "";
  ObstacleShape shape = Box{};
  Transform origin = {};  // in the world, or in the link's frame
  std::string link = "";  // that carries it; "": it stands in the world
};

/// Sizes positive and finite, as many heights as the grid has points, nothing empty; or a sentence. `deep`: every
/// corner of a mesh and every point is looked at, too.
Status check_obstacle(const Obstacle& obstacle, bool deep = true);
/// "box", ..., "height_field", "mesh", "points".
const char* obstacle_type(const ObstacleShape& shape);

/// A capsule that holds the whole cylinder, or a box, whichever is the smaller: bodies have no other round shape.
Shape cover_of_cylinder(const Cylinder& cylinder);

/// Triangles of the field's surface, two a cell; `sides`: and of its four sides, a thousand times as deep as it is
/// large.
std::vector<Triangle> surface_of(const HeightField& field, bool sides = false);
/// Height of the surface at x, y (in the obstacle's frame); -1e300 outside the grid.
double height_at(const HeightField& field, double x, double y);

}  // namespace armature::inline v0_2
