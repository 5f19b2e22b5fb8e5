// SDF, writing: each joint placed in its parent link and each link at its joint, so that the numbers are the linkage's
// own. Joints that SDF lacks are expanded; closures are joints whose child has a parent already. What has no place is
// told in the notes. Choices: docs/formats/sdf.md. Over 400 lines: what is adapted first (loops that stand closed,
// rods, names) decides how every element is written, and the notes tell of both.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "armature/base/number.hpp"
#include "armature/base/rng.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/dropped.hpp"
#include "armature/formats/placed_shape.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/spelling.hpp"
#include "armature/formats/tree_for_writing.hpp"
#include "armature/formats/xml_text.hpp"
#include "armature/geom/shortest_turn.hpp"
#include "armature/kinematics/assemble.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"
#include "armature/model/expand.hpp"

namespace armature::inline v0_2 {
namespace {

class SdfWriter {
 public:
  SdfWriter(const Document& document, const WriteOptions& options)
      : document_(document), options_(options), linkage_(document.linkage), x_(options.digits) {}

  Result<std::string> write() {
    if (const Status status = stand_closed(); !status) return status.error();
    if (const Status status = prepare(); !status) return status.error();
    const WritingTree tree(linkage_);
    tree_ = &tree;
    const bool mimics =
        std::any_of(linkage_.joints.begin(), linkage_.joints.end(), [](const Joint& j) { return j.mimic.has_value(); });
    x_.open("sdf");
    x_.attribute("version", mimics ? "1.11" : "1.10");
    x_.open("model");
    x_.attribute("name", linkage_.name.empty() ? "model" : linkage_.name);
    for (const Link& link : linkage_.links) {
      if (link.name != world_ && !is_frame(link)) write_link(link);
    }
    for (const Joint& joint : linkage_.joints) write_joint(joint);
    for (const Closure& closure : linkage_.closures) write_closure(closure);
    write_opaque(linkage_.opaque);
    x_.close();
    x_.close();
    add_notes();
    return x_.take();
  }

 private:
  void note(std::string sentence) {
    if (options_.notes != nullptr) options_.notes->push_back(std::move(sentence));
  }

  // SDF knows a loop's second joint by how the model stands in the file, so it must stand closed there: coordinates are
  // counted from that pose.
  Status stand_closed() {
    const Result<Model> model = compile(linkage_);
    if (!model) return model.error();
    if (linkage_.closures.empty()) return {};
    VecX q = neutral_pose(*model);
    Assembler assembler;
    assembler.prepare(*model);
    const VecX start = start_pose(*model);
    const bool closed = assembler.error(q.data()) <= Assembler::kClosed;
    // Folded flat a mechanism may have other ways to move than where it is used.
    const bool folded = closed && analyze_mechanism(*model, q).mobility != analyze_mechanism(*model, start).mobility;
    if (closed && !folded) {
      carry_rods(*model, q);
      make_mimics();
      return {};
    }
    if (folded) q = start;
    Status status = assemble(*model, q);
    Rng rng(1);
    for (int trial = 0; trial < 20 && !status; ++trial) {  // a stretched mechanism does not know which way to fold
      q = trial == 0 ? start : random_pose(*model, rng);
      status = assemble(*model, q);
    }
    if (!status) {
      note("The loops cannot be closed, so closures are left out: " + status.message());
      linkage_.closures.clear();
      return {};
    }
    carry_rods(*model, q);
    make_mimics();
    for (Joint& joint : linkage_.joints) {
      if (!model->lookup_joint(joint.name)) continue;  // of a rod, which stands there already
      const int n = coordinate_count(joint.type);
      if (n == 0) continue;
      VecX own = joint_coordinates(*model, joint.name, q);
      joint.origin = joint.origin * joint_transform(joint.type, own.data());
      if (joint.mimic) joint.mimic->offset = 0.0;  // both are counted from the same pose
      if (n != 1) continue;
      for (std::vector<double>* list : {&joint.limits.lower, &joint.limits.upper}) {
        for (double& value : *list) value -= own[0];
      }
      if (own[0] != 0.0) shifted_.add(joint.name);
    }
    return {};
  }
  // A gear between two joints is what SDF calls a mimic.
  void make_mimics() {
    std::erase_if(linkage_.closures, [&](const Closure& closure) {
      const auto* gear = std::get_if<Coupling>(&closure.type);
      Joint* joint = gear != nullptr ? linkage_.find_joint(gear->joint) : nullptr;
      if (joint == nullptr || joint->mimic || gear->source.empty() || gear->polynomial.size() != 2) return false;
      joint->mimic = Mimic{gear->source, gear->polynomial[1], gear->polynomial[0]};
      return true;
    });
  }
  // A rod is a link of no mass: universal at one end, a ball at the other, so that it has no spin of its own.
  void carry_rods(const Model& model, const VecX& q) {
    State state;
    forward(model, q, state);
    const auto place = [&](const ClosureFrame& frame) {
      return frame.link.empty() ? frame.origin : state.transform(*model.lookup_link(frame.link)) * frame.origin;
    };
    for (Closure& closure : linkage_.closures) {
      const auto* rod = std::get_if<Rod>(&closure.type);
      if (rod == nullptr) continue;
      if (closure.a.link.empty()) std::swap(closure.a, closure.b);
      if (closure.a.link.empty()) continue;
      const Vec3 from = place(closure.a).position;
      const Vec3 along = place(closure.b).position - from;
      const Transform X_WR = Transform::from(quaternion_between(Vec3::UnitX(), along), from);
      Joint joint;
      joint.name = fresh_joint(linkage_, closure.name + "_end");
      joint.child = fresh_link(linkage_, closure.name + "_rod");
      joint.type = Universal{Vec3::UnitY(), Vec3::UnitZ()};
      joint.parent = closure.a.link;
      joint.origin = state.transform(*model.lookup_link(closure.a.link)).inverse() * X_WR;
      linkage_.links.push_back({joint.child, {}});
      closure.a = {joint.child, Transform::translate(Vec3(rod->length, 0, 0))};
      closure.type = JointType(Spherical{});
      linkage_.joints.push_back(std::move(joint));
      rods_.add(closure.name);
    }
  }
  // Of a joint, with mimics followed.
  static VecX joint_coordinates(const Model& model, const std::string& name, const VecX& q) {
    const ModelJoint& joint = model.joint(*model.lookup_joint(name));
    if (!joint.mimic) return q.segment(joint.q_index, joint.q_count);
    VecX own(1);
    own[0] = joint.multiplier * q[joint.q_index] + joint.offset;
    return own;
  }

  Status prepare() {
    const std::string root = root_link(linkage_);
    const Link& link = *linkage_.find_link(root);
    const Joint* above = linkage_.joint_above(root);
    const bool still = above == nullptr || (std::holds_alternative<Fixed>(above->type) && above->origin.is_identity());
    if (root == "world" && still && link.visuals.empty() && !has_inertial(link) && linkage_.links.size() > 1) {
      world_ = root;
    } else if (linkage_.find_link("world") != nullptr) {
      (void)rename_link(linkage_, "world", fresh_link(linkage_, "world_link"));  // cannot fail
      renamed_.add("world");
    }
    const std::vector<Joint> joints = linkage_.joints;
    for (const Joint& joint : joints) {
      if (joint.limits.cone) dropped_.add("cone limit");
      const bool known = std::holds_alternative<Spherical>(joint.type) || std::holds_alternative<Universal>(joint.type);
      if (known || coordinate_count(joint.type) <= 1) continue;
      if (std::holds_alternative<Free>(joint.type) && (joint.parent.empty() || joint.parent == world_)) continue;
      if (const Status status = expand_joint(linkage_, joint.name); !status) return status;
      expanded_.add(joint.name);
    }
    make_names();
    return {};
  }

  // Links, joints and frames share their names, none of which may hold "::".
  void make_names() {
    std::unordered_set<std::string> taken{"world"};
    const auto clean = [&](std::string name, const char* suffix) {
      for (std::size_t at; (at = name.find("::")) != std::string::npos;) name.replace(at, 2, "_");
      if (taken.count(name) != 0) name += suffix;
      while (!taken.insert(name).second) name += "_";
      return name;
    };
    std::vector<std::pair<std::string, std::string>> links, joints;
    for (const Link& link : linkage_.links) {
      links.emplace_back(link.name, link.name == "world" ? link.name : clean(link.name, "_link"));
    }
    for (const Joint& joint : linkage_.joints) joints.emplace_back(joint.name, clean(joint.name, "_joint"));
    for (const auto& [from, to] : links) {
      if (from != to && rename_link(linkage_, from, to)) renamed_.add(from);
    }
    for (const auto& [from, to] : joints) {
      if (from != to && rename_joint(linkage_, from, to)) renamed_.add(from);
    }
    for (Closure& closure : linkage_.closures) closure.name = clean(closure.name, "_closure");
  }
  // A bare link at the end of a fixed joint is a frame.
  bool is_frame(const Link& link) const {
    const Joint* above = tree_->above(link.name);
    return above != nullptr && !above->parent.empty() && std::holds_alternative<Fixed>(above->type) &&
           link.visuals.empty() && link.opaque.empty() && above->opaque.empty() && !has_inertial(link) &&
           tree_->below(link.name).empty() && above->name == link.name + "_frame" && above->parent != world_ &&
           !is_held(link.name);
  }
  bool is_held(const std::string& link) const {
    return std::any_of(linkage_.closures.begin(), linkage_.closures.end(),
                       [&](const Closure& c) { return c.a.link == link || c.b.link == link; });
  }
  // The root, and what moves freely on it: placed in the model, without a joint.
  bool is_placed(const Joint* above) const {
    if (above == nullptr) return true;
    const bool on_ground = above->parent.empty() || above->parent == world_;
    return (above->parent.empty() && std::holds_alternative<Fixed>(above->type)) ||
           (on_ground && std::holds_alternative<Free>(above->type));
  }

  void write_pose(const Transform& X, const std::string& relative_to) {
    if (X.is_identity() && relative_to.empty()) return;
    const std::optional<Vec3> rpy = exact_rpy(X.rotation);
    const Vec3& p = X.position;
    const Quat q = X.quaternion();
    x_.open("pose");
    if (!relative_to.empty()) x_.attribute("relative_to", relative_to);
    if (!rpy) x_.attribute("rotation_format", "quat_xyzw");
    x_.close_with(rpy ? x_.numbers({p[0], p[1], p[2], (*rpy)[0], (*rpy)[1], (*rpy)[2]})
                      : x_.numbers({p[0], p[1], p[2], q.x(), q.y(), q.z(), q.w()}));
  }

  void write_opaque(const std::vector<Opaque>& list, bool dynamics = false) {
    for (const Opaque& part : list) {
      const bool of_axis = part.text.compare(0, 9, "<dynamics") == 0;
      if (part.format == "sdf") {
        if (of_axis == dynamics) x_.raw(part.text);
      } else if (!dynamics) {
        dropped_.add("part of a " + part.format + " file");
      }
    }
  }

  void write_link(const Link& link) {
    const Joint* above = tree_->above(link.name);
    x_.open("link");
    x_.attribute("name", link.name);
    if (is_placed(above)) {
      write_pose(above != nullptr ? above->origin : Transform(), "");
      if (above != nullptr && std::holds_alternative<Free>(above->type)) free_.add(above->name);
    } else {
      write_pose({}, above->name);
    }
    if (has_inertial(link)) {
      const Mat3& I = link.inertia;
      x_.open("inertial");
      write_pose(Transform::translate(link.center), "");
      x_.element("mass", link.mass);
      x_.open("inertia");
      x_.element("ixx", I(0, 0));
      x_.element("ixy", I(0, 1));
      x_.element("ixz", I(0, 2));
      x_.element("iyy", I(1, 1));
      x_.element("iyz", I(1, 2));
      x_.element("izz", I(2, 2));
      x_.close();
      x_.close();
    }
    for (std::size_t i = 0; i < link.visuals.size(); ++i) {
      const Visual& visual = link.visuals[i];
      const Geometry* geometry = linkage_.find_geometry(visual.geometry);
      if (geometry == nullptr) continue;
      const std::optional<PlacedShape> placed = placed_shape(visual, geometry->shape, dropped_);
      if (placed)
        write_visual(visual, *placed,
                     link.name + (visual.collision ? "_collision_" : "_visual_") + std::to_string(i + 1));
    }
    write_opaque(link.opaque);
    x_.close();
  }

  void write_visual(const Visual& visual, const PlacedShape& placed, const std::string& name) {
    x_.open(visual.collision ? "collision" : "visual");
    x_.attribute("name", name);
    write_pose(placed.origin, "");
    x_.open("geometry");
    if (const auto* box = std::get_if<Box>(&placed.shape)) {
      x_.open("box");
      x_.element("size", x_.numbers(box->size));
    } else if (const auto* ball = std::get_if<Sphere>(&placed.shape)) {
      const bool round = placed.scale == Vec3::Ones();
      x_.open(round ? "sphere" : "ellipsoid");
      x_.element(round ? "radius" : "radii", round ? x_.number(ball->radius) : x_.numbers(placed.scale));
    } else if (const auto* rod = std::get_if<Cylinder>(&placed.shape)) {
      x_.open("cylinder");
      x_.element("radius", rod->radius);
      x_.element("length", rod->length);
    } else if (const auto* capsule = std::get_if<Capsule>(&placed.shape)) {
      x_.open("capsule");
      x_.element("radius", capsule->radius);
      x_.element("length", capsule->length);
    } else {
      x_.open("mesh");
      x_.element("uri", std::get<MeshFile>(placed.shape).uri);
      if (placed.scale != Vec3::Ones()) x_.element("scale", x_.numbers(placed.scale));
    }
    x_.close();
    x_.close();
    if (visual.color && !visual.collision) {
      const auto& c = *visual.color;
      const std::string rgba = x_.numbers({c[0], c[1], c[2], c[3]});
      x_.open("material");
      x_.element("ambient", rgba);
      x_.element("diffuse", rgba);
      x_.close();
    }
    x_.close();
  }

  void write_joint(const Joint& joint) {
    const Link& child = tree_->link(joint.child);
    if (is_placed(&joint) || joint.child == world_) {
      if (std::holds_alternative<Fixed>(joint.type) && joint.name != joint.child + "_frame") {
        dropped_.add("name of the root's joint");
      }
      return;
    }
    if (is_frame(child)) {
      x_.open("frame");
      x_.attribute("name", joint.child);
      x_.attribute("attached_to", joint.parent);
      write_pose(joint.origin, "");
      x_.close();
      return;
    }
    const std::string parent = joint.parent.empty() || joint.parent == world_ ? "world" : joint.parent;
    open_joint(joint.name, joint.type, parent, joint.child);
    write_pose(joint.origin, parent == "world" ? "__model__" : parent);
    write_axes(joint.type, joint.limits, joint.mimic ? &*joint.mimic : nullptr, &joint.opaque);
    write_opaque(joint.opaque);
    x_.close();
  }

  void open_joint(const std::string& name, const JointType& type, const std::string& parent, const std::string& child) {
    const char* word = std::holds_alternative<Spherical>(type)   ? "ball"
                       : std::holds_alternative<Helical>(type)   ? "screw"
                       : std::holds_alternative<Revolute>(type)  ? "revolute"
                       : std::holds_alternative<Prismatic>(type) ? "prismatic"
                                                                 : type_name(type);
    x_.open("joint");
    x_.attribute("name", name);
    x_.attribute("type", word);
    x_.element("parent", parent);
    x_.element("child", child);
  }

  void write_axes(const JointType& type, const Limits& limits, const Mimic* mimic, const std::vector<Opaque>* opaque) {
    if (const auto* screw = std::get_if<Helical>(&type)) {
      x_.element("screw_thread_pitch", screw->pitch);
      if (screw->pitch != 0.0) x_.element("thread_pitch", -2.0 * kPi / screw->pitch);
    }
    std::vector<Vec3> axes;
    if (const auto* j = std::get_if<Universal>(&type)) {
      axes = {j->axis, j->axis2};
    } else if (coordinate_count(type) == 1) {
      JointType copy = type;
      struct Axis {
        std::vector<Vec3>& axes;
        void axis(const char*, Vec3& v) { axes.push_back(v); }
        void number(const char*, double&) {}
        void order(const char*, EulerOrder&) {}
      } visitor{axes};
      describe_joint(copy, visitor);
    }
    const auto at = [](const std::vector<double>& list, std::size_t k, double none) {
      return k < list.size() ? list[k] : none;
    };
    for (std::size_t k = 0; k < axes.size(); ++k) {
      x_.open(k == 0 ? "axis" : "axis2");
      x_.element("xyz", x_.numbers(axes[k]));
      const double lower = at(limits.lower, k, -kInfinity), upper = at(limits.upper, k, kInfinity);
      const double velocity = at(limits.velocity, k, kInfinity), effort = at(limits.effort, k, kInfinity);
      const bool bounded = std::isfinite(lower) || std::isfinite(upper);
      if (bounded || std::isfinite(velocity) || std::isfinite(effort)) {
        x_.open("limit");
        x_.element("lower", std::isfinite(lower) ? lower : -1e16);
        x_.element("upper", std::isfinite(upper) ? upper : 1e16);
        if (std::isfinite(effort)) x_.element("effort", effort);
        if (std::isfinite(velocity)) x_.element("velocity", velocity);
        x_.close();
      }
      if (k == 0 && mimic != nullptr) {
        x_.open("mimic");
        x_.attribute("joint", mimic->joint);
        x_.attribute("axis", "axis");
        x_.element("multiplier", mimic->multiplier);
        x_.element("offset", mimic->offset);
        x_.element("reference", 0.0);
        x_.close();
      }
      if (k == 0 && opaque != nullptr) write_opaque(*opaque, true);
      x_.close();
    }
  }

  // The joint's place is given in its child; SDF finds it in the parent from how the model stands.
  void write_closure(const Closure& closure) {
    const auto* type = std::get_if<JointType>(&closure.type);
    const bool known = type != nullptr && (coordinate_count(*type) <= 1 || std::holds_alternative<Spherical>(*type) ||
                                           std::holds_alternative<Universal>(*type));
    const bool to_world = closure.b.link.empty() || closure.b.link == world_;  // SDF's world is nobody's child
    const bool symmetric = known && !std::holds_alternative<Universal>(*type);
    if (!known || (to_world && !symmetric)) {
      note("Closure " + detail::quoted(closure.name) + " (" + type_name(closure.type) +
           ") was dropped: SDF cannot represent it.");
      return;
    }
    const ClosureFrame& child = to_world ? closure.a : closure.b;
    const ClosureFrame& parent = to_world ? closure.b : closure.a;
    JointType written = *type;
    if (to_world) {
      struct Negate {
        void axis(const char*, Vec3& v) { v = -v; }
        void number(const char*, double&) {}
        void order(const char*, EulerOrder&) {}
      } visitor;
      describe_joint(written, visitor);
    }
    const bool grounded = parent.link.empty() || parent.link == world_;
    open_joint(closure.name, written, grounded ? "world" : parent.link, child.link);
    write_pose(child.origin, child.link);
    write_axes(written, closure.limits, nullptr, nullptr);
    x_.close();
  }

  void add_notes() {
    const auto say = [&](const NameList& list, const char* before) {
      if (!list.empty()) note(before + list.text() + ".");
    };
    say(expanded_, "SDF has no such joints, so they were expanded into joints of one coordinate: ");
    say(renamed_, "Renamed, as links, joints and frames of SDF need names of their own without '::': ");
    say(free_,
        "A model that is not joined to the world moves freely in SDF; it is read as fixed unless float_root is "
        "asked for: ");
    say(rods_, "Rods are links of no mass, universal at one end and a ball at the other: ");
    say(shifted_, "SDF needs loops that stand closed in the file, so these joints count from there: ");
    note_dropped(document_, "SDF", false, dropped_, options_);
  }

  const Document& document_;
  const WriteOptions& options_;
  Linkage linkage_;
  XmlText x_;
  const WritingTree* tree_ = nullptr;
  std::string world_ = " ";  // the link that stands for the world; no link has the name of one blank
  Dropped dropped_;
  NameList expanded_, renamed_, free_, shifted_, rods_;
};

}  // namespace

Result<std::string> write_sdf(const Document& document, const WriteOptions& options) {
  return SdfWriter(document, options).write();
}

}  // namespace armature::inline v0_2
