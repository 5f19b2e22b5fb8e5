// DART's inverse kinematics for `armature bench ik` (DART 6): its gradient descent with the damped Jacobian, from the
// seed and then from random poses until the time is out.
#include <chrono>
#include <dart/dynamics/dynamics.hpp>
#include <dart/optimizer/GradientDescentSolver.hpp>

#include "../bench_peer.hpp"
#include "dart_model.hpp"

namespace armature::cli {
namespace {

class DartPeer : public Peer {
 public:
  explicit DartPeer(const PeerChain& chain) : chain_(chain) {
    using namespace dart::dynamics;
    skeleton_ = Skeleton::create("chain");
    BodyNode* body = nullptr;
    for (const ChainJoint& j : chain.chain->joints) {
      const std::string name = std::to_string(skeleton_->getNumBodyNodes());
      BodyNode::Properties next;
      next.mName = "link" + name;
      const auto set = [&](auto properties) {
        properties.mName = "joint" + name;
        properties.mT_ParentBodyToJoint = peers::to_dart(j.origin);
        properties.mAxis = j.axis;
        return properties;
      };
      body = j.kind == ChainJointKind::revolute
                 ? skeleton_->createJointAndBodyNodePair<RevoluteJoint>(body, set(RevoluteJoint::Properties()), next)
                       .second
                 : skeleton_->createJointAndBodyNodePair<PrismaticJoint>(body, set(PrismaticJoint::Properties()), next)
                       .second;
      body->getParentJoint()->setPositionLowerLimit(0, j.lower);
      body->getParentJoint()->setPositionUpperLimit(0, j.upper);
    }
    WeldJoint::Properties weld;
    weld.mName = "to_tip";
    BodyNode::Properties tip;
    tip.mName = "tip";
    weld.mT_ParentBodyToJoint = peers::to_dart(chain.after_last);
    body = skeleton_->createJointAndBodyNodePair<WeldJoint>(body, weld, tip).second;
    ik_ = body->getIK(true);
    target_ = SimpleFrame::createShared(Frame::World());
    ik_->setTarget(target_);
    ik_->getErrorMethod().setBounds(Eigen::Vector6d::Constant(-kBox), Eigen::Vector6d::Constant(kBox));
    auto solver = std::make_shared<dart::optimizer::GradientDescentSolver>(ik_->getProblem());
    solver->setTolerance(0.5 * chain.tolerance);
    solver->setNumMaxIterations(150);
    solver->setMaxAttempts(1);
    solver->setStepSize(1.0);  // as InverseKinematics sets up its own
    ik_->setSolver(solver);
  }
  const char* name() const override { return "dart"; }
  const char* about() const override {
    return "DART InverseKinematics (gradient descent, damped Jacobian), again from random poses until out of time";
  }

  bool solve(const Transform& target, Rng& rng, double* q) override {
    using Clock = std::chrono::steady_clock;
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(chain_.seconds));
    target_->setRelativeTransform(peers::to_dart(target));
    const auto n = static_cast<Eigen::Index>(chain_.chain->joints.size());
    for (;;) {
      skeleton_->setPositions(Eigen::Map<const Eigen::VectorXd>(q, n));
      const bool found = ik_->solveAndApply(answer_, true);
      Eigen::Map<Eigen::VectorXd>(q, n) = skeleton_->getPositions();
      wrap_joints(*chain_.chain, q);
      if (found && inside_limits(*chain_.chain, q)) return true;
      if (Clock::now() >= end) return false;
      random_joints(*chain_.chain, rng, q);
    }
  }

 private:
  static constexpr double kBox = 1e-7;  // errors inside it count as none
  const PeerChain& chain_;
  dart::dynamics::SkeletonPtr skeleton_;
  dart::dynamics::InverseKinematicsPtr ik_;
  dart::dynamics::SimpleFramePtr target_;
  Eigen::VectorXd answer_;
};

}  // namespace
}  // namespace armature::cli

extern "C" void armature_add_peers(const armature::cli::PeerChain& chain, armature::cli::Peers& peers) {
  peers.push_back(std::make_unique<armature::cli::DartPeer>(chain));
}
