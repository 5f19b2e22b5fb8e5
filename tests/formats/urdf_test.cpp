// URDF: every rule of docs/formats/urdf.md on small files of our own, the real robots, and round trips.
#include <doctest/doctest.h>

#include <clocale>
#include <nlohmann/json.hpp>

#include "armature/base/rng.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/assemble.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "support/data.hpp"
#include "support/same_linkage.hpp"

using namespace armature;

namespace {

Result<Document> read_urdf(const std::string& text, bool safety = false) {
  ReadOptions options;
  options.file_name = "arm.urdf";
  options.safety_limits = safety;
  return read_document(text, options);
}

std::string write_urdf_text(const Document& document, const char* file = "x.urdf",
                            std::vector<std::string>* notes = nullptr) {
  WriteOptions options;
  options.notes = notes;
  const Result<const Format*> format = format_for_writing(file);
  REQUIRE(format.ok());
  const Result<std::string> text = write_document(document, **format, options);
  REQUIRE_MESSAGE(text.ok(), text.message());
  return *text;
}

// Two links and one joint whose inside is given.
std::string robot(const std::string& joint, const std::string& type = "revolute") {
  return "<?xml version=\"1.0\"?>\n<robot name=\"t\">\n<link name=\"a\"/>\n<link name=\"b\"/>\n<joint name=\"j\" "
         "type=\"" +
         type + "\">\n<parent link=\"a\"/><child link=\"b\"/>" + joint + "</joint>\n</robot>\n";
}

Document must_read_urdf(const std::string& text, bool safety = false) {
  Result<Document> document = read_urdf(text, safety);
  REQUIRE_MESSAGE(document.ok(), document.message());
  return *document;
}

void check_refused_urdf(const std::string& text, std::initializer_list<const char*> parts) {
  const Result<Document> document = read_urdf(text);
  REQUIRE(!document.ok());
  for (const char* part : parts) {
    CHECK_MESSAGE(document.message().find(part) != std::string::npos, document.message() << " lacks " << part);
  }
}

bool noted(const std::vector<std::string>& notes, const std::string& part) {
  return std::any_of(notes.begin(), notes.end(), [&](const auto& n) { return n.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("URDF: exact_angles reads a rounded right angle as what it means, and nothing else") {
  const auto turn = [](const char* roll, bool exact) {
    ReadOptions options;
    options.file_name = "arm.urdf";
    options.exact_angles = exact;
    const std::string origin = std::string("<origin rpy=\"") + roll + " 0 0\"/><limit lower=\"-1\" upper=\"1\"/>";
    const Document document = read_document(robot(origin), options).value();
    const Mat3 R = document.linkage.joints[0].origin.rotation;
    const double angle = std::atan2(R(2, 1), R(2, 2));
    const bool changed = std::abs(std::remainder(angle - std::stod(roll), 2 * kPi)) > 2e-15;
    CHECK(noted(document.notes, "exact one") == (exact && changed));
    return angle;
  };
  struct Case {
    const char* written;
    double meant;
  };
  const Case cases[] = {{"1.5708", kPi / 2}, {"-1.5708", -kPi / 2},         {"1.57", kPi / 2},
                        {"3.1416", kPi},     {"0.7854", kPi / 4},           {"1.570796326794", kPi / 2},
                        {"0.5236", kPi / 6}, {"1.57079632679489", kPi / 2}, {"2.35619", 3 * kPi / 4}};
  for (const Case& c : cases) {
    CHECK_MESSAGE(std::abs(std::remainder(turn(c.written, true) - c.meant, 2 * kPi)) < 4e-16, c.written);
    CHECK(turn(c.written, false) == doctest::Approx(std::remainder(std::stod(c.written), 2 * kPi)).epsilon(1e-14));
  }
  for (const char* other : {"1.5718", "1.58", "0.78", "0.52", "0.785", "1.5707", "0.1", "0", "1.5708001", "0.2619"}) {
    const bool half = std::string(other) == "0.785";  // three digits of pi / 4
    CHECK_MESSAGE(turn(other, true) == doctest::Approx(half ? kPi / 4 : std::stod(other)).epsilon(1e-14), other);
  }
}

TEST_CASE("urdf: origins, axes, limits, mimic and shapes are read as written") {
  const Document document = must_read_urdf(R"(<?xml version="1.0"?>
<robot name="r">
  <joint name="elbow" type="revolute">
    <origin xyz="1e-3 -2.5E+1 .5" rpy="+0.1 1. -0"/>
    <parent link="upper"/> <child link="lower"/>
    <axis xyz="0 3 4"/>
    <limit lower="-1" upper="2" effort="5" velocity="3"/>
    <safety_controller soft_lower_limit="-0.5" soft_upper_limit="2.5" k_velocity="1"/>
    <mimic joint="slide" multiplier="2" offset="0.5"/>
  </joint>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="upper"/><limit lower="0" upper="1"/></joint>
  <link name="base"><inertial><mass value="1"/></inertial></link>
  <link name="upper">
    <visual><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <collision><geometry><cylinder radius="0.5" length="2"/></geometry></collision>
  </link>
  <link name="lower"><visual><geometry><mesh filename="package://p/m.stl" scale="0.001 0.001 0.001"/></geometry></visual></link>
  <material name="red"><color rgba="1 0 0 1"/></material>
</robot>)");
  const Linkage& linkage = document.linkage;
  REQUIRE(linkage.joints.size() == 2);
  const Joint& elbow = linkage.joints[0];
  CHECK(elbow.origin.position == Vec3(0.001, -25, 0.5));
  const Mat3 expected = Transform::rotate(Vec3::UnitY(), 1.0).rotation * Transform::rotate(Vec3::UnitX(), 0.1).rotation;
  CHECK((elbow.origin.rotation - expected).norm() < 1e-15);
  CHECK((std::get<Revolute>(elbow.type).axis - Vec3(0, 0.6, 0.8)).norm() < 1e-15);
  CHECK(elbow.limits.lower[0] == -1.0);
  CHECK(elbow.limits.velocity[0] == 3.0);
  REQUIRE(elbow.mimic.has_value());
  CHECK(elbow.mimic->multiplier == 2.0);
  CHECK(elbow.mimic->offset == 0.5);
  CHECK(std::get<Prismatic>(linkage.joints[1].type).axis == Vec3::UnitX());  // URDF's default axis
  CHECK(linkage.links[1].visuals[0].color == std::array<double, 4>{1, 0, 0, 1});
  CHECK(linkage.links[1].visuals[1].collision);
  CHECK(linkage.links[2].visuals[0].X_LG(0, 0) == 0.001);
  CHECK(std::get<MeshFile>(linkage.find_geometry("lower.1")->shape).uri == "package://p/m.stl");
  CHECK(linkage.links[0].mass == 1.0);
  CHECK(elbow.limits.effort[0] == 5.0);
  REQUIRE(elbow.opaque.size() == 1);
  CHECK(elbow.opaque[0].text.find("<safety_controller soft_lower_limit=\"-0.5\"") == 0);
  CHECK(compile(linkage).ok());
}

TEST_CASE("urdf: soft limits on request") {
  const std::string text = robot(
      "<limit lower=\"-1\" upper=\"2\"/><safety_controller soft_lower_limit=\"-0.5\" "
      "soft_upper_limit=\"3\"/>");
  CHECK(must_read_urdf(text).linkage.joints[0].limits.lower[0] == -1.0);
  CHECK(must_read_urdf(text, true).linkage.joints[0].limits.lower[0] == -0.5);
  CHECK(must_read_urdf(text, true).linkage.joints[0].limits.upper[0] == 2.0);
  const std::string wide = robot(
      "<limit lower=\"-1\" upper=\"2\"/><safety_controller soft_lower_limit=\"-4\" "
      "soft_upper_limit=\"1\"/>");
  CHECK(must_read_urdf(wide, true).linkage.joints[0].limits.lower[0] == -1.0);
  CHECK(must_read_urdf(wide, true).linkage.joints[0].limits.upper[0] == 1.0);
}

TEST_CASE("urdf: package:// is kept, or led to the mesh root") {
  const std::string text =
      "<robot name='r'><link name='a'><visual><geometry><mesh "
      "filename='package://p/m.stl'/></geometry></visual></link></robot>";
  ReadOptions options;
  options.mesh_root = "/meshes";
  const auto document = read_document(text, options);
  REQUIRE(document.ok());
  CHECK(std::get<MeshFile>(document->linkage.geometries[0].shape).uri == "/meshes/p/m.stl");
}

TEST_CASE("urdf: lenient where the choice is documented, with a note") {
  CHECK(noted(must_read_urdf(robot("")).notes, "Without <limit>, read as unlimited: 'j'"));
  const Document locked = must_read_urdf(robot("<limit effort='1' velocity='1'/>"));
  CHECK(noted(locked.notes, "cannot move: 'j'"));
  CHECK(locked.linkage.joints[0].limits.lower == std::vector<double>{0.0});
  CHECK(locked.linkage.joints[0].limits.upper == std::vector<double>{0.0});
  CHECK(noted(must_read_urdf(robot("<limit lower='0' upper='1' velocity='0'/>")).notes, "velocity limit of 0"));
  CHECK(must_read_urdf(robot("<limit lower='0' upper='1' velocity='0'/>")).linkage.joints[0].limits.velocity.empty());
  CHECK(noted(must_read_urdf("<robot><link name='a'/></robot>").notes, "no name"));
  const Document world = must_read_urdf(
      "<robot name='r'><link name='a'/><joint name='j' type='floating'>"
      "<parent link='world'/><child link='a'/></joint></robot>");
  CHECK(noted(world.notes, "so added: 'world'"));
  CHECK(compile(world.linkage).ok());
  CHECK(must_read_urdf(
            "\xEF\xBB\xBF<?xml verison='1.0'?>\r\n<!-- <robot> -->\r\n<robot name='r'><link name='a'/></robot>\r\n")
            .linkage.links.size() == 1);
  const Document escaped = must_read_urdf("<robot name='r &amp; s'><link name='a &lt;&quot;&#65;&#xe4;'/></robot>");
  CHECK(escaped.linkage.name == "r & s");
  CHECK(escaped.linkage.links[0].name == "a <\"A\xC3\xA4");
}

TEST_CASE("urdf: mistakes are told with file, line, element and what would be right") {
  check_refused_urdf(robot("<origin xyz='0 0 1 }'/>"), {"arm.urdf, line 6, <origin>", "xyz='0 0 1 }'", "3 numbers"});
  check_refused_urdf(robot("<origin xyz='0,1 0 0'/>"), {"a point, not a comma"});
  check_refused_urdf(robot("<origin xyz='1e999 0 0'/>"), {"1e999"});
  check_refused_urdf(robot("<origin xyz='nan 0 0'/>"), {"nan"});
  check_refused_urdf(robot("<axis xyz='0 0 0'/>"), {"<axis>", "0 0 1"});
  check_refused_urdf(robot("<axis xyz='0 1'/>"), {"<axis>", "3 numbers"});
  check_refused_urdf(robot("<limit lower='1' upper='-1'/>"), {"reversed", "lower 1 is above upper -1"});
  check_refused_urdf(robot("", "revolut"), {"line 5, <joint>", "did you mean 'revolute'?", "floating"});
  check_refused_urdf(robot("<mimic joint='k'/>"), {"<mimic>", "no joint 'k'", "Valid names: j"});
  check_refused_urdf(robot("<mimic joint='j'/>"), {"'j' mimics itself"});
  check_refused_urdf(robot("</joint><joint name='j' type='fixed'>"), {"line 6", "stands already in line 5"});
  check_refused_urdf(robot("</joint><joint name='k' type='fixed'>"), {"'k' lacks <parent"});
  check_refused_urdf(robot("</joint><joint name='k' type='fixed'><parent link='a'/><child link='b'/>"),
                     {"two joints, 'j' (line 5) and 'k'"});
  check_refused_urdf(robot("</joint><joint name='k' type='fixed'><parent link='b'/><child link='a'/>"),
                     {"loop through link"});
  check_refused_urdf(robot("</joint><link name='c'/><joint name='k' type='fixed'><parent link='c'/><child link='c'/>"),
                     {"loop through link 'c'"});
  check_refused_urdf(robot("</joint><link name='c'/><joint name='k' type='fixed'><parent link='aa'/><child link='c'/>"),
                     {"<parent>", "no link 'aa'", "did you mean 'a'?"});
  check_refused_urdf("<robot name='r'><link name='a'/><link name='b'/></robot>", {"2 roots, 'a' and 'b'"});
  check_refused_urdf("<robot name='r'><link name='a'/>\n<link name='a'/></robot>",
                     {"line 2", "'a' stands already in line 1"});
  check_refused_urdf("<robot name='r'></robot>", {"no <link>"});
  check_refused_urdf("<robot name='r'><link/></robot>", {"'name' is missing"});
  check_refused_urdf("<robot name='r'>\n<link name='a'>\n</robot>", {"line 3", "not well-formed XML"});
  check_refused_urdf("<robot name='r'><link name='a'/></robot><robot/>", {"second outermost element"});
  check_refused_urdf("<robot name='r'><link name='a'", {"not well-formed XML"});
  check_refused_urdf("<robot name='r'><xacro:macro name='m'/></robot>", {"xacro"});
  check_refused_urdf("<!DOCTYPE r [\n<!ENTITY a 'b'>]><robot name='&a;'/>", {"line 2", "entities"});
  check_refused_urdf("<robot name='r'>" + std::string(1, '\0') + "</robot>", {"zero byte"});
  check_refused_urdf("<robot name='r'>\n\n<link name='\xE4'/></robot>", {"line 3", "UTF-8"});
  std::string deep = "<robot name='r'>";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  check_refused_urdf(deep, {"deeper than 1000"});
  check_refused_urdf("nonsense", {"arm.urdf"});
}

TEST_CASE("urdf: what is written reads back the same") {
  const Document document = must_read_urdf(R"(<robot name="r&amp;d">
  <material name="color_1"><color rgba="0.25 0.5 0.75 1"/></material>
  <link name="base"><visual><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><geometry><box size="1 2 3"/></geometry><material name="color_1"/></visual></link>
  <link name="l1"><visual><origin xyz="1 0 0" rpy="0 0 1.5708"/><geometry><mesh filename="m.stl" scale="0.001 0.002 0.003"/></geometry></visual>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="l2"/><link name="l3"/><link name="l4"/><link name="l5"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><origin xyz="0.1 0 0.333" rpy="1.57079632679 0 -3.14159"/>
    <axis xyz="0 0 1"/><limit lower="-1.5" upper="0.1" effort="0" velocity="2.175"/></joint>
  <joint name="j2" type="prismatic"><parent link="l1"/><child link="l2"/><axis xyz="0 0.6 0.8"/><limit lower="0" upper="0.04" effort="0" velocity="0.2"/></joint>
  <joint name="j3" type="continuous"><parent link="l2"/><child link="l3"/><axis xyz="1 0 0"/><mimic joint="j1" multiplier="-2" offset="0.25"/></joint>
  <joint name="j4" type="planar"><parent link="l3"/><child link="l4"/><axis xyz="0 1 0"/></joint>
  <joint name="j5" type="floating"><parent link="l4"/><child link="l5"/></joint>
</robot>)");
  std::vector<std::string> notes;
  const std::string text = write_urdf_text(document, "x.urdf", &notes);
  for (const std::string& note : notes) CHECK_MESSAGE(false, note);
  const Document back = must_read_urdf(text);
  CHECK(test::difference(document.linkage, back.linkage) == "");
  CHECK(write_urdf_text(back) == text);
}

TEST_CASE("urdf: joints that URDF lacks are written as joints it has, with the same frames") {
  Linkage linkage;
  linkage.name = "all";
  linkage.links.push_back({"base", {}});
  for (const std::string& name : joint_type_names()) {
    Joint joint;
    joint.name = name;
    joint.type = *joint_type_from_name(name);
    if (auto* screw = std::get_if<Helical>(&joint.type)) screw->pitch = 0.3;
    if (auto* plane = std::get_if<Planar>(&joint.type)) plane->x_axis = Vec3(0.6, 0.8, 0);
    joint.parent = linkage.links.back().name;
    joint.child = "after_" + name;
    joint.origin = {Vec3(0.1, 0.2, 0.3), Transform::rotate(Vec3::UnitX(), 0.3).rotation};
    linkage.links.push_back({joint.child, {}});
    linkage.joints.push_back(joint);
  }
  linkage.joints.front().parent = "";
  linkage.joints.front().child = "base";
  linkage.links.erase(linkage.links.begin() + 1);
  linkage.joints[1].parent = "base";
  std::vector<std::string> notes;
  Document document;
  document.linkage = linkage;
  const Document back = must_read_urdf(write_urdf_text(document, "x.urdf", &notes));
  CHECK(noted(notes, "expanded into joints of one coordinate: 'helical'"));
  CHECK(noted(notes, "the link 'world' was added"));
  const Result<Model> model = compile(linkage);
  const Result<Model> other = compile(back.linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  REQUIRE_MESSAGE(other.ok(), other.message());
  CHECK(other->v_size() == model->v_size());
  // One-coordinate joints moved, the rest neutral: every frame of the original is where it was.
  VecX q = neutral_pose(*model);
  VecX p = neutral_pose(*other);
  Rng rng(3);
  for (int i = 0; i < model->link_count(); ++i) {
    const ModelJoint& joint = model->joint(i);
    if (joint.q_count == 1) {
      q[joint.q_index] = rng.uniform(-1.0, 1.0);
      const int same = other->lookup_joint(joint.name).value_or(-1);
      const int part = same >= 0 ? same : other->lookup_joint(joint.name + "_1").value_or(-1);
      REQUIRE(part >= 0);
      p[other->joint(part).q_index] = q[joint.q_index];
    }
  }
  State a, b;
  forward(*model, q, a);
  forward(*other, p, b);
  for (int i = 0; i < model->link_count(); ++i) {
    const int j = other->link(model->link_name(i));
    REQUIRE(j >= 0);
    const auto& x = a.X_WL[static_cast<std::size_t>(i)];
    const auto& y = b.X_WL[static_cast<std::size_t>(j)];
    CHECK_MESSAGE((x.matrix() - y.matrix()).norm() < 1e-12, model->link_name(i));
  }
}

TEST_CASE(
    "urdf: joints that follow a drive by a constant ratio are mimics, exactly; others are left free, with a note") {
  const auto builtin = [](const std::string& name) {
    ReadOptions options;
    options.file_name = name + ".json";
    for (const BuiltinModel& model : builtin_models()) {
      if (model.name == name) return read_document(model.json, options).value();
    }
    FAIL("no such model");
    return Document{};
  };
  const Document gripper = builtin("gripper");
  std::vector<std::string> notes;
  const Result<Document> again = read_urdf(write_urdf_text(gripper, "x.urdf", &notes));
  REQUIRE_MESSAGE(again.ok(), again.message());
  int kept = 0;
  for (const std::string& note : notes) kept += note.find("is kept by joints that mimic") != std::string::npos ? 1 : 0;
  CHECK(kept == static_cast<int>(gripper.linkage.closures.size()));
  const Model a = *compile(gripper.linkage), b = *compile(again->linkage);
  CHECK(b.v_size() == 1);
  const std::string drive = a.joint(a.drives().front()).name;
  State sa, sb;
  for (const double value : {-0.1, 0.0, 0.15, 0.3}) {
    VecX q = a.poses().front().q;
    q[a.joint(drive).q_index] += value;
    REQUIRE(assemble(a, q, {drive}).ok());
    forward(a, q, sa);
    forward(b, VecX::Constant(1, q[a.joint(drive).q_index]), sb);
    for (int link = 0; link < a.link_count(); ++link) {
      const Transform& other = sb.transform(*b.lookup_link(a.link_name(link)));
      CHECK((sa.transform(link).matrix() - other.matrix()).norm() < 1e-8);
    }
  }
  // A crank-rocker has no constant ratios.
  notes.clear();
  const Result<Document> bars = read_urdf(write_urdf_text(builtin("four_bar"), "x.urdf", &notes));
  REQUIRE(bars.ok());
  for (const Joint& joint : bars->linkage.joints) CHECK_FALSE(joint.mimic.has_value());
  CHECK(std::any_of(notes.begin(), notes.end(),
                    [](const std::string& n) { return n.find("'pin' (revolute) was dropped") != std::string::npos; }));
}

TEST_CASE("urdf: numbers do not depend on the locale") {
  const char* found = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  const Document document = must_read_urdf(robot("<origin xyz='0.5 1.25e-3 0.123456789012345678901'/>"));
  const std::string text = write_urdf_text(document);
  if (found != nullptr) std::setlocale(LC_NUMERIC, "C");
  CHECK(document.linkage.joints[0].origin.position == Vec3(0.5, 1.25e-3, 0.123456789012345678901));
  CHECK(text.find("0.5 0.00125 ") != std::string::npos);
}

TEST_CASE("urdf: all real robots read, compile, and come back from URDF and from our own format") {
  const auto folder = test::shared_data("urdf");
  if (!folder) return;
  int robots = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() != ".urdf") continue;
    ++robots;
    const std::string name = entry.path().filename().string();
    const Result<Document> document = read_urdf(test::read_file(entry.path()));
    REQUIRE_MESSAGE(document.ok(), name << ": " << document.message());
    REQUIRE_MESSAGE(compile(document->linkage).ok(), name << ": " << compile(document->linkage).message());
    const Result<Document> json = read_urdf(write_urdf_text(*document, "x.json"));
    REQUIRE_MESSAGE(json.ok(), name << ": " << json.message());
    CHECK_MESSAGE(test::difference(document->linkage, json->linkage) == "", name);
    const Result<Document> urdf = read_urdf(write_urdf_text(*json));
    REQUIRE_MESSAGE(urdf.ok(), name << ": " << urdf.message());
    // Roll, pitch and yaw cannot spell every rotation to the last bit.
    CHECK_MESSAGE(test::difference(document->linkage, urdf->linkage, 1e-15) == "", name);
  }
  CHECK(robots == 39);
}

TEST_CASE("urdf: the 220 golden poses to 1e-9") {
  const auto file = test::shared_data("fk_golden.json");
  if (!file) return;
  const auto golden = nlohmann::json::parse(test::read_file(*file));
  std::map<std::string, Model> models;
  int cases = 0;
  double worst = 0.0;
  for (const auto& item : golden["cases"]) {
    const std::string name = item["file"];
    if (models.count(name) == 0) {
      const auto path = test::shared_data(name);
      REQUIRE(path);
      Result<Model> model = compile(must_read_urdf(test::read_file(*path)).linkage);
      REQUIRE_MESSAGE(model.ok(), name << ": " << model.message());
      models.emplace(name, std::move(model).value());
    }
    const Model& model = models.at(name);
    VecX q = neutral_pose(model);
    for (const auto& [joint, value] : item["q"].items()) {
      const Status status = set_joint(model, joint, {value.get<double>()}, q);
      REQUIRE_MESSAGE(status.ok(), name << ": " << status.message());
    }
    State state;
    forward(model, q, state);
    const Mat4 got = relative(state, *model.find_link(item["base"].get<std::string>()),
                              *model.find_link(item["tip"].get<std::string>()))
                         .matrix();
    Mat4 expected;
    for (int r = 0; r < 4; ++r) {
      for (int c = 0; c < 4; ++c) expected(r, c) = item["T"][static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
    }
    const double error = (got - expected).cwiseAbs().maxCoeff();
    worst = std::max(worst, error);
    CHECK_MESSAGE(error < 1e-9, name << " differs by " << error);
    ++cases;
  }
  CHECK(cases == 220);
  MESSAGE("largest difference over " << cases << " golden poses: " << worst);
}
