#include "armature/scene/mechanism_json.hpp"

#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

void write_poses(JsonText& json, const Model& model, const std::vector<VecX>& poses) {
  json.begin_array();
  for (const VecX& q : poses) write_pose(json, model, q);
  json.end();
}

void write_circuit(JsonText& json, const ModeCircuit& circuit) {
  json.begin_object().member("drive", circuit.drive).key("modes").begin_array();
  for (const int mode : circuit.modes) json.value(mode);
  json.end().member("closed", circuit.report.closed).member("full_turn", circuit.report.full_turn);
  json.member("unfinished", circuit.report.unfinished);
  json.member("lower", circuit.report.lower).member("upper", circuit.report.upper).key("dead_points").begin_array();
  for (const DeadPoint& dead : circuit.report.dead_points) json.value(dead.value);
  json.end().key("branch_points").begin_array();
  for (const double value : circuit.report.branch_points) json.value(value);
  json.end();
  if (!circuit.report.limit_joint.empty()) json.member("limit_joint", circuit.report.limit_joint);
  json.end();
}

}  // namespace

MechanismAnswer describe_mechanism(const Model& model, const VecX& q, bool modes, bool circuits) {
  // Drives stay where they are told to, if the loops close so; else assemble() leaves the pose as it is.
  VecX held_drives = q;
  std::vector<std::string> drives;
  for (const int link : model.drives()) drives.push_back(model.joint(link).name);
  if (!drives.empty()) static_cast<void>(assemble(model, held_drives, drives));
  MechanismAnswer answer{analyze_mechanism(model, held_drives), {}, {}};
  if (!answer.report.assembled || (!modes && !circuits)) return answer;
  const Result<std::vector<char>> held = held_velocities(model, answer.report.drives);
  if (!held) {
    answer.report.notes.push_back(held.message());
    return answer;
  }
  AssemblyModes found = assembly_modes(model, answer.report.q, *held);
  if (circuits) answer.circuits = find_circuits(model, answer.report, found);
  if (modes) answer.modes = std::move(found);
  return answer;
}

void write_mechanism(JsonText& json, const Model& model, const MechanismAnswer& answer) {
  const MechanismReport& m = answer.report;
  const auto count = [&](const char* name, bool known, int value) {
    json.key(name);
    known ? json.value(value) : json.raw("null");
  };
  count("mobility", m.assembled, m.mobility);
  json.member("kutzbach", m.kutzbach);
  count("kutzbach_reduced", m.plane_or_point, m.kutzbach_reduced);
  json.member("constraints", m.rows).member("idle", m.idle).member("redundant", m.redundant);
  json.key("drives").strings(m.drives).member("drives_given", m.drives_given);
  json.key("free_joints").strings(m.free_joints).member("singular", m.singular);
  json.member("transmission", m.transmission).member("closure_error", m.closure_error).key("groups").begin_array();
  for (const std::vector<std::string>& group : m.groups) json.strings(group);
  json.end();
  if (m.assembled) {
    json.key("pose");
    write_pose(json, model, m.q);
  }
  if (answer.modes) {
    json.key("modes");
    write_poses(json, model, answer.modes->q);
    json.member("mode_count", answer.modes->count).member("modes_complete", answer.modes->complete);
    json.member("families", answer.modes->families).member("modes_limited", answer.modes->limited);
  }
  if (answer.circuits) {
    json.key("circuits").begin_array();
    for (const ModeCircuit& circuit : *answer.circuits) write_circuit(json, circuit);
    json.end();
  }
}

}  // namespace armature::inline v0_2
