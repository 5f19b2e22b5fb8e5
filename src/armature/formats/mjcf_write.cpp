// MJCF, writing: a body for each link, with the joint above it. Joints that MuJoCo lacks are expanded; closures become
// equality constraints. What has no place is told in the notes. Choices: docs/formats/mjcf.md. Over 400 lines, as its
// steps share the plan of which links are bodies, sites, or places between the joints of one body.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/dropped.hpp"
#include "armature/formats/mjcf_closures.hpp"
#include "armature/formats/mjcf_settings.hpp"
#include "armature/formats/placed_shape.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/spelling.hpp"
#include "armature/formats/tree_for_writing.hpp"
#include "armature/formats/xml.hpp"
#include "armature/formats/xml_text.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"
#include "armature/model/expand.hpp"

namespace armature::inline v0_2 {
namespace {

class MjcfWriter {
 public:
  MjcfWriter(const Document& document, const WriteOptions& options)
      : document_(document), options_(options), linkage_(document.linkage), x_(options.digits) {}

  Result<std::string> write() {
    const Result<Model> sound = compile(linkage_);
    if (!sound) return sound.error();
    size_ = sound->size();
    if (const Status status = prepare(); !status) return status.error();
    const WritingTree tree(linkage_);
    tree_ = &tree;
    plan();
    x_.open("mujoco");
    x_.attribute("model", linkage_.name.empty() ? "model" : linkage_.name);
    x_.open("compiler");
    x_.attribute("angle", "radian");
    x_.attribute("autolimits", "true");
    if (moves_without_mass()) {  // MuJoCo refuses to simulate bodies that move and weigh nothing
      x_.attribute("boundmass", 1e-9);
      x_.attribute("boundinertia", 1e-12);
    }
    x_.close();
    write_assets();
    if (const Status status = write_bodies(); !status) return status.error();
    write_equality();
    write_excluded_pairs();
    write_keys();
    x_.close();
    add_notes();
    return x_.take();
  }

 private:
  void note(std::string sentence) {
    if (options_.notes != nullptr) options_.notes->push_back(std::move(sentence));
  }

  // Everything hangs on the link "world", and every joint and closure is of a kind that MuJoCo has.
  Status prepare() {
    if (const std::string renamed = put_on_world(linkage_); !renamed.empty()) {
      note("MuJoCo's 'world' is the ground, so the link of that name is written as " + detail::quoted(renamed) + ".");
    }
    const std::size_t closures = linkage_.closures.size();
    for (std::size_t i = 0; i < closures; ++i) make_representable(i);
    const std::vector<Joint> joints = linkage_.joints;
    for (const Joint& joint : joints) {
      const bool ball = std::holds_alternative<Spherical>(joint.type);
      const bool free = std::holds_alternative<Free>(joint.type) && joint.parent == "world";
      if (free && (!joint.limits.lower.empty() || !joint.limits.upper.empty())) dropped_.add("limits of a free joint");
      if (ball || free || coordinate_count(joint.type) == 0) continue;
      Status status;
      if (std::holds_alternative<Helical>(joint.type)) {
        status = expand_screw(linkage_, joint.name);
      } else if (coordinate_count(joint.type) > 1) {
        status = expand_joint(linkage_, joint.name);
        if (joint.limits.cone) dropped_.add("cone limit");
      } else {
        continue;
      }
      if (!status) return status;
      expanded_.add(joint.name);
    }
    return {};
  }

  // MuJoCo holds points (connect) and whole bodies (weld). A hinge is two points of its axis. A closure of any other
  // kind becomes a body of no mass that its joint carries, welded to the other end (connected, for a rod).
  void make_representable(std::size_t index) {
    Closure& closure = linkage_.closures[index];
    if (std::holds_alternative<Coupling>(closure.type)) return;
    const bool limited = !closure.limits.lower.empty() || !closure.limits.upper.empty() || closure.limits.cone;
    const auto* type = std::get_if<JointType>(&closure.type);
    if (type != nullptr && (std::holds_alternative<Fixed>(*type) || (is_point(*type) && !limited))) return;
    if (type != nullptr && !limited && is_hinge(*type)) {
      const auto* turns = std::get_if<Revolute>(type);
      const Vec3 along = 0.1 * size_ * (turns != nullptr ? turns->axis : std::get<Continuous>(*type).axis).normalized();
      closure.type = JointType(Spherical{});
      Closure second = closure;
      second.name = fresh_closure_name(linkage_, closure.name + "_axis");
      second.a.origin.position = second.a.origin * along;
      second.b.origin.position = second.b.origin * along;
      hinges_.add(closure.name);
      linkage_.closures.push_back(std::move(second));
      return;
    }
    Joint joint;
    joint.name = fresh_joint(linkage_, closure.name);
    joint.child = fresh_link(linkage_, closure.name);
    joint.parent = closure.a.link;
    joint.origin = closure.a.origin;
    joint.type = type != nullptr ? *type : JointType(Spherical{});
    joint.limits = closure.limits;
    linkage_.links.push_back({joint.child, {}});
    const auto* rod = std::get_if<Rod>(&closure.type);
    closure.a = {joint.child, rod != nullptr ? Transform::translate(Vec3(rod->length, 0, 0)) : Transform()};
    closure.type = rod != nullptr ? JointType(Spherical{}) : JointType(Fixed{});
    closure.limits = {};
    carried_.add(closure.name);
    linkage_.joints.push_back(std::move(joint));
  }
  static bool is_point(const JointType& type) {
    return std::holds_alternative<Spherical>(type) || std::holds_alternative<Euler>(type);
  }
  static bool is_hinge(const JointType& type) {
    return std::holds_alternative<Revolute>(type) || std::holds_alternative<Continuous>(type);
  }

  // Which links are sites, which are only places between the joints of one body, and where closures need new sites.
  void plan() {
    for (const Closure& closure : linkage_.closures) {
      if (std::holds_alternative<Coupling>(closure.type)) continue;
      held_.insert(closure.a.link);
      held_.insert(closure.b.link);
    }
    for (const Link& link : linkage_.links) {
      any_mass_ = any_mass_ || link.mass > 0.0;
      for (const Visual& visual : link.visuals) any_collision_ = any_collision_ || visual.collision;
    }
  }

  bool is_bare(const Link& link) const { return link.visuals.empty() && !has_inertial(link); }
  bool is_site(const Link& link) const {
    const Joint* above = tree_->above(link.name);
    return above != nullptr && std::holds_alternative<Fixed>(above->type) && is_bare(link) &&
           tree_->below(link.name).empty();
  }
  // A link that the reader makes between the joints of one body, and names after the joint above it.
  bool is_between(const Link& link) const {
    const Joint* above = tree_->above(link.name);
    if (above == nullptr || !is_bare(link) || held_.count(link.name) != 0 || tree_->below(link.name).size() != 1) {
      return false;
    }
    const Joint& next = *tree_->below(link.name)[0];
    const bool named = link.name.compare(0, above->name.size(), above->name) == 0 &&
                       link.name.find_first_not_of('_', above->name.size()) == std::string::npos;
    const bool last = std::holds_alternative<Fixed>(next.type);
    // The reader makes a fixed frame behind the joints only where the last anchor is elsewhere.
    const bool readable = !last || (!next.origin.position.isZero(0.0) && next.name == next.child + "_frame" &&
                                    !is_site(tree_->link(next.child)));
    return named && readable && coordinate_count(above->type) > 0 && !std::holds_alternative<Free>(above->type) &&
           !std::holds_alternative<Free>(next.type) && next.origin.rotation == Mat3::Identity();
  }

  // The joints of one body, first to last, and the body's link.
  struct BodyPlan {
    std::vector<const Joint*> joints;
    const Link* link = nullptr;
  };
  BodyPlan body_of(const Joint& first) const {
    BodyPlan plan;
    int velocities = 0;
    for (const Joint* joint = &first;; joint = tree_->below(plan.link->name)[0]) {
      plan.joints.push_back(joint);
      plan.link = &tree_->link(joint->child);
      velocities += velocity_count(joint->type);
      const bool room = !is_between(*plan.link) ||
                        velocities + velocity_count(tree_->below(plan.link->name)[0]->type) <= 6;  // MuJoCo's most
      if (!is_between(*plan.link) || !room) return plan;
    }
  }

  bool moves_without_mass() const {
    std::vector<const Joint*> stack;
    for (const Joint* joint : tree_->below("world")) stack.push_back(joint);
    while (!stack.empty()) {
      const BodyPlan plan = body_of(*stack.back());
      stack.pop_back();
      const bool moves = coordinate_count(plan.joints[0]->type) > 0;
      const bool weighed = any_mass_ ? plan.link->mass > 0.0 : !plan.link->visuals.empty();
      if (moves && (!weighed || (plan.link->mass > 0.0 && plan.link->inertia.diagonal().minCoeff() <= 0.0)))
        return true;
      for (const Joint* joint : tree_->below(plan.link->name)) stack.push_back(joint);
    }
    return false;
  }

  // One asset for each mesh file and scale, named after the file.
  void write_assets() {
    std::unordered_set<std::string> names;
    for (const Link& link : linkage_.links) {
      for (const Visual& visual : link.visuals) {
        const Geometry* geometry = linkage_.find_geometry(visual.geometry);
        if (geometry == nullptr || !std::holds_alternative<MeshFile>(geometry->shape)) continue;
        Dropped ignored;
        const std::optional<PlacedShape> placed = placed_shape(visual, geometry->shape, ignored);
        if (!placed) continue;
        const std::string& uri = std::get<MeshFile>(placed->shape).uri;
        const auto [at, fresh] = meshes_.emplace(mesh_key(*placed), "");
        if (!fresh) continue;
        std::string name = uri.substr(uri.find_last_of('/') + 1);
        name = name.substr(0, name.rfind('.'));
        const std::string stem = name.empty() ? "mesh" : name;
        name = stem;
        for (int k = 2; !names.insert(name).second; ++k) name = stem + "_" + std::to_string(k);
        at->second = name;
        if (names.size() == 1) x_.open("asset");
        x_.open("mesh");
        x_.attribute("name", name);
        x_.attribute("file", uri);
        if (placed->scale != Vec3::Ones()) x_.attribute("scale", placed->scale);
        x_.close();
        if (uri.find("://") != std::string::npos) addresses_.add(uri);
      }
    }
    if (!names.empty()) x_.close();
  }
  std::string mesh_key(const PlacedShape& placed) const {
    return std::get<MeshFile>(placed.shape).uri + " " + x_.numbers(placed.scale);
  }

  Status write_bodies() {
    x_.open("worldbody");
    write_content(*linkage_.find_link("world"));
    struct Step {
      const Joint* joint;  // null: a body ends
    };
    std::vector<Step> stack;
    const auto push = [&](const std::string& link) {
      const auto& below = tree_->below(link);
      for (auto joint = below.rbegin(); joint != below.rend(); ++joint) stack.push_back({*joint});
    };
    push("world");
    while (!stack.empty()) {
      const Joint* joint = stack.back().joint;
      stack.pop_back();
      if (joint == nullptr) {
        x_.close();
        continue;
      }
      const BodyPlan plan = body_of(*joint);
      if (is_site(*plan.link)) {
        write_site(plan.link->name, joint->origin);
        if (joint->name != plan.link->name + "_frame") dropped_.add("name of a fixed joint");
        continue;
      }
      if (x_.depth() + 8 > static_cast<std::size_t>(kMaxXmlDepth)) {
        return Error{"MJCF nests each body in the one before, and this chain would be nested more than " +
                     std::to_string(kMaxXmlDepth) + " levels deep, the most that is read again."};
      }
      for (const Joint* part : plan.joints) {
        if (part->child != plan.link->name) between_.insert(part->child);
      }
      write_body(plan);
      stack.push_back({nullptr});
      push(plan.link->name);
    }
    x_.close();
    return {};
  }

  // anchor of joint k: the last one's is where the body's frame is (or away from it, for a fixed frame behind), and
  // each joint before it as far away as the placement between them says.
  void write_body(const BodyPlan& plan) {
    std::vector<const Joint*> joints = plan.joints;
    Vec3 anchor = Vec3::Zero();
    if (joints.size() > 1 && std::holds_alternative<Fixed>(joints.back()->type)) {
      anchor = -joints.back()->origin.position;
      joints.pop_back();
    }
    std::vector<Vec3> anchors(joints.size());
    for (std::size_t k = joints.size(); k-- > 0;) {
      anchors[k] = anchor;
      anchor -= joints[k]->origin.position;
    }
    x_.open("body");
    x_.attribute("name", plan.link->name);
    write_placement(joints[0]->origin * Transform::translate(-anchors[0]));
    if (has_inertial(*plan.link)) write_inertial(*plan.link);
    for (std::size_t k = 0; k < joints.size(); ++k) write_joint(*joints[k], anchors[k]);
    write_content(*plan.link);
  }

  void write_placement(const Transform& X) {
    if (X.position != Vec3::Zero()) x_.attribute("pos", X.position);
    if (X.rotation == Mat3::Identity()) return;
    const Quat q = X.quaternion();
    x_.attribute("quat", x_.numbers({q.w(), q.x(), q.y(), q.z()}));
  }

  void write_inertial(const Link& link) {
    const Mat3& I = link.inertia;
    x_.open("inertial");
    x_.attribute("pos", link.center);
    x_.attribute("mass", link.mass);
    if (Mat3(I.diagonal().asDiagonal()) == I) {
      x_.attribute("diaginertia", Vec3(I.diagonal()));
    } else {
      x_.attribute("fullinertia", x_.numbers({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}));
    }
    x_.close();
  }

  void write_joint(const Joint& joint, const Vec3& anchor) {
    if (std::holds_alternative<Fixed>(joint.type)) {
      if (joint.name != joint.child + "_frame") dropped_.add("name of a fixed joint");
      return;
    }
    written_.push_back(&joint);
    if (!joint.limits.velocity.empty()) dropped_.add("velocity limit");
    if (!joint.opaque.empty()) dropped_.add("part of a " + joint.opaque[0].format + " file", joint.opaque.size());
    if (std::holds_alternative<Free>(joint.type)) {
      x_.open("freejoint");
      x_.attribute("name", joint.name);
      x_.close();
      return;
    }
    x_.open("joint");
    x_.attribute("name", joint.name);
    if (anchor != Vec3::Zero()) x_.attribute("pos", anchor);
    const auto bound = [](const std::vector<double>& list, double none) { return list.empty() ? none : list[0]; };
    if (std::holds_alternative<Spherical>(joint.type)) {
      x_.attribute("type", "ball");
      if (const auto& cone = joint.limits.cone) {
        if (cone->twist_upper == cone->swing && cone->twist_lower == -cone->swing && cone->swing > 0.0) {
          x_.attribute("range", x_.numbers({0.0, cone->swing}));
        } else {
          dropped_.add("cone limit");
        }
      }
    } else {
      const bool slides = std::holds_alternative<Prismatic>(joint.type);
      Vec3 axis = Vec3::UnitZ();
      if (const auto* j = std::get_if<Revolute>(&joint.type)) axis = j->axis;
      if (const auto* j = std::get_if<Continuous>(&joint.type)) axis = j->axis;
      if (const auto* j = std::get_if<Prismatic>(&joint.type)) axis = j->axis;
      x_.attribute("type", slides ? "slide" : "hinge");
      x_.attribute("axis", axis);
      const double lower = bound(joint.limits.lower, -kInfinity), upper = bound(joint.limits.upper, kInfinity);
      if (!is_held(joint) && (lower > -kMjcfUnlimited || upper < kMjcfUnlimited)) {
        x_.attribute("range", x_.numbers({std::clamp(lower, -kMjcfUnlimited, kMjcfUnlimited),
                                          std::clamp(upper, -kMjcfUnlimited, kMjcfUnlimited)}));
      }
      const double effort = bound(joint.limits.effort, 0.0);
      if (effort > 0.0 && effort < kMjcfUnlimited) x_.attribute("actuatorfrcrange", x_.numbers({-effort, effort}));
    }
    x_.close();
  }

  // Without room between its limits: MuJoCo takes no such range, but holds a joint by a constraint.
  static bool is_held(const Joint& joint) {
    const Limits& l = joint.limits;
    return coordinate_count(joint.type) == 1 && !joint.mimic && l.lower.size() == 1 && l.upper == l.lower &&
           std::isfinite(l.lower[0]);
  }

  // Shapes and the closures' own places.
  void write_content(const Link& link) {
    for (const Opaque& part : link.opaque) dropped_.add("part of a " + part.format + " file");
    for (const Visual& visual : link.visuals) {
      const Geometry* geometry = linkage_.find_geometry(visual.geometry);
      if (geometry == nullptr) continue;
      if (const auto placed = placed_shape(visual, geometry->shape, dropped_)) write_geom(visual, *placed, link);
    }
    for (const Closure& closure : linkage_.closures) {
      if (!needs_sites(closure)) continue;
      if (body_frame(closure.a).link == link.name) write_site(site_name(closure, "a"), body_frame(closure.a).origin);
      if (body_frame(closure.b).link == link.name) write_site(site_name(closure, "b"), body_frame(closure.b).origin);
    }
  }

  void write_site(const std::string& name, const Transform& X) {
    x_.open("site");
    x_.attribute("name", name);
    write_placement(X);
    x_.close();
  }

  void write_geom(const Visual& visual, const PlacedShape& placed, const Link& link) {
    x_.open("geom");
    if (const auto* box = std::get_if<Box>(&placed.shape)) {
      x_.attribute("type", "box");
      x_.attribute("size", Vec3(0.5 * box->size));
    } else if (const auto* ball = std::get_if<Sphere>(&placed.shape)) {
      const bool round = placed.scale == Vec3::Ones();
      x_.attribute("type", round ? "sphere" : "ellipsoid");
      x_.attribute("size", round ? x_.number(ball->radius) : x_.numbers(placed.scale));
    } else if (const auto* rod = std::get_if<Cylinder>(&placed.shape)) {
      x_.attribute("type", "cylinder");
      x_.attribute("size", x_.numbers({rod->radius, 0.5 * rod->length}));
    } else if (const auto* capsule = std::get_if<Capsule>(&placed.shape)) {
      x_.attribute("type", "capsule");
      x_.attribute("size", x_.numbers({capsule->radius, 0.5 * capsule->length}));
    } else {
      x_.attribute("type", "mesh");
      x_.attribute("mesh", meshes_.at(mesh_key(placed)));
    }
    write_placement(placed.origin);
    if (visual.color) {
      const auto& c = *visual.color;
      x_.attribute("rgba", x_.numbers({c[0], c[1], c[2], c[3]}));
    }
    if (visual.collision) {
      x_.attribute("group", 3.0);
    } else if (any_collision_) {  // for the eye only
      x_.attribute("group", 2.0);
      x_.attribute("contype", 0.0);
      x_.attribute("conaffinity", 0.0);
    }
    if (any_mass_ && !has_inertial(link)) x_.attribute("mass", 0.0);
    x_.close();
  }

  // A frame of a link that is written as a site is a frame of the body that holds the site.
  ClosureFrame body_frame(ClosureFrame frame) const {
    while (is_site(tree_->link(frame.link))) {
      const Joint& above = *tree_->above(frame.link);
      frame = {above.parent, above.origin * frame.origin};
    }
    return frame;
  }
  bool both_are_sites(const Closure& closure) const {
    const auto site = [&](const ClosureFrame& f) { return f.origin.is_identity() && is_site(tree_->link(f.link)); };
    return site(closure.a) && site(closure.b);
  }
  // By its anchor alone MuJoCo finds the second place where the bodies stand in the file.
  bool stands_closed(const Closure& closure) const {
    const std::unordered_map<std::string, double> at_zero;
    const Vec3 a = mjcf_frame(linkage_, closure.a.link, at_zero) * closure.a.origin.position;
    const Vec3 b = mjcf_frame(linkage_, closure.b.link, at_zero) * closure.b.origin.position;
    return (a - b).norm() <= 1e-13 * (1.0 + a.norm());
  }
  bool needs_sites(const Closure& closure) const {
    const auto* type = std::get_if<JointType>(&closure.type);
    return type != nullptr && is_point(*type) && !both_are_sites(closure) && !stands_closed(closure);
  }
  std::string site_name(const Closure& closure, const char* end) const {
    std::string name = closure.name + "_" + end;
    while (linkage_.find_link(name) != nullptr) name += "_";
    return name;
  }

  void write_equality() {
    bool any = !linkage_.closures.empty();
    for (const Joint* joint : written_) any = any || joint->mimic || is_held(*joint);
    if (!any) return;
    x_.open("equality");
    for (const Joint* joint : written_) {
      if (joint->mimic) {
        write_polynomial("", joint->name, joint->mimic->joint, {joint->mimic->offset, joint->mimic->multiplier});
      } else if (is_held(*joint)) {
        write_polynomial("", joint->name, "", joint->limits.lower);
      }
    }
    for (const Closure& closure : linkage_.closures) {
      if (const auto* coupling = std::get_if<Coupling>(&closure.type)) {
        std::vector<double> c = coupling->polynomial;
        while (!c.empty() && c.back() == 0.0) c.pop_back();
        if (c.size() > 5) {
          dropped_.add("coupling of a degree above 4");
          continue;
        }
        write_polynomial(closure.name, coupling->joint, coupling->source, c);
      } else {
        write_closure(closure);
      }
    }
    x_.close();
  }

  void write_polynomial(const std::string& name, const std::string& joint, const std::string& source,
                        std::vector<double> c) {
    c.resize(5, 0.0);
    x_.open("joint");
    if (!name.empty()) x_.attribute("name", name);
    x_.attribute("joint1", joint);
    if (!source.empty()) x_.attribute("joint2", source);
    x_.attribute("polycoef", x_.numbers({c[0], c[1], c[2], c[3], c[4]}));
    x_.close();
  }

  void write_closure(const Closure& closure) {
    const JointType& type = std::get<JointType>(closure.type);
    const ClosureFrame a = body_frame(closure.a), b = body_frame(closure.b);
    if (a.link == b.link) {
      dropped_.add("closure within one body");
      return;
    }
    if (std::holds_alternative<Fixed>(type)) {
      const Transform X_AB = a.origin * b.origin.inverse();
      const Quat q = X_AB.quaternion();
      const Vec3& p = X_AB.position;
      open_constraint("weld", closure.name, a.link, b.link);
      x_.attribute("relpose", x_.numbers({p[0], p[1], p[2], q.w(), q.x(), q.y(), q.z()}));
      x_.close();
    } else if (both_are_sites(closure) || needs_sites(closure)) {
      const bool own = both_are_sites(closure);
      x_.open("connect");
      x_.attribute("name", closure.name);
      x_.attribute("site1", own ? closure.a.link : site_name(closure, "a"));
      x_.attribute("site2", own ? closure.b.link : site_name(closure, "b"));
      x_.close();
    } else {
      open_constraint("connect", closure.name, a.link, b.link);
      x_.attribute("anchor", a.origin.position);
      x_.close();
    }
  }
  void open_constraint(const char* tag, const std::string& name, const std::string& a, const std::string& b) {
    x_.open(tag);
    x_.attribute("name", name);
    x_.attribute("body1", a);
    x_.attribute("body2", b);
  }

  // Pairs of bodies that are never asked whether they touch.
  void write_excluded_pairs() {
    bool any = false;
    for (const IgnoredPair& pair : linkage_.ignored_pairs) {
      const std::string a = body_frame({pair.a, {}}).link, b = body_frame({pair.b, {}}).link;
      if (a == b || between_.count(a) != 0 || between_.count(b) != 0) {
        dropped_.add("ignored pair");
        continue;
      }
      if (!any) x_.open("contact");
      any = true;
      x_.open("exclude");
      x_.attribute("body1", a);
      x_.attribute("body2", b);
      x_.close();
    }
    if (any) x_.close();
  }

  // Poses as all of MuJoCo's coordinates: quaternions begin with w, and a free joint's are in the world.
  void write_keys() {
    if (linkage_.poses.empty()) return;
    std::unordered_map<std::string, std::vector<double>> neutral;
    for (const Joint* joint : written_) {
      neutral[joint->name].resize(static_cast<std::size_t>(coordinate_count(joint->type)));
      neutral_coordinates(joint->type, neutral[joint->name].data());
    }
    x_.open("keyframe");
    for (const NamedPose& pose : linkage_.poses) {
      auto values = neutral;
      for (const auto& [joint, given] : pose.values) {
        const auto at = values.find(joint);
        if (at != values.end() && at->second.size() == given.size()) at->second = given;
      }
      std::string qpos;
      for (const Joint* joint : written_) {
        std::vector<double> q = values[joint->name];
        const Joint* leader = joint;
        double factor = 1.0, offset = 0.0;  // of the joint at the end of the chain of mimics
        for (std::size_t guard = 0; leader->mimic && guard < linkage_.joints.size(); ++guard) {
          offset += factor * leader->mimic->offset;
          factor *= leader->mimic->multiplier;
          leader = linkage_.find_joint(leader->mimic->joint);
        }
        if (leader != joint) q[0] = factor * values[leader->name][0] + offset;
        if (q.size() == 7) {
          const Transform X = joint->origin * joint_transform(joint->type, q.data());
          const Quat turn = X.quaternion();
          q = {X.position.x(), X.position.y(), X.position.z(), turn.x(), turn.y(), turn.z(), turn.w()};
        }
        if (q.size() >= 4) std::rotate(q.end() - 4, q.end() - 1, q.end());
        for (const double value : q) qpos += (qpos.empty() ? "" : " ") + x_.number(value);
      }
      x_.open("key");
      x_.attribute("name", pose.name);
      x_.attribute("qpos", qpos);
      x_.close();
    }
    x_.close();
  }

  void add_notes() {
    const auto say = [&](const NameList& list, const char* before) {
      if (!list.empty()) note(before + list.text() + ".");
    };
    say(expanded_, "MuJoCo has no such joints, so they were expanded into joints of one coordinate: ");
    say(hinges_, "Closures that are hinges were written as two points of the axis each: ");
    say(carried_, "Closures written as a body of no mass with their joint, held at the other end: ");
    say(addresses_, "MuJoCo opens no such addresses; give its meshes a path: ");
    if (!any_mass_) note("No masses are known: MuJoCo weighs the bodies by their shapes (1000 kg per cubic meter).");
    for (const Opaque& part : document_.linkage.opaque) dropped_.add("part of a " + part.format + " file");
    note_dropped(document_, "MJCF", true, dropped_, options_);
  }

  const Document& document_;
  const WriteOptions& options_;
  Linkage linkage_;
  XmlText x_;
  const WritingTree* tree_ = nullptr;
  double size_ = 1.0;
  std::unordered_set<std::string> held_;                 // links that closures hold
  std::unordered_set<std::string> between_;              // links that are no body of their own
  std::unordered_map<std::string, std::string> meshes_;  // names of assets
  std::vector<const Joint*> written_;                    // in the order of MuJoCo's coordinates
  bool any_mass_ = false, any_collision_ = false;
  Dropped dropped_;
  NameList expanded_, hinges_, carried_, addresses_;
};

}  // namespace

Result<std::string> write_mjcf(const Document& document, const WriteOptions& options) {
  return MjcfWriter(document, options).write();
}

}  // namespace armature::inline v0_2
