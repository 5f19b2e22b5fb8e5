// The one place that translates the names of files, flags and answers to the fields of today's structs. A name that is
// the same on both sides is not listed; when a field is renamed, its line goes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

/// A method's options by their public names.
std::vector<OptionInfo> method_options(const Solver& solver);
/// `text` may carry a unit that fits the option: "20ms", "30deg", "1mm".
Status set_method_option(Solver& solver, std::string_view name, std::string_view text);

}  // namespace armature::inline v0_2
