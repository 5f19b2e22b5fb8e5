// Control loops: Follower.
#include <atomic>
#include <limits>

#include "armature/scene/goal_json.hpp"
#include "armature/solve/follower.hpp"
#include "python.hpp"

namespace armature::python {
namespace {

class Following {
 public:
  Following(FigurePtr figure, const Scene& scene, const FollowerOptions& options)
      : figure_(std::move(figure)),
        start_(scene.start),
        tip_(scene.tip_name()),
        base_(scene.base),
        count_(static_cast<int>(make_problem(scene).goals.size())),
        follower_(make_problem(scene), options) {
    need(follower_.status());
  }

  int number_of(const py::object& goal) const {
    const int number = to_integer(goal, "goal");
    if (number < 0 || number >= count_) {
      throw PyError("goal must be the number of a goal, 0 to " + std::to_string(count_ - 1) + ".");
    }
    return number;
  }

  void set_twist(const py::object& goal, const py::object& linear, const py::object& angular) {
    const int number = number_of(goal);
    const Vec3 moves = to_vector(linear, "linear");
    const Vec3 turns = angular.is_none() ? Vec3(Vec3::Zero()) : to_vector(angular, "angular");
    const Use use(busy_);
    if (!follower_.set_twist(number, moves, turns)) {
      throw PyError("A twist moves goals of a place, a rotation or both whose base is the world; goal " +
                    std::to_string(number) + " is none.");
    }
  }

  void set_target(const py::object& goal, const py::object& target) {
    const int number = number_of(goal);
    Argument given("target", target);
    std::vector<std::string> notes;
    const GoalContext context{figure_->model, start_, tip_, base_, notes, false, {}};
    const Use use(busy_);
    Goal changed = follower_.goal(number);
    // A place for a goal that wants a pose keeps the rotation.
    auto* pose = std::get_if<PoseGoal>(&changed);
    Vec3 place;
    if (pose != nullptr && given.value().is(JsonKind::array) && given.value().size() == 3) {
      given.need(given.fields().vector(given.value(), place));
      pose->target.position = place;
    } else {
      given.need(read_target(given.fields(), given.value(), context, changed));
    }
    follower_.goal(number) = changed;
    follower_.end_twist(number);
  }

  py::object step(const py::object& dt) {
    const double seconds = to_number(dt, "dt");
    if (!(seconds > 0.0) || seconds > 3600.0) throw PyError("dt must be a number of seconds above 0.");
    const Use use(busy_);
    const FollowerStep* step = nullptr;
    {
      const py::gil_scoped_release unlocked;
      step = &follower_.step(seconds);
    }
    raise_kept_exception();
    py::dict fields;
    fields["q"] = from_vector(step->q);
    fields["velocity"] = from_vector(step->velocity);
    if (step->report != nullptr) {
      fields["outcome"] = outcome_name(step->report->outcome);
      fields["ok"] = step->report->ok();
      fields["position_error"] = step->report->position_error;
      fields["orientation_error"] = step->report->orientation_error;
    }
    return record(fields);
  }

  void stop() { follower_.stop(); }
  void resume() { follower_.resume(); }
  bool at_rest() const { return follower_.at_rest(); }
  int count() const { return count_; }

 private:
  struct Use {
    explicit Use(std::atomic<bool>& busy) : flag(busy) {
      if (flag.exchange(true)) throw PyError("This Follower is in use already; keep one for each thread.");
    }
    ~Use() { flag = false; }
    std::atomic<bool>& flag;
  };
  FigurePtr figure_;
  VecX start_;
  std::string tip_, base_;
  int count_;
  Follower follower_;
  std::atomic<bool> busy_{false};
};

}  // namespace

void bind_follow(py::module_& module, ModelClass& model) {
  py::class_<Following> type(module, "Follower",
                             "Follows goals in a control loop, one short step after the other, within velocity and "
                             "acceleration limits.\n\n"
                             ">>> arm = armature.load_model('panda')\n"
                             ">>> follower = arm.follower(link='panda_tcp', start='ready', velocity_scale=0.5)\n"
                             ">>> follower.set_target(0, [0.5, 0.1, 0.5])\n"
                             ">>> len(follower.step(0.002).q)\n8");
  type.def("set_target", &Following::set_target, py::arg("goal"), py::arg("target"),
           with_signature("set_target(self, goal, target)",
                          "Another target of a goal, by its number; a place of 3 numbers leaves a pose goal's rotation "
                          "as it is.")
               .c_str());
  type.def("set_twist", &Following::set_twist, py::arg("goal"), py::arg("linear"), py::arg("angular") = py::none(),
           with_signature("set_twist(self, goal, linear, angular=None)",
                          "A velocity instead of a target: the goal's link moves by `linear` metres and `angular` "
                          "radians a second (world axes)\nfrom where it is, until another target or twist is set.")
               .c_str());
  type.def("step", &Following::step, py::arg("dt"),
           with_signature("step(self, dt)",
                          "`dt` seconds later: q, velocity, outcome, ok, position_error, orientation_error.")
               .c_str());
  type.def("stop", &Following::stop, with_signature("stop(self)", "Brakes to rest and stays, until resume().").c_str());
  type.def("resume", &Following::resume, with_signature("resume(self)", "Goes on after stop().").c_str());
  type.def_property_readonly("at_rest", &Following::at_rest, "Whether nothing moves.");
  type.def("__len__", &Following::count);
  type.def("__repr__", [](const Following& f) {
    return "<armature.Follower of " + std::to_string(f.count()) + (f.count() == 1 ? " goal>" : " goals>");
  });
  model.def(
      "follower",
      [](const FigurePtr& figure, const py::object& target, const py::kwargs& given) {
        Keywords keywords("follower", given);
        FollowerOptions options;
        const auto number = [&](const char* name, double& out) {
          if (const py::object value = keywords.take(name); !value.is_none()) out = to_number(value, name);
          if (!(out > 0.0) || out > 1e6) throw PyError(std::string(name) + " must be above 0.");
        };
        const auto vector = [&](const char* name, VecX& out) {
          const py::object value = keywords.take(name);
          if (value.is_none()) return;
          out = to_velocities(figure->model, value, std::numeric_limits<double>::infinity(), name);
          if (std::string_view(name) == "velocity") out = out.cwiseMin(figure->model.velocity_limit());
          if (!(out.array() > 0.0).all()) throw PyError(std::string(name) + " must be above 0 for every joint.");
        };
        number("velocity_scale", options.velocity_scale);
        number("default_velocity", options.default_velocity);
        vector("velocity", options.velocity);
        vector("acceleration", options.acceleration);
        py::dict fields = keywords.fields(target);
        if (fields.contains("method") || fields.contains("options")) {
          throw PyError("follower has a method of its own; it takes no method and no options of one.");
        }
        const Scene scene = to_scene(figure, fields);
        need_goals(scene, "follower");
        return std::make_unique<Following>(figure, scene, options);
      },
      py::arg("target") = py::none(),
      with_signature("follower(self, target=None, *, link=None, point=None, base=None, goals=None, start=None, "
                     "locked=None, joint_weights=None, limits=None, obstacles=None, margin=0, collision=None, "
                     "exact=False, velocity_scale=1.0, velocity=None, "
                     "acceleration=None, default_velocity=3.0)",
                     "A Follower that starts at rest in `start`. `velocity` and `acceleration` are limits {joint: "
                     "number}, one number for all, or\none per velocity; without them the model's velocity limits hold "
                     "(default_velocity where it has none), and no acceleration\nlimits.")
          .c_str());
}

}  // namespace armature::python
