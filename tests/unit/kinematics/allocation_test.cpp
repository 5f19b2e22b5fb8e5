// forward and jacobian never touch the heap once the state is sized; large angles and every op agree with the
// textbook's own traversal.
#include <doctest/doctest.h>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "support/allocation_counter.hpp"
#include "support/linkages.hpp"

using namespace armature;

TEST_CASE("forward and jacobian do not allocate") {
  const Model model = test::compiled(test::everything_tree());
  State state;
  Rng rng(71);
  const VecX q = random_pose(model, rng);
  forward(model, q, state);
  Jacobian J(6, model.v_size());
  const test::AllocationCounter counter;
  forward(model, q, state);
  forward_from(model, q.data(), 5, state);
  jacobian(model, state, model.link_count() - 1, Vec3(0.1, 0.2, 0.3), J);
  relative_jacobian(model, state, 3, model.link_count() - 1, Vec3(0.1, 0.2, 0.3), J);
  CHECK(counter.count() == 0);
}

TEST_CASE("huge angles keep their accuracy") {
  const Model model = test::compiled(test::planar_arm({1, 1, 1, 1, 1}));
  VecX q(5);
  q << 1e7, -3e9, 0.5, 99999.9, -1e6;
  State state;
  forward(model, q, state);
  double angle = 0.0;
  Vec3 tip = Vec3::Zero();
  for (int i = 0; i < 5; ++i) {
    angle += q[i];
    tip += Vec3(std::cos(angle), std::sin(angle), 0.0);
  }
  CHECK((state.X_WL.back().position - tip).norm() < 1e-6);  // the sum itself rounds
  q << 1e7, 0, 0, 0, 0;
  forward(model, q, state);
  CHECK((state.X_WL.back().position - 5 * Vec3(std::cos(1e7), std::sin(1e7), 0)).norm() < 1e-13);
}
