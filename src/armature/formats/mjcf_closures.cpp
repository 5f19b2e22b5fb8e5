#include "armature/formats/mjcf_closures.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {

Transform mjcf_frame(const Linkage& linkage, std::string link,
                     const std::unordered_map<std::string, double>& references) {
  Transform X;
  for (std::size_t guard = 0; guard <= linkage.joints.size() && !link.empty(); ++guard) {
    const Joint* joint = linkage.joint_above(link);
    if (joint == nullptr) break;
    double q[kMaxJointCoordinates];
    neutral_coordinates(joint->type, q);
    const auto ref = references.find(joint->name);
    if (ref != references.end() && coordinate_count(joint->type) == 1) q[0] = ref->second;
    X = joint->origin * joint_transform(joint->type, q) * X;
    link = joint->parent;
  }
  return X;
}

std::string fresh_closure_name(const Linkage& linkage, const std::string& name) {
  const auto taken = [&](const std::string& n) {
    return linkage.find_joint(n) != nullptr ||
           std::any_of(linkage.closures.begin(), linkage.closures.end(), [&](const Closure& c) { return c.name == n; });
  };
  std::string fresh = name;
  for (int k = 2; taken(fresh); ++k) fresh = name + "_" + std::to_string(k);
  return fresh;
}

bool read_mjcf_closure(XmlFields& x, XmlRef item, const std::unordered_map<std::string, double>& references,
                       Linkage& linkage) {
  const bool weld = item.is("weld");
  if (!weld && !item.is("connect")) return false;
  Closure closure;
  closure.type = weld ? JointType(Fixed{}) : JointType(Spherical{});
  const bool sites = item.attribute("site1").has_value();
  const auto link = [&](const char* attribute, bool required) {
    std::string name = "world";
    if (!required && !item.attribute(attribute)) return name;
    if (!x.text(item, attribute, name)) return name;
    if (linkage.find_link(name) == nullptr) {
      std::vector<std::string> names;
      for (const Link& each : linkage.links) names.push_back(each.name);
      x.fail(item, unknown_name(sites ? "site" : "body", name, names));
    }
    return name;
  };
  closure.a.link = link(sites ? "site1" : "body1", true);
  closure.b.link = link(sites ? "site2" : "body2", sites);
  if (!x.ok()) return true;
  closure.name = fresh_closure_name(
      linkage, std::string(item.attribute("name").value_or(closure.a.link + (weld ? "_weld" : "_connect"))));
  if (!sites) {
    Vec3 anchor = Vec3::Zero();
    const Transform X_WA = mjcf_frame(linkage, closure.a.link, references);
    const Transform X_WB = mjcf_frame(linkage, closure.b.link, references);
    if (item.attribute("anchor")) x.vector(item, "anchor", anchor);
    double pose[7] = {0, 1, 0, 0, 0, 0, 0};
    if (weld && item.attribute("relpose")) x.numbers(item, "relpose", pose, 7);
    const Quat turn(pose[3], pose[4], pose[5], pose[6]);
    if (weld && turn.norm() > 1e-9) {  // of body 2 in body 1; an anchor of a weld lies in body 2
      const Transform X_AB = Transform::from(turn, Vec3(pose[0], pose[1], pose[2]));
      closure.b.origin = Transform::translate(anchor);
      closure.a.origin = X_AB * closure.b.origin;
    } else if (weld) {
      closure.b.origin = Transform::translate(anchor);
      closure.a.origin = X_WA.inverse() * X_WB * closure.b.origin;
    } else {
      closure.a.origin = Transform::translate(anchor);
      closure.b.origin = Transform::translate(X_WB.inverse() * (X_WA * anchor));
    }
  }
  if (closure.a.link == closure.b.link) {
    x.fail(item, "This constraint holds " + armature::detail::quoted(closure.a.link) + " to itself.");
    return true;
  }
  linkage.closures.push_back(std::move(closure));
  return true;
}

Coupling mjcf_coupling(const std::string& joint, double joint_reference, const std::string& source,
                       double source_reference, const double c[5]) {
  // sum c_k (x - r)^k by Horner's rule on polynomials in x.
  std::vector<double> p{0.0};
  for (int k = 4; k >= 0; --k) {
    std::vector<double> next(p.size() + 1, 0.0);
    for (std::size_t i = 0; i < p.size(); ++i) {
      next[i + 1] += p[i];
      next[i] -= source_reference * p[i];
    }
    next[0] += c[k];
    p = std::move(next);
  }
  while (p.size() > 2 && p.back() == 0.0) p.pop_back();
  p[0] += joint_reference;
  return {joint, source, std::move(p)};
}

}  // namespace armature::inline v0_2
