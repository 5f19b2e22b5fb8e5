// Velocities, accelerations and the Jacobian's derivative against central differences, for every joint type.
#include "armature/kinematics/velocity.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/forward.hpp"
#include "support/allocation_counter.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

// A model in motion: q(t) = q (+) (v t), velocities v + a t.
struct Moving {
  const Model& model;
  VecX q, v, a;

  static Moving random(const Model& model, Rng& rng) {
    Moving m{model, random_pose(model, rng), VecX(model.v_size()), VecX(model.v_size())};
    for (int i = 0; i < model.v_size(); ++i) {
      m.v[i] = rng.uniform(-1.0, 1.0);
      m.a[i] = rng.uniform(-1.0, 1.0);
    }
    return m;
  }
  // Along the motion with acceleration a: second order in t is what a quaternion's product of exponentials gives too.
  VecX at(double t) const { return integrate(model, q, VecX(t * v + 0.5 * t * t * a)); }
  State state(double t) const {
    State s;
    forward(model, at(t), s);
    return s;
  }
};

constexpr double kStep = 1e-4;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

TEST_CASE("link velocities equal differences of the frames, and the Jacobian's product") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(41);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Moving m = Moving::random(model, rng);
    const State now = m.state(0.0), plus = m.state(kStep), minus = m.state(-kStep);
    std::vector<Twist> velocity;
    link_velocities(model, now, m.v.data(), velocity);
    Jacobian J(6, model.v_size());
    for (int i = 0; i < model.link_count(); ++i) {
      CAPTURE(model.link_name(i));
      const Transform &a = minus.X_WL[index(i)], &b = plus.X_WL[index(i)];
      CHECK((velocity[index(i)].linear - (b.position - a.position) / (2 * kStep)).norm() < 1e-6);
      const Vec3 turn = log_rotation(Mat3(b.rotation * a.rotation.transpose())) / (2 * kStep);
      CHECK((velocity[index(i)].angular - turn).norm() < 1e-6);
      jacobian(model, now, i, Vec3::Zero(), J);
      const Vec6 product = J * m.v;
      CHECK((product.head<3>() - velocity[index(i)].linear).norm() < 1e-12);
      CHECK((product.tail<3>() - velocity[index(i)].angular).norm() < 1e-12);
    }
  }
}

TEST_CASE("the Jacobian's derivative equals differences of the Jacobian, in both frames") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(42);
  const Vec3 point(0.2, -0.4, 0.1);
  const Moving m = Moving::random(model, rng);
  const State now = m.state(0.0), plus = m.state(kStep), minus = m.state(-kStep);
  std::vector<Twist> velocity;
  link_velocities(model, now, m.v.data(), velocity);
  Jacobian before(6, model.v_size()), after(6, model.v_size()), dJ(6, model.v_size());
  for (const JacobianFrame frame : {JacobianFrame::world, JacobianFrame::link}) {
    for (int i = 0; i < model.link_count(); ++i) {
      CAPTURE(model.link_name(i));
      jacobian(model, minus, i, point, before, frame);
      jacobian(model, plus, i, point, after, frame);
      jacobian_derivative(model, now, m.v.data(), velocity, i, point, dJ, frame);
      CHECK((dJ - (after - before) / (2 * kStep)).cwiseAbs().maxCoeff() < 1e-6);
    }
  }
}

TEST_CASE("link accelerations are J a + dJ v, and second differences of the places") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(43);
  const Moving m = Moving::random(model, rng);
  const State now = m.state(0.0), plus = m.state(kStep), minus = m.state(-kStep);
  std::vector<Twist> velocity, acceleration;
  link_velocities(model, now, m.v.data(), velocity);
  link_accelerations(model, now, m.v.data(), m.a.data(), velocity, acceleration);
  Jacobian J(6, model.v_size()), dJ(6, model.v_size());
  for (int i = 0; i < model.link_count(); ++i) {
    CAPTURE(model.link_name(i));
    jacobian(model, now, i, Vec3::Zero(), J);
    jacobian_derivative(model, now, m.v.data(), velocity, i, Vec3::Zero(), dJ);
    const Vec6 expected = J * m.a + dJ * m.v;
    CHECK((expected.head<3>() - acceleration[index(i)].linear).norm() < 1e-12);
    CHECK((expected.tail<3>() - acceleration[index(i)].angular).norm() < 1e-12);
    const Vec3 second =
        (plus.X_WL[index(i)].position - 2.0 * now.X_WL[index(i)].position + minus.X_WL[index(i)].position) /
        (kStep * kStep);
    CHECK((second - acceleration[index(i)].linear).norm() < 1e-5);
  }
}

TEST_CASE("relative velocities and accelerations equal differences of the relative frames") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(44);
  const int left = model.link("left_free"), right = model.link("right_cylindrical");
  REQUIRE(left >= 0);
  REQUIRE(right >= 0);
  const Moving m = Moving::random(model, rng);
  const State now = m.state(0.0), plus = m.state(kStep), minus = m.state(-kStep);
  std::vector<Twist> velocity, acceleration;
  link_velocities(model, now, m.v.data(), velocity);
  link_accelerations(model, now, m.v.data(), m.a.data(), velocity, acceleration);
  for (const auto& [base, link] : {std::pair{left, right}, {right, left}, {left, kWorld}, {kWorld, left}}) {
    const Transform a = relative(minus, base, link), b = relative(now, base, link), c = relative(plus, base, link);
    const Twist v = relative_velocity(now, velocity, base, link);
    CHECK((v.linear - (c.position - a.position) / (2 * kStep)).norm() < 1e-6);
    const Vec3 turn = log_rotation(Mat3(c.rotation * a.rotation.transpose())) / (2 * kStep);
    CHECK((v.angular - turn).norm() < 1e-6);
    const Twist s = relative_acceleration(now, velocity, acceleration, base, link);
    CHECK((s.linear - (c.position - 2.0 * b.position + a.position) / (kStep * kStep)).norm() < 1e-5);
    const Vec3 late = log_rotation(Mat3(c.rotation * b.rotation.transpose())) / kStep;
    const Vec3 early = log_rotation(Mat3(b.rotation * a.rotation.transpose())) / kStep;
    CHECK((s.angular - (late - early) / kStep).norm() < 1e-5);
  }
}

TEST_CASE("velocities, accelerations and the Jacobian's derivative do not allocate") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(45);
  const Moving m = Moving::random(model, rng);
  const State now = m.state(0.0);
  std::vector<Twist> velocity, acceleration;
  link_velocities(model, now, m.v.data(), velocity);
  link_accelerations(model, now, m.v.data(), m.a.data(), velocity, acceleration);
  Jacobian dJ(6, model.v_size());
  const test::AllocationCounter counter;
  link_velocities(model, now, m.v.data(), velocity);
  link_accelerations(model, now, m.v.data(), m.a.data(), velocity, acceleration);
  jacobian_derivative(model, now, m.v.data(), velocity, model.link_count() - 1, Vec3(0.1, 0.2, 0.3), dJ);
  CHECK(counter.count() == 0);
}
