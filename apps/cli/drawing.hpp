// The library's drawing, as the pictures of the command line use it.
#pragma once

#include "armature/draw/figure.hpp"
#include "armature/draw/shapes.hpp"
#include "armature/draw/svg.hpp"

namespace armature::cli {

using namespace drawing;

}  // namespace armature::cli
