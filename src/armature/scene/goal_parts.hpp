// The pieces that goals and paths are made of: places, rotations, transforms. Private to this layer.
#pragma once

#include "armature/geom/transform.hpp"
#include "armature/scene/json_input.hpp"

namespace armature {

/// [x, y, z], or [x, y] where `planar` is given: it says whether z was left out.
bool read_place(JsonFields& fields, Value value, Vec3& place, bool* planar = nullptr);
/// [x, y, z, w] of any length but 0, {"quaternion": ...}, {"rpy": ...} or {"matrix": 9 numbers}.
bool read_rotation(JsonFields& fields, Value value, Quat& rotation);
/// {"position", "quaternion" | "rpy" | "matrix"}, 3 numbers, 7 (position, quaternion) or 16 (rows of a 4x4 matrix).
bool read_transform(JsonFields& fields, Value value, Transform& X);

}  // namespace armature
