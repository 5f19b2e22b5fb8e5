#include "solving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "armature/scene/exact.hpp"
#include "armature/scene/methods.hpp"
#include "armature/solve/measure.hpp"

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
  for (const MethodEntry& entry : methods()) {
    for (const OptionInfo& option : entry.make()->option_list()) {
      auto found = std::find_if(all.begin(), all.end(), [&](const auto& o) { return o.info.name == option.name; });
      if (found == all.end()) found = all.insert(all.end(), {option, {}});
      found->methods.push_back(entry.name);
    }
  }
  return all;
}

void add_option_flag(CLI::App& command, SolveFlags& flags, const ListedOption& option, const std::string& doc) {
  const std::string flag = flag_name(option.info.name);
  std::string& text = flags.options[option.info.name];
  CLI::Option* made = nullptr;
  if (option.info.type == OptionInfo::Type::boolean) {
    const std::string names = flag + ",!--no-" + flag.substr(2);
    made = command.add_flag_function(
        names, [&text](std::int64_t n) { text = n > 0 ? "true" : "false"; }, doc);
  } else {
    made = command.add_option(flag, text, doc)->type_name("");
  }
  made->group("Method options");
}

void check_standard_input(const std::vector<std::pair<const char*, std::string>>& arguments) {
  std::vector<std::string> given;
  for (const auto& [name, path] : arguments) {
    if (path == "-") given.emplace_back(name);
  }
  if (given.size() < 2) return;
  throw BadInput{fmt::format("Standard input can be read only once; {} both name it. Give one of them as a file.",
                             fmt::join(given, " and "))};
}

// MODEL may be a scene; only a regular file can be looked into beforehand.
bool model_is_scene(const std::string& path) {
  if (path.size() < 5 || path.compare(path.size() - 5, 5, ".json") != 0) return false;
  const Result<OpenFile> file = open_regular(path);
  const Result<std::string> text = file ? read_open_file(*file, path) : Result<std::string>(file.error());
  return text && is_scene(*text);
}

void add_goals_of(const SolveFlags& flags, Scene& scene) {
  if (!flags.goal.empty() || !flags.goals.empty()) scene.goals.clear();
  const GoalContext context = scene.context();
  if (!flags.goals.empty()) {
    const bool in_place = flags.goals.find_first_of("[{") == 0;
    const std::string name = in_place ? "--goals" : flags.goals == "-" ? "Standard input" : flags.goals;
    const JsonInput input = need(JsonInput::parse(in_place ? flags.goals : need(read_file(flags.goals)), name));
    JsonFields fields(input.source());
    if (!read_goals(fields, input.root(), context, scene.goals)) throw BadInput{fields.error().message};
    if (scene.goals.empty()) throw BadInput{name + ": The list of goals is empty."};
  }
  for (const std::string& text : flags.goal) scene.goals.push_back(need(parse_goal(text, context)));
  for (const std::string& text : flags.pole) {
    if (scene.goals.empty()) throw BadInput{"--pole goes with a goal of the limb's end: --goal LINK=x,y,z."};
    scene.goals.push_back(need(parse_pole(text, effector(scene.goals.front(), scene.model, scene.tip), context)));
  }
  if (!flags.posture.empty() || !flags.gain.empty()) {
    PostureGoal posture;
    posture.target = need(parse_pose(scene.model, flags.posture, scene.start, scene.notes));
    if (!flags.gain.empty())
      posture.gain = need(parse_velocities(scene.model, flags.gain, "--gain", 0.0, JointUnits::none));
    scene.goals.push_back(posture);
  }
}

void print_goals(const Report& report) {
  Table table({"goal", "type", "priority", "length error", "angle error", "reached"});
  for (const GoalReport& goal : report.goals) {
    table.add({goal.name, goal.type, std::to_string(goal.priority), pretty_number(goal.position_error, 4),
               pretty_number(goal.orientation_error, 4),
               !goal.required ? "preference"
               : goal.reached ? "yes"
                              : "no"});
  }
  fmt::print("{}\n", table.text(2));
}

}  // namespace

void print_report(const Problem& problem, const Report& report, const VecX& q, double microseconds) {
  const Model& model = problem.model;
  fmt::print("{}  {}\n", bold(outcome_name(report.outcome)), printable(report.message()));
  if (problem.goals.size() > 1) print_goals(report);
  Table table({"joint", "value", "degrees"});
  for (int i = 0; i < model.q_size(); ++i) {
    const bool angle = model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::angle;
    table.add({model.coordinate_name(i), pretty_number(q[i], 9), angle ? pretty_number(q[i] * 180.0 / kPi, 6) : ""});
  }
  fmt::print("{}", table.text(2));
  fmt::print("  {} in {:.1f} us, {} iteration{}, condition {}\n", report.method, microseconds, report.iterations,
             report.iterations == 1 ? "" : "s", pretty_number(measures(problem, q).condition, 4));
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : methods()) names.push_back(entry.name);
  return names;
}

void add_collision_flags(CLI::App& command, CollisionFlags& flags, const std::string& what) {
  command.add_option("--obstacles", flags.obstacles,
                     what + " touches none of these: a JSON list (docs/bodies.md), - for standard input");
  command.add_option("--margin", flags.margin, "Distance kept from obstacles and between bodies, such as 5mm");
  command.add_option("--collision", flags.collision,
                     "search: " + what +
                         " touches nothing, itself neither; off: whatever it touches (default: search "
                         "where there are obstacles, a margin, or --exact)");
  command.add_flag("--exact", flags.exact, "Where bodies touch, ask the shapes themselves, meshes by their triangles");
}

void use_collision_flags(const CollisionFlags& flags, const LoadedModel& loaded, Problem& problem, bool& exact,
                         std::vector<std::string>& notes) {
  if (!flags.obstacles.empty()) problem.obstacles = need(load_obstacles(flags.obstacles, problem.model));
  if (!flags.margin.empty()) {
    problem.margin = need(parse_quantity(flags.margin, "length", "--margin"));
    if (problem.margin < 0.0) throw BadInput{"--margin must not be negative; it is " + flags.margin + "."};
  }
  if (!flags.obstacles.empty() || !flags.margin.empty()) note_units(problem, notes);
  if (!flags.collision.empty()) problem.collision = need(parse_collision(flags.collision));
  exact = exact || flags.exact;
  need(use_bodies(problem, loaded, exact, notes));
}

void add_solve_flags(CLI::App& command, SolveFlags& flags, const std::string& method) {
  SceneArguments& given = flags.arguments;
  command.add_option("MODEL", given.model, "A built-in model, a file, - for standard input, or a scene file");
  command.add_option("--scene", flags.scene, "A scene file (docs/formats/scene.md); - for standard input");
  command.add_option("--tip", given.tip, "Link of goals that name none (default: the model's effector)");
  command.add_option("--group", given.group,
                     "A named chain or set of joints of the model (SRDF): its tip; other joints stay");
  add_collision_flags(command, flags, "The answer");
  command.add_option("--base", given.base, "Link whose frame targets are given in (default: world)");
  command.add_option("--goal", flags.goal,
                     "[LINK=]x,y (z is free), x,y,z or x,y,z,qx,qy,qz,qw; LINK:x,y,z= for a point of the link; may be "
                     "given several times");
  command.add_option("--goals", flags.goals,
                     "A JSON list of goals of any type (docs/goals.md): a file, - for standard input, or the list");
  command.add_option("--pole", flags.pole,
                     "MIDDLE=x,y,z: the side that the middle link of the first goal's limb (elbow, knee) bends to");
  command.add_option("--posture", flags.posture,
                     "A pose to stay near where goals leave freedom: a name, joint=value,..., or all numbers (default "
                     "with --gain: the start)");
  command.add_option("--gain", flags.gain, "How strongly joints are drawn to it: joint=number,... or one number");
  command.add_option("--start", given.start,
                     "Pose to start from: a name, joint=value,..., or all numbers (default: the pose chapter, ready or "
                     "rest where there is one, else the middle of the limits)");
  command.add_option("--locked", flags.locked, "joint,...: joints that must not move")->delimiter(',');
  command.add_option("--joint-weights", flags.joint_weights,
                     "joint=number,...: 0 stays, 1 is the default, more moves more readily");
  command.add_option("--limits", flags.limits, "joint=lower..upper,...: limits of this call");
  if (!method.empty()) {
    command.add_option("--method", flags.method,
                       "One of " + detail::join(method_names(), 40) + " (default: " + method + ")");
  }
  add_read_options(command, given.read);
  const std::size_t methods_count = methods().size();
  for (const ListedOption& option : every_option()) {
    std::string doc = option.info.doc;
    if (!option.info.choices.empty()) doc += ": " + detail::join(option.info.choices, 20);
    if (option.methods.size() < methods_count) doc += " [" + detail::join(option.methods, 20) + "]";
    add_option_flag(command, flags, option, doc);
  }
  add_json_flag(command, flags.json);
}

Scene scene_of(const SolveFlags& flags, const std::string& targets) {
  SceneArguments arguments = flags.arguments;
  check_standard_input(
      {{"MODEL", arguments.model}, {"--scene", flags.scene}, {"--goals", flags.goals}, {"--targets", targets}});
  std::string file = flags.scene;
  if (file.empty() && model_is_scene(arguments.model)) std::swap(file, arguments.model);
  if (file.empty() && arguments.model.empty())
    throw BadInput{"Give a MODEL or a --scene; `armature models` lists the built-in models."};
  Scene scene = file.empty() ? need(read_scene("{}", "", with_files(arguments))) : need(load_scene(file, arguments));
  add_goals_of(flags, scene);
  const Model& model = scene.model;
  if (!flags.locked.empty()) scene.locked.assign(flags.locked.begin(), flags.locked.end());
  for (const JointRef& joint : scene.locked) need(resolve(model, joint).status());
  if (!flags.joint_weights.empty()) {
    const VecX weights = need(parse_velocities(model, flags.joint_weights, "--joint-weights", 1.0, JointUnits::none));
    scene.joint_weights = joint_weights_from(model, weights);
  }
  if (!flags.limits.empty()) need(parse_limits(flags.limits, scene));
  use_collision_flags(flags, *scene.loaded, scene, scene.exact, scene.notes);
  if (!flags.method.empty()) scene.method = flags.method;
  for (const auto& [name, text] : flags.options) {
    if (!text.empty()) scene.options.emplace_back(name, text);
  }
  add_notes(scene.notes);
  return scene;
}

Scene scene_with_goals(const SolveFlags& flags) {
  Scene scene = scene_of(flags);
  const bool any =
      std::any_of(scene.goals.begin(), scene.goals.end(), [](const Goal& goal) { return !is_preference(goal); });
  if (!any) throw BadInput{"A goal is needed: --goal [LINK=]x,y,z, --goals FILE, or a scene that has goals."};
  return scene;
}

const Report& timed_solve(Method& solver, const Problem& problem, VecX& q, double& microseconds) {
  const auto begin = std::chrono::steady_clock::now();
  const Report& report = solver.solve(problem, q);
  q = report.q;
  const auto end = std::chrono::steady_clock::now();
  microseconds = std::chrono::duration<double, std::micro>(end - begin).count();
  return report;
}

Json report_to_json(const Problem& problem, const Report& report, const VecX& q, const ReportText& text) {
  JsonText json;
  json.begin_object();
  write_report(json, problem, report, q, text);
  return Json::parse(json.end().text());
}

}  // namespace armature::cli
