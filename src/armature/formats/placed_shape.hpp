// A visual as robot files write it: a shape with its sizes, and a placement.
#pragma once

#include <optional>

#include "armature/formats/dropped.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

struct PlacedShape {
  Transform origin;           // in the link
  Shape shape;                // a box, sphere, cylinder, capsule or mesh, with the visual's scale in its sizes
  Vec3 scale = Vec3::Ones();  // of a mesh; of a sphere that became an ellipsoid, whose radius is 1: its radii
};

/// Nothing, and a word to `dropped`, where no robot file has such a shape: lines, shear, a capsule scaled unequally.
std::optional<PlacedShape> placed_shape(const Visual& visual, const Shape& shape, Dropped& dropped);

}  // namespace armature::inline v0_2
