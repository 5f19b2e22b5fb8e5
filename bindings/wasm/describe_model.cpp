#include "describe_model.hpp"

#include <cmath>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/linkage.hpp"
#include "convert.hpp"

namespace armature::js {
namespace {

// The first axis and the Euler order among a joint type's parameters.
struct Visitor {
  Vec3 first_axis = Vec3::UnitZ();
  bool found = false;
  std::string euler_order;
  void axis(const char*, Vec3& a) {
    if (!found) first_axis = a;
    found = true;
  }
  void number(const char*, double&) {}
  void order(const char*, EulerOrder& o) { euler_order = std::string(o.name()); }
};

val geometry_value(const Linkage& linkage, const Visual& visual) {
  val entry = val::object();
  const Geometry* geometry = linkage.find_geometry(visual.geometry);
  if (geometry == nullptr) return val::undefined();
  entry.set("placement", matrix16(visual.ready));
  std::visit(
      [&](const auto& shape) {
        using S = std::decay_t<decltype(shape)>;
        if constexpr (std::is_same_v<S, Box>) {
          entry.set("type", std::string("box"));
          entry.set("size", number_array(shape.size.data(), 3));
        } else if constexpr (std::is_same_v<S, Sphere>) {
          entry.set("type", std::string("sphere"));
          entry.set("radius", shape.radius);
        } else if constexpr (std::is_same_v<S, Cylinder> || std::is_same_v<S, Capsule>) {
          entry.set("type", std::string(std::is_same_v<S, Capsule> ? "capsule" : "cylinder"));
          entry.set("radius", shape.radius);
          entry.set("length", shape.length);
        } else if constexpr (std::is_same_v<S, Polyline>) {
          entry.set("type", std::string("polyline"));
          entry.set("points", number_array(shape.points.empty() ? nullptr : shape.points.front().data(),
                                           3 * shape.points.size()));
        } else {
          entry.set("type", std::string("mesh"));
          entry.set("uri", shape.uri);
        }
      },
      geometry->shape);
  if (visual.color) entry.set("color", number_array(visual.color->data(), 4));
  if (visual.collision) entry.set("collision", true);
  return entry;
}

// "x", "y", "angle"... after the joint's name, "" for a joint of one coordinate.
std::string short_coordinate(const Model& model, const ModelJoint& joint, int q) {
  const std::string name = model.coordinate_name(q);
  return name.size() > joint.name.size() + 1 && name.compare(0, joint.name.size(), joint.name) == 0
             ? name.substr(joint.name.size() + 1)
             : "";
}

val joint_value(const Model& model, int link) {
  const ModelJoint& joint = model.joint(link);
  val entry = val::object();
  entry.set("name", joint.name);
  entry.set("type", std::string(type_name(joint.type)));
  entry.set("parent", joint.parent);
  entry.set("child", link);
  entry.set("placement", matrix16(joint.placement.matrix()));
  Visitor visitor;
  JointType type = joint.type;
  describe_joint(type, visitor);
  entry.set("axis", number_array(visitor.first_axis.data(), 3));
  if (!visitor.euler_order.empty()) entry.set("order", visitor.euler_order);
  entry.set("q", joint.q_index);
  entry.set("nq", joint.q_count);
  entry.set("v", joint.v_index);
  entry.set("nv", joint.v_count);
  val coordinates = val::array();
  val units = val::array();
  for (int i = 0; i < joint.q_count; ++i) {
    const int q = joint.q_index + i;
    const Coordinate kind = model.coordinate_kinds()[static_cast<std::size_t>(q)];
    coordinates.call<void>("push", short_coordinate(model, joint, q));
    units.call<void>("push", std::string(kind == Coordinate::angle    ? "angle"
                                         : kind == Coordinate::length ? "length"
                                                                      : ""));
  }
  entry.set("coordinates", coordinates);
  entry.set("units", units);
  entry.set("lower", number_array(model.lower().data() + joint.q_index, static_cast<std::size_t>(joint.q_count)));
  entry.set("upper", number_array(model.upper().data() + joint.q_index, static_cast<std::size_t>(joint.q_count)));
  if (joint.cone) {
    entry.set("swing", joint.cone->swing);
    const double twist[2] = {joint.cone->twist_lower, joint.cone->twist_upper};
    entry.set("twist", number_array(twist, 2));
    entry.set("cone_axis", number_array(joint.cone->axis.data(), 3));
  }
  if (joint.mimic) {
    val mimic = val::object();
    mimic.set("joint", joint.source);
    mimic.set("multiplier", joint.multiplier);
    mimic.set("offset", joint.offset);
    entry.set("mimic", mimic);
  }
  return entry;
}

bool along_z(const Vec3& v) { return std::abs(v.x()) < 1e-9 && std::abs(v.y()) < 1e-9; }

}  // namespace

bool is_planar(const Model& model) {
  State state;
  forward(model, neutral_pose(model), state);
  bool moves = false;
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& joint = model.joint(i);
    const Transform& X = state.X_WL[static_cast<std::size_t>(i)];
    if (std::abs(X.translation.z()) > 1e-9 * model.size()) return false;
    if (joint.v_count == 0) continue;
    moves = true;
    Visitor visitor;
    JointType type = joint.type;
    describe_joint(type, visitor);
    const Vec3 axis = X.rotation * visitor.first_axis;
    const std::string name = type_name(joint.type);
    if (name == "revolute" || name == "continuous" || name == "planar") {
      if (!along_z(axis)) return false;
    } else if (name == "prismatic") {
      if (std::abs(axis.z()) > 1e-9) return false;
    } else {
      return false;
    }
  }
  return moves;
}

val describe_model(const Model& model, const char* up, double tolerance) {
  val links = val::array();
  val joints = val::array();
  for (int i = 0; i < model.link_count(); ++i) {
    val children = val::array();
    for (int c = i + 1; c < model.subtree_end(i); ++c) {
      if (model.parent(c) == i) children.call<void>("push", c);
    }
    val geometry = val::array();
    for (const Visual& visual : model.visuals(i)) {
      const val shape = geometry_value(model.linkage(), visual);
      if (!shape.isUndefined()) geometry.call<void>("push", shape);
    }
    val link = val::object();
    link.set("name", model.link_name(i));
    link.set("joint", i);
    link.set("parent", model.parent(i));
    link.set("children", children);
    link.set("geometry", geometry);
    links.call<void>("push", link);
    joints.call<void>("push", joint_value(model, i));
  }
  val effectors = val::array();
  for (const int link : model.effectors()) effectors.call<void>("push", link);
  val poses = val::array();
  for (const ModelPose& pose : model.poses()) {
    val entry = val::object();
    entry.set("name", pose.name);
    entry.set("q", number_array(pose.q.data(), static_cast<std::size_t>(pose.q.size())));
    poses.call<void>("push", entry);
  }
  val result = val::object();
  result.set("name", model.name());
  result.set("description", model.linkage().description);
  result.set("dof", model.v_size());
  result.set("nq", model.q_size());
  result.set("nv", model.v_size());
  result.set("links", links);
  result.set("joints", joints);
  result.set("effectors", effectors);
  result.set("planar", is_planar(model));
  result.set("up", std::string(up));
  result.set("reach", model.size());
  result.set("poses", poses);
  result.set("tolerance", tolerance);
  return result;
}

}  // namespace armature::js
