// Mechanisms with closed loops: what they can do, driving them; and bodies: clearance, center of mass.
#include "armature/kinematics/mechanism.hpp"

#include "armature/kinematics/assemble.hpp"
#include "armature/kinematics/assembly_modes.hpp"
#include "armature/kinematics/center_of_mass.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/motion/drive.hpp"
#include "armature/scene/exact.hpp"
#include "armature/scene/mechanism_json.hpp"
#include "motion.hpp"

namespace armature::python {
namespace {

VecX pose_or_start(const Model& model, const py::object& pose) {
  return pose.is_none() ? start_pose(model) : to_pose(model, pose, "pose");
}

py::object mechanism(const FigurePtr& figure, const py::object& pose, bool modes, bool circuits) {
  const Model& model = figure->model;
  const VecX q = pose_or_start(model, pose);
  MechanismAnswer answer;
  {
    const py::gil_scoped_release unlocked;
    answer = describe_mechanism(model, q, modes, circuits);
  }
  JsonText json;
  json.begin_object();
  write_mechanism(json, model, answer);
  const py::dict fields = to_python(json.end().text());
  fields["q"] = from_vector(answer.report.q);
  fields["notes"] = answer.report.notes;
  return py::module_::import("armature._records").attr("Mechanism")(fields);
}

py::object assemble_pose(const FigurePtr& figure, const py::object& pose, const py::object& held) {
  VecX q = pose_or_start(figure->model, pose);
  std::vector<std::string> joints;
  if (!held.is_none()) {
    for (const py::object& joint : to_items(held, "held", "a list of joints")) {
      joints.push_back(to_text(joint, "A joint of held"));
    }
  }
  need(assemble(figure->model, q, joints));
  return from_vector(q);
}

py::object drive_mechanism(const FigurePtr& figure, const std::string& joint, const py::kwargs& given) {
  Keywords keywords("drive", given);
  const Model& model = figure->model;
  DriveOptions options;
  options.joint = joint;
  const py::object to = keywords.take("to"), frames = keywords.take("frames"), rate = keywords.take("frame_rate");
  const py::object start = keywords.take("start"), also = keywords.take("also"), branch = keywords.take("branch");
  keywords.finish();
  if (to.is_none()) throw PyError("drive needs `to`: where the joint is driven to, radians or metres.");
  options.to = to_number(to, "to");
  if (!frames.is_none()) options.frames = to_integer(frames, "frames");
  if (!rate.is_none()) options.frame_time = 1.0 / to_positive(rate, "frame_rate");
  if (!start.is_none()) options.start = to_pose(model, start, "start");
  if (!branch.is_none()) options.branch = to_integer(branch, "branch");
  if (!also.is_none()) {
    if (!PyDict_Check(also.ptr())) throw PyError("also must be {joint: value}, not " + what_it_is(also) + ".");
    for (const auto& [name, value] : py::dict(also)) {
      options.also.push_back({to_text(name, "A joint of also"), to_number(value, "also"), {}});
    }
  }
  Result<DriveReport> driven = Error{};
  {
    const py::gil_scoped_release unlocked;
    driven = drive(model, options);
  }
  const DriveReport report = need(std::move(driven));
  py::dict fields;
  fields["ok"] = report.ok();
  fields["outcome"] = outcome_name(report.outcome);
  fields["message"] = report.message();
  fields["clip"] = Motion{figure, report.clip};
  fields["values"] = from_vector(Eigen::Map<const VecX>(report.values.data(), static_cast<int>(report.values.size())));
  fields["transmission"] =
      from_vector(Eigen::Map<const VecX>(report.transmission.data(), static_cast<int>(report.transmission.size())));
  fields["q"] = from_vector(report.q);
  fields["stopped_at"] = report.stopped_at ? py::object(py::float_(*report.stopped_at)) : py::object(py::none());
  fields["limit_joint"] = report.limit_joint;
  fields["closure_error"] = report.largest_closure_error;
  return py::module_::import("armature._records").attr("DriveReport")(fields);
}

py::object describe_bodies(const FigurePtr& figure) {
  const FoundBodies found = need(bodies_of(*figure));
  JsonText json;
  json.begin_object();
  write_bodies(json, figure->model, *found.bodies);
  json.key("notes").strings(found.bodies->notes);
  return to_python(json.end().text());
}

py::object clearance_of(const FigurePtr& figure, const py::object& pose, const py::kwargs& given) {
  Keywords keywords("clearance", given);
  const Model& model = figure->model;
  const py::object within = keywords.take("within"), obstacles = keywords.take("obstacles");
  const py::object exact = keywords.take("exact");
  keywords.finish();
  py::dict scene_fields;
  if (!obstacles.is_none()) scene_fields["obstacles"] = obstacles;
  const Scene scene = to_scene(figure, scene_fields);
  const VecX q = pose_or_start(model, pose);
  const double reach = within.is_none() ? 0.1 * model.size() : to_positive(within, "within");
  NamedClearance clearance;
  need(clearance.prepare(*figure, scene.obstacles, !exact.is_none() && to_flag(exact, "exact")));
  std::vector<NamedClearance::Pair> near;
  const double smallest = clearance.nearest(q, reach, near);
  py::list pairs;
  for (const NamedClearance::Pair& pair : near) {
    pairs.append(record(py::dict(
        py::arg("a") = pair.a, py::arg("b") = pair.b, py::arg("distance") = pair.nearest.distance,
        py::arg("point_a") = from_vector(pair.nearest.on_a), py::arg("point_b") = from_vector(pair.nearest.on_b))));
  }
  return record(
      py::dict(py::arg("distance") = smallest, py::arg("free") = !(smallest < 0.0), py::arg("pairs") = pairs));
}

py::object center_of_mass(const FigurePtr& figure, const py::object& pose, bool jacobian) {
  const Model& model = figure->model;
  CenterOfMass center;
  center.prepare(model);
  const State state = forward(model, pose_or_start(model, pose));
  if (!jacobian) return from_vector(center.compute(state));
  CenterJacobian J(3, model.v_size());
  const Vec3 place = center.compute(state, J);
  return py::make_tuple(from_vector(place), from_matrix(J));
}

}  // namespace

void bind_mechanism(ModelClass& model) {
  model.def(
      "mechanism",
      [](const FigurePtr& figure, const py::object& pose, const py::object& modes, const py::object& circuits) {
        return mechanism(figure, pose, to_flag(modes, "modes"), to_flag(circuits, "circuits"));
      },
      py::arg("pose") = py::none(), py::kw_only(), py::arg("modes") = false, py::arg("circuits") = false,
      with_signature("mechanism(self, pose=None, *, modes=False, circuits=False)",
                     "What a linkage with loops can do: mobility, kutzbach, redundant, drives, transmission, "
                     "closure_error,\nand if asked for its assembly modes and the circuits of its drives with their "
                     "dead points.\n\n>>> armature.load_model('four_bar').mechanism().mobility\n1")
          .c_str());
  model.def("assemble", &assemble_pose, py::arg("pose") = py::none(), py::arg("held") = py::none(),
            with_signature("assemble(self, pose=None, held=None)",
                           "The nearest pose at which every loop is closed; joints of `held` stay where `pose` puts "
                           "them.\n\n>>> bar = armature.load_model('four_bar')\n"
                           ">>> round(float(bar.assemble({'crank': 1.0}, held=['crank'])[0]), 3)\n1.0")
                .c_str());
  model.def("drive", &drive_mechanism, py::arg("joint"),
            with_signature("drive(self, joint, *, to, frames=100, frame_rate=30, start=None, also=None, branch=0)",
                           "Moves a joint with every loop closed: a DriveReport with clip, values, transmission, "
                           "outcome and message.\nIt never changes branch in silence: a dead point, a branch point or "
                           "a limit ends it, and is explained.\n\n"
                           ">>> turn = armature.load_model('four_bar').drive('crank', to=6.5, frames=90)\n"
                           ">>> turn.ok, len(turn.clip)\n(True, 90)")
                .c_str());
  model.def("bodies", &describe_bodies,
            with_signature("bodies(self)", "What the links occupy, and which pairs of them can touch.").c_str());
  model.def("clearance", &clearance_of, py::arg("pose") = py::none(),
            with_signature("clearance(self, pose=None, *, obstacles=None, exact=False, within=None)",
                           "How near bodies and obstacles come at a pose: distance (below 0: they touch), free, and "
                           "the pairs\nnearer than `within` (a tenth of the model's size), nearest first. `exact` asks "
                           "the shapes themselves, meshes by their\ntriangles, instead of the bodies around them.")
                .c_str());
  model.def(
      "center_of_mass",
      [](const FigurePtr& figure, const py::object& pose, const py::object& jacobian) {
        return center_of_mass(figure, pose, to_flag(jacobian, "jacobian"));
      },
      py::arg("pose") = py::none(), py::kw_only(), py::arg("jacobian") = false,
      with_signature("center_of_mass(self, pose=None, *, jacobian=False)",
                     "Where all masses together are, in the world; with jacobian=True also its derivative, "
                     "(3, v_size).")
          .c_str());
}

}  // namespace armature::python
