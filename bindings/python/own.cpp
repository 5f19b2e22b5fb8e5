// Goals and methods written in Python.
//
// A search runs without Python's lock and through code that knows no exceptions. So each call into Python takes the
// lock, and what it raises is kept by the thread until the search has come to its end, which it then does at once: a
// goal counts as reached, a method as out of steps.
#include <cmath>

#include "armature/base/suggest.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/method.hpp"
#include "model.hpp"

namespace armature::python {
namespace {

thread_local std::exception_ptr kept;

/// A reference that may be dropped by any thread, and after Python's own end.
class Held {
 public:
  explicit Held(const py::object& object) : object_(object.ptr()) { Py_INCREF(object_); }
  ~Held() {
    if (Py_IsInitialized() == 0) return;
    const py::gil_scoped_acquire locked;
    Py_DECREF(object_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  py::object get() const { return py::reinterpret_borrow<py::object>(object_); }

 private:
  PyObject* object_;
};

/// Calls a function of a State that returns an error, or an error and a Jacobian.
class PythonGoal : public GoalFunction {
 public:
  PythonGoal(FigurePtr figure, const py::object& function) : figure_(std::move(figure)), function_(function) {
    const Found at_start = call(start_pose(figure_->model));  // what is wrong with it shows at once
    rows_ = static_cast<int>(at_start.error.size());
    if (rows_ < 1 || rows_ > kMaxGoalRows) {
      throw PyError("The function of a custom goal must return 1 to " + std::to_string(kMaxGoalRows) + " errors, not " +
                    std::to_string(rows_) + ".");
    }
  }

  int row_count() const override { return rows_; }
  bool of_whole_pose() const override { return true; }

  void linearize(const State& state, GoalRows& rows) const override {
    const Found found = guarded(pose_of(state));
    std::copy_n(found.error.data(), rows_, rows.error.begin());
  }
  void slopes(const State& state, MatX& J) const override {
    const VecX q = pose_of(state);
    Found found = guarded(q);
    if (found.J.size() > 0) {
      J = found.J;
      return;
    }
    const Model& model = figure_->model;
    J.setZero(rows_, model.v_size());
    for (int v = 0; v < model.v_size() && !kept; ++v) {
      const ModelJoint& joint = model.joint(model.velocity_joint(v));
      const bool length = coordinates(joint.type)[static_cast<std::size_t>(v - joint.v_index)] == Coordinate::length;
      const double h = 1e-6 * (length ? model.size() : 1.0);
      VecX step = VecX::Zero(model.v_size());
      step[v] = h;
      const VecX ahead = guarded(integrate(model, q, step)).error;
      const VecX behind = guarded(integrate(model, q, -step)).error;
      J.col(v) = -(ahead - behind) / (2.0 * h);  // of what is actual: error is target minus actual
    }
  }

 private:
  struct Found {
    VecX error;
    MatX J;  // empty: none was returned
  };

  VecX pose_of(const State& state) const { return Eigen::Map<const VecX>(state.q.data(), figure_->model.q_size()); }

  Found guarded(const VecX& q) const {
    if (!kept) {
      try {
        const py::gil_scoped_acquire locked;
        try {
          Found found = call(q);
          if (found.error.size() != rows_) {
            throw PyError("The function of a custom goal returned " + std::to_string(found.error.size()) +
                          " errors where it returned " + std::to_string(rows_) + " before.");
          }
          return found;
        } catch (...) {
          keep_exception();
        }
      } catch (...) {
        kept = std::current_exception();
      }
    }
    return {VecX::Zero(rows_), MatX::Zero(rows_, figure_->model.v_size())};
  }

  // With Python's lock.
  Found call(const VecX& q) const {
    PoseState made{figure_, {}};
    forward(figure_->model, q, made.state);
    const py::object answer = function_.get()(py::cast(std::move(made)));
    py::object error = answer, slopes = py::none();
    if (PyTuple_Check(answer.ptr()) && PyTuple_GET_SIZE(answer.ptr()) == 2) {
      PyObject* const second = PyTuple_GET_ITEM(answer.ptr(), 1);
      if (PySequence_Check(second) != 0) {
        error = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(answer.ptr(), 0));
        slopes = py::module_::import("numpy").attr("atleast_2d")(py::handle(second));
      }
    }
    const std::string must = "a number or a list of numbers";
    const Numbers numbers = to_array(error, "The error of a custom goal", must);
    if (numbers.ndim() > 1) throw PyError("The error of a custom goal must be " + must + ".");
    Found found;
    found.error = Eigen::Map<const VecX>(numbers.data(), numbers.size());
    if (slopes.is_none()) return found;
    const Numbers J =
        to_rows(slopes, figure_->model.v_size(), numbers.size(), "The Jacobian of a custom goal",
                "an array with a row for each error and " + std::to_string(figure_->model.v_size()) + " columns");
    found.J = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        J.data(), J.shape(0), J.shape(1));
    return found;
  }

  FigurePtr figure_;
  Held function_;
  int rows_ = 0;
};

/// Options of a method written in Python: numbers and flags, by the defaults that its class names.
struct PythonOptions {
  struct Option {
    std::string name, doc;
    enum class Kind { flag, integer, real } kind = Kind::real;
    bool flag = false;
    int integer = 0;
    double real = 0.0;
    double min = -1e300, max = 1e300;
  };
  std::vector<Option> list;

  template <class V>
  void describe(V& v) {
    for (Option& option : list) {
      FieldInfo info;
      info.doc = option.doc.c_str();
      info.min = option.min;
      info.max = option.max;
      if (option.kind == Option::Kind::flag) {
        v.field(option.name.c_str(), option.flag, info);
      } else if (option.kind == Option::Kind::integer) {
        v.field(option.name.c_str(), option.integer, info);
      } else {
        v.field(option.name.c_str(), option.real, info);
      }
    }
  }
};

/// What a step may look at, as Python sees it.
struct PythonRows {
  py::object J, error, velocities, q;
  double length;
};

/// What is known of a class that was registered; stays for good.
struct Registered {
  Held type;
  std::string name, label, group, doc;
  PythonOptions options;
};

class PythonMethod : public IterativeMethod<PythonOptions> {
 public:
  explicit PythonMethod(std::shared_ptr<const Registered> about) : about_(std::move(about)) {
    static_cast<PythonOptions&>(settings) = about_->options;
    method_info = {about_->name.c_str(), about_->label.c_str(), about_->group.c_str(), about_->doc.c_str()};
    const py::gil_scoped_acquire locked;
    self_ = std::make_unique<Held>(about_->type.get()());
  }

  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override {
    within_python([&] {
      const py::object self = self_->get();
      for (const PythonOptions::Option& option : options.list) {
        py::object value = py::float_(option.real);
        if (option.kind == PythonOptions::Option::Kind::flag) value = py::bool_(option.flag);
        if (option.kind == PythonOptions::Option::Kind::integer) value = py::int_(option.integer);
        self.attr(option.name.c_str()) = value;
      }
    });
    return IterativeMethod::run(problem, start, trace);
  }

  Move step(const Rows& rows, VecX& change) override {
    Move move = Move::singular;  // where something was raised: there is no further step
    within_python([&] {
      const State& state = rows.state();
      const PythonRows seen{
          from_matrix(rows.J()), from_vector(rows.error()), py::cast(rows.velocities()),
          from_vector(Eigen::Map<const VecX>(state.q.data(), static_cast<Eigen::Index>(state.q.size()))),
          rows.length()};
      const py::object answer = self_->get().attr("step")(py::cast(seen));
      if (answer.is_none()) return;
      const std::vector<double> numbers =
          to_numbers(answer, rows.J().cols(), "What step() returns", "a change for each column of rows.J");
      change = Eigen::Map<const VecX>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
      move = Move::stepped;
    });
    return move;
  }

 private:
  template <class Body>
  static void within_python(Body&& body) {
    if (kept) return;
    const py::gil_scoped_acquire locked;
    try {
      body();
    } catch (...) {
      keep_exception();
    }
  }

  std::shared_ptr<const Registered> about_;
  std::unique_ptr<Held> self_;
};

PythonOptions options_of(const py::object& type) {
  PythonOptions options;
  const py::object given = py::getattr(type, "options", py::dict());
  if (!PyDict_Check(given.ptr())) throw PyError("options of a method must be a dict, not " + what_it_is(given) + ".");
  for (const auto& [key, value] : py::dict(given)) {
    PythonOptions::Option option;
    option.name = to_text(key, "An option of a method");
    py::object start = py::reinterpret_borrow<py::object>(value);
    if (PyDict_Check(value.ptr())) {
      const py::dict about = py::reinterpret_borrow<py::dict>(value);
      for (const auto& [word, item] : about) {
        const std::string name = to_text(word, "A field of an option");
        if (name == "doc") {
          option.doc = to_text(item, "doc");
        } else if (name == "min") {
          option.min = to_number(item, "min");
        } else if (name == "max") {
          option.max = to_number(item, "max");
        } else if (name != "default") {
          throw PyError(unknown_name("field of an option", name, {"default", "min", "max", "doc"}));
        }
      }
      if (!about.contains("default"))
        throw PyError("Option " + armature::detail::quoted(option.name) + " needs a default.");
      start = about["default"];
    }
    if (is_flag(start)) {
      option.kind = PythonOptions::Option::Kind::flag;
      option.flag = PyObject_IsTrue(start.ptr()) == 1;
    } else if (PyLong_Check(start.ptr())) {
      option.kind = PythonOptions::Option::Kind::integer;
      option.integer = to_integer(start, "Option " + armature::detail::quoted(option.name));
    } else {
      option.real = to_number(start, "Option " + armature::detail::quoted(option.name));
    }
    options.list.push_back(std::move(option));
  }
  return options;
}

void register_python_method(const py::object& type) {
  const py::object base = py::module_::import("armature").attr("Method");
  if (PyType_Check(type.ptr()) == 0 || PyObject_IsSubclass(type.ptr(), base.ptr()) != 1) {
    throw PyError("register_method takes a class derived from armature.Method, not " + what_it_is(type) + ".");
  }
  const auto word = [&](const char* name, const std::string& otherwise) {
    const py::object value = py::getattr(type, name, py::none());
    return value.is_none() ? otherwise : to_text(value, name);
  };
  const std::string name = word("name", "");
  const std::shared_ptr<const Registered> about(new Registered{
      Held(type), name, word("label", name), word("group", "Yours"), word("__doc__", ""), options_of(type)});
  need(register_method(MethodEntry{about->name, about->label, about->group, about->doc, [about] {
                                     return std::unique_ptr<Method>(std::make_unique<PythonMethod>(about));
                                   }}));
}

}  // namespace

void keep_exception() {
  if (!kept) kept = std::current_exception();
}

std::exception_ptr take_kept_exception() { return std::exchange(kept, nullptr); }

void raise_kept_exception() {
  if (const std::exception_ptr exception = take_kept_exception()) std::rethrow_exception(exception);
}

std::shared_ptr<const GoalFunction> python_goal(const FigurePtr& model, const py::object& function) {
  return std::make_shared<PythonGoal>(model, function);
}

void bind_own(py::module_& module) {
  py::class_<PythonRows> rows(module, "Rows",
                              "What a method's step() looks at: errors and slopes at the present pose. Angle rows are "
                              "scaled to lengths by\n`length`; columns are the velocities that may move.");
  rows.def_readonly("J", &PythonRows::J, "Slopes: a row for each error, a column for each velocity that may move.");
  rows.def_readonly("error", &PythonRows::error, "Target minus actual.");
  rows.def_readonly("velocities", &PythonRows::velocities, "Which velocity of the model each column is.");
  rows.def_readonly("q", &PythonRows::q, "The pose.");
  rows.def_readonly("length", &PythonRows::length, "What a radian is worth, metres.");
  rows.def("__repr__", [](const PythonRows& r) {
    return "<armature.Rows of shape " + py::str(r.J.attr("shape")).cast<std::string>() + ">";
  });
  module.def("register_method", &register_python_method, py::arg("method"),
             with_signature("register_method(method)",
                            "Adds a class derived from armature.Method to the methods that solve(), methods() and "
                            "compare() know, by its name.")
                 .c_str());
}

}  // namespace armature::python
