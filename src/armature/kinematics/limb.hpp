// Limbs of a figure: which links are the middle and the upper one of a limb that ends in a given link.
#pragma once

#include "armature/model/refs.hpp"

namespace armature::inline v0_2 {

/// Finds `middle` and `upper` where they are kWorld: the nearest links inwards that have other origins. The error says
/// why there is no such limb.
Status find_limb_links(const Model& model, int end, int& middle, int& upper);

}  // namespace armature::inline v0_2
