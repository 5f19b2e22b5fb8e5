// Parts of Armature's own format that joints and closures share, reading (json_linkage.cpp) and writing
// (json_linkage_write.cpp).
#pragma once

#include <nlohmann/json.hpp>

#include "armature/formats/json_fields.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

/// {xyz or position, and one of rpy, quaternion, matrix}; or 3 numbers, or 7 (position, quaternion).
void read_origin(JsonFields& fields, JsonRef at, Transform& placement);
/// The parameters of a joint's type.
void read_parameters(JsonFields& fields, JsonObject& object, JointType& type);
void read_limits(JsonFields& fields, JsonRef at, const JointType& type, Limits& limits);
/// One member of `closures`.
void read_closure(JsonFields& fields, JsonRef at, Linkage& linkage);

/// The numbers of a matrix, row by row.
template <class Matrix>
nlohmann::ordered_json row_major(const Matrix& m) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (Eigen::Index r = 0; r < m.rows(); ++r) {
    for (Eigen::Index c = 0; c < m.cols(); ++c) list.push_back(m(r, c));
  }
  return list;
}

nlohmann::ordered_json origin_json(const Transform& placement);
void write_parameters(JointType type, nlohmann::ordered_json& object);
nlohmann::ordered_json limits_json(const Limits& limits);
nlohmann::ordered_json closure_json(const Closure& closure);
/// Whether every number of the closure can be written.
bool is_writable(const Closure& closure);

}  // namespace armature::inline v0_2
