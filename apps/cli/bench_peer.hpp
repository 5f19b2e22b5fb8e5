// What `armature bench ik` asks of another library's solver. Peers are modules of their own (apps/cli/peers, one file
// each, cmake/bench_peers.cmake), loaded only by the benchmark, so that the command line neither needs nor loads them.
// To add one: a file there that defines armature_add_peers, and its name in kPeerModules of bench_peers.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "armature/base/rng.hpp"
#include "armature/kinematics/chain.hpp"

namespace armature::cli {

/// One chain and the terms of the comparison. Outlives the peers made from it.
struct PeerChain {
  const Model* model = nullptr;
  int base = kWorld, tip = 0;
  const ModelChain* chain = nullptr;  // its joints in order, with limits
  Transform after_last;               // the tip in the frame after the last joint
  double tolerance = 1e-5;            // on each of the six components
  double seconds = 5e-3;              // budget of one solve
};

class Peer {
 public:
  virtual ~Peer() = default;
  virtual const char* name() const = 0;
  virtual const char* about() const = 0;  // how it is used here

  /// `q` holds the seed and then the answer, one number per joint of the chain. True: the solver says that it is one.
  virtual bool solve(const Transform& target, Rng& rng, double* q) = 0;
  /// The tip's pose in the base by the peer's own forward kinematics; false where it is not offered.
  virtual bool forward(const double*, Transform&) { return false; }
};

using Peers = std::vector<std::unique_ptr<Peer>>;
/// What a module exports under the name "armature_add_peers". Adds nothing for a chain that the peer cannot take.
using AddPeers = void (*)(const PeerChain& chain, Peers& peers);

struct LoadedPeers {
  Peers peers;
  std::vector<std::string> missing;  // names of modules that are not there
};
LoadedPeers load_peers(const PeerChain& chain);

/// A random pose inside the limits, unlimited turning joints within half a turn each way.
inline void random_joints(const ModelChain& chain, Rng& rng, double* q) {
  for (std::size_t i = 0; i < chain.joints.size(); ++i) {
    const ChainJoint& j = chain.joints[i];
    const bool limited = j.upper - j.lower < 1e300;
    q[i] = limited ? rng.uniform(j.lower, j.upper) : rng.uniform(-kPi, kPi);
  }
}

/// Brings turning joints back inside their limits by whole turns, for solvers that know no limits.
inline void wrap_joints(const ModelChain& chain, double* q) {
  for (std::size_t i = 0; i < chain.joints.size(); ++i) {
    const ChainJoint& j = chain.joints[i];
    if (j.kind != ChainJointKind::revolute) continue;
    for (int k = 0; k < 100 && q[i] > j.upper && q[i] - 2 * kPi >= j.lower; ++k) q[i] -= 2 * kPi;
    for (int k = 0; k < 100 && q[i] < j.lower && q[i] + 2 * kPi <= j.upper; ++k) q[i] += 2 * kPi;
  }
}

inline bool inside_limits(const ModelChain& chain, const double* q) {
  constexpr double kSlack = 1e-9;
  for (std::size_t i = 0; i < chain.joints.size(); ++i) {
    if (!(q[i] >= chain.joints[i].lower - kSlack && q[i] <= chain.joints[i].upper + kSlack)) return false;
  }
  return true;
}

}  // namespace armature::cli
