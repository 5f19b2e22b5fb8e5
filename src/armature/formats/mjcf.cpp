// MJCF (MuJoCo's models), reading the kinematic part: bodies, joints, sites, geoms, couplings, key poses. What is left
// out is said. Choices: docs/formats/mjcf.md. Over 400 lines: one walk whose steps share the names, links and
// references gathered so far.
#include <unordered_set>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/dropped.hpp"
#include "armature/formats/mjcf_closures.hpp"
#include "armature/formats/mjcf_geom.hpp"
#include "armature/formats/mjcf_include.hpp"
#include "armature/formats/mjcf_settings.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/spelling.hpp"
#include "armature/model/inertia.hpp"

namespace armature::inline v0_2 {
namespace {

class MjcfReader {
 public:
  MjcfReader(const Source& source, const XmlTree& tree) : x_(source, tree), source_(source) {}

  Result<Document> read(XmlRef root) {
    if (!root.is("mujoco")) {
      return source_.error("The outermost element is <" + std::string(root.name()) + ">; an MJCF model has <mujoco>.");
    }
    MjcfSettings settings(x_, root);
    settings_ = &settings;
    linkage().name = root.attribute("model").value_or("MuJoCo Model");
    linkage().links.push_back({"world", {}});
    link_names_.insert("world");
    bool any = false;
    for (const XmlRef section : root) {
      if (section.is("worldbody")) look_over(section);
    }
    for (const XmlRef section : root) {
      if (!section.is("worldbody")) continue;
      any = true;
      read_bodies(section);
    }
    if (!any) x_.fail(root, "There is no <worldbody>.");
    for (const XmlRef section : root) {
      if (section.is("equality")) read_equality(section);
    }
    for (const XmlRef section : root) {
      if (section.is("keyframe")) read_keys(section);
      if (section.is("contact")) read_contact(section);
      bool known = false;
      for (const char* tag : {"compiler", "default", "asset", "worldbody", "equality", "keyframe", "contact"}) {
        known = known || section.is(tag);
      }
      if (!known) dropped_.add("<" + std::string(section.name()) + ">");
    }
    if (!x_.ok()) return x_.error();
    add_notes();
    return std::move(document_);
  }

 private:
  Linkage& linkage() { return document_.linkage; }
  void note(std::string sentence) { document_.notes.push_back(std::move(sentence)); }

  // Gathers the names that are taken, and refuses elements that create bodies which are not in the text:
  // without those the model would be wrong, not poorer.
  void look_over(XmlRef section) {
    std::vector<XmlRef> stack{section};
    while (!stack.empty() && x_.ok()) {
      const XmlRef element = stack.back();
      stack.pop_back();
      for (const char* tag : {"replicate", "attach", "composite", "flexcomp"}) {
        if (element.is(tag)) {
          x_.fail(element,
                  "This element makes parts that are not in the file. Load the model in MuJoCo, save it, "
                  "and read the saved file.");
        }
      }
      const auto name = element.attribute("name");
      const bool joint = element.is("joint") || element.is("freejoint");
      if (name && (joint || element.is("body"))) {
        auto& taken = joint ? joint_names_ : link_names_;
        if (name->empty() || !taken.insert(std::string(*name)).second) {
          x_.fail(element, std::string("Another ") + (joint ? "joint" : "body") + " is named " +
                               armature::detail::quoted(*name) + "; names must be unique and not empty.");
        }
      }
      for (const XmlRef child : element) stack.push_back(child);
    }
  }

  std::string fresh_link(std::string name) {
    while (!link_names_.insert(name).second) name += "_";
    return name;
  }
  std::string fresh_joint(std::string name) {
    while (!joint_names_.insert(name).second) name += "_";
    return name;
  }

  // One element still to be visited, with what surrounds it.
  struct Visit {
    XmlRef element;
    std::size_t link;  // that it belongs to
    Transform frame;   // of enclosing <frame> elements, in that link
    std::string childclass;
  };

  // Depth first in the order of the text, which is the order of MuJoCo's coordinates. No recursion.
  void read_bodies(XmlRef worldbody) {
    std::vector<Visit> stack;
    const auto push_children = [&](XmlRef parent, std::size_t link, const Transform& frame,
                                   const std::string& childclass) {
      const std::size_t first = stack.size();
      for (const XmlRef child : parent) stack.push_back({child, link, frame, childclass});
      std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    };
    push_children(worldbody, 0, Transform(), "");
    while (!stack.empty() && x_.ok()) {
      const Visit visit = std::move(stack.back());
      stack.pop_back();
      const XmlRef element = visit.element;
      std::string childclass = visit.childclass;
      if (const auto given = element.attribute("childclass")) childclass = *given;
      if (element.is("body")) {
        const std::size_t link = read_body(visit, childclass);
        push_children(element, link, Transform(), childclass);
      } else if (element.is("frame")) {
        push_children(element, visit.link, visit.frame * settings_->placement(element, visit.childclass), childclass);
      } else if (element.is("geom")) {
        Link& link = linkage().links[visit.link];
        read_mjcf_geom(x_, *settings_, element, visit.childclass, visit.frame, link, linkage(), dropped_,
                       visit.link != 0 && weighed_.count(link.name) == 0);
      } else if (element.is("inertial")) {
        read_inertial(visit);
      } else if (element.is("site")) {
        read_site(visit);
      } else if (!element.is("joint") && !element.is("freejoint")) {
        dropped_.add("<" + std::string(element.name()) + ">");
      }
    }
  }

  std::string joint_name(XmlRef element, const std::string& body) {
    if (const auto given = element.attribute("name")) {
      return std::string(*given);
    }
    ++unnamed_;
    return fresh_joint(body + "_joint");
  }

  // The body's joints, one after the other, each with its own link; the last of these, or a fixed frame behind it, is
  // the body's. Returns the body's link.
  std::size_t read_body(const Visit& visit, const std::string& childclass) {
    const XmlRef element = visit.element;
    std::string body;
    if (const auto given = element.attribute("name")) {
      body = *given;
    } else {
      ++unnamed_;
      body = fresh_link("body" + std::to_string(linkage().links.size()));
    }
    if (element.child("inertial")) weighed_.insert(body);
    std::vector<XmlRef> joints;
    gather_joints(element, joints);
    Transform before = visit.frame * settings_->placement(element, visit.childclass);
    std::string parent = linkage().links[visit.link].name;
    for (std::size_t i = 0; i < joints.size() && x_.ok(); ++i) {
      Joint joint;
      joint.name = joint_name(joints[i], body);
      Vec3 anchor = Vec3::Zero();
      const double ref = read_joint(joints[i], childclass, joint, anchor);
      if (std::holds_alternative<Free>(joint.type) && (joints.size() > 1 || parent != "world")) {
        x_.fail(joints[i], "A free joint must be the only joint of a body that hangs on the world.");
      }
      joint.parent = parent;
      joint.origin = before * Transform::translate(anchor);
      if (ref != 0.0) {  // MuJoCo's coordinate is `ref` where the body stands as written
        const double back = -ref;
        joint.origin = joint.origin * joint_transform(joint.type, &back);
      }
      before = Transform::translate(-anchor);
      const bool last = i + 1 == joints.size() && anchor.isZero(0.0);
      joint.child = last ? body : fresh_link(joint.name);
      parent = joint.child;
      linkage().links.push_back({joint.child, {}});
      references_.push_back({joint.name, ref});
      linkage().joints.push_back(std::move(joint));
    }
    if (parent != body) {  // no joint, or an anchor away from the body's origin
      Joint joint;
      joint.name = fresh_joint(body + "_frame");
      joint.type = Fixed{};
      joint.parent = parent;
      joint.child = body;
      joint.origin = before;
      linkage().links.push_back({body, {}});
      linkage().joints.push_back(std::move(joint));
    }
    return linkage().links.size() - 1;
  }

  // Joints may stand inside frames without a placement of their own.
  void gather_joints(XmlRef body, std::vector<XmlRef>& joints) {
    for (const XmlRef part : body) {
      if (part.is("joint") || part.is("freejoint")) joints.push_back(part);
      if (!part.is("frame")) continue;
      for (const XmlRef inner : part) {
        if (inner.is("joint") || inner.is("freejoint"))
          x_.fail(inner, "A joint inside a <frame> is not read; take it out.");
      }
    }
  }

  // Type, limits and anchor; returns the coordinate's value where the body stands as written.
  double read_joint(XmlRef element, const std::string& childclass, Joint& joint, Vec3& anchor) {
    const auto holder = [&](const char* name) { return settings_->holder(element, name, childclass); };
    const auto word = [&](const char* name, const char* otherwise) {
      const XmlRef at = holder(name);
      return std::string(at ? *at.attribute(name) : otherwise);
    };
    const std::string type = element.is("freejoint") ? "free" : word("type", "hinge");
    Vec3 axis = Vec3::UnitZ();
    double ref = 0.0;
    if (type == "free") {
      joint.type = Free{};
      return 0.0;
    }
    if (const XmlRef at = holder("pos")) x_.vector(at, "pos", anchor);
    if (type == "ball") {
      joint.type = Spherical{};
    } else if (type == "hinge" || type == "slide") {
      if (const XmlRef at = holder("axis"); at && x_.vector(at, "axis", axis)) {
        if (!(axis.norm() > 1e-10)) x_.fail(at, "The axis has no direction; write one such as axis=\"0 0 1\".");
        if (std::abs(axis.squaredNorm() - 1.0) > 1e-15) axis.normalize();
      }
      if (const XmlRef at = holder("ref")) x_.number(at, "ref", ref);
      if (type == "hinge") {
        joint.type = Revolute{axis};
        ref = settings_->to_radians(ref);
      } else {
        joint.type = Prismatic{axis};
      }
    } else {
      x_.fail(element, unknown_name("joint type", type, {"hinge", "slide", "ball", "free"}));
      return 0.0;
    }
    read_range(element, childclass, type, joint);
    double effort[2] = {0.0, 0.0};
    if (const XmlRef at = holder("actuatorfrcrange"); at && x_.numbers(at, "actuatorfrcrange", effort, 2)) {
      joint.limits.effort = {std::max(std::abs(effort[0]), std::abs(effort[1]))};
      if (type == "ball") joint.limits.effort.clear();
    }
    return ref;
  }

  void read_range(XmlRef element, const std::string& childclass, const std::string& type, Joint& joint) {
    double range[2] = {0.0, 0.0};
    const XmlRef at = settings_->holder(element, "range", childclass);
    if (at && !x_.numbers(at, "range", range, 2)) return;
    const XmlRef l = settings_->holder(element, "limited", childclass);
    const std::string limited(l ? *l.attribute("limited") : "auto");
    if (limited != "true" && limited != "false" && limited != "auto") {
      x_.fail(l, unknown_name("setting of limited", limited, {"true", "false", "auto"}));
      return;
    }
    if (limited == "false" || (limited == "auto" && !(at && settings_->autolimits()))) return;
    if (range[0] > range[1]) {
      x_.fail(at, "The range of joint " + armature::detail::quoted(joint.name) +
                      " is reversed: " + pretty_number(range[0]) + " is above " + pretty_number(range[1]) + ".");
      return;
    }
    if (type != "slide") {
      for (double& r : range) r = settings_->to_radians(r);
    }
    if (type == "ball") {
      const double most = std::min(std::abs(range[1]), kPi);
      joint.limits.cone = ConeLimit{Vec3::UnitZ(), most, -most, most};
      ball_limits_.add(joint.name);
      return;
    }
    if (range[0] <= -kMjcfUnlimited && range[1] >= kMjcfUnlimited) return;
    joint.limits.lower = {range[0] <= -kMjcfUnlimited ? -kInfinity : range[0]};
    joint.limits.upper = {range[1] >= kMjcfUnlimited ? kInfinity : range[1]};
  }

  void read_inertial(const Visit& visit) {
    const XmlRef element = visit.element;
    Link& link = linkage().links[visit.link];
    Inertia body;
    const Transform place = visit.frame * settings_->placement(element, visit.childclass);
    if (!x_.number(element, "mass", body.mass)) {
      if (x_.ok()) x_.fail(element, "The attribute 'mass' is missing.");
      return;
    }
    double full[6];
    Vec3 diagonal;
    if (x_.numbers(element, "fullinertia", full, 6)) {
      body.about_center << full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2];
    } else if (x_.vector(element, "diaginertia", diagonal)) {
      body.about_center = diagonal.asDiagonal();
    }
    if (!x_.ok()) return;
    if (const Status sound = check_inertia(body, "This body"); !sound) {
      x_.fail(element, sound.message());
      return;
    }
    const Inertia placed = body.in(place);
    link.mass = placed.mass;
    link.center = placed.center;
    link.inertia = 0.5 * (placed.about_center + placed.about_center.transpose());
  }

  // A named place on a body: a frame of its own.
  void read_site(const Visit& visit) {
    const auto given = visit.element.attribute("name");
    if (!given) {
      dropped_.add("<site> without a name");
      return;
    }
    Joint joint;
    joint.type = Fixed{};
    joint.parent = linkage().links[visit.link].name;
    joint.child = fresh_link(std::string(*given));
    joint.name = fresh_joint(joint.child + "_frame");
    joint.origin = visit.frame * settings_->placement(visit.element, visit.childclass);
    linkage().links.push_back({joint.child, {}});
    linkage().joints.push_back(std::move(joint));
    ++sites_;
  }

  // q1 - ref1 = c0 + c1 (q2 - ref2): a mimic. A bent polynomial is a coupling; connect and weld close loops.
  void read_equality(XmlRef section) {
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t j = 0; j < linkage().joints.size(); ++j) index.emplace(linkage().joints[j].name, j);
    std::unordered_map<std::string, double> refs(references_.begin(), references_.end());
    const auto find = [&](XmlRef item, const char* attribute) -> Joint* {
      std::string name;
      if (!x_.text(item, attribute, name)) return nullptr;
      const auto found = index.find(name);
      if (found != index.end()) return &linkage().joints[found->second];
      dropped_.add("<joint> constraint of a joint that does not exist (" + armature::detail::quoted(name) + ")");
      return nullptr;
    };
    // The joint at the end of each joint's chain of mimics, with shortcuts.
    std::vector<std::size_t>& leading = leading_;
    while (leading.size() < linkage().joints.size()) leading.push_back(leading.size());
    const auto lead = [&](std::size_t j) {
      while (leading[j] != j) j = leading[j] = leading[leading[j]];
      return j;
    };
    for (const XmlRef item : section) {
      if (!x_.ok()) return;
      if (item.attribute("active") == std::string_view("false")) {
        dropped_.add("inactive <" + std::string(item.name()) + "> constraint");
        continue;
      }
      if (!item.is("joint")) {
        if (!read_mjcf_closure(x_, item, refs, linkage())) {
          dropped_.add("<" + std::string(item.name()) + "> constraint");
        }
        continue;
      }
      double c[5] = {0, 1, 0, 0, 0};
      if (const auto text = item.attribute("polycoef")) {
        const int count = split_numbers(*text, c, 5);
        if (count < 0) x_.fail(item, "polycoef must be up to five numbers.");
      }
      Joint* follower = find(item, "joint1");
      if (follower == nullptr) continue;
      if (!item.attribute("joint2") && coordinate_count(follower->type) == 1) {
        const double at = refs[follower->name] + c[0];
        follower->limits.lower = {at};
        follower->limits.upper = {at};
        held_.add(follower->name);
        continue;
      }
      Joint* leader = item.attribute("joint2") ? find(item, "joint2") : follower;
      if (leader == nullptr) continue;
      const bool bent = c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0;
      const bool simple = coordinate_count(follower->type) == 1 && coordinate_count(leader->type) == 1;
      const std::size_t root = lead(static_cast<std::size_t>(leader - linkage().joints.data()));
      const auto own = static_cast<std::size_t>(follower - linkage().joints.data());
      if (bent || !simple || follower->mimic || root == own) {  // the last would close a cycle
        if (!simple || leader == follower) {
          dropped_.add("<joint> coupling of joints with several coordinates");
          continue;
        }
        Closure closure;
        closure.name =
            fresh_closure_name(linkage(), std::string(item.attribute("name").value_or(follower->name + "_coupling")));
        closure.type = mjcf_coupling(follower->name, refs[follower->name], leader->name, refs[leader->name], c);
        linkage().closures.push_back(std::move(closure));
        continue;
      }
      leading[own] = root;
      follower->mimic = Mimic{leader->name, c[1], refs[follower->name] + c[0] - c[1] * refs[leader->name]};
    }
  }

  // Pairs of bodies that MuJoCo does not ask whether they touch.
  void read_contact(XmlRef section) {
    for (const XmlRef item : section) {
      const std::string a(item.attribute("body1").value_or("")), b(item.attribute("body2").value_or(""));
      if (item.is("exclude") && a != b && linkage().find_link(a) != nullptr && linkage().find_link(b) != nullptr) {
        linkage().ignored_pairs.push_back({a, b, "exclude"});
      } else {
        dropped_.add("<" + std::string(item.name()) + "> of <contact>");
      }
    }
  }

  // Key poses: MuJoCo's coordinates in order; a free joint's are in the world, quaternions begin with w.
  void read_keys(XmlRef section) {
    int number = -1;
    std::unordered_set<std::string> names;
    std::size_t coordinates = 0;
    for (const Joint& joint : linkage().joints) coordinates += static_cast<std::size_t>(coordinate_count(joint.type));
    for (const XmlRef key : section) {
      ++number;
      const auto text = key.attribute("qpos");
      if (!text || !x_.ok()) {
        if (!text) dropped_.add("<key> without qpos");
        continue;
      }
      std::vector<double> q(coordinates + 1);
      const int count = split_numbers(*text, q.data(), static_cast<int>(q.size()));
      if (count != static_cast<int>(coordinates)) {
        x_.fail(key, "qpos must be " + std::to_string(coordinates) +
                         " numbers with spaces between them, one per coordinate of the model.");
        return;
      }
      NamedPose pose;
      pose.name = key.attribute("name").value_or("key" + std::to_string(number));
      auto at = q.begin();
      for (const Joint& joint : linkage().joints) {
        const int n = coordinate_count(joint.type);
        if (n == 0) continue;
        std::vector<double> values(at, at + n);
        at += n;
        if (n >= 4) std::rotate(values.end() - 4, values.end() - 3, values.end());  // w to the end
        if (n == 7) {
          const Transform X = joint.origin.inverse() * Transform::from(Quat(values[6], values[3], values[4], values[5]),
                                                                       Vec3(values[0], values[1], values[2]));
          const Quat turn = X.quaternion();
          values = {X.position.x(), X.position.y(), X.position.z(), turn.x(), turn.y(), turn.z(), turn.w()};
        }
        if (!joint.mimic) pose.values.emplace_back(joint.name, std::move(values));
      }
      if (!names.insert(pose.name).second) {
        dropped_.add("<key> of a name that stands already");
        continue;
      }
      linkage().poses.push_back(std::move(pose));
    }
  }

  void add_notes() {
    if (unnamed_ > 0) note("Bodies and joints without a name, which were given one: " + std::to_string(unnamed_) + ".");
    if (sites_ > 0) note("Sites, read as links that are fixed to their bodies: " + std::to_string(sites_) + ".");
    if (!ball_limits_.empty()) {
      note("The largest turn of a ball joint was read as limits of swing and twist: " + ball_limits_.text() + ".");
    }
    if (!held_.empty()) note("Held in place by a constraint, read as fixed by its limits: " + held_.text() + ".");
    if (!dropped_.empty()) note(dropped_.sentence("Dropped (a linkage cannot represent it):"));
  }

  XmlFields x_;
  const Source& source_;
  MjcfSettings* settings_ = nullptr;
  Document document_;
  std::unordered_set<std::string> link_names_, joint_names_;
  std::unordered_set<std::string> weighed_;                 // bodies with an <inertial> of their own
  std::vector<std::pair<std::string, double>> references_;  // of every joint that moves
  std::vector<std::size_t> leading_;
  Dropped dropped_;
  NameList ball_limits_, held_;
  int unnamed_ = 0;
  int sites_ = 0;
};

}  // namespace

bool detect_mjcf(std::string_view bytes) { return xml_root_name(bytes) == "mujoco"; }

Result<Document> read_mjcf(std::string_view bytes, const ReadOptions& options) {
  Source source{bytes, options.file_name};
  Result<MjcfText> whole = expand_mjcf_includes(source, options);
  if (!whole) return whole.error();
  if (!whole->bytes.empty()) {
    source.bytes = whole->bytes;
    source.parts = std::move(whole->parts);
  }
  const Result<XmlTree> tree = XmlTree::parse(source);
  if (!tree) return tree.error();
  return MjcfReader(source, *tree).read(tree->root());
}

}  // namespace armature::inline v0_2
