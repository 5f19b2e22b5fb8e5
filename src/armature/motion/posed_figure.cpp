#include "armature/motion/posed_figure.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/geom/shortest_turn.hpp"
#include "armature/kinematics/joint_fit.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {

Mat3 turn_between(const Vec3& a, const Vec3& b) {
  if (!(a.norm() > 1e-12 && b.norm() > 1e-12)) return Mat3::Identity();
  return quaternion_between(a, b).normalized().toRotationMatrix();
}

PosedFigure::PosedFigure(const Model& model, bool limits) : X(at(model.link_count())), model_(model), limits_(limits) {}

Transform PosedFigure::joint_frame(int link) const {
  const ModelJoint& joint = model_.joint(link);
  return joint.parent >= 0 ? X[at(joint.parent)] * joint.origin : joint.origin;
}
void PosedFigure::set_frame(int link, const VecX& q) {
  const ModelJoint& joint = model_.joint(link);
  if (joint.mimic) {
    const double value = joint.multiplier * q[joint.q_index] + joint.offset;
    X[at(link)] = joint_frame(link) * joint_transform(joint.type, &value);
  } else {
    X[at(link)] = joint_frame(link) * joint_transform(joint.type, q.data() + joint.q_index);
  }
}
void PosedFigure::set_frames(int first, int end, const VecX& q) {
  for (int i = first; i < end; ++i) set_frame(i, q);
}
// The joint's coordinates that come nearest to the wanted frame of its link, inside limits.
void PosedFigure::fit(int link, const Transform& wanted, VecX& q) const {
  const ModelJoint& joint = model_.joint(link);
  if (joint.mimic || joint.q_count == 0) return;
  double* own = q.data() + joint.q_index;
  const std::span<const Coordinate> kinds = coordinates(joint.type);
  double kept[kMaxJointCoordinates];
  fit_coordinates(joint.type, joint_frame(link).inverse() * wanted, own, kept);
  for (int k = 0; k < joint.q_count; ++k) {
    own[k] = kept[k];
    const double lower = model_.lower()[joint.q_index + k];
    const double upper = model_.upper()[joint.q_index + k];
    if (kinds[at(k)] == Coordinate::quaternion || !limits_) continue;
    if (kinds[at(k)] == Coordinate::angle && (own[k] < lower || own[k] > upper)) {
      for (const double turn : {-2.0 * kPi, 2.0 * kPi}) {  // a whole turn away may lie inside
        if (own[k] + turn >= lower && own[k] + turn <= upper) own[k] += turn;
      }
    }
    own[k] = std::clamp(own[k], lower, upper);
  }
  if (joint.cone && limits_) {
    double* quaternion = own + joint.q_count - 4;
    Quat turn(quaternion[3], quaternion[0], quaternion[1], quaternion[2]);
    clamp_to_cone(*joint.cone, turn);
    for (int k = 0; k < 4; ++k) quaternion[k] = turn.coeffs()[k];
  }
}

// The angle at which the limb's ends are `distance` apart: |a + R(angle) b| with a, b seen from the hinge.
void PosedFigure::bend_hinge(const FigureLimb& l, const Revolute& hinge, double distance, VecX& q) {
  const ModelJoint& joint = model_.joint(l.lower);
  const Transform X_JU = joint.origin.inverse();
  const Vec3 a = -X_JU.position;                                    // from the upper joint to the hinge
  const Vec3 b = X[at(l.lower)].inverse() * X[at(l.end)].position;  // on to the end, in the lower link
  const Vec3& n = hinge.axis;
  const Vec3 across = b - n * n.dot(b);
  const double A = a.dot(across);
  const double B = a.dot(n.cross(b));
  const double C = n.dot(a) * n.dot(b);
  const double K = 0.5 * (distance * distance - a.squaredNorm() - b.squaredNorm()) - C;
  const double R = math::hypot(A, B);
  if (!(R > 1e-12)) return;
  const double middle = math::atan2(B, A);
  const double open = math::acos(std::clamp(K / R, -1.0, 1.0));
  double& angle = q[joint.q_index];
  const double lower = limits_ ? model_.lower()[joint.q_index] : -INFINITY;
  const double upper = limits_ ? model_.upper()[joint.q_index] : INFINITY;
  double best = INFINITY;
  double chosen = angle;
  for (const double candidate : {middle + open, middle - open}) {
    const double near = candidate + 2.0 * kPi * std::round((angle - candidate) / (2.0 * kPi));
    const double inside = std::clamp(near, lower, upper);
    const double cost = 10.0 * std::abs(inside - near) + std::abs(near - angle);
    if (cost < best) {
      best = cost;
      chosen = inside;
    }
  }
  angle = chosen;
  set_frames(l.lower, l.end + 1, q);
}

// The middle is a ball (motion files): turn it in the plane in which the limb is bent already.
void PosedFigure::bend_ball(const FigureLimb& l, double distance, VecX& q) {
  const Vec3 root = X[at(l.upper)].position;
  const Vec3 elbow = X[at(l.lower)].position;
  const Vec3 a = root - elbow;
  const Vec3 b = X[at(l.end)].position - elbow;
  Vec3 normal = a.cross(b);
  if (!(normal.norm() > 1e-6 * a.norm() * b.norm())) normal = X[at(l.lower)].rotation * Vec3::UnitX();
  normal.normalize();
  const double cosine = (a.squaredNorm() + b.squaredNorm() - distance * distance) / (2.0 * a.norm() * b.norm());
  const double wanted = math::acos(std::clamp(cosine, -1.0, 1.0));
  const double now = math::atan2(a.cross(b).dot(normal), a.dot(b));
  Transform bent = X[at(l.lower)];
  bent.rotation = Transform::rotate(normal, wanted - now).rotation * bent.rotation;
  fit(l.lower, bent, q);
  set_frames(l.lower, l.end + 1, q);
}

// Where limits of the upper joint kept the end from its place: a few more turns of both, nearest first.
void PosedFigure::settle(const FigureLimb& l, const Vec3& place, double tolerance, VecX& q) {
  for (int i = 0; i < 8; ++i) {
    const double off = (X[at(l.end)].position - place).norm();
    if (off < tolerance) return;
    for (const int link : {l.lower, l.upper}) {
      Transform turned = X[at(link)];
      const Vec3 pivot = turned.position;
      turned.rotation = turn_between(X[at(l.end)].position - pivot, place - pivot) * turned.rotation;
      fit(link, turned, q);
      set_frames(link, l.end + 1, q);
    }
  }
}

void PosedFigure::bend(const FigureLimb& l, double distance, VecX& q) {
  const ModelJoint& hinge = model_.joint(l.lower);
  const Revolute* revolute = std::get_if<Revolute>(&hinge.type);
  if (const Continuous* continuous = std::get_if<Continuous>(&hinge.type)) revolute = continuous;
  if (revolute != nullptr && hinge.parent == l.upper && !hinge.mimic) {
    bend_hinge(l, *revolute, distance, q);
  } else {
    bend_ball(l, distance, q);
  }
}

}  // namespace armature::inline v0_2
