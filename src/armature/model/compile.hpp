// Linkage -> Model: checks everything and lays it out flat.
#pragma once

#include <string>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// The compiled model, or the first mistake in a whole sentence.
Result<Model> compile(const Linkage& linkage);

/// Every mistake found, one sentence each; empty means that compile() succeeds.
std::vector<std::string> find_mistakes(const Linkage& linkage);

}  // namespace armature::inline v0_2
