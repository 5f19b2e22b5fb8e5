#include "armature/kinematics/branches.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/center_of_mass.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/pose.hpp"
#include "support/allocation_counter.hpp"
#include "support/zoo.hpp"

using namespace armature;
using namespace armature::test;

TEST_CASE("branches: frames and motions agree with forward() and jacobian() on every joint type") {
  Linkage far = zoo_linkage();
  far.joints[0].origin.position = Vec3(3e5, -2e5, 1e5);  // motions keep their digits far from the origin
  for (const Linkage& linkage : {zoo_linkage(), far, arm_linkage(7)}) {
    const Model model = must_compile(linkage);
    Rng rng(5);
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<int> links;
      for (int i = 0; i < 1 + trial % 4; ++i) links.push_back(static_cast<int>(rng.below(model.link_count())));
      Branches branches;
      branches.compile(model, links);
      const VecX q = random_pose(model, rng);
      State expected, state;
      forward(model, q, expected);
      resize(model, state);
      const AllocationCounter allocations;
      branches.forward(q.data(), state);
      branches.move(state);
      CHECK(allocations.count() == 0);
      for (int link : links) {
        const Transform& X = state.X_WL[static_cast<std::size_t>(link)];
        const Transform& Y = expected.X_WL[static_cast<std::size_t>(link)];
        const double scale = 1.0 + Y.position.norm();
        CHECK((X.rotation - Y.rotation).cwiseAbs().maxCoeff() < 1e-14);
        CHECK((X.position - Y.position).norm() < 1e-15 * scale);
        Jacobian J(6, model.v_size()), sum(6, model.v_size());
        const Vec3 point(0.1, 0.2, -0.3);
        jacobian(model, expected, link, point, J);
        sum.setZero();
        for (int m : branches.motions_of(link)) {
          const Motion& motion = branches.motions()[static_cast<std::size_t>(m)];
          const int v = branches.velocities()[static_cast<std::size_t>(m)];
          sum.col(v).head<3>() += motion.at(Y * point - branches.centre());
          sum.col(v).tail<3>() += motion.angular;
        }
        CHECK((J - sum).cwiseAbs().maxCoeff() < 1e-14 * scale + 1e-14 * 10);
      }
    }
  }
}

TEST_CASE(
    "branches: every motion is its joint's, and the masses of a very long chain ask for no more than its length") {
  for (const Linkage& linkage : {zoo_linkage(), arm_linkage(7)}) {
    const Model model = must_compile(linkage);
    Branches branches;
    branches.compile(model);
    const std::vector<int> links = branches.links_of_motions();
    REQUIRE(links.size() == branches.velocities().size());
    std::vector<int> motions(static_cast<std::size_t>(model.link_count()), 0);
    for (std::size_t m = 0; m < links.size(); ++m) {
      const ModelJoint& joint = model.joint(links[m]);
      CHECK(branches.velocities()[m] >= joint.v_index);
      CHECK(branches.velocities()[m] < joint.v_index + joint.v_count);
      ++motions[static_cast<std::size_t>(links[m])];
    }
    for (int link = 0; link < model.link_count(); ++link)
      CHECK(motions[static_cast<std::size_t>(link)] == model.joint(link).v_count);
  }
  // A path for each of its links would be nine billion numbers.
  const Model chain = must_compile(arm_linkage(130000));
  CenterOfMass mass;
  mass.prepare(chain);
  const State state = forward(chain, neutral_pose(chain));
  CenterJacobian J(3, chain.v_size());
  CHECK((mass.compute(state, J) - mass.compute(state)).norm() < 1e-9 * chain.size());
  CHECK(J.allFinite());
}
