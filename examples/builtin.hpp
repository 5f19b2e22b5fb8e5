// What the examples share: a built-in model by name, compiled, and a place after a solve.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/registry.hpp"

// The value of a result, or the end of the program with the sentence that says what is wrong.
template <class T>
T value_of(armature::Result<T> result) {
  if (!result.ok()) {
    std::printf("%s\n", result.message().c_str());
    std::exit(1);
  }
  return std::move(result).value();
}

inline armature::Model load_builtin(std::string_view name) {
  for (const armature::BuiltinModel& builtin : armature::builtin_models()) {
    if (builtin.name == name)
      return value_of(armature::compile(value_of(armature::read_document(builtin.json, {})).linkage));
  }
  std::printf("There is no such built-in model.\n");
  std::exit(1);
}

// Where a link is at pose q, in the world.
inline armature::Transform where(const armature::Model& model, const armature::VecX& q, const char* link) {
  armature::State state;
  armature::forward(model, q, state);
  return armature::relative(state, armature::kWorld, model.link(link));
}

inline void show(const char* what, const armature::Vec3& v) {
  std::printf("%-34s %8.4f %8.4f %8.4f\n", what, v.x(), v.y(), v.z());
}
