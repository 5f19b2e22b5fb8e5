// Inverse kinematics: solve, Solver, batches, and what a Scene asks of a pose. Over 400 lines: they share how keywords
// become a scene and reports become objects.
#include <algorithm>
#include <atomic>

#include "armature/base/suggest.hpp"
#include "armature/parallel/solve_batch.hpp"
#include "armature/scene/compare.hpp"
#include "armature/scene/goal_parts.hpp"
#include "armature/scene/methods.hpp"
#include "armature/scene/pose_text.hpp"
#include "armature/solve/measure.hpp"
#include "jobs.hpp"
#include "report.hpp"

namespace armature::python {
namespace {

const char* const kKeywords =
    "`link` is what should arrive (the model's effector when it is left out), `point` a point of it, `base` the frame "
    "that targets are given\nin. Several goals: goals=[{...}, ...], each a dict as in docs/goals.md. `start` is a "
    "pose, "
    "`locked` names joints that\nmust not move, `joint_weights` {joint: number} how readily they move, `limits` "
    "{joint: "
    "{lower, upper}} those of\nthis call. `obstacles` (a list as in docs/bodies.md, or its file), `margin` (metres), "
    "`collision` ('search' or 'off') and `exact`\nask for answers that touch nothing. Options of the method are "
    "further keywords; armature.methods() lists them.";

Answer solve_fields(const FigurePtr& figure, const py::dict& fields, bool traced) {
  const Scene scene = to_scene(figure, fields);
  need_goals(scene, "solve");
  const SolverPool::Loan solver = need(figure->solvers.lend(scene));
  return solve(figure, **solver, std::make_shared<const Problem>(make_problem(scene)), scene.start, traced);
}

bool to_trace(const py::object& trace) { return !trace.is_none() && to_flag(trace, "trace"); }

/// A method with its tables, kept from question to question.
class KeptSolver {
 public:
  KeptSolver(FigurePtr figure, py::dict fields) : figure_(std::move(figure)), fields_(std::move(fields)) {
    read();
    find_implied();
  }

  Answer solve(const py::object& target, const py::object& start, const py::object& trace) {
    const Use use(busy_);
    if (!target.is_none()) set_target(0, target);
    const VecX from = start.is_none() ? scene_.start : to_pose(figure_->model, start, "start");
    need_goals(scene_, "solve");
    return python::solve(figure_, *solver_, std::make_shared<const Problem>(problem_), from, to_trace(trace));
  }

  void change_target(int goal, const py::object& target) {
    const Use use(busy_);
    set_target(goal, target);
  }
  std::string method() const { return solver_->info().name; }

 private:
  // One thread at a time, and not from inside its own search.
  struct Use {
    explicit Use(std::atomic<bool>& busy) : flag(busy) {
      if (flag.exchange(true)) throw PyError("This Solver is solving already; keep one for each thread.");
    }
    ~Use() { flag = false; }
    std::atomic<bool>& flag;
  };

  void read() {
    scene_ = to_scene(figure_, fields_);
    solver_ = need(make_solver(scene_));
    remake();
  }
  void remake() { problem_ = make_problem(scene_); }

  void set_target(int number, const py::object& target) {
    if (scene_.goals.empty()) {
      py::dict goal;
      goal["target"] = target;
      py::list goals;
      goals.append(goal);
      fields_["goals"] = goals;
      read();
      find_implied();
      return;
    }
    if (number < 0 || static_cast<std::size_t>(number) >= problem_.goals.size()) {
      throw PyError("There is no goal number " + std::to_string(number) + "; there are " +
                    std::to_string(problem_.goals.size()) + ".");
    }
    Argument given("target", target);
    Goal& goal = problem_.goals[static_cast<std::size_t>(number)];
    const std::string form = type_of_target(given.value());
    const bool turns_into = !form.empty() && form != goal_name(goal) && implied(number);
    if (turns_into) return replace_goal(number, form, target);
    std::vector<std::string> notes;
    const GoalContext context{figure_->model, scene_.start, scene_.tip_name(), scene_.base, notes, false, {}};
    given.need(read_target(given.fields(), given.value(), context, goal));
    warn(notes);
  }

  // Whether the goals' types only follow from the form of their targets, so that another form may change them.
  void find_implied() {
    implied_.clear();
    if (!fields_.contains("goals") || !PyList_Check(py::object(fields_["goals"]).ptr())) return;
    for (const py::handle goal : py::list(fields_["goals"])) {
      const bool open = PyDict_Check(goal.ptr()) && (!goal.contains("type") || later(goal));
      implied_.push_back(open);
    }
  }
  static bool later(const py::handle& goal) {  // a target that Keywords put there until there is one
    return goal.contains("target") && PyUnicode_Check(py::object(goal["target"]).ptr());
  }
  bool implied(int number) const {
    return implied_.size() == problem_.goals.size() && implied_[static_cast<std::size_t>(number)];
  }

  void replace_goal(int number, const std::string& type, const py::object& target) {
    const py::list goals = py::list(fields_["goals"]).attr("copy")();
    const py::dict goal = py::dict(goals[static_cast<std::size_t>(number)]).attr("copy")();
    goal["target"] = target;
    if (goal.contains("type")) goal["type"] = type;
    goals[static_cast<std::size_t>(number)] = goal;
    py::dict fields = fields_.attr("copy")();
    fields["goals"] = goals;
    const Scene changed = to_scene(figure_, fields);
    fields_ = std::move(fields);
    scene_ = changed;
    remake();
  }

  FigurePtr figure_;
  py::dict fields_;
  Scene scene_;
  Solver solver_;
  Problem problem_;
  std::vector<bool> implied_;  // per goal
  std::atomic<bool> busy_{false};
};

void bind_kept_solver(py::module_& module) {
  py::class_<KeptSolver> type(module, "Solver",
                              "A method with its tables, for one goal after the other. One thread at a time.\n\n"
                              ">>> arm = armature.load_model('panda')\n"
                              ">>> solver = arm.solver(link='panda_tcp', start='ready')\n"
                              ">>> [solver.solve([0.4, y, 0.5]).ok for y in (-0.1, 0, 0.1)]\n[True, True, True]");
  type.def("solve", &KeptSolver::solve, py::arg("target") = py::none(), py::kw_only(), py::arg("start") = py::none(),
           py::arg("trace") = py::none(),
           with_signature("solve(self, target=None, *, start=None, trace=False)",
                          "A Report; with another target of the first goal, from another start.")
               .c_str());
  type.def(
      "set_target",
      [](KeptSolver& s, const py::object& goal, const py::object& target) {
        s.change_target(to_integer(goal, "goal"), target);
      },
      py::arg("goal"), py::arg("target"),
      with_signature("set_target(self, goal, target)", "Another target of a goal, by its number.").c_str());
  type.def_property_readonly("method", &KeptSolver::method, "The name of its method.");
  type.def("__repr__", [](const KeptSolver& s) { return "<armature.Solver '" + s.method() + "'>"; });
}

/// Many answers: arrays with a row for each goal.
struct Batched {
  FigurePtr figure;
  py::object q, ok, outcome, iterations, position_error, orientation_error;
};

// Targets of N goals: (N, 2), (N, 3), (N, 4), (N, 7) or (N, 4, 4).
Numbers to_targets(const py::object& targets) {
  const std::string must = "an array of shape (N, 3) for places, (N, 4) for quaternions, (N, 7) or (N, 4, 4) for both";
  Numbers rows = to_array(targets, "targets", must);
  if (rows.ndim() == 3 && rows.shape(1) == 4 && rows.shape(2) == 4) rows.dimensions = {rows.shape(0), 16};
  const bool fits = rows.ndim() == 2 && (rows.shape(1) == 2 || rows.shape(1) == 3 || rows.shape(1) == 4 ||
                                         rows.shape(1) == 7 || rows.shape(1) == 16);
  if (!fits) throw PyError("targets must be " + must + ".");
  return rows;
}

// A goal for each row: the scene's first goal with another target.
std::vector<Goal> goals_of(const FigurePtr& figure, const py::dict& fields, const Numbers& targets, Scene& scene) {
  // Read once with the first target, which tells the type where none is given.
  py::dict own = fields.attr("copy")();
  const auto width = targets.shape(1);
  const py::object first = py::array_t<double>(width, targets.values.empty() ? nullptr : targets.data());
  py::list goals;
  py::dict goal;
  if (fields.contains("goals")) {
    const std::vector<py::object> given = to_items(fields["goals"], "goals", "a list with one dict");
    if (given.size() != 1)
      throw PyError("solve_batch takes targets of one goal; goals has " + std::to_string(given.size()) + ".");
    if (!PyDict_Check(given[0].ptr())) throw PyError("goals[0] must be a dict, not " + what_it_is(given[0]) + ".");
    goal = given[0].attr("copy")();
    const bool later = goal.contains("target") && PyUnicode_Check(goal["target"].ptr());
    if (later && goal.contains("type")) PyDict_DelItemString(goal.ptr(), "type");
  }
  if (targets.shape(0) == 0) return {};
  goal["target"] = first;
  goals.append(goal);
  own["goals"] = goals;
  scene = to_scene(figure, own);
  std::vector<Goal> all(static_cast<std::size_t>(targets.shape(0)), scene.goals.front());
  std::vector<std::string> notes;
  const GoalContext context{figure->model, scene.start, scene.tip_name(), scene.base, notes, false, {}};
  for (py::ssize_t n = 0; n < targets.shape(0); ++n) {
    JsonTree tree;
    JsonTreeBuilder builder(tree);
    builder.begin_array();
    for (py::ssize_t k = 0; k < width; ++k) builder.number(targets.row(n)[k]);
    builder.end();
    const JsonInput input = JsonInput::from_tree(std::move(tree));
    JsonFields reader(input.source());
    if (!read_target(reader, input.root(), context, all[static_cast<std::size_t>(n)])) {
      throw PyError("targets[" + std::to_string(n) + "]: " + reader.error().message);
    }
  }
  return all;
}

Batched solve_batch_fields(const FigurePtr& figure, const py::dict& fields, const Numbers& targets, const Poses& starts,
                           LongCall& call) {
  const Model& model = figure->model;
  const py::ssize_t count = targets.shape(0);
  Scene scene;
  const std::vector<Goal> goals = goals_of(figure, fields, targets, scene);
  MatX poses(model.q_size(), count);
  for (py::ssize_t n = 0; n < count; ++n) {
    poses.col(n) = starts.rows.values.empty() && starts.rows.dimensions.empty()
                       ? scene.start
                       : VecX(Eigen::Map<const VecX>(starts.rows.row(starts.many ? n : 0), model.q_size()));
  }
  BatchReport answers;
  if (count > 0) {
    need(make_solver(scene).status());
    Problem problem = make_problem(scene);
    problem.goals.clear();
    ParallelOptions options;
    call.set(options);
    const py::gil_scoped_release unlocked;
    answers = solve_batch(
        problem, goals, poses, [&] { return std::move(make_solver(scene)).value(); }, options);
  }
  call.finish();
  py::array_t<double> q = new_array({count, static_cast<py::ssize_t>(model.q_size())});
  py::array_t<bool> ok(count);
  py::array_t<int> iterations(count);
  py::array_t<double> position_error(count), orientation_error(count);
  std::copy(answers.q.data(), answers.q.data() + answers.q.size(), q.mutable_data());
  py::list outcomes;
  for (py::ssize_t n = 0; n < count; ++n) {
    const Report& report = answers.reports[static_cast<std::size_t>(n)];
    ok.mutable_data()[n] = report.ok();
    iterations.mutable_data()[n] = report.iterations;
    position_error.mutable_data()[n] = report.position_error;
    orientation_error.mutable_data()[n] = report.orientation_error;
    outcomes.append(outcome_name(report.outcome));
  }
  return {figure, q, ok, outcomes, iterations, position_error, orientation_error};
}

void bind_batch(py::module_& module, ModelClass& model) {
  py::class_<Batched> type(module, "BatchReport", "Answers to many goals: arrays with a row for each.");
  type.def_readonly("q", &Batched::q, "(N, q_size): the answers, or the nearest poses found.");
  type.def_readonly("ok", &Batched::ok, "Which goals were reached.");
  type.def_readonly("outcome", &Batched::outcome, "How each search ended: a list of words.");
  type.def_readonly("iterations", &Batched::iterations, "Of each.");
  type.def_readonly("position_error", &Batched::position_error, "Of each, metres.");
  type.def_readonly("orientation_error", &Batched::orientation_error, "Of each, radians.");
  type.def("__len__", [](const Batched& b) { return py::len(b.outcome); });
  type.def("__repr__", [](const Batched& b) {
    return "<armature.BatchReport: " + std::to_string(b.ok.attr("sum")().cast<int>()) + " of " +
           std::to_string(py::len(b.outcome)) + " reached>";
  });
  type.def(py::pickle(
      [](const Batched& b) {
        return py::make_tuple(b.figure, b.q, b.ok, b.outcome, b.iterations, b.position_error, b.orientation_error);
      },
      [](const py::tuple& t) {
        if (t.size() != 7) throw PyError("This is not the state of a BatchReport.");
        return Batched{to_figure(t[0], "model"), t[1], t[2], py::list(t[3]), t[4], t[5], t[6]};
      }));
  model.def(
      "solve_batch",
      [](const FigurePtr& figure, const py::object& targets, const py::kwargs& given) {
        Keywords keywords("solve_batch", given);
        LongCall call(keywords, 1, false);
        const py::object start = keywords.take("start");
        const Numbers rows = to_targets(targets);
        Poses starts;
        if (!start.is_none()) starts = to_poses(figure->model, start, rows.shape(0), "start");
        return solve_batch_fields(figure, keywords.fields(py::none()), rows, starts, call);
      },
      py::arg("targets"),
      with_signature(
          "solve_batch(self, targets, *, link=None, point=None, base=None, goals=None, start=None, "
          "locked=None, joint_weights=None, limits=None, obstacles=None, margin=0, collision=None, exact=False, "
          "method='auto', threads=1, progress=None, **options)",
          "Solves N targets of one goal, each by itself: (N, 3) places, (N, 4) quaternions, (N, 7) or (N, 4, "
          "4) both. `start` may\nbe an array with a row for each. threads=0 takes every core; answers do "
          "not depend on it. Other keywords as in solve().")
          .c_str());
}

void bind_scene_questions(py::module_& module) {
  module.def("_scene_fields", [](const std::string& function, const py::object& target, const py::dict& keywords) {
    return Keywords(function, keywords).fields(target);
  });
  module.def("_solve_scene", [](const FigurePtr& figure, const py::dict& fields, const py::object& trace) {
    return solve_fields(figure, fields, to_trace(trace));
  });
  module.def("_solver_of_scene", [](const FigurePtr& figure, const py::dict& fields) {
    return std::make_unique<KeptSolver>(figure, py::dict(fields.attr("copy")()));
  });
  module.def("_measure", [](const FigurePtr& figure, const py::dict& fields, const py::object& q) {
    const Scene scene = to_scene(figure, fields);
    need_goals(scene, "measure");
    Solver solver = need(make_solver(scene));
    auto problem = std::make_shared<const Problem>(make_problem(scene));
    const VecX pose = q.is_none() ? scene.start : to_pose(figure->model, q, "q");
    const Report report = measure(*problem, pose, solver->common_options());
    raise_kept_exception();
    return judged(figure, std::move(problem), report, pose);
  });
  module.def("_null_space", [](const FigurePtr& figure, const py::dict& fields, const py::object& q) {
    const Scene scene = to_scene(figure, fields);
    need_goals(scene, "null_space");
    const Problem problem = make_problem(scene);
    need(check_problem(problem));
    const MatX basis = null_space(problem, q.is_none() ? scene.start : to_pose(figure->model, q, "q"));
    raise_kept_exception();
    return from_matrix(basis);
  });
  module.def("_compare", [](const FigurePtr& figure, const py::dict& fields, const std::vector<std::string>& methods) {
    const Scene scene = to_scene(figure, fields);
    need_goals(scene, "compare");
    Result<std::vector<Comparison>> compared = Error{};
    {
      const py::gil_scoped_release unlocked;
      compared = compare(scene, methods);
    }
    raise_kept_exception();
    const std::vector<Comparison> all = need(std::move(compared));
    const auto problem = std::make_shared<const Problem>(make_problem(scene));
    const std::string fastest = fastest_method(all);
    py::list rows;
    for (const Comparison& row : all) {
      Answer report = judged(figure, problem, row.report, row.report.q);
      report.microseconds = row.microseconds;
      py::dict out;
      out["method"] = row.method;
      out["report"] = std::move(report);
      out["microseconds"] = py::make_tuple(row.fastest, row.microseconds, row.slowest);
      out["path_length"] = row.walks ? py::object(py::float_(row.path_length)) : py::none();
      out["largest_step"] = row.walks ? py::object(py::float_(row.largest_step)) : py::none();
      out["errors"] = row.errors;
      out["fastest"] = row.method == fastest;
      rows.append(record(out));
    }
    return rows;
  });
  module.def("_scene_json", [](const FigurePtr& figure, const py::dict& fields) {
    const Scene scene = to_scene(figure, fields);
    need(can_be_written(scene));
    return to_json(scene);
  });
  module.def("_scene_keys", &scene_keys);
  module.def("_unknown_name", &unknown_name);
  module.def("_write_text", [](const py::object& path, const py::object& text) {
    need(write_file_atomically(to_path(path, "path"), to_text(text, "text")));
  });
  module.def("_load_scene", [](const py::object& path) {
    const std::string name = to_path(path, "path");
    Scene scene = need(load_scene(name));
    const FigurePtr figure = make_figure(*scene.loaded, scene.model_name);
    return py::make_tuple(figure, to_json(scene));
  });
}

py::list method_list() {
  py::list list;
  for (const MethodEntry& entry : methods()) {
    py::dict options;
    for (const OptionInfo& option : entry.make()->option_list()) {
      py::dict about;
      static constexpr const char* kTypes[] = {"boolean", "integer", "real", "choice"};
      about["name"] = option.name;
      about["label"] = option.label;
      about["group"] = option.group;
      about["doc"] = option.doc;
      about["type"] = kTypes[static_cast<int>(option.type)];
      if (option.type == OptionInfo::Type::boolean) {
        about["default"] = option.default_value != 0.0;
      } else if (option.type == OptionInfo::Type::choice) {
        about["default"] = option.choices[static_cast<std::size_t>(option.default_value)];
        about["choices"] = option.choices;
      } else {
        about["default"] = option.type == OptionInfo::Type::integer
                               ? py::object(py::int_(static_cast<long>(option.default_value)))
                               : py::object(py::float_(option.default_value));
        about["min"] = option.min;
        about["max"] = option.max;
        about["log"] = option.scale == Scale::log;
        about["unit"] = option.unit;
        about["auto"] = option.automatic;
      }
      options[py::str(option.name)] = record(about);
    }
    list.append(
        record(py::dict(py::arg("name") = entry.name, py::arg("label") = entry.label, py::arg("group") = entry.group,
                        py::arg("doc") = entry.doc, py::arg("options") = options)));
  }
  return list;
}

}  // namespace

void bind_solve(py::module_& module, ModelClass& model) {
  bind_kept_solver(module);
  bind_batch(module, model);
  bind_scene_questions(module);
  module.def("methods", &method_list,
             with_signature("methods()",
                            "Every method, one's own included: name, label, group, doc, and its options by name.\n\n"
                            ">>> 'dls' in [method.name for method in armature.methods()]\nTrue")
                 .c_str());
  module.def(
      "goal_types", &goal_names,
      with_signature("goal_types()", "Names of the goal types that goals=[{...}] takes, but for 'custom'.").c_str());
  model.def(
      "solve",
      [](const FigurePtr& figure, const py::object& target, const py::kwargs& given) {
        Keywords keywords("solve", given);
        const bool traced = to_trace(keywords.take("trace"));
        return solve_fields(figure, keywords.fields(target), traced);
      },
      py::arg("target") = py::none(),
      with_signature("solve(self, target=None, *, link=None, point=None, base=None, goals=None, start=None, "
                     "locked=None, joint_weights=None, limits=None, obstacles=None, margin=0, "
                     "collision=None, exact=False, method='auto', trace=False, **options)",
                     "Finds a pose that brings a link to a target: [x, y, z], a quaternion [x, y, z, w], or both as 7 "
                     "numbers, a 4x4 array or\n{'position': ..., 'rpy': ...}. Never raises because of the search: the "
                     "Report says how it ended.\n\n" +
                         std::string(kKeywords) +
                         "\n\n>>> arm = armature.load_model('planar_arm')\n"
                         ">>> arm.solve([-20, 5], method='dls', damping=0.5, max_iterations=500).ok\nTrue")
          .c_str());
  model.def(
      "solver",
      [](const FigurePtr& figure, const py::object& target, const py::kwargs& given) {
        return std::make_unique<KeptSolver>(figure, Keywords("solver", given).fields(target));
      },
      py::arg("target") = py::none(),
      with_signature("solver(self, target=None, *, link=None, point=None, base=None, goals=None, start=None, "
                     "locked=None, joint_weights=None, limits=None, obstacles=None, margin=0, "
                     "collision=None, exact=False, method='auto', **options)",
                     "A Solver that keeps its tables: solver.solve(target) for one target after the other. Keywords as "
                     "in solve().")
          .c_str());
}

}  // namespace armature::python
