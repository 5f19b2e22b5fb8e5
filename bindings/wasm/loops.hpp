// Mechanisms and masses of a model as JavaScript asks for them: each is one function of the core.
#pragma once

#include "model_handle.hpp"

namespace armature::js {

/// {mobility, kutzbach, drives, groups, ...} at q (undefined: the start pose), with these drives (undefined: the
/// model's).
std::string mechanism(const ModelHandle& model, const val& q, const val& drives);
/// {q: [...], complete, count, families, limited}: the ways to put it together with its drives where they are.
val assembly_modes_of(const ModelHandle& model, const val& q, const val& drives, double most);
/// All that one drive can reach from q, through its dead points.
val circuit_of(const ModelHandle& model, const std::string& joint, const val& q, double largest_step);
/// {joint, to, from, frames, start}: turns the crank.
val drive_of(const ModelHandle& model, const val& options);
/// {ok, q, message, closure_error}: loops closed by moving what is not held.
val assemble_of(const ModelHandle& model, const val& q, const val& held);
/// {bodies, pairs, ignored_pairs, notes}.
std::string describe_bodies(const ModelHandle& model);
/// {position, mass, source}; mass is 0 where the model has none of its own.
val center_of_mass(const ModelHandle& model, const val& q);

}  // namespace armature::js
