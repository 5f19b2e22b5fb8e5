// KDL's solvers for `armature bench ik` (Orocos KDL 1.5).
#include <chrono>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>

#include "../bench_peer.hpp"
#include "kdl_model.hpp"

namespace armature::cli {
namespace {

using Clock = std::chrono::steady_clock;

class KdlPeer : public Peer {
 public:
  KdlPeer(const PeerChain& chain, const KDL::Chain& kdl)
      : chain_(chain), kdl_(kdl), fk_(kdl_), in_(joints()), out_(joints()) {}

  bool forward(const double* q, Transform& X) override {
    load(q);
    KDL::Frame frame;
    if (fk_.JntToCart(in_, frame) < 0) return false;
    X = peers::from_kdl(frame);
    return true;
  }

 protected:
  unsigned joints() const { return kdl_.getNrOfJoints(); }
  void load(const double* q) {
    for (unsigned i = 0; i < joints(); ++i) in_(i) = q[i];
  }
  void unload(double* q) const {
    for (unsigned i = 0; i < joints(); ++i) q[i] = out_(i);
  }
  Clock::time_point deadline() const {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(chain_.seconds));
  }

  const PeerChain& chain_;
  KDL::Chain kdl_;
  KDL::ChainFkSolverPos_recursive fk_;
  KDL::JntArray in_, out_;
};

/// As in TRAC-IK's own comparison: one Newton step at a time from the seed until it converges or the time is out.
class NewtonWithLimits : public KdlPeer {
 public:
  NewtonWithLimits(const PeerChain& chain, const KDL::Chain& kdl)
      : KdlPeer(chain, kdl),
        velocity_(kdl_),
        solver_(kdl_, bound(true), bound(false), fk_, velocity_, 1, chain.tolerance) {}
  const char* name() const override { return "kdl_nr_jl"; }
  const char* about() const override {
    return "KDL ChainIkSolverPos_NR_JL with limits, from the seed, step after step until the time is out";
  }
  bool solve(const Transform& target, Rng&, double* q) override {
    const KDL::Frame goal = peers::to_kdl(target);
    const Clock::time_point end = deadline();
    load(q);
    int code = -1;
    do {
      code = solver_.CartToJnt(in_, goal, out_);
      in_ = out_;
    } while (code < 0 && Clock::now() < end);
    unload(q);
    return code >= 0;
  }

 private:
  KDL::JntArray bound(bool lower) const {
    KDL::JntArray b(joints());
    for (unsigned i = 0; i < joints(); ++i) {
      const ChainJoint& j = chain_.chain->joints[i];
      // An unlimited joint: far enough away that the clamp never acts.
      b(i) = lower ? std::max(j.lower, -1e9) : std::min(j.upper, 1e9);
    }
    return b;
  }
  KDL::ChainIkSolverVel_pinv velocity_;
  KDL::ChainIkSolverPos_NR_JL solver_;
};

/// Levenberg-Marquardt, which knows no limits: as it comes, or again from random poses until an answer is inside them.
class Marquardt : public KdlPeer {
 public:
  Marquardt(const PeerChain& chain, const KDL::Chain& kdl, bool restarts)
      : KdlPeer(chain, kdl), restarts_(restarts), solver_(kdl_, weights(), chain.tolerance) {}
  const char* name() const override { return restarts_ ? "kdl_lma_rr" : "kdl_lma"; }
  const char* about() const override {
    return restarts_ ? "KDL ChainIkSolverPos_LMA, again from random poses until inside limits or out of time"
                     : "KDL ChainIkSolverPos_LMA from the seed, once; it knows no limits";
  }
  bool solve(const Transform& target, Rng& rng, double* q) override {
    const KDL::Frame goal = peers::to_kdl(target);
    const Clock::time_point end = deadline();
    for (;;) {
      load(q);
      const bool converged = solver_.CartToJnt(in_, goal, out_) >= 0;
      unload(q);
      wrap_joints(*chain_.chain, q);
      if (!restarts_ || (converged && inside_limits(*chain_.chain, q))) return converged;
      if (Clock::now() >= end) return false;
      random_joints(*chain_.chain, rng, q);
    }
  }

 private:
  // Its default weighs angles by 0.01, which would let them be 100 times worse than the tolerance.
  static Eigen::Matrix<double, 6, 1> weights() { return Eigen::Matrix<double, 6, 1>::Ones(); }
  bool restarts_;
  KDL::ChainIkSolverPos_LMA solver_;
};

}  // namespace
}  // namespace armature::cli

extern "C" void armature_add_peers(const armature::cli::PeerChain& chain, armature::cli::Peers& peers) {
  using namespace armature;
  using namespace armature::cli;
  const auto name = [&](int link) { return link == kWorld ? std::string("world") : chain.model->link_name(link); };
  const auto tree = armature::peers::kdl_tree(*chain.model);
  KDL::Chain kdl;
  if (!tree || !tree->getChain(name(chain.base), name(chain.tip), kdl)) return;
  if (kdl.getNrOfJoints() != chain.chain->joints.size()) return;
  peers.push_back(std::make_unique<NewtonWithLimits>(chain, kdl));
  peers.push_back(std::make_unique<Marquardt>(chain, kdl, false));
  peers.push_back(std::make_unique<Marquardt>(chain, kdl, true));
}
