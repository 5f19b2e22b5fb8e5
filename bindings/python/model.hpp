// A pose with everything that is computed from it, as Python holds it: State.
#pragma once

#include "armature/kinematics/state.hpp"
#include "python.hpp"

namespace armature::python {

struct PoseState {
  FigurePtr figure;
  State state;
};

}  // namespace armature::python
