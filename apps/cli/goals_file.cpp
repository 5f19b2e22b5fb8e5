#include "goals_file.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"
#include "output.hpp"

namespace armature::cli {
namespace {

// Fills a goal's fields from one JSON object: a visitor of goal_types.hpp.
class GoalReader {
 public:
  GoalReader(const Model& model, const Json& object) : model_(model), object_(object) {}

  void link(const char* name, int& value, const char*) {
    const Json* json = field(name);
    if (json == nullptr) {
      fail(name, "is missing; it names a link");
    } else {
      set_link(name, *json, value);
    }
  }
  void frame(const char* name, int& value, const char*) {
    const Json* json = field(name);
    if (json == nullptr) return;
    if (json->is_string() && json->get<std::string>() == "world") {
      value = kWorld;
    } else {
      set_link(name, *json, value);
    }
  }
  void point(const char* name, Vec3& value, const char*) { vector(name, value); }
  void direction(const char* name, Vec3& value, const char*) { vector(name, value); }
  void rotation(const char* name, Quat& value, const char*) {
    if (const Json* json = field(name)) set_rotation(name, *json, value);
  }
  void place(const char* name, Transform& value, const char*) {
    const Json* json = field(name);
    if (json == nullptr) return;
    if (!json->is_object()) return fail(name, "needs an object with 'position' and 'quaternion' or 'rpy'");
    for (const auto& [key, part] : json->items()) {
      if (key == "position") {
        if (!numbers(part, 3)) return fail(name, "has a 'position' that is not 3 numbers");
        value.translation = Vec3(part[0].get<double>(), part[1].get<double>(), part[2].get<double>());
      } else if (key == "quaternion" || key == "rpy") {
        Quat turn = Quat::Identity();
        set_rotation(name, key == "rpy" ? Json{{"rpy", part}} : part, turn);
        if (status_.ok() && turn.norm() > 1e-100) value.rotation = turn.normalized().toRotationMatrix();
      } else {
        return fail(name, "has an unknown part '" + key + "'; there are position, quaternion and rpy");
      }
    }
  }
  void number(const char* name, double& value, const char*) {
    const Json* json = field(name);
    if (json == nullptr) return;
    if (!json->is_number()) return fail(name, "needs a number");
    value = json->get<double>();
  }
  void whole(const char* name, int& value, const char*) {
    const Json* json = field(name);
    if (json == nullptr) return;
    if (!json->is_number_integer() || std::abs(json->get<double>()) > 1e6) return fail(name, "needs a whole number");
    value = json->get<int>();
  }
  void axes(const char* name, AxisMask& value, const char*) {
    const Json* json = field(name);
    if (json == nullptr) return;
    if (!json->is_object()) return fail(name, "needs an object with 'free', 'box' and 'frame'");
    for (const auto& [key, part] : json->items()) {
      if (key == "free" && part.is_string()) {
        for (char c : part.get<std::string>()) {
          if (c < 'x' || c > 'z') return fail(name, "has free axes other than x, y and z");
          value.free[static_cast<std::size_t>(c - 'x')] = true;
        }
      } else if (key == "box" && numbers(part, 3)) {
        value.box = Vec3(part[0].get<double>(), part[1].get<double>(), part[2].get<double>());
      } else if (key == "frame" && (part == "goal" || part == "base")) {
        value.in_goal_frame = part == "goal";
      } else {
        return fail(name, "knows \"free\": \"xyz\", \"box\": 3 numbers and \"frame\": \"goal\" or \"base\"; '" + key +
                              "' does not fit");
      }
    }
  }
  void pose(const char* name, VecX& value, const char*) {
    value = neutral_pose(model_);
    const Json* json = field(name);
    if (json == nullptr) return;
    if (numbers(*json, static_cast<std::size_t>(model_.q_size()))) {
      for (int i = 0; i < model_.q_size(); ++i) value[i] = (*json)[static_cast<std::size_t>(i)].get<double>();
    } else if (json->is_object()) {
      for (const auto& [joint, values] : json->items()) {
        std::vector<double> list;
        if (values.is_number()) list = {values.get<double>()};
        if (values.is_array() && numbers(values, values.size())) list = values.get<std::vector<double>>();
        if (const Status set = set_joint(model_, joint, list, value); !set.ok()) {
          return fail(name, "is wrong: " + set.message());
        }
      }
    } else {
      fail(name, "needs an object {joint: value} or " + std::to_string(model_.q_size()) + " numbers");
    }
  }
  void gains(const char* name, VecX& value, const char*) {
    const Json* json = field(name);
    if (json == nullptr) return;
    if (json->is_number()) {
      value = VecX::Constant(model_.v_size(), json->get<double>());
    } else if (numbers(*json, static_cast<std::size_t>(model_.v_size()))) {
      value.resize(model_.v_size());
      for (int i = 0; i < model_.v_size(); ++i) value[i] = (*json)[static_cast<std::size_t>(i)].get<double>();
    } else if (json->is_object()) {
      value = VecX::Zero(model_.v_size());
      for (const auto& [name_of_joint, gain] : json->items()) {
        const Result<int> index = model_.joint_index(name_of_joint);
        if (!index.ok()) return fail(name, "is wrong: " + index.message());
        if (!gain.is_number()) return fail(name, "needs a number for joint '" + name_of_joint + "'");
        const ModelJoint& joint = model_.joint(*index);
        for (int i = 0; i < joint.v_count; ++i) value[joint.v_index + i] = gain.get<double>();
      }
    } else {
      fail(name, "needs a number, an object {joint: number} or one number per velocity");
    }
  }

  /// After describe(): what was wrong, unknown keys included.
  Status status() const {
    if (!status_.ok()) return status_;
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        return Error{unknown_name("field", key, known_)};
    }
    return {};
  }

 private:
  const Json* field(const char* name) {
    known_.emplace_back(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  void fail(const char* name, const std::string& what) {
    if (!status_.ok()) return;
    status_ = Error{"Field '" + std::string(name) + "' " + what + (what.back() == '.' ? "" : ".")};
  }
  static bool numbers(const Json& json, std::size_t count) {
    if (!json.is_array() || json.size() != count) return false;
    return std::all_of(json.begin(), json.end(), [](const Json& n) { return n.is_number(); });
  }
  void vector(const char* name, Vec3& value) {
    const Json* json = field(name);
    if (json == nullptr) return;
    if (!numbers(*json, 3)) return fail(name, "needs 3 numbers");
    value = Vec3((*json)[0].get<double>(), (*json)[1].get<double>(), (*json)[2].get<double>());
  }
  void set_link(const char* name, const Json& json, int& value) {
    if (!json.is_string()) return fail(name, "needs the name of a link");
    const Result<int> index = model_.link_index(json.get<std::string>());
    if (!index.ok()) return fail(name, "is wrong: " + index.message());
    value = *index;
  }
  void set_rotation(const char* name, const Json& json, Quat& value) {
    if (numbers(json, 4)) {
      value = Quat(json[3].get<double>(), json[0].get<double>(), json[1].get<double>(), json[2].get<double>());
    } else if (json.is_object() && json.size() == 1 && json.contains("rpy") && numbers(json["rpy"], 3)) {
      const Json& rpy = json["rpy"];
      value = euler_to_quaternion(EulerOrder{{2, 1, 0}},
                                  Vec3(rpy[2].get<double>(), rpy[1].get<double>(), rpy[0].get<double>()));
    } else {
      fail(name, "needs a quaternion of 4 numbers (x, y, z, w) or {\"rpy\": 3 angles}");
    }
  }

  const Model& model_;
  const Json& object_;
  std::vector<std::string> known_{"type"};
  Status status_;
};

Result<Goal> read_goal(const Model& model, const Json& object) {
  if (!object.is_object()) return Error{"A goal must be an object {\"type\": ..., ...}."};
  const auto type = object.find("type");
  if (type == object.end() || !type->is_string()) {
    return Error{"Field 'type' is missing; goal types are " + join(goal_names()) + "."};
  }
  Result<Goal> goal = goal_from_name(type->get<std::string>());
  if (!goal.ok()) return goal;
  GoalReader reader(model, object);
  describe_goal(*goal, reader);
  if (const Status status = reader.status(); !status.ok()) return status.error();
  if (const Status status = check_goal(*goal, model); !status.ok()) return status.error();
  const auto* position = std::get_if<PositionGoal>(&*goal);
  if (position != nullptr && position->axes.in_goal_frame) {
    return Error{
        "Field 'axes' of a position goal has no \"frame\": \"goal\", for a mere place has no frame of its own; use a "
        "pose goal with \"orientation_axes\": {\"free\": \"xyz\"}."};
  }
  return goal;
}

}  // namespace

Result<std::vector<Goal>> read_goals(const Model& model, std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    return Error{"The goals are not JSON; a list of objects is expected: [{\"type\": ...}, ...]."};
  if (!json.is_array() && !json.is_object())
    return Error{"The goals must be a list of objects [{\"type\": ...}, ...]."};
  std::vector<Goal> goals;
  const Json list = json.is_array() ? json : Json::array({json});
  for (std::size_t i = 0; i < list.size(); ++i) {
    Result<Goal> goal = read_goal(model, list[i]);
    if (!goal.ok()) return Error{"Goal " + std::to_string(i + 1) + ": " + goal.message()};
    goals.push_back(std::move(goal).value());
  }
  return goals;
}

}  // namespace armature::cli
