// How far a chain can reach: a sphere no pose leaves, and a hole no pose enters. Proofs, not estimates.
//
// The vector from the chain's base to a point of it is a sum of links. Its length is at most the sum of the links'
// lengths, and at least the longest minus all others (the polygon inequality). Two links that meet at a joint with
// limits count as one: their distance is an exact function of that joint's angle.
#pragma once

#include "armature/kinematics/chain_data.hpp"

namespace armature::inline v0_2 {

struct ChainBound {
  double outer = 0.0;  // internal units, from the canonical base; infinite with an unlimited prismatic joint
  double inner = 0.0;
};

/// `links`: how many count. All of them bound the tip; all but the last bound where the last joint sits, which a goal
/// for the whole pose fixes too.
ChainBound chain_bound(const Chain& chain, const ChainRange& range, int links);

}  // namespace armature::inline v0_2
