// Armature's own format, writing: what json.cpp reads back to the same bits. Rotations are written as rpy where that is
// exact, as a matrix where it is not.
#include <nlohmann/json.hpp>
#include <set>

#include "armature/base/suggest.hpp"
#include "armature/formats/json_linkage.hpp"
#include "armature/formats/json_print.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/source.hpp"
#include "armature/formats/spelling.hpp"

namespace armature::inline v0_2 {
namespace {

using Json = nlohmann::ordered_json;

Json shape_json(const Shape& shape) {
  Json object;
  object["type"] = shape_name(shape);
  if (const auto* box = std::get_if<Box>(&shape)) object["size"] = row_major(box->size);
  if (const auto* sphere = std::get_if<Sphere>(&shape)) object["radius"] = sphere->radius;
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    object["radius"] = cylinder->radius;
    object["length"] = cylinder->length;
  }
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    object["radius"] = capsule->radius;
    object["length"] = capsule->length;
  }
  if (const auto* line = std::get_if<Polyline>(&shape)) {
    object["points"] = Json::array();
    for (const Vec3& point : line->points) object["points"].push_back(row_major(point));
  }
  if (const auto* mesh = std::get_if<MeshFile>(&shape)) object["uri"] = mesh->uri;
  return object;
}

// Placement as origin and scale where these give the same bits, else as a 4x4 matrix.
void write_ready(const Mat4& ready, Json& visual) {
  if (ready == Mat4::Identity()) return;
  const std::optional<ReadyParts> parts = split_ready(ready);
  if (!parts || !parts->exact) {
    visual["matrix"] = row_major(ready);
    return;
  }
  if (!parts->origin.is_identity()) visual["origin"] = origin_json(parts->origin);
  if (parts->scale != Vec3::Ones()) visual["scale"] = row_major(parts->scale);
}

// Infinities become null, which reads back as "none".
Json bounds_json(const std::vector<double>& values) {
  if (values.size() == 1) return values[0];
  return values;
}

Json opaque_json(const std::vector<Opaque>& list) {
  Json out = Json::array();
  for (const Opaque& part : list) out.push_back({{"format", part.format}, {"text", part.text}});
  return out;
}

// As read_inertia of json.cpp takes it.
Json inertia_json(const Mat3& I) {
  Json list = {I(0, 0), I(1, 1), I(2, 2)};
  if (I(0, 1) != 0.0 || I(0, 2) != 0.0 || I(1, 2) != 0.0) {
    for (const double x : {I(0, 1), I(0, 2), I(1, 2)}) list.push_back(x);
  }
  return list;
}

Json joint_json(const Joint& joint) {
  Json object;
  object["name"] = joint.name;
  object["type"] = type_name(joint.type);
  if (!joint.parent.empty()) object["parent"] = joint.parent;
  object["child"] = joint.child;
  if (!joint.origin.is_identity()) object["origin"] = origin_json(joint.origin);
  write_parameters(joint.type, object);
  Json limits = limits_json(joint.limits);
  if (!limits.empty()) object["limits"] = std::move(limits);
  if (joint.mimic) {
    object["mimic"] = {
        {"joint", joint.mimic->joint}, {"multiplier", joint.mimic->multiplier}, {"offset", joint.mimic->offset}};
  }
  if (!joint.opaque.empty()) object["opaque"] = opaque_json(joint.opaque);
  return object;
}

// How many of the last geometries can be written inside the links that use them, so that reading gives back the same
// list: they must be exactly the ones that reading would create, in that order, and used nowhere else.
std::size_t inline_count(const Linkage& linkage) {
  std::vector<std::string> created;
  std::multiset<std::string> used;
  for (const Link& link : linkage.links) {
    for (std::size_t i = 0; i < link.visuals.size(); ++i) {
      used.insert(link.visuals[i].geometry);
      if (link.visuals[i].geometry == inline_geometry_name(link.name, i)) created.push_back(link.visuals[i].geometry);
    }
  }
  const std::vector<Geometry>& all = linkage.geometries;
  if (created.size() > all.size()) return 0;
  for (std::size_t i = 0; i < created.size(); ++i) {
    if (all[all.size() - created.size() + i].name != created[i] || used.count(created[i]) != 1) return 0;
  }
  return created.size();
}

// `next_inline` is the first geometry not yet written inside a link.
Json link_json(const Link& link, const Linkage& linkage, std::size_t& next_inline) {
  Json object;
  object["name"] = link.name;
  for (std::size_t i = 0; i < link.visuals.size(); ++i) {
    const Visual& visual = link.visuals[i];
    Json item;
    item["geometry"] = visual.geometry;
    if (next_inline < linkage.geometries.size() && visual.geometry == inline_geometry_name(link.name, i)) {
      item["geometry"] = shape_json(linkage.geometries[next_inline++].shape);
    }
    write_ready(visual.X_LG, item);
    if (visual.color) item["color"] = *visual.color;
    if (visual.collision) item["collision"] = true;
    if (!visual.material.empty()) item["material"] = visual.material;
    object["visuals"].push_back(std::move(item));
  }
  if (link.mass != 0.0) object["mass"] = link.mass;
  if (!link.center.isZero(0.0)) object["center"] = row_major(link.center);
  if (!link.inertia.isZero(0.0)) object["inertia"] = inertia_json(link.inertia);
  if (!link.opaque.empty()) object["opaque"] = opaque_json(link.opaque);
  return object;
}

// The file would not read back: NaN, infinities out of place, or two poses of one name.
Status check_writable(const Document& document) {
  const auto bad = [](const std::string& what) {
    return Error{what + " holds a number that is not finite; such a linkage cannot be written."};
  };
  for (const Link& link : document.linkage.links) {
    if (!std::isfinite(link.mass) || !link.center.allFinite() || !link.inertia.allFinite()) {
      return bad("The mass, center or inertia of link " + armature::detail::quoted(link.name));
    }
  }
  for (const Body& body : document.linkage.bodies) {
    if (!body.origin.is_finite()) return bad("A body of link " + armature::detail::quoted(body.link));
  }
  for (const Joint& joint : document.linkage.joints) {
    bool finite = rotation_defect(joint.origin.rotation) <= 1e-9 && joint.origin.position.allFinite();
    if (!finite) {
      return Error{"The placement of joint " + armature::detail::quoted(joint.name) +
                   " is not a finite rotation and translation; such a linkage cannot be written."};
    }
    struct {
      bool finite = true;
      void axis(const char*, Vec3& v) { finite = finite && v.allFinite(); }
      void number(const char*, double& v) { finite = finite && std::isfinite(v); }
      void order(const char*, EulerOrder&) {}
    } parameters;
    JointType type = joint.type;
    describe_joint(type, parameters);
    for (const double v : joint.limits.lower) finite = finite && v < std::numeric_limits<double>::infinity();
    for (const double v : joint.limits.upper) finite = finite && v > -std::numeric_limits<double>::infinity();
    for (const double v : joint.limits.velocity) finite = finite && v > -std::numeric_limits<double>::infinity();
    for (const double v : joint.limits.effort) finite = finite && v > -std::numeric_limits<double>::infinity();
    if (joint.mimic) finite = finite && std::isfinite(joint.mimic->multiplier) && std::isfinite(joint.mimic->offset);
    if (!finite || !parameters.finite) return bad("Joint " + armature::detail::quoted(joint.name));
  }
  for (const Closure& closure : document.linkage.closures) {
    if (!is_writable(closure)) return bad("Closure " + armature::detail::quoted(closure.name));
  }
  for (const Link& link : document.linkage.links) {
    for (const Visual& visual : link.visuals) {
      if (!visual.X_LG.allFinite()) return bad("A visual of link " + armature::detail::quoted(link.name));
    }
  }
  std::set<std::string> names;
  for (const NamedPose& pose : document.linkage.poses) {
    if (!names.insert(pose.name).second) {
      return Error{"Two poses are called " + armature::detail::quoted(pose.name) +
                   "; give each its own name to write them."};
    }
    for (const auto& [joint, values] : pose.values) {
      for (const double v : values) {
        if (!std::isfinite(v)) return bad("Pose " + armature::detail::quoted(pose.name));
      }
    }
  }
  for (const Clip& clip : document.clips) {
    for (const double v : clip.values) {
      if (!std::isfinite(v)) return bad("Clip " + armature::detail::quoted(clip.name));
    }
  }
  return {};
}

}  // namespace

Result<std::string> write_json(const Document& document, const WriteOptions& options) {
  if (const Status status = check_writable(document); !status) return status.error();
  const Linkage& linkage = document.linkage;
  Json file;
  file["format"] = "armature";
  // Version 1 for what its readers know, so that they go on reading it.
  file["version"] = linkage.closures.empty() && linkage.drives.empty() && linkage.up.empty() ? 1 : 2;
  file["name"] = linkage.name;
  if (!linkage.description.empty()) file["description"] = linkage.description;
  if (!linkage.up.empty()) file["up"] = linkage.up;
  const std::size_t first_inline = linkage.geometries.size() - inline_count(linkage);
  for (std::size_t i = 0; i < first_inline; ++i) {
    Json item;
    item["name"] = linkage.geometries[i].name;
    item.update(shape_json(linkage.geometries[i].shape));
    file["geometries"].push_back(std::move(item));
  }
  file["links"] = Json::array();
  std::size_t next_inline = first_inline;
  for (const Link& link : linkage.links) file["links"].push_back(link_json(link, linkage, next_inline));
  file["joints"] = Json::array();
  for (const Joint& joint : linkage.joints) file["joints"].push_back(joint_json(joint));
  for (const Closure& closure : linkage.closures) file["closures"].push_back(closure_json(closure));
  if (!linkage.drives.empty()) file["drives"] = linkage.drives;
  for (const NamedPose& pose : linkage.poses) {
    Json values = Json::object();
    for (const auto& [joint, numbers] : pose.values) values[joint] = bounds_json(numbers);
    file["poses"][pose.name] = std::move(values);
  }
  if (!linkage.effectors.empty()) file["effectors"] = linkage.effectors;
  for (const Group& group : linkage.groups) {
    Json& item = file["groups"][group.name];
    item = Json::object();
    if (!group.base.empty()) item["base"] = group.base;
    if (!group.tip.empty()) item["tip"] = group.tip;
    if (!group.joints.empty()) item["joints"] = group.joints;
  }
  for (const Body& body : linkage.bodies) {
    Json item;
    item["link"] = body.link;
    item["shape"] = shape_json(body.shape);
    if (!body.origin.is_identity()) item["origin"] = origin_json(body.origin);
    if (body.source != "file") item["source"] = body.source;
    file["bodies"].push_back(std::move(item));
  }
  for (const IgnoredPair& pair : linkage.ignored_pairs) {
    file["ignored_pairs"].push_back({{"a", pair.a}, {"b", pair.b}, {"reason", pair.reason}});
  }
  if (!linkage.opaque.empty()) file["opaque"] = opaque_json(linkage.opaque);
  for (const Clip& clip : document.clips) {
    Json item;
    item["name"] = clip.name;
    item["frame_time"] = clip.frame_time;
    item["frames"] = Json::array();
    for (int f = 0; f < clip.frame_count(); ++f) {
      item["frames"].push_back(std::vector<double>(clip.frame(f), clip.frame(f) + clip.q_size));
    }
    file["clips"].push_back(std::move(item));
  }
  if (const std::string lost = document.linkage.extra ? document.linkage.extra->format_only() : "";
      !lost.empty() && options.notes != nullptr) {
    options.notes->push_back("Not kept in this format: " + lost + ".");
  }
  return print_json(file, options.digits);
}

}  // namespace armature::inline v0_2
