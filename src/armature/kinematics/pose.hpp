// Pose vectors: neutral, random, clamped, integrated, compared, interpolated.
#pragma once

#include <string_view>

#include "armature/base/result.hpp"
#include "armature/base/rng.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// Zeros and identity quaternions: the rest position of the description (it may lie outside the limits; see clamp).
VecX neutral_pose(const Model& model);
/// Middle of the limits; neutral (then clamped) where a coordinate has no two finite limits.
VecX middle_pose(const Model& model);
/// Uniform within limits; unlimited angles in [-pi, pi), unlimited lengths within +-size of the model; quaternions
/// uniform over rotations (within their cone).
VecX random_pose(const Model& model, Rng& rng);

/// Into limits: each coordinate to the nearest bound, quaternions normalised and into their cone. NaN becomes neutral.
void clamp(const Model& model, double* q);
void clamp(const Model& model, const double* lower, const double* upper, double* q);  // with other limits
inline void clamp(const Model& model, VecX& q) { clamp(model, q.data()); }
/// A pose that a search can start from: clamped, and where a coordinate is so large that double precision no longer
/// resolves the motion (more than kMostTurns full turns, kFarthest times the model's size), first brought back: a turn
/// by whole turns, as near to zero as its limits allow, a length to that distance. True when one was brought back.
bool clamp_start(const Model& model, const double* lower, const double* upper, double* q);
inline constexpr double kMostTurns = 16.0;
inline constexpr double kFarthest = 1e6;
/// True when clamp would move nothing by more than `slack`.
bool inside_limits(const Model& model, const VecX& q, double slack = 1e-9);
/// Unlimited angles to [-pi, pi); limited angles by full turns into their limits where that is possible.
void wrap(const Model& model, VecX& q);

/// q_out = q (+) v, v of model.v_size() velocities for unit time. q_out may be q. Does not clamp.
void integrate(const Model& model, const double* q, const double* v, double* q_out);
VecX integrate(const Model& model, const VecX& q, const VecX& v);
/// The velocity that leads from `from` to `to` in unit time, the short way round.
void difference(const Model& model, const double* from, const double* to, double* v);
VecX difference(const Model& model, const VecX& from, const VecX& to);
/// from (+) t * difference(from, to).
VecX interpolate(const Model& model, const VecX& from, const VecX& to, double t);

/// Turns the quaternion into its joint's cone: nearest swing, nearest twist. True when it moved.
bool clamp_to_cone(const ConeLimit& cone, Quat& q);

/// The directions (of angular velocity in the child's frame, unit, orthogonal to each other) in which a ball at its
/// cone cannot turn further: none, one or two. `r`: the quaternion, x y z w.
int cone_walls(const ConeLimit& cone, const double* r, Vec3 outward[2]);

/// Sets the named joint's coordinates; the error names the joint, the count, and what would be right.
Status set_joint(const Model& model, std::string_view joint, const std::vector<double>& values, VecX& q);

}  // namespace armature::inline v0_2
