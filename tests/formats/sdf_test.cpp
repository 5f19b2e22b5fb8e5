// SDF: each rule of docs/formats/sdf.md on small models, frames computed by hand. Round trips: robot_files_test.cpp.
#include <doctest/doctest.h>

#include <map>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"

using namespace armature;

namespace {

Result<std::string> from_map(std::string_view uri, void* files) {
  const auto& known = *static_cast<const std::map<std::string, std::string>*>(files);
  const auto found = known.find(std::string(uri));
  if (found == known.end()) return Error{"There is no file '" + std::string(uri) + "'."};
  return found->second;
}

Result<Document> read_sdf_text(const std::string& text, std::map<std::string, std::string> files = {}) {
  ReadOptions options;
  options.file_name = "m.sdf";
  options.load = from_map;
  options.load_context = &files;
  return read_document(text, options);
}

Document sdf_model(const std::string& inside, const std::string& version = "1.10",
                   std::map<std::string, std::string> files = {}) {
  Result<Document> document =
      read_sdf_text("<sdf version='" + version + "'><model name='m'>" + inside + "</model></sdf>", std::move(files));
  REQUIRE_MESSAGE(document.ok(), document.message());
  return std::move(*document);
}

Transform sdf_frame(const Document& document, const std::string& link,
                    const std::vector<std::pair<std::string, std::vector<double>>>& pose = {}) {
  const Result<Model> model = compile(document.linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  VecX q = neutral_pose(*model);
  for (const auto& [joint, values] : pose) REQUIRE(set_joint(*model, joint, values, q).ok());
  State state;
  forward(*model, q, state);
  const Result<int> index = model->find_link(link);
  REQUIRE_MESSAGE(index.ok(), index.message());
  return state.X_WL[static_cast<std::size_t>(*index)];
}

void check_refused_sdf(const std::string& inside, std::initializer_list<const char*> parts) {
  const Result<Document> document = read_sdf_text("<sdf version='1.10'>\n<model name='m'>" + inside + "</model></sdf>");
  REQUIRE(!document.ok());
  CHECK(document.message().rfind("m.sdf", 0) == 0);
  for (const char* part : parts) {
    CHECK_MESSAGE(document.message().find(part) != std::string::npos, document.message() << " lacks " << part);
  }
}

double sdf_gap(const Transform& a, const Transform& b) { return (a.matrix() - b.matrix()).cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("sdf: poses are relative to the model, or to any named frame, in any order") {
  const Document document = sdf_model(
      "<pose>0 0 1 0 0 0</pose>"
      "<link name='c'><pose relative_to='b'>1 0 0 0 0 0</pose></link>"
      "<link name='b'><pose relative_to='f'>0 0 0 0 0 1.5707963267948966</pose></link>"
      "<frame name='f' attached_to='a'><pose relative_to='a'>0 2 0 0 0 0</pose></frame>"
      "<link name='a'><pose degrees='true'>1 0 0 0 0 90</pose></link>"
      "<link name='d'><pose rotation_format='quat_xyzw'>0 0 0 0 0 1 1</pose></link>"
      "<joint name='ab' type='fixed'><parent>a</parent><child>b</child></joint>"
      "<joint name='bc' type='fixed'><parent>b</parent><child>c</child></joint>"
      "<joint name='ad' type='fixed'><parent>a</parent><child>d</child></joint>");
  const Transform quarter = Transform::rotate(Vec3::UnitZ(), kPi / 2);
  const Transform a = Transform::translate(Vec3(1, 0, 1)) * quarter;
  const Transform f = a * Transform::translate(Vec3(0, 2, 0));
  CHECK(sdf_gap(sdf_frame(document, "a"), a) < 1e-15);
  CHECK(sdf_gap(sdf_frame(document, "f"), f) < 1e-15);
  CHECK(sdf_gap(sdf_frame(document, "b"), f * quarter) < 1e-15);
  CHECK(sdf_gap(sdf_frame(document, "c"), f * quarter * Transform::translate(Vec3(1, 0, 0))) < 1e-15);
  CHECK(sdf_gap(sdf_frame(document, "d"), Transform::translate(Vec3(0, 0, 1)) * quarter) < 1e-15);
}

TEST_CASE("sdf: a joint stands in its child unless told otherwise, and turns about its own place") {
  // At (0, 0, 0.5) of the child, which stands at (1, 0, 0): an anchor away from the child's origin.
  const Document document = sdf_model(
      "<link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose></link>"
      "<joint name='j' type='revolute'><pose>0 0 0.5 0 0 0</pose><parent>a</parent><child>b</child>"
      "<axis><xyz>0 2 0</xyz><limit><lower>-1</lower><upper>inf</upper><effort>5</effort><velocity>2</velocity></limit>"
      "<dynamics><damping>0.5</damping></dynamics></axis></joint>");
  const Transform at = Transform::translate(Vec3(1, 0, 0.5));
  const Transform turned = at * Transform::rotate(Vec3::UnitY(), 0.7) * Transform::translate(Vec3(0, 0, -0.5));
  CHECK(sdf_gap(sdf_frame(document, "b", {{"j", {0.7}}}), turned) < 1e-15);
  const Joint& joint = *document.linkage.find_joint("j");
  CHECK(joint.limits.lower == std::vector<double>{-1.0});
  CHECK(std::isinf(joint.limits.upper[0]));
  CHECK(joint.limits.effort == std::vector<double>{5.0});
  CHECK(joint.limits.velocity == std::vector<double>{2.0});
  CHECK(joint.opaque.at(0).text == "<dynamics><damping>0.5</damping></dynamics>");
}

TEST_CASE("sdf: axes are expressed in the joint's frame, another one, or as old versions did in the model's") {
  const auto axis = [](const std::string& xyz, const std::string& more, const std::string& version) {
    const Document document = sdf_model(
        "<link name='a'/><link name='b'><pose>0 0 0 0 0 1.5707963267948966</pose></link>"
        "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis>" +
            xyz + more + "</axis></joint>",
        version);
    return sdf_frame(document, "b", {{"j", {0.3}}});
  };
  const Transform X = Transform::rotate(Vec3::UnitZ(), kPi / 2);
  const Transform own = X * Transform::rotate(Vec3::UnitX(), 0.3), model = X * Transform::rotate(-Vec3::UnitY(), 0.3);
  CHECK(sdf_gap(axis("<xyz>1 0 0</xyz>", "", "1.10"), own) < 1e-15);
  CHECK(sdf_gap(axis("<xyz expressed_in='__model__'>1 0 0</xyz>", "", "1.7"), model) < 1e-15);
  CHECK(sdf_gap(axis("<xyz expressed_in='a'>1 0 0</xyz>", "", "1.9"), model) < 1e-15);
  CHECK(sdf_gap(axis("<xyz>1 0 0</xyz>", "<use_parent_model_frame>1</use_parent_model_frame>", "1.6"), model) < 1e-15);
  CHECK(sdf_gap(axis("<xyz>1 0 0</xyz>", "", "1.4"), model) < 1e-15);
}

TEST_CASE("sdf: screw, universal, ball, continuous, prismatic, mimic") {
  const Document document = sdf_model(
      "<link name='a'/><link name='b'/><link name='c'/><link name='d'/><link name='e'/><link name='f'/><link name='g'/>"
      "<joint name='s' type='screw'><parent>a</parent><child>b</child><thread_pitch>-10</thread_pitch><axis><xyz>0 0 "
      "1</xyz></axis></joint>"
      "<joint name='u' type='universal'><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz></axis>"
      "<axis2><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis2></joint>"
      "<joint name='n' type='ball'><parent>c</parent><child>d</child></joint>"
      "<joint name='k' type='continuous'><parent>d</parent><child>e</child><axis><xyz>0 1 0</xyz></axis></joint>"
      "<joint name='p' type='prismatic'><parent>e</parent><child>f</child><axis><xyz>0 1 0</xyz>"
      "<mimic joint='k' "
      "axis='axis'><multiplier>2</multiplier><offset>1</offset><reference>0.5</reference></mimic></axis></joint>"
      "<joint name='z' type='screw'><parent>f</parent><child>g</child><screw_thread_pitch>0.3</screw_thread_pitch>"
      "<thread_pitch>1</thread_pitch><axis><xyz>0 0 1</xyz></axis></joint>");
  CHECK(std::get<Helical>(document.linkage.find_joint("s")->type).advance() == doctest::Approx(0.1));
  CHECK(std::get<Helical>(document.linkage.find_joint("z")->type).pitch == 0.3);
  CHECK(document.linkage.find_joint("u")->limits.upper[1] == 1.0);
  CHECK(std::isinf(document.linkage.find_joint("u")->limits.upper[0]));
  CHECK(std::holds_alternative<Spherical>(document.linkage.find_joint("n")->type));
  CHECK(std::holds_alternative<Continuous>(document.linkage.find_joint("k")->type));
  CHECK(document.linkage.find_joint("p")->mimic->multiplier == 2.0);
  CHECK(document.linkage.find_joint("p")->mimic->offset == 0.0);
}

TEST_CASE("sdf: masses, shapes, and parts that are kept as text") {
  const Document document = sdf_model(
      "<static>true</static><link name='a'><inertial><pose>1 0 0 0 0 1.5707963267948966</pose><mass>2</mass>"
      "<inertia><ixx>1</ixx><iyy>2</iyy><izz>3</izz></inertia></inertial>"
      "<visual name='v'><pose>0 0 1 0 0 0</pose><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>"
      "<material><diffuse>1 0.5 0 1</diffuse></material></visual>"
      "<collision name='c'><geometry><mesh><uri>model://arm/c.stl</uri><scale>2 2 "
      "2</scale></mesh></geometry></collision>"
      "<sensor name='s' type='imu'/></link>");
  const Link& link = document.linkage.links.at(0);
  CHECK(link.mass == 2.0);
  CHECK(link.center == Vec3(1, 0, 0));
  CHECK((link.inertia.diagonal() - Vec3(2, 1, 3)).norm() < 1e-15);
  CHECK(link.visuals.at(0).color->at(1) == 0.5);
  CHECK((link.visuals[0].X_LG.diagonal() - Eigen::Vector4d(1, 2, 3, 1)).norm() < 1e-15);
  CHECK(link.visuals.at(1).collision);
  CHECK(link.opaque.at(0).text == "<sensor name='s' type='imu'/>");
  const Result<std::string> again = write_document(document, **format_named("sdf"), {});
  REQUIRE(again.ok());
  CHECK(again->find("<sensor name='s' type='imu'/>") != std::string::npos);
  CHECK(again->find("<static>true</static>") != std::string::npos);
}

TEST_CASE("sdf: a link with two parents is a loop; the joint with limits stays in the tree") {
  const std::string bars =
      "<link name='g'/><link name='crank'/><link name='rod'><pose>1 0 0 0 0 0</pose></link>"
      "<link name='rocker'><pose>1 2 0 0 0 0</pose></link>";
  const auto joint = [](const char* name, const char* parent, const char* child, const char* pose, const char* limit) {
    return std::string("<joint name='") + name + "' type='revolute'><pose relative_to='__model__'>" + pose +
           "</pose><parent>" + parent + "</parent><child>" + child + "</child><axis><xyz>0 0 1</xyz>" + limit +
           "</axis></joint>";
  };
  const std::string limit = "<limit><lower>-1</lower><upper>1</upper></limit>";
  const Document document = sdf_model(
      bars + joint("j1", "world", "crank", "0 0 0 0 0 0", "") + joint("j2", "crank", "rod", "1 0 0 0 0 0", "") +
      joint("j3", "world", "rocker", "0 2 0 0 0 0", "") + joint("pin", "rocker", "rod", "1 2 0 0 0 0", limit.c_str()) +
      joint("j0", "world", "g", "0 0 0 0 0 0", limit.c_str()));
  REQUIRE(document.linkage.closures.size() == 1);
  CHECK(document.linkage.closures[0].name == "j3");
  CHECK(document.linkage.find_joint("pin") != nullptr);
  const Result<Model> model = compile(document.linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  CHECK(analyze_mechanism(*model).mobility == 2);  // the loop, and j0
}

TEST_CASE("sdf: mechanisms keep their mobility: rods become links, gears mimics, what is folded flat stands open") {
  for (const BuiltinModel& builtin : builtin_models()) {
    ReadOptions options;
    options.file_name = std::string(builtin.name) + ".json";
    const Result<Document> document = read_document(builtin.json, options);
    REQUIRE(document.ok());
    if (document->linkage.closures.empty()) continue;
    INFO(std::string(builtin.name));
    const Result<std::string> text = write_document(*document, **format_named("sdf"), {});
    REQUIRE_MESSAGE(text.ok(), text.message());
    const Result<Document> again = read_sdf_text(*text);
    REQUIRE_MESSAGE(again.ok(), again.message());
    const Result<Model> before = compile(document->linkage), after = compile(again->linkage);
    REQUIRE_MESSAGE(after.ok(), after.message());
    const MechanismReport report = analyze_mechanism(*after);
    CHECK(report.assembled);
    CHECK(report.mobility == analyze_mechanism(*before).mobility);
  }
}

TEST_CASE("sdf: nested models, included files, and models placed by one of their frames") {
  const std::string gripper =
      "<sdf version='1.9'><model name='gripper' placement_frame='mount'><link name='hand'/>"
      "<frame name='mount' attached_to='hand'><pose>0 0 -0.1 0 0 0</pose></frame>"
      "<link name='finger'><pose>0 0 0.2 0 0 0</pose></link>"
      "<joint name='slide' type='prismatic'><parent>hand</parent><child>finger</child><axis><xyz>0 1 "
      "0</xyz></axis></joint>"
      "</model></sdf>";
  const std::string arm =
      "<link name='base'/><frame name='wrist' attached_to='base'><pose>0 0 1 0 0 0</pose></frame>"
      "<include><uri>model://gripper</uri><name>tool</name><pose relative_to='wrist'/></include>"
      "<model name='inner'><pose>5 0 0 0 0 0</pose><link name='part'><pose>1 0 0 0 0 0</pose></link></model>"
      "<joint name='weld' type='fixed'><parent>base</parent><child>tool::hand</child></joint>"
      "<joint name='hold' type='fixed'><parent>base</parent><child>inner</child></joint>";
  const Document document = sdf_model(arm, "1.10", {{"model://gripper/model.sdf", gripper}});
  CHECK((sdf_frame(document, "tool::hand").position - Vec3(0, 0, 1.1)).norm() < 1e-15);
  CHECK((sdf_frame(document, "tool::finger", {{"tool::slide", {0.5}}}).position - Vec3(0, 0.5, 1.3)).norm() < 1e-15);
  CHECK((sdf_frame(document, "inner::part").position - Vec3(6, 0, 0)).norm() < 1e-15);
  const Document merged = sdf_model(
      "<link name='base'/><include merge='true'><uri>gripper.sdf</uri></include>"
      "<joint name='weld' type='fixed'><parent>base</parent><child>hand</child></joint>",
      "1.10", {{"gripper.sdf", gripper}});
  CHECK((sdf_frame(merged, "finger").position - Vec3(0, 0, 0.3)).norm() < 1e-15);
  const Result<Document> missing = read_sdf_text("<sdf version='1.9'><model name='m'>" + arm + "</model></sdf>");
  CHECK(missing.message().find("There is no file 'model://gripper/model.sdf'") != std::string::npos);
}

TEST_CASE("sdf: parts without a joint between them stand in the world; names that SDF cannot have are changed") {
  const Document document = sdf_model("<link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose></link>");
  CHECK(document.linkage.links[0].name == "world");
  CHECK((sdf_frame(document, "b").position - Vec3(1, 0, 0)).norm() == 0.0);
  ReadOptions options;
  options.file_name = "x.json";
  const Result<Document> clash = read_document(
      R"({"links": ["arm::a", "world", "b"], "joints": [
        {"name": "b", "type": "revolute", "parent": "arm::a", "child": "b"},
        {"name": "w", "type": "prismatic", "parent": "b", "child": "world"}]})",
      options);
  REQUIRE(clash.ok());
  std::vector<std::string> notes;
  WriteOptions write;
  write.notes = &notes;
  const Result<std::string> text = write_document(*clash, **format_named("sdf"), write);
  REQUIRE_MESSAGE(text.ok(), text.message());
  const Result<Document> again = read_sdf_text(*text);
  REQUIRE_MESSAGE(again.ok(), again.message());
  CHECK(again->linkage.find_link("arm_a") != nullptr);
  CHECK(again->linkage.find_link("world_link") != nullptr);
  CHECK(again->linkage.find_joint("b_joint") != nullptr);
}

TEST_CASE("sdf: mistakes are sentences with a line") {
  check_refused_sdf("", {"no <link>"});
  check_refused_sdf("<link/>", {"line 2", "'name' is missing"});
  check_refused_sdf("<link name='a'/><link name='a'/>", {"taken"});
  check_refused_sdf("<link name='world'/>", {"reserved"});
  check_refused_sdf("<link name='a'><pose relative_to='x'>0 0 0 0 0 0</pose></link>", {"'x'"});
  check_refused_sdf("<link name='a'><pose relative_to='b'/></link><link name='b'><pose relative_to='a'/></link>",
                    {"relative to itself"});
  check_refused_sdf("<link name='a'><pose>0 0 0</pose></link>", {"6 numbers"});
  check_refused_sdf("<link name='a'/><joint name='j' type='bent'><parent>world</parent><child>a</child></joint>",
                    {"joint type", "'bent'"});
  check_refused_sdf("<link name='a'/><joint name='j' type='fixed'><parent>a</parent></joint>", {"<child>"});
  check_refused_sdf("<link name='a'/><joint name='j' type='fixed'><parent>a</parent><child>q</child></joint>", {"'q'"});
  check_refused_sdf("<link name='a'/><joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>",
                    {"to itself"});
  check_refused_sdf(
      "<link name='a'/><joint name='j' type='revolute'><parent>world</parent><child>a</child><axis>"
      "<xyz>0 0 0</xyz></axis></joint>",
      {"no direction"});
  check_refused_sdf(
      "<link name='a'/><joint name='j' type='revolute'><parent>world</parent><child>a</child><axis>"
      "<xyz>0 0 1</xyz><limit><lower>1</lower><upper>0</upper></limit></axis></joint>",
      {"reversed"});
  check_refused_sdf("<link name='a'><visual name='v'><geometry><sphere/></geometry></visual></link>", {"<radius>"});
  check_refused_sdf("<link name='a'/><frame name='f' attached_to='f'/>", {"'f'"});
  CHECK(read_sdf_text("<sdf version='2.0'/>").message().find("Version") != std::string::npos);
  CHECK(read_sdf_text("<sdf version='1.6'/>").message().find("<model>") != std::string::npos);
}
