#include "armature/kinematics/velocity.hpp"

#include "armature/base/index.hpp"

namespace armature::inline v0_2 {
namespace {

// One joint as it moves: its twists in the child's frame, and their rates.
//
// A joint's transform is a product of one-parameter motions in the order of its coordinates, so that the twist of
// coordinate k, seen from the child, changes with all that come after it: dS_k = -[sum of S_j v_j over j > k, S_k]. A
// quaternion's three velocities are given in the child's frame already and do not change each other's.
struct MovingJoint {
  Vec6 twist[kMaxJointVelocities];
  Vec6 rate[kMaxJointVelocities];
  double factor = 1.0;  // of a mimic
};

Vec6 bracket(const Vec6& a, const Vec6& b) {
  const Vec3 va = a.head<3>(), wa = a.tail<3>(), vb = b.head<3>(), wb = b.tail<3>();
  Vec6 out;
  out << wa.cross(vb) + va.cross(wb), wa.cross(wb);
  return out;
}

MovingJoint moving(const ModelJoint& joint, const State& state, const double* v) {
  MovingJoint out;
  out.factor = joint.multiplier;
  double value[kMaxJointCoordinates];
  joint_twists(joint.type, joint_coordinates(joint, state, value), out.twist);
  const int ball = joint.q_count != joint.v_count ? joint.v_count - 3 : joint.v_count;  // first of a quaternion's
  Vec6 after = Vec6::Zero();
  for (int k = joint.v_count - 1; k >= 0; --k) {
    if (k >= ball) {
      out.rate[k].setZero();
    } else {
      out.rate[k] = -bracket(after, out.twist[k]);
    }
    after += out.factor * v[joint.v_index + k] * out.twist[k];
  }
  return out;
}

}  // namespace

void link_velocities(const Model& model, const State& state, const double* v, std::vector<Twist>& out) {
  out.resize(at(model.link_count()));
  Vec6 twists[kMaxJointVelocities];
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& joint = model.joint(i);
    const Transform& X = state.X_WL[at(i)];
    Twist motion;
    if (joint.parent >= 0) {
      const Twist& parent = out[at(joint.parent)];
      motion = {parent.at(X.position - state.X_WL[at(joint.parent)].position), parent.angular};
    }
    if (joint.v_count > 0) {
      double value[kMaxJointCoordinates];
      joint_twists(joint.type, joint_coordinates(joint, state, value), twists);
      Vec6 own = Vec6::Zero();
      for (int k = 0; k < joint.v_count; ++k) own += joint.multiplier * v[joint.v_index + k] * twists[k];
      motion.linear += X.rotation * own.head<3>();
      motion.angular += X.rotation * own.tail<3>();
    }
    out[at(i)] = motion;
  }
}

void link_accelerations(const Model& model, const State& state, const double* v, const double* a,
                        const std::vector<Twist>& velocities, std::vector<Twist>& out) {
  ARMATURE_CHECK(velocities.size() == at(model.link_count()), "link_accelerations: velocities of another model");
  out.resize(at(model.link_count()));
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& joint = model.joint(i);
    const Transform& X = state.X_WL[at(i)];
    const Twist& velocity = velocities[at(i)];
    Twist motion;
    if (joint.parent >= 0) {
      const Twist& above = velocities[at(joint.parent)];
      const Twist& parent = out[at(joint.parent)];
      const Vec3 r = X.position - state.X_WL[at(joint.parent)].position;
      motion.linear = parent.linear + parent.angular.cross(r) + above.angular.cross(velocity.linear - above.linear);
      motion.angular = parent.angular;
    }
    if (joint.v_count > 0) {
      const MovingJoint moved = moving(joint, state, v);
      Vec6 own = Vec6::Zero();
      Vec6 change = Vec6::Zero();
      for (int k = 0; k < joint.v_count; ++k) {
        const int n = joint.v_index + k;
        own += moved.factor * v[n] * moved.twist[k];
        change += moved.factor * (a[n] * moved.twist[k] + v[n] * moved.rate[k]);
      }
      const Vec3 u = X.rotation * own.head<3>(), w = X.rotation * own.tail<3>();
      motion.linear += velocity.angular.cross(u) + X.rotation * change.head<3>();
      motion.angular += velocity.angular.cross(w) + X.rotation * change.tail<3>();
    }
    out[at(i)] = motion;
  }
}

Twist relative_velocity(const State& state, const std::vector<Twist>& velocities, int base, int link) {
  if (link == kWorld && base == kWorld) return {};
  const Twist own = link == kWorld ? Twist{} : velocities[at(link)];
  if (base == kWorld) return own;
  const Transform& B = state.X_WL[at(base)];
  const Twist& carried = velocities[at(base)];
  const Vec3 origin = link == kWorld ? Vec3(Vec3::Zero()) : state.X_WL[at(link)].position;
  return {B.rotation.transpose() * (own.linear - carried.at(origin - B.position)),
          B.rotation.transpose() * (own.angular - carried.angular)};
}

Twist relative_acceleration(const State& state, const std::vector<Twist>& velocities,
                            const std::vector<Twist>& accelerations, int base, int link) {
  if (link == kWorld && base == kWorld) return {};
  const Twist own = link == kWorld ? Twist{} : accelerations[at(link)];
  if (base == kWorld) return own;
  const Transform& B = state.X_WL[at(base)];
  const Vec3 r = (link == kWorld ? Vec3(Vec3::Zero()) : state.X_WL[at(link)].position) - B.position;
  const Twist seen = relative_velocity(state, velocities, base, link);
  const Vec3 w = velocities[at(base)].angular;
  const Twist& carried = accelerations[at(base)];
  // What the base's own motion adds: Euler, centrifugal and Coriolis parts.
  const Vec3 linear = own.linear - carried.linear - carried.angular.cross(r) - w.cross(w.cross(r)) -
                      2.0 * w.cross(B.rotation * seen.linear);
  const Vec3 angular = own.angular - carried.angular - w.cross(B.rotation * seen.angular);
  return {B.rotation.transpose() * linear, B.rotation.transpose() * angular};
}

void jacobian_derivative(const Model& model, const State& state, const double* v, const std::vector<Twist>& velocities,
                         int link, const Vec3& point, Eigen::Ref<Jacobian> dJ, JacobianFrame frame) {
  ARMATURE_CHECK(dJ.cols() == model.v_size(), "jacobian_derivative: dJ must have one column per velocity");
  ARMATURE_CHECK(velocities.size() == at(model.link_count()), "jacobian_derivative: velocities of another model");
  dJ.setZero();
  const Transform& tip = state.X_WL[at(link)];
  const Vec3 p = tip * point;
  const Vec3 p_rate = velocities[at(link)].at(p - tip.position);
  const Vec3 turning = velocities[at(link)].angular;
  for (int i = link; i != kWorld; i = model.parent(i)) {
    const ModelJoint& joint = model.joint(i);
    if (joint.v_count == 0) continue;
    const MovingJoint moved = moving(joint, state, v);
    const Mat3& R = state.X_WL[at(i)].rotation;
    const Vec3 lever = p - state.X_WL[at(i)].position;
    const Vec3 lever_rate = p_rate - velocities[at(i)].linear;
    const Vec3& carried = velocities[at(i)].angular;
    for (int k = 0; k < joint.v_count; ++k) {
      const Vec3 u = R * moved.twist[k].head<3>(), w = R * moved.twist[k].tail<3>();
      const Vec3 u_rate = carried.cross(u) + R * moved.rate[k].head<3>();
      const Vec3 w_rate = carried.cross(w) + R * moved.rate[k].tail<3>();
      Vec3 linear = u_rate + w_rate.cross(lever) + w.cross(lever_rate);
      Vec3 angular = w_rate;
      if (frame == JacobianFrame::link) {  // the axes turn away under the rows
        linear = tip.rotation.transpose() * (linear - turning.cross(u + w.cross(lever)));
        angular = tip.rotation.transpose() * (angular - turning.cross(w));
      }
      dJ.col(joint.v_index + k).head<3>() += moved.factor * linear;
      dJ.col(joint.v_index + k).tail<3>() += moved.factor * angular;
    }
  }
}

std::string velocity_name(const Model& model, int velocity) {
  const ModelJoint& joint = model.joint(model.velocity_joint(velocity));
  if (joint.v_count == 1) return joint.name;
  const int k = velocity - joint.v_index;
  const int scalars = joint.q_count == joint.v_count ? joint.q_count : joint.q_count - 4;
  if (k < scalars) return model.coordinate_name(joint.q_index + k);
  return joint.name + ".w" + "xyz"[k - scalars];
}

}  // namespace armature::inline v0_2
