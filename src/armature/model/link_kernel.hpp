// What forward kinematics needs of one link, and nothing else: flat, aligned, a few cache lines.
//
// A joint type without an op of its own here is computed through its transform(): correct, only slower.
#pragma once

#include <cstdint>
#include <vector>

#include "armature/model/joint.hpp"

namespace armature::inline v0_2 {

struct alignas(32) LinkKernel {
  enum class Op : std::uint8_t {
    fixed,
    turn_x,  // rotation about a coordinate axis
    turn_y,
    turn_z,
    turn_any,    // about another axis: `sine` and `cosine` hold placement * cross(axis), placement * (1 - axis axis')
    slide,       // along `sine[0]` (placed)
    ball,        // quaternion
    turns,       // up to three turns about coordinate axes
    free,        // position, quaternion
    free_turns,  // position, then turns
    other,
  };
  double placement[4][4] = {};  // columns x, y, z, translation; fourth numbers are 0. turn_any: axis axis' placed
  double sine[3][4] = {};
  double cosine[3][4] = {};
  double multiplier = 1.0;
  double offset = 0.0;
  double sign = 1.0;  // of turn_x, turn_y, turn_z; the slot's angle has it already
  std::int32_t parent = -1;
  std::int32_t q_index = 0;
  std::int32_t slot = 0;  // of the first sine and cosine
  Op op = Op::fixed;
  std::uint8_t axes[3] = {0, 0, 0};  // of turns
  std::uint8_t turn_count = 0;
  bool plain = false;  // the placement does not rotate
};

/// Four angles whose sines and cosines a pass needs: multiplier * q[q_index] + offset. The last four are filled up with
/// zeros (a model with angles has coordinates, so index 0 is there).
struct alignas(32) FourAngles {
  double multiplier[4] = {};
  double offset[4] = {};
  std::int32_t q_index[4] = {};
};

struct LinkKernels {
  std::vector<LinkKernel> links;
  std::vector<FourAngles> angles;        // in link order: angle i is number i % 4 of angles[i / 4]
  std::vector<std::int32_t> slot_begin;  // per link its first angle, and their number at the end
};

struct ModelJoint;
LinkKernels make_link_kernels(const std::vector<ModelJoint>& joints);

}  // namespace armature::inline v0_2
