// Triangles for a linkage, so that viewers show it: its own shapes, or, where it has none, a bone from each joint to
// the next. Vertices are in the world at rest, bound to their link.
#include <cmath>
#include <map>

#include "armature/base/math.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/dropped.hpp"
#include "armature/formats/gltf.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kSides = 16;  // of round things
constexpr int kRings = 8;   // from pole to pole

// Corners and triangles of one shape in its own frame. Normals are the faces' or the round shape's own.
struct Mesh {
  std::vector<Vec3> points, normals;
  std::vector<std::uint32_t> indices;

  std::uint32_t add(const Vec3& point, const Vec3& normal) {
    points.push_back(point);
    normals.push_back(normal);
    return static_cast<std::uint32_t>(points.size() - 1);
  }
  void triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 cross = (b - a).cross(c - a);
    const Vec3 normal = cross.norm() > 0.0 ? Vec3(cross.normalized()) : Vec3(Vec3::UnitZ());
    for (const Vec3* p : {&a, &b, &c}) indices.push_back(add(*p, normal));
  }
  void quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    triangle(a, b, c);
    triangle(a, c, d);
  }
};

Mesh box_mesh(const Vec3& size) {
  Mesh mesh;
  const Vec3 h = 0.5 * size;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 u = Vec3::Unit((axis + 1) % 3).cwiseProduct(h);
    const Vec3 v = Vec3::Unit((axis + 2) % 3).cwiseProduct(h);
    const Vec3 n = Vec3::Unit(axis).cwiseProduct(h);
    mesh.quad(n - u - v, n + u - v, n + u + v, n - u + v);
    mesh.quad(-n - u - v, -n - u + v, -n + u + v, -n + u - v);
  }
  return mesh;
}

// A sphere pulled apart by `length` along z: a capsule; a sphere when that is 0.
Mesh capsule_mesh(double radius, double length) {
  Mesh mesh;
  const int rows = kRings + 2;  // the equator counts twice
  for (int row = 0; row < rows; ++row) {
    const int ring = row <= kRings / 2 ? row : row - 1;
    const double latitude = kPi * ring / kRings;
    const double shift = row <= kRings / 2 ? 0.5 * length : -0.5 * length;
    for (int side = 0; side <= kSides; ++side) {
      const double longitude = 2.0 * kPi * side / kSides;
      const Vec3 n(math::sin(latitude) * math::cos(longitude), math::sin(latitude) * math::sin(longitude),
                   math::cos(latitude));
      mesh.add(radius * n + Vec3(0, 0, shift), n);
    }
  }
  for (int row = 0; row + 1 < rows; ++row) {
    for (int side = 0; side < kSides; ++side) {
      const auto a = static_cast<std::uint32_t>(row * (kSides + 1) + side);
      const auto b = a + kSides + 1;
      mesh.indices.insert(mesh.indices.end(), {a, b, b + 1, a, b + 1, a + 1});
    }
  }
  return mesh;
}

Mesh cylinder_mesh(double radius, double length) {
  Mesh mesh;
  const auto rim = [&](int side, double z) {
    const double angle = 2.0 * kPi * side / kSides;
    return Vec3(radius * math::cos(angle), radius * math::sin(angle), z);
  };
  const double h = 0.5 * length;
  for (int side = 0; side < kSides; ++side) {
    const Vec3 a = rim(side, -h), b = rim(side + 1, -h), c = rim(side + 1, h), d = rim(side, h);
    const auto first = static_cast<std::uint32_t>(mesh.points.size());
    for (const Vec3* p : {&a, &b, &c, &d}) mesh.add(*p, Vec3(p->x(), p->y(), 0.0) / std::max(radius, 1e-300));
    mesh.indices.insert(mesh.indices.end(), {first, first + 1, first + 2, first, first + 2, first + 3});
    mesh.triangle(Vec3(0, 0, h), d, c);
    mesh.triangle(Vec3(0, 0, -h), b, a);
  }
  return mesh;
}

// A slim double pyramid from the origin to `tip`, thickest near its start.
Mesh bone_mesh(const Vec3& tip, double width) {
  Mesh mesh;
  const Vec3 along = tip.normalized();
  const Vec3 u = along.unitOrthogonal() * width;
  const Vec3 v = along.cross(u);
  const Vec3 waist = 0.15 * tip;
  const Vec3 corners[] = {waist + u, waist + v, waist - u, waist - v};
  for (int k = 0; k < 4; ++k) {
    mesh.triangle(Vec3::Zero(), corners[(k + 1) % 4], corners[k]);
    mesh.triangle(tip, corners[k], corners[(k + 1) % 4]);
  }
  return mesh;
}

class SurfaceMaker {
 public:
  SurfaceMaker(const Model& model, const std::vector<Transform>& rest) : model_(model), rest_(rest) {}

  std::vector<GltfSurface> make(std::vector<std::string>* notes) {
    NameList files;
    for (int i = 0; i < model_.link_count(); ++i) {
      for (const Visual& visual : model_.visuals(i)) {
        if (!visual.collision) add_visual(i, visual, files);
      }
    }
    if (!files.empty() && notes != nullptr) {
      notes->push_back("Mesh files are not put into glTF: those of " + files.text() + ".");
    }
    if (surfaces_.empty()) {
      for (int i = 0; i < model_.link_count(); ++i) add_bones(i);
    }
    std::vector<GltfSurface> all;
    for (auto& [key, surface] : surfaces_) {
      if (!surface.positions.empty()) all.push_back(std::move(surface));
    }
    for (GltfSurface& line : lines_) all.push_back(std::move(line));
    return all;
  }

 private:
  void add_visual(int link, const Visual& visual, NameList& files) {
    const Geometry* geometry = model_.linkage().find_geometry(visual.geometry);
    if (geometry == nullptr) return;
    const Shape& shape = geometry->shape;
    const std::array<double, 4> color = visual.color.value_or(GltfSurface{}.color);
    const Mat4 X = rest_[static_cast<std::size_t>(link)].matrix() * visual.X_LG;
    if (const auto* box = std::get_if<Box>(&shape)) add(link, X, box_mesh(box->size), color);
    if (const auto* sphere = std::get_if<Sphere>(&shape)) add(link, X, capsule_mesh(sphere->radius, 0.0), color);
    if (const auto* cylinder = std::get_if<Cylinder>(&shape))
      add(link, X, cylinder_mesh(cylinder->radius, cylinder->length), color);
    if (const auto* capsule = std::get_if<Capsule>(&shape))
      add(link, X, capsule_mesh(capsule->radius, capsule->length), color);
    if (const auto* polyline = std::get_if<Polyline>(&shape)) add_line(link, X, *polyline, color);
    if (std::holds_alternative<MeshFile>(shape)) files.add(model_.link_name(link));
  }

  void add_bones(int link) {
    const double width = 0.01 * model_.size();
    bool drawn = false;
    const Mat4 X = rest_[static_cast<std::size_t>(link)].matrix();
    for (int child = link + 1; child < model_.subtree_end(link); child = model_.subtree_end(child)) {
      const Vec3 tip = model_.joint(child).origin.position;
      if (tip.norm() < 1e-3 * width) continue;
      add(link, X, bone_mesh(tip, std::min(width, 0.1 * tip.norm())), GltfSurface{}.color);
      drawn = true;
    }
    if (!drawn) add(link, X, box_mesh(Vec3::Constant(width)), GltfSurface{}.color);
  }

  void add(int link, const Mat4& X, const Mesh& mesh, const std::array<double, 4>& color) {
    GltfSurface& surface = surfaces_[color];
    surface.color = color;
    const Mat3 linear = X.topLeftCorner<3, 3>();
    const double volume = linear.determinant();
    const Mat3 for_normals = std::abs(volume) > 1e-30 ? Mat3(linear.inverse().transpose()) : Mat3(Mat3::Identity());
    const auto first = static_cast<std::uint32_t>(surface.joints.size());
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
      const Vec3 p = linear * mesh.points[i] + X.topRightCorner<3, 1>();
      Vec3 n = for_normals * mesh.normals[i];
      n = n.norm() > 1e-300 ? Vec3(n.normalized()) : Vec3(Vec3::UnitZ());
      for (int k = 0; k < 3; ++k) {
        surface.positions.push_back(static_cast<float>(p[k]));
        surface.normals.push_back(static_cast<float>(n[k]));
      }
      surface.joints.push_back(static_cast<std::uint16_t>(link));
    }
    // A mirroring matrix turns triangles inside out.
    for (std::size_t i = 0; i + 2 < mesh.indices.size(); i += 3) {
      surface.indices.push_back(first + mesh.indices[i]);
      surface.indices.push_back(first + mesh.indices[volume < 0.0 ? i + 2 : i + 1]);
      surface.indices.push_back(first + mesh.indices[volume < 0.0 ? i + 1 : i + 2]);
    }
  }

  void add_line(int link, const Mat4& X, const Polyline& line, const std::array<double, 4>& color) {
    if (line.points.size() < 2) return;
    GltfSurface surface;
    surface.lines = true;
    surface.color = color;
    for (const Vec3& point : line.points) {
      const Vec3 p = X.topLeftCorner<3, 3>() * point + X.topRightCorner<3, 1>();
      for (int k = 0; k < 3; ++k) surface.positions.push_back(static_cast<float>(p[k]));
      surface.joints.push_back(static_cast<std::uint16_t>(link));
    }
    lines_.push_back(std::move(surface));
  }

  const Model& model_;
  const std::vector<Transform>& rest_;
  std::map<std::array<double, 4>, GltfSurface> surfaces_;  // by color
  std::vector<GltfSurface> lines_;
};

}  // namespace

std::vector<GltfSurface> make_surfaces(const Model& model, const std::vector<Transform>& rest,
                                       std::vector<std::string>* notes) {
  return SurfaceMaker(model, rest).make(notes);
}

}  // namespace armature::inline v0_2
