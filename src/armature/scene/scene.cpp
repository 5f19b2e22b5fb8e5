#include "armature/scene/scene.hpp"

#include <algorithm>

#include "armature/base/suggest.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/exact_shapes.hpp"
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
  const Model& model = scene.model;
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = item.find('=');
    std::string from, to;
    if (equals == std::string::npos || !split_range(std::string_view(item).substr(equals + 1), from, to)) {
      return Error{"--limits needs joint=lower..upper, such as elbow=-90deg..0; not " + detail::quoted(item) + "."};
    }
    const Result<int> index = model.find_joint(item.substr(0, equals));
    if (!index) return index.error();
    const ModelJoint& joint = model.joint(*index);
    if (const Status status = check_limited(joint); !status) return Error{"--limits: " + status.message()};
    const auto side = [&](std::string_view number, std::vector<double>& limit) -> Status {
      for (int i = joint.q_index; i < joint.q_index + joint.q_count; ++i) {
        const Result<double> value = parse_coordinate(model, i, number, "--limits", scene.notes);
        if (!value) return value.error();
        limit.push_back(*value);
      }
      return {};
    };
    Limits limits;
    if (const Status status = side(from, limits.lower); !status) return status;
    if (const Status status = side(to, limits.upper); !status) return status;
    scene.limits.emplace_back(joint.name, std::move(limits));
  }
  return {};
}

JointMap<double> joint_weights_from(const Model& model, const VecX& velocities) {
  JointMap<double> weights;
  for (const ModelJoint& joint : model.joints()) {
    if (!joint.mimic && joint.v_count > 0 && velocities[joint.v_index] != 1.0) {
      weights.emplace_back(joint.name, velocities[joint.v_index]);
    }
  }
  return weights;
}

Problem make_problem(const Scene& scene) {
  Problem problem = scene;
  std::erase_if(problem.goals, has_path);
  return problem;
}

Report solve(const Scene& scene) {
  const Result<Solver> solver = make_solver(scene);
  if (solver) return (*solver)->solve(make_problem(scene));
  Report report;
  report.model = scene.model;
  report.q = scene.start;
  report.outcome = Outcome::refused;
  report.refusal = solver.message();
  return report;
}

Result<Track> track(const Scene& scene, int frames, int steps_per_frame) {
  Problem problem = scene;
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
    if (steps_per_frame < 0) options.steps_per_frame = scene.avoids_collisions() ? 0 : 1;
  }
  // Plain steps do not see what they must not touch.
  const Result<Solver> solver = make_solver(scene, paths || scene.avoids_collisions() ? "reach" : "pseudoinverse");
  if (!solver) return solver.error();
  return track(**solver, problem, options);
}

Result<Solver> make_solver(const Scene& scene, const std::string& method, bool lenient) {
  Result<Solver> solver = make_solver(scene.method.empty() || lenient ? method : scene.method);
  if (!solver) return solver;
  const std::string_view name = (*solver)->info().name;
  if (!lenient && name != "auto" && name != "reach" && name != "follow" && scene.avoids_collisions()) {
    return Error{"Method " + detail::quoted(name) +
                 " does not look for poses that touch nothing; use auto, reach or follow, or collision off."};
  }
  const std::vector<OptionInfo> own = (*solver)->option_list();
  for (const auto& [option, text] : scene.options) {
    const bool has = std::any_of(own.begin(), own.end(), [&, &n = option](const auto& o) { return o.name == n; });
    if (!has && lenient) continue;
    if (const Status status = set_method_option(**solver, option, text); !status) return status.error();
  }
  return solver;
}

Status can_be_written(const Scene& scene) {
  for (const Goal& goal : scene.goals) {
    if (!std::holds_alternative<CustomGoal>(goal)) continue;
    const std::string& name = goal_fields(goal).name;
    return Error{"Goal " + (name.empty() ? "'custom'" : detail::quoted(name)) +
                 " is code, which files cannot hold: leave it out, and add it again after loading."};
  }
  return {};
}

std::string to_json(const Scene& scene) {
  const Model& model = scene.model;
  JsonText json;
  json.begin_object().member("format", "armature-scene").member("version", 1);
  if (!scene.name.empty()) json.member("name", scene.name);
  if (!scene.model_name.empty()) json.member("model", scene.model_name);
  if (!scene.group.empty()) json.member("group", scene.group);
  if (!scene.tip.empty()) json.member("tip", scene.tip_name());
  if (!scene.base.empty()) json.member("base", scene.base);
  json.key("start");
  write_pose(json, model, scene.start.size() > 0 ? scene.start : start_pose(model));
  json.key("goals").begin_array();
  for (const Goal& goal : scene.goals) {
    if (!std::holds_alternative<CustomGoal>(goal)) write_goal(json, model, goal);  // see can_be_written()
  }
  json.end();
  const auto name_of = [&](const JointRef& joint) {
    return joint.named() ? joint.name() : model.joint(joint.index()).name;
  };
  if (!scene.locked.empty()) {
    json.key("locked").begin_array();
    for (const JointRef& joint : scene.locked) json.value(name_of(joint));
    json.end();
  }
  if (!scene.joint_weights.empty()) {
    json.key("joint_weights").begin_object();
    for (const auto& [joint, weight] : scene.joint_weights) json.member(name_of(joint), weight);
    json.end();
  }
  if (!scene.limits.empty()) {
    json.key("limits").begin_object();
    for (std::size_t i = 0; i < scene.limits.size(); ++i) {
      const auto& [joint, limits] = scene.limits[i];
      const auto same = [&, &own = joint](const auto& later) { return name_of(later.first) == name_of(own); };
      if (std::any_of(scene.limits.begin() + static_cast<std::ptrdiff_t>(i) + 1, scene.limits.end(), same)) continue;
      json.key(name_of(joint)).begin_object();
      const auto side = [&](const char* key, const std::vector<double>& values) {
        if (!values.empty()) json.key(key).numbers(values.data(), static_cast<Eigen::Index>(values.size()));
      };
      side("lower", limits.lower);
      side("upper", limits.upper);
      side("velocity", limits.velocity);
      json.end();
    }
    json.end();
  }
  std::vector<Obstacle> obstacles = scene.obstacles;
  std::erase_if(obstacles, is_link_shape);  // of the model, not of the scene
  if (!obstacles.empty()) {
    json.key("obstacles");
    write_obstacles(json, obstacles);
  }
  if (scene.margin > 0.0) json.member("margin", scene.margin);
  if (scene.collision) json.member("collision", collision_name(*scene.collision));
  if (scene.exact) json.member("exact", true);
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
  if (scene.tracking.stop) json.member("stop", true);
  if (scene.tracking.retime) {
    const RetimeOptions& clock = *scene.tracking.retime;
    const auto limits = [&](const char* key, const VecX& values) {  // a joint without a limit is not named
      if (values.size() == 0) return;
      json.key(key).begin_object();
      for (const ModelJoint& joint : scene.model.joints()) {
        if (joint.mimic || joint.v_count == 0 || !values.segment(joint.v_index, joint.v_count).allFinite()) continue;
        json.key(joint.name).numbers(values.segment(joint.v_index, joint.v_count));
      }
      json.end();
    };
    json.key("retime").begin_object().member("velocity_scale", clock.velocity_scale);
    limits("velocity", clock.velocity);
    limits("acceleration", clock.acceleration);
    json.end();
  }
  if (!scene.keys_json.empty()) json.key("keys").raw(scene.keys_json);
  if (!scene.view_json.empty()) json.key("view").raw(scene.view_json);
  return json.end().text() + "\n";
}

}  // namespace armature::inline v0_2
