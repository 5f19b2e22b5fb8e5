// The picture that commands write of a motion; `armature draw` has all the choices.
#pragma once

#include <string>

#include "armature/draw/svg.hpp"
#include "armature/motion/clip.hpp"
#include "common.hpp"

namespace armature::cli {

/// Frames side by side with the trails of links ("hand,foot"); follow: a travelling figure stays in its panel.
Svg draw_strip(const Model& model, const Clip& clip, int panels, const std::string& trails, bool follow);

}  // namespace armature::cli
