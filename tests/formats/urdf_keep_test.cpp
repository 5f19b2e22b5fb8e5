// URDF to URDF: nothing is lost. Masses, efforts and materials are read; everything else is carried along as text.
#include <doctest/doctest.h>

#include "armature/formats/registry.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"
#include "support/data.hpp"
#include "support/same_linkage.hpp"

using namespace armature;

namespace {

const char* const kRobot = R"(<?xml version="1.0"?>
<robot name="r">
  <material name="steel"><color rgba="0.5 0.5 0.6 1"/></material>
  <material name="logo"><texture filename="package://r/logo.png"/></material>
  <link name="base">
    <inertial><origin xyz="0.1 0 0.2" rpy="0 0 1.57"/><mass value="3.5"/><inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial>
    <visual><geometry><box size="1 2 3"/></geometry><material name="steel"/></visual>
    <visual><geometry><sphere radius="1"/></geometry><material name="logo"/></visual>
    <sensor name="imu" type="imu"><update_rate>100</update_rate></sensor>
  </link>
  <link name="arm"/>
  <joint name="elbow" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="87" velocity="2"/>
    <dynamics damping="0.7" friction="0.1"/>
    <safety_controller k_velocity="40" soft_lower_limit="-0.9" soft_upper_limit="0.9"/>
  </joint>
  <transmission name="t1"><type>SimpleTransmission</type><joint name="elbow"><hardwareInterface>Effort</hardwareInterface></joint><actuator name="motor"/></transmission>
  <gazebo reference="arm"><mu1>0.2</mu1><!-- rough > smooth --></gazebo>
  <gazebo><plugin name="control" filename="libcontrol.so"><robotNamespace>/r</robotNamespace></plugin></gazebo>
</robot>)";

Document read_text(const std::string& text, const char* name = "r.urdf") {
  ReadOptions options;
  options.file_name = name;
  Result<Document> document = read_document(text, options);
  REQUIRE_MESSAGE(document.ok(), document.message());
  return std::move(document).value();
}

std::string write_as(const Document& document, const char* file) {
  const Result<std::string> text = write_document(document, **format_for_writing(file), {});
  REQUIRE_MESSAGE(text.ok(), text.message());
  return *text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("urdf: masses, efforts, materials and everything opaque come through") {
  const Document document = read_text(kRobot);
  const Link& base = document.linkage.links[0];
  CHECK(base.mass == 3.5);
  CHECK(base.center == Vec3(0.1, 0, 0.2));
  CHECK(base.inertia(0, 0) == doctest::Approx(0.2).epsilon(0.001));  // turned by a quarter
  CHECK(base.inertia(1, 1) == doctest::Approx(0.1).epsilon(0.001));
  CHECK(base.inertia(0, 1) == doctest::Approx(-0.01).epsilon(0.02));
  CHECK(document.linkage.joints[0].limits.effort == std::vector<double>{87});
  CHECK(document.notes.empty());
  for (const bool through_json : {false, true}) {
    const std::string text =
        write_as(through_json ? read_text(write_as(document, "r.json"), "r.json") : document, "x.urdf");
    INFO(text);
    CHECK(has(text, "<dynamics damping=\"0.7\" friction=\"0.1\"/>"));
    CHECK(has(text, "<safety_controller k_velocity=\"40\" soft_lower_limit=\"-0.9\" soft_upper_limit=\"0.9\"/>"));
    CHECK(has(text, "effort=\"87\""));
    CHECK(has(text, "<sensor name=\"imu\" type=\"imu\"><update_rate>100</update_rate></sensor>"));
    CHECK(has(text, "<joint name=\"elbow\"><hardwareInterface>Effort</hardwareInterface></joint>"));
    CHECK(has(text, "<gazebo reference=\"arm\"><mu1>0.2</mu1><!-- rough > smooth --></gazebo>"));
    CHECK(has(text, "<plugin name=\"control\" filename=\"libcontrol.so\">"));
    CHECK(has(text, "<material name=\"steel\">"));
    CHECK(has(text, "<material name=\"logo\"><texture filename=\"package://r/logo.png\"/></material>"));
    CHECK(test::difference(document.linkage, read_text(text).linkage, 1e-15) == "");
  }
}

TEST_CASE("urdf: a texture is kept wherever its material is defined, and no color hides it") {
  const char* const robot = R"(<robot name="r">
  <material name="wood"><color rgba="0.5 0.4 0.3 1"/><texture filename="wood.png"/></material>
  <link name="a"><visual><geometry><box size="1 2 3"/></geometry><material name="wood"/></visual></link>
  <link name="b">
    <visual><geometry><sphere radius="1"/></geometry><material name="red"><color rgba="1 0 0 1"/><texture filename="red.png"/></material></visual>
    <visual><geometry><sphere radius="2"/></geometry><material name="red"/></visual>
  </link>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
</robot>)";
  const Document document = read_text(robot);
  CHECK(document.notes.empty());
  CHECK(document.linkage.links[1].visuals[1].color == std::array<double, 4>{1, 0, 0, 1});
  std::string text = write_as(document, "x.urdf");
  for (int pass = 0; pass < 2; ++pass) {  // and once more
    INFO(text);
    CHECK(has(text,
              "<material name=\"wood\"><color rgba=\"0.5 0.4 0.3 1\"/><texture filename=\"wood.png\"/></material>"));
    CHECK(has(text, "<material name=\"red\"><color rgba=\"1 0 0 1\"/><texture filename=\"red.png\"/></material>"));
    CHECK(has(text, "<material name=\"wood\"/>"));
    CHECK(has(text, "<material name=\"red\"/>"));
    CHECK(text.find("red.png") == text.rfind("red.png"));
    CHECK_FALSE(has(text, "        <color"));
    CHECK(test::difference(document.linkage, read_text(text).linkage, 1e-15) == "");
    text = write_as(read_text(text), "x.urdf");
  }
}

TEST_CASE("urdf: a renamed link's shape is not called shared") {
  Document document = read_text(kRobot);
  REQUIRE(rename_link(document.linkage, "base", "foot").ok());
  std::vector<std::string> notes;
  WriteOptions options;
  options.notes = &notes;
  REQUIRE(write_document(document, **format_for_writing("x.urdf"), options).ok());
  CHECK(notes.empty());
}

TEST_CASE("urdf: edits touch what they concern, and nothing else") {
  Linkage l = read_text(kRobot).linkage;
  REQUIRE(rename_joint(l, "elbow", "bend").ok());
  REQUIRE(rename_link(l, "arm", "forearm").ok());
  Document document;
  document.linkage = l;
  std::string text = write_as(document, "x.urdf");
  CHECK(has(text, "<joint name=\"bend\"><hardwareInterface>"));
  CHECK(has(text, "<gazebo reference=\"forearm\">"));
  CHECK(has(text, "<plugin name=\"control\""));

  l = read_text(kRobot).linkage;
  REQUIRE(lock_joint(l, "elbow", {0.5}).ok());
  document.linkage = l;
  text = write_as(document, "x.urdf");
  CHECK_FALSE(has(text, "<transmission"));  // a fixed joint has no motor
  CHECK_FALSE(has(text, "<dynamics"));
  CHECK(has(text, "<gazebo reference=\"arm\">"));

  l = read_text(kRobot).linkage;
  REQUIRE(remove_link(l, "arm").ok());
  document.linkage = l;
  text = write_as(document, "x.urdf");
  CHECK_FALSE(has(text, "reference=\"arm\""));
  CHECK_FALSE(has(text, "<transmission"));
  CHECK(has(text, "<plugin name=\"control\""));

  l = read_text(kRobot).linkage;
  REQUIRE(graft(l, "arm", read_text(kRobot).linkage, "b_", Transform{}).ok());
  document.linkage = l;
  text = write_as(document, "x.urdf");
  CHECK(has(text, "<gazebo reference=\"b_arm\">"));
  CHECK(has(text, "<joint name=\"b_elbow\"><hardwareInterface>"));
}

TEST_CASE("urdf: every real robot keeps its masses and its opaque parts") {
  for (const char* name : {"ur5", "pr2", "unitree_g1_29dof", "nao_v50", "anymal_c"}) {
    const auto file = test::shared_data("urdf/" + std::string(name) + ".urdf");
    if (!file) return;
    const Document document = read_text(test::read_file(*file));
    const Document again = read_text(write_as(document, "x.urdf"));
    CHECK_MESSAGE(test::difference(document.linkage, again.linkage, 1e-14) == "", name);
    double mass = 0.0;
    for (const Link& link : again.linkage.links) mass += link.mass;
    CHECK_MESSAGE(mass > 1.0, name);
  }
}

TEST_CASE("mjcf: masses of <inertial>, and of solids where there is none") {
  const Document document = read_text(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="a" pos="0 0 1"><joint axis="0 0 1"/><inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.2 0.3"/><geom size="9"/></body>
    <body name="b"><joint axis="0 1 0"/><geom type="box" size="0.1 0.1 0.1" density="500"/><geom type="sphere" size="0.1" mass="1" pos="0 0 1"/></body>
    </worldbody></mujoco>)",
                                      "m.xml");
  const Link& a = *document.linkage.find_link("a");
  CHECK(a.mass == 2.0);
  CHECK(a.center == Vec3(0.1, 0, 0));
  CHECK(a.inertia(2, 2) == doctest::Approx(0.3));
  const Link& b = *document.linkage.find_link("b");
  CHECK(b.mass == doctest::Approx(500 * 0.008 + 1.0));
  CHECK(b.center[2] == doctest::Approx(1.0 / 5.0));
}
