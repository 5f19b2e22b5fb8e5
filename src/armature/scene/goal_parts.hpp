// The pieces that goals and paths are made of: links, places, rotations, transforms.
#pragma once

#include "armature/geom/transform.hpp"
#include "armature/model/model.hpp"
#include "armature/scene/json_input.hpp"

namespace armature::inline v0_2 {

/// A link by name or number.
bool read_link(JsonFields& fields, Value value, const Model& model, int& link);
/// The same, or "world".
bool read_frame(JsonFields& fields, Value value, const Model& model, int& link);
/// A joint by name; the index of its link.
bool read_joint(JsonFields& fields, Value value, const Model& model, int& link);

/// x, y, z, w of any length but 0; one of unit length keeps its bits.
bool unit_quaternion(const double* q, Quat& rotation);
/// The rotation that a matrix is, up to rounding in its third digit; false for all others.
bool rotation_of_matrix(const Mat3& M, Quat& rotation);
/// Whether four numbers end the 4x4 matrix of a transform: 0, 0, 0, 1.
bool is_last_row(const double* numbers);

/// A list of `size` lists of `size` values.
bool is_square(Value value, std::size_t size);

/// [x, y, z] or {"position": [x, y, z]}; [x, y] where `planar` is given: it says whether z was left out.
bool read_place(JsonFields& fields, Value value, Vec3& place, bool* planar = nullptr);
/// [x, y, z, w] of any length but 0, {"quaternion": ...}, {"rpy": ...} or {"matrix": 9 numbers}.
bool read_rotation(JsonFields& fields, Value value, Quat& rotation);
/// {"position", "quaternion" | "rpy" | "matrix"}, 3 numbers, 7 (position, quaternion), 16 or 4x4 (rows of a matrix).
bool read_transform(JsonFields& fields, Value value, Transform& X);

}  // namespace armature::inline v0_2
