// What the two halves of the reach method are told: the kernel for serial chains (reach_chain) and the general path for
// everything else (reach_general).
#pragma once

#include "armature/solve/method_options.hpp"

namespace armature::inline v0_2 {

struct ReachSettings : MethodSettings<ReachOptions> {
  bool local = false;  // one descent from the start in short steps: for methods that choose their own starts
};

}  // namespace armature::inline v0_2
