// How well a pose can move its effector: singular values of a Jacobian and what follows from them.
#pragma once

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

struct Dexterity {
  double smallest_singular_value = 0.0;
  double largest_singular_value = 0.0;
  double manipulability = 0.0;  // product of the singular values (Yoshikawa 1985)
  double condition = 0.0;       // largest / smallest; infinity when singular
};

struct Measures {
  VecX singular_values;  // descending
  double manipulability = 0.0;
  double condition = 0.0;
};
/// Of any J. Allocates; dexterity() does not.
Measures measures(const Eigen::Ref<const MatX>& J);

/// Of any J (rows may be scaled to a common unit by the caller). Does not allocate for J with up to 12 rows.
Dexterity dexterity(const Eigen::Ref<const MatX>& J);

}  // namespace armature::inline v0_2
