#include "armature/scene/scene.hpp"

#include <doctest/doctest.h>

#include "armature/scene/methods.hpp"
#include "armature/scene/report_json.hpp"
#include "armature/solve/measure.hpp"

using namespace armature;

namespace {

const char* const kScene = R"({
  // comments are read
  "format": "armature-scene", "version": 1, "name": "pick", "model": "panda", "start": "ready",
  "goals": [{"target": [0.5, 0.1, 0.4]}, {"type": "posture", "gain": {"panda_joint2": 0.5}}],
  "locked": ["panda_finger_joint1"], "joint_weights": {"panda_joint1": 0.2},
  "limits": {"panda_joint4": {"lower": -2.8, "upper": -0.4}},
  "method": "reach", "options": {"patience": 40, "quality": "centered", "keep_branch": false},
  "frame_rate": 60, "view": {"mode": "pose"}
})";

}  // namespace

TEST_CASE("scene: what is written reads back to the same scene") {
  const Scene scene = read_scene(kScene, "pick.json", {}).value();
  CHECK(scene.model.name() == "panda");
  CHECK(scene.goals.size() == 2);
  CHECK(scene.limits.front().second.upper.front() == -0.4);
  CHECK(scene.joint_weights == JointMap<double>{{"panda_joint1", 0.2}});
  const std::string text = to_json(scene);
  const Result<Scene> again = read_scene(text, "again.json", {});
  REQUIRE_MESSAGE(again.ok(), again.message());
  CHECK(to_json(*again) == text);
  const Problem a = make_problem(scene);
  const Problem b = make_problem(*again);
  CHECK(a.locked == b.locked);
  VecX lower, upper, lower_again, upper_again;
  REQUIRE((limits_of(a, lower, upper).ok() && limits_of(b, lower_again, upper_again).ok()));
  CHECK(lower == lower_again);
  CHECK(upper == upper_again);
  CHECK(lower != scene.model.lower());
  CHECK(again->tracking.frame_rate == doctest::Approx(60.0));
}

TEST_CASE("scene: solved, judged and reported") {
  const Scene scene = read_scene(kScene, "pick.json", {}).value();
  Solver solver = make_solver(scene).value();
  const Problem problem = make_problem(scene);
  VecX q = scene.start;
  const Report report = solver->solve(problem, q);
  q = report.q;
  REQUIRE(report.ok());
  const Report judged = measure(problem, q);
  CHECK(judged.ok());
  CHECK(judged.position_error == doctest::Approx(report.position_error).epsilon(1e-6));
  CHECK(measure(problem, scene.start).outcome != Outcome::converged);
  const Measures own = measures(problem, q);
  CHECK(own.singular_values.size() == 3);
  CHECK(own.condition == doctest::Approx(own.singular_values[0] / own.singular_values[2]));
  // Along a direction of the null space the effector stays to first order.
  const MatX free = null_space(problem, q);
  REQUIRE(free.cols() == 4);
  JsonText json;
  json.begin_object();
  write_report(json, problem, report, q, {1.5, true});
  const JsonInput input = JsonInput::parse(json.end().text(), "report").value();
  CHECK(input.root().get("ok").number() == 1.0);
  CHECK(input.root().get("q").size() == static_cast<std::size_t>(scene.model.q_size()));
  CHECK(input.root().get("measures").get("singular_values").size() == 3);
  CHECK(input.root().get("microseconds").number() == 1.5);
}

TEST_CASE("scene: mistakes are named with their place") {
  const auto message = [](const char* json) { return read_scene(json, "s.json", {}).message(); };
  const auto has = [&](const char* json, std::string_view part) {
    INFO(message(json));
    CHECK(message(json).find(part) != std::string::npos);
  };
  has(R"({"model": "pandaa"})", "s.json, line 1, column 11, /model: ");
  has("{\"model\": \"panda\",\n \"gaols\": []}", "s.json, line 2, column 11, /gaols: ");
  has(R"({"model": "panda", "goals": [{"target": [1, 2, 3], "link": "tcp"}]})", "did you mean 'panda_tcp'");
  has(R"({"model": "panda", "limits": {"panda_joint1": {"low": 1}}})", "/limits/panda_joint1/low");
  has(R"({"goals": []})", "names no model");
  Scene scene = read_scene(R"({"model": "panda", "options": {"continuous": true}})", "s.json", {}).value();
  CHECK(make_solver(scene).message().find("keep_branch") != std::string::npos);
  scene.options = {{"max_time", "20mm"}};
  CHECK(!make_solver(scene).ok());
  scene.options = {{"max_time", "20ms"}};
  CHECK(make_solver(scene).value()->common_options().max_time == doctest::Approx(0.02));
}

TEST_CASE("scene: every option of every method can be set by its public name") {
  for (const BuiltinMethod& entry : builtin_methods()) {
    Solver solver(entry.make());
    for (const OptionInfo& option : solver->option_list()) {
      INFO(entry.info.name << " " << option.name);
      const bool choice = option.type == OptionInfo::Type::choice;
      const std::string text = choice                                     ? option.choices.back()
                               : option.type == OptionInfo::Type::boolean ? "true"
                                                                          : format_number(option.default_value);
      CHECK(set_method_option(*solver, option.name, text).ok());
      CHECK(!option.label.empty());
      if (option.automatic) CHECK(option.default_value <= 0.0);
    }
  }
}

TEST_CASE("scene: limits as text") {
  Scene scene = read_scene(R"({"model": "planar_arm"})", "", {}).value();
  REQUIRE(parse_limits("joint1=-1..1,joint2=0..90deg", scene).ok());
  VecX lower, upper;
  REQUIRE(limits_of(scene, lower, upper).ok());
  CHECK(lower[0] == -1.0);
  CHECK(upper[1] == doctest::Approx(kPi / 2));
  CHECK(!parse_limits("joint1=1", scene).ok());
  CHECK(!parse_limits("joint9=0..1", scene).ok());
}

TEST_CASE("scene: joints without numbers of their own are not given limits") {
  const auto with_limits = [](const char* joint, const char* limits) {
    return read_scene(R"({"model": {"links": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}], "joints": [
        {"name": "hinge", "type": "revolute", "parent": "a", "child": "b"},
        {"name": "follower", "type": "revolute", "parent": "b", "child": "c", "mimic": {"joint": "hinge", "multiplier": -2}},
        {"name": "ball", "type": "spherical", "parent": "c", "child": "d"}]}, "limits": {")" +
                          std::string(joint) + "\": " + limits + "}}",
                      "limits.json", {});
  };
  CHECK(with_limits("hinge", R"({"lower": -1, "upper": 1})").ok());
  for (const char* joint : {"follower", "ball"}) {
    const Result<Scene> refused = with_limits(joint, R"({"lower": [0, 0, 0, 0], "upper": [0, 0, 0, 1]})");
    CHECK(refused.message().find("has no numbers that could be limited by themselves") != std::string::npos);
    CHECK(!with_limits(joint, R"({"lower": 0, "upper": 1})").ok());
  }
}
