// What coordinate descent works on: goals as places, joints as handles with the goals that each moves.
#include <algorithm>
#include <cmath>
#include <string>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/coordinate_descent.hpp"
#include "armature/solve/methods/jacobian_method.hpp"

namespace armature::inline v0_2 {

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
  axis.point = X.position;
  if (turns) {
    axis.advance = w.dot(v);
    axis.point += w.cross(v - axis.advance * w);
  }
  return axis;
}

Status check_frames(const CompiledProblem& problem, const char* method) {
  if (Status status = check_weighed(problem, method); !status) return status;
  const Model& model = problem.model();
  for (const CompiledGoal& goal : problem.goals()) {
    if (!goal.required) continue;
    const auto refuse = [&](const std::string& why) {
      return Error{"Method '" + std::string(method) + "' " + why + "; use 'dls' or 'reach'."};
    };
    if (!goal.framed) {
      return refuse("takes position, orientation and pose goals, not a goal of type '" +
                    std::string(goal_name(*goal.goal)) + "'");
    }
    const FrameTarget& frame = goal.frame;
    const bool masked = frame.position && !frame.position_axes.trivial();
    const bool carried =
        frame.base == kWorld || (frame.link >= frame.base && frame.link < model.subtree_end(frame.base));
    if (!carried || (frame.base != kWorld && masked)) {
      return refuse("takes goals in the frame of the world or of a link that carries the effector");
    }
    if (frame.orientation && !frame.orientation_axes.trivial()) {
      return refuse("knows no free axes of rotation and no tolerance boxes");
    }
    if (frame.position && !frame.position_axes.box.isZero(0.0)) return refuse("knows no tolerance boxes");
    if (frame.orientation && masked && frame.position_axes.of_target()) {
      return refuse("knows free axes of the world only, not of the goal");
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
    if (followed_[at(link)] != 0 || stack.problem().in_loop(joint.v_index + k)) {
      // stays coupled: other joints move with it
    } else if (k < scalars) {
      const bool slides = kinds[at(k)] == Coordinate::length;
      const bool screw = !slides && travel(joint.type, k) > 0.0;
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
  for (const CompiledGoal& goal : stack.problem().goals()) {
    if (!goal.required || !goal.framed) continue;
    const FrameTarget& frame = goal.frame;
    Wanted w;
    w.link = frame.link;
    w.goal = frame.target.position;
    for (int k = 0; k < 3; ++k) w.counts[k] = frame.position && frame.position_axes.free[at(k)] ? 0.0 : 1.0;
    w.weight = frame.position ? goal.weight : 0.0;
    w.turn_goal = frame.target.rotation;
    w.turn_weight = frame.orientation ? 0.5 * goal.weight * stack.length * stack.length : 0.0;
    wanted.push_back(w);
  }
}

void CoordinateDescent::load(const Stack& stack) {
  std::size_t n = 0;
  for (const CompiledGoal& goal : stack.problem().goals()) {
    if (!goal.required || !goal.framed) continue;
    const FrameTarget& frame = goal.frame;
    Wanted& w = wanted[n++];
    const Transform& X = stack.state.X_WL[at(w.link)];
    w.turn = X.rotation;
    w.place = X * frame.point;
    if (frame.base == kWorld) continue;
    const Transform& X_WB = stack.state.X_WL[at(frame.base)];
    w.goal = X_WB * frame.target.position;
    w.turn_goal = X_WB.rotation * frame.target.rotation;
  }
}

}  // namespace armature::inline v0_2
