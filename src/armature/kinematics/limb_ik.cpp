#include "armature/kinematics/limb_ik.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/base/suggest.hpp"
#include "armature/geom/shortest_turn.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/joint_fit.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

bool turns_as_ball(const JointType& type) {
  return std::holds_alternative<Spherical>(type) || std::holds_alternative<Euler>(type) ||
         std::holds_alternative<Free>(type) || std::holds_alternative<FreeEuler>(type);
}
const Revolute* hinge_of(const JointType& type) {
  if (const auto* continuous = std::get_if<Continuous>(&type)) return continuous;
  return std::get_if<Revolute>(&type);
}

// The joint's coordinates for a rotation of its link in the world, inside limits; the frame that comes of them.
Transform turn_joint(const Model& model, int link, const Transform& joint_frame, const Mat3& rotation, double* q) {
  const ModelJoint& joint = model.joint(link);
  double* own = q + joint.q_index;
  const Transform now = joint_transform(joint.type, own);
  const Transform wanted{now.position, joint_frame.rotation.transpose() * rotation};
  fit_coordinates(joint.type, wanted, own, own);
  for (int k = 0; k < joint.q_count; ++k) {
    own[k] = std::clamp(own[k], model.lower()[joint.q_index + k], model.upper()[joint.q_index + k]);
  }
  if (joint.cone) {
    double* r = own + joint.q_count - 4;
    Quat turn(r[3], r[0], r[1], r[2]);
    if (clamp_to_cone(*joint.cone, turn)) {
      for (int k = 0; k < 4; ++k) r[k] = turn.coeffs()[k];
    }
  }
  return joint_frame * joint_transform(joint.type, own);
}

Transform frame_before(const Model& model, int link, const State& state) {
  const ModelJoint& joint = model.joint(link);
  return joint.parent >= 0 ? state.X_WL[at(joint.parent)] * joint.origin : joint.origin;
}

Mat3 turn_to(const Vec3& from, const Vec3& to) {
  if (!(from.squaredNorm() > 0.0 && to.squaredNorm() > 0.0)) return Mat3::Identity();
  return quaternion_between(from, to).normalized().toRotationMatrix();
}

}  // namespace

Result<LimbIk> LimbIk::make(const Model& model, int upper, int lower, int end) {
  const int n = model.link_count();
  if (upper < 0 || lower <= upper || end <= lower || end >= n || lower >= model.subtree_end(upper) ||
      end >= model.subtree_end(lower)) {
    return Error{"A limb is three links, each below the one before."};
  }
  if (model.parent(lower) != upper || model.joint(upper).mimic || !turns_as_ball(model.joint(upper).type)) {
    return Error{"A limb begins with a ball at " + detail::quoted(model.link_name(upper)) + ", with " +
                 detail::quoted(model.link_name(lower)) + " right below it; other limbs are for solve()."};
  }
  LimbIk limb;
  limb.model_ = model;
  limb.upper_ = upper;
  limb.lower_ = lower;
  limb.end_ = end;
  limb.hinge_ = hinge_of(model.joint(lower).type) != nullptr;
  if (model.joint(lower).mimic || (!limb.hinge_ && !turns_as_ball(model.joint(lower).type))) {
    return Error{"The middle of a limb is a hinge or a ball; " + detail::quoted(model.link_name(lower)) +
                 " has neither."};
  }
  return limb;
}

Result<LimbIk> LimbIk::make(const Model& model, std::string_view upper, std::string_view lower, std::string_view end) {
  int links[3];
  const std::string_view names[3] = {upper, lower, end};
  for (int k = 0; k < 3; ++k) {
    const Result<int> link = model.find_link(names[k]);
    if (!link) return link.error();
    links[k] = *link;
  }
  return make(model, links[0], links[1], links[2]);
}

double LimbIk::length(const State& state) const {
  const Vec3& knee = state.X_WL[at(lower_)].position;
  return (knee - state.X_WL[at(upper_)].position).norm() + (state.X_WL[at(end_)].position - knee).norm();
}

double LimbIk::reach(const Vec3& wanted, const LimbReach& how, double* q, State& state) const {
  const double weight = std::clamp(how.weight, 0.0, 1.0);
  const Vec3 root = state.X_WL[at(upper_)].position;
  const Vec3 a = state.X_WL[at(lower_)].position - root;
  const Vec3 b = state.X_WL[at(end_)].position - state.X_WL[at(lower_)].position;
  const Mat3 end_rotation = state.X_WL[at(end_)].rotation;
  const Vec3 now = a + b;
  const Vec3 goal = now + weight * (wanted - root - now);
  const double full = a.norm() + b.norm();
  if (weight == 0.0 || !(full > 0.0) || !goal.allFinite()) return (wanted - root - now).norm();
  // Out of reach is faded into, never met with a corner.
  const double soft = std::clamp(how.soft, 0.0, 0.5) * full;
  double D = goal.norm();
  if (soft > 0.0 && D > full - soft) D = full - soft * math::exp(-(D - full + soft) / soft);
  D = std::min(D, full);
  // The bend about the hinge at which the ends are D apart: a . R(n, angle) b = A cos + B sin + C.
  const ModelJoint& middle = model_.joint(lower_);
  Vec3 n = hinge_ ? Vec3(state.X_WL[at(lower_)].rotation * hinge_of(middle.type)->axis) : Vec3(a.cross(b));
  if (!hinge_) {
    n = n.squaredNorm() > 1e-16 * math::power(full, 4) ? Vec3(n.normalized())
        : how.pole.isZero(0.0)                         ? a.unitOrthogonal()
                                                       : Vec3(a.cross(how.pole - root).stableNormalized());
  }
  const Vec3 across = n.cross(b);
  const double A = a.dot(b - n * n.dot(b));
  const double B = a.dot(across);
  const double C = n.dot(a) * n.dot(b);
  const double R = math::hypot(A, B);
  double bend = 0.0;
  if (R > 1e-12 * full * full) {
    const double open = math::acos(std::clamp((0.5 * (D * D - a.squaredNorm() - b.squaredNorm()) - C) / R, -1.0, 1.0));
    const double middle_angle = math::atan2(B, A);
    const double low = hinge_ ? model_.lower()[middle.q_index] - q[middle.q_index] : -INFINITY;
    const double high = hinge_ ? model_.upper()[middle.q_index] - q[middle.q_index] : INFINITY;
    double best = INFINITY;
    for (const double candidate : {middle_angle + open, middle_angle - open}) {
      const double near = std::remainder(candidate, 2.0 * kPi);
      const double inside = std::clamp(near, low, high);
      const double cost = 10.0 * std::abs(inside - near) + std::abs(near);
      if (cost < best) {
        best = cost;
        bend = inside;
      }
    }
  }
  const Mat3 bent = rotation_about(n, bend);
  const Vec3 reached = a + bent * b;
  Mat3 turn = turn_to(reached, goal);
  if (!how.pole.isZero(0.0)) {
    const Vec3 along = goal.normalized();
    const Vec3 elbow = turn * a;
    const Vec3 from = elbow - along * along.dot(elbow);
    const Vec3 pole = how.pole - root;
    const Vec3 to = pole - along * along.dot(pole);
    if (from.norm() > 1e-9 * full && to.norm() > 1e-9 * full) {
      turn = rotation_about(along, weight * math::atan2(along.dot(from.cross(to)), from.dot(to))) * turn;
    }
  }
  const Mat3 lower_rotation = bent * state.X_WL[at(lower_)].rotation;
  const Transform upper =
      turn_joint(model_, upper_, frame_before(model_, upper_, state), turn * state.X_WL[at(upper_)].rotation, q);
  if (hinge_) {
    q[middle.q_index] += bend;
  } else {
    turn_joint(model_, lower_, upper * middle.origin, turn * lower_rotation, q);
  }
  forward_from(model_, q, upper_, state);
  const ModelJoint& last = model_.joint(end_);
  if (how.keep_end && !last.mimic && turns_as_ball(last.type)) {
    turn_joint(model_, end_, frame_before(model_, end_, state), end_rotation, q);
    forward_from(model_, q, end_, state);
  }
  return (state.X_WL[at(end_)].position - wanted).norm();
}

double LimbIk::stand(const Footing& ground, const LimbReach& how, double* q, State& state) const {
  const Vec3 forward = ground.toe - ground.heel;
  const double share = forward.dot(ground.up) / std::max(forward.squaredNorm(), 1e-300);
  const Vec3 normal = (ground.up - share * forward).stableNormalized();
  LimbReach carried = how;
  carried.keep_end = true;
  const double left = reach(ground.heel + ground.ankle_height * normal, carried, q, state);
  const int toe = ground.toe_link;
  const ModelJoint& ankle = model_.joint(end_);
  const bool below = toe > end_ && toe < model_.subtree_end(end_);
  if (!below || ankle.mimic || !turns_as_ball(ankle.type) || !forward.allFinite()) return left;
  const Transform foot = state.X_WL[at(end_)];
  const Vec3 ball = state.X_WL[at(toe)].position - foot.position;
  const double drop = ground.toe_height - ground.ankle_height;
  const Vec3 wanted =
      drop * normal + std::sqrt(std::max(0.0, ball.squaredNorm() - drop * drop)) * forward.stableNormalized();
  const Quat turned(Mat3(turn_to(ball, wanted) * foot.rotation));
  const Quat eased = slerp(Quat(foot.rotation), turned, std::clamp(how.weight, 0.0, 1.0));
  turn_joint(model_, end_, frame_before(model_, end_, state), eased.toRotationMatrix(), q);
  forward_from(model_, q, end_, state);
  return left;
}

Result<LookIk> LookIk::make(const Model& model, const std::vector<int>& links, const std::vector<double>& shares) {
  if (links.empty() || static_cast<int>(links.size()) > kMost || (!shares.empty() && shares.size() != links.size())) {
    return Error{"A look needs one to " + std::to_string(kMost) + " links, and a share for each or none."};
  }
  LookIk look;
  look.model_ = model;
  for (std::size_t k = 0; k < links.size(); ++k) {
    const int link = links[k];
    const bool below = k == 0 || (link > links[k - 1] && link < model.subtree_end(links[k - 1]));
    if (link < 0 || link >= model.link_count() || !below || model.joint(link).mimic ||
        !turns_as_ball(model.joint(link).type)) {
      return Error{"Links of a look are balls, each below the one before."};
    }
    const double share = shares.empty() ? 1.0 : shares[k];
    if (!(share >= 0.0) || !std::isfinite(share)) return Error{"Shares of a look are numbers of at least 0."};
    look.links_[k] = link;
    look.shares_[k] = share;
  }
  look.count_ = static_cast<int>(links.size());
  return look;
}

double LookIk::look(const Vec3& target, const LookAt& how, double* q, State& state) const {
  const int last = links_[at(count_ - 1)];
  double rest = 0.0;
  for (int k = 0; k < count_; ++k) rest += shares_[at(k)];
  const auto angle_left = [&](Vec3& sight, Vec3& way) {
    const Transform& X = state.X_WL[at(last)];
    sight = X.rotation * how.direction;
    way = target - X * how.eye;
    return math::atan2(sight.cross(way).norm(), sight.dot(way));
  };
  Vec3 sight, way;
  const double whole = angle_left(sight, way);
  if (!std::isfinite(whole) || !(rest > 0.0)) return whole;
  double budget = std::min(whole, std::max(0.0, how.most)) * std::clamp(how.weight, 0.0, 1.0);
  // From the inside out; what a joint cannot do is left to those behind it.
  for (int k = 0; k < count_ && budget > 1e-12; ++k) {
    const double open = angle_left(sight, way);
    const Vec3 axis = sight.cross(way);
    if (!(axis.norm() > 1e-12 * way.norm()) || !(open > 1e-12)) break;
    const double turn = std::min(open, budget * shares_[at(k)] / rest);
    rest -= shares_[at(k)];
    if (turn > 0.0) {
      const int link = links_[at(k)];
      turn_joint(model_, link, frame_before(model_, link, state),
                 rotation_about(axis.normalized(), turn) * state.X_WL[at(link)].rotation, q);
      // Only the way to the eyes until all have turned.
      for (int j = k; j < count_; ++j) {
        if (j == k || model_.parent(links_[at(j)]) == links_[at(j - 1)]) {
          const int own = links_[at(j)];
          state.X_WL[at(own)] =
              frame_before(model_, own, state) * joint_transform(model_.joint(own).type, q + model_.joint(own).q_index);
        } else {
          forward_from(model_, q, links_[at(k)], state);
          break;
        }
      }
      budget -= std::max(0.0, open - angle_left(sight, way));
    }
    if (!(rest > 0.0)) break;
  }
  forward_from(model_, q, links_[0], state);
  return angle_left(sight, way);
}

}  // namespace armature::inline v0_2
