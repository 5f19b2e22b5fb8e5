#include "armature/model/link_kernel.hpp"

#include "armature/model/model.hpp"

namespace armature::inline v0_2 {
namespace {

using Op = LinkKernel::Op;

void put(const Mat3& m, double (*columns)[4]) {
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) columns[c][r] = m(r, c);
  }
}

// The coordinate axis that `v` is or is opposite to, with its sign; axis -1: neither.
struct Aligned {
  int axis = -1;
  double sign = 1.0;
};
Aligned aligned(const Vec3& v) {
  for (int i = 0; i < 3; ++i) {
    for (const double sign : {1.0, -1.0}) {
      if (v == Vec3(sign * Vec3::Unit(i))) return {i, sign};
    }
  }
  return {};
}

struct Angles {
  std::vector<FourAngles>& fours;
  std::int32_t count = 0;
  void add(int q_index, double multiplier, double offset) {
    if (count % 4 == 0) fours.emplace_back();
    FourAngles& four = fours.back();
    four.q_index[count % 4] = q_index;
    four.multiplier[count % 4] = multiplier;
    four.offset[count % 4] = offset;
    ++count;
  }
};

// Chooses the op, fills in its constants, and lists the angles it needs.
struct Choose {
  const ModelJoint& joint;
  LinkKernel& k;
  Angles& angles;

  void operator()(const Fixed&) const { k.op = Op::fixed; }
  void operator()(const Revolute& j) const {
    const Aligned along_axis = aligned(j.axis);
    k.sign = along_axis.sign;
    angles.add(joint.q_index, k.sign * joint.multiplier, k.sign * joint.offset);
    if (along_axis.axis >= 0) {
      k.op = static_cast<Op>(static_cast<int>(Op::turn_x) + along_axis.axis);
      return;
    }
    // R(angle) = a a' + sin [a] + cos (1 - a a'), each already placed.
    k.op = Op::turn_any;
    const Mat3& placed = joint.origin.rotation;
    const Mat3 along = j.axis * j.axis.transpose();
    put(placed * along, k.placement);
    put(placed * cross_matrix(j.axis), k.sine);
    put(placed * (Mat3::Identity() - along), k.cosine);
  }
  void operator()(const Continuous& j) const { (*this)(static_cast<const Revolute&>(j)); }
  void operator()(const Prismatic& j) const {
    k.op = Op::slide;
    const Vec3 direction = joint.origin.rotation * j.axis;
    for (int r = 0; r < 3; ++r) k.sine[0][r] = direction[r];
  }
  void operator()(const Spherical&) const { k.op = Op::ball; }
  void operator()(const Free&) const { k.op = Op::free; }
  void operator()(const Euler& j) const { euler(Op::turns, j.order, joint.q_index); }
  void operator()(const FreeEuler& j) const { euler(Op::free_turns, j.order, joint.q_index + 3); }
  void operator()(const Universal& j) const {
    const Aligned first = aligned(j.axis);
    const Aligned second = aligned(j.axis2);
    k.op = first.axis >= 0 && second.axis >= 0 ? Op::turns : Op::other;
    if (k.op == Op::other) return;
    add_turn(first.axis, first.sign, joint.q_index);
    add_turn(second.axis, second.sign, joint.q_index + 1);
  }
  template <class Other>
  void operator()(const Other&) const {
    k.op = Op::other;
  }
  void euler(Op op, const EulerOrder& order, int q_index) const {
    k.op = op;
    for (int i = 0; i < 3; ++i) add_turn(order.axis[i], 1.0, q_index + i);
  }
  void add_turn(int axis, double sign, int q_index) const {
    k.axes[k.turn_count++] = static_cast<std::uint8_t>(axis);
    angles.add(q_index, sign, 0.0);
  }
};

}  // namespace

LinkKernels make_link_kernels(const std::vector<ModelJoint>& joints) {
  LinkKernels kernels;
  Angles angles{kernels.angles};
  for (const ModelJoint& joint : joints) {
    LinkKernel k;
    put(joint.origin.rotation, k.placement);
    for (int r = 0; r < 3; ++r) k.placement[3][r] = joint.origin.position[r];
    k.multiplier = joint.multiplier;
    k.offset = joint.offset;
    k.parent = joint.parent;
    k.q_index = joint.q_index;
    k.slot = angles.count;
    kernels.slot_begin.push_back(k.slot);
    std::visit(Choose{joint, k, angles}, joint.type);
    k.plain = k.op != Op::turn_any && joint.origin.rotation == Mat3(Mat3::Identity());
    kernels.links.push_back(k);
  }
  kernels.slot_begin.push_back(angles.count);
  return kernels;
}

}  // namespace armature::inline v0_2
