// Over 400 lines: one list of conditions, each a few lines, that share how quantities are computed.
//
// Checks are a list of objects, each with one condition:
//   numbers  {"equals": QUANTITY, "tolerance": 0.001}
//   pose     {"reaches": [goals]}, {"singular": "tip"}, {"differs": POSE, "by": 0.1}, {"within": {"joint": [lower,
//   upper]}},
//            {"inside_limits": true}
//   model    {"moves_like": "puma560", "tip": "...", "own_tip": "..."}, {"q_size": 2},
//            {"limits": {"joint": [lower, upper]}}, {"mobility": 1, "closures": 1}, {"turns_round": true}: a crank
//            does
//   motion   {"passes": {"time": 1, "link": "hand", "target": [x, y, z], "tolerance": 0.01}}, {"returns": 0.001},
//            {"inside_limits": true}, {"largest_step": 0.2}, {"moves": {"joint": 0.5}},
//            {"descends": [goals], "tolerance": 0.001}
// A QUANTITY is {"position": "link", "model": ..., "pose": ..., "base": ...}, {"jacobian": "link", "rows": [0, 1],
// ...},
// {"singular_values": "link", "rows": [0, 1], ...}, {"step": SCENE}, {"answer": SCENE}, {"error": SCENE}, {"q_size":
// "model"} or {"columns": "model"} (v_size).
#include "armature/scene/exercise.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/geom/svd.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/motion/drive.hpp"
#include "armature/scene/builtin_exercises.hpp"
#include "armature/scene/pose_text.hpp"
#include "armature/scene/scene.hpp"
#include "armature/solve/measure.hpp"

namespace armature::inline v0_2 {
namespace {

using Json = nlohmann::ordered_json;

/// armature::quoted under another name: for a std::string the compiler would find std::quoted too.
std::string in_quotes(std::string_view name) { return armature::detail::quoted(name); }

constexpr const char* kKinds[] = {"numbers", "pose", "choice", "model", "motion"};

Result<Exercise> read_exercise(std::string_view name, std::string_view text) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object()) return Error{"The exercise " + in_quotes(name) + " is not JSON."};
  Exercise e;
  e.name = name;
  // The name of the file begins with a number, for the order.
  if (const std::size_t behind = e.name.find('_'); behind != std::string::npos) e.name = e.name.substr(behind + 1);
  const auto text_of = [&](const char* key) { return json.contains(key) ? json[key].get<std::string>() : ""; };
  const auto list_of = [&](const char* key) {
    return json.contains(key) ? json[key].get<std::vector<std::string>>() : std::vector<std::string>{};
  };
  e.section = text_of("section");
  e.title = text_of("title");
  e.task = text_of("task");
  e.hints = list_of("hints");
  e.choices = list_of("choices");
  e.model = text_of("model");
  e.solution = text_of("solution");
  e.wrong = list_of("wrong");
  const std::string kind = text_of("answer");
  const auto found = std::find(std::begin(kKinds), std::end(kKinds), kind);
  if (found == std::end(kKinds))
    return Error{"The exercise " + in_quotes(name) + " has no such answer " + in_quotes(kind) + "."};
  e.kind = static_cast<AnswerKind>(found - std::begin(kKinds));
  e.checks = json.contains("checks") ? json["checks"].dump() : "[]";
  return e;
}

std::string listed(const std::vector<double>& values) {
  std::string text;
  for (const double v : values) text += (text.empty() ? "" : ", ") + pretty_number(v, 5);
  return text;
}

struct Moment {
  Model model;
  VecX q;
  State state;
};

Result<Moment> moment_of(const Json& at) {
  Result<LoadedModel> loaded = open_model(at.at("model").get<std::string>());
  if (!loaded) return loaded.error();
  Moment m{loaded->model, {}, {}};
  m.q = start_pose(m.model);
  if (at.contains("pose")) {
    std::vector<std::string> notes;
    const Result<VecX> pose = parse_pose(m.model, at["pose"].get<std::string>(), neutral_pose(m.model), notes);
    if (!pose) return pose.error();
    m.q = *pose;
  }
  forward(m.model, m.q, m.state);
  return m;
}

Result<Scene> scene_of(const Json& json) { return read_scene(json.dump(), "the exercise", {}); }

Result<MatX> jacobian_rows(const Json& quantity, const std::string& link) {
  const Result<Moment> m = moment_of(quantity);
  if (!m) return m.error();
  const Result<int> index = m->model.find_link(link);
  if (!index) return index.error();
  Jacobian J(6, m->model.v_size());
  jacobian(m->model, m->state, *index, Vec3::Zero(), J);
  const std::vector<int> rows =
      quantity.contains("rows") ? quantity["rows"].get<std::vector<int>>() : std::vector<int>{0, 1, 2, 3, 4, 5};
  MatX out(static_cast<Eigen::Index>(rows.size()), J.cols());
  for (std::size_t r = 0; r < rows.size(); ++r) out.row(static_cast<Eigen::Index>(r)) = J.row(rows[r]);
  return out;
}

std::vector<double> values_of(const VecX& v) { return {v.data(), v.data() + v.size()}; }

Result<std::vector<double>> quantity_of(const Json& quantity) {
  if (quantity.contains("position")) {
    const Result<Moment> m = moment_of(quantity);
    if (!m) return m.error();
    const Result<int> link = m->model.find_link(quantity["position"].get<std::string>());
    if (!link) return link.error();
    const Result<int> base = frame_index(m->model, quantity.value("base", "world"));
    if (!base) return base.error();
    const Vec3 p = convert_point(m->state, *link, *base, Vec3::Zero());
    std::vector<double> out;
    for (const char axis : quantity.value("axes", std::string("xyz"))) out.push_back(p[axis - 'x']);
    return out;
  }
  if (quantity.contains("jacobian") || quantity.contains("singular_values")) {
    const bool values = quantity.contains("singular_values");
    const Result<MatX> J =
        jacobian_rows(quantity, quantity[values ? "singular_values" : "jacobian"].get<std::string>());
    if (!J) return J.error();
    std::vector<double> out;
    if (values) {
      double s[kMaxSmall];
      singular_values(*J, s);
      out.assign(s, s + std::min(J->rows(), J->cols()));
    } else {
      const int only = quantity.value("column", -1);
      for (Eigen::Index r = 0; r < J->rows(); ++r) {
        for (Eigen::Index c = 0; c < J->cols(); ++c) {
          if (only < 0 || c == only) out.push_back((*J)(r, c));
        }
      }
    }
    return out;
  }
  if (quantity.contains("q_size") || quantity.contains("columns")) {
    const bool columns = quantity.contains("columns");
    const Result<LoadedModel> m = open_model(quantity[columns ? "columns" : "q_size"].get<std::string>());
    if (!m) return m.error();
    return std::vector<double>{static_cast<double>(columns ? m->model.v_size() : m->model.q_size())};
  }
  const char* kind = quantity.contains("step") ? "step" : quantity.contains("answer") ? "answer" : "error";
  Result<Scene> scene = scene_of(quantity.at(kind));
  if (!scene) return scene.error();
  const Problem problem = make_problem(*scene);
  if (std::string_view(kind) == "error") return std::vector<double>{measure(problem, scene->start).position_error};
  Result<Solver> solver = make_solver(*scene);
  if (!solver) return solver.error();
  Trace trace;
  const bool step = std::string_view(kind) == "step";
  const Report& report = (*solver)->solve(problem, scene->start, step ? &trace : nullptr);
  if (!step) return values_of(report.q);
  if (trace.steps.empty()) return Error{"The method keeps no trace."};
  return values_of(trace.steps.front().step);
}

// --- the kinds of answers --------------------------------------------------------------------------------------------

using Failure = Result<std::string>;  // "": the condition holds

Failure check_numbers(const Json& check, const std::vector<double>& given) {
  const Result<std::vector<double>> right = quantity_of(check.at("equals"));
  if (!right) return right.error();
  if (given.size() != right->size()) {
    return "The answer has " + std::to_string(given.size()) + (given.size() == 1 ? " number" : " numbers") + "; " +
           std::to_string(right->size()) + " are asked for.";
  }
  double largest = 1.0;
  for (const double v : *right) largest = std::max(largest, std::abs(v));
  const double tolerance = check.value("tolerance", 1e-3) * largest;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!(std::abs(given[i] - (*right)[i]) <= tolerance)) {
      return "Number " + std::to_string(i + 1) + " is not right: " + pretty_number(given[i], 6) + ".";
    }
  }
  return std::string();
}

Failure check_pose(const Json& check, const std::string& model_name, const Model& model, const VecX& q) {
  if (check.contains("reaches")) {
    Json scene = {{"model", model_name}, {"goals", check["reaches"]}};
    Result<Scene> read = scene_of(scene);
    if (!read) return read.error();
    const Report report = measure(make_problem(*read), q);
    if (!report.ok()) {
      return "The goal is missed by " + pretty_number(report.position_error, 4) +
             (report.orientation_error > 0.0 ? " and " + pretty_number(report.orientation_error, 4) + " rad" : "") +
             ".";
    }
  }
  if (check.contains("singular")) {
    Json at = check;
    at["model"] = model_name;
    const Result<int> link = model.find_link(check["singular"].get<std::string>());
    if (!link) return link.error();
    State state;
    forward(model, q, state);
    Jacobian J(6, model.v_size());
    jacobian(model, state, *link, Vec3::Zero(), J);
    const std::vector<int> rows = check.value("rows", std::vector<int>{0, 1, 2});
    MatX part(static_cast<Eigen::Index>(rows.size()), J.cols());
    for (std::size_t r = 0; r < rows.size(); ++r) part.row(static_cast<Eigen::Index>(r)) = J.row(rows[r]);
    double s[kMaxSmall];
    singular_values(part, s);
    const Eigen::Index last = std::min(part.rows(), part.cols()) - 1;
    if (s[last] > 1e-4 * model.size()) {
      return "The smallest singular value is " + pretty_number(s[last], 4) + ": the tip can still move every way.";
    }
  }
  if (check.contains("differs")) {
    std::vector<std::string> notes;
    const Result<VecX> from = parse_pose(model, check["differs"].get<std::string>(), neutral_pose(model), notes);
    if (!from) return from.error();
    const double way = difference(model, *from, q).norm();
    if (way < check.value("by", 0.1)) return std::string("That is the pose that was given; another one is asked for.");
  }
  if (check.contains("within")) {
    for (const auto& [joint, range] : check["within"].items()) {
      const Result<int> index = model.find_joint(joint);
      if (!index) return index.error();
      const double value = q[model.joint(*index).q_index];
      if (value < range[0].get<double>() - 1e-6 || value > range[1].get<double>() + 1e-6) {
        return in_quotes(joint) + " is at " + pretty_number(value, 5) + ", outside the range that is asked for.";
      }
    }
  }
  if (check.contains("inside_limits") && !inside_limits(model, q, 1e-6)) {
    return std::string("A joint is outside its limits.");
  }
  return std::string();
}

Failure check_mechanism(const Json& check, const Model& own) {
  if (own.closures().empty()) return std::string("The model has no closure: it is a tree.");
  const MechanismReport found = analyze_mechanism(own);
  if (!found.assembled) return "The loops do not close. " + (found.notes.empty() ? "" : found.notes.front());
  const int closures = static_cast<int>(own.closures().size());
  if (check.value("closures", closures) != closures) {
    return "The model has " + std::to_string(closures) + " closures, not " +
           std::to_string(check.value("closures", 1)) + ".";
  }
  if (check.value("mobility", found.mobility) != found.mobility) {
    return "The model can move in " + std::to_string(found.mobility) + (found.mobility == 1 ? " way" : " ways") +
           ", not in " + std::to_string(check.value("mobility", 1)) + ".";
  }
  if (!check.value("turns_round", false)) return std::string();
  // The cranks: the drives that the model names, else what turns on the ground.
  std::vector<std::string> cranks;
  if (found.drives_given) cranks = found.drives;
  for (int link = 1; !found.drives_given && link < own.link_count(); ++link) {
    if (own.parent(link) == 0 && own.joint(link).v_count == 1) cranks.push_back(own.joint(link).name);
  }
  for (const std::string& crank : cranks) {
    const Result<CircuitReport> turn = circuit(own, found.q, crank);
    if (turn && turn->full_turn) return std::string();
  }
  return "Its crank does not turn all the way round: tried " + armature::detail::join(cranks) + ".";
}

Failure check_model(const Json& check, const Model& own) {
  if (check.contains("q_size") && own.q_size() != check["q_size"].get<int>()) {
    return "A pose of the model has " + std::to_string(own.q_size()) + (own.q_size() == 1 ? " number" : " numbers") +
           ", not " + std::to_string(check["q_size"].get<int>()) + ".";
  }
  if (check.contains("limits")) {
    for (const auto& [joint, range] : check["limits"].items()) {
      const Result<int> index = own.find_joint(joint);
      if (!index) return index.message();
      const int q = own.joint(*index).q_index;
      if (own.joint(*index).q_count != 1) {
        return "Joint " + in_quotes(joint) + " is " + type_name(own.joint(*index).type) + ", which has no such range.";
      }
      if (std::abs(own.lower()[q] - range[0].get<double>()) > 1e-4 ||
          std::abs(own.upper()[q] - range[1].get<double>()) > 1e-4) {
        return "Joint " + in_quotes(joint) + " ranges from " + pretty_number(own.lower()[q], 5) + " to " +
               pretty_number(own.upper()[q], 5) + ".";
      }
    }
  }
  if (check.contains("mobility") || check.contains("turns_round")) return check_mechanism(check, own);
  if (!check.contains("moves_like")) return std::string();
  const Result<LoadedModel> like = open_model(check["moves_like"].get<std::string>());
  if (!like) return like.error();
  const Model& model = like->model;
  if (own.q_size() != model.q_size()) {
    return "A pose of the model has " + std::to_string(own.q_size()) + (own.q_size() == 1 ? " number" : " numbers") +
           "; " + in_quotes(model.name()) + " has " + std::to_string(model.q_size()) + ".";
  }
  const Result<int> tip = model.find_link(check.at("tip").get<std::string>());
  if (!tip) return tip.error();
  // The last effector, under whatever name, at the same numbers.
  const std::string own_tip = check.value("own_tip", std::string());
  const Result<int> end = own_tip.empty() ? Result<int>(own.effectors().back()) : own.find_link(own_tip);
  if (!end) return end.message();
  Rng rng(1);
  State a, b;
  for (int trial = 0; trial < 20; ++trial) {
    const VecX q = random_pose(model, rng);
    forward(model, q, a);
    forward(own, q, b);
    const double off =
        (convert_point(a, *tip, kWorld, Vec3::Zero()) - convert_point(b, *end, kWorld, Vec3::Zero())).norm();
    if (off > 1e-3 * model.size()) {
      return "At the pose " + listed(values_of(q)) + " the end of your model is " + pretty_number(off, 4) +
             " away from where it should be.";
    }
  }
  return std::string();
}

VecX frame_of(const Clip& clip, int f) { return Eigen::Map<const VecX>(clip.frame(f), clip.q_size); }

Failure check_motion(const Json& check, const std::string& model_name, const Model& model, const Clip& clip) {
  if (check.contains("descends")) {
    Result<Scene> scene = scene_of({{"model", model_name}, {"goals", check["descends"]}});
    if (!scene) return scene.error();
    const Problem problem = make_problem(*scene);
    double before = kInfinity;
    for (int f = 0; f < clip.frame_count(); ++f) {
      const double error = measure(problem, frame_of(clip, f)).position_error;
      if (error > before * (1.0 + 1e-9)) return "The error rises in frame " + std::to_string(f) + ".";
      before = error;
    }
    if (before > check.value("tolerance", 1e-3))
      return "The last frame misses the goal by " + pretty_number(before, 4) + ".";
  }
  if (check.contains("passes")) {
    const Json& p = check["passes"];
    const Result<int> link = model.find_link(p.at("link").get<std::string>());
    if (!link) return link.error();
    const double frame = std::round(p.at("time").get<double>() / clip.frame_time);
    if (!(frame < clip.frame_count()))
      return "The motion ends before " + pretty_number(p["time"].get<double>(), 4) + " s.";
    State state;
    forward(model, frame_of(clip, static_cast<int>(frame)), state);
    const std::vector<double> t = p.at("target").get<std::vector<double>>();
    const double off = (convert_point(state, *link, kWorld, Vec3::Zero()) - Vec3(t[0], t[1], t[2])).norm();
    if (off > p.value("tolerance", 0.01)) {
      return "At " + pretty_number(p["time"].get<double>(), 4) + " s " + in_quotes(model.link_name(*link)) + " is " +
             pretty_number(off, 4) + " from where it should be.";
    }
  }
  if (check.contains("returns")) {
    const double way =
        difference(model, frame_of(clip, 0), frame_of(clip, clip.frame_count() - 1)).cwiseAbs().maxCoeff();
    if (way > check["returns"].get<double>())
      return "The last frame differs from the first by " + pretty_number(way, 4) + ".";
  }
  if (check.contains("inside_limits")) {
    for (int f = 0; f < clip.frame_count(); ++f) {
      if (!inside_limits(model, frame_of(clip, f), 1e-6))
        return "Frame " + std::to_string(f) + " is outside the limits.";
    }
  }
  if (check.contains("largest_step")) {
    for (int f = 1; f < clip.frame_count(); ++f) {
      const double step = difference(model, frame_of(clip, f - 1), frame_of(clip, f)).cwiseAbs().maxCoeff();
      if (step > check["largest_step"].get<double>())
        return "A joint moves by " + pretty_number(step, 4) + " in frame " + std::to_string(f) + ".";
    }
  }
  if (check.contains("moves")) {
    for (const auto& [joint, way] : check["moves"].items()) {
      const Result<int> index = model.find_joint(joint);
      if (!index) return index.error();
      const int q = model.joint(*index).q_index;
      double low = kInfinity, high = -kInfinity;
      for (int f = 0; f < clip.frame_count(); ++f) {
        low = std::min(low, clip.frame(f)[q]);
        high = std::max(high, clip.frame(f)[q]);
      }
      if (high - low < way.get<double>())
        return in_quotes(joint) + " moves by " + pretty_number(high - low, 4) + " only.";
    }
  }
  return std::string();
}

Result<std::vector<double>> numbers_in(const std::string& text) {
  std::vector<double> out;
  for (const std::string& part : split_list(text)) {
    NumberWithUnit number;
    if (!parse_number_with_unit(part, number))
      return Error{in_quotes(part) + " is not a number; write the answer as 1.5,2.25 (90deg for degrees)."};
    out.push_back(number.value);
  }
  return out;
}

}  // namespace

Result<std::vector<Exercise>> exercises() {
  std::vector<Exercise> all;
  for (const BuiltinExercise& builtin : builtin_exercises()) {
    Result<Exercise> one = read_exercise(builtin.name, builtin.json);
    if (!one) return one.error();
    all.push_back(std::move(*one));
  }
  return all;
}

Result<Exercise> find_exercise(std::string_view name) {
  const Result<std::vector<Exercise>> all = exercises();
  if (!all) return all.error();
  std::vector<std::string> names;
  for (const Exercise& e : *all) {
    if (e.name == name) return e;
    names.push_back(e.name);
  }
  return Error{unknown_name("exercise", name, names)};
}

Result<Verdict> check_answer(const Exercise& exercise, const Answer& answer) {
  const Json checks = Json::parse(exercise.checks, nullptr, false);
  std::vector<double> numbers;
  std::optional<Model> model;
  VecX q;
  switch (exercise.kind) {
    case AnswerKind::choice: {
      // "b", or the words of the choice.
      std::string wanted;
      for (const Json& check : checks) wanted = check.at("right").get<std::string>();
      std::string given = answer.text;  // or "B", or "b)"
      if (given.size() == 2 && (given[1] == ')' || given[1] == '.')) given.pop_back();
      if (given.size() == 1 && given[0] >= 'A' && given[0] <= 'Z') given[0] = static_cast<char>(given[0] - 'A' + 'a');
      if (given.size() == 1 && given[0] >= 'a' && static_cast<std::size_t>(given[0] - 'a') < exercise.choices.size()) {
        given = exercise.choices[static_cast<std::size_t>(given[0] - 'a')];
      }
      if (std::find(exercise.choices.begin(), exercise.choices.end(), given) == exercise.choices.end()) {
        return Error{"Answer with a letter from a to " +
                     std::string(1, static_cast<char>('a' + exercise.choices.size() - 1)) + "."};
      }
      return Verdict{given == wanted, given == wanted ? "Right." : "No."};
    }
    case AnswerKind::numbers: {
      const Result<std::vector<double>> read = numbers_in(answer.text);
      if (!read) return read.error();
      numbers = *read;
      break;
    }
    case AnswerKind::pose: {
      Result<LoadedModel> loaded = open_model(exercise.model);
      if (!loaded) return loaded.error();
      model = std::move(loaded->model);
      std::vector<std::string> notes;
      const Result<VecX> pose = parse_pose(*model, answer.text, neutral_pose(*model), notes);
      if (!pose) return pose.error();
      q = *pose;
      break;
    }
    case AnswerKind::model: {
      if (!answer.model) return Error{"The answer is a model: give its file."};
      Result<Model> compiled = compile(*answer.model);
      if (!compiled) return compiled.error();
      model = std::move(*compiled);
      break;
    }
    case AnswerKind::motion: {
      if (!answer.motion || answer.motion->frame_count() < 2) return Error{"The answer is a motion: give its file."};
      Result<LoadedModel> loaded = open_model(exercise.model);
      if (!loaded) return loaded.error();
      model = std::move(loaded->model);
      if (answer.motion->q_size != model->q_size())
        return Error{"The motion is not one of " + in_quotes(exercise.model) +
                     ": it has other joints. One that `armature animate " + exercise.model +
                     " ... -o motion.csv` writes is."};
      break;
    }
  }
  for (const Json& check : checks) {
    const Failure failure = exercise.kind == AnswerKind::numbers ? check_numbers(check, numbers)
                            : exercise.kind == AnswerKind::pose  ? check_pose(check, exercise.model, *model, q)
                            : exercise.kind == AnswerKind::model
                                ? check_model(check, *model)
                                : check_motion(check, exercise.model, *model, *answer.motion);
    if (!failure) return failure.error();
    if (!failure->empty()) return Verdict{false, *failure};
  }
  return Verdict{true, "Right."};
}

}  // namespace armature::inline v0_2
