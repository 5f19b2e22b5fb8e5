#include "armature/scene/goal_json.hpp"
#include "armature/scene/motion_json.hpp"
#include "armature/scene/pose_text.hpp"
#include "armature/solve/track.hpp"

namespace armature::inline v0_2 {
namespace {

// A visitor of goal_types.hpp that writes what differs from the default.
class GoalWriter {
 public:
  GoalWriter(JsonText& json, const Model& model, const char* type) : json_(json), model_(model), type_(type) {}

  void link(const char* field, LinkRef& value, const char*) {
    if (const Result<int> index = resolve(model_, value)) key(field).value(model_.link_name(*index));
  }
  void frame(const char* field, LinkRef& value, const char*) {
    const Result<int> index = resolve_frame(model_, value);
    if (index && *index != kWorld) key(field).value(model_.link_name(*index));
  }
  void flag(const char* field, bool& value, const char*) {
    const bool posture = std::string_view(type_) == "posture";
    if (value != posture) key(field).value(value);
  }
  void text(const char*, std::string&, const char*) {}  // written first
  void point(const char* field, Vec3& value, const char*) {
    if (std::string_view(field) == "target" || !value.isZero(0.0)) key(field).numbers(value);
  }
  void direction(const char* field, Vec3& value, const char*) { key(field).numbers(value); }
  void rotation(const char* field, Quat& value, const char*) { key(field).numbers(value.coeffs()); }
  void place(const char* field, Transform& value, const char*) {
    key(field).begin_object().key("position").numbers(value.position);
    json_.key("quaternion").numbers(value.quaternion().coeffs()).end();
  }
  void number(const char* field, double& value, const char*) {
    const bool weight = std::string_view(field) == "weight";
    if (value != (weight ? 1.0 : 0.0)) key(field).value(value);
  }
  void whole(const char* field, int& value, const char*) {
    if (value != 0) key(field).value(value);
  }
  void axes(const char* field, Axes& value, const char*) {
    if (value.trivial()) return;
    std::string free;
    for (std::size_t k = 0; k < 3; ++k) free += value.free[k] ? std::string(1, "xyz"[k]) : "";
    key(field).begin_object();
    if (!free.empty()) json_.member("free", free);
    if (!value.box.isZero(0.0)) json_.key("box").numbers(value.box);
    if (value.of_target()) json_.member("frame", "target");
    json_.end();
  }
  void pose(const char* field, VecX& value, const char*) {
    if (value.size() == 0) return;
    key(field);
    write_pose(json_, model_, value);
  }
  void gains(const char* field, VecX& value, const char*) {
    if (value.size() > 0) key(field).numbers(value);
  }
  void contacts(const char* field, std::vector<Contact>& value, const char*) {
    if (value.empty()) return;
    key(field).begin_array();
    for (const Contact& contact : value) {
      json_.begin_object();
      if (const Result<int> index = resolve(model_, contact.link)) json_.member("link", model_.link_name(*index));
      if (!contact.points.empty()) {
        json_.key("points").begin_array();
        for (const Vec3& point : contact.points) json_.numbers(point);
        json_.end();
      }
      json_.end();
    }
    json_.end();
  }

 private:
  JsonText& key(const char* field) { return json_.key(std::string_view(field)); }

  JsonText& json_;
  const Model& model_;
  const char* type_;
};

}  // namespace

void write_goal(JsonText& json, const Model& model, const Goal& goal) {
  const Result<GoalLinks> links = resolve_links(goal, model);
  json.begin_object().member("name", links ? goal_label(goal, model, *links) : goal_fields(goal).name);
  json.member("type", goal_name(goal));
  Goal copy = goal;
  GoalWriter writer(json, model, goal_name(copy));
  describe_goal(copy, writer);
  if (has_path(goal)) {
    json.key("path");
    write_path(json, *goal_path(goal));
  }
  json.end();
}

}  // namespace armature::inline v0_2
