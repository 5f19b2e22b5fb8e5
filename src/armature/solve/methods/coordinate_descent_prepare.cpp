// What coordinate descent works on: goals as places, joints as handles with the goals that each moves.
#include <algorithm>
#include <cmath>
#include <string>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/coordinate_descent.hpp"

namespace armature {

double Wanted::objective() const {
  double sum = weight * counts.cwiseProduct(place - goal).squaredNorm();
  if (turn_weight > 0.0) sum += turn_weight * (turn - turn_goal).squaredNorm();
  return sum;
}

WorldAxis world_axis(const Model& model, const State& state, int link, int velocity, bool turns) {
  const ModelJoint& joint = model.joint(link);
  Vec6 twists[kMaxJointVelocities];
  joint_twists(joint.type, state.q.data() + joint.q_index, twists);
  const Transform& X = state.X_WL[at(link)];
  const Vec3 v = X.rotation * twists[velocity].head<3>();
  const Vec3 w = X.rotation * twists[velocity].tail<3>();
  WorldAxis axis;
  axis.direction = turns ? w : v;
  axis.point = X.translation;
  if (turns) {
    axis.advance = w.dot(v);
    axis.point += w.cross(v - axis.advance * w);
  }
  return axis;
}

Status check_places(const Problem& problem, const char* method) {
  for (const Goal& goal : problem.goals) {
    if (common(goal).weight <= 0.0 || is_preference(goal)) continue;
    const auto refuse = [&](const char* why) {
      return Error{"Method '" + std::string(method) + "' " + why + "; use 'dls' or 'reach'."};
    };
    const auto bad_base = [&](int base, int link, bool masked) {
      if (base == kWorld) return false;
      return masked || link < base || link >= problem.model->subtree_end(base);
    };
    constexpr const char* kBase = "takes goals in the frame of the world or of a link that carries the effector";
    if (const auto* position = std::get_if<PositionGoal>(&goal)) {
      if (bad_base(position->base, position->link, !position->axes.trivial())) return refuse(kBase);
      if (!position->axes.box.isZero(0.0)) return refuse("knows no tolerance boxes");
    } else if (const auto* orientation = std::get_if<OrientationGoal>(&goal)) {
      if (bad_base(orientation->base, orientation->link, false)) return refuse(kBase);
      if (!orientation->axes.trivial()) return refuse("knows no free axes of rotation and no tolerance boxes");
    } else if (const auto* pose = std::get_if<PoseGoal>(&goal)) {
      if (bad_base(pose->base, pose->link, !pose->position_axes.trivial())) return refuse(kBase);
      if (!pose->orientation_axes.trivial()) return refuse("knows no free axes of rotation and no tolerance boxes");
      if (!pose->position_axes.box.isZero(0.0)) return refuse("knows no tolerance boxes");
      if (pose->position_axes.in_goal_frame && !pose->position_axes.trivial()) {
        return refuse("knows free axes of the world only, not of the goal");
      }
    } else {
      return Error{"Method '" + std::string(method) +
                   "' takes position, orientation and pose goals, not a goal of type '" + goal_name(goal) +
                   "'; use 'dls' or 'reach'."};
    }
  }
  return {};
}

void CoordinateDescent::add_handles(const Stack& stack, int link) {
  const Model& model = stack.model();
  const ModelJoint& joint = model.joint(link);
  if (joint.mimic || joint.v_count == 0) return;
  const int scalars = joint.q_count == joint.v_count ? joint.q_count : joint.q_count - 4;
  const std::span<const Coordinate> kinds = coordinates(joint.type);
  for (int k = 0; k < joint.v_count; ++k) {
    const int column = stack.column_of(joint.v_index + k);
    if (column < 0) continue;
    Handle handle{Handle::Kind::coupled, link, k, column, joint.q_index + k};
    if (followed_[at(link)] != 0) {
      // stays coupled
    } else if (k < scalars) {
      const bool slides = kinds[at(k)] == Coordinate::length;
      const bool screw = std::holds_alternative<Helical>(joint.type);
      handle.kind = slides ? Handle::Kind::slide : screw ? Handle::Kind::screw : Handle::Kind::turn;
    } else if (k == scalars && stack.column_of(joint.v_index + k + 1) == column + 1 &&
               stack.column_of(joint.v_index + k + 2) == column + 2) {
      handle.kind = Handle::Kind::ball;
      handle.coordinate = joint.q_index + scalars;
      k += 2;
    }
    handles.push_back(handle);
  }
}

void CoordinateDescent::prepare(const Stack& stack) {
  const Model& model = stack.model();
  followed_.assign(at(model.link_count()), 0);
  for (const int link : stack.links()) {
    if (model.joint(link).mimic) followed_[at(model.joint(link).source)] = 1;
  }
  if (kept_.size() != model.q_size()) kept_.resize(model.q_size());
  if (u_.size() != stack.columns()) u_.resize(stack.columns());
  if (earlier_.size() != stack.columns()) earlier_.resize(stack.columns());
  handles.clear();
  for (const int link : stack.links()) add_handles(stack, link);
  // Sources of mimic joints that are not themselves above a goal.
  for (int link = 0; link < model.link_count(); ++link) {
    if (followed_[at(link)] == 0) continue;
    if (!std::binary_search(stack.links().begin(), stack.links().end(), link)) add_handles(stack, link);
  }
  wanted.clear();
  for (const Goal& goal : stack.problem().goals) {
    const double weight = common(goal).weight;
    if (weight <= 0.0 || is_preference(goal)) continue;
    Wanted w;
    const double turn_weight = 0.5 * weight * stack.length * stack.length;
    const auto mask = [](const AxisMask& axes) {
      return Vec3(axes.free[0] ? 0.0 : 1.0, axes.free[1] ? 0.0 : 1.0, axes.free[2] ? 0.0 : 1.0);
    };
    if (const auto* position = std::get_if<PositionGoal>(&goal)) {
      w.link = position->link;
      w.goal = position->target;
      w.counts = mask(position->axes);
      w.weight = weight;
    } else if (const auto* orientation = std::get_if<OrientationGoal>(&goal)) {
      w.link = orientation->link;
      w.turn_goal = orientation->target.normalized().toRotationMatrix();
      w.turn_weight = turn_weight;
    } else if (const auto* pose = std::get_if<PoseGoal>(&goal)) {
      w.link = pose->link;
      w.goal = pose->target.translation;
      w.counts = mask(pose->position_axes);
      w.weight = weight;
      w.turn_goal = pose->target.rotation;
      w.turn_weight = turn_weight;
    }
    wanted.push_back(w);
  }
}

void CoordinateDescent::load(const Stack& stack) {
  std::size_t n = 0;
  for (const Goal& goal : stack.problem().goals) {
    if (common(goal).weight <= 0.0 || is_preference(goal)) continue;
    Wanted& w = wanted[n++];
    const Transform& X = stack.state.X_WL[at(w.link)];
    w.turn = X.rotation;
    w.place = X.translation;
    if (const auto* position = std::get_if<PositionGoal>(&goal)) {
      w.place = X * position->point;
      w.goal = convert_point(stack.state, position->base, kWorld, position->target);
    } else if (const auto* orientation = std::get_if<OrientationGoal>(&goal)) {
      if (orientation->base == kWorld) continue;
      const Mat3 turn = orientation->target.normalized().toRotationMatrix();
      w.turn_goal = stack.state.X_WL[at(orientation->base)].rotation * turn;
    } else if (const auto* pose = std::get_if<PoseGoal>(&goal)) {
      w.place = X * pose->point;
      w.goal = convert_point(stack.state, pose->base, kWorld, pose->target.translation);
      if (pose->base != kWorld) w.turn_goal = stack.state.X_WL[at(pose->base)].rotation * pose->target.rotation;
    }
  }
}

}  // namespace armature
