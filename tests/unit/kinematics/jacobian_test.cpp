#include "armature/kinematics/jacobian.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

// Central differences of the point's position and the link's rotation, seen from `base`.
Jacobian numeric(const Model& model, const VecX& q, int base, int link, const Vec3& point) {
  Jacobian J(6, model.v_size());
  State plus, minus;
  const double h = 1e-6;
  for (int i = 0; i < model.v_size(); ++i) {
    VecX v = VecX::Zero(model.v_size());
    v[i] = h;
    forward(model, integrate(model, q, v), plus);
    v[i] = -h;
    forward(model, integrate(model, q, v), minus);
    const Transform a = relative(minus, base, link);
    const Transform b = relative(plus, base, link);
    J.col(i) << (b * point - a * point) / (2 * h), log_rotation(Mat3(b.rotation * a.rotation.transpose())) / (2 * h);
  }
  return J;
}

}  // namespace

TEST_CASE("the Jacobian of any point of any link equals finite differences, for every joint type") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(31);
  State state;
  Jacobian J(6, model.v_size());
  const Vec3 point(0.2, -0.4, 0.1);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const VecX q = random_pose(model, rng);
    forward(model, q, state);
    for (int link = 0; link < model.link_count(); ++link) {
      CAPTURE(model.link_name(link));
      jacobian(model, state, link, point, J);
      const Jacobian expected = numeric(model, q, kWorld, link, point);
      CHECK((J - expected).cwiseAbs().maxCoeff() < 1e-7);
      Jacobian local(6, model.v_size());
      jacobian(model, state, link, point, local, JacobianFrame::link);
      const Mat3 R = state.X_WL[static_cast<std::size_t>(link)].rotation;
      CHECK((R * local.topRows<3>() - J.topRows<3>()).cwiseAbs().maxCoeff() < 1e-12);
      CHECK((R * local.bottomRows<3>() - J.bottomRows<3>()).cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}

TEST_CASE("the relative Jacobian equals finite differences across branches") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(32);
  State state;
  Jacobian J(6, model.v_size());
  const int left = model.link("left_free");
  const int right = model.link("right_cylindrical");
  const VecX q = random_pose(model, rng);
  forward(model, q, state);
  for (const auto& [base, link] : {std::pair{left, right}, {right, left}, {0, left}, {left, 0}, {kWorld, left}}) {
    relative_jacobian(model, state, base, link, Vec3(0.1, 0.2, 0.3), J);
    CHECK((J - numeric(model, q, base, link, Vec3(0.1, 0.2, 0.3))).cwiseAbs().maxCoeff() < 1e-6);
  }
}

TEST_CASE("the alternative Jacobian measures its levers to the goal") {
  const Model model = test::compiled(test::planar_arm({15, 10, 5}));
  State state;
  forward(model, VecX(Vec3(0.3, 0.4, 0.5)), state);
  Jacobian J(6, 3);
  const Vec3 goal(-20, 5, 0);
  jacobian_at_world_point(model, state, model.link("tip"), goal, J);
  CHECK((J.col(0).head<3>() - Vec3::UnitZ().cross(goal)).norm() < 1e-12);
}
