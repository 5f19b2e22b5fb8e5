#include "armature/solve/methods/fabrik.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/solve/methods/limb.hpp"

namespace armature::inline v0_2 {
namespace {

// The point at `length` from `from` in the direction of `to`; anywhere at that distance when they coincide.
inline Vec3 pull(const Vec3& from, const Vec3& to, double length) {
  const Vec3 way = to - from;
  const double square = way.squaredNorm();
  if (!(square > 0.0)) return from + Vec3(length, 0.0, 0.0);
  return from + (length / std::sqrt(square)) * way;
}

// The joint that moves the link last on the way from the root, or -1.
int last_moving(const Model& model, int link) {
  while (link != kWorld && model.joint(link).v_count == 0) link = model.parent(link);
  return link;
}

// A pass must leave less than this share of the error, or joints are turned one by one.
constexpr double kFollowed = 0.98;
constexpr int kHalvings = 5;

}  // namespace

Status Fabrik::accept(const CompiledProblem& problem) {
  if (Status status = check_frames(problem, kFabrikInfo.name); !status) return status;
  const Model& model = problem.model();
  for (const CompiledGoal& goal : problem.goals()) {
    if (!goal.required || !goal.frame.orientation) continue;
    if (!goal.frame.position) {
      return Error{
          "Method 'fabrik' moves points: an orientation goal alone gives it nothing to pull; use 'ccd' or 'dls'."};
    }
    const int last = last_moving(model, goal.frame.link);
    if (last == kWorld || !std::holds_alternative<Spherical>(model.joint(last).type)) {
      return Error{
          "Method 'fabrik' can turn the effector of a pose goal only by a spherical joint right above it; give a "
          "position goal, or use 'ccd' or 'dls'."};
    }
  }
  return {};
}

Status Fabrik::check(const Problem& problem) const { return check_compiled(problem, settings, accept); }

void Fabrik::find_nodes() {
  const Stack& stack = loop_.stack;
  const Model& model = stack.model();
  nodes_.clear();
  node_of_.assign(at(model.link_count()), -1);
  free_chain_ = descent_.wanted.size() == 1 && descent_.wanted[0].turn_weight == 0.0 &&
                descent_.wanted[0].counts.minCoeff() == 1.0 && stack.problem().plain_joints();
  const auto node_above = [&](int link) {
    while (link != kWorld && node_of_[at(link)] < 0) link = model.parent(link);
    return link == kWorld ? -1 : node_of_[at(link)];
  };
  for (std::size_t h = 0; h < descent_.handles.size(); ++h) {
    const Handle& handle = descent_.handles[h];
    const bool turns = handle.kind == Handle::Kind::turn || handle.kind == Handle::Kind::ball;
    free_chain_ = free_chain_ && handle.kind == Handle::Kind::ball && !model.joint(handle.link).cone;
    if (!turns) continue;
    if (node_of_[at(handle.link)] < 0) {
      Node node;
      node.link = handle.link;
      node.parent = node_above(model.parent(handle.link));
      node.first_handle = static_cast<int>(h);
      node_of_[at(handle.link)] = static_cast<int>(nodes_.size());
      nodes_.push_back(node);
    }
    ++nodes_[at(node_of_[at(handle.link)])].handles;
  }
  for (std::size_t w = 0; w < descent_.wanted.size(); ++w) {
    Node node;
    node.link = descent_.wanted[w].link;
    node.parent = node_above(node.link);
    node.goal = static_cast<int>(w);
    nodes_.push_back(node);
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {  // backwards, so that siblings are listed in their order
    if (nodes_[i].parent < 0) continue;
    Node& parent = nodes_[at(nodes_[i].parent)];
    nodes_[i].next_sibling = parent.first_child;
    parent.first_child = static_cast<int>(i);
    ++parent.child_count;
  }
  free_chain_ = free_chain_ && nodes_.size() > 1;
}

void Fabrik::place_nodes() {
  for (Node& node : nodes_) {
    node.place = node.goal >= 0 ? descent_.wanted[at(node.goal)].place : loop_.stack.state.X_WL[at(node.link)].position;
    node.guide = node.place;
    node.length = node.parent >= 0 ? (node.place - nodes_[at(node.parent)].place).norm() : 0.0;
  }
}

void Fabrik::reach_backward() {
  for (Node& node : nodes_) {
    node.sum.setZero();
    node.children = 0;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    node.pulled = node.place;
    if (node.children > 0) node.pulled = node.sum / node.children;
    if (node.parent < 0 && node.goal < 0) node.pulled = node.place;
    Vec3 asked;
    if (node.goal >= 0) {
      const Wanted& w = descent_.wanted[at(node.goal)];
      node.pulled = w.counts.cwiseProduct(w.goal) + (Vec3::Ones() - w.counts).cwiseProduct(w.place);
      if (node.parent < 0) continue;
      asked = pull(node.pulled, nodes_[at(node.parent)].guide, node.length);
      // With an orientation the last joint's place is known outright.
      if (w.turn_weight > 0.0) {
        asked = node.pulled + w.turn_goal * (w.turn.transpose() * (nodes_[at(node.parent)].place - node.place));
      }
    } else if (node.parent >= 0) {
      asked = pull(node.pulled, nodes_[at(node.parent)].guide, node.length);
    } else {
      continue;
    }
    Node& parent = nodes_[at(node.parent)];
    parent.sum += asked;
    ++parent.children;
  }
}

// A straight line of joints with the goal on it never bends by pulling (fig 5.19): bend it a little, once.
void Fabrik::bend_straight_line() {
  if (bent_ || nodes_.size() < 3 || descent_.wanted.size() != 1) return;
  const Vec3 root = nodes_.front().place;
  Vec3 line = nodes_.back().place - root;
  if (line.norm() == 0.0) line = Vec3::UnitX();
  line.normalize();
  double reach = 0.0;
  for (const Node& node : nodes_) {
    const Vec3 goal = node.goal >= 0 ? descent_.wanted[at(node.goal)].goal : node.place;
    for (const Vec3& point : {node.place, goal}) {
      const Vec3 away = point - root;
      if ((away - line * line.dot(away)).norm() > 1e-9 * loop_.stack.length) return;
    }
    reach += node.length;
  }
  bent_ = true;
  const Stack& stack = loop_.stack;
  const Handle& handle = descent_.handles[at(nodes_.front().first_handle)];
  Vec3 across = line.unitOrthogonal();
  if (handle.kind == Handle::Kind::turn) {
    const Vec3 side = world_axis(stack.model(), stack.state, handle.link, handle.velocity, true).direction.cross(line);
    if (side.norm() > 1e-6) across = side.normalized();
  }
  for (std::size_t i = 1; i + 1 < nodes_.size(); ++i) nodes_[i].guide += 0.02 * reach * across;
}

Vec3 Fabrik::beyond_axis(int index, const Handle& handle, Vec3& goal) const {
  // The nearest point further out that the joint can move at all: joints may share an origin, or lie on its axis.
  const Stack& stack = loop_.stack;
  const bool turns = handle.kind == Handle::Kind::turn;
  const WorldAxis axis =
      turns ? world_axis(stack.model(), stack.state, handle.link, handle.velocity, true) : WorldAxis{};
  const Vec3 origin = turns ? axis.point : stack.state.X_WL[at(handle.link)].position;
  const Transform moved = stack.state.X_WL[at(handle.link)] * before_[at(handle.link)].inverse();
  int at_node = index;
  Vec3 place = Vec3::Zero();
  for (;;) {
    const int child = nodes_[at(at_node)].first_child;
    if (child < 0) break;
    place = moved * nodes_[at(child)].place;
    goal = nodes_[at(child)].pulled;
    Vec3 lever = place - origin;
    if (turns) lever -= axis.direction * axis.direction.dot(lever);
    if (lever.norm() > 1e-6 * stack.length) break;
    at_node = child;
  }
  return place;
}

void Fabrik::turn_node(const Node& node, double* q) {
  Stack& stack = loop_.stack;
  const Model& model = stack.model();
  const int index = node_of_[at(node.link)];
  const Transform moved = stack.state.X_WL[at(node.link)] * before_[at(node.link)].inverse();
  for (int h = node.first_handle + node.handles; h-- > node.first_handle;) {
    const Handle& handle = descent_.handles[at(h)];
    if (handle.kind != Handle::Kind::turn && handle.kind != Handle::Kind::ball) continue;
    fit_.clear();
    const int children = nodes_[at(index)].child_count;
    if (children == 1) {
      Wanted w;
      w.link = node.link;
      w.weight = 1.0;
      w.place = beyond_axis(index, handle, w.goal);
      fit_.push_back(w);
    }
    for (int i = nodes_[at(index)].first_child; i >= 0; i = nodes_[at(i)].next_sibling) {
      const Node& child = nodes_[at(i)];
      const bool oriented = child.goal >= 0 && descent_.wanted[at(child.goal)].turn_weight > 0.0;
      if (oriented && handle.kind == Handle::Kind::ball) {
        Wanted w = descent_.wanted[at(child.goal)];
        w.link = node.link;
        w.turn = moved.rotation * w.turn;
        w.turn_weight = 1.0;
        w.weight = 0.0;
        if (children == 1) fit_.clear();
        fit_.push_back(w);
      } else if (children > 1) {
        Wanted w;
        w.link = node.link;
        w.weight = 1.0;
        w.place = moved * child.place;
        w.goal = child.pulled;
        fit_.push_back(w);
      }
    }
    const Change change = descent_.best(stack, handle, q, fit_);
    descent_.make(stack, handle, change, settings.step_size, settings.max_step, q, fit_);
    // The joint's inner coordinates have moved its frame; its outer ones still turn about the same axes.
  }
  const ModelJoint& joint = model.joint(node.link);
  const Transform here = joint.origin * joint_transform(joint.type, q + joint.q_index);
  stack.state.X_WL[at(node.link)] = joint.parent < 0 ? here : stack.state.X_WL[at(joint.parent)] * here;
}

void Fabrik::turn_joints(double* q) {
  Stack& stack = loop_.stack;
  const Model& model = stack.model();
  before_ = stack.state.X_WL;
  for (const int link : stack.links()) {
    const ModelJoint& joint = model.joint(link);
    double value = 0.0;
    const double* own = q + joint.q_index;
    if (joint.mimic) {
      value = joint.multiplier * own[0] + joint.offset;
      own = &value;
    }
    const Transform here = joint.origin * joint_transform(joint.type, own);
    stack.state.X_WL[at(link)] = joint.parent < 0 ? here : stack.state.X_WL[at(joint.parent)] * here;
    if (node_of_[at(link)] >= 0) turn_node(nodes_[at(node_of_[at(link)])], q);
  }
}

void Fabrik::turn_one_by_one(double* q) {
  Stack& stack = loop_.stack;
  descent_.load(stack);
  for (std::size_t i = descent_.handles.size(); i-- > 0;) {
    const Handle& handle = descent_.handles[i];
    const bool ball = handle.kind == Handle::Kind::ball;
    if (!ball && handle.kind != Handle::Kind::turn) continue;
    const Change change = descent_.best(stack, handle, q, descent_.wanted);
    // A ball that meets its cone on the way may end farther off: then it turns less.
    const double before = descent_.objective();
    double fraction = settings.step_size;
    for (int k = 0; k < kHalvings; ++k, fraction *= 0.5) {
      fit_ = descent_.wanted;
      double own[4] = {0.0, 0.0, 0.0, 0.0};
      Vec3 step = Vec3::Zero();
      if (ball) {
        std::copy(q + handle.coordinate, q + handle.coordinate + 4, own);
        step = stack.step.segment<3>(handle.column);
      }
      descent_.make(stack, handle, change, fraction, settings.max_step, q, descent_.wanted);
      if (!ball || descent_.objective() <= before) break;
      std::copy(own, own + 4, q + handle.coordinate);
      stack.step.segment<3>(handle.column) = step;
      descent_.wanted = fit_;
    }
  }
}

int Fabrik::iterate_points(int most) {
  double enough = 0.0;
  for (const CompiledGoal& goal : loop_.compiled.goals()) {
    if (goal.required) enough = goal.tolerance;
  }
  const Vec3 target = descent_.wanted[0].goal;
  const int n = static_cast<int>(nodes_.size());
  double reach = 0.0;
  for (const Node& node : nodes_) reach += node.length;
  const Vec3 root = nodes_[0].place;
  if ((target - root).norm() >= reach) {  // out of reach: stretched straight at it
    for (int i = 1; i < n; ++i) nodes_[at(i)].guide = pull(nodes_[at(i - 1)].guide, target, nodes_[at(i)].length);
    return 1;
  }
  int done = 0;
  Vec3 tip = nodes_.back().guide;
  while (done < most) {
    ++done;
    const Vec3 asked = target - tip;
    Vec3 pulled = overshoot_ * asked;
    if (!(pulled.norm() < 0.5 * reach)) pulled = asked;
    Vec3 point = tip + pulled;
    for (int i = n - 1; i > 0; --i) {
      nodes_[at(i)].guide = point;
      point = pull(point, nodes_[at(i - 1)].guide, nodes_[at(i)].length);
    }
    point = root;
    for (int i = 1; i < n; ++i) {
      point = pull(point, nodes_[at(i)].guide, nodes_[at(i)].length);
      nodes_[at(i)].guide = point;
    }
    const Vec3 moved = point - tip;
    tip = point;
    const double left = (target - tip).norm();
    // A little below the tolerance: the joints' rotations round again.
    if (left <= 0.999 * enough) break;
    const Vec3 guess = overshoot_ * moved;
    const double along = pulled.dot(guess);
    if (left < asked.norm() && std::abs(along) > 1e-6 * pulled.squaredNorm()) {
      overshoot_ += (pulled - guess) * (pulled.transpose() * overshoot_) / along;
    } else {
      overshoot_.setIdentity();
    }
  }
  return done;
}

// Turns every ball from the seed pose, by the shortest way, to where the points have gone.
void Fabrik::fit_balls(double* q) {
  Stack& stack = loop_.stack;
  const Model& model = stack.model();
  std::copy(seed_.data(), seed_.data() + seed_.size(), q);
  for (const int link : stack.links()) {
    const ModelJoint& joint = model.joint(link);
    Transform& X = stack.state.X_WL[at(link)];
    const Transform here = joint.origin * joint_transform(joint.type, q + joint.q_index);
    X = joint.parent < 0 ? here : stack.state.X_WL[at(joint.parent)] * here;
    const int index = node_of_[at(link)];
    if (index < 0) continue;
    const Node& child = nodes_[at(index) + 1];
    const Vec3 local = before_[at(link)].rotation.transpose() * (child.place - before_[at(link)].position);
    const Vec3 to = X.rotation.transpose() * (child.guide - nodes_[at(index)].guide);
    const Quat turn = rotation_between(local, to);
    double* r = q + joint.q_index;
    const Quat turned = (joint_detail::quaternion(r) * turn).normalized();
    for (int k = 0; k < 4; ++k) r[k] = turned.coeffs()[k];
    const int column = descent_.handles[at(nodes_[at(index)].first_handle)].column;
    stack.step.segment<3>(column) = 2.0 * turn.vec();
    X.rotation = X.rotation * turn.toRotationMatrix();
  }
}

const Report& Fabrik::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  Stack& stack = loop_.stack;
  loop_.uses_jacobian = false;
  bent_ = false;
  return loop_.run(
      kFabrikInfo, problem, settings, start, trace,
      [&] {
        Status status = accept(loop_.compiled);
        if (!status.ok()) return status;
        descent_.prepare(stack);
        find_nodes();
        return status;
      },
      [&](double* pose) {
        stack.step.setZero();
        const bool plain_step = settings.step_size == 1.0 && !(settings.max_step > 0.0);
        if (free_chain_ && plain_step) {
          if (loop_.report.iterations == 0) {
            descent_.load(stack);
            place_nodes();
            bend_straight_line();
            before_ = stack.state.X_WL;
            overshoot_.setIdentity();
            seed_ = Eigen::Map<const VecX>(pose, problem.model.q_size());
          }
          const int left = settings.max_iterations - loop_.report.iterations;
          const int done = iterate_points(trace != nullptr ? 1 : std::min(left, 64));
          loop_.report.iterations += done - 1;
          fit_balls(pose);
          return Move::stepped;
        }
        descent_.load(stack);
        place_nodes();
        bend_straight_line();
        reach_backward();
        const double before = stack.error_norm();
        const int size = problem.model.q_size();
        kept_ = Eigen::Map<const VecX>(pose, size);
        turn_joints(pose);
        stack.evaluate(pose);
        if (stack.converged() || stack.error_norm() < kFollowed * before) return Move::stepped;
        std::copy(kept_.data(), kept_.data() + size, pose);
        stack.step.setZero();
        stack.evaluate(pose);
        turn_one_by_one(pose);
        return Move::stepped;
      });
}

}  // namespace armature::inline v0_2
