// The picture that commands write of a motion; `armature draw` has all the choices.
#pragma once

#include <string>

#include "armature/draw/svg.hpp"
#include "motion_input.hpp"

namespace armature::cli {

/// Frames side by side with the trails of links ("hand,foot"); follow: a travelling figure stays in its panel.
Svg draw_strip(const LoadedMotion& motion, int panels, const std::string& trails, bool follow);

}  // namespace armature::cli
