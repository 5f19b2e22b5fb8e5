// Key poses from JSON.
#include "armature/kinematics/pose.hpp"
#include "armature/scene/motion_json.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

bool read_interpolation(JsonFields& fields, Value value, Interpolation& out) {
  std::string name;
  if (!fields.text(value, name)) return false;
  const Result<Interpolation> known = interpolation_from_name(name);
  if (!known) return fields.fail(value, known.message());
  out = *known;
  return true;
}

// What every key has besides its values.
bool read_key(JsonFields& fields, JsonObject& object, Interpolation usual, Key& key) {
  key.interpolation = usual;
  if (const Value time = object.require("time")) fields.number(time, key.time);
  if (const Value way = object.get("interpolation")) read_interpolation(fields, way, key.interpolation);
  return object.finish();
}

bool read_values(JsonFields& fields, Value value, std::vector<double>& values) {
  values.clear();
  if (value.is(JsonKind::array)) return fields.number_list(value, values);
  values.resize(1);
  return fields.number(value, values[0]);
}

bool set(JsonFields& fields, Value at, Keyframes& keys, std::string_view joint, const Key& key) {
  const Status status = keys.set(joint, key);
  return status.ok() || fields.fail(at, status.message());
}

}  // namespace

bool read_keys(JsonFields& fields, Value value, const Model& model, std::vector<std::string>& notes, Keyframes& keys) {
  JsonObject object(fields, value, "a keys object");
  Interpolation usual = Interpolation::automatic;
  bool periodic = false;
  if (const Value repeats = object.get("periodic"); repeats && !fields.boolean(repeats, periodic)) return false;
  keys.set_periodic(periodic);
  if (const Value way = object.get("interpolation"); way && !read_interpolation(fields, way, usual)) return false;
  if (const Value poses = object.get("poses")) {
    if (!fields.expect(poses, JsonKind::array, "a list of {\"time\": seconds, \"pose\": ...}")) return false;
    for (const Value item : poses) {
      JsonObject entry(fields, item, "a key pose");
      const Value pose = entry.require("pose");
      Key key;
      if (!read_key(fields, entry, usual, key)) return false;
      if (!pose.is(JsonKind::object)) {  // a whole pose
        VecX q = neutral_pose(model);
        if (!read_pose(fields, pose, model, q, notes)) return false;
        if (const Status status = keys.set_pose(key.time, q, key.interpolation); !status) {
          return fields.fail(item, status.message());
        }
        continue;
      }
      for (const Value joint : pose) {  // only the joints that are named
        if (!read_values(fields, joint, key.values) || !set(fields, joint, keys, joint.key(), key)) return false;
      }
    }
  }
  if (const Value joints = object.get("joints")) {
    if (!fields.expect(joints, JsonKind::object, "{joint: [{\"time\": seconds, \"value\": ...}]}")) return false;
    for (const Value list : joints) {
      if (!fields.expect(list, JsonKind::array, "a list of {\"time\": seconds, \"value\": ...}")) return false;
      for (const Value item : list) {
        JsonObject entry(fields, item, "a key");
        const Value given = entry.require("value");
        Key key;
        if (!read_key(fields, entry, usual, key) || !read_values(fields, given, key.values)) return false;
        if (!set(fields, item, keys, list.key(), key)) return false;
      }
    }
  }
  // Keys of goals are the studio's, which solves for them: checked, and kept as they are written.
  const Value goals = object.get("goals");
  if (goals && fields.expect(goals, JsonKind::object, "{goal: [{\"time\": seconds, \"target\": ...}]}")) {
    for (const Value list : goals) {
      if (!fields.expect(list, JsonKind::array, "a list of {\"time\": seconds, \"target\": ...}")) return false;
      for (const Value item : list) {
        JsonObject entry(fields, item, "a key");
        double time = 0.0;
        std::vector<double> target;
        if (const Value v = entry.require("time")) fields.number(v, time);
        if (const Value v = entry.require("target")) fields.number_list(v, target);
        if (!entry.finish()) return false;
      }
    }
  }
  if (!object.finish()) return false;
  return !keys.empty() || goals || fields.fail(value, "There are no keys; give \"poses\", \"joints\" or \"goals\".");
}

}  // namespace armature::inline v0_2
