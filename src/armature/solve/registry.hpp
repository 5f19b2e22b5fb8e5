// All methods by name. One line in registry.cpp per method; every surface follows from the list.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

struct BuiltinMethod {
  MethodInfo info;
  std::unique_ptr<Solver> (*make)();
};

std::span<const BuiltinMethod> solvers();
std::vector<std::string> solver_names();

/// A new solver with default options; the error lists the valid names.
Result<std::unique_ptr<Solver>> make_solver(std::string_view name);

}  // namespace armature::inline v0_2
