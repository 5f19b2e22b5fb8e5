// A model whose links' shapes are meshes: every box, sphere, capsule and cylinder as triangles, those of one link in
// one mesh, as robot makers give them. The fits around such meshes hold air, which exact questions are about.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "armature/geom/distance.hpp"
#include "armature/kinematics/bodies.hpp"
#include "armature/model/linkage.hpp"

namespace armature::test {

using Meshes = std::map<std::string, std::vector<Triangle>>;

// A surface of revolution about z through (r, z) points, closed when it begins and ends on the axis.
inline void add_revolved(const std::vector<std::pair<double, double>>& outline, const Mat4& X, int sides,
                         std::vector<Triangle>& out) {
  const auto point = [&](const std::pair<double, double>& at, int i) {
    const double angle = 2.0 * kPi * (i % sides) / sides;
    return Vec3(X.topLeftCorner<3, 3>() * Vec3(at.first * std::cos(angle), at.first * std::sin(angle), at.second) +
                X.topRightCorner<3, 1>());
  };
  for (std::size_t k = 1; k < outline.size(); ++k) {
    for (int i = 0; i < sides; ++i) {
      const Vec3 a = point(outline[k - 1], i), b = point(outline[k - 1], i + 1);
      const Vec3 d = point(outline[k], i), e = point(outline[k], i + 1);
      if (outline[k - 1].first > 0.0) out.push_back({a, b, e});
      if (outline[k].first > 0.0) out.push_back({a, e, d});
    }
  }
}

inline void add_triangles(const Shape& shape, const Mat4& X, std::vector<Triangle>& out) {
  std::vector<std::pair<double, double>> outline;
  const auto cap = [&](double radius, double z, int from, int to) {
    for (int k = from; k <= to; ++k) {
      const double angle = 0.5 * kPi * k / 4.0;
      outline.push_back({std::abs(k) == 4 ? 0.0 : radius * std::cos(angle), z + radius * std::sin(angle)});
    }
  };
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vec3 h = 0.5 * box->size;
    Vec3 c[8];
    for (int i = 0; i < 8; ++i) {
      const Vec3 p((i & 1) != 0 ? h[0] : -h[0], (i & 2) != 0 ? h[1] : -h[1], (i & 4) != 0 ? h[2] : -h[2]);
      c[i] = X.topLeftCorner<3, 3>() * p + X.topRightCorner<3, 1>();
    }
    const int faces[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    for (const auto& f : faces) {
      out.push_back({c[f[0]], c[f[1]], c[f[2]]});
      out.push_back({c[f[0]], c[f[2]], c[f[3]]});
    }
  } else if (const auto* ball = std::get_if<Sphere>(&shape)) {
    cap(ball->radius, 0.0, -4, 4);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    cap(capsule->radius, -0.5 * capsule->length, -4, 0);
    cap(capsule->radius, 0.5 * capsule->length, 0, 4);
  } else if (const auto* rod = std::get_if<Cylinder>(&shape)) {
    const double h = 0.5 * rod->length;
    outline = {{0.0, -h}, {rod->radius, -h}, {rod->radius, h}, {0.0, h}};
  }
  if (!outline.empty()) add_revolved(outline, X, 16, out);
}

/// The linkage with one mesh for each link that has shapes, named like the link.
inline Linkage meshed(Linkage linkage, Meshes& meshes) {
  std::vector<Geometry> geometries;
  for (Link& link : linkage.links) {
    std::vector<Triangle> triangles;
    for (const Visual& visual : link.visuals) {
      const Geometry* geometry = linkage.find_geometry(visual.geometry);
      if (geometry != nullptr) add_triangles(geometry->shape, visual.X_LG, triangles);
    }
    link.visuals.clear();
    if (triangles.empty()) continue;
    Visual visual;
    visual.geometry = link.name + " mesh";
    visual.collision = true;
    link.visuals.push_back(visual);
    geometries.push_back({visual.geometry, MeshFile{link.name}});
    meshes[link.name] = std::move(triangles);
  }
  linkage.geometries = std::move(geometries);
  linkage.bodies.clear();
  return linkage;
}

/// The meshes as compile_bodies opens them.
inline BodyOptions with_meshes(const Meshes& meshes) {
  BodyOptions options;
  options.load_mesh = [&meshes](const std::string& uri) -> Result<std::vector<Triangle>> {
    const auto found = meshes.find(uri);
    if (found == meshes.end()) return Error{"There is no mesh " + uri + "."};
    return found->second;
  };
  return options;
}

}  // namespace armature::test
