// Two triangles: how far apart, or how far one sticks through the other.
#pragma once

#include "armature/geom/distance.hpp"

namespace armature::inline v0_2 {

/// Triangles that cross have a negative distance: minus how far the edge that goes through sticks out at its shorter
/// side.
Nearest distance(const Triangle& p, const Triangle& q);

/// A lower bound of it from the planes of both, quickly; 0 or less where they may cross.
double plane_gap(const Triangle& p, const Triangle& q);

}  // namespace armature::inline v0_2
