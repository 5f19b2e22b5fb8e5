#include "armature/scene/model_json.hpp"

#include <cmath>
#include <cstring>

#include "armature/base/describe.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/methods.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

// The first axis and the order of the turns among a joint type's parameters.
struct Parameters {
  Vec3 first_axis = Vec3::UnitZ();
  bool has_axis = false;
  std::string euler_order;

  explicit Parameters(JointType type) { describe_joint(type, *this); }
  void axis(const char*, Vec3& a) {
    if (!has_axis) first_axis = a;
    has_axis = true;
  }
  void number(const char*, double&) {}
  void order(const char*, EulerOrder& o) { euler_order = std::string(o.name()); }
};

// A number for one coordinate, a list for several, null where nothing limits.
void write_limit(JsonText& json, const VecX& limits, const ModelJoint& joint) {
  if (joint.q_count == 1) {
    json.value(limits[joint.q_index]);
  } else if (joint.q_count > 1) {
    json.numbers(limits.data() + joint.q_index, joint.q_count);
  } else {
    json.raw("null");
  }
}

// A mimic joint's own range follows from its source's.
void write_mimic_limit(JsonText& json, const Model& model, const ModelJoint& joint, bool upper) {
  if (joint.q_count != 1) {
    json.raw("null");
    return;
  }
  const bool from_upper = upper == (joint.multiplier >= 0.0);
  const double source = (from_upper ? model.upper() : model.lower())[joint.q_index];
  json.value(joint.multiplier == 0.0 ? joint.offset : joint.multiplier * source + joint.offset);
}

const char* unit_of(Coordinate kind) {
  return kind == Coordinate::angle ? "angle" : kind == Coordinate::length ? "length" : "";
}

void write_joint(JsonText& json, const Model& model, int link) {
  const ModelJoint& joint = model.joint(link);
  const Parameters parameters(joint.type);
  json.begin_object().member("name", joint.name).member("type", type_name(joint.type)).key("parent");
  if (joint.parent < 0) {
    json.raw("null");
  } else {
    json.value(model.link_name(joint.parent));
  }
  json.member("child", model.link_name(link));
  json.key("origin").begin_object().key("position").numbers(joint.origin.position);
  json.key("quaternion").numbers(joint.origin.quaternion().coeffs()).end();
  if (parameters.has_axis) json.key("axis").numbers(parameters.first_axis);
  if (!parameters.euler_order.empty()) json.member("order", parameters.euler_order);
  json.member("q_index", joint.q_index).member("q_size", joint.q_count);
  json.member("v_index", joint.v_index).member("v_size", joint.v_count);
  json.key("coordinates").begin_array();
  for (int k = 0; k < joint.q_count; ++k) json.value(coordinate_name(joint.type, k));
  json.end().key("units").begin_array();
  for (const Coordinate kind : coordinates(joint.type)) json.value(unit_of(kind));
  json.end().key("lower");
  if (joint.mimic) {
    write_mimic_limit(json, model, joint, false);
    write_mimic_limit(json.key("upper"), model, joint, true);
  } else {
    write_limit(json, model.lower(), joint);
    write_limit(json.key("upper"), model.upper(), joint);
  }
  if (joint.cone) {
    json.key("cone").begin_object().key("axis").numbers(joint.cone->axis).member("swing", joint.cone->swing);
    json.key("twist").begin_array().value(joint.cone->twist_lower).value(joint.cone->twist_upper).end().end();
  }
  if (joint.mimic) {
    json.key("mimic").begin_object().member("joint", model.joint(joint.source).name);
    json.member("multiplier", joint.multiplier).member("offset", joint.offset).end();
  }
  json.end();
}

void write_option(JsonText& json, const OptionInfo& option) {
  static constexpr const char* kTypes[] = {"boolean", "integer", "real", "choice"};
  json.begin_object().member("name", option.name).member("label", option.label);
  if (!option.group.empty()) json.member("group", option.group);
  json.member("type", kTypes[static_cast<int>(option.type)]).key("default");
  if (option.type == OptionInfo::Type::choice) {
    json.value(option.choices[static_cast<std::size_t>(option.default_value)]);
  } else if (option.type == OptionInfo::Type::boolean) {
    json.value(option.default_value != 0.0);
  } else {
    json.value(option.default_value);
  }
  json.member("auto", option.automatic);
  if (option.min > -1e299) json.member("min", option.min);
  if (option.max < 1e299) json.member("max", option.max);
  if (option.scale == Scale::log) json.member("log", true);
  json.member("unit", option.unit).member("doc", option.doc);
  if (!option.choices.empty()) json.key("choices").strings(option.choices);
  json.end();
}

// Closures by name, type and what they hold; mobility and drives.
void write_loops(JsonText& json, const Model& model) {
  json.key("closures").begin_array();
  const auto link = [&](int i) { return i < 0 ? std::string("world") : model.link_name(i); };
  for (const ModelClosure& closure : model.closures()) {
    json.begin_object().member("name", closure.name).member("type", type_name(closure.type));
    if (std::holds_alternative<Coupling>(closure.type)) {
      json.member("joint", model.joint(closure.joint).name);
      json.member("source", closure.source < 0 ? std::string() : model.joint(closure.source).name).end();
    } else {
      json.member("a", link(closure.a)).member("b", link(closure.b)).end();
    }
  }
  json.end();
  if (model.closures().empty()) {
    json.member("mobility", model.v_size());
    return;
  }
  const MechanismReport mechanism = analyze_mechanism(model, start_pose(model));
  json.member("assembled", mechanism.assembled).member("mobility", mechanism.mobility);
  json.key("drives").strings(mechanism.drives);
}

}  // namespace

void write_model(JsonText& json, const Document& document, const Model& model) {
  json.member("name", model.name()).member("q_size", model.q_size()).member("v_size", model.v_size());
  json.key("links").strings(model.links()).key("joints").begin_array();
  for (int link = 0; link < model.link_count(); ++link) {
    if (!model.joint(link).name.empty()) write_joint(json, model, link);
  }
  json.end().key("effectors").begin_array();
  for (const int link : model.effectors()) json.value(model.link_name(link));
  json.end().key("groups").begin_object();
  for (const Group& group : model.linkage().groups) {
    json.key(group.name).begin_object();
    if (!group.tip.empty()) json.member("base", group.base).member("tip", group.tip);
    json.key("joints").strings(group.joints).end();
  }
  double mass = 0.0;
  for (const Link& link : model.linkage().links) mass += link.mass;
  json.end().member("mass", mass);
  json.key("poses").begin_object();
  for (const ModelPose& pose : model.poses()) write_pose(json.key(pose.name), model, pose.q);
  json.end().member("size", model.size()).member("planar", is_planar(model));
  write_loops(json, model);
  json.key("clips").begin_array();
  for (const Clip& clip : document.clips) {
    json.begin_object().member("name", clip.name).member("frames", clip.frame_count());
    json.member("frame_time", clip.frame_time).end();
  }
  json.end().member("description", model.linkage().description);
}

std::string models_json() {
  JsonText json;
  json.begin_array();
  for (const std::string& name : builtin_names()) {
    const Result<LoadedModel> loaded = open_model(name);
    if (!loaded) continue;
    json.begin_object().member("name", name).member("label", label_of(name));
    json.member("doc", loaded->model.linkage().description).member("v_size", loaded->model.v_size());
    json.member("links", loaded->model.link_count()).end();
  }
  return json.end().text();
}

std::string formats_json() {
  JsonText json;
  json.begin_array();
  for (const Format& format : formats()) {
    json.begin_object().member("name", format.name).member("label", format.label).key("extensions").begin_array();
    for (const char* at = format.extensions; *at != '\0';) {
      const std::size_t length = std::strcspn(at, " ");
      json.value("." + std::string(at, length));
      at += length + (at[length] == ' ' ? 1 : 0);
    }
    json.end().member("reads", format.read != nullptr).member("writes", format.write != nullptr);
    json.member("motion", format.motion).member("binary", format.binary).end();
  }
  return json.end().text();
}

std::string methods_json() {
  JsonText json;
  json.begin_array();
  for (const MethodEntry& entry : methods()) {
    Solver made(entry.make());
    json.begin_object().member("name", entry.name).member("label", entry.label).member("group", entry.group);
    json.member("doc", entry.doc).member("color", made->info().color).member("dash", made->info().dash);
    json.member("marker", std::string(1, made->info().marker)).key("options").begin_array();
    for (const OptionInfo& option : made->option_list()) write_option(json, option);
    json.end().end();
  }
  return json.end().text();
}

}  // namespace armature::inline v0_2
