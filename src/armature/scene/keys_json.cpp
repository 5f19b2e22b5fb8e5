// Key poses, keys of goals and their layers from JSON.
#include <algorithm>
#include <cmath>
#include <set>

#include "armature/base/math.hpp"
#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
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
bool read_key(JsonFields& fields, JsonObject& object, Interpolation usual, Key& key, bool tangents = true) {
  key.interpolation = usual;
  if (const Value rate = tangents ? object.get("rate_in") : Value{}) fields.number_or_list(rate, key.rate_in);
  if (const Value rate = tangents ? object.get("rate_out") : Value{}) fields.number_or_list(rate, key.rate_out);
  if (const Value time = object.require("time")) fields.number(time, key.time);
  if (const Value way = object.get("interpolation")) read_interpolation(fields, way, key.interpolation);
  return object.finish();
}

bool set(JsonFields& fields, Value at, Keyframes& keys, std::string_view joint, const Key& key) {
  const Status status = keys.set(joint, key);
  return status.ok() || fields.fail(at, status.message());
}

// Keys of one list at the same time: the later one counts, which is told.
class KeyTimes {
 public:
  explicit KeyTimes(std::vector<std::string>& notes) : notes_(notes) {}
  /// `whose`: in words, what the key is of.
  void take(const std::string& whose, double time) {
    if (seen_.emplace(whose, time).second) return;
    const std::string note = whose + " has two keys at " + pretty_number(time) + " s; the later in the list counts.";
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  }

 private:
  std::set<std::pair<std::string, double>> seen_;
  std::vector<std::string>& notes_;
};

// A target as a free joint has it: position, then quaternion. Planar ones have no z.
bool read_target(JsonFields& fields, Value value, KeyLayers::KeyedGoal& goal, std::vector<double>& out) {
  std::vector<double> n;
  if (!fields.number_list(value, n)) return false;
  const bool place = n.size() == 2 || n.size() == 3 || n.size() == 7;
  const bool turn = n.size() == 4 || n.size() == 7;
  if (!place && !turn) {
    return fields.fail(value, "A target has 2 or 3 numbers (a place), 4 (a quaternion) or 7 (both).");
  }
  if ((goal.place || goal.turn) && (goal.place != place || goal.turn != turn)) {
    return fields.fail(value, "All keys of goal " + detail::quoted(goal.goal) + " give the same parts of its target.");
  }
  goal.place = place;
  goal.turn = turn;
  out = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
  if (place) std::copy(n.begin(), n.begin() + (n.size() == 2 ? 2 : 3), out.begin());
  if (!turn) return true;
  const double size =
      math::hypot(math::hypot(n[n.size() - 4], n[n.size() - 3]), math::hypot(n[n.size() - 2], n.back()));
  if (!(size > 0.0) || !std::isfinite(size)) return fields.fail(value, "A quaternion must not be zero.");
  for (std::size_t i = 0; i < 4; ++i) out[3 + i] = n[n.size() - 4 + i] / size;
  return true;
}

// Keys of goals are keys of free joints, so that targets move as joints do.
bool read_goals(JsonFields& fields, Value value, Interpolation usual, bool periodic, KeyTimes times,
                KeyLayers& layers) {
  if (!fields.expect(value, JsonKind::object, "{goal: [{\"time\": seconds, \"target\": ...}]}")) return false;
  Linkage free;
  free.name = "goals";
  free.links.emplace_back().name = free.name;
  for (const Value list : value) {
    layers.goals.push_back({std::string(list.key())});
    const std::string link = "goal " + std::to_string(layers.goals.size());
    free.links.emplace_back().name = link;
    Joint& joint = free.joints.emplace_back();
    joint.name = layers.goals.back().goal;
    joint.type = Free{};
    joint.parent = free.name;
    joint.child = link;
  }
  if (layers.goals.empty()) return true;
  const Result<Model> model = compile(free);
  if (!model) return fields.fail(value, model.message());
  layers.targets.emplace(*model);
  layers.targets->set_periodic(periodic);
  std::size_t at = 0;
  for (const Value list : value) {
    KeyLayers::KeyedGoal& goal = layers.goals[at++];
    goal.q_index = model->joint(model->find_joint(goal.goal).value()).q_index;
    if (!fields.expect(list, JsonKind::array, "a list of {\"time\": seconds, \"target\": ...}")) return false;
    for (const Value item : list) {
      JsonObject entry(fields, item, "a key");
      const Value target = entry.require("target");
      Key key;
      if (!read_key(fields, entry, usual, key) || !read_target(fields, target, goal, key.values)) return false;
      times.take("Goal " + detail::quoted(goal.goal), key.time);
      for (std::vector<double>* rate : {&key.rate_in, &key.rate_out}) {  // a place alone has no turn
        if (rate->size() == 3 || rate->size() == 2) rate->resize(6, 0.0);
      }
      if (!set(fields, item, *layers.targets, goal.goal, key)) return false;
    }
  }
  return true;
}

bool read_share(JsonFields& fields, Value value, double& out) {
  if (!fields.number(value, out)) return false;
  return (out >= 0.0 && out <= 1.0) || fields.fail(value, "A weight is from 0 to 1.");
}
bool read_seconds(JsonFields& fields, Value value, double& out) {
  if (!fields.number(value, out)) return false;
  return (out >= 0.0 && std::isfinite(out)) || fields.fail(value, "This takes seconds, 0 or more.");
}

// What lies below and above the key poses.
bool read_layers(JsonFields& fields, JsonObject& object, KeyLayers& layers) {
  if (const Value tools = object.get("clip")) {
    if (!fields.expect(tools, JsonKind::array, "a list of clip tools (\"trim 1..2.5\"), [] for the motion as it is")) {
      return false;
    }
    layers.clip.emplace();
    for (const Value tool : tools) {
      if (!fields.text(tool, layers.clip->emplace_back())) return false;
    }
  }
  if (const Value v = object.get("weight"); v && !read_share(fields, v, layers.weight)) return false;
  if (const Value v = object.get("goal_weight"); v && !read_share(fields, v, layers.goal_weight)) return false;
  if (const Value v = object.get("fade"); v && !read_seconds(fields, v, layers.fade)) return false;
  const Value seconds = object.get("duration");
  return !seconds || read_seconds(fields, seconds, layers.duration);
}

}  // namespace

bool read_keys(JsonFields& fields, Value value, const Model& model, std::vector<std::string>& notes, Keyframes& keys,
               KeyLayers& layers) {
  layers = {};
  JsonObject object(fields, value, "a keys object");
  Interpolation usual = Interpolation::automatic;
  bool periodic = false;
  if (const Value repeats = object.get("periodic"); repeats && !fields.boolean(repeats, periodic)) return false;
  keys.set_periodic(periodic);
  if (const Value way = object.get("interpolation"); way && !read_interpolation(fields, way, usual)) return false;
  if (const Value poses = object.get("poses")) {
    if (!fields.expect(poses, JsonKind::array, "a list of {\"time\": seconds, \"pose\": ...}")) return false;
    KeyTimes times(notes);
    for (const Value item : poses) {
      JsonObject entry(fields, item, "a key pose");
      const Value pose = entry.require("pose");
      Key key;
      if (!read_key(fields, entry, usual, key, false)) return false;  // tangents are each joint's own
      if (!pose.is(JsonKind::object)) {                               // a whole pose
        times.take("The figure", key.time);
        VecX q = neutral_pose(model);
        if (!read_pose(fields, pose, model, q, notes)) return false;
        if (const Status status = keys.set_pose(key.time, q, key.interpolation); !status) {
          return fields.fail(item, status.message());
        }
        continue;
      }
      for (const Value joint : pose) {  // only the joints that are named
        times.take("Joint " + detail::quoted(joint.key()), key.time);
        if (!fields.number_or_list(joint, key.values) || !set(fields, joint, keys, joint.key(), key)) return false;
      }
    }
  }
  if (const Value joints = object.get("joints")) {
    if (!fields.expect(joints, JsonKind::object, "{joint: [{\"time\": seconds, \"value\": ...}]}")) return false;
    KeyTimes times(notes);
    for (const Value list : joints) {
      if (!fields.expect(list, JsonKind::array, "a list of {\"time\": seconds, \"value\": ...}")) return false;
      for (const Value item : list) {
        JsonObject entry(fields, item, "a key");
        const Value given = entry.require("value");
        Key key;
        if (!read_key(fields, entry, usual, key) || !fields.number_or_list(given, key.values)) return false;
        times.take("Joint " + detail::quoted(list.key()), key.time);
        if (!set(fields, item, keys, list.key(), key)) return false;
      }
    }
  }
  const Value goals = object.get("goals");
  if (goals && !read_goals(fields, goals, usual, periodic, KeyTimes(notes), layers)) return false;
  if (!read_layers(fields, object, layers)) return false;
  if (!object.finish()) return false;
  return !keys.empty() || layers.targets || layers.clip ||
         fields.fail(value, "There are no keys; give \"poses\", \"joints\", \"goals\" or \"clip\".");
}

}  // namespace armature::inline v0_2
