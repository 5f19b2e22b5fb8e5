#include "armature/kinematics/jacobian.hpp"

#include "armature/kinematics/frames.hpp"

namespace armature::inline v0_2 {
namespace {

// Adds to J the columns of every joint from `link` up to (not including) `stop`, levers measured to world point `p`.
void add_columns(const Model& model, const State& state, int link, int stop, const Vec3& p, double sign,
                 Eigen::Ref<Jacobian> J) {
  Vec6 twists[kMaxJointVelocities];
  for (int i = link; i != stop; i = model.parent(i)) {
    const ModelJoint& joint = model.joint(i);
    if (joint.v_count == 0) continue;
    const Transform& X = state.X_WL[static_cast<std::size_t>(i)];
    const Vec3 lever = p - X.position;
    const double factor = sign * joint.multiplier;
    // One coordinate axis to turn about is by far the commonest joint: its twist is a column of the frame.
    const LinkKernel& kernel = model.kernels().links[static_cast<std::size_t>(i)];
    const LinkKernel::Op op = kernel.op;
    if (op >= LinkKernel::Op::turn_x && op <= LinkKernel::Op::turn_z) {
      const Vec3 w =
          factor * kernel.sign * X.rotation.col(static_cast<int>(op) - static_cast<int>(LinkKernel::Op::turn_x));
      J.col(joint.v_index).head<3>() += w.cross(lever);
      J.col(joint.v_index).tail<3>() += w;
      continue;
    }
    double value[kMaxJointCoordinates];
    joint_twists(joint.type, joint_coordinates(joint, state, value), twists);
    for (int k = 0; k < joint.v_count; ++k) {
      const Vec3 v = X.rotation * twists[k].head<3>();
      const Vec3 w = X.rotation * twists[k].tail<3>();
      J.col(joint.v_index + k).head<3>() += factor * (v + w.cross(lever));
      J.col(joint.v_index + k).tail<3>() += factor * w;
    }
  }
}

void check_shape(const Model& model, const State& state, const Eigen::Ref<Jacobian>& J) {
  ARMATURE_CHECK(J.cols() == model.v_size(), "jacobian: J must have one column per velocity");
  ARMATURE_DCHECK(state.model == model, "jacobian: the state is of another model");
  static_cast<void>(model), static_cast<void>(state), static_cast<void>(J);
}

}  // namespace

void jacobian(const Model& model, const State& state, int link, const Vec3& point, Eigen::Ref<Jacobian> J,
              JacobianFrame frame) {
  check_shape(model, state, J);
  const Transform& X = state.X_WL[static_cast<std::size_t>(link)];
  J.setZero();
  add_columns(model, state, link, kWorld, X * point, 1.0, J);
  if (frame == JacobianFrame::link) {
    for (Eigen::Index c = 0; c < J.cols(); ++c) {
      const Vec3 v = X.rotation.transpose() * J.col(c).head<3>();
      const Vec3 w = X.rotation.transpose() * J.col(c).tail<3>();
      J.col(c) << v, w;
    }
  }
}

void relative_jacobian(const Model& model, const State& state, int base, int link, const Vec3& point,
                       Eigen::Ref<Jacobian> J) {
  if (base == kWorld) return jacobian(model, state, link, point, J);
  check_shape(model, state, J);
  // Joints above the lowest common ancestor move both alike. In depth-first order the larger index is never the
  // ancestor of the smaller, so stepping the larger one up meets there.
  int a = base;
  int b = link;
  while (a != b) (a > b ? a : b) = model.parent(a > b ? a : b);
  const Vec3 p = state.X_WL[static_cast<std::size_t>(link)] * point;
  J.setZero();
  add_columns(model, state, link, a, p, 1.0, J);
  add_columns(model, state, base, a, p, -1.0, J);
  const Mat3 back = state.X_WL[static_cast<std::size_t>(base)].rotation.transpose();
  for (Eigen::Index c = 0; c < J.cols(); ++c) {
    const Vec3 v = back * J.col(c).head<3>();
    const Vec3 w = back * J.col(c).tail<3>();
    J.col(c) << v, w;
  }
}

void jacobian_at_world_point(const Model& model, const State& state, int link, const Vec3& target,
                             Eigen::Ref<Jacobian> J) {
  check_shape(model, state, J);
  J.setZero();
  add_columns(model, state, link, kWorld, target, 1.0, J);
}

}  // namespace armature::inline v0_2
