// Vectors, transforms, rotations, results and errors.
#pragma once

#include "armature/base/result.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/geom/transform.hpp"
#include "armature/geom/types.hpp"
