// Inverse kinematics: methods with their options as keywords, single goals, lists of goals, batches and sequences.
#include <algorithm>
#include <chrono>

#include "armature/base/number.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/batch.hpp"
#include "armature/solve/registry.hpp"
#include "armature/solve/sequence.hpp"
#include "armature/solve/stack.hpp"
#include "python.hpp"

namespace armature::python {
namespace {

/// Python's Report: the library's with names for indices, and the pose that was found.
struct Answer {
  std::shared_ptr<const Figure> figure;
  VecX q;
  Report report;
  std::string message;
  double microseconds = 0.0;
  py::object trace = py::none();
};

std::string option_text(const py::handle& value, const std::string& name) {
  if (PyUnicode_Check(value.ptr())) return to_text(value, name);
  if (PyBool_Check(value.ptr()) || std::string_view(Py_TYPE(value.ptr())->tp_name).starts_with("numpy.bool")) {
    return PyObject_IsTrue(value.ptr()) == 1 ? "true" : "false";
  }
  return format_number(
      to_numbers(value, 1, "Option " + armature::quoted(name), "a number, a word, or True or False")[0]);
}

std::unique_ptr<Solver> make_method(const std::string& method, const py::kwargs& options) {
  std::unique_ptr<Solver> solver = need(make_solver(method));
  for (const auto& [key, value] : options) {
    const std::string name = to_text(key, "An option");
    need(solver->set_option(name, option_text(value, name)));
  }
  return solver;
}

Problem make_problem(const Figure& figure, std::vector<Goal> goals, const py::object& locked, const py::object& gain,
                     const py::object& rest) {
  Problem problem;
  problem.model = figure.model;
  problem.goals = std::move(goals);
  if (!locked.is_none()) {
    for (const py::object& name : to_items(locked, "locked", "a list of joints")) {
      problem.locked.emplace_back(to_joint(figure.model, name, "locked").name);
    }
  }
  if (!gain.is_none()) {
    PostureGoal posture;
    posture.gain = to_velocities(figure.model, gain, "gain");
    posture.target = rest.is_none() ? neutral_pose(figure.model) : to_pose(figure.model, rest, "rest");
    problem.goals.emplace_back(std::move(posture));
  }
  need(check_problem(problem));
  return problem;
}

py::list trace_list(const Trace& trace) {
  py::list steps;
  for (const TraceStep& step : trace.steps) {
    steps.append(py::dict(py::arg("q") = from_vector(step.q), py::arg("error") = from_vector(step.error),
                          py::arg("error_norm") = step.error_norm, py::arg("jacobian") = from_matrix(step.J),
                          py::arg("singular_values") = from_vector(step.singular_values),
                          py::arg("step") = from_vector(step.step), py::arg("damping") = step.damping));
  }
  return steps;
}

void add_measures(const Problem& problem, Answer& answer) {
  const Dexterity measures = dexterity_of(problem, answer.report, answer.q);
  answer.report.smallest_singular_value = measures.smallest_singular_value;
  answer.report.manipulability = measures.manipulability;
  answer.report.condition = measures.condition;
}

Answer solve(std::shared_ptr<const Figure> figure, const Problem& problem, VecX q, Solver& solver, bool traced) {
  need(solver.check(problem));
  Answer answer;
  Trace trace;
  {
    const py::gil_scoped_release unlocked;
    const auto start = std::chrono::steady_clock::now();
    answer.report = solver.solve(problem, q, traced ? &trace : nullptr);
    answer.microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  }
  answer.q = answer.report.q;
  add_measures(problem, answer);
  answer.message = answer.report.message();
  if (traced) answer.trace = trace_list(trace);
  answer.figure = std::move(figure);
  return answer;
}

std::vector<std::string> coordinate_names(const Answer& answer, const std::vector<LimitContact>& list) {
  std::vector<std::string> names;
  for (const LimitContact& at : list) names.push_back(limit_name(answer.figure->model, at.index));
  return names;
}

void bind_report(py::module_& module) {
  py::class_<Answer> report(module, "Report", "How a search ended, and the best pose it found.");
  report.def_property_readonly(
      "ok", [](const Answer& a) { return a.report.ok(); }, "Every goal was reached.");
  report.def("__bool__", [](const Answer& a) { return a.report.ok(); });
  report.def_property_readonly(
      "outcome", [](const Answer& a) { return outcome_name(a.report.outcome); },
      "'converged', 'unreachable', 'stalled', 'iteration_limit' and the like.");
  report.def_readonly("message", &Answer::message, "One or two sentences that a person can act on.");
  report.def_property_readonly(
      "q", [](const Answer& a) { return from_vector(a.q); }, "The best pose found.");
  report.def_property_readonly(
      "pose", [](const Answer& a) { return pose_to_dict(a.figure->model, a.q); }, "The same by joint names.");
  report.def_property_readonly("iterations", [](const Answer& a) { return a.report.iterations; });
  report.def_property_readonly("restarts", [](const Answer& a) { return a.report.restarts; });
  report.def_property_readonly(
      "position_error", [](const Answer& a) { return a.report.position_error; }, "Largest, metres.");
  report.def_property_readonly(
      "orientation_error", [](const Answer& a) { return a.report.orientation_error; }, "Largest, radians.");
  report.def_property_readonly("goals", [](const Answer& a) {
    py::list goals;
    for (const GoalReport& goal : a.report.goals) {
      goals.append(py::dict(py::arg("position_error") = goal.position_error,
                            py::arg("orientation_error") = goal.orientation_error, py::arg("reached") = goal.reached));
    }
    return goals;
  });
  report.def_property_readonly("joints_at_limits",
                               [](const Answer& a) { return coordinate_names(a, a.report.joints_at_limits); });
  report.def_property_readonly(
      "blocking", [](const Answer& a) { return coordinate_names(a, a.report.blocking_joints); },
      "Coordinates whose limits keep the error from falling.");
  report.def_property_readonly("smallest_singular_value",
                               [](const Answer& a) { return a.report.smallest_singular_value; });
  report.def_property_readonly("manipulability", [](const Answer& a) { return a.report.manipulability; });
  report.def_property_readonly("condition", [](const Answer& a) { return a.report.condition; });
  report.def_property_readonly("method", [](const Answer& a) { return a.report.method; });
  report.def_property_readonly("why", [](const Answer& a) { return a.report.why; });
  report.def_readonly("microseconds", &Answer::microseconds);
  report.def_readonly("trace", &Answer::trace, "With trace=True: a dict for every iteration.");
  report.def("__repr__", [](const Answer& a) {
    return "<armature.Report " + std::string(outcome_name(a.report.outcome)) + ": " + a.message + ">";
  });
}

py::list solver_list() {
  py::list list;
  for (const SolverEntry& entry : solvers()) {
    py::dict options;
    for (const OptionInfo& option : entry.make()->options()) {
      py::dict info(py::arg("doc") = option.doc, py::arg("min") = option.min, py::arg("max") = option.max);
      switch (option.type) {
        case OptionInfo::Type::boolean:
          info["default"] = option.default_value != 0.0;
          break;
        case OptionInfo::Type::integer:
          info["default"] = static_cast<int>(option.default_value);
          break;
        case OptionInfo::Type::real:
          info["default"] = option.default_value;
          break;
        case OptionInfo::Type::choice:
          info["default"] = option.choices[static_cast<std::size_t>(option.default_value)];
          info["choices"] = option.choices;
          break;
      }
      options[py::str(option.name)] = info;
    }
    list.append(py::dict(py::arg("name") = entry.info.name, py::arg("label") = entry.info.label,
                         py::arg("group") = entry.info.group, py::arg("doc") = entry.info.doc,
                         py::arg("options") = options));
  }
  return list;
}

// N goals of one link, one solver for all of them.
py::dict solve_batch(std::shared_ptr<Figure> figure, const py::object& link, const py::object& positions,
                     const py::object& quaternions, const std::string& method, const py::object& seed,
                     const py::object& base, const py::object& point, const py::kwargs& options) {
  const Model& model = figure->model;
  const Numbers places = to_rows(positions, 3, -1, "positions", "an array of N rows of x, y, z");
  const py::ssize_t count = places.shape(0);
  std::vector<Quat> turns;
  if (!quaternions.is_none()) {
    const Numbers rows =
        to_rows(quaternions, 4, count, "quaternions",
                "an array of as many rows as positions (" + std::to_string(count) + "), x, y, z, w each");
    for (py::ssize_t n = 0; n < count; ++n) {
      turns.push_back(unit_quaternion(rows.row(n), "quaternions[" + std::to_string(n) + "]"));
    }
  }
  const Poses seeds = to_poses(model, seed, count, "seed");
  const std::unique_ptr<Solver> solver = make_method(method, options);
  const int tip = to_link(model, link, "link");
  const int from = to_frame(model, base, "base");
  const Vec3 at = to_vector(point, "point");
  py::array_t<double> q = new_array({count, static_cast<py::ssize_t>(model.q_size())});
  py::array_t<bool> ok(count);
  py::array_t<int> iterations(count);
  py::array_t<double> position_error(count), orientation_error(count);
  std::vector<const char*> outcomes(static_cast<std::size_t>(count));
  double* const q_out = q.mutable_data();
  bool* const ok_out = ok.mutable_data();
  int* const iterations_out = iterations.mutable_data();
  double* const position_out = position_error.mutable_data();
  double* const orientation_out = orientation_error.mutable_data();
  {
    const py::gil_scoped_release unlocked;
    Problem problem;
    problem.model = model;
    Batch batch;
    std::vector<Goal> goals;
    MatX poses;
    std::vector<Report> reports;
    constexpr py::ssize_t kAtOnce = 4096;  // bounds the memory that goals and reports take
    for (py::ssize_t first = 0; first < count; first += kAtOnce) {
      const py::ssize_t last = std::min(count, first + kAtOnce);
      goals.clear();
      poses.resize(model.q_size(), last - first);
      for (py::ssize_t n = first; n < last; ++n) {
        const Eigen::Map<const Vec3> place(places.row(n));
        if (turns.empty()) {
          PositionGoal goal;
          goal.link = tip, goal.base = from, goal.point = at, goal.target = place;
          goals.emplace_back(goal);
        } else {
          PoseGoal goal;
          goal.link = tip, goal.base = from, goal.point = at;
          goal.target = Transform::from(turns[static_cast<std::size_t>(n)], place);
          goals.emplace_back(goal);
        }
        poses.col(n - first) = Eigen::Map<const VecX>(seeds.rows.row(seeds.many ? n : 0), model.q_size());
      }
      batch.solve(*solver, problem, goals, poses, reports);
      std::copy(poses.data(), poses.data() + poses.size(), q_out + first * model.q_size());
      for (py::ssize_t n = first; n < last; ++n) {
        const Report& report = reports[static_cast<std::size_t>(n - first)];
        ok_out[n] = report.ok();
        iterations_out[n] = report.iterations;
        position_out[n] = report.position_error;
        orientation_out[n] = report.orientation_error;
        outcomes[static_cast<std::size_t>(n)] = outcome_name(report.outcome);
      }
    }
  }
  py::list names;
  for (const char* outcome : outcomes) names.append(outcome);
  return py::dict(py::arg("q") = q, py::arg("ok") = ok, py::arg("outcome") = names, py::arg("iterations") = iterations,
                  py::arg("position_error") = position_error, py::arg("orientation_error") = orientation_error);
}

}  // namespace

void bind_solve(py::module_& module, py::class_<Figure, std::shared_ptr<Figure>>& type) {
  // `auto` where it is built in: it chooses by the problem.
  const std::vector<std::string> names = solver_names();
  const std::string method = std::find(names.begin(), names.end(), "auto") != names.end() ? "auto" : "dls";
  bind_report(module);
  module.def("solvers", &solver_list, "Every method: name, label, group, doc, and its options with their defaults.");
  module.def("goal_types", &goal_names, "Names of the goal types that solve(goals=[...]) takes.");
  type.def(
      "solve",
      [](std::shared_ptr<Figure> figure, const py::object& link, const py::object& position,
         const py::object& quaternion, const std::string& method, const py::object& seed, const py::object& base,
         const py::object& point, const py::object& goals, const py::object& locked, const py::object& gain,
         const py::object& rest, bool trace, const py::kwargs& options) {
        std::vector<Goal> list;
        if (goals.is_none()) {
          list.push_back(simple_goal(figure->model, link, position, quaternion, base, point));
        } else {
          if (!link.is_none()) throw PyError("Give a link with its position, or goals, not both.");
          for (const py::object& goal : to_items(goals, "goals", "a list of dicts"))
            list.push_back(to_goal(figure->model, goal));
        }
        const Problem problem = make_problem(*figure, std::move(list), locked, gain, rest);
        const std::unique_ptr<Solver> solver = make_method(method, options);
        return solve(figure, problem, to_pose(figure->model, seed, "seed"), *solver, trace);
      },
      py::arg("link") = py::none(), py::arg("position") = py::none(), py::arg("quaternion") = py::none(), py::kw_only(),
      py::arg("method") = method, py::arg("seed") = py::none(), py::arg("base") = py::none(),
      py::arg("point") = py::make_tuple(0, 0, 0), py::arg("goals") = py::none(), py::arg("locked") = py::none(),
      py::arg("gain") = py::none(), py::arg("rest") = py::none(), py::arg("trace") = false,
      "Finds a pose that brings a link to a position (x, y, z), a quaternion (x, y, z, w), or both, in the world or "
      "in\n"
      "the frame of `base`, starting from the pose `seed`. Options of the method are further keywords:\n\n"
      "    arm.solve('tip', [0.3, 0.2, 0], method='dls', damping=0.01, max_iterations=50)\n\n"
      "Several goals: solve(goals=[{'type': 'position', 'link': 'left_hand', 'target': [..]}, ...]); goal_types() and\n"
      "solvers() list what there is. `locked` names joints that must not move; `gain` and `rest` draw joints to "
      "angles.");
  type.def(
      "solve_batch", &solve_batch, py::arg("link"), py::arg("positions"), py::arg("quaternions") = py::none(),
      py::kw_only(), py::arg("method") = method, py::arg("seed") = py::none(), py::arg("base") = py::none(),
      py::arg("point") = py::make_tuple(0, 0, 0),
      "Solves N goals of one link: a dict of arrays q, ok, outcome, iterations, position_error, orientation_error.");
  type.def(
      "sequence",
      [](std::shared_ptr<Figure> figure, const py::object& link, const py::object& position,
         const py::object& quaternion, int frames, int steps_per_frame, const std::string& method,
         const py::object& start, const py::object& gain, const py::object& rest, const py::kwargs& options) {
        const Problem problem = make_problem(
            *figure, {simple_goal(figure->model, link, position, quaternion, py::none(), py::make_tuple(0, 0, 0))},
            py::none(), gain, rest);
        const std::unique_ptr<Solver> solver = make_method(method, options);
        SequenceOptions how;
        how.frames = frames;
        how.steps_per_frame = steps_per_frame;
        const Sequence sequence = need(run_sequence(*solver, problem, to_pose(figure->model, start, "start"), how));
        py::array_t<double> poses = new_array(
            {static_cast<py::ssize_t>(sequence.frames.size()), static_cast<py::ssize_t>(figure->model.q_size())});
        std::copy(sequence.clip.values.begin(), sequence.clip.values.end(), poses.mutable_data());
        MatX goals(sequence.frames.size(), 3), effectors(sequence.frames.size(), 3);
        for (std::size_t i = 0; i < sequence.frames.size(); ++i) {
          goals.row(static_cast<Eigen::Index>(i)) = sequence.frames[i].goal;
          effectors.row(static_cast<Eigen::Index>(i)) = sequence.frames[i].effector;
        }
        return py::dict(py::arg("poses") = poses, py::arg("goals") = from_matrix(goals),
                        py::arg("effectors") = from_matrix(effectors));
      },
      py::arg("link"), py::arg("position") = py::none(), py::arg("quaternion") = py::none(), py::kw_only(),
      py::arg("frames") = 21, py::arg("steps_per_frame") = 1, py::arg("method") = method, py::arg("start") = py::none(),
      py::arg("gain") = py::none(), py::arg("rest") = py::none(),
      "The goal slides from where the link is to where it should be; arrays of poses, goals and effectors, a row a "
      "frame.");
}

}  // namespace armature::python
