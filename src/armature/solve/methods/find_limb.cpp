// The part of two_link that looks for a limb in a linkage.
#include <cmath>
#include <string>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/two_link.hpp"

namespace armature::inline v0_2 {
namespace {

struct Line {
  Vec3 direction;
  Vec3 point;
};

Line line_of(const Stack& stack, const Handle& handle) {
  if (handle.kind == Handle::Kind::ball) return {Vec3::Zero(), stack.state.X_WL[at(handle.link)].position};
  const WorldAxis axis =
      world_axis(stack.model(), stack.state, handle.link, handle.velocity, handle.kind == Handle::Kind::turn);
  return {axis.direction, axis.point};
}

// Distance of a point from an axis, or from a ball's centre.
double lever(const Line& line, const Vec3& point) {
  const Vec3 away = point - line.point;
  return (away - line.direction * line.direction.dot(away)).norm();
}

// The point where two axes meet (or come nearest); false when they are parallel.
bool meeting_point(const Line& a, const Line& b, Vec3& point) {
  const double c = a.direction.dot(b.direction);
  const double det = 1.0 - c * c;
  if (det < 1e-9) return false;
  const Vec3 between = b.point - a.point;
  const double s = (a.direction.dot(between) - c * b.direction.dot(between)) / det;
  const double t = (c * a.direction.dot(between) - b.direction.dot(between)) / det;
  point = 0.5 * (a.point + s * a.direction + b.point + t * b.direction);
  return true;
}

bool concurrent(const Line* lines, double slack, Vec3& point) {
  if (!meeting_point(lines[0], lines[1], point) && !meeting_point(lines[1], lines[2], point)) return false;
  return lever(lines[0], point) < slack && lever(lines[1], point) < slack && lever(lines[2], point) < slack;
}

}  // namespace

Status find_limb(Stack& stack, const CoordinateDescent& descent, Limb& limb) {
  const CompiledProblem& problem = stack.problem();
  const Model& model = stack.model();
  limb = {};
  for (std::size_t g = 0; g < problem.goals().size(); ++g) {
    const CompiledGoal& goal = problem.goals()[g];
    if (!goal.required) continue;
    if (std::holds_alternative<PoleGoal>(*goal.goal)) {
      limb.pole = static_cast<int>(g);
    } else if (limb.goal < 0 && goal.framed && goal.frame.position) {
      limb.goal = static_cast<int>(g);
    } else {
      return Error{
          "Method 'two_link' takes one position or pose goal, and a pole goal if wanted; this problem has a '" +
          std::string(goal_name(*goal.goal)) + "' goal besides. Use 'dls' or 'reach'."};
    }
  }
  if (limb.goal < 0) return Error{"Method 'two_link' needs a position or pose goal."};
  const FrameTarget& frame = problem.goals()[at(limb.goal)].frame;
  const int link = frame.link;
  const Vec3 point = frame.point;
  limb.carried = point;

  // A pose in general position, so that nothing lines up by accident. Written into the state's own copy of q.
  std::vector<double>& q = stack.state.q;
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.q_count == 0) continue;
    double* own = q.data() + joint.q_index;
    neutral_coordinates(joint.type, own);
    for (int k = 0; k < joint.q_count; ++k) {
      const Coordinate kind = coordinates(joint.type)[at(k)];
      own[k] += kind == Coordinate::angle ? 0.37 + 0.211 * ((joint.q_index + k) % 7) : 0.0;
      if (kind == Coordinate::quaternion && k < joint.q_count - 1) own[k] += 0.1 + 0.05 * ((joint.q_index + k) % 5);
    }
  }
  const double* generic = q.data();
  stack.evaluate(generic);

  // Handles on the way from the carrier to the effector, inner to outer.
  constexpr int kMost = 64;
  int path[kMost];
  int count = 0;
  for (std::size_t h = 0; h < descent.handles.size(); ++h) {
    const Handle& handle = descent.handles[h];
    if (link < handle.link || link >= model.subtree_end(handle.link)) continue;
    if (count == kMost) return Error{"Method 'two_link' is for limbs; this chain has more than 64 moving joints."};
    path[count++] = static_cast<int>(h);
  }
  const auto handle_at = [&](int i) -> const Handle& { return descent.handles[at(path[i])]; };
  const auto line_at = [&](int i) { return line_of(stack, handle_at(i)); };
  const double slack = 1e-9 * model.size();

  // Of a pose goal the wrist's centre is carried, so that the wrist is free to turn the end.
  Vec3 world = stack.state.X_WL[at(link)] * point;
  if (frame.orientation && count >= 3) {
    Vec3 centre;
    if (handle_at(count - 1).kind == Handle::Kind::ball) {
      world = line_at(count - 1).point;
    } else {
      const Line lines[3] = {line_at(count - 3), line_at(count - 2), line_at(count - 1)};
      const bool turns = handle_at(count - 1).kind == Handle::Kind::turn &&
                         handle_at(count - 2).kind == Handle::Kind::turn &&
                         handle_at(count - 3).kind == Handle::Kind::turn;
      if (turns && concurrent(lines, slack, centre)) world = centre;
    }
    limb.carried = stack.state.X_WL[at(link)].inverse() * world;
  }
  int next = count - 1;
  while (next >= 0) {
    const Handle::Kind kind = handle_at(next).kind;
    if (kind != Handle::Kind::turn && kind != Handle::Kind::ball) break;
    if (lever(line_at(next), world) > slack) break;
    --next;
  }
  const int wrist = count - 1 - next;
  if (wrist > 3)
    return Error{"Method 'two_link' found more than three wrist joints that do not move the goal's point."};
  for (int i = 0; i < wrist; ++i) limb.wrist[i] = path[next + 1 + i];
  limb.wrist_count = wrist;
  limb.turn_wrist = frame.orientation && wrist > 0;

  const auto effector = [&] {
    return "'" + model.link_name(link) + "'";
  };  // made for messages only: a solve allocates nothing
  const auto turns = [&](int i) { return i >= 0 && handle_at(i).kind == Handle::Kind::turn; };
  const auto ball = [&](int i) { return i >= 0 && handle_at(i).kind == Handle::Kind::ball; };
  if (!turns(next) && !ball(next)) {
    return Error{"Method 'two_link' found no elbow above " + effector() +
                 ": a revolute or spherical joint that moves the goal's point. Use 'dls' or 'reach'."};
  }
  limb.elbow = path[next];
  const Line elbow = line_at(next);
  // Nothing else may carry the shoulder about: what is out of this limb's reach might be within the whole's.
  const auto nothing_above = [&](int shoulder) -> Status {
    if (shoulder == 0) return {};
    return Error{"Method 'two_link' solves one limb, but joint '" + model.joint(handle_at(shoulder - 1).link).name +
                 "' above its shoulder moves " + effector() + " too; lock it, take a base below it, or use 'reach'."};
  };
  if (ball(next - 1)) {
    limb.shoulder[0] = path[next - 1];
    limb.shoulder_count = 1;
    return nothing_above(next - 1);
  }
  if (turns(next - 1) && turns(next - 2) && turns(next - 3)) {
    const Line lines[3] = {line_at(next - 3), line_at(next - 2), line_at(next - 1)};
    Vec3 centre;
    if (concurrent(lines, slack, centre)) {
      for (int i = 0; i < 3; ++i) limb.shoulder[i] = path[next - 3 + i];
      limb.shoulder_count = 3;
      return nothing_above(next - 3);
    }
  }
  if (turns(next - 1) && turns(next) && std::abs(line_at(next - 1).direction.dot(elbow.direction)) > 1.0 - 1e-9 &&
      lever(line_at(next - 1), elbow.point) > slack) {
    if (next - 1 == 0 || !turns(next - 2) || std::abs(line_at(next - 2).direction.dot(elbow.direction)) < 1.0 - 1e-9) {
      limb.shoulder[0] = path[next - 1];
      limb.shoulder_count = 1;
      limb.planar = true;
      return nothing_above(next - 1);
    }
    return Error{"Method 'two_link' solves two links, but three or more parallel joints move " + effector() +
                 "; lock all but two, or use 'dls' or 'reach'."};
  }
  return Error{"Method 'two_link' found no shoulder above joint '" +
               model.joint(descent.handles[at(limb.elbow)].link).name +
               "': it needs a spherical joint, three axes through one point, or an axis parallel to the elbow's. Use "
               "'dls' or 'reach'."};
}

}  // namespace armature::inline v0_2
