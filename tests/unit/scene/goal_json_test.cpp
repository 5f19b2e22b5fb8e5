#include "armature/scene/goal_json.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/scene/load.hpp"
#include "armature/solve/track.hpp"

using namespace armature;

namespace {

struct Fixture {
  LoadedModel loaded = open_model("panda").value();
  VecX start = start_pose(loaded.model);
  std::vector<std::string> notes;
  GoalContext context{loaded.model, start, "", "", notes};

  Result<Goal> read(const std::string& json) {
    const Result<JsonInput> input = JsonInput::parse(json, "goals.json");
    if (!input) return input.error();
    JsonFields fields(input->source());
    Goal goal;
    if (!read_goal(fields, input->root(), context, goal)) return fields.error();
    return goal;
  }
  std::string write(const Goal& goal) const {
    JsonText json;
    write_goal(json, loaded.model, goal);
    return json.text();
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "scene: what is written of a goal reads back to the same goal") {
  const char* const list[] = {
      R"({"target": [0.4, 0.2]})",
      R"({"target": [0.4, 0.2, 0.5], "point": [0, 0, 0.1], "weight": 2, "tolerance": 1e-3, "priority": 1})",
      R"({"type": "position", "link": "panda_link5", "base": "panda_link1", "target": [0, 0, 0], "axes": {"free": "xz", "box": [0, 0.1, 0]}})",
      R"({"target": [0, 1, 0, 1], "axes": {"free": "z", "frame": "target"}})",
      R"({"target": {"position": [0.4, 0.2, 0.5], "rpy": [3, 0.1, 0]}, "orientation_tolerance": 0.01, "name": "grasp"})",
      R"({"type": "aim", "direction": [0, 0, 1], "target": [1, 1, 1], "preference": true})",
      R"({"type": "point_on_line", "target": [0.4, 0, 0.3], "direction": [0, 1, 0]})",
      R"({"type": "point_on_plane", "target": [0, 0, 0.2], "normal": [0, 0, 1]})",
      R"({"type": "distance", "target": [0.1, 0, 0], "base": "panda_link1", "distance": 0.4})",
      R"({"type": "posture", "target": "ready", "gain": {"panda_joint2": 0.5}})",
      R"({"type": "pole", "middle": "panda_link4", "target": [0, 1, 1]})",
      R"({"type": "pose", "path": {"curve": "line", "relative": true, "points": [[0, 0, 0], [0, 0.1, 0]]}})",
  };
  for (const char* json : list) {
    INFO(json);
    const Result<Goal> goal = read(json);
    REQUIRE_MESSAGE(goal.ok(), goal.message());
    const std::string text = write(*goal);
    const Result<Goal> again = read(text);
    REQUIRE_MESSAGE(again.ok(), again.message());
    CHECK(write(*again) == text);
    const auto label = [&](const Goal& g) {
      return goal_label(g, loaded.model, resolve_links(g, loaded.model).value());
    };
    CHECK(label(*goal) == label(*again));
    CHECK(has_path(*goal) == has_path(*again));
  }
}

TEST_CASE_FIXTURE(Fixture, "scene: goals without a link are of the model's effector, not of a finger") {
  const Goal goal = read(R"({"target": [0.4, 0.2, 0.5]})").value();
  CHECK(loaded.model.link_name(effector(goal, loaded.model)) == "panda_tcp");
  CHECK(write(goal).find(R"("name": "position panda_tcp")") != std::string::npos);
  CHECK(notes.empty());
}

TEST_CASE_FIXTURE(Fixture, "scene: here is where the start has it, in the base's frame") {
  State state;
  forward(loaded.model, start, state);
  const Goal goal = read(R"({"type": "pose", "base": "panda_link3", "point": [0, 0, 0.1], "target": "here"})").value();
  const auto& pose = std::get<PoseGoal>(goal);
  const Transform X = state.transform(pose.link, pose.base) * Transform::translate(pose.point);
  CHECK((pose.target.matrix() - X.matrix()).norm() < 1e-12);
}

TEST_CASE_FIXTURE(Fixture, "scene: rotations of every form are unit quaternions") {
  const auto target = [&](const char* json) { return std::get<OrientationGoal>(read(json).value()).target; };
  const Quat half = target(R"({"target": [0, 0, 3, 3]})");
  CHECK(half.norm() == doctest::Approx(1.0).epsilon(1e-15));
  CHECK(half.angularDistance(target(R"({"type": "orientation", "target": {"rpy": [0, 0, 1.5707963267948966]}})")) <
        1e-12);
  CHECK(half.angularDistance(target(R"({"type": "orientation", "target": {"matrix": [0, -1, 0, 1, 0, 0, 0, 0, 1]}})")) <
        1e-12);
  CHECK(read(R"({"target": [0, 0, 0, 0]})").message().find("zero") != std::string::npos);
  CHECK(!read(R"({"type": "orientation", "target": {"matrix": [1, 0, 0, 0, 1, 0, 0, 0, -1]}})").ok());
}

TEST_CASE_FIXTURE(Fixture, "scene: goals as text") {
  const Goal planar = parse_goal("panda_link5=0.1,0.2", context).value();
  const auto& position = std::get<PositionGoal>(planar);
  CHECK(loaded.model.link_name(resolve(loaded.model, position.link).value()) == "panda_link5");
  CHECK(position.axes.free[2]);
  const Goal point = parse_goal("panda_hand:0,0,10cm=400mm,0.2,0.5,0,2,0,0", context).value();
  const auto& pose = std::get<PoseGoal>(point);
  CHECK(pose.point.z() == doctest::Approx(0.1));
  CHECK(pose.target.position.x() == doctest::Approx(0.4));
  CHECK((pose.target.rotation - Quat(0, 0, 1, 0).toRotationMatrix()).norm() < 1e-12);
  CHECK(!parse_goal("0.1", context).ok());
  CHECK(!parse_goal("nobody=0.1,0.2,0.3", context).ok());
  CHECK(notes.empty());
  CHECK(parse_goal("400,200,500", context).ok());
  CHECK(notes.size() == 1);
}
