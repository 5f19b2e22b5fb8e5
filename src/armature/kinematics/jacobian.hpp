// The Jacobian of any point of any link: how the link's twist follows from the velocities (eqs 5.6-5.17).
// Rows: linear velocity of the point, then angular velocity. Columns: model.v_size() velocities; a mimic joint's column
// is added, times its multiplier, to its source's.
#pragma once

#include "armature/kinematics/forward.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

enum class JacobianFrame { world, link };  // axes in which the rows are expressed

/// `point` is in the link's frame. J must be 6 x model.v_size(); all of it is written.
void jacobian(const Model& model, const State& state, int link, const Vec3& point, Eigen::Ref<Jacobian> J,
              JacobianFrame frame = JacobianFrame::world);

/// At a pose, for short programs: 6 x v_size, linear rows then angular, world axes. Throws for a link that does not
/// exist.
inline Jacobian jacobian(const Model& model, const VecX& q, const LinkRef& link, const Vec3& point = Vec3::Zero()) {
  const State state = forward(model, q);
  Jacobian J(6, model.v_size());
  jacobian(model, state, resolve(model, link).value(), point, J);
  return J;
}

/// Twist of `link` relative to `base` (a link, or kWorld): columns of joints that move both alike vanish. Expressed in
/// the base's axes, at `point` of the link.
void relative_jacobian(const Model& model, const State& state, int base, int link, const Vec3& point,
                       Eigen::Ref<Jacobian> J);

/// As jacobian() in world axes, but levers measured to `target` (world) instead of the link's own point: the textbook's
/// alternative Jacobian, which pulls the goal towards the effector.
void jacobian_at_world_point(const Model& model, const State& state, int link, const Vec3& target,
                             Eigen::Ref<Jacobian> J);

}  // namespace armature::inline v0_2
