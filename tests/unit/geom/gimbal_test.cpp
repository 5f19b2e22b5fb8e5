// Euler angles at and near gimbal lock: whatever the angles, they give back the rotation to rounding.
#include <doctest/doctest.h>

#include "armature/base/rng.hpp"
#include "armature/geom/rotation.hpp"

using namespace armature;

TEST_CASE("matrix_to_euler gives back the rotation to 1e-11 at any distance from gimbal lock") {
  Rng rng(7);
  double worst = 0.0;
  for (const char* name : {"xyz", "zyx", "zxz", "yzy", "xzy", "yxz"}) {
    const EulerOrder order = *EulerOrder::parse(name);
    const double lock = order.proper() ? 0.0 : kPi / 2.0;
    for (double distance = 1e-17; distance < 1.0; distance *= 3.0) {
      for (int n = 0; n < 20; ++n) {
        const Vec3 angles(rng.uniform(-3.0, 3.0), (n % 2 == 0 ? lock : -lock) + distance, rng.uniform(-3.0, 3.0));
        const Mat3 r = euler_to_matrix(order, angles);
        const Mat3 back = euler_to_matrix(order, matrix_to_euler(order, r));
        worst = std::max(worst, (r - back).cwiseAbs().maxCoeff());
      }
    }
  }
  CHECK(worst < 1e-11);
}
