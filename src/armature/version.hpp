// The library's version, at compile time and as text.
#pragma once

#include "armature/base/version.hpp"

#define ARMATURE_VERSION_MAJOR 0
#define ARMATURE_VERSION_MINOR 2
#define ARMATURE_VERSION_PATCH 0
