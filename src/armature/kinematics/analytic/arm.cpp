#include "armature/kinematics/analytic/arm.hpp"

#include <algorithm>
#include <cmath>

namespace armature::inline v0_2::analytic {

Arm make_arm(const std::vector<ChainJoint>& joints, const Transform& tip) {
  ARMATURE_CHECK(joints.size() <= kMaxArmJoints, "make_arm: at most kMaxArmJoints joints");
  Arm arm;
  Transform X;
  for (const ChainJoint& joint : joints) {
    X = X * joint.origin;
    arm.slides[arm.count] = joint.kind == ChainJointKind::prismatic;
    arm.axis[arm.count] = (X.rotation * joint.axis).normalized();
    arm.point[arm.count++] = X.position;
  }
  arm.tip = X * tip;
  // The unit: half of what the links would measure with the points slid along their axes to where they are near their
  // neighbours, as make_chain() does.
  const Chain chain = make_chain(joints, tip);
  arm.length = 2.0 * chain.length;
  arm.origin = arm.count > 0 ? arm.point[0] : Vec3::Zero();
  for (int i = 0; i < arm.count; ++i) arm.point[i] = (arm.point[i] - arm.origin) / arm.length;
  arm.tip = arm.to_units(arm.tip);
  return arm;
}

Arm make_arm(const ModelChain& chain) {
  // The tip's frame after the last joint, from the chain itself: make_chain() keeps only its own form of it.
  std::vector<double> zero(chain.joints.size(), 0.0);
  Transform X_BT, X;
  forward(chain.chain, zero.data(), X_BT);
  for (const ChainJoint& joint : chain.joints) X = X * joint.origin;
  return make_arm(chain.joints, X.inverse() * X_BT);
}

Transform joint_motion(const Arm& arm, int joint, double value) {
  if (arm.slides[joint]) return Transform::translate(arm.axis[joint] * value);
  Transform turn = Transform::rotate(arm.axis[joint], value);
  turn.position = arm.point[joint] - turn.rotation * arm.point[joint];
  return turn;
}

Transform forward(const Arm& arm, const double* values) {
  Transform X;
  for (int i = 0; i < arm.count; ++i) X = X * joint_motion(arm, i, values[i]);
  return X * arm.tip;
}

Arm mirrored(const Arm& arm) {
  Arm out = arm;
  for (int i = 0; i < arm.count; ++i) {
    const int from = arm.count - 1 - i;
    out.slides[i] = arm.slides[from];
    out.axis[i] = -arm.axis[from];
    out.point[i] = arm.point[from];
  }
  return out;
}

Arm with_locked(const Arm& arm, int joint, double value) {
  Arm out = arm;
  const Transform moved = joint_motion(arm, joint, value);
  out.count = arm.count - 1;
  for (int i = joint; i < out.count; ++i) {
    out.slides[i] = arm.slides[i + 1];
    out.axis[i] = moved.rotation * arm.axis[i + 1];
    out.point[i] = moved * arm.point[i + 1];
  }
  out.tip = moved * arm.tip;
  return out;
}

double parallel_gap(const Arm& arm, int i, int j) { return arm.axis[i].cross(arm.axis[j]).norm(); }

double meeting_gap(const Arm& arm, int i, int j) {
  const Vec3 normal = arm.axis[i].cross(arm.axis[j]), between = arm.point[j] - arm.point[i];
  const double size = normal.norm();
  return size < 1e-9 ? between.cross(arm.axis[i]).norm() : std::abs(between.dot(normal)) / size;
}

Vec3 meeting_point(const Arm& arm, int first, int count, double& gap) {
  Mat3 A = Mat3::Zero();
  Vec3 b = Vec3::Zero();
  for (int i = first; i < first + count; ++i) {
    const Mat3 across = Mat3::Identity() - arm.axis[i] * arm.axis[i].transpose();
    A += across;
    b += across * arm.point[i];
  }
  const Vec3 x = A.inverse() * b;  // 3 x 3: by cofactors
  gap = x.allFinite() ? 0.0 : 1e9;
  for (int i = first; i < first + count; ++i) {
    gap = std::max(gap, (x - arm.point[i]).cross(arm.axis[i]).norm());
  }
  return x;
}

Mat3 frame_about(const Vec3& z) {
  Vec3 x = std::abs(z.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
  x = (x - z * z.dot(x)).normalized();
  Mat3 frame;
  frame << x, z.cross(x), z;
  return frame;
}

void store(const Mat3& m, double* out) {
  for (int i = 0; i < 9; ++i) out[i] = m(i / 3, i % 3);
}
void store(const Vec3& v, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = v[i];
}
void store(const Transform& x, double* out) {
  store(x.rotation, out);
  store(x.position, out + 9);
}

}  // namespace armature::inline v0_2::analytic
