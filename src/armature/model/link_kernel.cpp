#include "armature/model/link_kernel.hpp"

#include "armature/model/model.hpp"

namespace armature {
namespace {

using Op = LinkKernel::Op;

void put(const Mat3& m, double (*columns)[4]) {
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) columns[c][r] = m(r, c);
  }
}

// Chooses the op and fills in its constants.
struct Choose {
  const ModelJoint& joint;
  LinkKernel& k;

  void operator()(const Fixed&) const { k.op = Op::fixed; }
  void operator()(const Revolute& j) const {
    for (int i = 0; i < 3; ++i) {
      if (j.axis == Vec3(Vec3::Unit(i))) {
        k.op = static_cast<Op>(static_cast<int>(Op::turn_x) + i);
        return;
      }
    }
    // R(angle) = a a' + sin [a] + cos (1 - a a'), each already placed.
    k.op = Op::turn_any;
    const Mat3& placed = joint.placement.rotation;
    const Mat3 along = j.axis * j.axis.transpose();
    put(placed * along, k.placement);
    put(placed * cross_matrix(j.axis), k.sine);
    put(placed * (Mat3::Identity() - along), k.cosine);
  }
  void operator()(const Continuous& j) const { (*this)(static_cast<const Revolute&>(j)); }
  void operator()(const Prismatic& j) const {
    k.op = Op::slide;
    const Vec3 direction = joint.placement.rotation * j.axis;
    for (int r = 0; r < 3; ++r) k.sine[0][r] = direction[r];
  }
  void operator()(const Spherical&) const { k.op = Op::ball; }
  void operator()(const Free&) const { k.op = Op::free; }
  void operator()(const Euler& j) const { turns(Op::euler, j.order); }
  void operator()(const FreeEuler& j) const { turns(Op::free_euler, j.order); }
  template <class Other>
  void operator()(const Other&) const {
    k.op = Op::other;
  }
  void turns(Op op, const EulerOrder& order) const {
    k.op = op;
    for (int i = 0; i < 3; ++i) k.axes[i] = static_cast<std::uint8_t>(order.axis[i]);
  }
};

}  // namespace

LinkKernels make_link_kernels(const std::vector<ModelJoint>& joints) {
  LinkKernels kernels;
  for (const ModelJoint& joint : joints) {
    LinkKernel k;
    put(joint.placement.rotation, k.placement);
    for (int r = 0; r < 3; ++r) k.placement[3][r] = joint.placement.translation[r];
    k.multiplier = joint.multiplier;
    k.offset = joint.offset;
    k.parent = joint.parent;
    k.q_index = joint.q_index;
    k.slot = static_cast<std::int32_t>(kernels.slots.size());
    std::visit(Choose{joint, k}, joint.type);
    k.plain = k.op != Op::turn_any && joint.placement.rotation == Mat3(Mat3::Identity());
    kernels.slot_begin.push_back(k.slot);
    if (k.op >= Op::turn_x && k.op <= Op::turn_any) {
      kernels.slots.push_back({joint.q_index, joint.multiplier, joint.offset});
    } else if (k.op == Op::euler || k.op == Op::free_euler) {
      const int first = joint.q_index + (k.op == Op::free_euler ? 3 : 0);
      for (int i = 0; i < 3; ++i) kernels.slots.push_back({first + i, 1.0, 0.0});
    }
    kernels.links.push_back(k);
  }
  kernels.slot_begin.push_back(static_cast<std::int32_t>(kernels.slots.size()));
  return kernels;
}

}  // namespace armature
