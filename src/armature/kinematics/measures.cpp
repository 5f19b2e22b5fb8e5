#include "armature/kinematics/measures.hpp"

#include <algorithm>
#include <limits>

#include "armature/base/check.hpp"
#include "armature/geom/svd.hpp"

namespace armature::inline v0_2 {

void measures(const Eigen::Ref<const MatX>& J, Measures& out) {
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
  out.singular_values.assign(s, s + count);
  out.manipulability = count > 0 ? 1.0 : 0.0;
  for (int i = 0; i < count; ++i) out.manipulability *= s[i];
  const bool singular = count == 0 || !(s[count - 1] > 1e-15 * s[0]);
  out.condition = singular ? std::numeric_limits<double>::infinity() : s[0] / s[count - 1];
}

Measures measures(const Eigen::Ref<const MatX>& J) {
  Measures out;
  measures(J, out);
  return out;
}

}  // namespace armature::inline v0_2
