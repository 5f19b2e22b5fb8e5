// A serial chain compiled for speed: fixed joints folded in, every axis turned to local z, lengths scaled to order one.
//
//   X_BT(q) = base * prod_i Rz(q_i + theta_i) Trans(t_i) Rx(twist_i) * tip_rotation        revolute i
//             base * prod_i Rz(theta_i) Trans(t_i + q_i z) Rx(twist_i) * tip_rotation      prismatic i
//
// Every chain of revolute and prismatic joints has this form: the constant rotation between two axes is Rz Rx Rz, and
// its z-rotations join the neighbouring joints' offsets. Unlike Denavit and Hartenberg's, t_i is a full vector, so
// parallel axes are no special case. Origins are slid along revolute axes to where the links are shortest, which makes
// the reach bound (chain_bound.hpp) tight: at a shoulder or wrist where axes meet, links of no length.
#pragma once

#include <vector>

#include "armature/base/isa.hpp"
#include "armature/kinematics/chain_data.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

enum class ChainJointKind { revolute, prismatic };

/// One moving joint. Fixed joints are folded into the next placement.
struct ChainJoint {
  ChainJointKind kind = ChainJointKind::revolute;
  Transform origin;           // in the frame after the joint before it (the first: in the base)
  Vec3 axis = Vec3::UnitZ();  // unit, in the joint's frame
  double lower = -kPi;        // radians or metres; infinite: none
  double upper = kPi;
};

/// `joints` holds 1 to kMaxChainJoints; `tip` is the tip's frame after the last joint.
Chain make_chain(const std::vector<ChainJoint>& joints, const Transform& tip);

/// Limits in the chain's internal units, with what solvers derive from them.
ChainRange make_range(const Chain& chain, const double* lower, const double* upper);

/// FK of the tip in the base. `q`: the joints' values, radians and metres.
void forward(const Chain& chain, const double* q, Transform& X_BT);
/// The same with the 6 x n Jacobian at the tip in base axes; J must have as many columns as the chain has joints.
void forward(const Chain& chain, const double* q, Transform& X_BT, Eigen::Ref<Jacobian> J);
/// What forward() calls: the kernel of an instruction set, the baseline's where that was not compiled in.
ChainForward chain_forward(Isa isa);

/// Where a chain's joint gets its value: value = multiplier * q[coordinate] + offset.
struct ChainCoordinate {
  int coordinate = 0;  // index in the pose vector
  int velocity = 0;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// The serial chain of a model from one link to another, through their common ancestor (joints below `base` reversed).
struct ModelChain {
  Chain chain;
  std::vector<ChainJoint> joints;  // what it was made from
  std::vector<ChainCoordinate> coordinates;
  int base = kWorld;
  int tip = 0;
};

/// `point`: of the tip link, where the tip's frame is. The error says which joint has no such form (spherical, free,
/// helical, a mimic joint in step with another of the chain's, more than kMaxChainJoints, none at all).
Result<ModelChain> make_chain(const Model& model, int base, int tip, const Vec3& point = Vec3::Zero());

/// The chain without the joints whose `locked` is not zero, which stand at `values` (one of each per joint of the
/// chain). The error: none is left.
Result<ModelChain> lock_joints(const ModelChain& chain, const char* locked, const double* values);

}  // namespace armature::inline v0_2
