// Pictures: draw().
#pragma once

#include "armature/draw/draw.hpp"
#include "armature/draw/svg.hpp"
