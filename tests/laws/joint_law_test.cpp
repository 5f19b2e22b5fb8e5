// Laws that every joint type must obey, run over the JointType list.
#include <doctest/doctest.h>

#include <set>

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
        const Vec3 linear = X.rotation.transpose() * (plus.position - minus.position) / (2 * h);
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

TEST_CASE("law: what a joint type says of its coordinates is so: names, full turns, travel, scale") {
  for (const JointType& type : test::every_joint_type()) {
    const std::string name = type_name(type);
    CAPTURE(name);
    const int count = coordinate_count(type);
    const std::span<const Coordinate> kinds = coordinates(type);
    std::set<std::string> names;
    Rng rng(4);
    std::vector<double> q(static_cast<std::size_t>(count) + 1);
    const auto draw = [&] {
      neutral_coordinates(type, q.data());
      double v[kMaxJointVelocities];
      for (double& each : v) each = rng.uniform(-2.0, 2.0);
      integrate_coordinates(type, q.data(), v, q.data());
    };
    for (int k = 0; k < count; ++k) {
      const auto n = static_cast<std::size_t>(k);
      names.insert(coordinate_name(type, k));
      CHECK(coordinate_name(type, k).empty() == (count == 1));
      if (kinds[n] == Coordinate::quaternion) continue;
      for (int trial = 0; trial < 20; ++trial) {
        draw();
        const Transform before = joint_transform(type, q.data());
        const double step = rng.uniform(-3.0, 3.0);
        q[n] += step;
        const Transform after = joint_transform(type, q.data());
        const double moved = (after.position - before.position).norm();
        CHECK(moved <= travel(type, k) * std::abs(step) + 1e-12);
        if (travel(type, k) == 0.0) CHECK(moved == doctest::Approx(0.0));
        q[n] += 2.0 * kPi - step;
        const bool same = (joint_transform(type, q.data()).matrix() - before.matrix()).norm() < 1e-12;
        if (kinds[n] == Coordinate::angle) CHECK(same == turn_repeats(type, k));
        if (kinds[n] == Coordinate::length) CHECK(!turn_repeats(type, k));
      }
    }
    CHECK(static_cast<int>(names.size()) == (count == 0 ? 0 : count));
    // Scaled parameters and scaled lengths: scaled places, the same rotations.
    JointType large = type;
    scale_parameters(large, 10.0);
    draw();
    const Transform small = joint_transform(type, q.data());
    for (int k = 0; k < count; ++k) {
      if (kinds[static_cast<std::size_t>(k)] == Coordinate::length) q[static_cast<std::size_t>(k)] *= 10.0;
    }
    const Transform grown = joint_transform(large, q.data());
    CHECK((grown.position - 10.0 * small.position).norm() < 1e-11);
    CHECK((grown.rotation - small.rotation).norm() < 1e-12);
  }
}
