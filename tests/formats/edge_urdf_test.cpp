// The odd and broken URDF files of the shared collection end as its EXPECTED.json says; where tools disagree, as
// docs/formats/urdf.md chooses.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "support/data.hpp"

using namespace armature;

namespace {

// What happens to each file that EXPECTED.json leaves open, and a word that the message or a note must have.
struct Choice {
  bool accept;
  const char* word;
};
const std::map<std::string, Choice>& choices() {
  static const std::map<std::string, Choice> kChoices{
      {"drake__joint_parsing_test", {true, "held fixed: 'curvilinear_periodic'"}},
      {"drake_models__pr2_simplified", {true, "so added: 'world'"}},
      {"dart__missing_package", {true, ""}},
      {"ros_urdf__fail_pr2_desc_double", {false, "names must be unique"}},
      {"spot_ros__spot_arm_fragment", {false, "'body'"}},
      {"authored__revolute_no_limit", {true, "read as unlimited: 'j1'"}},
      {"authored__prismatic_no_limit", {true, "read as unlimited: 'j1'"}},
      {"authored__limit_without_lower_upper", {true, "cannot move: 'j1'"}},
      {"authored__lower_greater_than_upper", {false, "reversed"}},
      {"authored__axis_missing", {true, ""}},
      {"authored__axis_not_unit", {true, ""}},
      {"authored__unknown_joint_type", {false, "revolute, continuous, prismatic"}},
      {"authored__undeclared_parent", {false, "not declared"}},
      {"authored__two_parents", {false, "two joints"}},
      {"authored__mimic_unknown_joint", {false, "no joint 'nope'"}},
      {"authored__mimic_cycle", {false, "cycle"}},
      {"authored__decimal_comma", {false, "point, not a comma"}},
      {"authored__number_forms", {true, ""}},
      {"authored__attribute_whitespace", {true, ""}},
      {"authored__no_robot_name", {true, "no name"}},
      {"authored__empty_robot", {false, "<link>"}},
      {"authored__bom_crlf", {true, ""}},
      {"authored__entity_bomb", {false, "entities"}},
      {"authored__unicode_and_slash_names", {true, ""}},
      {"authored__joints_before_links", {true, ""}},
      {"authored__origin_without_rpy", {true, ""}},
      {"authored__deep_chain_3000", {true, ""}},
  };
  return kChoices;
}

Result<Document> read(const std::string& name) {
  const auto path = test::shared_data("edge/urdf/" + name + ".urdf");
  REQUIRE(path);
  ReadOptions options;
  options.file_name = name + ".urdf";
  return read_document(test::read_file(*path), options);
}

Linkage accepted(const std::string& name) {
  Result<Document> document = read(name);
  REQUIRE_MESSAGE(document.ok(), document.message());
  return document->linkage;
}

}  // namespace

TEST_CASE("edge urdf: every file is accepted or refused as expected, refusals with a sentence") {
  const auto expected = test::shared_data("edge/EXPECTED.json");
  if (!expected) return;
  const auto cases = nlohmann::json::parse(test::read_file(*expected));
  int seen = 0;
  for (const auto& item : cases) {
    const std::string file = item["file"];
    if (file.rfind("urdf/", 0) != 0) continue;
    ++seen;
    const std::string name = file.substr(5, file.size() - 10);
    const std::string upstream = item.value("upstream_expectation", "");
    const auto choice = choices().find(name);
    bool accept = upstream.rfind("accept", 0) == 0;
    if (choice != choices().end()) {
      accept = choice->second.accept;
    } else {
      REQUIRE_MESSAGE((accept || upstream.rfind("reject", 0) == 0), name << " is not decided: " << upstream);
    }
    const Result<Document> document = read(name);
    CHECK_MESSAGE(document.ok() == accept, name << ": " << document.message());
    std::string told = document.message();
    if (document.ok()) {
      const Result<Model> model = compile(document->linkage);
      CHECK_MESSAGE(model.ok(), name << ": " << model.message());
      for (const std::string& note : document->notes) told += note + "\n";
    } else {
      CHECK_MESSAGE(told.rfind(name + ".urdf", 0) == 0, told);  // the file first
      CHECK_MESSAGE(told.back() == '.', told);
    }
    if (choice != choices().end())
      CHECK_MESSAGE(told.find(choice->second.word) != std::string::npos, name << ": " << told);
  }
  CHECK(seen == 43);
}

TEST_CASE("edge urdf: what is accepted is read right") {
  if (!test::shared_data("edge/EXPECTED.json")) return;
  const auto counts = [](const std::string& name, const char* robot, std::size_t joints, std::size_t links) {
    const Linkage linkage = accepted(name);
    CHECK(linkage.name == robot);
    CHECK(linkage.joints.size() == joints);
    CHECK(linkage.links.size() == links);
    return compile(linkage);
  };
  CHECK(counts("ros_urdf__no_visual", "no_visual", 0, 1)->link_name(0) == "link1");
  CHECK(counts("ros_urdf__two_links_one_joint", "two_links_one_joint", 1, 2)->link_name(0) == "link1");
  const Result<Model> r2d2 = counts("ros_urdf__test_robot", "r2d2", 16, 17);
  CHECK(r2d2->link_name(0) == "dummy_link");
  CHECK(r2d2->v_size() == 8);
  CHECK(accepted("drake__zero_dof_robot").joints.empty());
  CHECK(accepted("dart__primitive_geometry").links[0].visuals.size() == 3);
  CHECK(accepted("dart__missing_package").links.size() == 1);
  CHECK(compile(accepted("curobo__simple_mimic_robot"))->v_size() == 2);
  const Document fixed = *read("rsp__mimic_joint");  // a fixed joint that mimics a fixed joint: nothing to follow
  CHECK(fixed.notes.back().find("1 x <mimic> of joints that have not one coordinate") != std::string::npos);

  const Linkage drake = accepted("drake__joint_parsing_test");
  const Joint& forward_reference = *drake.find_joint("revolute_joint_with_mimic_forward_reference");
  CHECK(forward_reference.mimic->multiplier == 1.23);
  CHECK(forward_reference.mimic->offset == 4.56);
  CHECK(drake.find_joint("revolute_joint_with_mimic_backward_reference")->mimic->multiplier == 6.54);
  CHECK(std::holds_alternative<Spherical>(drake.find_joint("ball_joint")->type));
  CHECK(std::get<Helical>(drake.find_joint("screw_joint")->type).pitch == 0.04);

  CHECK(std::get<Revolute>(accepted("authored__axis_missing").joints[0].type).axis == Vec3::UnitX());
  CHECK((std::get<Revolute>(accepted("authored__axis_not_unit").joints[0].type).axis - Vec3(0, 0.6, 0.8)).norm() <
        1e-15);
  const Transform forms = accepted("authored__number_forms").joints[0].origin;
  CHECK(forms.position == Vec3(0.001, -25, 0.5));
  const Mat3 turn = Transform::rotate(Vec3::UnitY(), 1.0).rotation * Transform::rotate(Vec3::UnitX(), 0.1).rotation;
  CHECK((forms.rotation - turn).norm() < 1e-15);
  CHECK(accepted("authored__attribute_whitespace").joints[0].origin.position == Vec3(1, 2, 3));
  CHECK(accepted("authored__origin_without_rpy").joints[0].origin.rotation == Mat3::Identity());
  CHECK(compile(accepted("authored__joints_before_links"))->link_name(0) == "a");
  CHECK(accepted("authored__unicode_and_slash_names").find_link("\xE6\x89\x8B/1") != nullptr);
  const Linkage same = accepted("pinocchio__link_and_joint_identical_name");
  CHECK(compile(same).ok());

  const Result<Model> deep = compile(accepted("authored__deep_chain_3000"));
  CHECK(deep->v_size() == 3000);
  State state;
  forward(*deep, neutral_pose(*deep), state);
  CHECK(state.X_WL[static_cast<std::size_t>(*deep->find_link("l3000"))].position.x() == doctest::Approx(3.0));
}
