// Pictures: draw() of Model, State, Clip and Report, and what notebooks show of them.
#include "armature/draw/draw.hpp"

#include "armature/draw/figure.hpp"
#include "armature/kinematics/defaults.hpp"
#include "model.hpp"
#include "motion.hpp"
#include "report.hpp"

namespace armature::python {
namespace {

constexpr const char* kDrawKeywords =
    "goals: places to mark. view: 'top', 'front', 'side', 'oblique' or 'azimuth,elevation' in degrees. style: 'sticks' "
    "or "
    "'shapes'.\nshow: any of 'limits' (ranges of hinges), 'labels' (names of joints). size: longer side of a panel. "
    "Gives a "
    "Picture.";

std::vector<Vec3> drawn_marks(const py::handle& value) {
  std::vector<Vec3> places;
  for (const py::object& item : to_items(value, "goals", "a list of places")) {
    const Numbers numbers = to_array(item, "goals", "places of 2 or 3 numbers");
    if (numbers.ndim() != 1 || (numbers.size() != 2 && numbers.size() != 3)) {
      throw PyError("goals: a place is 2 or 3 numbers, not " + shape_of(numbers) + ".");
    }
    places.emplace_back(numbers.values[0], numbers.values[1], numbers.size() == 3 ? numbers.values[2] : 0.0);
  }
  return places;
}

// What every drawing takes.
DrawOptions draw_options_of(const Figure& figure, Keywords& keywords) {
  DrawOptions options;
  const auto text = [&](const char* name, std::string& out) {
    if (const py::object value = keywords.take(name); !value.is_none()) out = to_text(value, name);
  };
  text("view", options.view);
  text("style", options.style);
  text("title", options.title);
  if (const py::object value = keywords.take("size"); !value.is_none()) options.size = to_number(value, "size");
  if (const py::object value = keywords.take("goals"); !value.is_none()) options.goals = drawn_marks(value);
  if (const py::object value = keywords.take("show"); !value.is_none()) {
    for (const py::object& item : to_items(value, "show", "a list of words")) {
      const std::string word = to_text(item, "show");
      if (word != "limits" && word != "labels") {
        throw PyError("show: " + unknown_name("thing to show", word, {"limits", "labels"}));
      }
      (word == "limits" ? options.limits : options.labels) = true;
    }
  }
  std::vector<std::string> notes;  // what could not be read is drawn as sticks
  if (options.style != "sticks") options.meshes = drawing::load_mesh_points(figure.model, figure.beside, notes);
  return options;
}

py::object picture(Result<Svg> svg) {
  return py::module_::import("armature._picture").attr("Picture")(need(std::move(svg)).str());
}

py::object draw_model(const Figure& figure, const py::object& pose, const py::kwargs& given) {
  Keywords keywords("draw", given);
  const DrawOptions options = draw_options_of(figure, keywords);
  keywords.finish();
  const VecX q = pose.is_none() ? start_pose(figure.model) : to_pose(figure.model, pose, "pose");
  return picture(draw(figure.model, q, options));
}

py::object draw_state(const PoseState& s, const py::kwargs& given) {
  Keywords keywords("draw", given);
  const DrawOptions options = draw_options_of(*s.figure, keywords);
  keywords.finish();
  return picture(
      draw(s.figure->model, VecX(Eigen::Map<const VecX>(s.state.q.data(), s.figure->model.q_size())), options));
}

py::object draw_report(const Answer& answer, const py::kwargs& given) {
  Keywords keywords("draw", given);
  const DrawOptions options = draw_options_of(*answer.figure, keywords);
  keywords.finish();
  // A report that was pickled has no problem any more, and no goals to mark.
  return picture(answer.problem ? draw(*answer.problem, answer.q, options)
                                : draw(answer.figure->model, answer.q, options));
}

py::object draw_clip(const Motion& motion, const py::kwargs& given) {
  Keywords keywords("draw", given);
  const Model& model = motion.figure->model;
  DrawOptions options = draw_options_of(*motion.figure, keywords);
  const auto count = [&](const char* name, int& out) {
    if (const py::object value = keywords.take(name); !value.is_none()) out = to_integer(value, name);
    if (out < 0) throw PyError(std::string(name) + " must not be negative.");
  };
  count("strip", options.strip);
  count("onion", options.onion);
  count("columns", options.columns);
  if (const py::object value = keywords.take("at"); !value.is_none()) {
    for (const py::object& frame : to_items(value, "at", "a list of frames"))
      options.at.push_back(to_integer(frame, "at"));
  }
  if (const py::object value = keywords.take("trail"); !value.is_none()) {
    for (const py::object& link : to_items(value, "trail", "a list of links")) {
      options.trail.push_back({to_link(model, link, "trail")});
    }
  }
  if (const py::object value = keywords.take("follow"); !value.is_none()) options.follow = to_flag(value, "follow");
  keywords.finish();
  if (options.at.empty() && options.strip == 0 && options.onion == 0) options.strip = 6;
  return picture(draw(model, motion.clip, options));
}

// draw and what notebooks call; a class of another file of the module.
template <class F>
void add_draw(const py::module_& module, const char* type, const std::string& signature, const std::string& text,
              F function) {
  const py::object cls = module.attr(type);
  const std::string doc = with_signature(signature, text + "\n\n" + kDrawKeywords);
  if constexpr (std::is_invocable_v<F, const Figure&, const py::object&, const py::kwargs&>) {
    cls.attr("draw") =
        py::cpp_function(function, py::name("draw"), py::is_method(cls), py::arg("pose") = py::none(), doc.c_str());
  } else {
    cls.attr("draw") = py::cpp_function(function, py::name("draw"), py::is_method(cls), doc.c_str());
  }
  cls.attr("_repr_svg_") = py::cpp_function(
      [](const py::object& self) { return self.attr("draw")().attr("_repr_svg_")(); }, py::name("_repr_svg_"),
      py::is_method(cls), with_signature("_repr_svg_(self)", "What notebooks show.").c_str());
}

}  // namespace

void bind_draw(py::module_& module) {
  const std::string common = "goals=None, view=None, style=None, show=None, title=None, size=None)";
  add_draw(module, "Model", "draw(self, pose=None, *, " + common,
           "A picture of a pose; left out: where searches start.", draw_model);
  add_draw(module, "State", "draw(self, *, " + common, "A picture of the pose.", draw_state);
  add_draw(module, "Report", "draw(self, *, " + common, "A picture of the answer, with the goals marked.", draw_report);
  add_draw(module, "Clip",
           "draw(self, *, at=None, strip=None, onion=None, trail=None, follow=None, columns=None, " + common,
           "A film strip. at: frames by number; strip: so many side by side (6); onion: so many on top of each other; "
           "trail: "
           "links\nwhose way is drawn; follow: a figure that travels stays in its panel; columns: panels in a row.",
           draw_clip);
}

}  // namespace armature::python
