// Extending: goals and methods of one's own.
#pragma once

#include "armature/base/describe.hpp"
#include "armature/solve/goal_types.hpp"
#include "armature/solve/method.hpp"
