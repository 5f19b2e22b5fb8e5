// How well a pose can move its effector: singular values of a Jacobian and what follows from them.
#pragma once

#include <vector>

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

struct Measures {
  std::vector<double> singular_values = {};  // descending
  double manipulability = 0.0;               // their product (Yoshikawa 1985)
  double condition = 0.0;                    // largest / smallest; infinity when singular, 0: not measured

  double smallest() const { return singular_values.empty() ? 0.0 : singular_values.back(); }
  void clear() {  // not measured; keeps its memory
    singular_values.clear();
    manipulability = condition = 0.0;
  }
};
/// Of any J (rows may be scaled to a common unit by the caller).
Measures measures(const Eigen::Ref<const MatX>& J);
/// The same without allocating, for J with up to 12 rows or columns and an `out` that has room.
void measures(const Eigen::Ref<const MatX>& J, Measures& out);

}  // namespace armature::inline v0_2
