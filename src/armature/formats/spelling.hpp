// Spellings that several formats share: roll-pitch-yaw, names of geometries, shapes by name.
#pragma once

#include <optional>
#include <string>

#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

/// Rotation of roll, pitch, yaw about the fixed axes x, y, z (URDF, and `rpy` in our own files): Rz(y) Ry(p) Rx(r).
Mat3 rpy_to_matrix(const Vec3& rpy);

/// Angles for rpy_to_matrix, as short to write as an exact (else nearest) result allows.
Vec3 matrix_to_rpy(const Mat3& rotation);

/// Angles whose rpy_to_matrix() has the same bits as `rotation`, when such can be found.
std::optional<Vec3> exact_rpy(const Mat3& rotation);

/// Largest deviation of R^T R from the identity; 1 for a reflection. NaN counts as 1.
double rotation_defect(const Mat3& rotation);

/// The name that a shape written inside a link gets: "forearm.2" for its second visual (counted from 1).
std::string inline_geometry_name(const std::string& link, std::size_t visual);

/// A visual's `X_LG` matrix as placement * scale.
struct ReadyParts {
  Transform origin;
  Vec3 scale = Vec3::Ones();  // a mirrored one has a negative x
  bool exact = false;         // placement * scale gives back the very bits
};
/// Nothing when the matrix shears, flattens or projects.
std::optional<ReadyParts> split_ready(const Mat4& X_LG);

/// In-plane x axis for formats that give only a plane's normal: x for z, y for x, z for y, perpendicular in between.
Vec3 planar_x_axis(const Vec3& unit_normal);

/// "package://robot/mesh.stl" below `mesh_root`; anything else, or without a root, as it is.
std::string resolved_uri(const std::string& uri, const std::string& mesh_root);

/// "box", "sphere", ..., "mesh".
const char* shape_name(const Shape& shape);

}  // namespace armature::inline v0_2
