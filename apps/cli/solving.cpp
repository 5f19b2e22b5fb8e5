#include "solving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/stack.hpp"

namespace armature::cli {
namespace {

std::string flag_name(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

// Every option of every method once, with the methods that have it.
struct ListedOption {
  OptionInfo info;
  std::vector<std::string> methods;
};
std::vector<ListedOption> every_option() {
  std::vector<ListedOption> all;
  for (const SolverEntry& entry : solvers()) {
    for (const OptionInfo& option : entry.make()->options()) {
      auto found = std::find_if(all.begin(), all.end(), [&](const auto& o) { return o.info.name == option.name; });
      if (found == all.end()) found = all.insert(all.end(), {option, {}});
      found->methods.emplace_back(entry.info.name);
    }
  }
  return all;
}

// Joint values by name: one number stands for all velocities (or coordinates) of the joint.
template <class Put>
void for_each_assignment(const Model& model, const std::string& text, const char* flag, Put&& put) {
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) {
      throw BadInput{fmt::format("{} needs joint=value pairs separated by commas, not {}.", flag, in_quotes(item))};
    }
    const std::string name = item.substr(0, equals);
    const int link = need(model.joint_index(name));
    put(link, parse_numbers(item.substr(equals + 1), fmt::format("{} {}", flag, name)));
  }
}

std::vector<double> read_numbers(const Json& json, const char* key, std::string_view where) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return {};
  std::vector<double> values;
  const auto bad = [&] {
    return BadInput{fmt::format("{}: {} must be a list of finite numbers.", where, in_quotes(key))};
  };
  if (!found->is_array()) throw bad();
  for (const Json& v : *found) {
    if (!v.is_number() || !std::isfinite(v.get<double>())) throw bad();
    values.push_back(v.get<double>());
  }
  return values;
}

}  // namespace

std::string default_method() {
  const std::vector<std::string> names = solver_names();
  return std::find(names.begin(), names.end(), "auto") != names.end() ? "auto" : "dls";
}

void add_solve_flags(CLI::App& command, SolveFlags& flags, const std::string& method) {
  add_model_argument(command, flags.model);
  command.add_option("--tip", flags.tip, "The link that should arrive (may be left out when there is only one end)");
  command.add_option("--base", flags.base, "The link whose frame the goal is given in; joints above it stay");
  command.add_option("--goal", flags.goal,
                     "x,y (z is free), x,y,z, or x,y,z,qx,qy,qz,qw; lengths in the model's own unit");
  command.add_option("--start", flags.start,
                     "joint=value,... or the name of a pose: where to start from (default: the pose chapter, ready or "
                     "rest where there is one, else the middle of the limits)");
  if (!method.empty()) {
    command.add_option("--method", flags.method, "One of " + join(solver_names(), 40) + " (default: " + method + ")");
  }
  add_read_options(command, flags.read);
  const std::string group = "Method options";
  command.add_option("--gain", flags.gain, "joint=g,...: how strongly each joint is drawn to its rest (control term)")
      ->group(group);
  command.add_option("--rest", flags.rest, "joint=v,...: desired values of the control term (default: neutral)")
      ->group(group);
  command.add_option("--lock", flags.lock, "joint,...: joints that must not move")->group(group);
  const std::size_t methods_count = solvers().size();
  for (const ListedOption& option : every_option()) {
    std::string doc = option.info.doc;
    if (!option.info.choices.empty()) doc += ": " + join(option.info.choices, 20);
    if (option.methods.size() < methods_count) doc += " [" + join(option.methods, 20) + "]";
    command.add_option(flag_name(option.info.name), flags.options[option.info.name], doc)->group(group)->type_name("");
  }
  add_json_flag(command, flags.json);
}

GivenGoal make_goal(int tip, int base, const std::vector<double>& position, const std::vector<double>& quaternion,
                    std::string_view where) {
  GivenGoal given;
  if (position.empty() && quaternion.empty()) {
    throw BadInput{fmt::format("{}: A goal needs a \"position\" or a \"quaternion\".", where)};
  }
  if (!position.empty() && position.size() != 2 && position.size() != 3) {
    throw BadInput{fmt::format("{}: A position has 2 numbers (z is free) or 3, not {}.", where, position.size())};
  }
  if (!quaternion.empty() && quaternion.size() != 4) {
    throw BadInput{fmt::format("{}: A quaternion has 4 numbers x, y, z, w, not {}.", where, quaternion.size())};
  }
  given.planar = position.size() == 2;
  Quat turn = Quat::Identity();
  if (!quaternion.empty()) {
    turn = Quat(quaternion[3], quaternion[0], quaternion[1], quaternion[2]);
    if (!(turn.norm() > 1e-9)) throw BadInput{fmt::format("{}: The quaternion must not be zero.", where)};
    turn.normalize();
  }
  Vec3 place = Vec3::Zero();
  for (std::size_t i = 0; i < position.size(); ++i) place[static_cast<int>(i)] = position[i];
  if (quaternion.empty()) {
    PositionGoal goal;
    goal.link = tip;
    goal.base = base;
    goal.target = place;
    goal.axes.free[2] = given.planar;
    given.goal = goal;
  } else if (position.empty()) {
    OrientationGoal goal;
    goal.link = tip;
    goal.base = base;
    goal.target = turn;
    given.goal = goal;
  } else {
    PoseGoal goal;
    goal.link = tip;
    goal.base = base;
    goal.target = Transform::from(turn, place);
    goal.position_axes.free[2] = given.planar;
    given.goal = goal;
  }
  return given;
}

GivenGoal parse_goal(const Model&, int tip, int base, std::string_view text) {
  if (text.empty()) throw BadInput{"A goal is needed: --goal x,y or x,y,z or x,y,z,qx,qy,qz,qw."};
  const std::vector<double> numbers = parse_numbers(text, "--goal");
  if (numbers.size() != 2 && numbers.size() != 3 && numbers.size() != 7) {
    throw BadInput{
        fmt::format("--goal takes 2 numbers (x,y), 3 (x,y,z) or 7 (x,y,z,qx,qy,qz,qw), not {}.", numbers.size())};
  }
  const std::size_t places = std::min<std::size_t>(numbers.size(), 3);
  return make_goal(tip, base, {numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(places)},
                   {numbers.begin() + static_cast<std::ptrdiff_t>(places), numbers.end()}, "--goal");
}

GivenGoal goal_from_json(int tip, int base, const Json& json, std::string_view where) {
  if (!json.is_object()) {
    throw BadInput{fmt::format("{}: A goal is an object such as {{\"position\": [x, y, z]}}.", where)};
  }
  for (const auto& [key, value] : json.items()) {
    const std::vector<std::string> known = {"position", "quaternion", "seed"};
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw BadInput{fmt::format("{}: {}", where, unknown_name("key", key, known))};
    }
  }
  return make_goal(tip, base, read_numbers(json, "position", where), read_numbers(json, "quaternion", where), where);
}

VecX start_pose(const Model& model, const std::string& start) {
  VecX q = middle_pose(model);
  for (const char* name : {"rest", "ready", "chapter"}) {
    for (const ModelPose& pose : model.poses()) {
      if (pose.name == name) q = pose.q;
    }
  }
  if (!start.empty()) apply_pose_text(model, start, q);
  return q;
}

int tip_of(const Model& model, const std::string& name) {
  if (!name.empty()) return link_of(model, name);
  int tip = -1;
  std::vector<std::string> ends;
  for (int i = 0; i < model.link_count(); ++i) {
    if (!model.is_leaf(i)) continue;
    tip = i;
    ends.push_back(model.link_name(i));
  }
  if (ends.size() == 1) return tip;
  throw BadInput{fmt::format("Which link should arrive? Say --tip LINK; the ends are {}.", join(ends, 40))};
}

int base_of(const Model& model, const std::string& name) {
  return name.empty() || name == "world" ? kWorld : link_of(model, name);
}

Problem problem_of(const Model& model, const SolveFlags& flags) {
  Problem problem;
  problem.model = &model;
  if (!flags.gain.empty()) {
    problem.gain = VecX::Zero(model.v_size());
    for_each_assignment(model, flags.gain, "--gain", [&](int link, const std::vector<double>& values) {
      const ModelJoint& joint = model.joint(link);
      if (values.size() != 1 && static_cast<int>(values.size()) != joint.v_count) {
        throw BadInput{
            fmt::format("--gain {} takes 1 or {} numbers, not {}.", joint.name, joint.v_count, values.size())};
      }
      for (int k = 0; k < joint.v_count; ++k) {
        problem.gain[joint.v_index + k] = values[values.size() == 1 ? 0 : static_cast<std::size_t>(k)];
      }
    });
  }
  if (!flags.rest.empty()) {
    problem.rest = neutral_pose(model);
    apply_pose_text(model, flags.rest, problem.rest);
  }
  if (!flags.lock.empty()) {
    problem.locked.assign(static_cast<std::size_t>(model.v_size()), 0);
    for (const std::string& name : split_list(flags.lock)) {
      const ModelJoint& joint = model.joint(need(model.joint_index(name)));
      for (int k = 0; k < joint.v_count; ++k) problem.locked[static_cast<std::size_t>(joint.v_index + k)] = 1;
    }
  }
  return problem;
}

std::unique_ptr<Solver> solver_of(const std::string& method, const SolveFlags& flags, bool lenient) {
  std::unique_ptr<Solver> solver = need(make_solver(method.empty() ? default_method() : method));
  for (const auto& [name, text] : flags.options) {
    if (text.empty()) continue;
    const std::vector<OptionInfo> own = solver->options();
    const bool has =
        std::any_of(own.begin(), own.end(), [&, &wanted = name](const auto& o) { return o.name == wanted; });
    if (!has && lenient) continue;
    if (!has) {
      throw BadInput{fmt::format("Method '{}' has no option {}; it has {}.", solver->info().name, flag_name(name), [&] {
        std::vector<std::string> names;
        for (const OptionInfo& o : own) names.push_back(flag_name(o.name));
        return join(names, 40);
      }())};
    }
    need(solver->set_option(name, text));
  }
  return solver;
}

const Report& timed_solve(Solver& solver, const Problem& problem, VecX& q, double& microseconds) {
  const auto begin = std::chrono::steady_clock::now();
  const Report& report = solver.solve(problem, q);
  const auto end = std::chrono::steady_clock::now();
  microseconds = std::chrono::duration<double, std::micro>(end - begin).count();
  return report;
}

Json report_to_json(const Model& model, const Problem& problem, const Report& report, const VecX& q,
                    double microseconds) {
  const auto names = [&](const std::vector<int>& coordinates) {
    Json list = Json::array();
    for (const int i : coordinates) list.push_back(limit_name(model, i));
    return list;
  };
  Json json;
  json["outcome"] = outcome_name(report.outcome);
  json["pose"] = pose_to_json(model, q);
  json["position_error"] = number_to_json(report.position_error);
  json["orientation_error"] = number_to_json(report.orientation_error);
  json["iterations"] = report.iterations;
  json["microseconds"] = std::round(microseconds * 1000.0) / 1000.0;
  json["method"] = report.method;
  json["message"] = explain(problem, report);
  if (report.restarts > 0) json["restarts"] = report.restarts;
  json["joints_at_limits"] = names(report.joints_at_limits);
  if (!report.blocking.empty()) json["blocking"] = names(report.blocking);
  const Dexterity measures = dexterity_of(problem, report, q);
  json["smallest_singular_value"] = number_to_json(measures.smallest_singular_value);
  json["manipulability"] = number_to_json(measures.manipulability);
  json["condition"] = number_to_json(measures.condition);
  if (report.bound != ReachBound::none) {
    json["bound"] = bound_name(report.bound);
    json["bound_length"] = number_to_json(report.bound_length);
    json["goal_distance"] = number_to_json(report.goal_distance);
  }
  return json;
}

Json residuals_to_json(const Model& model, const Problem& problem, const Report& report) {
  Json list = Json::array();
  for (std::size_t g = 0; g < problem.goals.size() && g < report.goals.size(); ++g) {
    const Goal& goal = problem.goals[g];
    Json json;
    json["type"] = goal_name(goal);
    if (effector(goal) != kWorld) json["link"] = model.link_name(effector(goal));
    json["priority"] = common(goal).priority;
    json["position_error"] = number_to_json(report.goals[g].position_error);
    json["orientation_error"] = number_to_json(report.goals[g].orientation_error);
    if (is_preference(goal)) {
      json["preference"] = true;
    } else {
      json["reached"] = report.goals[g].reached;
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace armature::cli
