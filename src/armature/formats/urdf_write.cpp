// URDF, writing: what check_urdf, KDL and DART accept. Joints that URDF lacks are expanded into joints it has; what has
// no place at all is told in the notes.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/dropped.hpp"
#include "armature/formats/placed_shape.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/spelling.hpp"
#include "armature/formats/tree_for_writing.hpp"
#include "armature/formats/xml.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/expand.hpp"
#include "armature/motion/linear_followers.hpp"

namespace armature::inline v0_2 {
namespace {

class Writer {
 public:
  Writer(const Document& document, const WriteOptions& options)
      : document_(document), options_(options), linkage_(document.linkage) {}

  Result<std::string> write() {
    if (const Status status = prepare(); !status) return status.error();
    text_ = "<?xml version=\"1.0\"?>\n<robot name=\"" + xml_escaped(linkage_.name.empty() ? "robot" : linkage_.name) +
            "\">\n";
    for (const Link& link : linkage_.links) {
      for (const Visual& visual : link.visuals) ++uses_[visual.geometry];
    }
    for (const Link& link : linkage_.links) write_link(link);
    for (const Joint& joint : linkage_.joints) write_joint(joint);
    write_opaque(linkage_.opaque, "  ");
    text_ += "</robot>\n";
    add_notes();
    return std::move(text_);
  }

 private:
  std::string number(double value) const {
    return options_.digits > 0 ? pretty_number(value, options_.digits) : format_number(value);
  }
  std::string vector(const Vec3& v) const { return number(v[0]) + " " + number(v[1]) + " " + number(v[2]); }
  void note(std::string sentence) {
    if (options_.notes != nullptr) options_.notes->push_back(std::move(sentence));
  }

  // What follows a drive by a constant ratio in every pose needs no loop.
  Status make_mimics() {
    if (linkage_.closures.empty()) return {};
    const Result<Model> model = compile(linkage_);
    if (!model) return model.error();
    std::unordered_set<std::string> known;
    for (const LinearFollower& follower : linear_followers(*model)) {
      // A number like 1 that was measured is meant.
      const double whole = std::round(follower.multiplier);
      const double multiplier = std::abs(follower.multiplier - whole) < 1e-9 ? whole : follower.multiplier;
      const double offset = std::abs(follower.offset) < 1e-9 ? 0.0 : follower.offset;
      linkage_.find_joint(follower.joint)->mimic = Mimic{follower.source, multiplier, offset};
      known.insert(follower.joint);
      known.insert(follower.source);
    }
    for (const ModelClosure& closure : model->closures()) {
      if (!known.empty() && closes_by_itself(*model, closure, known)) kept_.insert(closure.name);
    }
    return {};
  }
  // Every joint of the loop is still, drives or follows.
  static bool closes_by_itself(const Model& model, const ModelClosure& closure,
                               const std::unordered_set<std::string>& known) {
    const auto decided = [&](int link) {
      const ModelJoint& joint = model.joint(link);
      return joint.mimic || joint.v_count == 0 || known.count(joint.name) > 0;
    };
    for (const int link : {closure.joint, closure.source}) {
      if (link >= 0 && !decided(link)) return false;
    }
    for (int a = closure.a, b = closure.b; a != b;) {
      int& deeper = a > b ? a : b;
      if (!decided(deeper)) return false;
      deeper = model.parent(deeper);
    }
    return true;
  }

  Status prepare() {
    if (Status status = make_mimics(); !status) return status;
    const std::vector<Joint> joints = linkage_.joints;
    for (const Joint& joint : joints) {
      if (joint.limits.cone) dropped_.add("cone limit");
      if (!joint.origin.is_finite()) {
        return Error{"Joint " + armature::detail::quoted(joint.name) + " has a placement that is not finite."};
      }
      const auto* planar = std::get_if<Planar>(&joint.type);
      const bool usual_plane = planar != nullptr && planar->normal.norm() > 0.0 &&
                               (planar->x_axis - planar_x_axis(planar->normal.normalized())).norm() < 1e-12;
      if (usual_plane || std::holds_alternative<Free>(joint.type)) {
        const auto& l = joint.limits;
        if (!l.lower.empty() || !l.upper.empty() || !l.velocity.empty()) dropped_.add("limits of planar or free joint");
        continue;
      }
      if (std::holds_alternative<Helical>(joint.type)) {
        if (const Status status = expand_screw(linkage_, joint.name); !status) return status;
      } else if (coordinate_count(joint.type) > 1) {
        if (const Status status = expand_joint(linkage_, joint.name); !status) return status;
      } else {
        continue;
      }
      expanded_.add(joint.name);
    }
    ground_root();
    return {};
  }

  // URDF has no joint to the world: a link is put there.
  void ground_root() {
    for (Joint& joint : linkage_.joints) {
      if (!joint.parent.empty()) continue;
      std::string world = "world";
      while (linkage_.find_link(world) != nullptr) world += "_";
      linkage_.links.insert(linkage_.links.begin(), {world, {}});
      joint.parent = world;
      note("URDF has no joint to the world: the link " + armature::detail::quoted(world) + " was added for joint " +
           armature::detail::quoted(joint.name) + ".");
      return;
    }
  }

  // Elements of a URDF that a linkage has no word for, as they stood.
  void write_opaque(const std::vector<Opaque>& list, const char* indent) {
    for (const Opaque& part : list) {
      if (part.format == "urdf") {
        text_ += indent + part.text + "\n";
      } else {
        dropped_.add("part of a " + part.format + " file");
      }
    }
  }

  // Whether the robot's opaque parts define the material; what a link says of it would hide its texture.
  bool stands_above(const std::string& name) const {
    return std::any_of(linkage_.opaque.begin(), linkage_.opaque.end(), [&](const Opaque& part) {
      if (part.format != "urdf" || part.text.rfind("<material", 0) != 0) return false;
      const std::string tag = part.text.substr(0, part.text.find('>'));
      return tag.find(" name=\"" + name + "\"") != std::string::npos ||
             tag.find(" name='" + name + "'") != std::string::npos;
    });
  }

  // A material is defined where it is used (a color without a name: as ""), unless it has a texture: then it stands
  // among the opaque parts.
  void write_material(const Visual& visual) {
    if (visual.collision || (visual.material.empty() && !visual.color)) return;
    const std::string name = xml_escaped(visual.material);
    text_ += "      <material name=\"" + name + "\"";
    if (!visual.color || (!name.empty() && stands_above(name))) {
      text_ += "/>\n";
      return;
    }
    text_ += ">\n        <color rgba=\"";
    for (std::size_t i = 0; i < 4; ++i) text_ += (i == 0 ? "" : " ") + number((*visual.color)[i]);
    text_ += "\"/>\n      </material>\n";
  }

  void write_inertial(const Link& link) {
    if (!has_inertial(link)) return;
    const Mat3& I = link.inertia;
    text_ += "    <inertial>\n      <origin xyz=\"" + vector(link.center) + "\" rpy=\"0 0 0\"/>\n      <mass value=\"" +
             number(link.mass) + "\"/>\n      <inertia ixx=\"" + number(I(0, 0)) + "\" ixy=\"" + number(I(0, 1)) +
             "\" ixz=\"" + number(I(0, 2)) + "\" iyy=\"" + number(I(1, 1)) + "\" iyz=\"" + number(I(1, 2)) +
             "\" izz=\"" + number(I(2, 2)) + "\"/>\n    </inertial>\n";
  }

  void write_origin(const Transform& x, const char* indent) {
    if (x.rotation == Mat3::Identity() && x.position == Vec3::Zero()) return;
    text_ += std::string(indent) + "<origin xyz=\"" + vector(x.position) + "\" rpy=\"" +
             vector(matrix_to_rpy(x.rotation)) + "\"/>\n";
  }

  void write_link(const Link& link) {
    const std::string start = "  <link name=\"" + xml_escaped(link.name) + "\"";
    if (link.visuals.empty() && !has_inertial(link) && link.opaque.empty()) {
      text_ += start + "/>\n";
      return;
    }
    text_ += start + ">\n";
    write_inertial(link);
    for (std::size_t i = 0; i < link.visuals.size(); ++i) {
      const Visual& visual = link.visuals[i];
      const Geometry* geometry = linkage_.find_geometry(visual.geometry);
      if (geometry == nullptr) continue;
      if (geometry->name != inline_geometry_name(link.name, i) && uses_[geometry->name] > 1) {
        dropped_.add("name of a shared geometry");
      }
      write_visual(visual, geometry->shape);
    }
    write_opaque(link.opaque, "    ");
    text_ += "  </link>\n";
  }

  void write_shape(const Visual& visual, const Transform& origin, const std::string& shape) {
    const std::string tag = visual.collision ? "collision" : "visual";
    text_ += "    <" + tag + ">\n";
    write_origin(origin, "      ");
    text_ += "      <geometry>\n        " + shape + "\n      </geometry>\n";
    write_material(visual);
    text_ += "    </" + tag + ">\n";
  }

  void write_visual(const Visual& visual, const Shape& shape) {
    const std::optional<PlacedShape> placed = placed_shape(visual, shape, dropped_);
    if (!placed) return;
    const auto cylinder = [&](double radius, double length) {
      return "<cylinder radius=\"" + number(radius) + "\" length=\"" + number(length) + "\"/>";
    };
    const auto sphere = [&](double radius) { return "<sphere radius=\"" + number(radius) + "\"/>"; };
    if (const auto* box = std::get_if<Box>(&placed->shape)) {
      write_shape(visual, placed->origin, "<box size=\"" + vector(box->size) + "\"/>");
    } else if (const auto* ball = std::get_if<Sphere>(&placed->shape)) {
      if (placed->scale != Vec3::Ones()) {
        dropped_.add("sphere with unequal scale");
      } else {
        write_shape(visual, placed->origin, sphere(ball->radius));
      }
    } else if (const auto* rod = std::get_if<Cylinder>(&placed->shape)) {
      write_shape(visual, placed->origin, cylinder(rod->radius, rod->length));
    } else if (const auto* capsule = std::get_if<Capsule>(&placed->shape)) {
      write_shape(visual, placed->origin, cylinder(capsule->radius, capsule->length));
      for (const double end : {-0.5, 0.5}) {
        const Vec3 offset(0, 0, end * capsule->length);
        write_shape(visual, placed->origin * Transform::translate(offset), sphere(capsule->radius));
      }
      ++capsules_;
    } else if (const auto* mesh = std::get_if<MeshFile>(&placed->shape)) {
      std::string element = "<mesh filename=\"" + xml_escaped(mesh->uri) + "\"";
      if (placed->scale != Vec3::Ones()) element += " scale=\"" + vector(placed->scale) + "\"";
      write_shape(visual, placed->origin, element + "/>");
    }
  }

  void write_joint(const Joint& joint) {
    const auto bound = [](const std::vector<double>& list, double none) { return list.empty() ? none : list[0]; };
    const double lower = bound(joint.limits.lower, -kUnlimited);
    const double upper = bound(joint.limits.upper, kUnlimited);
    const bool turns = std::holds_alternative<Revolute>(joint.type);
    const bool free_turn = turns && lower <= -kUnlimited && upper >= kUnlimited;
    const bool continuous = free_turn || std::holds_alternative<Continuous>(joint.type);
    Vec3 axis = Vec3::UnitX();
    const char* type = "fixed";
    if (const auto* j = std::get_if<Revolute>(&joint.type)) axis = j->axis;
    if (const auto* j = std::get_if<Continuous>(&joint.type)) axis = j->axis;
    if (const auto* j = std::get_if<Prismatic>(&joint.type)) axis = j->axis;
    if (const auto* j = std::get_if<Planar>(&joint.type)) axis = j->normal;
    if (turns) type = "revolute";
    if (continuous) type = "continuous";
    if (free_turn) became_continuous_.add(joint.name);
    if (std::holds_alternative<Prismatic>(joint.type)) type = "prismatic";
    if (std::holds_alternative<Planar>(joint.type)) type = "planar";
    if (std::holds_alternative<Free>(joint.type)) type = "floating";
    text_ += "  <joint name=\"" + xml_escaped(joint.name) + "\" type=\"" + type + "\">\n    <parent link=\"" +
             xml_escaped(joint.parent) + "\"/>\n    <child link=\"" + xml_escaped(joint.child) + "\"/>\n";
    write_origin(joint.origin, "    ");
    const bool one = coordinate_count(joint.type) == 1;
    if (one || std::holds_alternative<Planar>(joint.type)) text_ += "    <axis xyz=\"" + vector(axis) + "\"/>\n";
    const double velocity = bound(joint.limits.velocity, 0.0);
    const bool has_velocity = velocity > 0.0 && velocity < kUnlimited;
    const double given_effort = bound(joint.limits.effort, 0.0);
    const std::string effort = given_effort < kUnlimited ? number(given_effort) : "0";
    if (one && !continuous) {  // check_urdf demands all four; 0 stands for "not given" in effort and velocity
      text_ += "    <limit lower=\"" + number(std::max(lower, -kUnlimited)) + "\" upper=\"" +
               number(std::min(upper, kUnlimited)) + "\" effort=\"" + effort + "\" velocity=\"" +
               (has_velocity ? number(velocity) : "0") + "\"/>\n";
    } else if (one && (has_velocity || !joint.limits.effort.empty())) {
      text_ += "    <limit effort=\"" + effort + "\" velocity=\"" + (has_velocity ? number(velocity) : "0") + "\"/>\n";
    }
    if (joint.mimic) {
      text_ += "    <mimic joint=\"" + xml_escaped(joint.mimic->joint) + "\" multiplier=\"" +
               number(joint.mimic->multiplier) + "\" offset=\"" + number(joint.mimic->offset) + "\"/>\n";
    }
    write_opaque(joint.opaque, "    ");
    text_ += "  </joint>\n";
  }

  void add_notes() {
    if (!expanded_.empty()) {
      note("URDF has no such joints, so they were expanded into joints of one coordinate: " + expanded_.text() + ".");
    }
    if (!became_continuous_.empty()) {
      note("Revolute joints without limits were written as continuous: " + became_continuous_.text() + ".");
    }
    if (capsules_ > 0) note("Capsules, written as a cylinder and two spheres each: " + std::to_string(capsules_) + ".");
    for (const Closure& closure : document_.linkage.closures) {
      if (kept_.count(closure.name) > 0) {
        note("Closure " + armature::detail::quoted(closure.name) +
             " is kept by joints that mimic the drive: they follow it by a constant ratio in every pose.");
        continue;
      }
      note("Closure " + armature::detail::quoted(closure.name) + " (" + type_name(closure.type) +
           ") was dropped: URDF cannot represent loops, so the file holds the tree without it.");
    }
    note_dropped(document_, "URDF", false, dropped_, options_);
  }

  static constexpr double kUnlimited = 1e308;

  const Document& document_;
  const WriteOptions& options_;
  Linkage linkage_;
  std::unordered_map<std::string, int> uses_;  // of geometries
  std::string text_;
  Dropped dropped_;
  NameList expanded_, became_continuous_;
  std::unordered_set<std::string> kept_;  // closures that mimics keep
  int capsules_ = 0;
};

}  // namespace

Result<std::string> write_urdf(const Document& document, const WriteOptions& options) {
  return Writer(document, options).write();
}

}  // namespace armature::inline v0_2
