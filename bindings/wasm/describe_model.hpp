// The structure of a model as a plain object: links, joints, geometry, poses.
#pragma once

#include <emscripten/val.h>

#include "armature/model/model.hpp"

namespace armature::js {

/// `up` is "y" or "z". `tolerance`: the default of the solvers.
emscripten::val describe_model(const Model& model, const char* up, double tolerance);

/// Every joint turns about z or moves within the xy plane, at every pose.
bool is_planar(const Model& model);

}  // namespace armature::js
