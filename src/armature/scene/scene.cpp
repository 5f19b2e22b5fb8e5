#include "armature/scene/scene.hpp"

#include <algorithm>

#include "armature/base/suggest.hpp"
#include "armature/scene/methods.hpp"
#include "armature/scene/obstacles_json.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {

bool is_scene(std::string_view text) {
  bool scene = false;
  for (const std::string& key : top_level_keys(text)) {
    if (key == "links" || key == "joints") return false;
    scene = scene || key == "goals" || key == "model" || key == "keys";
  }
  return scene || text.substr(0, 400).find("\"armature-scene\"") != std::string_view::npos;
}

Status check_limited(const ModelJoint& joint) {
  if (joint.q_count == joint.v_count && joint.q_count > 0 && !joint.mimic) return {};
  return Error{"Joint " + detail::quoted(joint.name) + " has no numbers that could be limited by themselves."};
}

Status parse_limits(std::string_view text, Scene& scene) {
  const Model& model = scene.model();
  if (scene.lower.size() == 0) scene.lower = model.lower();
  if (scene.upper.size() == 0) scene.upper = model.upper();
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = item.find('=');
    const std::size_t dots = item.find("..");
    NumberWithUnit low, high;
    if (equals == std::string::npos || dots == std::string::npos || dots < equals ||
        !parse_number_with_unit(std::string_view(item).substr(equals + 1, dots - equals - 1), low) ||
        !parse_number_with_unit(std::string_view(item).substr(dots + 2), high)) {
      return Error{"--limits needs joint=lower..upper, such as elbow=-90deg..0; not " + detail::quoted(item) + "."};
    }
    const Result<int> index = model.find_joint(item.substr(0, equals));
    if (!index) return index.error();
    const ModelJoint& joint = model.joint(*index);
    if (const Status status = check_limited(joint); !status) return Error{"--limits: " + status.message()};
    scene.lower.segment(joint.q_index, joint.q_count).setConstant(low.value);
    scene.upper.segment(joint.q_index, joint.q_count).setConstant(high.value);
  }
  return {};
}

Problem make_problem(const Scene& scene) {
  Problem problem = make_moving_problem(scene);
  std::erase_if(problem.goals, has_path);
  return problem;
}

Problem make_moving_problem(const Scene& scene) {
  const Model& model = scene.model();
  Problem problem;
  problem.model = model;
  for (const SceneGoal& goal : scene.goals) problem.goals.push_back(goal.goal);
  problem.start = scene.start;
  problem.locked.assign(scene.locked.begin(), scene.locked.end());
  for (int link = 0; link < model.link_count(); ++link) {
    const ModelJoint& joint = model.joint(link);
    if (joint.mimic || joint.v_count == 0) continue;
    if (scene.joint_weights.size() > 0 && scene.joint_weights[joint.v_index] != 1.0) {
      problem.joint_weights.emplace_back(link, scene.joint_weights[joint.v_index]);
    }
    if (scene.lower.size() == 0 && scene.upper.size() == 0) continue;
    const auto side = [&](const VecX& own, const VecX& models) {
      const VecX& from = own.size() > 0 ? own : models;
      return std::vector<double>(from.data() + joint.q_index, from.data() + joint.q_index + joint.q_count);
    };
    Limits limits;
    limits.lower = side(scene.lower, model.lower());
    limits.upper = side(scene.upper, model.upper());
    problem.limits.emplace_back(link, std::move(limits));
  }
  problem.obstacles = scene.obstacles;
  problem.margin = scene.margin;
  problem.collision = scene.collision;
  problem.bodies = scene.bodies;
  return problem;
}

Report solve(const Scene& scene) {
  const Result<Solver> solver = make_solver(scene);
  if (solver) return (*solver)->solve(make_problem(scene));
  Report report;
  report.model = scene.model();
  report.q = scene.start;
  report.outcome = Outcome::refused;
  report.refusal = solver.message();
  return report;
}

Result<Track> track(const Scene& scene, int frames, int steps_per_frame) {
  Problem problem = make_moving_problem(scene);
  TrackOptions options = scene.tracking;
  if (steps_per_frame >= 0) options.steps_per_frame = steps_per_frame;
  const bool paths = std::any_of(problem.goals.begin(), problem.goals.end(), has_path);
  if (!paths) {
    if (frames < 2) return Error{"A motion to a target needs at least 2 frames."};
    const double duration = (frames - 1) / options.frame_rate;
    for (Goal& goal : problem.goals) {
      if (Path* path = goal_path(goal); path != nullptr && !std::holds_alternative<AimGoal>(goal)) {
        *path = Path::line({}, {.duration = duration});
      }
    }
    if (steps_per_frame < 0) options.steps_per_frame = 1;
  }
  const Result<Solver> solver = make_solver(scene, paths ? "reach" : "pseudoinverse");
  if (!solver) return solver.error();
  return track(**solver, problem, options);
}

Result<Solver> make_solver(const Scene& scene, const std::string& method, bool lenient) {
  Result<Solver> solver = make_solver(scene.method.empty() || lenient ? method : scene.method);
  if (!solver) return solver;
  const std::string_view name = (*solver)->info().name;
  if (!lenient && name != "auto" && name != "reach" && make_problem(scene).avoids_collisions()) {
    return Error{"Method " + detail::quoted(name) +
                 " does not look for poses that touch nothing; use auto or reach, or collision off."};
  }
  const std::vector<OptionInfo> own = (*solver)->option_list();
  for (const auto& [option, text] : scene.options) {
    const bool has = std::any_of(own.begin(), own.end(), [&, &n = option](const auto& o) { return o.name == n; });
    if (!has && lenient) continue;
    if (const Status status = set_method_option(**solver, option, text); !status) return status.error();
  }
  return solver;
}

std::string to_json(const Scene& scene) {
  const Model& model = scene.model();
  JsonText json;
  json.begin_object().member("format", "armature-scene").member("version", 1);
  if (!scene.name.empty()) json.member("name", scene.name);
  if (!scene.model_name.empty()) json.member("model", scene.model_name);
  if (!scene.group.empty()) json.member("group", scene.group);
  if (!scene.tip.empty()) json.member("tip", scene.tip);
  if (!scene.base.empty()) json.member("base", scene.base);
  json.key("start");
  write_pose(json, model, scene.start);
  json.key("goals").begin_array();
  for (const SceneGoal& goal : scene.goals) {
    if (!std::holds_alternative<CustomGoal>(goal.goal)) write_goal(json, model, goal);  // code is not in files
  }
  json.end();
  if (!scene.locked.empty()) json.key("locked").strings(scene.locked);
  if (scene.joint_weights.size() > 0) json.key("joint_weights").numbers(scene.joint_weights);
  if (scene.lower.size() > 0) {
    json.key("limits").begin_object();
    for (const ModelJoint& joint : model.joints()) {
      const auto own = [&](const VecX& v) { return VecX(v.segment(joint.q_index, joint.q_count)); };
      if (joint.mimic || joint.q_count == 0 ||
          (own(scene.lower) == own(model.lower()) && own(scene.upper) == own(model.upper()))) {
        continue;
      }
      json.key(joint.name).begin_object().key("lower").numbers(own(scene.lower));
      json.key("upper").numbers(own(scene.upper)).end();
    }
    json.end();
  }
  if (!scene.obstacles.empty()) {
    json.key("obstacles");
    write_obstacles(json, scene.obstacles);
  }
  if (scene.margin > 0.0) json.member("margin", scene.margin);
  if (scene.collision) json.member("collision", collision_name(*scene.collision));
  if (!scene.method.empty()) json.member("method", scene.method);
  if (!scene.options.empty()) {
    json.key("options").begin_object();
    for (const auto& [name, text] : scene.options) {
      NumberWithUnit number;
      if (text == "true" || text == "false") {
        json.member(name, text == "true");
      } else if (parse_number_with_unit(text, number) && number.unit.empty()) {
        json.member(name, number.value);
      } else {
        json.member(name, text);
      }
    }
    json.end();
  }
  json.member("frame_rate", scene.tracking.frame_rate);
  json.member("steps_per_frame", scene.tracking.steps_per_frame);
  json.member("max_joint_step", scene.tracking.max_joint_step);
  if (!scene.keys_json.empty()) json.key("keys").raw(scene.keys_json);
  if (!scene.view_json.empty()) json.key("view").raw(scene.view_json);
  return json.end().text() + "\n";
}

}  // namespace armature::inline v0_2
