// Changes of a linkage as JSON, one object each (an object or a list): what TypeScript's `model.edit` and the studio
// say.
//
//   {"edit": "rename", "link": "tool0", "to": "gripper"}      or "joint"
//   {"edit": "remove", "link": "camera"}                      {"edit": "reroot", "link": "hand"}
//   {"edit": "lock", "joint": "elbow", "value": 0.5}          {"edit": "limits", "joint": "elbow", "lower": 0, "upper":
//   2}
//   {"edit": "scale", "factor": 0.001}                        {"edit": "mirror", "axis": "y"}
//   {"edit": "extract", "base": "shoulder", "tip": "hand"}
#pragma once

#include "armature/model/linkage.hpp"
#include "armature/scene/json_input.hpp"

namespace armature::inline v0_2 {

/// False with the mistake in `fields`; the linkage may then be half changed.
bool apply_edits(JsonFields& fields, Value value, Linkage& linkage);

}  // namespace armature::inline v0_2
