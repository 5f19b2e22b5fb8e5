// A motion as Python holds it: a clip that knows its model.
#pragma once

#include "armature/motion/clip.hpp"
#include "armature/motion/retarget.hpp"
#include "python.hpp"

namespace armature::python {

struct Motion {
  FigurePtr figure;
  Clip clip;
};
using ClipClass = py::class_<Motion>;

/// The tools of motion/clips.hpp as methods (clip_tools.cpp).
void bind_clip_tools(ClipClass& type);
/// A number above 0.

/// How a motion is carried over, from keywords; the bone map is left empty when none is given.
RetargetOptions to_retarget_options(Keywords& keywords);

}  // namespace armature::python
