// Arguments of a call: poses, links, velocities, and the keywords that make up a scene.
#include <algorithm>
#include <cmath>

#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/goal_parts.hpp"
#include "armature/scene/methods.hpp"
#include "armature/scene/pose_text.hpp"
#include "python.hpp"

namespace armature::python {

void warn(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (PyErr_WarnEx(PyExc_UserWarning, note.c_str(), 1) != 0) throw py::error_already_set();
  }
}

FigurePtr make_figure(Document document, std::string source) {
  Model model = need(compile(document.linkage));
  return make_figure(LoadedModel{std::move(document), std::move(model)}, std::move(source));
}

FigurePtr make_figure(LoadedModel loaded, std::string source) {
  auto figure = std::make_shared<Figure>();
  static_cast<LoadedModel&>(*figure) = std::move(loaded);
  figure->source = std::move(source);
  return figure;
}

FigurePtr to_figure(const py::handle& value, const std::string& name) {
  if (!py::isinstance<Figure>(value)) throw PyError(name + " must be a Model, not " + what_it_is(value) + ".");
  return value.cast<FigurePtr>();
}

std::string with_signature(const std::string& signature, const std::string& text) {
  return signature + "\n--\n\n" + text;
}

namespace {

bool is_written(const py::handle& pose) { return PyUnicode_Check(pose.ptr()) || PyDict_Check(pose.ptr()); }

void check_numbers(const Model& model, double* q, const std::string& name) {
  if (const Status status = normalize_quaternions(model, q); !status) throw PyError(name + ": " + status.message());
}

}  // namespace

VecX to_pose(const Model& model, const py::handle& value, const std::string& name) {
  if (value.is_none()) return default_pose(model);
  if (is_written(value)) {
    VecX q = default_pose(model);
    Argument given(name, value);
    std::vector<std::string> notes;
    given.need(read_pose(given.fields(), given.value(), model, q, notes));
    if (const double gap = name == "q" ? closure_error(model, q) : 0.0; gap > 1e-6 * model.size()) {
      notes.push_back("The loops of " + armature::detail::quoted(model.name()) + " are open by " +
                      pretty_number(gap, 3) + " at this pose; model.assemble(pose) closes them.");
    }
    warn(notes);
    return q;
  }
  const std::string count = std::to_string(model.q_size());
  const std::string must = "a pose of " + armature::detail::quoted(model.name()) + " (the joints " +
                           detail::join(model.joint_names()) + "): the name of a pose, a dict of joints, or " + count +
                           (model.q_size() == 1 ? " number" : " numbers");
  std::vector<double> numbers = to_numbers(value, model.q_size(), name, must);
  check_numbers(model, numbers.data(), name);
  return Eigen::Map<const VecX>(numbers.data(), model.q_size());
}

Poses to_poses(const Model& model, const py::handle& value, py::ssize_t count, const std::string& name) {
  Poses poses;
  if (value.is_none() || is_written(value)) {
    const VecX q = to_pose(model, value, name);
    poses.rows.values.assign(q.data(), q.data() + q.size());
    poses.rows.dimensions = {1, static_cast<py::ssize_t>(q.size())};
    return poses;
  }
  const std::string size = std::to_string(model.q_size());
  const std::string must = "a pose of " + armature::detail::quoted(model.name()) + ", or an array of " +
                           (count < 0 ? "N" : std::to_string(count)) + " rows with " + size + " numbers each";
  poses.rows = to_array(value, name, must);
  poses.many = poses.rows.ndim() == 2;
  if (poses.rows.ndim() == 1) poses.rows.dimensions.insert(poses.rows.dimensions.begin(), 1);
  if (poses.rows.ndim() == 0 && model.q_size() == 1) poses.rows.dimensions = {1, 1};
  if (poses.rows.ndim() != 2 || poses.rows.shape(1) != model.q_size() ||
      (poses.many && count >= 0 && poses.rows.shape(0) != count)) {
    throw PyError(name + " must be " + must + ", not " + shape_of(poses.rows) + ".");
  }
  for (py::ssize_t n = 0; n < poses.rows.shape(0); ++n) {
    check_numbers(model, poses.rows.values.data() + n * model.q_size(),
                  poses.many ? name + "[" + std::to_string(n) + "]" : name);
  }
  return poses;
}

int to_link(const Model& model, const py::handle& value, const std::string& name) {
  Argument given(name, value);
  int link = 0;
  given.need(read_link(given.fields(), given.value(), model, link));
  return link;
}

int to_tip(const Model& model, const py::handle& value) {
  if (!value.is_none()) return to_link(model, value, "tip");
  std::vector<std::string> notes;
  const int tip = need(default_tip(model, notes));
  warn(notes);
  return tip;
}

int to_frame(const Model& model, const py::handle& value, const std::string& name) {
  if (value.is_none()) return kWorld;
  Argument given(name, value);
  int link = 0;
  given.need(read_frame(given.fields(), given.value(), model, link));
  return link;
}

VecX to_velocities(const Model& model, const py::handle& value, double otherwise, const std::string& name) {
  double number = 0.0;
  VecX v;
  if (PyDict_Check(value.ptr()) || plain_number(
                                       value, [&] { return name; }, number)) {
    Argument given(name, value);
    given.need(read_velocities(given.fields(), given.value(), model, otherwise, v));
    return v;
  }
  const std::string must = "a dict of joints, or " + std::to_string(model.v_size()) + " numbers, one per velocity";
  const std::vector<double> numbers = to_numbers(value, model.v_size(), name, must);
  return Eigen::Map<const VecX>(numbers.data(), model.v_size());
}

Vec3 to_point(const py::handle& value, const std::string& name) {
  return value.is_none() ? Vec3(Vec3::Zero()) : to_vector(value, name);
}

Transform to_transform(const py::handle& value, const std::string& name) {
  Transform X;
  if (value.is_none()) return X;
  Argument given(name, value);
  given.need(read_transform(given.fields(), given.value(), X));
  return X;
}

py::dict joint_values(const Model& model, const VecX& q) {
  py::dict pose;
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.q_count == 0) continue;
    if (joint.q_count == 1) {
      pose[py::str(joint.name)] = q[joint.q_index];
    } else {
      pose[py::str(joint.name)] =
          std::vector<double>(q.data() + joint.q_index, q.data() + joint.q_index + joint.q_count);
    }
  }
  return pose;
}

py::array_t<double> to_matrix(const Transform& X) { return from_matrix(X.matrix()); }

py::object record(const py::dict& fields) { return py::module_::import("armature._records").attr("Record")(fields); }

py::object measures_record(const Measures& measures) {
  const VecX values = Eigen::Map<const VecX>(measures.singular_values.data(),
                                             static_cast<Eigen::Index>(measures.singular_values.size()));
  return record(py::dict(py::arg("singular_values") = from_vector(values),
                         py::arg("manipulability") = measures.manipulability,
                         py::arg("condition") = measures.condition));
}

Keywords::Keywords(std::string function, const py::handle& given)
    : function_(std::move(function)), given_(py::reinterpret_steal<py::dict>(PyDict_Copy(given.ptr()))) {}

py::object Keywords::take(const char* name) {
  own_.emplace_back(name);
  if (!given_.contains(name)) return py::none();
  py::object value = given_[name];
  PyDict_DelItemString(given_.ptr(), name);
  return value;
}

void Keywords::finish() const {
  for (const auto& [key, value] : given_) {
    const std::string name = to_text(key, "A keyword");
    throw PyError(function_ + " has no keyword " + armature::detail::quoted(name) + did_you_mean(name, own_) +
                  (did_you_mean(name, own_).empty() ? "." : "") + " Valid keywords: " + detail::join(own_, 60) + ".");
  }
}

py::dict Keywords::fields(const py::object& target) {
  py::dict goal, fields, options;
  if (!target.is_none()) goal["target"] = target;
  for (const char* name : {"link", "point"}) {
    if (const py::object value = take(name); !value.is_none()) goal[name] = value;
  }
  const std::vector<std::string> keys = scene_keys();
  for (const auto& [key, value] : given_) {
    const std::string name = to_text(key, "A keyword");
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) {
      if (!value.is_none()) fields[key] = value;
    } else {
      options[key] = value;
    }
  }
  if (!goal.empty() && fields.contains("goals")) {
    throw PyError(function_ + " takes a target (with link, point and base) or goals, not both.");
  }
  if (!goal.empty() && !goal.contains("target")) {  // to be set later; until then where the start has it
    goal["type"] = "pose";
    goal["target"] = "here";
  }
  if (!goal.empty()) {
    py::list goals;
    goals.append(goal);
    fields["goals"] = goals;
  }
  if (options.empty()) return fields;
  const std::string method = fields.contains("method") ? to_text(fields["method"], "method") : "auto";
  Solver solver = need(make_solver(method));
  std::vector<std::string> names;
  for (const OptionInfo& option : solver->option_list()) names.push_back(option.name);
  for (const auto& [key, value] : options) {
    const std::string name = to_text(key, "A keyword");
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::vector<std::string> known = own_;
    known.insert(known.end(), keys.begin(), keys.end());
    known.insert(known.end(), names.begin(), names.end());
    const std::string hint = did_you_mean(name, known);
    throw PyError(function_ + " has no keyword " + armature::detail::quoted(name) + (hint.empty() ? "." : hint) +
                  " Options of the method " + armature::detail::quoted(method) + ": " + detail::join(names, 40) + ".");
  }
  if (fields.contains("options")) {
    const py::object given = fields["options"];
    if (!PyDict_Check(given.ptr())) throw PyError("options must be a dict, not " + what_it_is(given) + ".");
    const py::dict both = given.attr("copy")();
    for (const auto& [key, value] : options) both[key] = value;
    options = both;
  }
  fields["options"] = options;
  return fields;
}

Scene to_scene(const FigurePtr& model, const py::dict& fields) {
  TreeWriter writer;
  for (const auto& [key, value] : py::reinterpret_steal<py::dict>(PyDict_Copy(fields.ptr()))) {
    if (!value.is_none()) writer.member(to_text(key, "A key of the scene"), value);
  }
  SceneArguments arguments = with_files({});
  arguments.loaded = model;
  std::vector<py::object> functions = std::move(writer.functions);
  const JsonInput input = writer.finish();
  for (const py::object& function : functions) arguments.functions.push_back(python_goal(model, function));
  Scene scene = need(read_scene(input, arguments));
  scene.model_name = model->source;
  warn(scene.notes);
  return scene;
}

void need_goals(const Scene& scene, const char* function) {
  if (scene.goals.empty()) {
    throw PyError(std::string(function) + " needs a target, such as [x, y, z], or goals=[{...}, ...].");
  }
}

}  // namespace armature::python
