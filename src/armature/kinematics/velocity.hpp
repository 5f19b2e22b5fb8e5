// How links move while the joints do: velocities, accelerations, and the Jacobian's rate of change.
//
//   link_velocities(model, state, v, velocities);                  // of all links, world axes
//   link_accelerations(model, state, v, a, velocities, accelerations);
//   jacobian_derivative(model, state, v, velocities, link, point, dJ);   // acceleration of the point = J a + dJ v
//
// `v` and `a` have model.v_size() numbers: rates of the coordinates, of a quaternion the angular velocity in the
// child's frame. One pass over the links each; nothing is allocated once the lists have their size.
#pragma once

#include <string>
#include <vector>

#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/jacobian.hpp"

namespace armature::inline v0_2 {

/// Velocity of a link (of its origin, and its turning) or its acceleration; world axes unless said otherwise.
struct Twist {
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();

  /// Velocity of a point of the link, `from_origin` away from its origin (same axes). Not for accelerations.
  Vec3 at(const Vec3& from_origin) const { return linear + angular.cross(from_origin); }
};

void link_velocities(const Model& model, const State& state, const double* v, std::vector<Twist>& out);
/// `velocities`: what link_velocities() gave for the same v.
void link_accelerations(const Model& model, const State& state, const double* v, const double* a,
                        const std::vector<Twist>& velocities, std::vector<Twist>& out);

/// Of `link` as seen from `base` (a link or kWorld), in the base's axes.
Twist relative_velocity(const State& state, const std::vector<Twist>& velocities, int base, int link);
Twist relative_acceleration(const State& state, const std::vector<Twist>& velocities,
                            const std::vector<Twist>& accelerations, int base, int link);

/// Time derivative of jacobian(model, state, link, point, J, frame) while the joints move with v.
void jacobian_derivative(const Model& model, const State& state, const double* v, const std::vector<Twist>& velocities,
                         int link, const Vec3& point, Eigen::Ref<Jacobian> dJ,
                         JacobianFrame frame = JacobianFrame::world);

/// "elbow", "base.x", "shoulder.wx" (about the x axis of the ball's child): what each velocity is called in tables.
std::string velocity_name(const Model& model, int velocity);

}  // namespace armature::inline v0_2
