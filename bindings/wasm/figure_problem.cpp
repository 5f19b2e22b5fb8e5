// Goals, joint settings and method of a Figure, from JavaScript objects.
#include <cmath>

#include "armature/base/suggest.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/registry.hpp"
#include "convert.hpp"
#include "figure.hpp"

namespace armature::js {
namespace {

Vec3 vec3_or_zero(const val& object, const char* key) {
  return has(object, key) ? vec3_of(object[key], key) : Vec3::Zero();
}

Quat quat_or_identity(const val& object, const char* key) {
  if (!has(object, key)) return Quat::Identity();
  const std::vector<double> q = numbers_of(object[key], key);
  const double norm = q.size() == 4 ? Quat(q[3], q[0], q[1], q[2]).norm() : 0.0;
  if (!(norm > 0.0) || !std::isfinite(norm)) throw ArgumentError{std::string(key) + " is not a rotation."};
  return Quat(q[3], q[0], q[1], q[2]).normalized();
}

// The value of a method's option as the core reads it.
std::string option_text(const val& value, const std::string& name) {
  if (value.isNumber() || value.isString() || value.isTrue() || value.isFalse()) {
    return val::global("String")(value).as<std::string>();
  }
  throw ArgumentError{"The option '" + name + "' must be a number, a boolean or a string, got " + kind_of(value) + "."};
}

}  // namespace

Result<Goal> Figure::goal_of(const val& g) const {
  if (!has(g, "type")) return Error{"A goal needs a 'type'; the types are " + join(goal_names()) + "."};
  Result<Goal> goal = goal_from_name(text_of(g["type"], "type"));
  if (!goal) return goal;
  const int link = integer_or(g, "link", -1);
  const Vec3 point = vec3_or_zero(g, "point");
  const Vec3 position = vec3_or_zero(g, "position");
  const Quat rotation = quat_or_identity(g, "quaternion");
  Goal& made = goal.value();
  if (auto* p = std::get_if<PositionGoal>(&made)) {
    p->link = link;
    p->point = point;
    p->target = position;
    if (planar_) p->axes.free[2] = true;
  } else if (auto* o = std::get_if<OrientationGoal>(&made)) {
    o->link = link;
    o->target = rotation;
  } else if (auto* b = std::get_if<PoseGoal>(&made)) {
    b->link = link;
    b->point = point;
    b->target = Transform::from(rotation, position);
  } else if (auto* a = std::get_if<AimGoal>(&made)) {
    a->link = link;
    a->point = point;
    a->target = position;
    if (has(g, "direction")) a->direction = vec3_of(g["direction"], "direction");
  } else if (auto* pole = std::get_if<PoleGoal>(&made)) {
    const int middle = integer_or(g, "middle", link >= 0 ? model_.parent(link) : -1);
    pole->link = link;
    pole->middle = middle;
    pole->upper = integer_or(g, "start", middle >= 0 ? model_.parent(middle) : -1);
    pole->target = position;
  } else if (auto* posture = std::get_if<PostureGoal>(&made)) {
    posture->target = q_;
  } else {
    return Error{"Goals of type '" + std::string(goal_name(made)) + "' cannot be given from JavaScript yet."};
  }
  goal_fields(made).weight = number_or(g, "weight", 1.0);
  goal_fields(made).tolerance = number_or(g, "tolerance", 0.0);
  goal_fields(made).priority = integer_or(g, "priority", 0);
  if (Status status = check_goal(made, model_); !status) return status.error();
  return goal;
}

val Figure::set_goals(const val& goals) {
  std::vector<Goal> made;
  const int count = length_of(goals, "goals");
  for (int i = 0; i < count; ++i) {
    Result<Goal> goal = goal_of(goals[i]);
    if (!goal) return failure(goal.message());
    made.push_back(std::move(goal).value());
  }
  for (Goal& goal : problem_.goals) {
    if (goal_fields(goal).name == kJointGains) made.push_back(std::move(goal));
  }
  problem_.goals = std::move(made);
  return success();
}

void Figure::move_goal(double index, double x, double y, double z, double qx, double qy, double qz, double qw) {
  const int at = integer_of(index, 0, static_cast<int>(problem_.goals.size()) - 1, "goal number");
  const Vec3 position(x, y, z);
  const bool moves = position.allFinite();
  const double norm = Quat(qw, qx, qy, qz).norm();
  const bool turns = std::isfinite(norm) && norm > 0.0;
  Goal& goal = problem_.goals[static_cast<std::size_t>(at)];
  if (auto* p = std::get_if<PositionGoal>(&goal)) {
    if (moves) p->target = position;
  } else if (auto* o = std::get_if<OrientationGoal>(&goal)) {
    if (turns) o->target = Quat(qw, qx, qy, qz).normalized();
  } else if (auto* b = std::get_if<PoseGoal>(&goal)) {
    if (moves) b->target.translation = position;
    if (turns) b->target.rotation = Quat(qw, qx, qy, qz).normalized().toRotationMatrix();
  } else if (auto* a = std::get_if<AimGoal>(&goal)) {
    if (moves) a->target = position;
  } else if (auto* pole = std::get_if<PoleGoal>(&goal)) {
    if (moves) pole->target = position;
  }
}

val Figure::set_joints(const val& settings) {
  Problem next = problem_;
  next.locked.clear();
  next.limits.clear();
  std::erase_if(next.goals, [](const Goal& goal) { return goal_fields(goal).name == kJointGains; });
  PostureGoal posture;
  posture.name = kJointGains;
  for (const std::string& key : keys_of(settings, "settings")) {
    const bool digits = !key.empty() && key.size() < 10 && key.find_first_not_of("0123456789") == std::string::npos;
    const int link = digits ? std::atoi(key.c_str()) : -1;
    if (link < 0 || link >= model_.link_count()) return failure("There is no joint number '" + key + "'.");
    const ModelJoint& joint = model_.joint(link);
    const val setting = settings[key];
    if (has(setting, "locked") && setting["locked"].isTrue()) {
      next.locked.emplace_back(link);
    }
    if (has(setting, "gain")) {
      const std::vector<double> gain = numbers_of(setting["gain"], "gain");
      if (posture.gain.size() == 0) posture.gain = VecX::Zero(model_.v_size());
      for (int i = 0; i < joint.v_count && i < static_cast<int>(gain.size()); ++i)
        posture.gain[joint.v_index + i] = gain[static_cast<std::size_t>(i)];
    }
    if (has(setting, "rest")) {
      std::vector<double> rest = numbers_of(setting["rest"], "rest");
      rest.resize(static_cast<std::size_t>(joint.v_count), 0.0);
      if (posture.target.size() == 0) posture.target = neutral_pose(model_);
      double* at = posture.target.data() + joint.q_index;
      const int scalars = joint.q_count == joint.v_count ? joint.v_count : joint.v_count - 3;
      for (int i = 0; i < scalars; ++i) at[i] = rest[static_cast<std::size_t>(i)];
      if (scalars < joint.v_count) {  // the rest is a rotation vector
        const double* r = rest.data() + scalars;
        const Quat turn = exp_rotation(Vec3(r[0], r[1], r[2]));
        for (int i = 0; i < 4; ++i) at[scalars + i] = turn.coeffs()[i];
      }
    }
    Limits limits;
    for (const auto& [side, own, whole] :
         {std::tuple{"lower", &limits.lower, &model_.lower()}, std::tuple{"upper", &limits.upper, &model_.upper()}}) {
      if (!has(setting, side)) continue;
      const std::vector<double> bound = numbers_of(setting[side], side);
      own->assign(whole->data() + joint.q_index, whole->data() + joint.q_index + joint.q_count);
      for (int i = 0; i < joint.q_count && i < static_cast<int>(bound.size()); ++i)
        (*own)[static_cast<std::size_t>(i)] = bound[static_cast<std::size_t>(i)];
    }
    if (!limits.lower.empty() || !limits.upper.empty()) next.limits.emplace_back(link, std::move(limits));
  }
  if (posture.gain.size() > 0) {
    if (posture.target.size() == 0) posture.target = neutral_pose(model_);
    next.goals.emplace_back(std::move(posture));
  }
  problem_ = std::move(next);
  return success();
}

val Figure::set_solver(const std::string& name, const val& options) {
  const std::vector<std::string> names = keys_of(options, "options");
  std::vector<std::string> values;
  for (const std::string& option : names) values.push_back(option_text(options[option], option));
  std::string key = name;
  for (std::size_t i = 0; i < names.size(); ++i) key += " " + names[i] + "=" + values[i];
  if (key == solver_key_) return success();
  Result<std::unique_ptr<Solver>> solver = make_solver(name);
  if (!solver) return failure(solver.message());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Status status = solver.value()->set_option(names[i], values[i]);
    if (!status.ok()) return failure(status.message());
  }
  solver_ = std::move(solver).value();
  solver_key_ = key;
  return success();
}

val Figure::check(const std::string& name) const {
  if (name == solver_->info().name) return from_status(solver_->check(problem_));
  const Result<std::unique_ptr<Solver>> solver = make_solver(name);
  if (!solver) return failure(solver.message());
  return from_status(solver.value()->check(problem_));
}

std::string Figure::refusal() const {
  const Status status = solver_->check(problem_);
  return status.ok() ? "" : status.message();
}

}  // namespace armature::js
