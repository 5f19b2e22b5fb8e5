#include "armature/kinematics/measures.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "armature/base/check.hpp"
#include "armature/geom/linalg.hpp"

namespace armature::inline v0_2 {

Dexterity dexterity(const Eigen::Ref<const MatX>& J) {
  double small[kMaxSmall];
  const double* s = small;
  int count = 0;
  Svd large;
  if (std::min(J.rows(), J.cols()) <= kMaxSmall) {
    count = singular_values(J, small);
  } else {
    large.compute(J);
    s = large.s().data();
    count = large.size();
  }
  Dexterity result;
  if (count == 0) {
    result.condition = std::numeric_limits<double>::infinity();
    return result;
  }
  result.largest_singular_value = s[0];
  result.smallest_singular_value = s[count - 1];
  result.manipulability = 1.0;
  for (int i = 0; i < count; ++i) result.manipulability *= s[i];
  const bool singular = !(s[count - 1] > 1e-15 * s[0]);
  result.condition = singular ? std::numeric_limits<double>::infinity() : s[0] / s[count - 1];
  return result;
}

Measures measures(const Eigen::Ref<const MatX>& J) {
  const Dexterity own = dexterity(J);
  Measures out{VecX(), own.manipulability, own.condition};
  Svd svd;
  svd.compute(J);
  out.singular_values = svd.s();
  return out;
}

}  // namespace armature::inline v0_2
