// Edits that turn joints round (reroot) or reflect them (mirror). Each joint type says how in one overload; a type
// without one is refused with the advice to expand it first.
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "armature/base/suggest.hpp"
#include "armature/model/edit.hpp"
#include "armature/model/expand.hpp"
#include "armature/model/opaque.hpp"
#include "armature/model/references.hpp"

namespace armature::inline v0_2 {
namespace {

// How an edit rewrites a joint: the new type, and new coordinate i = sign[i] * old coordinate from[i]; quaternions are
// rewritten as a whole by `rotate`.
struct Rewrite {
  JointType type;
  std::vector<int> from;
  std::vector<double> sign;
  Quat (*rotate)(const Quat&, int axis) = nullptr;
};

Rewrite keep(JointType type, std::size_t count) {
  Rewrite r{std::move(type), {}, std::vector<double>(count, 1.0)};
  for (std::size_t i = 0; i < count; ++i) r.from.push_back(static_cast<int>(i));
  return r;
}

// transform(new coordinates) of the new type = inverse of transform(old coordinates) of the old one.
struct Invert {
  using Answer = std::optional<Rewrite>;
  Answer operator()(const Fixed& j) const { return keep(j, 0); }
  Answer operator()(const Revolute& j) const { return keep(Revolute{-j.axis}, 1); }
  Answer operator()(const Continuous& j) const {
    Continuous turned = j;
    turned.axis = -j.axis;
    return keep(turned, 1);
  }
  Answer operator()(const Prismatic& j) const { return keep(Prismatic{-j.axis}, 1); }
  Answer operator()(const Helical& j) const { return keep(Helical{-j.axis, j.pitch}, 1); }
  Answer operator()(const Cylindrical& j) const { return keep(Cylindrical{-j.axis}, 2); }
  Answer operator()(const Universal& j) const { return Rewrite{Universal{-j.axis2, -j.axis}, {1, 0}, {1.0, 1.0}}; }
  Answer operator()(const Euler& j) const {
    const EulerOrder reversed{{j.order.axis[2], j.order.axis[1], j.order.axis[0]}};
    return Rewrite{Euler{reversed}, {2, 1, 0}, {-1.0, -1.0, -1.0}};
  }
  Answer operator()(const Spherical& j) const {
    Rewrite r = keep(j, 4);
    r.rotate = [](const Quat& q, int) -> Quat { return q.conjugate(); };
    return r;
  }
  template <class Other>
  Answer operator()(const Other&) const {
    return std::nullopt;
  }
};

// transform of the new type = M * transform of the old one * M, with M the reflection of one axis. Directions of travel
// reflect (M a); axes of rotation are pseudo-vectors (-M a).
struct Reflect {
  int mirrored;
  Vec3 travel(Vec3 v) const {
    v[mirrored] = -v[mirrored];
    return v;
  }
  Vec3 turn(const Vec3& v) const { return -travel(v); }
  static Quat rotate(const Quat& q, int axis) {
    Quat r(q.w(), -q.x(), -q.y(), -q.z());
    r.coeffs()[axis] = -r.coeffs()[axis];
    return r;
  }
  double euler_sign(int axis) const { return axis == mirrored ? 1.0 : -1.0; }
  double travel_sign(int axis) const { return axis == mirrored ? -1.0 : 1.0; }

  using Answer = std::optional<Rewrite>;
  Answer operator()(const Fixed& j) const { return keep(j, 0); }
  Answer operator()(const Revolute& j) const { return keep(Revolute{turn(j.axis)}, 1); }
  Answer operator()(const Continuous& j) const {
    Continuous reflected = j;
    reflected.axis = turn(j.axis);
    return keep(reflected, 1);
  }
  Answer operator()(const Prismatic& j) const { return keep(Prismatic{travel(j.axis)}, 1); }
  Answer operator()(const Helical& j) const { return keep(Helical{turn(j.axis), -j.pitch}, 1); }
  Answer operator()(const Cylindrical& j) const { return Rewrite{Cylindrical{turn(j.axis)}, {0, 1}, {1.0, -1.0}}; }
  Answer operator()(const Universal& j) const { return keep(Universal{turn(j.axis), turn(j.axis2)}, 2); }
  Answer operator()(const Planar& j) const { return keep(Planar{turn(j.normal), travel(j.x_axis)}, 3); }
  Answer operator()(const Spherical& j) const {
    Rewrite r = keep(j, 4);
    r.rotate = rotate;
    return r;
  }
  Answer operator()(const Euler& j) const {
    const auto s = [&](int k) { return euler_sign(j.order.axis[k]); };
    return Rewrite{j, {0, 1, 2}, {s(0), s(1), s(2)}};
  }
  Answer operator()(const Free& j) const {
    Rewrite r = keep(j, 7);
    for (int k = 0; k < 3; ++k) r.sign[static_cast<std::size_t>(k)] = travel_sign(k);
    r.rotate = rotate;
    return r;
  }
  Answer operator()(const FreeEuler& j) const {
    const auto s = [&](int k) { return euler_sign(j.order.axis[k]); };
    return Rewrite{j, {0, 1, 2, 3, 4, 5}, {travel_sign(0), travel_sign(1), travel_sign(2), s(0), s(1), s(2)}};
  }
  template <class Other>
  Answer operator()(const Other&) const {
    return std::nullopt;
  }
};

// Rewrites one list of per-coordinate values; a sign of -1 swaps what is lower and upper.
std::vector<double> rewritten(const std::vector<double>& values, const std::vector<double>& opposite, const Rewrite& r,
                              double unlimited) {
  if (values.empty() && opposite.empty()) return {};
  std::vector<double> out;
  for (std::size_t i = 0; i < r.from.size(); ++i) {
    const std::vector<double>& list = r.sign[i] < 0.0 ? opposite : values;
    const auto from = static_cast<std::size_t>(r.from[i]);
    out.push_back(from < list.size() ? r.sign[i] * list[from] : unlimited);
  }
  return out;
}

void rewrite_pose_values(Linkage& l, const std::string& joint, const JointType& old_type, const Rewrite& r, int axis) {
  for (NamedPose& pose : l.poses) {
    for (auto& [name, values] : pose.values) {
      if (name != joint || values.size() != r.from.size()) continue;
      const std::vector<double> old = values;
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = r.sign[i] * old[static_cast<std::size_t>(r.from[i])];
      const std::span<const Coordinate> kinds = coordinates(old_type);
      if (r.rotate == nullptr || kinds.empty() || kinds.back() != Coordinate::quaternion) continue;
      const Quat turned = r.rotate(joint_detail::quaternion(old.data() + old.size() - 4), axis);
      for (std::size_t k = 0; k < 4; ++k) values[values.size() - 4 + k] = turned.coeffs()[static_cast<int>(k)];
    }
  }
}

void apply_rewrite(Linkage& l, Joint& joint, const Rewrite& r, int axis) {
  const double kInfinity = std::numeric_limits<double>::infinity();
  rewrite_pose_values(l, joint.name, joint.type, r, axis);
  Limits& limits = joint.limits;
  const std::vector<double> lower = rewritten(limits.lower, limits.upper, r, -kInfinity);
  const std::vector<double> upper = rewritten(limits.upper, limits.lower, r, kInfinity);
  limits.lower = lower;
  limits.upper = upper;
  if (!limits.velocity.empty() && limits.velocity.size() == r.from.size()) {
    std::vector<double> velocity;
    for (const int from : r.from) velocity.push_back(limits.velocity[static_cast<std::size_t>(from)]);
    limits.velocity = velocity;
  }
  if (!limits.effort.empty() && limits.effort.size() == r.from.size()) {
    std::vector<double> effort;
    for (const int from : r.from) effort.push_back(limits.effort[static_cast<std::size_t>(from)]);
    limits.effort = effort;
  }
  joint.type = r.type;
}

Error needs_expanding(const Joint& joint, const char* edit) {
  return Error{"Joint " + detail::quoted(joint.name) + " is " + type_name(joint.type) + " and cannot be " + edit +
               "; expand it first."};
}

/// `size`: of the linkage, which may be one of molecules.
bool is_identity(const Transform& x, double size) {
  return x.rotation.isApprox(Mat3::Identity(), 1e-15) && x.position.norm() <= 1e-15 * size;
}

}  // namespace

std::string swapped_sides(const std::string& name) {
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    const auto starts = [&](const char* word) {
      return name.compare(i, std::char_traits<char>::length(word), word) == 0;
    };
    static constexpr const char* kPairs[][2] = {{"left", "right"}, {"Left", "Right"}, {"LEFT", "RIGHT"}};
    bool swapped = false;
    for (const auto& pair : kPairs) {
      for (int side = 0; side < 2 && !swapped; ++side) {
        if (!starts(pair[side])) continue;
        out += pair[1 - side];
        i += std::char_traits<char>::length(pair[side]);
        swapped = true;
      }
    }
    if (!swapped) out += name[i++];
  }
  return out;
}

Status reroot(Linkage& linkage, std::string_view link) {
  Linkage l = linkage;
  if (l.find_link(link) == nullptr) {
    std::vector<std::string> names;
    for (const Link& each : l.links) names.push_back(each.name);
    return Error{unknown_name("link", link, names)};
  }
  // Joint names from the new root up to the old one.
  std::vector<std::string> path;
  std::string at(link);
  const Joint* above = l.joint_above(at);
  while (above != nullptr && !above->parent.empty() && path.size() <= l.joints.size()) {
    path.push_back(above->name);
    at = above->parent;
    above = l.joint_above(at);
  }
  if (path.size() > l.joints.size()) return Error{"The joints above link " + detail::quoted(link) + " form a cycle."};

  const std::string root_name = above != nullptr ? above->name : "";   // joints move in memory below
  if (root_name.empty()) closure_edit::hold_root_instead_of_world(l);  // the world is where the root is

  double longest = 0.0;
  for (const Joint& joint : l.joints) longest = std::max(longest, joint.origin.position.norm());
  Transform X_root_link;  // at neutral coordinates
  for (const std::string& name : path) X_root_link = l.find_joint(name)->origin * X_root_link;
  for (const std::string& name : path) {
    Joint& joint = *l.find_joint(name);
    const std::optional<Rewrite> inverse = std::visit(Invert{}, joint.type);
    if (!inverse) return needs_expanding(joint, "turned round");
    if (joint.limits.cone) {  // the inverse swings as far and twists the other way
      std::swap(joint.limits.cone->twist_lower, joint.limits.cone->twist_upper);
      joint.limits.cone->twist_lower *= -1.0;
      joint.limits.cone->twist_upper *= -1.0;
    }
    apply_rewrite(l, joint, *inverse, 0);
    const Transform seat = joint.origin.inverse();
    const std::string old_parent = joint.parent;
    joint.parent = joint.child;
    joint.origin = {};
    if (is_identity(seat, longest)) {
      joint.child = old_parent;
      continue;
    }
    const std::string helper = name + "_seat";
    if (l.find_link(helper) != nullptr || l.find_joint(helper) != nullptr) {
      return Error{"Turning joint " + detail::quoted(name) + " round needs the name " + detail::quoted(helper) +
                   ", which is taken."};
    }
    joint.child = helper;
    Joint fixed;
    fixed.name = helper;
    fixed.parent = helper;
    fixed.child = old_parent;
    fixed.origin = seat;
    l.links.push_back({helper, {}});
    l.joints.push_back(std::move(fixed));
  }
  if (!root_name.empty() && !path.empty()) {  // the root joint now places the new root
    Joint& root_joint = *l.find_joint(root_name);
    root_joint.child = link;
    root_joint.origin = root_joint.origin * X_root_link;
  }
  linkage = std::move(l);
  return {};
}

Status mirror(Linkage& linkage, int axis, bool swap_sides) {
  if (axis < 0 || axis > 2) return Error{"A linkage is mirrored along axis 0, 1 or 2 (x, y or z)."};
  Linkage l = linkage;
  l.extra.reset();
  Mat4 M = Mat4::Identity();
  M(axis, axis) = -1.0;
  const Mat3 R = M.topLeftCorner<3, 3>();
  for (Joint& joint : l.joints) {
    const std::optional<Rewrite> reflected = std::visit(Reflect{axis}, joint.type);
    if (!reflected) return needs_expanding(joint, "mirrored");
    apply_rewrite(l, joint, *reflected, axis);
    joint.origin.rotation = R * joint.origin.rotation * R;
    joint.origin.position = R * joint.origin.position;
    if (joint.limits.cone) joint.limits.cone->axis = -(R * joint.limits.cone->axis);
  }
  for (Closure& closure : l.closures) {
    for (ClosureFrame* frame : {&closure.a, &closure.b}) {
      frame->origin.rotation = R * frame->origin.rotation * R;
      frame->origin.position = R * frame->origin.position;
    }
    JointType* type = std::get_if<JointType>(&closure.type);
    if (type == nullptr) continue;
    Joint cut;
    cut.name = closure.name;
    cut.type = *type;
    cut.limits = closure.limits;
    const std::optional<Rewrite> reflected = std::visit(Reflect{axis}, *type);
    if (!reflected) return needs_expanding(cut, "mirrored");
    apply_rewrite(l, cut, *reflected, axis);
    if (cut.limits.cone) cut.limits.cone->axis = -(R * cut.limits.cone->axis);
    *type = cut.type;
    closure.limits = cut.limits;
  }
  for (Link& link : l.links) {
    for (Visual& visual : link.visuals) visual.X_LG = M * visual.X_LG;
    link.center = R * link.center;
    link.inertia = R * link.inertia * R;
  }
  for (Body& body : l.bodies) {  // boxes and capsules are their own mirror images
    body.origin.rotation = R * body.origin.rotation * R;
    body.origin.position = R * body.origin.position;
  }
  if (swap_sides) {
    const auto swap = [](std::string& name) { name = swapped_sides(name); };
    std::unordered_set<std::string> link_names, joint_names;
    for (Link& link : l.links) {
      link_names.insert(link.name);
      swap(link.name);
    }
    for (Joint& joint : l.joints) {
      joint_names.insert(joint.name);
      swap(joint.name);
    }
    each_link_reference(l, swap);
    each_joint_reference(l, swap);
    for (Group& group : l.groups) swap(group.name);
    rename_opaque(l, Named::link,
                  [&](const std::string& n) { return link_names.count(n) != 0 ? swapped_sides(n) : n; });
    rename_opaque(l, Named::joint,
                  [&](const std::string& n) { return joint_names.count(n) != 0 ? swapped_sides(n) : n; });
    closure_edit::rename_all(l, swapped_sides);
  }
  linkage = std::move(l);
  return {};
}

}  // namespace armature::inline v0_2
