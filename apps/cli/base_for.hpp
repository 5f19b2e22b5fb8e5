// `armature workspace MODEL --base-for TARGETS`: where to put a robot so that it reaches them.
#pragma once

#include "armature/parallel/base_placement.hpp"
#include "armature/scene/scene.hpp"
#include "large_job.hpp"

namespace armature::cli {

struct BaseForQuestion {
  SceneArguments arguments;
  std::string targets;
  PlacementOptions options;
  std::vector<std::string> out;
  bool json = false;
};
/// Prints the answer; ends the program with exit code 1 where no place reaches all targets.
void answer_base_for(const BaseForQuestion& question, const JobFlags& job);

}  // namespace armature::cli
