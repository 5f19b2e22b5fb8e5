// Frames and Jacobians of every built-in model against KDL and DART: 1,000 random poses each, to 1e-12 of the size.
#include <doctest/doctest.h>

#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "dart_model.hpp"
#include "kdl_model.hpp"

using namespace armature;

namespace {

constexpr int kPoses = 1000;
constexpr double kTolerance = 1e-12;  // of lengths relative to the model's size, of angles absolute

Model builtin(const BuiltinModel& entry) {
  const Result<Document> document = read_document(entry.json, {});
  REQUIRE_MESSAGE(document.ok(), document.message());
  Result<Model> model = compile(document->linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  return std::move(model).value();
}

// Models of a millimetre and of 30 units alike: errors of lengths are measured by what the model is large.
double length_unit(const Model& model) { return std::max(1.0, model.size()); }

double difference(const Transform& a, const Transform& b, double unit) {
  return std::max((a.rotation - b.rotation).cwiseAbs().maxCoeff(),
                  (a.position - b.position).cwiseAbs().maxCoeff() / unit);
}

double difference(const Jacobian& a, const Jacobian& b, double unit) {
  return std::max((a.topRows<3>() - b.topRows<3>()).cwiseAbs().maxCoeff() / unit,
                  (a.bottomRows<3>() - b.bottomRows<3>()).cwiseAbs().maxCoeff());
}

}  // namespace

TEST_CASE("KDL: frames and Jacobians of the built-in robots") {
  int compared = 0;
  for (const BuiltinModel& entry : builtin_models()) {
    const Model model = builtin(entry);
    const auto tree = peers::kdl_tree(model);
    if (!tree) continue;  // joints of several coordinates
    ++compared;
    CAPTURE(entry.name);
    const double unit = length_unit(model);
    KDL::TreeFkSolverPos_recursive fk(*tree);
    KDL::TreeJntToJacSolver jacobians(*tree);
    // KDL numbers joints in the order of its own map.
    std::vector<int> column(static_cast<std::size_t>(model.link_count()), -1);
    for (const auto& [name, element] : tree->getSegments()) {
      const int link = model.lookup_link(name).value_or(-1);  // its root is called "world"
      if (link >= 0 && model.joint(link).q_count == 1) {
        column[static_cast<std::size_t>(link)] = static_cast<int>(GetTreeElementQNr(element));
      }
    }
    Rng rng(20);
    State state;
    KDL::JntArray values(tree->getNrOfJoints());
    KDL::Jacobian theirs(tree->getNrOfJoints());
    Jacobian ours(6, model.v_size()), folded(6, model.v_size());
    double worst_frame = 0.0, worst_jacobian = 0.0;
    for (int n = 0; n < kPoses; ++n) {
      const VecX q = random_pose(model, rng);
      forward(model, q, state);
      for (int link = 0; link < model.link_count(); ++link) {
        const int at = column[static_cast<std::size_t>(link)];
        if (at >= 0) values(static_cast<unsigned>(at)) = peers::joint_value(model.joint(link), q);
      }
      for (int link = 0; link < model.link_count(); ++link) {
        KDL::Frame frame;
        REQUIRE(fk.JntToCart(values, frame, model.link_name(link)) >= 0);
        worst_frame =
            std::max(worst_frame, difference(peers::from_kdl(frame), state.X_WL[static_cast<std::size_t>(link)], unit));
      }
      for (const int link : model.effectors()) {
        REQUIRE(jacobians.JntToJac(values, theirs, model.link_name(link)) >= 0);
        jacobian(model, state, link, Vec3::Zero(), ours);
        folded.setZero();
        for (int i = 0; i < model.link_count(); ++i) {
          const int at = column[static_cast<std::size_t>(i)];
          if (at >= 0) folded.col(model.joint(i).v_index) += model.joint(i).multiplier * theirs.data.col(at);
        }
        worst_jacobian = std::max(worst_jacobian, difference(folded, ours, unit));
      }
    }
    CHECK(worst_frame < kTolerance);
    CHECK(worst_jacobian < kTolerance);
    std::printf("KDL  %-14s frames %.1e  Jacobians %.1e\n", std::string(entry.name).c_str(), worst_frame,
                worst_jacobian);
  }
  CHECK(compared >= 9);
}

TEST_CASE("DART: frames and Jacobians of every built-in model, the human figure too") {
  for (const BuiltinModel& entry : builtin_models()) {
    CAPTURE(entry.name);
    const Model model = builtin(entry);
    const auto skeleton = peers::dart_skeleton(model);
    REQUIRE(skeleton != nullptr);
    const double unit = length_unit(model);
    Rng rng(21);
    State state;
    Jacobian ours(6, model.v_size()), theirs(6, model.v_size());
    Vec6 twists[kMaxJointVelocities];
    double worst_frame = 0.0, worst_jacobian = 0.0;
    for (int n = 0; n < kPoses; ++n) {
      const VecX q = random_pose(model, rng);
      forward(model, q, state);
      peers::set_dart_pose(model, q, *skeleton);
      for (int link = 0; link < model.link_count(); ++link) {
        const Eigen::Isometry3d& T = skeleton->getBodyNode(static_cast<std::size_t>(link))->getWorldTransform();
        worst_frame = std::max(worst_frame, difference(Transform{T.translation(), T.linear()},
                                                       state.X_WL[static_cast<std::size_t>(link)], unit));
      }
      for (const int link : model.effectors()) {
        jacobian(model, state, link, Vec3::Zero(), ours);
        // DART: rows angular, linear; a ball's velocities are those of the body, as ours; a free joint's are the body's
        // twist, and an Euler joint is a ball there: our columns of these two follow by their twists.
        const auto full = skeleton->getWorldJacobian(skeleton->getBodyNode(static_cast<std::size_t>(link)));
        theirs.setZero();
        for (int i = 0; i < model.link_count(); ++i) {
          const ModelJoint& joint = model.joint(i);
          if (joint.v_count == 0) continue;
          const auto at = static_cast<Eigen::Index>(
              skeleton->getBodyNode(static_cast<std::size_t>(i))->getParentJoint()->getIndexInSkeleton(0));
          const bool ball = std::holds_alternative<Euler>(joint.type);
          const bool free = std::holds_alternative<Free>(joint.type);
          if (ball || free) joint_twists(joint.type, q.data() + joint.q_index, twists);
          for (int k = 0; k < joint.v_count; ++k) {
            Vec6 column = Vec6::Zero();
            if (ball) {
              column = full.middleCols(at, 3) * twists[k].tail<3>();
            } else if (free) {
              column = full.middleCols(at, 3) * twists[k].tail<3>() + full.middleCols(at + 3, 3) * twists[k].head<3>();
            } else {
              column = full.col(at + k);
            }
            theirs.col(joint.v_index + k).head<3>() += joint.multiplier * column.tail<3>();
            theirs.col(joint.v_index + k).tail<3>() += joint.multiplier * column.head<3>();
          }
        }
        worst_jacobian = std::max(worst_jacobian, difference(theirs, ours, unit));
      }
    }
    CHECK(worst_frame < kTolerance);
    CHECK(worst_jacobian < kTolerance);
    std::printf("DART %-14s frames %.1e  Jacobians %.1e\n", std::string(entry.name).c_str(), worst_frame,
                worst_jacobian);
  }
}
