#include "armature/geom/rotation.hpp"

#include <doctest/doctest.h>

#include "armature/base/rng.hpp"

using namespace armature;

namespace {
const char* const kOrders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};
Vec3 random_vector(Rng& rng, double size) {
  return Vec3(rng.uniform(-size, size), rng.uniform(-size, size), rng.uniform(-size, size));
}
}  // namespace

TEST_CASE("rotation vectors survive exp and log at identity, tiny, ordinary and near pi") {
  Rng rng(1);
  for (const double angle : {0.0, 1e-300, 1e-12, 1e-8, 1e-4, 0.5, 3.0, kPi - 1e-6, kPi - 1e-10}) {
    for (int i = 0; i < 20; ++i) {
      const Vec3 w = random_vector(rng, 1.0).normalized() * angle;
      CAPTURE(angle);
      CHECK((log_rotation(exp_rotation(w)) - w).norm() < 1e-14 + 4e-16 * angle);
      CHECK((log_rotation(Quat(-exp_rotation(w).coeffs())) - w).norm() < 1e-14);
    }
  }
}

TEST_CASE("Euler angles convert both ways in all twelve orders") {
  Rng rng(2);
  for (const char* name : kOrders) {
    const EulerOrder order = *EulerOrder::parse(name);
    CHECK(order.name() == name);
    for (int i = 0; i < 200; ++i) {
      const Vec3 angles = random_vector(rng, 3.1);
      const Mat3 r = euler_to_matrix(order, angles);
      CHECK((euler_to_quaternion(order, angles).toRotationMatrix() - r).norm() < 1e-14);
      CHECK((euler_to_matrix(order, matrix_to_euler(order, r)) - r).norm() < 1e-13);
      CHECK((matrix_to_euler(order, r, angles) - angles).norm() < 1e-10);  // the same branch when asked for it
    }
  }
}

TEST_CASE("Euler angles are right at and near gimbal lock") {
  Rng rng(3);
  for (const char* name : kOrders) {
    const EulerOrder order = *EulerOrder::parse(name);
    for (const double lock : {0.0, kPi / 2, -kPi / 2, kPi}) {
      for (const double off : {0.0, 1e-15, 1e-12, 1e-10, 1e-8, 1e-4}) {
        const Vec3 angles(rng.uniform(-3, 3), lock + off, rng.uniform(-3, 3));
        const Mat3 r = euler_to_matrix(order, angles);
        const Vec3 back = matrix_to_euler(order, r, angles);
        CAPTURE(name);
        CAPTURE(lock);
        CAPTURE(off);
        CHECK((euler_to_matrix(order, back) - r).norm() < 3e-9);
        CHECK(std::abs(back[0] - angles[0]) < 1e-5);  // continuous through the lock
      }
    }
  }
}

TEST_CASE("an unknown Euler order is refused with the list") {
  const Result<EulerOrder> order = EulerOrder::parse("xxy");
  REQUIRE(!order.ok());
  CHECK(order.message().find("zxz") != std::string::npos);
}

TEST_CASE("swing and twist put the rotation together again") {
  Rng rng(4);
  for (int i = 0; i < 200; ++i) {
    const Quat q = exp_rotation(random_vector(rng, 1.8));
    const Vec3 axis = random_vector(rng, 1.0).normalized();
    const SwingTwist parts = swing_twist(q, axis);
    const Quat again = parts.swing * Quat(Eigen::AngleAxisd(parts.twist, axis));
    CHECK(log_rotation(again.conjugate() * q).norm() < 1e-14);
    CHECK(std::abs(log_rotation(parts.swing).dot(axis)) < 1e-13);  // the swing has no part about the axis
  }
}

TEST_CASE("slerp goes the short way and hits both ends") {
  const Quat a = exp_rotation(Vec3(0.3, 0, 0));
  const Quat b(-exp_rotation(Vec3(0.9, 0, 0)).coeffs());  // the antipode is the same rotation
  CHECK(log_rotation(slerp(a, b, 0.0)).isApprox(Vec3(0.3, 0, 0), 1e-14));
  CHECK(log_rotation(slerp(a, b, 0.5)).isApprox(Vec3(0.6, 0, 0), 1e-14));
  CHECK(log_rotation(slerp(a, b, 1.0)).isApprox(Vec3(0.9, 0, 0), 1e-14));
}

TEST_CASE("angles wrap into [-pi, pi)") {
  CHECK(wrap_angle(kPi) == doctest::Approx(-kPi));
  CHECK(wrap_angle(-kPi) == -kPi);
  CHECK(wrap_angle(7.0) == doctest::Approx(7.0 - 2 * kPi));
  CHECK(wrap_angle(-1e6) >= -kPi);
  CHECK(wrap_angle(-1e6) < kPi);
}
