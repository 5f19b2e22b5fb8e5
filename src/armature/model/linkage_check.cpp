// Every check that a linkage must pass, each with its own sentence. No recursion: depth is not bounded.
#include "armature/model/linkage_check.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/model/inertia.hpp"

namespace armature::inline v0_2 {
namespace {

// Numbers this small are noise, and products of them are denormal, which costs a hundredfold in every later pass.
void flush_tiny(Transform& x) {
  const auto flush = [](double v) { return std::abs(v) < 1e-100 ? 0.0 : v; };
  x.rotation = x.rotation.unaryExpr(flush);
  x.position = x.position.unaryExpr(flush);
}

// Makes axes unit vectors and notes what is not finite or zero.
struct ParameterCheck {
  const std::string& where;
  std::vector<std::string>& mistakes;

  void axis(const char* name, Vec3& v) {
    const double largest = v.allFinite() ? v.cwiseAbs().maxCoeff() : 0.0;
    if (!v.allFinite()) {
      mistakes.push_back(where + " has an " + name + " with a value that is not a finite number.");
    } else if (largest < 1e-12) {
      mistakes.push_back(where + " has a zero " + name + "; it needs a direction, such as 0 0 1.");
    } else {
      v /= largest;
      v.normalize();
    }
  }
  void number(const char* name, double& v) {
    if (!std::isfinite(v)) mistakes.push_back(where + " has a " + name + " that is not a finite number.");
  }
  void order(const char*, EulerOrder&) {}
};

std::string joint_label(const Joint& joint) { return "Joint " + detail::quoted(joint.name); }

bool shape_is_sound(const Shape& shape) {
  const auto good = [](double v) { return std::isfinite(v) && v >= 0.0; };
  if (const Box* b = std::get_if<Box>(&shape)) return b->size.allFinite() && b->size.minCoeff() >= 0.0;
  if (const Sphere* s = std::get_if<Sphere>(&shape)) return good(s->radius);
  if (const Cylinder* c = std::get_if<Cylinder>(&shape)) return good(c->radius) && good(c->length);
  if (const Capsule* c = std::get_if<Capsule>(&shape)) return good(c->radius) && good(c->length);
  if (const Polyline* p = std::get_if<Polyline>(&shape)) {
    return std::all_of(p->points.begin(), p->points.end(), [](const Vec3& v) { return v.allFinite(); });
  }
  return true;
}

std::string sentence_end(const std::string& hint) { return hint.empty() ? "." : hint; }

}  // namespace

void check_parameters(Joint& joint, std::vector<std::string>& mistakes) {
  const std::string where = joint_label(joint);
  ParameterCheck parameters{where, mistakes};
  const std::size_t before = mistakes.size();
  describe_joint(joint.type, parameters);
  if (Planar* planar = std::get_if<Planar>(&joint.type); planar != nullptr && mistakes.size() == before) {
    planar->x_axis -= planar->normal * planar->normal.dot(planar->x_axis);
    if (planar->x_axis.norm() < 1e-9) {
      mistakes.push_back(where + " has an x_axis along its normal; it must lie in the plane.");
    } else {
      planar->x_axis.normalize();
    }
  }
}

void check_limits(Joint& joint, const std::string& where, std::vector<std::string>& mistakes) {
  const auto mistake = [&](std::string sentence) { mistakes.push_back(std::move(sentence)); };
  const std::size_t q_count = coordinates(joint.type).size();
  const std::size_t v_count = static_cast<std::size_t>(velocity_count(joint.type));
  Limits& limits = joint.limits;
  const auto wrong_count = [&](const char* what, std::size_t has, std::size_t needs) {
    if (has == 0 || has == needs) return false;
    mistake(where + " (" + type_name(joint.type) + ") has " + std::to_string(has) + " " + what +
            " where it needs none or " + std::to_string(needs) + ".");
    return true;
  };
  const bool wrong_lower = wrong_count("lower limits", limits.lower.size(), q_count);
  const bool wrong_upper = wrong_count("upper limits", limits.upper.size(), q_count);
  const bool wrong_velocity = wrong_count("velocity limits", limits.velocity.size(), v_count);
  const bool wrong_effort = wrong_count("effort limits", limits.effort.size(), v_count);
  if (wrong_lower || wrong_upper || wrong_velocity || wrong_effort) return;
  for (const std::vector<double>* list : {&limits.lower, &limits.upper, &limits.velocity, &limits.effort}) {
    if (std::any_of(list->begin(), list->end(), [](double v) { return std::isnan(v); })) {
      mistake(where + " has a limit that is not a number.");
      return;
    }
  }
  for (std::size_t i = 0; i < std::max(limits.lower.size(), limits.upper.size()); ++i) {
    if (coordinates(joint.type)[i] == Coordinate::quaternion) continue;
    const double lower = i < limits.lower.size() ? limits.lower[i] : -kInfinity;
    const double upper = i < limits.upper.size() ? limits.upper[i] : kInfinity;
    if (lower > upper) {
      mistake(where + " has its limits reversed: lower " + pretty_number(lower) + " is above upper " +
              pretty_number(upper) + ".");
    } else if (lower == kInfinity || upper == -kInfinity) {
      mistake(where + " has limits that no value can meet.");
    }
  }
  if (std::any_of(limits.velocity.begin(), limits.velocity.end(), [](double v) { return v < 0.0; })) {
    mistake(where + " has a negative velocity limit.");
  }
  if (!limits.cone) return;
  ConeLimit& cone = *limits.cone;
  if (q_count == 0 || coordinates(joint.type).back() != Coordinate::quaternion) {
    mistake(where + " is " + type_name(joint.type) + "; only spherical and free joints can have a cone.");
    return;
  }
  ParameterCheck{where, mistakes}.axis("cone axis", cone.axis);
  if (!(cone.swing >= 0.0 && cone.swing <= kPi + 1e-9)) {
    mistake(where + " has a cone whose swing is not between 0 and pi.");
  }
  if (!(cone.twist_lower <= cone.twist_upper && cone.twist_lower >= -kPi - 1e-9 && cone.twist_upper <= kPi + 1e-9)) {
    mistake(where + " has a cone whose twist limits are reversed or outside -pi to pi.");
  }
}

void LinkageCheck::run() {
  check_names();
  check_geometry();
  check_tree();
  for (std::size_t j = 0; j < linkage_.joints.size(); ++j) check_joint(j);
  if (mistakes.empty()) check_mimics();
  if (mistakes.empty()) check_poses();
  if (mistakes.empty()) check_closures(linkage_, mistakes);
}

void LinkageCheck::check_names() {
  Linkage& l = linkage_;
  if (l.links.empty()) mistake("The linkage " + detail::quoted(l.name) + " has no links; it needs at least one.");
  for (std::size_t i = 0; i < l.links.size(); ++i) {
    const std::string& name = l.links[i].name;
    if (name.empty()) mistake("Link number " + std::to_string(i + 1) + " has no name.");
    if (!link_index.emplace(name, static_cast<int>(i)).second && !name.empty()) {
      mistake("Two links are named " + detail::quoted(name) + "; names must be unique.");
    }
    link_names.push_back(name);
  }
  for (std::size_t j = 0; j < l.joints.size(); ++j) {
    const std::string& name = l.joints[j].name;
    if (name.empty()) {
      mistake("Joint number " + std::to_string(j + 1) + " (to link " + detail::quoted(l.joints[j].child) +
              ") has no name.");
    } else if (!joint_index.emplace(name, static_cast<int>(j)).second) {
      mistake("Two joints are named " + detail::quoted(name) + "; names must be unique.");
    }
    joint_names.push_back(name);
  }
}

void LinkageCheck::check_geometry() {
  std::unordered_map<std::string, int> names;
  std::vector<std::string> valid;
  for (const Geometry& geometry : linkage_.geometries) {
    if (!names.emplace(geometry.name, 0).second) {
      mistake("Two geometries are named " + detail::quoted(geometry.name) + "; names must be unique.");
    }
    valid.push_back(geometry.name);
    if (!shape_is_sound(geometry.shape)) {
      mistake("Geometry " + detail::quoted(geometry.name) + " has a size that is negative or not a finite number.");
    }
  }
  for (const Link& link : linkage_.links) {
    if (const Status sound = check_inertia(inertia_of(link), "Link " + detail::quoted(link.name)); !sound) {
      mistake(sound.message());
    }
    for (const Visual& visual : link.visuals) {
      if (names.find(visual.geometry) == names.end()) {
        mistake("Link " + detail::quoted(link.name) + " shows a geometry that does not exist. " +
                unknown_name("geometry", visual.geometry, valid));
      }
      if (!visual.X_LG.allFinite()) {
        mistake("Link " + detail::quoted(link.name) + " readies its geometry by a matrix that is not finite.");
      }
    }
  }
  for (const Body& body : linkage_.bodies) {
    const std::string where = "A body of link " + detail::quoted(body.link);
    if (link_index.find(body.link) == link_index.end()) {
      mistake("A body names a link that does not exist. " + unknown_name("link", body.link, link_names));
    }
    if (std::holds_alternative<Polyline>(body.shape) || std::holds_alternative<MeshFile>(body.shape)) {
      mistake(where + " is no box, sphere, capsule or cylinder.");
    } else if (!shape_is_sound(body.shape)) {
      mistake(where + " has a size that is negative or not a finite number.");
    }
    if (!body.origin.is_finite()) mistake(where + " has an origin that is not finite.");
  }
}

// Who hangs on whom; exactly one root; nothing loose.
void LinkageCheck::check_tree() {
  Linkage& l = linkage_;
  above.assign(l.links.size(), -1);
  std::vector<std::string> roots;
  bool sound = true;
  constexpr std::size_t kEnough = 100;  // a hopeless file need not have all its mistakes explained
  for (std::size_t j = 0; j < l.joints.size(); ++j) {
    if (mistakes.size() > kEnough) return;
    const Joint& joint = l.joints[j];
    const auto child = link_index.find(joint.child);
    if (child == link_index.end()) {
      mistake(joint_label(joint) + " moves a link that does not exist. " +
              unknown_name("link", joint.child, link_names));
      sound = false;
      continue;
    }
    if (!joint.parent.empty() && link_index.find(joint.parent) == link_index.end()) {
      mistake("Link " + detail::quoted(joint.child) + " names a parent " + detail::quoted(joint.parent) +
              " that does not exist" + sentence_end(did_you_mean(joint.parent, link_names)));
      sound = false;
    }
    int& holder = above[static_cast<std::size_t>(child->second)];
    if (holder >= 0) {
      mistake("Link " + detail::quoted(joint.child) + " hangs on two joints, " +
              detail::quoted(l.joints[static_cast<std::size_t>(holder)].name) + " and " + detail::quoted(joint.name) +
              "; a linkage is a tree, so each link has one parent.");
      sound = false;
    } else {
      holder = static_cast<int>(j);
    }
    if (joint.parent.empty()) roots.push_back(joint.child);
  }
  for (std::size_t i = 0; i < l.links.size(); ++i) {
    if (above[i] < 0) roots.push_back(l.links[i].name);
  }
  if (!sound || l.links.empty() || link_index.size() != l.links.size()) return;
  if (roots.empty()) {
    mistake("The linkage has no root: its joints form a cycle through link " + detail::quoted(l.links[0].name) + ".");
    return;
  }
  if (roots.size() > 1) {
    std::vector<std::string> shown;
    for (const std::string& root : roots) shown.push_back(detail::quoted(root));
    mistake("The linkage has " + std::to_string(roots.size()) + " roots, " + detail::join(shown, 6) +
            "; it must have one link that hangs on no other.");
    return;
  }
  visit_from(roots.front());
  if (order.size() != l.links.size()) {
    std::vector<char> seen(l.links.size(), 0);
    for (const int i : order) seen[static_cast<std::size_t>(i)] = 1;
    const auto loose = static_cast<std::size_t>(std::find(seen.begin(), seen.end(), 0) - seen.begin());
    mistake("The joints form a cycle through link " + detail::quoted(l.links[loose].name) +
            "; a linkage is a tree, so no link can hang on itself.");
  }
}

// Depth-first order of link indices, children in the order of their joints.
void LinkageCheck::visit_from(const std::string& root) {
  Linkage& l = linkage_;
  std::vector<std::vector<int>> children(l.links.size());
  for (const Joint& joint : l.joints) {
    if (!joint.parent.empty()) {
      children[static_cast<std::size_t>(link_index[joint.parent])].push_back(link_index[joint.child]);
    }
  }
  std::vector<int> stack{link_index[root]};
  while (!stack.empty() && order.size() <= l.links.size()) {
    const int link = stack.back();
    stack.pop_back();
    order.push_back(link);
    const std::vector<int>& below = children[static_cast<std::size_t>(link)];
    stack.insert(stack.end(), below.rbegin(), below.rend());
  }
}

void LinkageCheck::check_joint(std::size_t index) {
  Joint& joint = linkage_.joints[index];
  const std::string where = joint_label(joint);
  check_parameters(joint, mistakes);
  Transform& placement = joint.origin;
  const Mat3 gram = placement.rotation.transpose() * placement.rotation;
  if (!placement.is_finite()) {
    mistake(where + " has a placement with a value that is not a finite number.");
  } else if ((gram - Mat3::Identity()).cwiseAbs().maxCoeff() > 1e-6 || placement.rotation.determinant() < 0.0) {
    mistake(where + " has a placement that is not a rotation and a translation (it scales, shears or mirrors).");
  } else {
    flush_tiny(placement);
  }
  check_limits(joint, where, mistakes);
}

void LinkageCheck::check_mimics() {
  Linkage& l = linkage_;
  for (const Joint& joint : l.joints) {
    if (!joint.mimic) continue;
    const std::string where = joint_label(joint);
    const auto source = joint_index.find(joint.mimic->joint);
    if (source == joint_index.end()) {
      mistake(where + " mimics a joint that does not exist. " + unknown_name("joint", joint.mimic->joint, joint_names));
      continue;
    }
    const Joint& followed = l.joints[static_cast<std::size_t>(source->second)];
    for (const Joint* each : {&joint, &followed}) {
      if (coordinate_count(each->type) != 1) {
        mistake(where + " mimics " + detail::quoted(followed.name) + ", but " + detail::quoted(each->name) + " is " +
                type_name(each->type) + "; mimicry needs joints of exactly one coordinate.");
        break;
      }
    }
    if (!std::isfinite(joint.mimic->multiplier) || !std::isfinite(joint.mimic->offset)) {
      mistake(where + " mimics with a multiplier or offset that is not a finite number.");
    }
  }
  if (!mistakes.empty()) return;
  // Follow each chain of mimics; a joint met twice on the way is on a cycle. Each joint is walked over once: the whole
  // way from every joint would take the square of a long chain.
  for (std::size_t j = 0; j < l.joints.size(); ++j) leaders.push_back({static_cast<int>(j)});
  std::vector<std::size_t> seen(l.joints.size(), 0);  // 1 + where the walk started that came by
  std::vector<std::size_t> way;
  for (std::size_t start = 0; start < l.joints.size(); ++start) {
    std::size_t j = start;
    way.clear();
    while (l.joints[j].mimic && seen[j] == 0) {
      seen[j] = start + 1;
      way.push_back(j);
      j = static_cast<std::size_t>(joint_index[l.joints[j].mimic->joint]);
    }
    if (l.joints[j].mimic && seen[j] == start + 1) {
      mistake(joint_label(l.joints[j]) + " mimics itself through a cycle of mimic joints.");
      return;
    }
    for (; !way.empty(); way.pop_back()) {
      const Leader next = leaders[j];
      j = way.back();
      const Mimic& mimic = *l.joints[j].mimic;
      const double multiplier = mimic.multiplier * next.multiplier;
      const double offset = mimic.offset + mimic.multiplier * next.offset;
      leaders[j] = {next.joint, multiplier, offset};
      if (std::isfinite(multiplier) && std::isfinite(offset)) continue;
      mistake(joint_label(l.joints[j]) + " mimics " +
              detail::quoted(l.joints[static_cast<std::size_t>(next.joint)].name) +
              " through other joints, with a multiplier or offset that is not a finite number.");
      return;
    }
  }
}

// Named poses need the joints' types; checked when those are sound.
void LinkageCheck::check_poses() {
  std::unordered_map<std::string, int> names;
  for (const NamedPose& pose : linkage_.poses) {
    const std::string where = "Pose " + detail::quoted(pose.name);
    if (!names.emplace(pose.name, 0).second) mistake("Two poses are named " + detail::quoted(pose.name) + ".");
    for (const auto& [name, values] : pose.values) {
      const auto found = joint_index.find(name);
      if (found == joint_index.end()) {
        mistake(where + " sets a joint that does not exist. " + unknown_name("joint", name, joint_names));
        continue;
      }
      const Joint& joint = linkage_.joints[static_cast<std::size_t>(found->second)];
      const std::size_t needs = coordinates(joint.type).size();
      if (joint.mimic) {
        mistake(where + " sets joint " + detail::quoted(name) + ", which follows " +
                detail::quoted(joint.mimic->joint) + ".");
      } else if (values.size() != needs) {
        mistake(where + " gives joint " + detail::quoted(name) + " " + std::to_string(values.size()) +
                " values where it has " + std::to_string(needs) + ".");
      } else if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
        mistake(where + " gives joint " + detail::quoted(name) + " a value that is not a finite number.");
      }
    }
  }
}

}  // namespace armature::inline v0_2
