// Model and State: what a model is made of, its poses, its frames, its Jacobians. Over 400 lines: a
// short function for each method.
#include "model.hpp"

#include "armature/base/rng.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/forward_batch.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/kinematics/velocity.hpp"

namespace armature::python {
namespace {

using Rows4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
using RowsX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

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
      entry["mimic"] = record(py::dict(py::arg("joint") = model.joint(joint.source).name,
                                       py::arg("multiplier") = joint.multiplier, py::arg("offset") = joint.offset));
    }
    joints.append(record(entry));
  }
  return joints;
}

// One pose gives (links, 4, 4); an array of N poses gives (N, links, 4, 4).
py::array_t<double> frames(const Figure& figure, const py::object& q, const py::object& links, const py::object& base,
                           const py::object& out) {
  const Model& model = figure.model;
  std::vector<int> wanted;
  if (links.is_none()) {
    for (int link = 0; link < model.link_count(); ++link) wanted.push_back(link);
  } else {
    const std::string must = "a list of links, such as ['" + model.link_name(model.link_count() - 1) + "']";
    for (const py::object& link : to_items(links, "links", must)) wanted.push_back(to_link(model, link, "links"));
  }
  const int from = to_frame(model, base, "base");
  const Poses given = to_poses(model, q, -1, "q");
  const py::ssize_t count = given.rows.shape(0);
  const auto links_wanted = static_cast<py::ssize_t>(wanted.size());
  py::array_t<double> answer = out_array(out, given.many ? std::vector<py::ssize_t>{count, links_wanted, 4, 4}
                                                         : std::vector<py::ssize_t>{links_wanted, 4, 4});
  double* to = answer.mutable_data();
  {
    const py::gil_scoped_release unlocked;
    // Some poses at a time, side by side in the lanes of ForwardBatch, while their frames are in the cache.
    constexpr py::ssize_t kAtOnce = 32;
    std::vector<int> needed = wanted;
    if (from != kWorld) needed.push_back(from);
    const std::size_t each = needed.size();
    if (given.many && each > 0) {
      ForwardBatch batch(model, needed);
      std::vector<Transform> frames(std::min(count, kAtOnce) * each);
      for (py::ssize_t n = 0; n < count; n += kAtOnce) {
        const py::ssize_t here = std::min(kAtOnce, count - n);
        batch.frames(given.rows.row(n), here, frames.data());
        for (py::ssize_t k = 0; k < here; ++k) {
          const Transform* const found = &frames[static_cast<std::size_t>(k) * each];
          for (std::size_t link = 0; link < wanted.size(); ++link, to += 16) {
            Eigen::Map<Rows4> matrix(to);
            matrix = (from == kWorld         ? found[link]
                      : wanted[link] == from ? Transform{}
                                             : found[each - 1].inverse() * found[link])
                         .matrix();
          }
        }
      }
    } else if (count > 0) {
      const State state = forward(model, Eigen::Map<const VecX>(given.rows.row(0), model.q_size()));
      for (const int link : wanted) {
        Eigen::Map<Rows4> matrix(to);
        matrix = relative(state, from, link).matrix();
        to += 16;
      }
    }
  }
  return answer;
}

// What a Jacobian is asked of: a point of a link, in whose axes.
struct JacobianOf {
  const Model& model;
  int link = 0, base = kWorld;
  Vec3 point;
  JacobianFrame frame = JacobianFrame::world;

  JacobianOf(const Model& m, const py::object& l, const py::object& p, const py::object& f, const py::object& b)
      : model(m), link(to_link(m, l, "link")), base(to_frame(m, b, "base")), point(to_point(p, "point")) {
    const std::string word = to_text(f, "frame");
    if (word != "world" && word != "link") throw PyError("frame: " + unknown_name("frame", word, {"world", "link"}));
    if (word == "link") frame = JacobianFrame::link;
    if (base != kWorld && word == "link") throw PyError("frame and base do not go together: rows are in base's axes.");
  }
  void operator()(const State& state, Jacobian& J) const {
    if (base == kWorld) {
      jacobian(model, state, link, point, J, frame);
    } else {
      relative_jacobian(model, state, base, link, point, J);
    }
  }
};

py::array_t<double> jacobians(const Figure& figure, const py::object& link, const py::object& q,
                              const py::object& point, const py::object& frame, const py::object& base,
                              const py::object& out) {
  const Model& model = figure.model;
  const JacobianOf wanted(model, link, point, frame, base);
  const Poses given = to_poses(model, q, -1, "q");
  const py::ssize_t count = given.rows.shape(0), columns = model.v_size();
  py::array_t<double> answer =
      out_array(out, given.many ? std::vector<py::ssize_t>{count, 6, columns} : std::vector<py::ssize_t>{6, columns});
  double* to = answer.mutable_data();
  {
    const py::gil_scoped_release unlocked;
    Jacobian J(6, columns);
    if (given.many && wanted.base == kWorld && wanted.frame == JacobianFrame::world && columns > 0) {  // in lanes
      constexpr py::ssize_t kAtOnce = 32;
      ForwardBatch batch(model, {wanted.link});
      std::vector<double> found(static_cast<std::size_t>(std::min(count, kAtOnce) * 6 * columns));
      for (py::ssize_t n = 0; n < count; n += kAtOnce) {
        const py::ssize_t here = std::min(kAtOnce, count - n);
        batch.jacobians(given.rows.row(n), here, 0, wanted.point, found.data());
        for (py::ssize_t k = 0; k < here; ++k, to += 6 * columns) {
          Eigen::Map<RowsX> rows(to, 6, columns);
          rows = Eigen::Map<const Jacobian>(found.data() + k * 6 * columns, 6, columns);
        }
      }
    } else {
      State state;
      for (py::ssize_t n = 0; n < count; ++n, to += 6 * columns) {
        forward(model, given.rows.row(n), state);
        wanted(state, J);
        Eigen::Map<RowsX> rows(to, 6, columns);
        rows = J;
      }
    }
  }
  return answer;
}

py::array_t<double> twist_rows(const std::vector<Twist>& twists) {
  MatX rows(twists.size(), 6);
  for (std::size_t i = 0; i < twists.size(); ++i) {
    rows.row(static_cast<Eigen::Index>(i)) << twists[i].linear.transpose(), twists[i].angular.transpose();
  }
  return from_matrix(rows);
}

void bind_poses(ModelClass& type) {
  type.def(
      "pose", [](const Figure& f, const py::object& pose) { return from_vector(to_pose(f.model, pose, "pose")); },
      py::arg("pose") = py::none(),
      with_signature("pose(self, pose=None)",
                     "A pose vector: from the name of a pose ('ready', or 'ready,elbow=90deg' with changes), from\n"
                     "{joint: value or values}, from q_size numbers, or from nothing: neutral, and with loops\nas it "
                     "starts, closed.\n\n"
                     ">>> armature.load_model('planar_arm').pose({'joint1': 0.5})\narray([0.5, 0. , 0. ])")
          .c_str());
  type.def(
      "joint_values",
      [](const Figure& f, const py::object& q) { return joint_values(f.model, to_pose(f.model, q, "q")); },
      py::arg("q"), with_signature("joint_values(self, q)", "The pose by joint: {joint: value or values}.").c_str());
  type.def(
      "start_pose", [](const Figure& f) { return from_vector(start_pose(f.model)); },
      with_signature("start_pose(self)",
                     "Where a search starts unless it is told: the pose chapter, ready or rest of the model, else the\n"
                     "middle of its limits.")
          .c_str());
  type.def(
      "random_pose",
      [](const Figure& f, const py::object& seed) {
        Rng rng(static_cast<std::uint64_t>(to_integer(seed, "seed")));
        return from_vector(random_pose(f.model, rng));
      },
      py::arg("seed") = 1,
      with_signature("random_pose(self, seed=1)", "A pose within the limits; the same seed gives the same pose.")
          .c_str());
  type.def(
      "clamp",
      [](const Figure& f, const py::object& q) {
        VecX pose = to_pose(f.model, q, "q");
        clamp(f.model, pose);
        return from_vector(pose);
      },
      py::arg("q"), with_signature("clamp(self, q)", "The nearest pose inside the limits.").c_str());
  type.def(
      "inside_limits",
      [](const Figure& f, const py::object& q) { return inside_limits(f.model, to_pose(f.model, q, "q")); },
      py::arg("q"), with_signature("inside_limits(self, q)", "Whether clamp() would move nothing.").c_str());
  type.def(
      "interpolate",
      [](const Figure& f, const py::object& a, const py::object& b, const py::object& t) {
        return from_vector(interpolate(f.model, to_pose(f.model, a, "a"), to_pose(f.model, b, "b"), to_number(t, "t")));
      },
      py::arg("a"), py::arg("b"), py::arg("t"),
      with_signature("interpolate(self, a, b, t)", "The pose between a (t = 0) and b (t = 1), the short way round.")
          .c_str());
  type.def(
      "integrate",
      [](const Figure& f, const py::object& q, const py::object& velocity) {
        return from_vector(
            integrate(f.model, to_pose(f.model, q, "q"), to_velocities(f.model, velocity, 0.0, "velocity")));
      },
      py::arg("q"), py::arg("velocity"),
      with_signature("integrate(self, q, velocity)", "The pose after moving along a velocity for unit time.").c_str());
  type.def(
      "difference",
      [](const Figure& f, const py::object& a, const py::object& b) {
        return from_vector(difference(f.model, to_pose(f.model, a, "a"), to_pose(f.model, b, "b")));
      },
      py::arg("a"), py::arg("b"),
      with_signature("difference(self, a, b)", "The velocity that leads from a to b in unit time.").c_str());
}

void bind_frames(ModelClass& type) {
  type.def("forward", &frames, py::arg("q") = py::none(), py::kw_only(), py::arg("links") = py::none(),
           py::arg("base") = py::none(), py::arg("out") = py::none(),
           with_signature("forward(self, q=None, *, links=None, base=None, out=None)",
                          "Transforms of all links (or of `links`) at a pose: an array (links, 4, 4), in the world or "
                          "in the frame of\n`base`. For an array of N poses (N, q_size): (N, links, 4, 4). `out` is "
                          "filled instead of a new array.\n\n"
                          ">>> armature.load_model('ur5').forward('ready', links=['tool0']).shape\n(1, 4, 4)")
               .c_str());
  type.def(
      "transform",
      [](const Figure& f, const py::object& link, const py::object& q, const py::object& base) {
        State state;
        forward(f.model, to_pose(f.model, q, "q"), state);
        return to_matrix(relative(state, to_frame(f.model, base, "base"), to_link(f.model, link, "link")));
      },
      py::arg("link"), py::arg("q") = py::none(), py::arg("base") = py::none(),
      with_signature("transform(self, link, q=None, base=None)",
                     "Where one link is: a 4x4 array, in the world or in the frame of `base`.")
          .c_str());
  type.def(
      "state",
      [](const FigurePtr& f, const py::object& q) {
        PoseState made{f, {}};
        forward(f->model, to_pose(f->model, q, "q"), made.state);
        return made;
      },
      py::arg("q") = py::none(),
      with_signature("state(self, q=None)",
                     "All that is computed from a pose, to be asked link by link: state.transform(link, base),\n"
                     "state.jacobian(link).")
          .c_str());
  type.def("jacobian", &jacobians, py::arg("link"), py::arg("q") = py::none(), py::kw_only(),
           py::arg("point") = py::none(), py::arg("frame") = "world", py::arg("base") = py::none(),
           py::arg("out") = py::none(),
           with_signature("jacobian(self, link, q=None, *, point=None, frame='world', base=None, out=None)",
                          "The 6 x v_size Jacobian of a point of a link: linear rows, then angular rows, in the axes "
                          "of 'world' or 'link'.\nWith `base`: of the motion as seen from that link, in its axes. An "
                          "array of N poses gives (N, 6, v_size).")
               .c_str());
  type.def(
      "jacobian_derivative",
      [](const Figure& f, const py::object& link, const py::object& q, const py::object& velocity,
         const py::object& point, const py::object& frame) {
        const JacobianOf wanted(f.model, link, point, frame, py::none());
        const VecX v = to_velocities(f.model, velocity, 0.0, "velocity");
        State state;
        forward(f.model, to_pose(f.model, q, "q"), state);
        std::vector<Twist> velocities;
        link_velocities(f.model, state, v.data(), velocities);
        Jacobian J(6, f.model.v_size());
        jacobian_derivative(f.model, state, v.data(), velocities, wanted.link, wanted.point, J, wanted.frame);
        return from_matrix(J);
      },
      py::arg("link"), py::arg("q"), py::arg("velocity"), py::kw_only(), py::arg("point") = py::none(),
      py::arg("frame") = "world",
      with_signature("jacobian_derivative(self, link, q, velocity, *, point=None, frame='world')",
                     "The Jacobian's rate of change while the joints move: acceleration = J a + dJ velocity.")
          .c_str());
  type.def(
      "velocities",
      [](const Figure& f, const py::object& q, const py::object& velocity) {
        State state;
        forward(f.model, to_pose(f.model, q, "q"), state);
        std::vector<Twist> twists;
        link_velocities(f.model, state, to_velocities(f.model, velocity, 0.0, "velocity").data(), twists);
        return twist_rows(twists);
      },
      py::arg("q"), py::arg("velocity"),
      with_signature("velocities(self, q, velocity)",
                     "Velocity of each link: rows (linear of its origin, angular), world axes.")
          .c_str());
  type.def(
      "accelerations",
      [](const Figure& f, const py::object& q, const py::object& velocity, const py::object& acceleration) {
        const VecX v = to_velocities(f.model, velocity, 0.0, "velocity");
        const VecX a = to_velocities(f.model, acceleration, 0.0, "acceleration");
        State state;
        forward(f.model, to_pose(f.model, q, "q"), state);
        std::vector<Twist> twists, out;
        link_velocities(f.model, state, v.data(), twists);
        link_accelerations(f.model, state, v.data(), a.data(), twists, out);
        return twist_rows(out);
      },
      py::arg("q"), py::arg("velocity"), py::arg("acceleration"),
      with_signature("accelerations(self, q, velocity, acceleration)",
                     "Acceleration of each link: rows (linear of its origin, angular), world axes.")
          .c_str());
}

void bind_state(py::module_& module) {
  py::class_<PoseState> type(module, "State", "All that was computed from one pose. Made by Model.state().");
  type.def_property_readonly(
      "q",
      [](const PoseState& s) {
        return from_vector(Eigen::Map<const VecX>(s.state.q.data(), s.figure->model.q_size()));
      },
      "The pose.");
  type.def_property_readonly(
      "model", [](const PoseState& s) { return s.figure; }, "Whose it is.");
  type.def(
      "transform",
      [](const PoseState& s, const py::object& link, const py::object& base) {
        const Model& model = s.figure->model;
        return to_matrix(relative(s.state, to_frame(model, base, "base"), to_link(model, link, "link")));
      },
      py::arg("link"), py::arg("base") = py::none(),
      with_signature("transform(self, link, base=None)", "Where a link is: a 4x4 array.").c_str());
  type.def(
      "jacobian",
      [](const PoseState& s, const py::object& link, const py::object& point, const py::object& frame,
         const py::object& base) {
        const JacobianOf wanted(s.figure->model, link, point, frame, base);
        Jacobian J(6, s.figure->model.v_size());
        wanted(s.state, J);
        return from_matrix(J);
      },
      py::arg("link"), py::kw_only(), py::arg("point") = py::none(), py::arg("frame") = "world",
      py::arg("base") = py::none(),
      with_signature("jacobian(self, link, *, point=None, frame='world', base=None)",
                     "The 6 x v_size Jacobian of a point of a link, as Model.jacobian() gives it.")
          .c_str());
  type.def("__repr__", [](const PoseState& s) { return "<armature.State of '" + s.figure->model.name() + "'>"; });
}

py::object measures_of(const py::object& J) {
  const Numbers numbers = to_array(J, "J", "a matrix of numbers");
  if (numbers.ndim() != 2) throw PyError("J must be a matrix, with rows and columns.");
  if (numbers.shape(0) > 1000 || numbers.shape(1) > 100000) throw PyError("J is too large to be a Jacobian.");
  const Eigen::Map<const RowsX> rows(numbers.data(), numbers.shape(0), numbers.shape(1));
  const MatX matrix = rows;
  return measures_record(matrix.size() > 0 ? measures(matrix) : Measures{});
}

}  // namespace

void bind_model(py::module_& module, ModelClass& type) {
  type.def_property_readonly(
      "name", [](const Figure& f) { return f.model.name(); }, "As its file has it.");
  type.def_property_readonly(
      "description", [](const Figure& f) { return f.model.linkage().description; }, "A sentence for people.");
  type.def_property_readonly(
      "source", [](const Figure& f) { return f.source; }, "The built-in name or the path it was loaded by, else ''.");
  type.def_property_readonly(
      "q_size", [](const Figure& f) { return f.model.q_size(); }, "Numbers in a pose.");
  type.def_property_readonly(
      "v_size", [](const Figure& f) { return f.model.v_size(); }, "Numbers in a velocity.");
  type.def_property_readonly(
      "size", [](const Figure& f) { return f.model.size(); },
      "Length of the longest branch: what large and small are measured by.");
  type.def_property_readonly(
      "links", [](const Figure& f) { return f.model.links(); },
      "Names, parents before children: the order of forward()'s transforms.");
  type.def_property_readonly(
      "joint_names", [](const Figure& f) { return f.model.joint_names(); }, "Names of the joints.");
  type.def_property_readonly(
      "joints", [](const Figure& f) { return joint_list(f.model); },
      "Name, type, parent, child, slices of q and v, limits and mimicry of each joint.");
  type.def_property_readonly(
      "effectors",
      [](const Figure& f) {
        std::vector<std::string> names;
        for (const int link : f.model.effectors()) names.push_back(f.model.link_name(link));
        return names;
      },
      "Links that one reaches with, in order of preference.");
  type.def_property_readonly(
      "lower", [](const Figure& f) { return from_vector(f.model.lower()); }, "Lower limits, -inf for none.");
  type.def_property_readonly(
      "upper", [](const Figure& f) { return from_vector(f.model.upper()); }, "Upper limits, inf for none.");
  type.def_property_readonly(
      "velocity_limits", [](const Figure& f) { return from_vector(f.model.velocity_limit()); },
      "Per velocity, inf for none.");
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
  bind_frames(type);
  bind_state(module);
  module.def("measures", &measures_of, py::arg("J"),
             with_signature("measures(J)",
                            "How well a Jacobian moves its link: singular_values (descending), manipulability (their "
                            "product), condition\n(largest over smallest; inf when singular).")
                 .c_str());
}

}  // namespace armature::python
