// Goals and methods of one's own, written in JavaScript. armature.mjs wraps them so that they never throw into C++: a
// mistake in them is kept there, the search ends, and the mistake is thrown when the control is back.
#pragma once

#include "armature/solve/goal_types.hpp"
#include "convert.hpp"

namespace armature::js {

/// `measure(transforms)` gives {error, links, wrenches, length_rows} for the links' frames (16 numbers each), or null.
/// Looks at one model.
std::shared_ptr<const GoalFunction> custom_function(const val& measure);

/// {name, label, group, doc, options: {name: number}} and step(rows): an array of changes, or null.
void register_js_method(const val& description, const val& step);

}  // namespace armature::js
