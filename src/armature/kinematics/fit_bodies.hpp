// Capsules and boxes around triangles, so that every triangle lies wholly in one of them: a cover that is proved, not
// sampled, since capsules and boxes are convex.
#pragma once

#include <vector>

#include "armature/geom/distance.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

struct FittedBody {
  Shape shape;  // a capsule or a box
  Transform origin;
};

/// At most `most` bodies; another one is taken only where it makes the whole smaller. Empty for no triangles.
std::vector<FittedBody> fit_bodies(const std::vector<Triangle>& triangles, int most);

/// Whether all three corners lie inside, up to `slack`.
bool covers(const FittedBody& body, const Triangle& triangle, double slack);

}  // namespace armature::inline v0_2
