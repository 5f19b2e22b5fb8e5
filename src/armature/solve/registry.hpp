// The library's own methods: one line in registry.cpp per method, and every surface follows from the list. By name,
// with those that a user registered: scene/methods.hpp.
#pragma once

#include <memory>
#include <span>

#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

struct BuiltinMethod {
  MethodInfo info;
  std::unique_ptr<Method> (*make)();  // with default options
};

std::span<const BuiltinMethod> builtin_methods();

}  // namespace armature::inline v0_2
