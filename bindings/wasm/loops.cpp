#include "loops.hpp"

#include <algorithm>
#include <cmath>

#include "armature/kinematics/assembly_modes.hpp"
#include "armature/kinematics/center_of_mass.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/motion/drive.hpp"
#include "armature/scene/exact.hpp"
#include "armature/scene/json_text.hpp"

namespace armature::js {
namespace {

constexpr int kMostFrames = 100000;

VecX pose_or_start(const ModelHandle& model, const val& q) {
  return q.isUndefined() ? start_pose(model.model()) : model.pose_of(q);
}

std::vector<std::string> names_of(const val& list, const char* what) {
  std::vector<std::string> out;
  if (list.isUndefined()) return out;
  if (!list.isArray())
    throw ArgumentError{std::string(what) + " must be an array of names, got " + kind_of(list) + "."};
  const auto count = list["length"].as<std::size_t>();
  for (std::size_t i = 0; i < count; ++i) out.push_back(text_of(list[i], what));
  return out;
}

double finite_of(const val& value, const char* what) {
  if (!value.isNumber() || !std::isfinite(value.as<double>())) {
    throw ArgumentError{std::string(what) + " must be a finite number, got " + kind_of(value) + "."};
  }
  return value.as<double>();
}

MechanismReport analyzed(const ModelHandle& model, const val& q, const val& drives) {
  const std::vector<std::string> names = names_of(drives, "drives");
  for (const std::string& name : names) need(model.model().find_joint(name));
  return analyze_mechanism(model.model(), pose_or_start(model, q), names);
}

}  // namespace

std::string mechanism(const ModelHandle& model, const val& q, const val& drives) {
  const MechanismReport m = analyzed(model, q, drives);
  JsonText json;
  json.begin_object().member("assembled", m.assembled).member("mobility", m.mobility).member("kutzbach", m.kutzbach);
  if (m.plane_or_point) json.member("kutzbach_reduced", m.kutzbach_reduced);
  json.member("constraints", m.rows).member("idle", m.idle).member("redundant", m.redundant);
  json.member("singular", m.singular).key("drives").strings(m.drives).member("drives_given", m.drives_given);
  json.key("free_joints").strings(m.free_joints).key("fighting").strings(m.fighting).key("groups").begin_array();
  for (const std::vector<std::string>& group : m.groups) json.strings(group);
  json.end().member("transmission", m.transmission).member("closure_error", m.closure_error);
  json.key("q").numbers(m.q).key("never_close").begin_array();
  for (const NeverCloses& item : m.never_close) {
    json.begin_object().member("closure", item.closure).member("gap", item.gap).end();
  }
  return json.end().key("notes").strings(m.notes).end().text();
}

val assembly_modes_of(const ModelHandle& model, const val& q, const val& drives, double most) {
  const MechanismReport m = analyzed(model, q, drives);
  ModesOptions options;
  options.max_modes = integer_of(most, 1, 10000, "max_modes");
  AssemblyModes modes;
  if (m.assembled) {
    modes = assembly_modes(model.model(), m.q, need(held_velocities(model.model(), m.drives)), options);
  }
  val list = val::array();
  for (const VecX& pose : modes.q) list.call<void>("push", copy_of(pose));
  val out = val::object();
  out.set("q", list);
  out.set("complete", modes.complete);
  out.set("count", modes.count);
  out.set("families", modes.families);
  out.set("limited", modes.limited);
  return out;
}

val circuit_of(const ModelHandle& model, const std::string& joint, const val& q, double largest_step) {
  if (!(largest_step >= 1e-3 && largest_step <= 10.0)) throw ArgumentError{"largest_step lies between 0.001 and 10."};
  const CircuitReport found = need(circuit(model.model(), pose_or_start(model, q), joint, largest_step));
  val out = val::object(), dead = val::array();
  for (const DeadPoint& point : found.dead_points) {
    val item = val::object();
    item.set("value", point.value);
    item.set("q", copy_of(point.q));
    dead.call<void>("push", item);
  }
  out.set("closed", found.closed);
  out.set("full_turn", found.full_turn);
  out.set("unfinished", found.unfinished);
  out.set("lower", found.lower);
  out.set("upper", found.upper);
  out.set("dead_points", dead);
  out.set("branch_points", copy_of(found.branch_points));
  out.set("limit_joint", found.limit_joint);
  out.set("clip", clip_value(found.poses));
  return out;
}

val drive_of(const ModelHandle& model, const val& given) {
  DriveOptions options;
  options.joint = text_of(given["joint"], "joint");
  options.to = finite_of(given["to"], "to");
  if (!given["from"].isUndefined()) options.from = finite_of(given["from"], "from");
  if (!given["frames"].isUndefined()) {
    options.frames = integer_of(finite_of(given["frames"], "frames"), 1, kMostFrames, "frames");
  }
  if (!given["start"].isUndefined()) options.start = model.pose_of(given["start"]);
  const DriveReport report = need(drive(model.model(), options));
  val out = val::object();
  out.set("ok", report.ok());
  out.set("outcome", std::string(outcome_name(report.outcome)));
  out.set("message", report.message());
  out.set("clip", clip_value(report.clip));
  out.set("values", copy_of(report.values));
  out.set("transmission", copy_of(report.transmission));
  out.set("q", copy_of(report.q));
  out.set("value", report.value);
  if (report.stopped_at) {
    out.set("stopped_at", *report.stopped_at);
    out.set("stopped_q", copy_of(report.stopped_pose));
  }
  out.set("in_line", string_array(report.in_line));
  out.set("other_drive", report.other_drive);
  out.set("limit_joint", report.limit_joint);
  out.set("closure_error", report.largest_closure_error);
  return out;
}

val assemble_of(const ModelHandle& model, const val& q, const val& held) {
  VecX pose = pose_or_start(model, q);
  const Status status = assemble(model.model(), pose, names_of(held, "held"));
  Assembler all;
  all.prepare(model.model());
  val out = val::object();
  out.set("ok", status.ok());
  out.set("q", copy_of(pose));
  out.set("message", status.message());
  out.set("closure_error", all.rows.rows() > 0 ? all.error(pose.data()) * all.rows.length() : 0.0);
  return out;
}

std::string describe_bodies(const ModelHandle& handle) {
  const Model& model = handle.model();
  const FoundBodies found = need(bodies_of(*handle.loaded()));
  const Bodies& bodies = *found.bodies;
  JsonText json;
  json.begin_object().key("bodies").begin_array();
  for (const Body& body : bodies.list)
    json.begin_object().member("link", body.link).member("source", body.source).end();
  const auto pairs = [&](const char* key, bool checked) {
    json.end().key(key).begin_array();
    for (const LinkPair& pair : bodies.links) {
      if ((pair.reason == PairReason::checked) != checked) continue;
      json.begin_object().member("a", model.link_name(pair.a)).member("b", model.link_name(pair.b));
      if (!checked) json.member("reason", pair.word.empty() ? std::string(reason_name(pair.reason)) : pair.word);
      json.end();
    }
  };
  pairs("pairs", true);
  pairs("ignored_pairs", false);
  return json.end().key("notes").strings(bodies.notes).end().text();
}

val center_of_mass(const ModelHandle& model, const val& q) {
  State state;
  forward(model.model(), pose_or_start(model, q), state);
  CenterOfMass all;
  all.prepare(model.model());
  const Vec3 place = all.compute(state);
  const LinkMasses& masses = all.masses();
  val out = val::object();
  out.set("position", val::global("Array").call<val>("from", view_of(place.data(), 3)));
  out.set("mass", masses.source == MassSource::file ? masses.total : 0.0);
  out.set("source", std::string(masses.source == MassSource::file     ? "file"
                                : masses.source == MassSource::shapes ? "shapes"
                                                                      : "bones"));
  return out;
}

}  // namespace armature::js
