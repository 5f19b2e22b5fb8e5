// Parts of Armature's own format that joints and closures share, writing: what json_linkage.cpp reads back to the same
// bits.
#include <cmath>

#include "armature/formats/json_linkage.hpp"
#include "armature/formats/source.hpp"
#include "armature/formats/spelling.hpp"

namespace armature::inline v0_2 {
namespace {

using LinkageJson = nlohmann::ordered_json;

struct ParameterWriter {
  LinkageJson& joint;
  void axis(const char* name, Vec3& value) { joint[name] = row_major(value); }
  void number(const char* name, double& value) { joint[name] = value; }
  void order(const char* name, EulerOrder& value) { joint[name] = std::string(value.name()); }
};

// Infinities become null, which reads back as "none".
LinkageJson one_or_list(const std::vector<double>& values) {
  if (values.size() == 1) return values[0];
  return values;
}

LinkageJson frame_json(const ClosureFrame& frame) {
  LinkageJson object = LinkageJson::object();
  if (!frame.link.empty()) object["link"] = frame.link;
  if (!frame.origin.is_identity()) object["origin"] = origin_json(frame.origin);
  return object;
}

}  // namespace

nlohmann::ordered_json origin_json(const Transform& placement) {
  LinkageJson origin = LinkageJson::object();
  if (!(placement.position.array() == 0.0).all() || placement.rotation == Mat3::Identity()) {
    origin["xyz"] = row_major(placement.position);
  }
  if (placement.rotation == Mat3::Identity()) return origin;
  if (const auto rpy = exact_rpy(placement.rotation)) {
    origin["rpy"] = row_major(*rpy);
  } else {
    origin["matrix"] = row_major(placement.rotation);
  }
  return origin;
}

void write_parameters(JointType type, nlohmann::ordered_json& object) {
  ParameterWriter writer{object};
  describe_joint(type, writer);
}

nlohmann::ordered_json limits_json(const Limits& from) {
  LinkageJson limits = LinkageJson::object();
  if (!from.lower.empty()) limits["lower"] = one_or_list(from.lower);
  if (!from.upper.empty()) limits["upper"] = one_or_list(from.upper);
  if (!from.velocity.empty()) limits["velocity"] = one_or_list(from.velocity);
  if (!from.effort.empty()) limits["effort"] = one_or_list(from.effort);
  if (const auto& cone = from.cone) {
    limits["cone"] = {{"axis", row_major(cone->axis)},
                      {"swing", cone->swing},
                      {"twist_lower", cone->twist_lower},
                      {"twist_upper", cone->twist_upper}};
  }
  return limits;
}

nlohmann::ordered_json closure_json(const Closure& closure) {
  LinkageJson object;
  object["name"] = closure.name;
  object["type"] = type_name(closure.type);
  if (const auto* coupling = std::get_if<Coupling>(&closure.type)) {
    object["joint"] = coupling->joint;
    if (!coupling->source.empty()) object["source"] = coupling->source;
    object["polynomial"] = coupling->polynomial;
    return object;
  }
  object["a"] = frame_json(closure.a);
  object["b"] = frame_json(closure.b);
  if (const auto* rod = std::get_if<Rod>(&closure.type)) {
    object["length"] = rod->length;
    return object;
  }
  write_parameters(std::get<JointType>(closure.type), object);
  LinkageJson limits = limits_json(closure.limits);
  if (!limits.empty()) object["limits"] = std::move(limits);
  return object;
}

bool is_writable(const Closure& closure) {
  struct {
    bool finite = true;
    void axis(const char*, Vec3& v) { finite = finite && v.allFinite(); }
    void number(const char*, double& v) { finite = finite && std::isfinite(v); }
    void order(const char*, EulerOrder&) {}
  } parameters;
  bool finite = true;
  for (const ClosureFrame* frame : {&closure.a, &closure.b}) {
    finite = finite && rotation_defect(frame->origin.rotation) <= 1e-9 && frame->origin.position.allFinite();
  }
  if (const auto* rod = std::get_if<Rod>(&closure.type)) finite = finite && std::isfinite(rod->length);
  if (const auto* coupling = std::get_if<Coupling>(&closure.type)) {
    for (const double c : coupling->polynomial) finite = finite && std::isfinite(c);
  }
  if (const auto* joint = std::get_if<JointType>(&closure.type)) {
    JointType type = *joint;
    describe_joint(type, parameters);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double v : closure.limits.lower) finite = finite && v < infinity;
  for (const double v : closure.limits.upper) finite = finite && v > -infinity;
  for (const double v : closure.limits.velocity) finite = finite && v > -infinity;
  return finite && parameters.finite;
}

}  // namespace armature::inline v0_2
