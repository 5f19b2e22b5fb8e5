// URDF, reading: the kinematic part, shapes and masses; everything else is kept as text (Opaque). Choices where tools
// disagree are told in docs/formats/urdf.md; the writer is urdf_write.cpp. Over 400 lines, as one pass over the
// elements with the checks that need their line numbers.
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/dropped.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/spelling.hpp"
#include "armature/formats/xml.hpp"
#include "armature/model/inertia.hpp"

namespace armature::inline v0_2 {
namespace {

using Color = std::array<double, 4>;

class UrdfReader {
 public:
  UrdfReader(const Source& source, const XmlTree& tree, const ReadOptions& options)
      : x_(source, tree), source_(source), tree_(tree), options_(options) {}

  Result<Document> read(XmlRef robot) {
    if (!robot.is("robot")) {
      return source_.error("The outermost element is <" + std::string(robot.name()) + ">; a URDF file has <robot>.");
    }
    if (const auto name = robot.attribute("name")) {
      linkage().name = *name;
    } else {
      note("The robot has no name.");
    }
    gather_materials(robot);
    for (const XmlRef element : robot) {
      if (element.is("link")) {
        read_link(element);
      } else if (element.is("joint") || element.is("drake:joint")) {
        read_joint(element);
      } else if (element.name().substr(0, 6) == "xacro:") {
        x_.fail(element, "This is a xacro file, a template for URDF; run 'xacro FILE > robot.urdf' first.");
      } else if (!element.is("material") || element.child("texture")) {
        keep(element, linkage().opaque);
      }
      if (!x_.ok()) return x_.error();
    }
    if (linkage().links.empty()) x_.fail(robot, "The robot has no <link> element; it needs at least one.");
    imply_links();
    check_tree(robot);
    check_mimics();
    if (!x_.ok()) return x_.error();
    add_notes();
    return std::move(document_);
  }

 private:
  Linkage& linkage() { return document_.linkage; }
  void note(std::string sentence) { document_.notes.push_back(std::move(sentence)); }
  static std::string in_quotes(std::string_view name) { return armature::detail::quoted(name); }

  // As it stands, for whoever writes URDF again.
  void keep(XmlRef element, std::vector<Opaque>& list) {
    std::string text = tree_.whole_text(source_, element);
    if (text.empty()) {
      dropped_.add("<" + std::string(element.name()) + ">");
    } else {
      list.push_back({"urdf", std::move(text)});
    }
  }

  // Materials may be used before they are defined, and defined inside any link.
  void gather_materials(XmlRef robot) {
    const auto define = [&](XmlRef material) {
      const auto name = material.attribute("name");
      Color color{0, 0, 0, 1};
      const XmlRef element = material.child("color");
      if (name && element && x_.numbers(element, "rgba", color.data(), 4)) materials_.emplace(*name, color);
    };
    for (const XmlRef element : robot) {
      const auto name = element.is("material") ? element.attribute("name") : std::nullopt;
      if (name && element.child("texture")) textured_.emplace(*name);
    }
    for (const XmlRef element : robot) {
      if (element.is("material")) define(element);
      if (!element.is("link")) continue;
      for (const XmlRef part : element) {
        const XmlRef material = part.is("visual") ? part.child("material") : XmlRef{};
        if (!material) continue;
        define(material);
        // A texture stands among the robot's opaque parts, wherever its material was defined.
        const auto name = material.attribute("name");
        if (!material.child("texture")) continue;
        if (!name || name->empty()) {
          dropped_.add("<texture> of a material without a name");
        } else if (textured_.emplace(*name).second) {
          keep(material, linkage().opaque);
        }
      }
    }
  }

  void read_link(XmlRef element) {
    Link link;
    if (!x_.text(element, "name", link.name)) return;
    const auto [at, fresh] = link_index_.emplace(link.name, linkage().links.size());
    if (!fresh) {
      x_.fail(element, "A link named " + in_quotes(link.name) + " stands already in line " +
                           std::to_string(x_.line(link_elements_[at->second])) + "; names must be unique.");
      return;
    }
    for (const XmlRef part : element) {
      if (part.is("visual") || part.is("collision")) {
        read_visual(part, link);
      } else if (part.is("inertial")) {
        read_inertial(part, link);
      } else {
        keep(part, link.opaque);
      }
    }
    link_elements_.push_back(element);
    linkage().links.push_back(std::move(link));
  }

  void read_inertial(XmlRef element, Link& link) {
    Inertia body;
    Transform origin;
    if (const XmlRef o = element.child("origin")) read_origin(o, origin);
    if (const XmlRef m = element.child("mass")) x_.number(m, "value", body.mass);
    if (const XmlRef i = element.child("inertia")) {
      static constexpr struct {
        const char* name;
        int row, column;
      } kEntries[] = {{"ixx", 0, 0}, {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyy", 1, 1}, {"iyz", 1, 2}, {"izz", 2, 2}};
      for (const auto& entry : kEntries) {
        double value = 0.0;
        x_.number(i, entry.name, value);
        body.about_center(entry.row, entry.column) = body.about_center(entry.column, entry.row) = value;
      }
    }
    if (!x_.ok()) return;
    if (!check_inertia(body, "").ok()) {
      impossible_.add(link.name);
      return;
    }
    const Inertia turned = origin.rotation == Mat3::Identity() ? body : body.in({Vec3::Zero(), origin.rotation});
    link.mass = body.mass;
    link.center = origin.position;
    link.inertia = 0.5 * (turned.about_center + turned.about_center.transpose());
  }

  void read_visual(XmlRef element, Link& link) {
    Transform origin;
    if (const XmlRef o = element.child("origin")) read_origin(o, origin);
    Visual visual;
    visual.collision = element.is("collision");
    if (const XmlRef material = element.child("material"); material && !visual.collision) {
      const auto name = material.attribute("name");
      const auto known = materials_.find(std::string(name.value_or("")));
      Color color{0, 0, 0, 1};
      if (const XmlRef c = material.child("color"); c && x_.numbers(c, "rgba", color.data(), 4)) {
        visual.color = color;
      } else if (name && known != materials_.end()) {
        visual.color = known->second;
      }
      if (name) visual.material = *name;
    }
    const XmlRef geometry = element.child("geometry");
    if (!geometry || !geometry.first()) {
      shapeless_.add(link.name);
      return;
    }
    int shapes = 0;
    for (const XmlRef shape : geometry) {
      visual.X_LG = origin.matrix();
      Geometry made{inline_geometry_name(link.name, link.visuals.size()), {}};
      if (!read_shape(shape, made.shape, visual.X_LG)) continue;
      visual.geometry = made.name;
      linkage().geometries.push_back(std::move(made));
      link.visuals.push_back(visual);
      if (++shapes == 2) several_shapes_.add(link.name);
    }
  }

  bool read_shape(XmlRef element, Shape& shape, Mat4& ready) {
    const auto size = [&](const char* name, double& value) {
      if (x_.number(element, name, value)) {
        if (value < 0.0) x_.fail(element, std::string(name) + " must not be negative.");
      } else {
        x_.fail(element, "The attribute '" + std::string(name) + "' is missing.");
      }
      return x_.ok();
    };
    if (element.is("box")) {
      Box box;
      if (!x_.vector(element, "size", box.size)) return x_.fail(element, "The attribute 'size' is missing.");
      if (box.size.minCoeff() < 0.0) return x_.fail(element, "size must not be negative.");
      shape = box;
    } else if (element.is("sphere")) {
      Sphere sphere;
      if (!size("radius", sphere.radius)) return false;
      shape = sphere;
    } else if (element.is("cylinder")) {
      Cylinder cylinder;
      if (!size("radius", cylinder.radius) || !size("length", cylinder.length)) return false;
      shape = cylinder;
    } else if (element.is("capsule") || element.is("drake:capsule")) {
      Capsule capsule;
      if (!size("radius", capsule.radius) || !size("length", capsule.length)) return false;
      shape = capsule;
    } else if (element.is("mesh")) {
      MeshFile mesh;
      if (!x_.text(element, "filename", mesh.uri)) return false;
      mesh.uri = resolved_uri(mesh.uri, options_.mesh_root);
      Vec3 scale = Vec3::Ones();
      if (element.attribute("scale")) {
        double numbers[3];
        if (split_numbers(*element.attribute("scale"), numbers, 3) == 1) {
          scale.setConstant(numbers[0]);  // written by some exporters
        } else if (!x_.vector(element, "scale", scale)) {
          return false;
        }
        ready.topLeftCorner<3, 3>() = ready.topLeftCorner<3, 3>() * scale.asDiagonal();
      }
      shape = std::move(mesh);
    } else {
      dropped_.add("<" + std::string(element.name()) + ">");
      return false;
    }
    return true;
  }

  void read_origin(XmlRef element, Transform& placement) {
    x_.vector(element, "xyz", placement.position);
    Vec3 rpy = Vec3::Zero();
    Vec4 quaternion;
    if (x_.vector(element, "rpy", rpy)) {
      if (options_.exact_angles) {
        for (double& angle : rpy) exact_angles_ += make_exact(angle) ? 1 : 0;
      }
      if (!rpy.isZero(0.0)) placement.rotation = rpy_to_matrix(rpy);
    } else if (x_.numbers(element, "quat_xyzw", quaternion.data(), 4)) {  // of newer parsers
      if (quaternion.norm() < 1e-6) x_.fail(element, "quat_xyzw has no length.");
      placement = Transform::from(Quat(quaternion), placement.position);
    }
  }

  // 1.5708 is pi / 2 to the digits that are written: the angle that was meant, where no other is likely. True: changed.
  // Right angles are recognised by two digits, halves of them by three, 15 degrees by four.
  static bool make_exact(double& angle) {
    const double twelfths = std::round(angle * 12.0 / kPi), meant = twelfths * (kPi / 12.0);
    const double off = std::abs(angle - meant);
    if (off == 0.0 || twelfths == 0.0) return false;
    const long k = std::lround(twelfths);
    const int digits = k % 6 == 0 ? 2 : k % 3 == 0 ? 3 : 4;
    double unit = 1e-2;
    for (int d = 2; d < digits; ++d) unit *= 0.1;
    bool rounded = off < 1e-9;
    for (int d = digits; d <= 12 && !rounded && off < 0.51 * unit; ++d, unit *= 0.1) {
      rounded = std::abs(angle - std::round(angle / unit) * unit) < 1e-4 * unit + 1e-15;
    }
    if (rounded) angle = meant;
    return rounded && off > 1e-15;
  }

  void read_joint(XmlRef element) {
    Joint joint;
    std::string type;
    if (!x_.text(element, "name", joint.name) || !x_.text(element, "type", type)) return;
    const auto [at, fresh] = joint_index_.emplace(joint.name, linkage().joints.size());
    if (!fresh) {
      x_.fail(element, "A joint named " + in_quotes(joint.name) + " stands already in line " +
                           std::to_string(x_.line(joint_elements_[at->second])) + "; names must be unique.");
      return;
    }
    read_type(element, joint, type);
    const XmlRef parent = element.child("parent");
    const XmlRef child = element.child("child");
    if (!parent || !child) {
      x_.fail(element,
              "Joint " + in_quotes(joint.name) + " lacks <" + (parent ? "child" : "parent") + " link=\"...\"/>.");
      return;
    }
    if (!x_.text(parent, "link", joint.parent) || !x_.text(child, "link", joint.child)) return;
    if (const XmlRef o = element.child("origin")) read_origin(o, joint.origin);
    read_limits(element, joint);
    if (const XmlRef m = element.child("mimic")) {
      if (coordinate_count(joint.type) == 1) {
        joint.mimic.emplace();
        if (x_.text(m, "joint", joint.mimic->joint)) {
          x_.number(m, "multiplier", joint.mimic->multiplier);
          x_.number(m, "offset", joint.mimic->offset);
        }
      } else {
        dropped_.add("<mimic> of joints that have not one coordinate");
      }
    }
    for (const XmlRef part : element) {
      bool known = false;
      for (const char* tag : {"parent", "child", "origin", "axis", "limit", "mimic", "drake:screw_thread_pitch"}) {
        known = known || part.is(tag);
      }
      if (!known) keep(part, joint.opaque);
    }
    joint_elements_.push_back(element);
    linkage().joints.push_back(std::move(joint));
  }

  void read_type(XmlRef element, Joint& joint, const std::string& type) {
    Vec3 axis = Vec3::UnitX();  // URDF's default
    const XmlRef a = element.child("axis");
    const bool given = a && a.attribute("xyz");
    if (given && x_.vector(a, "xyz", axis) && type != "fixed" && type != "floating") {
      if (axis.cwiseAbs().maxCoeff() < 1e-12) x_.fail(a, "The axis has no direction; write one such as xyz=\"0 0 1\".");
      if (std::abs(axis.squaredNorm() - 1.0) > 1e-15) axis = (axis / axis.cwiseAbs().maxCoeff()).normalized();
      if (options_.exact_angles && (axis.array() != 0.0 && axis.array().abs() < 1e-5).any()) {
        axis = (axis.array().abs() < 1e-5).select(0.0, axis).normalized();
        ++exact_angles_;
      }
    }
    if (element.is("drake:joint")) {
      if (type == "ball") {
        joint.type = Spherical{};
      } else if (type == "universal") {
        joint.type = Universal{};
      } else if (type == "screw") {
        Helical helical{axis, 0.0};
        if (const XmlRef p = element.child("drake:screw_thread_pitch")) x_.number(p, "value", helical.pitch);
        joint.type = helical;
      } else {
        joint.type = Fixed{};
        held_fixed_.add(joint.name);
      }
    } else if (type == "revolute") {
      joint.type = Revolute{axis};
    } else if (type == "continuous") {
      Continuous continuous;
      continuous.axis = axis;
      joint.type = continuous;
    } else if (type == "prismatic") {
      joint.type = Prismatic{axis};
    } else if (type == "fixed") {
      joint.type = Fixed{};
    } else if (type == "floating") {
      joint.type = Free{};
    } else if (type == "planar") {
      joint.type = Planar{axis, planar_x_axis(axis)};
    } else {
      x_.fail(element,
              unknown_name("joint type", type, {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"}));
    }
  }

  void read_limits(XmlRef element, Joint& joint) {
    const XmlRef limit = element.child("limit");
    const bool one = coordinate_count(joint.type) == 1;
    const bool bounded = one && !std::holds_alternative<Continuous>(joint.type);
    double lower = 0.0;
    double upper = 0.0;
    double velocity = 0.0;
    if (!limit) {
      if (bounded && !element.child("mimic")) unlimited_.add(joint.name);
      return;
    }
    if (!one) {
      dropped_.add(coordinate_count(joint.type) == 0 ? "<limit> of fixed joints"
                                                     : "<limit> of joints with several coordinates");
      return;
    }
    const bool has_lower = x_.number(limit, "lower", lower);
    const bool has_upper = x_.number(limit, "upper", upper);
    double effort = 0.0;
    if (x_.number(limit, "effort", effort)) {
      if (effort < 0.0) x_.fail(limit, "effort must not be negative.");
      if (effort < kNoLimit) joint.limits.effort = {effort};
    }
    if (x_.number(limit, "velocity", velocity)) {
      if (velocity < 0.0) x_.fail(limit, "velocity must not be negative.");
      if (velocity > 0.0 && velocity < kNoLimit) joint.limits.velocity = {velocity};
      if (velocity == 0.0) no_velocity_.add(joint.name);
    }
    if (!bounded) {
      if (has_lower || has_upper) dropped_.add("position limits of continuous joint");
      return;
    }
    if (!has_lower && !has_upper) locked_.add(joint.name);
    use_safety_limits(element, lower, upper);
    if (lower > upper) {
      x_.fail(limit, "The limits of joint " + in_quotes(joint.name) + " are reversed: lower " + pretty_number(lower) +
                         " is above upper " + pretty_number(upper) + ".");
    }
    const double none = std::numeric_limits<double>::infinity();
    const bool no_lower = lower <= -kNoLimit;
    const bool no_upper = upper >= kNoLimit;
    if (no_lower && no_upper) return;
    joint.limits.lower = {no_lower ? -none : lower};
    joint.limits.upper = {no_upper ? none : upper};
  }

  // On request: the soft limits, where they are narrower.
  void use_safety_limits(XmlRef element, double& lower, double& upper) {
    const XmlRef safety = element.child("safety_controller");
    if (!safety || !options_.safety_limits) return;
    double soft = 0.0;
    if (x_.number(safety, "soft_lower_limit", soft)) lower = std::max(lower, soft);
    if (x_.number(safety, "soft_upper_limit", soft)) upper = std::min(upper, soft);
  }

  // A parent "world" that nobody declared is taken for granted by several tools, and real files forget bare frames at
  // the end of a chain.
  void imply_links() {
    const auto add = [&](const std::string& name) {
      if (!link_index_.emplace(name, linkage().links.size()).second) return;
      link_elements_.push_back(XmlRef());
      linkage().links.push_back({name, {}});
      implied_.add(name);
    };
    for (const Joint& joint : linkage().joints) {
      if (joint.parent == "world") add(joint.parent);
      add(joint.child);
    }
  }

  std::vector<std::string> link_names() {
    std::vector<std::string> names;
    for (const Link& link : linkage().links) names.push_back(link.name);
    return names;
  }

  void check_tree(XmlRef robot) {
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> above(linkage().links.size(), kNone);   // joint
    std::vector<std::size_t> parent(linkage().links.size(), kNone);  // link
    for (std::size_t j = 0; j < linkage().joints.size() && x_.ok(); ++j) {
      const Joint& joint = linkage().joints[j];
      const XmlRef element = joint_elements_[j];
      const auto p = link_index_.find(joint.parent);
      const auto c = link_index_.find(joint.child);
      if (p == link_index_.end()) {
        x_.fail(element.child("parent"), "Joint " + in_quotes(joint.name) +
                                             " names a parent link that is not declared. " +
                                             unknown_name("link", joint.parent, link_names()));
        return;
      }
      if (above[c->second] != kNone) {
        x_.fail(element, "Link " + in_quotes(joint.child) + " is the child of two joints, " +
                             in_quotes(linkage().joints[above[c->second]].name) + " (line " +
                             std::to_string(x_.line(joint_elements_[above[c->second]])) + ") and " +
                             in_quotes(joint.name) + "; a robot is a tree, so each link has one parent.");
        return;
      }
      above[c->second] = j;
      parent[c->second] = p->second;
    }
    NameList roots;
    for (std::size_t i = 0; i < above.size(); ++i) {
      if (above[i] == kNone) roots.add(linkage().links[i].name);
    }
    if (!x_.ok()) return;
    if (roots.count() > 1) {
      x_.fail(robot, "The robot has " + std::to_string(roots.count()) + " roots, " + roots.text() +
                         "; exactly one link may be nobody's child. Join the others to it by joints.");
      return;
    }
    // Walk up from every link, marking the way; coming back to one's own way is a loop.
    std::vector<std::size_t> mark(above.size(), kNone);
    for (std::size_t start = 0; start < above.size(); ++start) {
      std::size_t i = start;
      while (i != kNone && mark[i] == kNone) {
        mark[i] = start;
        i = parent[i];
      }
      if (i != kNone && mark[i] == start && parent[i] != kNone) {
        x_.fail(joint_elements_[above[i]], "The joints form a loop through link " + in_quotes(linkage().links[i].name) +
                                               "; a robot is a tree with one root.");
        return;
      }
    }
  }

  void check_mimics() {
    std::vector<std::string> names;
    std::vector<std::size_t> mark(linkage().joints.size(), 0);  // 1 + where the walk started that came by
    for (std::size_t start = 0; start < mark.size() && x_.ok(); ++start) {
      std::size_t j = start;
      while (linkage().joints[j].mimic && mark[j] == 0) {
        mark[j] = start + 1;
        const std::string& wanted = linkage().joints[j].mimic->joint;
        const auto found = joint_index_.find(wanted);
        const XmlRef element = joint_elements_[j].child("mimic");
        const std::string who = "Joint " + in_quotes(linkage().joints[j].name);
        if (found == joint_index_.end()) {
          for (const Joint& joint : linkage().joints) names.push_back(joint.name);
          x_.fail(element, who + " mimics a joint that does not exist. " + unknown_name("joint", wanted, names));
          return;
        }
        if (coordinate_count(linkage().joints[found->second].type) != 1) {
          x_.fail(element,
                  who + " mimics " + in_quotes(wanted) + ", which is no revolute, continuous or prismatic joint.");
          return;
        }
        j = found->second;
      }
      if (linkage().joints[j].mimic && mark[j] == start + 1) {
        x_.fail(joint_elements_[j].child("mimic"),
                "Joint " + in_quotes(linkage().joints[j].name) + " mimics itself through a cycle of mimic joints.");
      }
    }
  }

  void add_notes() {
    const auto say = [&](const NameList& list, const char* before, const char* after) {
      if (!list.empty()) note(before + list.text() + after);
    };
    say(implied_, "Not declared by a <link>, but named by a joint, so added: ", ".");
    say(unlimited_, "Without <limit>, read as unlimited: ", ".");
    say(locked_, "With <limit> but neither lower nor upper, so both are 0 and the joint cannot move: ", ".");
    say(no_velocity_, "With a velocity limit of 0, read as none: ", ".");
    say(held_fixed_, "Of a type that cannot be read, held fixed: ", ".");
    if (exact_angles_ > 0) {
      note(std::to_string(exact_angles_) + (exact_angles_ == 1 ? " angle was" : " angles were") +
           " read as the exact one that the file rounds (1.5708 as pi/2).");
    }
    say(several_shapes_, "With several shapes in one <geometry>, all of which were kept: ", ".");
    if (!impossible_.empty()) {
      document_.mistakes.push_back(
          "With an <inertial> that no body can have, which was left out: " + impossible_.text() + ".");
    }
    say(shapeless_, "With a visual or collision that has no shape, which was left out: ", ".");
    if (!dropped_.empty()) note(dropped_.sentence("Dropped (a linkage cannot represent it):"));
  }

  static constexpr double kNoLimit = 1e300;  // how the writer spells a missing bound

  XmlFields x_;
  const Source& source_;
  const XmlTree& tree_;
  const ReadOptions& options_;
  Document document_;
  std::unordered_map<std::string, Color> materials_;
  std::unordered_set<std::string> textured_;  // those kept as text
  std::unordered_map<std::string, std::size_t> link_index_, joint_index_;
  std::vector<XmlRef> link_elements_, joint_elements_;
  Dropped dropped_;
  int exact_angles_ = 0;
  NameList implied_, unlimited_, locked_, no_velocity_, held_fixed_, several_shapes_, shapeless_, impossible_;
};

}  // namespace

bool detect_urdf(std::string_view bytes) { return xml_root_name(bytes) == "robot"; }

Result<Document> read_urdf(std::string_view bytes, const ReadOptions& options) {
  const Source source{bytes, options.file_name};
  const Result<XmlTree> tree = XmlTree::parse(source);
  if (!tree) return tree.error();
  return UrdfReader(source, *tree, options).read(tree->root());
}

}  // namespace armature::inline v0_2
