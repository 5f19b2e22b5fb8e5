// Keys and paths from JSON. Over 400 lines: both are read through one set of fields that name file, place and mistake.
#include "motion_files.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/registry.hpp"
#include "common.hpp"
#include "goals_file.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

// Typed fields of one JSON object; every mistake is BadInput that names file, place and field.
class MotionFields {
 public:
  MotionFields(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) throw BadInput{fmt::format("{} must be an object {{...}}.", where_)};
  }
  const Json* find(const char* key) {
    known_.emplace_back(key);
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  const Json& need_field(const char* key, const char* what) {
    const Json* found = find(key);
    if (found == nullptr) throw BadInput{fmt::format("{} needs \"{}\": {}.", where_, key, what)};
    return *found;
  }
  double number(const char* key, double otherwise) {
    const Json* found = find(key);
    if (found == nullptr) return otherwise;
    if (!found->is_number() || !std::isfinite(found->get<double>())) throw wrong(key, "a finite number");
    return found->get<double>();
  }
  std::string word(const char* key, const std::string& otherwise) {
    const Json* found = find(key);
    if (found == nullptr) return otherwise;
    if (!found->is_string()) throw wrong(key, "a word in quotes");
    return found->get<std::string>();
  }
  Vec3 vector(const char* key, const Vec3& otherwise) {
    const Json* found = find(key);
    return found == nullptr ? otherwise : vector_of(*found, key);
  }
  Vec3 vector_of(const Json& json, const char* key) const {
    if (!json.is_array() || (json.size() != 3 && json.size() != 2)) throw wrong(key, "2 or 3 numbers [x, y, z]");
    Vec3 v = Vec3::Zero();
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (!json[i].is_number()) throw wrong(key, "2 or 3 numbers [x, y, z]");
      v[static_cast<int>(i)] = json[i].get<double>();
    }
    return v;
  }
  bool flag(const char* key) {
    const Json* found = find(key);
    if (found == nullptr) return false;
    if (!found->is_boolean()) throw wrong(key, "true or false");
    return found->get<bool>();
  }
  const Json& list(const char* key, const char* what) {
    const Json& found = need_field(key, what);
    if (!found.is_array()) throw wrong(key, what);
    return found;
  }
  BadInput wrong(const char* key, const char* what) const {
    return BadInput{fmt::format("{}: \"{}\" needs {}.", where_, key, what)};
  }
  const std::string& where() const { return where_; }
  /// Refuses keys that nobody asked for.
  void finish() const {
    for (const auto& [key, value] : json_.items()) {
      if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
        throw BadInput{fmt::format("{}: {}", where_, unknown_name("field", key, known_))};
      }
    }
  }

 private:
  const Json& json_;
  std::string where_;
  std::vector<std::string> known_{"$schema"};
};

Json parse_motion_file(std::string_view text, const std::string& file, const char* format) {
  Json json = Json::parse(text, nullptr, false, true);
  if (json.is_discarded()) throw BadInput{fmt::format("{} is not JSON.", in_quotes(file))};
  if (!json.is_object())
    throw BadInput{fmt::format("{} must hold an object {{\"format\": \"{}\", ...}}.", in_quotes(file), format)};
  const auto found = json.find("format");
  if (found == json.end() || !found->is_string() || found->get<std::string>() != format) {
    throw BadInput{fmt::format("{} must begin with \"format\": \"{}\".", in_quotes(file), format)};
  }
  return json;
}

double frame_time_of(MotionFields& fields) {
  fields.find("format");
  const double version = fields.number("version", 1);
  if (version != 1) throw BadInput{fmt::format("{}: this program reads version 1.", fields.where())};
  const double rate = fields.number("frame_rate", 30.0);
  if (!(rate > 0.0 && rate <= 1e6)) throw fields.wrong("frame_rate", "frames a second, more than 0");
  return 1.0 / rate;
}

std::vector<double> key_values(const Json& json, const MotionFields& fields) {
  std::vector<double> values;
  const Json list = json.is_array() ? json : Json::array({json});
  for (const Json& v : list) {
    if (!v.is_number()) throw fields.wrong("value", "a number or a list of numbers");
    values.push_back(v.get<double>());
  }
  return values;
}

Quat rotation_of(MotionFields& fields) {
  if (const Json* rpy = fields.find("rpy")) {
    const Vec3 a = fields.vector_of(*rpy, "rpy");
    fields.find("quaternion");
    return euler_to_quaternion(EulerOrder{{2, 1, 0}}, Vec3(a[2], a[1], a[0]));
  }
  const Json& q = fields.list("quaternion", "4 numbers x, y, z, w (or \"rpy\": 3 angles)");
  if (q.size() != 4) throw fields.wrong("quaternion", "4 numbers x, y, z, w");
  for (const Json& v : q) {
    if (!v.is_number()) throw fields.wrong("quaternion", "4 numbers x, y, z, w");
  }
  const Quat turn(q[3].get<double>(), q[0].get<double>(), q[1].get<double>(), q[2].get<double>());
  if (!(turn.norm() > 1e-9)) throw fields.wrong("quaternion", "4 numbers that are not all zero");
  return turn.normalized();
}

Curve curve_of(const Json& json, const std::string& where, const Vec3& here) {
  MotionFields fields(json, where + ", curve");
  const std::string type = fields.word("type", "polyline");
  const Vec3 origin = fields.flag("relative") ? here : Vec3(Vec3::Zero());
  const auto points = [&] {
    std::vector<Vec3> list;
    for (const Json& p :
         fields.list("points", "a list of places [[x, y, z], ...]; \"here\" is where the link starts")) {
      list.push_back(p.is_string() && p.get<std::string>() == "here" ? here
                                                                     : Vec3(origin + fields.vector_of(p, "points")));
    }
    return list;
  };
  Result<Curve> curve = Error{""};
  if (type == "line" || type == "polyline") {
    curve = Curve::polyline(points());
  } else if (type == "catmull_rom") {
    const bool closed = fields.flag("closed");
    curve = Curve::catmull_rom(points(), closed);
  } else if (type == "bezier") {
    curve = Curve::bezier(points());
  } else if (type == "circle" || type == "arc") {
    const Vec3 centre = origin + fields.vector_of(fields.need_field("center", "a place [x, y, z]"), "center");
    const Vec3 normal = fields.vector("normal", Vec3::UnitZ());
    const Json* given = fields.find("start");
    const Vec3 start = given == nullptr ? here : Vec3(origin + fields.vector_of(*given, "start"));
    curve = Curve::arc(centre, normal, start, fields.number("angle", 2.0 * kPi));
  } else {
    throw BadInput{
        fmt::format("{}: {}", fields.where(),
                    unknown_name("curve", type, {"line", "polyline", "circle", "arc", "catmull_rom", "bezier"}))};
  }
  fields.finish();
  if (!curve.ok()) throw BadInput{fmt::format("{}: {}", fields.where(), curve.message())};
  return std::move(curve).value();
}

Timing timing_of(const Json& json, const std::string& where) {
  MotionFields fields(json, where + ", timing");
  Timing timing;
  const std::string profile = fields.word("profile", "steady");
  if (profile == "ease") {
    timing.profile = Timing::Profile::ease;
  } else if (profile == "trapezoid") {
    timing.profile = Timing::Profile::trapezoid;
  } else if (profile != "steady") {
    throw BadInput{
        fmt::format("{}: {}", fields.where(), unknown_name("profile", profile, {"steady", "ease", "trapezoid"}))};
  }
  timing.duration = fields.number("duration", 1.0);
  timing.speed = fields.number("speed", 0.0);
  timing.acceleration = fields.number("acceleration", 0.0);
  if (!(timing.duration >= 0.0)) throw fields.wrong("duration", "seconds, not negative");
  if (timing.profile == Timing::Profile::trapezoid && !(timing.speed > 0.0 && timing.acceleration > 0.0)) {
    throw BadInput{fmt::format("{}: a trapezoid needs \"speed\" and \"acceleration\" above 0.", fields.where())};
  }
  fields.finish();
  return timing;
}

OrientationTrack orientation_of(const Json& json, const std::string& where, const Quat& now, double length) {
  OrientationTrack track;
  if (json.is_string() && json.get<std::string>() == "keep") {
    track.at = {0.0};
    track.keys = {now};
    return track;
  }
  MotionFields fields(json, where + ", orientation");
  const std::string turning = fields.word("turning", "slerp");
  if (turning == "squad") {
    track.turning = Turning::squad;
  } else if (turning != "slerp") {
    throw BadInput{fmt::format("{}: {}", fields.where(), unknown_name("turning", turning, {"slerp", "squad"}))};
  }
  const Json& keys = fields.list("keys", "a list of {\"at\": 0 to 1, \"quaternion\": [x, y, z, w]}");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    MotionFields key(keys[i], fmt::format("{}, key {}", fields.where(), i + 1));
    const double even = keys.size() > 1 ? static_cast<double>(i) / static_cast<double>(keys.size() - 1) : 0.0;
    const double at = key.number("at", even) * length;
    if (!track.at.empty() && !(at > track.at.back()))
      throw key.wrong("at", "parts of the way (0 to 1) that go up from key to key");
    track.at.push_back(at);
    track.keys.push_back(key.flag("here") ? now : rotation_of(key));
    key.find("quaternion");
    key.find("rpy");
    key.finish();
  }
  if (track.keys.empty()) throw fields.wrong("keys", "at least one rotation");
  fields.finish();
  return track;
}

GoalPath path_of(const Model& model, const Json& json, const std::string& where, const State& state) {
  MotionFields fields(json, where);
  GoalPath path;
  path.link = link_of(model, fields.word("link", ""));
  path.point = fields.vector("point", Vec3::Zero());
  path.start = fields.number("start", 0.0);
  path.planar = fields.flag("planar");
  if (!(path.start >= 0.0)) throw fields.wrong("start", "seconds, not negative");
  const Transform& X = state.X_WL[static_cast<std::size_t>(path.link)];
  path.curve = curve_of(fields.need_field("curve", "{\"type\": ..., \"points\": ...}"), where, X * path.point);
  if (const Json* timing = fields.find("timing")) path.timing = timing_of(*timing, where);
  if (const Json* turning = fields.find("orientation")) {
    path.orientation = orientation_of(*turning, where, X.quaternion(), path.curve.length());
  }
  fields.finish();
  return path;
}

// A link that stays where the start pose has it.
Goal planted(const Model& model, const Json& json, const std::string& where, const State& state) {
  MotionFields fields(json, where);
  const int link = link_of(model, fields.word("link", ""));
  const std::string what = fields.word("what", "pose");
  const Vec3 point = fields.vector("point", Vec3::Zero());
  fields.finish();
  const Transform& X = state.X_WL[static_cast<std::size_t>(link)];
  if (what == "position") {
    PositionGoal goal;
    goal.link = link;
    goal.point = point;
    goal.target = X * point;
    return goal;
  }
  if (what == "orientation") {
    OrientationGoal goal;
    goal.link = link;
    goal.target = X.quaternion();
    return goal;
  }
  if (what != "pose") {
    throw BadInput{
        fmt::format("{}: {}", where, unknown_name("thing to keep", what, {"pose", "position", "orientation"}))};
  }
  PoseGoal goal;
  goal.link = link;
  goal.point = point;
  goal.target = X * Transform::translate(point);
  return goal;
}

void gains_of(const Model& model, const Json& json, const MotionFields& fields, VecX& gain) {
  if (json.is_number()) {
    gain = VecX::Constant(model.v_size(), json.get<double>());
    return;
  }
  if (!json.is_object()) throw fields.wrong("gain", "a number or {joint: number}");
  gain = VecX::Zero(model.v_size());
  for (const auto& [name, value] : json.items()) {
    const ModelJoint& joint = model.joint(need(model.joint_index(name)));
    if (!value.is_number()) throw fields.wrong("gain", "a number or {joint: number}");
    for (int k = 0; k < joint.v_count; ++k) gain[joint.v_index + k] = value.get<double>();
  }
}

}  // namespace

KeysFile read_keys_file(const Model& model, std::string_view text, const std::string& file) {
  const Json json = parse_motion_file(text, file, "armature-keys");
  MotionFields fields(json, file);
  KeysFile result{Keyframes(model), frame_time_of(fields)};
  const Interpolation usual = need(interpolation_from_name(fields.word("interpolation", "cubic")));
  // The fields that every key has besides what it sets.
  const auto time_and_way = [&usual](MotionFields& key) {
    key.need_field("time", "seconds");
    const double time = key.number("time", 0.0);
    const bool own = key.find("interpolation") != nullptr;
    const Interpolation way = own ? need(interpolation_from_name(key.word("interpolation", ""))) : usual;
    key.finish();
    return std::pair(time, way);
  };
  if (const Json* poses = fields.find("poses")) {
    if (!poses->is_array()) throw fields.wrong("poses", "a list of {\"time\": seconds, \"pose\": ...}");
    for (std::size_t i = 0; i < poses->size(); ++i) {
      MotionFields key((*poses)[i], fmt::format("{}, pose {}", file, i + 1));
      const Json& pose = key.need_field("pose", "{joint: value} or the name of a pose");
      const auto [time, interpolation] = time_and_way(key);
      if (pose.is_string()) {  // a whole pose
        VecX q = neutral_pose(model);
        apply_pose_text(model, pose.get<std::string>(), q);
        need(result.keys.set_pose(time, q, interpolation));
      } else {  // only the joints that are named
        if (!pose.is_object()) throw key.wrong("pose", "{joint: value} or the name of a pose");
        for (const auto& [joint, value] : pose.items()) {
          need(result.keys.set(joint, {time, key_values(value, key), interpolation}));
        }
      }
    }
  }
  if (const Json* joints = fields.find("joints")) {
    if (!joints->is_object()) throw fields.wrong("joints", "{joint: [{\"time\": seconds, \"value\": ...}, ...]}");
    for (const auto& [joint, keys] : joints->items()) {
      if (!keys.is_array()) throw fields.wrong("joints", "a list of keys for every joint");
      for (std::size_t i = 0; i < keys.size(); ++i) {
        MotionFields key(keys[i], fmt::format("{}, joint '{}', key {}", file, joint, i + 1));
        const Json& value = key.need_field("value", "a number or a list of numbers");
        const auto [time, interpolation] = time_and_way(key);
        need(result.keys.set(joint, {time, key_values(value, key), interpolation}));
      }
    }
  }
  fields.finish();
  if (result.keys.empty())
    throw BadInput{fmt::format("{} has no keys: give \"poses\" or \"joints\".", in_quotes(file))};
  return result;
}

PathFile read_path_file(const Model& model, std::string_view text, const std::string& file) {
  const Json json = parse_motion_file(text, file, "armature-path");
  MotionFields fields(json, file);
  PathFile result;
  result.options.frame_time = frame_time_of(fields);
  result.start = start_pose(model, "");
  if (const Json* start = fields.find("start")) {
    if (start->is_string()) {
      apply_pose_text(model, start->get<std::string>(), result.start);
    } else {
      apply_pose_json(model, *start, file + ", start", result.start);
    }
  }
  State state;
  forward(model, result.start, state);
  const double steps = fields.number("steps_per_frame", 0.0);
  if (!(steps >= 0.0 && steps <= 1e6 && steps == std::floor(steps)))
    throw fields.wrong("steps_per_frame", "a whole number, not negative");
  result.options.steps_per_frame = static_cast<int>(steps);
  result.options.largest_step = fields.number("largest_step", result.options.largest_step);
  result.method = fields.word("method", "reach");
  if (const Json* options = fields.find("options")) {
    if (!options->is_object()) throw fields.wrong("options", "{option: value} of the method");
    for (const auto& [name, value] : options->items()) {
      result.method_options.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  result.problem.model = &model;
  if (const Json* gain = fields.find("gain")) gains_of(model, *gain, fields, result.problem.gain);
  if (const Json* rest = fields.find("rest")) {
    result.problem.rest = result.start;
    apply_pose_json(model, *rest, file + ", rest", result.problem.rest);
  } else if (result.problem.gain.size() > 0) {
    result.problem.rest = result.start;
  }
  const Json& paths = fields.list("paths", "a list of {\"link\": ..., \"curve\": ...}");
  for (std::size_t i = 0; i < paths.size(); ++i) {
    result.paths.push_back(path_of(model, paths[i], fmt::format("{}, path {}", file, i + 1), state));
  }
  if (result.paths.empty()) throw fields.wrong("paths", "at least one path");
  if (const Json* keep = fields.find("keep")) {
    if (!keep->is_array()) throw fields.wrong("keep", "a list of {\"link\": ..., \"what\": \"pose\"}");
    for (std::size_t i = 0; i < keep->size(); ++i) {
      result.problem.goals.push_back(planted(model, (*keep)[i], fmt::format("{}, keep {}", file, i + 1), state));
    }
  }
  if (const Json* goals = fields.find("goals")) {
    for (const Goal& goal : need(read_goals(model, goals->dump()))) result.problem.goals.push_back(goal);
  }
  fields.finish();
  return result;
}

Track track_path_file(const PathFile& file) {
  const std::unique_ptr<Solver> solver = need(make_solver(file.method));
  for (const auto& [name, text] : file.method_options) need(solver->set_option(name, text));
  return need(track(*solver, file.problem, file.paths, file.start, file.options));
}

}  // namespace armature::cli
