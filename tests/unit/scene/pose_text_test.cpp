#include "armature/scene/pose_text.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/pose.hpp"
#include "armature/scene/load.hpp"

using namespace armature;

namespace {

double number(std::string_view text, std::string_view unit) {
  NumberWithUnit n;
  REQUIRE(parse_number_with_unit(text, n));
  CHECK(n.unit == unit);
  return n.value;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("scene: numbers carry units") {
  CHECK(number("90deg", "angle") == doctest::Approx(kPi / 2));
  CHECK(number("0.5turn", "angle") == doctest::Approx(kPi));
  CHECK(number("-1.2rad", "angle") == -1.2);
  CHECK(number("5mm", "length") == doctest::Approx(0.005));
  CHECK(number("3 cm", "length") == doctest::Approx(0.03));
  CHECK(number("2m", "length") == 2.0);
  CHECK(number("20ms", "time") == doctest::Approx(0.02));
  CHECK(number("1.5s", "time") == 1.5);
  CHECK(number(" 7 ", "") == 7.0);
  NumberWithUnit n;
  for (const char* text : {"", "deg", "1km", "1 2", "nan", "inf", "1e999", "0x10"}) {
    INFO(text);
    CHECK(!parse_number_with_unit(text, n));
  }
}

TEST_CASE("scene: a pose is a name, changes, both, or all numbers") {
  const LoadedModel loaded = open_model("planar_arm").value();
  const Model& model = loaded.model;
  const VecX neutral = neutral_pose(model);
  std::vector<std::string> notes;
  const auto pose = [&](std::string_view text) { return parse_pose(model, text, neutral, notes).value(); };
  CHECK(pose("") == neutral);
  CHECK(pose("chapter") == model.find_pose("chapter").value());
  VecX changed = model.find_pose("chapter").value();
  changed[2] = kPi / 2;
  CHECK((pose("chapter, joint3=90deg") - changed).norm() < 1e-15);
  CHECK(pose("0.1,-0.2,0.3") == Vec3(0.1, -0.2, 0.3));
  CHECK(notes.empty());
  CHECK(contains(parse_pose(model, "1,2", neutral, notes).message(), "3 numbers, not 2"));
  CHECK(contains(parse_pose(model, "chaptre", neutral, notes).message(), "chapter"));
  CHECK(contains(parse_pose(model, "joint1=two", neutral, notes).message(), "'joint1'"));

  CHECK(pose("joint2=90")[1] == 90.0);
  REQUIRE(notes.size() == 1);
  CHECK(contains(notes[0], "90deg"));
  notes.clear();
  CHECK(pose("joint2=900deg")[1] == doctest::Approx(5 * kPi));  // said on purpose
  CHECK(notes.empty());
}

TEST_CASE("scene: poses as JSON, and back") {
  const LoadedModel loaded = open_model("human").value();
  const Model& model = loaded.model;
  std::vector<std::string> notes;
  Rng rng(7);
  const VecX q = random_pose(model, rng);
  JsonText json;
  write_pose(json, model, q);
  const JsonInput input = JsonInput::parse(json.text(), "pose").value();
  JsonFields fields(input.source());
  VecX again = neutral_pose(model);
  CHECK(read_pose(fields, input.root(), model, again, notes));
  CHECK((again - q).cwiseAbs().maxCoeff() < 1e-15);

  const JsonInput wrong = JsonInput::parse("{\"left_elbow\": 1,\n  \"right_elbw\": 2}", "poses.jsonl").value();
  JsonFields mistakes(wrong.source());
  CHECK(!read_pose(mistakes, wrong.root(), model, again, notes));
  CHECK(contains(mistakes.error().message, "poses.jsonl, line 2, column 17, /right_elbw: "));
  CHECK(contains(mistakes.error().message, "did you mean 'right_elbow'?"));
}

TEST_CASE("scene: numbers per velocity") {
  const LoadedModel loaded = open_model("planar_arm").value();
  const Model& model = loaded.model;
  CHECK(parse_velocities(model, "joint2=0.5", "--gain", 0.0, JointUnits::none).value() == Vec3(0, 0.5, 0));
  CHECK(parse_velocities(model, "2", "--gain", 0.0, JointUnits::none).value() == Vec3(2, 2, 2));
  CHECK(parse_velocities(model, "joint2=90deg", "--gain", 0.0, JointUnits::none).message() != "");
  CHECK(parse_velocities(model, "joint2=90deg", "--velocity", 0.0, JointUnits::own).value()[1] ==
        doctest::Approx(kPi / 2));
  CHECK(contains(parse_velocities(model, "joint9=1", "--gain", 0.0, JointUnits::none).message(), "--gain"));
}

TEST_CASE("scene: a number that is missing between commas is not passed over") {
  CHECK(parse_numbers("1, 2mm,[3]", "length", "--goal").message().find("'[3]'") != std::string::npos);
  CHECK(parse_numbers("[1,2,-3]", "length", "--goal").value() == std::vector<double>{1.0, 2.0, -3.0});
  CHECK(contains(parse_numbers("1,2deg", "length", "--goal").message(), "2deg"));
  CHECK(parse_numbers("", "length", "--goal").value().empty());
  for (const char* text : {"1,,2", "1,2,", ",1,2", "1, ,2,3", "[1,,2]"}) {
    INFO(text);
    CHECK(contains(parse_numbers(text, "length", "--goal").message(), "before and after every comma"));
  }
}
