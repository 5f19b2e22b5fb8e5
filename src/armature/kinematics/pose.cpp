#include "armature/kinematics/pose.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {
namespace {

Quat read_quaternion(const double* q) { return joint_detail::quaternion(q); }
void write_quaternion(const Quat& r, double* q) {
  for (int k = 0; k < 4; ++k) q[k] = r.coeffs()[k];
}

// Offset of the quaternion within a joint's coordinates, or -1.
int quaternion_offset(const JointType& type) {
  const std::span<const Coordinate> kinds = coordinates(type);
  return !kinds.empty() && kinds.back() == Coordinate::quaternion ? static_cast<int>(kinds.size()) - 4 : -1;
}

// Uniform over all rotations (Shoemake 1992).
Quat random_rotation(Rng& rng) {
  const double u = rng.uniform();
  const double a = 2.0 * kPi * rng.uniform();
  const double b = 2.0 * kPi * rng.uniform();
  const double r1 = std::sqrt(1.0 - u);
  const double r2 = std::sqrt(u);
  return Quat(r2 * math::cos(b), r1 * math::sin(a), r1 * math::cos(a), r2 * math::sin(b));
}

// Swing uniform over the cap of the sphere, twist uniform in its range.
Quat random_in_cone(const ConeLimit& cone, Rng& rng) {
  const double cos_swing = 1.0 - rng.uniform() * (1.0 - math::cos(std::min(cone.swing, kPi)));
  const double swing = math::acos(std::clamp(cos_swing, -1.0, 1.0));
  const double around = 2.0 * kPi * rng.uniform();
  const Vec3 u = cone.axis.unitOrthogonal();
  const Vec3 hinge = u * math::cos(around) + cone.axis.cross(u) * math::sin(around);
  const double twist = rng.uniform(cone.twist_lower, cone.twist_upper);
  return quaternion_about(hinge, swing) * quaternion_about(cone.axis, twist);
}

template <class F>
void for_each_own_joint(const Model& model, F&& f) {
  for (const ModelJoint& joint : model.joints()) {
    if (!joint.mimic && joint.q_count > 0) f(joint);
  }
}

}  // namespace

VecX neutral_pose(const Model& model) {
  VecX q(model.q_size());
  for_each_own_joint(model, [&](const ModelJoint& j) { neutral_coordinates(j.type, q.data() + j.q_index); });
  return q;
}

VecX middle_pose(const Model& model) {
  VecX q = neutral_pose(model);
  for (int i = 0; i < model.q_size(); ++i) {
    const double middle = 0.5 * model.lower()[i] + 0.5 * model.upper()[i];
    if (std::isfinite(middle)) q[i] = middle;
  }
  clamp(model, q);
  return q;
}

VecX random_pose(const Model& model, Rng& rng) {
  VecX q(model.q_size());
  for_each_own_joint(model, [&](const ModelJoint& joint) {
    const int at = quaternion_offset(joint.type);
    const int scalars = at >= 0 ? at : joint.q_count;
    for (int k = 0; k < scalars; ++k) {
      const int i = joint.q_index + k;
      const bool angle = model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::angle;
      const double span = angle ? kPi : model.size();
      double low = model.lower()[i];
      double high = model.upper()[i];
      if (!std::isfinite(low)) low = std::isfinite(high) ? std::min(-span, high - span) : -span;
      if (!std::isfinite(high)) high = std::max(span, low + span);
      q[i] = std::clamp(rng.uniform(low, high), low, high);
    }
    if (at >= 0) {
      write_quaternion(joint.cone ? random_in_cone(*joint.cone, rng) : random_rotation(rng),
                       q.data() + joint.q_index + at);
    }
  });
  return q;
}

bool clamp_to_cone(const ConeLimit& cone, Quat& q) {
  SwingTwist parts = swing_twist(q, cone.axis);
  const double twist = std::clamp(parts.twist, cone.twist_lower, cone.twist_upper);
  Vec3 swing = log_rotation(parts.swing);
  const double angle = swing.norm();
  if (twist == parts.twist && angle <= cone.swing) return false;
  // A hair inside, so that the result passes its own test after rounding.
  if (angle > cone.swing) swing *= cone.swing * (1.0 - 1e-15) / angle;
  q = (exp_rotation(swing) * quaternion_about(cone.axis, twist)).normalized();
  return true;
}

// With a the cone's axis and R the rotation, the swing grows along (R'a x a); the twist t = 2 atan2(v.a, w) grows along
// (w^2 a + w a x v + (a.v) v) / (w^2 + (a.v)^2).
int cone_walls(const ConeLimit& cone, const double* q, Vec3 outward[2]) {
  constexpr double kSlack = 1e-9;
  const Quat r = read_quaternion(q);
  const Vec3& a = cone.axis;
  const double along = r.vec().dot(a);
  const double scale = r.w() * r.w() + along * along;  // cos^2(swing/2)
  int walls = 0;
  const auto add = [&](Vec3 n) {
    if (walls > 0) n -= outward[0] * outward[0].dot(n);
    const double norm = n.norm();
    if (norm > 1e-9) outward[walls++] = n / norm;
  };
  const double swing = 2.0 * math::acos(std::min(1.0, std::sqrt(scale)));
  if (swing >= cone.swing - kSlack) add(r.conjugate() * Vec3(a.cross(r * a)));
  if (scale > 1e-12) {
    const double sign = r.w() < 0.0 ? -1.0 : 1.0;
    const double twist = 2.0 * math::atan2(sign * along, sign * r.w());
    const Vec3 grows = (r.w() * r.w() * a + r.w() * a.cross(r.vec()) + along * r.vec()) / scale;
    if (twist >= cone.twist_upper - kSlack) {
      add(grows);
    } else if (twist <= cone.twist_lower + kSlack) {
      add(-grows);
    }
  }
  return walls;
}

void clamp(const Model& model, const double* lower, const double* upper, double* q) {
  for_each_own_joint(model, [&](const ModelJoint& joint) {
    const int at = quaternion_offset(joint.type);
    const int scalars = at >= 0 ? at : joint.q_count;
    for (int k = 0; k < scalars; ++k) {
      const int i = joint.q_index + k;
      if (!std::isfinite(q[i])) q[i] = 0.0;
      q[i] = std::max(lower[i], std::min(upper[i], q[i]));
    }
    if (at < 0) return;
    double* r = q + joint.q_index + at;
    const Quat given(r[3], r[0], r[1], r[2]);
    const double norm = given.norm();
    const bool usable = std::isfinite(norm) && norm > 1e-100;
    Quat rotation = usable ? (std::abs(norm - 1.0) > 1e-12 ? read_quaternion(r) : given) : Quat(Quat::Identity());
    if (joint.cone) clamp_to_cone(*joint.cone, rotation);
    write_quaternion(rotation, r);
  });
}

bool clamp_start(const Model& model, const double* lower, const double* upper, double* q) {
  bool brought_back = false;
  const double most = kMostTurns * 2.0 * kPi;
  const double farthest = kFarthest * model.size();
  for (int i = 0; i < model.q_size(); ++i) {
    const Coordinate kind = model.coordinate_kinds()[static_cast<std::size_t>(i)];
    if (kind == Coordinate::quaternion || !std::isfinite(q[i])) continue;
    if (std::abs(q[i]) <= (kind == Coordinate::angle ? most : farthest)) continue;
    brought_back = true;
    const ModelJoint& joint = model.joint(model.coordinate_joint(i));
    const bool turns = turn_repeats(joint.type, i - joint.q_index);
    if (turns) {
      q[i] = std::remainder(q[i], 2.0 * kPi);
      if (q[i] < lower[i]) q[i] += 2.0 * kPi * std::ceil((lower[i] - q[i]) / (2.0 * kPi));
      if (q[i] > upper[i]) q[i] -= 2.0 * kPi * std::ceil((q[i] - upper[i]) / (2.0 * kPi));
    } else {
      q[i] = std::copysign(kind == Coordinate::angle ? most : farthest, q[i]);
    }
  }
  clamp(model, lower, upper, q);
  return brought_back;
}

void clamp(const Model& model, double* q) { clamp(model, model.lower().data(), model.upper().data(), q); }

bool inside_limits(const Model& model, const VecX& q, double slack) {
  bool inside = q.size() == model.q_size() && q.allFinite();
  if (!inside) return false;
  for (int i = 0; i < model.q_size(); ++i) {
    inside = inside && q[i] >= model.lower()[i] - slack && q[i] <= model.upper()[i] + slack;
  }
  for_each_own_joint(model, [&](const ModelJoint& joint) {
    const int at = quaternion_offset(joint.type);
    if (at < 0) return;
    const double* r = q.data() + joint.q_index + at;
    const Quat rotation = read_quaternion(r);
    inside = inside && std::abs(Eigen::Map<const Vec4>(r).norm() - 1.0) < 1e-6 + slack;
    if (!joint.cone) return;
    const SwingTwist parts = swing_twist(rotation, joint.cone->axis);
    inside = inside && log_rotation(parts.swing).norm() <= joint.cone->swing + slack &&
             parts.twist >= joint.cone->twist_lower - slack && parts.twist <= joint.cone->twist_upper + slack;
  });
  return inside;
}

void wrap(const Model& model, VecX& q) {
  for (int i = 0; i < model.q_size(); ++i) {
    const ModelJoint& joint = model.joint(model.coordinate_joint(i));
    if (!turn_repeats(joint.type, i - joint.q_index)) continue;  // a screw is elsewhere after a full turn
    const double low = model.lower()[i];
    const double high = model.upper()[i];
    if (!std::isfinite(low) && !std::isfinite(high)) {
      q[i] = wrap_angle(q[i]);
    } else if (q[i] < low || q[i] > high) {
      const double middle = std::isfinite(low) && std::isfinite(high) ? 0.5 * (low + high)
                            : std::isfinite(low)                      ? low + kPi
                                                                      : high - kPi;
      const double turned = q[i] - 2.0 * kPi * std::round((q[i] - middle) / (2.0 * kPi));
      if (turned >= low && turned <= high) q[i] = turned;
    }
  }
}

void integrate(const Model& model, const double* q, const double* v, double* q_out) {
  for_each_own_joint(model, [&](const ModelJoint& j) {
    integrate_coordinates(j.type, q + j.q_index, v + j.v_index, q_out + j.q_index);
  });
}

VecX integrate(const Model& model, const VecX& q, const VecX& v) {
  VecX out(model.q_size());
  integrate(model, q.data(), v.data(), out.data());
  return out;
}

void difference(const Model& model, const double* from, const double* to, double* v) {
  for_each_own_joint(model, [&](const ModelJoint& j) {
    difference_coordinates(j.type, from + j.q_index, to + j.q_index, v + j.v_index);
  });
}

VecX difference(const Model& model, const VecX& from, const VecX& to) {
  VecX v(model.v_size());
  difference(model, from.data(), to.data(), v.data());
  return v;
}

VecX interpolate(const Model& model, const VecX& from, const VecX& to, double t) {
  return integrate(model, from, t * difference(model, from, to));
}

Status set_joint(const Model& model, std::string_view name, const std::vector<double>& values, VecX& q) {
  const Result<int> index = model.find_joint(name);
  if (!index) return index.error();
  const ModelJoint& joint = model.joint(*index);
  if (joint.mimic) {
    return Error{"Joint " + detail::quoted(name) + " follows joint " + detail::quoted(model.joint(joint.source).name) +
                 "; set that one instead."};
  }
  if (static_cast<int>(values.size()) != joint.q_count) {
    return Error{"Joint " + detail::quoted(name) + " (" + type_name(joint.type) + ") takes " +
                 std::to_string(joint.q_count) + (joint.q_count == 1 ? " value" : " values") + ", not " +
                 std::to_string(values.size()) + "."};
  }
  for (const double value : values) {
    if (!std::isfinite(value)) {
      return Error{"Joint " + detail::quoted(name) + " was given " + format_number(value) +
                   ", which is not a finite number."};
    }
  }
  for (std::size_t k = 0; k < values.size(); ++k) q[joint.q_index + static_cast<int>(k)] = values[k];
  const int at = quaternion_offset(joint.type);
  if (at >= 0) {
    double* r = q.data() + joint.q_index + at;
    if (Eigen::Map<const Vec4>(r).norm() < 1e-9) {
      return Error{"Joint " + detail::quoted(name) + " was given a zero quaternion; it needs x, y, z, w of length 1."};
    }
    write_quaternion(read_quaternion(r), r);
  }
  return {};
}

// Declared in model/model.hpp; here, as what poses are is said here.
Result<VecX> Model::find_pose(std::string_view name) const {
  std::vector<std::string> names;
  for (const ModelPose& pose : poses()) {
    if (pose.name == name) return pose.q;
    names.push_back(pose.name);
  }
  if (name == "neutral") return neutral_pose(*this);
  if (name == "middle") return middle_pose(*this);
  names.emplace_back("neutral");
  names.emplace_back("middle");
  return Error{unknown_name("pose", name, names)};
}

Result<VecX> Model::find_pose(std::span<const JointValue> values) const {
  VecX q = neutral_pose(*this);
  for (const JointValue& value : values) {
    if (Status status = set_joint(*this, value.joint, value.values, q); !status) return status.error();
  }
  return q;
}

}  // namespace armature::inline v0_2
