// The terms of a method's equation at one pose, for explain_step. Private to this layer.
#pragma once

#include "armature/scene/explain_step.hpp"
#include "armature/solve/stack.hpp"

namespace armature::inline v0_2 {

/// Fills scales, scalars, turns and equation of `out`, whose rows, columns and J are there, from the pose's rows.
void find_step_terms(const Method& solver, const TraceStep& entry, Stack& stack, ExplainedStep& out);

}  // namespace armature::inline v0_2
