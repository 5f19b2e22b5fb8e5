// Laws that every joint type must obey, run over the JointType list.
#include <doctest/doctest.h>

#include "support/linkages.hpp"

using namespace armature;

namespace {

VecX random_coordinates(const JointType& type, Rng& rng) {
  VecX q(coordinate_count(type));
  for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = rng.uniform(-2.5, 2.5);
  if (q.size() > 0) {
    VecX zero = VecX::Zero(velocity_count(type));
    integrate_coordinates(type, q.data(), zero.data(), q.data());  // normalises a quaternion
  }
  return q;
}

Transform moved(const JointType& type, const VecX& q, const VecX& v) {
  VecX out(q.size());
  integrate_coordinates(type, q.data(), v.data(), out.data());
  return joint_transform(type, out.data());
}

}  // namespace

TEST_CASE("joint law: twists are the derivative of the transform") {
  Rng rng(11);
  for (const JointType& type : test::every_joint_type()) {
    CAPTURE(type_name(type));
    for (int repeat = 0; repeat < 20; ++repeat) {
      const VecX q = random_coordinates(type, rng);
      const Transform X = joint_transform(type, q.data());
      Vec6 columns[kMaxJointVelocities];
      joint_twists(type, q.data(), columns);
      for (int i = 0; i < velocity_count(type); ++i) {
        const double h = 1e-6;
        VecX v = VecX::Zero(velocity_count(type));
        v[i] = h;
        const Transform plus = moved(type, q, v);
        v[i] = -h;
        const Transform minus = moved(type, q, v);
        const Vec3 linear = X.rotation.transpose() * (plus.translation - minus.translation) / (2 * h);
        const Vec3 angular = log_rotation(Mat3(minus.rotation.transpose() * plus.rotation)) / (2 * h);
        CHECK((linear - columns[i].head<3>()).norm() < 1e-8);
        CHECK((angular - columns[i].tail<3>()).norm() < 1e-8);
      }
    }
  }
}

TEST_CASE("joint law: difference undoes integrate") {
  Rng rng(12);
  for (const JointType& type : test::every_joint_type()) {
    CAPTURE(type_name(type));
    for (int repeat = 0; repeat < 50; ++repeat) {
      const VecX q = random_coordinates(type, rng);
      VecX v(velocity_count(type));
      for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = rng.uniform(-1.7, 1.7);
      VecX to(q.size());
      VecX back(v.size());
      integrate_coordinates(type, q.data(), v.data(), to.data());
      difference_coordinates(type, q.data(), to.data(), back.data());
      CHECK((back - v).norm() < 1e-12);
    }
  }
}

TEST_CASE("joint law: neutral coordinates articulate nothing") {
  for (const JointType& type : test::every_joint_type()) {
    CAPTURE(type_name(type));
    VecX q(coordinate_count(type));
    neutral_coordinates(type, q.data());
    CHECK(joint_transform(type, q.data()).matrix().isApprox(Mat4::Identity(), 1e-15));
  }
}

TEST_CASE("joint law: sizes fit the kernels' fixed arrays") {
  for (const JointType& type : test::every_joint_type()) {
    CHECK(coordinate_count(type) <= kMaxJointCoordinates);
    CHECK(velocity_count(type) <= kMaxJointVelocities);
  }
}
