// Model: what it is made of, its poses, its frames, its Jacobians, and edits that give a new one.
#include "armature/base/rng.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/edit.hpp"
#include "python.hpp"

namespace armature::python {
namespace {

using Rows4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

py::list joint_list(const Model& model) {
  py::list joints;
  for (int link = 0; link < model.link_count(); ++link) {
    const ModelJoint& joint = model.joint(link);
    if (joint.name.empty()) continue;
    const int own = joint.mimic ? 0 : joint.q_count;
    py::dict entry;
    entry["name"] = joint.name;
    entry["type"] = type_name(joint.type);
    entry["parent"] = joint.parent < 0 ? py::object(py::none()) : py::cast(model.link_name(joint.parent));
    entry["child"] = model.link_name(link);
    entry["q"] = py::slice(joint.q_index, joint.q_index + own, 1);
    entry["v"] = py::slice(joint.v_index, joint.v_index + (joint.mimic ? 0 : joint.v_count), 1);
    entry["lower"] = from_vector(model.lower().segment(joint.q_index, own));
    entry["upper"] = from_vector(model.upper().segment(joint.q_index, own));
    if (joint.mimic) {
      entry["mimic"] = py::dict(py::arg("joint") = model.joint(joint.source).name,
                                py::arg("multiplier") = joint.multiplier, py::arg("offset") = joint.offset);
    }
    joints.append(entry);
  }
  return joints;
}

// One pose gives (links, 4, 4); an array of N poses gives (N, links, 4, 4).
py::array_t<double> frames(const Figure& figure, const py::object& poses, const py::object& links,
                           const py::object& base) {
  const Model& model = figure.model;
  std::vector<int> wanted;
  if (links.is_none()) {
    for (int link = 0; link < model.link_count(); ++link) wanted.push_back(link);
  } else {
    const std::string must = "a list of links, such as ['" + model.link_name(model.link_count() - 1) + "']";
    for (const py::object& link : to_items(links, "links", must)) wanted.push_back(to_link(model, link, "links"));
  }
  const int from = to_frame(model, base, "base");
  const Poses given = to_poses(model, poses, -1, "pose");
  const py::ssize_t count = given.rows.shape(0);
  const auto links_wanted = static_cast<py::ssize_t>(wanted.size());
  py::array_t<double> out = new_array(given.many ? std::vector<py::ssize_t>{count, links_wanted, 4, 4}
                                                 : std::vector<py::ssize_t>{links_wanted, 4, 4});
  double* to = out.mutable_data();
  {
    const py::gil_scoped_release unlocked;
    State state;
    for (py::ssize_t n = 0; n < count; ++n) {
      forward(model, given.rows.row(n), state);
      for (const int link : wanted) {
        Eigen::Map<Rows4> matrix(to);
        matrix = relative(state, from, link).matrix();
        to += 16;
      }
    }
  }
  return out;
}

FigurePtr edited(const Figure& figure, Linkage linkage) {
  Document document;
  document.linkage = std::move(linkage);
  document.notes = figure.document.notes;
  return make_figure(std::move(document));
}

void bind_poses(py::class_<Figure, std::shared_ptr<Figure>>& type) {
  type.def(
      "pose", [](const Figure& f, const py::object& pose) { return from_vector(to_pose(f.model, pose, "pose")); },
      py::arg("pose") = py::none(),
      "A pose vector from a named pose, from {joint: value or values}, or neutral from nothing.");
  type.def(
      "pose_dict",
      [](const Figure& f, const py::object& pose) { return pose_to_dict(f.model, to_pose(f.model, pose, "pose")); },
      py::arg("pose"), "The pose by joint names.");
  type.def(
      "random",
      [](const Figure& f, std::uint64_t seed) {
        Rng rng(seed);
        return from_vector(random_pose(f.model, rng));
      },
      py::arg("seed") = 1, "A random pose within the limits; the same seed gives the same pose.");
  type.def(
      "clamp",
      [](const Figure& f, const py::object& pose) {
        VecX q = to_pose(f.model, pose, "pose");
        clamp(f.model, q);
        return from_vector(q);
      },
      py::arg("pose"), "The nearest pose inside the limits.");
  type.def(
      "inside_limits",
      [](const Figure& f, const py::object& pose) { return inside_limits(f.model, to_pose(f.model, pose, "pose")); },
      py::arg("pose"));
  type.def(
      "interpolate",
      [](const Figure& f, const py::object& a, const py::object& b, const py::object& t) {
        return from_vector(interpolate(f.model, to_pose(f.model, a, "a"), to_pose(f.model, b, "b"), to_number(t, "t")));
      },
      py::arg("a"), py::arg("b"), py::arg("t"), "The pose between a (t = 0) and b (t = 1), the short way round.");
  type.def(
      "integrate",
      [](const Figure& f, const py::object& pose, const py::object& velocity) {
        return from_vector(
            integrate(f.model, to_pose(f.model, pose, "pose"), to_velocities(f.model, velocity, "velocity")));
      },
      py::arg("pose"), py::arg("velocity"), "The pose after moving along a velocity for unit time.");
  type.def(
      "difference",
      [](const Figure& f, const py::object& a, const py::object& b) {
        return from_vector(difference(f.model, to_pose(f.model, a, "a"), to_pose(f.model, b, "b")));
      },
      py::arg("a"), py::arg("b"), "The velocity that leads from a to b in unit time.");
}

void bind_edits(py::class_<Figure, std::shared_ptr<Figure>>& type) {
  type.def(
      "extract_chain",
      [](const Figure& f, const std::string& base, const std::string& tip) {
        return edited(f, need(extract_chain(f.document.linkage, base, tip)));
      },
      py::arg("base"), py::arg("tip"), "A model of only the links between base and tip, with base as root.");
  const auto edit = [&](const char* name, auto change, const char* argument, const char* doc) {
    type.def(
        name,
        [change](const Figure& f, const std::string& value) {
          Linkage linkage = f.document.linkage;
          need(change(linkage, value));
          return edited(f, std::move(linkage));
        },
        py::arg(argument), doc);
  };
  edit(
      "remove", [](Linkage& l, const std::string& v) { return remove_link(l, v); }, "link",
      "A model without the link and all below it.");
  edit(
      "reroot", [](Linkage& l, const std::string& v) { return reroot(l, v); }, "link",
      "A model with this link as root; at neutral everything stays in place.");
  type.def(
      "lock",
      [](const Figure& f, const std::string& joint, const py::object& values) {
        Linkage linkage = f.document.linkage;
        need(lock_joint(linkage, joint, to_list(values, "values", "a number or a list of numbers")));
        return edited(f, std::move(linkage));
      },
      py::arg("joint"), py::arg("values"), "A model whose joint is fixed at the values.");
  type.def(
      "scale",
      [](const Figure& f, const py::object& factor) {
        Linkage linkage = f.document.linkage;
        need(scale(linkage, to_number(factor, "factor")));
        return edited(f, std::move(linkage));
      },
      py::arg("factor"), "A model with all lengths multiplied.");
}

}  // namespace

void bind_model(py::module_&, py::class_<Figure, std::shared_ptr<Figure>>& type) {
  type.def_property_readonly("name", [](const Figure& f) { return f.model.name(); });
  type.def_property_readonly("description", [](const Figure& f) { return f.model.linkage().description; });
  type.def_property_readonly(
      "dof", [](const Figure& f) { return f.model.v_size(); }, "Degrees of freedom.");
  type.def_property_readonly(
      "q_size", [](const Figure& f) { return f.model.q_size(); }, "Numbers in a pose.");
  type.def_property_readonly(
      "size", [](const Figure& f) { return f.model.size(); },
      "Length of the longest branch: what large and small are measured by.");
  type.def_property_readonly(
      "links", [](const Figure& f) { return f.model.links(); },
      "Names, parents before children: the order of forward()'s frames.");
  type.def_property_readonly("joint_names", [](const Figure& f) { return f.model.joint_names(); });
  type.def_property_readonly(
      "joints", [](const Figure& f) { return joint_list(f.model); },
      "Name, type, parent, child, slices of q and v, limits and mimicry of each joint.");
  type.def_property_readonly("effectors", [](const Figure& f) {
    std::vector<std::string> names;
    for (const int link : f.model.effectors()) names.push_back(f.model.link_name(link));
    return names;
  });
  type.def_property_readonly(
      "lower", [](const Figure& f) { return from_vector(f.model.lower()); }, "Lower limits, -inf for none.");
  type.def_property_readonly(
      "upper", [](const Figure& f) { return from_vector(f.model.upper()); }, "Upper limits, inf for none.");
  type.def_property_readonly(
      "poses",
      [](const Figure& f) {
        py::dict poses;
        for (const ModelPose& pose : f.model.poses()) poses[py::str(pose.name)] = from_vector(pose.q);
        return poses;
      },
      "The named poses.");
  type.def_property_readonly(
      "notes",
      [](const Figure& f) {
        std::vector<std::string> notes = f.document.notes;
        notes.insert(notes.end(), f.model.notes().begin(), f.model.notes().end());
        return notes;
      },
      "What the reader left out or assumed, a sentence each.");
  type.def("__repr__", [](const Figure& f) {
    return "<armature.Model '" + f.model.name() + "': " + std::to_string(f.model.link_count()) + " links, " +
           std::to_string(f.model.v_size()) + " degrees of freedom>";
  });
  bind_poses(type);

  type.def("forward", &frames, py::arg("pose") = py::none(), py::kw_only(), py::arg("links") = py::none(),
           py::arg("base") = py::none(),
           "Frames of all links (or of `links`) for a pose: an array (links, 4, 4), in the world or in the frame of "
           "`base`.\n"
           "For an array of N poses (N, q_size): (N, links, 4, 4).");
  type.def(
      "frame",
      [](const Figure& f, const py::object& link, const py::object& pose, const py::object& base) {
        State state;
        forward(f.model, to_pose(f.model, pose, "pose"), state);
        return to_matrix(relative(state, to_frame(f.model, base, "base"), to_link(f.model, link, "link")));
      },
      py::arg("link"), py::arg("pose") = py::none(), py::arg("base") = py::none(), "One link's 4x4 frame.");
  type.def(
      "jacobian",
      [](const Figure& f, const py::object& link, const py::object& pose, const py::object& point,
         const std::string& frame) {
        const Model& model = f.model;
        if (frame != "world" && frame != "link") throw PyError(unknown_name("frame", frame, {"world", "link"}));
        State state;
        forward(model, to_pose(model, pose, "pose"), state);
        Jacobian J(6, model.v_size());
        jacobian(model, state, to_link(model, link, "link"), to_vector(point, "point"), J,
                 frame == "link" ? JacobianFrame::link : JacobianFrame::world);
        return from_matrix(J);
      },
      py::arg("link"), py::arg("pose") = py::none(), py::kw_only(), py::arg("point") = py::make_tuple(0, 0, 0),
      py::arg("frame") = "world",
      "The 6 x dof Jacobian of a point of a link: linear rows, then angular rows, in the axes of 'world' or 'link'.");
  bind_edits(type);
}

}  // namespace armature::python
