#include "armature/kinematics/pose.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "armature/geom/rotation.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

Model limited_model() {
  Linkage l = test::everything_tree();
  for (Joint& joint : l.joints) {
    const std::size_t n = coordinates(joint.type).size();
    if (std::holds_alternative<Continuous>(joint.type) || joint.mimic) continue;
    joint.limits.lower.assign(n, -0.8);
    joint.limits.upper.assign(n, 1.1);
    if (n > 0 && coordinates(joint.type).back() == Coordinate::quaternion) {
      joint.limits.cone = ConeLimit{Vec3(0, 1, 1), 0.7, -0.3, 0.9};
    }
  }
  return test::compiled(l);
}

}  // namespace

TEST_CASE("random poses lie within limits, and clamping leaves them alone") {
  const Model model = limited_model();
  Rng rng(41);
  for (int i = 0; i < 200; ++i) {
    const VecX q = random_pose(model, rng);
    CHECK(inside_limits(model, q));
    VecX clamped = q;
    clamp(model, clamped);
    CHECK((clamped - q).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("clamping brings any numbers inside, even broken ones") {
  const Model model = limited_model();
  Rng rng(42);
  for (int i = 0; i < 200; ++i) {
    VecX q(model.q_size());
    for (Eigen::Index k = 0; k < q.size(); ++k) q[k] = rng.uniform(-9, 9);
    if (i == 0) q.setConstant(std::numeric_limits<double>::quiet_NaN());
    if (i == 1) q.setConstant(std::numeric_limits<double>::infinity());
    if (i == 2) q.setZero();
    if (i == 3) q.setConstant(1e200);
    CHECK(!inside_limits(model, q));
    clamp(model, q);
    CHECK(inside_limits(model, q, 1e-12));
  }
}

TEST_CASE("interpolation goes the short way round and hits both ends") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(43);
  for (int i = 0; i < 50; ++i) {
    const VecX a = random_pose(model, rng);
    const VecX b = random_pose(model, rng);
    CHECK(difference(model, interpolate(model, a, b, 0.0), a).norm() < 1e-12);
    CHECK(difference(model, interpolate(model, a, b, 1.0), b).norm() < 1e-12);
    const double half = difference(model, a, interpolate(model, a, b, 0.5)).norm();
    CHECK(half == doctest::Approx(0.5 * difference(model, a, b).norm()).epsilon(1e-9));
  }
  // A continuous joint from 170 to -170 degrees turns by 20.
  Linkage l = test::planar_arm({1.0});
  l.joints[0].type = Continuous{};
  const Model wheel = test::compiled(l);
  const VecX turn = difference(wheel, VecX::Constant(1, 170 * kPi / 180), VecX::Constant(1, -170 * kPi / 180));
  CHECK(turn[0] == doctest::Approx(20 * kPi / 180));
}

TEST_CASE("the middle pose is the middle of the limits") {
  Linkage l = test::planar_arm({1.0, 1.0});
  l.joints[1].limits.lower = {-0.5};
  l.joints[1].limits.upper = {2.0};
  CHECK(middle_pose(test::compiled(l))[1] == 0.75);
}

TEST_CASE("a ball is inside its limits as long as it is inside its cone") {
  Linkage l = test::random_chain({Spherical{}}, 1);
  l.joints[0].limits.cone = ConeLimit{Vec3::UnitZ(), 0.5, -0.2, 0.4};
  const Model model = test::compiled(l);
  const auto inside = [&](const Vec3& turn) { return inside_limits(model, VecX(exp_rotation(turn).coeffs())); };
  CHECK(inside(Vec3(0.45, 0, 0)));
  CHECK_FALSE(inside(Vec3(0.55, 0, 0)));
  CHECK(inside(Vec3(0, 0, 0.35)));
  CHECK_FALSE(inside(Vec3(0, 0, 0.45)));
  CHECK_FALSE(inside(Vec3(0, 0, -0.25)));
}

TEST_CASE("wrapping keeps the pose and enters the limits where full turns can") {
  Linkage l = test::planar_arm({1.0, 1.0});
  l.joints[1].limits.lower = {4.0};
  l.joints[1].limits.upper = {7.0};
  const Model model = test::compiled(l);
  VecX q = Vec2(7.0, 0.0);
  wrap(model, q);
  CHECK(q[0] == doctest::Approx(7.0 - 2 * kPi));
  CHECK(q[1] == doctest::Approx(2 * kPi));
  // A screw is elsewhere after a full turn.
  l.joints[0].type = Helical{Vec3::UnitZ(), 0.1};
  VecX screw = Vec2(7.0, 5.0);
  wrap(test::compiled(l), screw);
  CHECK(screw[0] == 7.0);
}

TEST_CASE("named poses and joints are found, or the error lists them") {
  Linkage l = test::planar_arm({1.0, 1.0});
  l.poses.push_back({"home", {{"joint2", {0.5}}}});
  const Model model = test::compiled(l);
  CHECK((*model.find_pose("home"))[1] == 0.5);
  CHECK(model.find_pose("hoem").message().find("did you mean 'home'") != std::string::npos);
  VecX q = neutral_pose(model);
  CHECK(set_joint(model, "joint1", {0.25}, q).ok());
  CHECK(q[0] == 0.25);
  CHECK(set_joint(model, "joint3", {0.25}, q).message().find("Valid names: joint1, joint2") != std::string::npos);
  CHECK(set_joint(model, "joint1", {1, 2}, q).message().find("takes 1 value, not 2") != std::string::npos);
  CHECK(!set_joint(model, "joint1", {std::numeric_limits<double>::quiet_NaN()}, q).ok());
  const Model ball = test::compiled(test::random_chain({Spherical{}}, 1));
  VecX turned = neutral_pose(ball);
  CHECK(set_joint(ball, "joint1", {0, 0, 0, 0}, turned).message().find("zero quaternion") != std::string::npos);
  REQUIRE(set_joint(ball, "joint1", {0, 3, 0, 4}, turned).ok());
  CHECK((turned - VecX(Vec4(0, 0.6, 0, 0.8))).norm() < 1e-15);
}
