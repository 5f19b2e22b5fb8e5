// A motion as Python holds it: a clip that knows its model.
#pragma once

#include "armature/motion/clip.hpp"
#include "python.hpp"

namespace armature::python {

struct Motion {
  FigurePtr figure;
  Clip clip;
};

}  // namespace armature::python
