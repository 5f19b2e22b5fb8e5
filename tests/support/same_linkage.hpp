// Exact comparison of two linkages: the first difference in words, "" when there is none. For round-trip tests.
#pragma once

#include <cmath>
#include <cstring>
#include <string>

#include "armature/base/number.hpp"
#include "armature/model/linkage.hpp"

namespace armature::test {

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

template <class Matrix>
bool same_matrix(const Matrix& a, const Matrix& b, double slack = 0.0) {
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    // Zeros may change their sign: no reader keeps the sign of a rotation's zero.
    if (same_bits(a.data()[i], b.data()[i])) continue;
    if (!(std::abs(a.data()[i] - b.data()[i]) <= slack)) return false;
  }
  return true;
}

inline bool same_list(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_bits(a[i], b[i])) return false;
  }
  return true;
}

// The parameters of a joint type as text, exactly.
inline std::string parameter_text(const JointType& type) {
  struct {
    std::string text;
    void axis(const char* n, Vec3& v) {
      for (int i = 0; i < 3; ++i) number(n, v[i]);
    }
    void number(const char* n, double& v) { text += std::string(n) + "=" + format_number(v) + ";"; }
    void order(const char* n, EulerOrder& v) { text += std::string(n) + "=" + std::string(v.name()) + ";"; }
  } lister;
  JointType copy = type;
  describe_joint(copy, lister);
  return std::string(type_name(type)) + ":" + lister.text;
}

inline bool same_shape(const Shape& a, const Shape& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<Box>(&a)) return same_matrix(x->size, std::get<Box>(b).size);
  if (const auto* x = std::get_if<Sphere>(&a)) return same_bits(x->radius, std::get<Sphere>(b).radius);
  if (const auto* x = std::get_if<Cylinder>(&a)) {
    return same_bits(x->radius, std::get<Cylinder>(b).radius) && same_bits(x->length, std::get<Cylinder>(b).length);
  }
  if (const auto* x = std::get_if<Capsule>(&a)) {
    return same_bits(x->radius, std::get<Capsule>(b).radius) && same_bits(x->length, std::get<Capsule>(b).length);
  }
  if (const auto* x = std::get_if<Polyline>(&a)) {
    const auto& y = std::get<Polyline>(b);
    if (x->points.size() != y.points.size()) return false;
    for (std::size_t i = 0; i < x->points.size(); ++i) {
      if (!same_matrix(x->points[i], y.points[i])) return false;
    }
    return true;
  }
  return std::get<MeshFile>(a).uri == std::get<MeshFile>(b).uri;
}

inline bool same_opaque(const std::vector<Opaque>& a, const std::vector<Opaque>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].format != b[i].format || a[i].text != b[i].text) return false;
  }
  return true;
}

inline std::string difference(const Joint& a, const Joint& b, double slack = 0.0) {
  const std::string who = "joint " + a.name + ": ";
  if (a.name != b.name) return who + "is called " + b.name;
  if (parameter_text(a.type) != parameter_text(b.type))
    return who + parameter_text(a.type) + " against " + parameter_text(b.type);
  if (a.parent != b.parent || a.child != b.child) return who + "parent or child";
  if (!same_matrix(a.origin.rotation, b.origin.rotation, slack)) return who + "rotation";
  if (!same_matrix(a.origin.position, b.origin.position)) return who + "translation";
  if (!same_list(a.limits.lower, b.limits.lower)) return who + "lower";
  if (!same_list(a.limits.upper, b.limits.upper)) return who + "upper";
  if (!same_list(a.limits.velocity, b.limits.velocity)) return who + "velocity";
  if (!same_list(a.limits.effort, b.limits.effort)) return who + "effort";
  if (!same_opaque(a.opaque, b.opaque)) return who + "opaque parts";
  if (a.limits.cone.has_value() != b.limits.cone.has_value()) return who + "cone";
  if (a.limits.cone) {
    const ConeLimit &x = *a.limits.cone, &y = *b.limits.cone;
    if (!same_matrix(x.axis, y.axis) || !same_bits(x.swing, y.swing) || !same_bits(x.twist_lower, y.twist_lower) ||
        !same_bits(x.twist_upper, y.twist_upper)) {
      return who + "cone";
    }
  }
  if (a.mimic.has_value() != b.mimic.has_value()) return who + "mimic";
  if (a.mimic && (a.mimic->joint != b.mimic->joint || !same_bits(a.mimic->multiplier, b.mimic->multiplier) ||
                  !same_bits(a.mimic->offset, b.mimic->offset))) {
    return who + "mimic";
  }
  return "";
}

inline bool same_closure(const Closure& a, const Closure& b, double slack = 0.0) {
  if (a.name != b.name || a.type.index() != b.type.index()) return false;
  for (const auto& [x, y] : {std::pair(&a.a, &b.a), std::pair(&a.b, &b.b)}) {
    if (x->link != y->link || !same_matrix(x->origin.rotation, y->origin.rotation, slack) ||
        !same_matrix(x->origin.position, y->origin.position)) {
      return false;
    }
  }
  if (const auto* rod = std::get_if<Rod>(&a.type)) return same_bits(rod->length, std::get<Rod>(b.type).length);
  if (const auto* c = std::get_if<Coupling>(&a.type)) {
    const auto& d = std::get<Coupling>(b.type);
    return c->joint == d.joint && c->source == d.source && same_list(c->polynomial, d.polynomial);
  }
  return parameter_text(std::get<JointType>(a.type)) == parameter_text(std::get<JointType>(b.type)) &&
         same_list(a.limits.lower, b.limits.lower) && same_list(a.limits.upper, b.limits.upper) &&
         same_list(a.limits.velocity, b.limits.velocity);
}

/// `slack`: how far numbers of rotations and of `X_LG` may differ, for formats that spell rotations by angles.
inline std::string difference(const Linkage& a, const Linkage& b, double slack = 0.0) {
  if (a.name != b.name) return "name";
  if (a.description != b.description) return "description";
  if (a.effectors != b.effectors) return "effectors";
  if (a.geometries.size() != b.geometries.size()) return "number of geometries";
  for (std::size_t i = 0; i < a.geometries.size(); ++i) {
    if (a.geometries[i].name != b.geometries[i].name || !same_shape(a.geometries[i].shape, b.geometries[i].shape)) {
      return "geometry " + a.geometries[i].name;
    }
  }
  if (a.links.size() != b.links.size()) return "number of links";
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    const Link &x = a.links[i], &y = b.links[i];
    if (x.name != y.name || x.visuals.size() != y.visuals.size()) return "link " + x.name;
    for (std::size_t v = 0; v < x.visuals.size(); ++v) {
      const Visual &p = x.visuals[v], &q = y.visuals[v];
      if (p.geometry != q.geometry || !same_matrix(p.X_LG, q.X_LG, slack) || p.color != q.color ||
          p.collision != q.collision || p.material != q.material) {
        return "visual " + std::to_string(v) + " of link " + x.name;
      }
    }
    if (!same_bits(x.mass, y.mass) || !same_matrix(x.center, y.center) || !same_matrix(x.inertia, y.inertia, slack)) {
      return "mass of link " + x.name;
    }
    if (!same_opaque(x.opaque, y.opaque)) return "opaque parts of link " + x.name;
  }
  if (!same_opaque(a.opaque, b.opaque)) return "opaque parts";
  if (a.groups.size() != b.groups.size()) return "number of groups";
  for (std::size_t i = 0; i < a.groups.size(); ++i) {
    const Group &x = a.groups[i], &y = b.groups[i];
    if (x.name != y.name || x.base != y.base || x.tip != y.tip || x.joints != y.joints) return "group " + x.name;
  }
  if (a.bodies.size() != b.bodies.size()) return "number of bodies";
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const Body &x = a.bodies[i], &y = b.bodies[i];
    if (x.link != y.link || x.source != y.source || !same_shape(x.shape, y.shape) ||
        !same_matrix(x.origin.rotation, y.origin.rotation) || !same_matrix(x.origin.position, y.origin.position)) {
      return "body " + std::to_string(i);
    }
  }
  if (a.ignored_pairs.size() != b.ignored_pairs.size()) return "number of ignored pairs";
  for (std::size_t i = 0; i < a.ignored_pairs.size(); ++i) {
    const IgnoredPair &x = a.ignored_pairs[i], &y = b.ignored_pairs[i];
    if (x.a != y.a || x.b != y.b || x.reason != y.reason) return "ignored pair " + std::to_string(i);
  }
  if (a.joints.size() != b.joints.size()) return "number of joints";
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    if (const std::string d = difference(a.joints[i], b.joints[i], slack); !d.empty()) return d;
  }
  if (a.drives != b.drives) return "drives";
  if (a.closures.size() != b.closures.size()) return "number of closures";
  for (std::size_t i = 0; i < a.closures.size(); ++i) {
    if (!same_closure(a.closures[i], b.closures[i], slack)) return "closure " + a.closures[i].name;
  }
  if (a.poses.size() != b.poses.size()) return "number of poses";
  for (std::size_t i = 0; i < a.poses.size(); ++i) {
    const NamedPose &x = a.poses[i], &y = b.poses[i];
    if (x.name != y.name || x.values.size() != y.values.size()) return "pose " + x.name;
    for (std::size_t v = 0; v < x.values.size(); ++v) {
      if (x.values[v].first != y.values[v].first || !same_list(x.values[v].second, y.values[v].second)) {
        return "pose " + x.name;
      }
    }
  }
  return "";
}

}  // namespace armature::test
