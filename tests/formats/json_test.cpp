// Our own format: exact round trips, and mistakes told in whole sentences.
#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "armature/base/rng.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "support/data.hpp"
#include "support/same_linkage.hpp"

using namespace armature;

namespace {

Result<Document> read_json(const std::string& text) {
  ReadOptions options;
  options.file_name = "arm.json";
  return read_document(text, options);
}

std::string write(const Document& document) {
  const Result<const Format*> format = format_for_writing("x.json");
  REQUIRE(format.ok());
  const Result<std::string> text = write_document(document, **format, {});
  REQUIRE_MESSAGE(text.ok(), text.message());
  return *text;
}

// A document with one joint of every type and arbitrary bits in every number.
Document rich_document(std::uint64_t seed) {
  Rng rng(seed);
  const auto number = [&] { return rng.uniform(-2.0, 2.0); };
  const auto vector = [&] { return Vec3(number(), number(), number()); };
  Document document;
  Linkage& linkage = document.linkage;
  linkage.name = "a \"strange\" n\xC3\xA4me\n\x01";
  linkage.geometries = {
      {"box", Box{vector().cwiseAbs()}},        {"ball", Sphere{0.1}},
      {"rod", Cylinder{1e-300, 3e300}},         {"bone", Capsule{5e-324, 0.3}},
      {"wire", Polyline{{vector(), vector()}}}, {"shell", MeshFile{"package://robot/meshes/shell part.dae"}}};
  linkage.links.push_back({"base", {}});
  int n = 0;
  for (const std::string& name : joint_type_names()) {
    Joint joint;
    joint.name = name;
    joint.type = *joint_type_from_name(name);
    joint.parent = linkage.links.back().name;
    joint.child = "link/" + name;
    joint.origin = Transform::from(Quat(number(), number(), number(), number()), vector());
    if (n % 3 == 1) joint.origin = {vector(), Mat3::Identity()};
    if (n % 4 == 2) joint.origin = Transform::rotate(Vec3::UnitX(), kPi / 2);
    struct {
      Rng& rng;
      void axis(const char*, Vec3& v) { v = Vec3(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), -0.0); }
      void number(const char*, double& v) { v = rng.uniform(-1.0, 1.0); }
      void order(const char*, EulerOrder& v) { v = *EulerOrder::parse("zxz"); }
    } fill{rng};
    describe_joint(joint.type, fill);
    for (int i = 0; i < coordinate_count(joint.type); ++i) {
      joint.limits.lower.push_back(i == 1 ? -std::numeric_limits<double>::infinity() : -number() * number());
      joint.limits.upper.push_back(i == 2 ? std::numeric_limits<double>::infinity() : number() * number());
    }
    for (int i = 0; i < velocity_count(joint.type); ++i) joint.limits.velocity.push_back(number());
    if (n % 2 == 0) joint.limits.cone = ConeLimit{vector(), 1.0 / 3.0, -0.1, 0.7};
    if (n == 3) joint.mimic = Mimic{"revolute", -1.0 / 3.0, 1e-17};
    Link link{joint.child, {}};
    Visual visual{linkage.geometries[static_cast<std::size_t>(n) % 6].name, Mat4::Identity(), {}, n % 2 == 1};
    if (n % 5 == 1) visual.X_LG = joint.origin.matrix();
    if (n % 5 == 2) visual.X_LG.diagonal() = Eigen::Vector4d(0.001, 0.001, -2.0, 1.0);
    if (n % 5 == 3) visual.X_LG = Mat4::Random();
    if (n % 5 == 4) visual.X_LG.topLeftCorner<3, 3>() *= 0.0254;
    if (n % 2 == 0) visual.color = {0.1, 0.2, 0.3, 1.0};
    link.visuals = {visual, visual};
    linkage.links.push_back(link);
    linkage.joints.push_back(joint);
    ++n;
  }
  linkage.joints[0].parent = "";
  linkage.poses = {{"home", {{"revolute", {0.1}}, {"spherical", {0, 0, 0, 1}}}}, {"", {}}};
  linkage.description = "Every joint type, \"quoted\"";
  linkage.effectors = {linkage.links.back().name, "nobody"};
  document.clips = {{"walk", 1.0 / 120.0, 3, {0.1, -0.0, 1e-320, 1.0 / 3.0, 5, 6}}};
  return document;
}

}  // namespace

TEST_CASE("json: read_json(write(x)) == x to the last bit, for every joint type and shape") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Document document = rich_document(seed);
    const std::string text = write(document);
    const Result<Document> back = read_json(text);
    REQUIRE_MESSAGE(back.ok(), back.message());
    CHECK(test::difference(document.linkage, back->linkage) == "");
    REQUIRE(back->clips.size() == 1);
    CHECK(back->clips[0].frame_time == document.clips[0].frame_time);
    CHECK(test::same_list(back->clips[0].values, document.clips[0].values));
    CHECK(back->clips[0].q_size == 3);
    CHECK(back->notes.empty());
    CHECK(write(*back) == text);
  }
}

TEST_CASE("json: shapes written inside a link stay there") {
  const std::string text = R"({"name": "x", "links": ["base", {"name": "arm", "visuals": [
    {"geometry": {"type": "capsule", "radius": 0.1, "length": 2}, "origin": {"xyz": [0, 0, 1]}},
    {"geometry": {"type": "box", "size": [1, 2, 3]}, "scale": [2, 2, 2]}]}],
    "joints": [{"name": "j", "type": "revolute", "parent": "base", "child": "arm"}]})";
  const Result<Document> document = read_json(text);
  REQUIRE_MESSAGE(document.ok(), document.message());
  REQUIRE(document->linkage.geometries.size() == 2);
  CHECK(document->linkage.geometries[1].name == "arm.2");
  CHECK(document->linkage.links[1].visuals[1].X_LG(2, 2) == 2.0);
  const std::string again = write(*document);
  CHECK(again.find("\"geometries\"") == std::string::npos);
  const Result<Document> back = read_json(again);
  REQUIRE(back.ok());
  CHECK(test::difference(document->linkage, back->linkage) == "");
}

TEST_CASE("json: quaternion, matrix and rpy spell the same rotation") {
  const auto rotation = [](const std::string& spelling) {
    const Result<Document> document = read_json(R"({"links": ["a", "b"], "joints": [{"name": "j", "type": "fixed",
      "parent": "a", "child": "b", "origin": {"xyz": [1, 2, 3], )" +
                                                spelling + "}}]}");
    REQUIRE_MESSAGE(document.ok(), document.message());
    return document->linkage.joints[0].origin;
  };
  const Transform expected = Transform::rotate(Vec3::UnitZ(), kPi / 2);
  for (const char* spelling :
       {"\"rpy\": [0, 0, 1.5707963267948966]", "\"quaternion\": [0, 0, 0.7071068, 0.7071068]",
        "\"matrix\": [0, -1, 0, 1, 0, 0, 0, 0, 1]", "\"matrix\": [0, -1.00001, 0, 0.99999, 0, 0, 0, 0, 1]"}) {
    const Transform got = rotation(spelling);
    CHECK((got.rotation - expected.rotation).norm() < 1e-12);
    CHECK(got.position == Vec3(1, 2, 3));
  }
}

TEST_CASE("json: mistakes are told with file, line, place and what would be right") {
  const auto message = [](const std::string& text) {
    const Result<Document> document = read_json(text);
    REQUIRE(!document.ok());
    return document.message();
  };
  const auto has = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) CHECK_MESSAGE(text.find(part) != std::string::npos, text << " lacks " << part);
  };
  const std::string start = "{\"links\": [\"a\", \"b\"],\n \"joints\": [\n  {\"name\": \"j\", \"child\": \"b\", ";
  has(message("{\"links\": [\n\"a\",\n}"), {"arm.json, line 3", "not well-formed JSON"});
  has(message("{\"links\": [], \"joints\": [\n1e999]}"), {"line 2", "1e999", "too large"});
  has(message(start + "\"type\": \"revolut\"}]}"),
      {"arm.json, line 3, column 39, /joints/0/type", "'revolut'", "did you mean 'revolute'?", "prismatic"});
  has(message(start + "\"type\": \"revolute\", \"limts\": {}}]}"),
      {"/joints/0/limts", "did you mean 'limits'?", "axis"});
  has(message(start + "\"type\": \"spherical\", \"axis\": [1,0,0]}]}"), {"no key 'axis'"});
  has(message(start + "\"type\": \"revolute\", \"axis\": [1,0]}]}"), {"/joints/0/axis", "3 numbers", "holds 2"});
  has(message(start + "\"type\": \"revolute\", \"axis\": \"z\"}]}"), {"3 numbers", "a string"});
  has(message(start + "\"type\": \"revolute\", \"axis\": [1,\nnull,0]}]}"), {"line 4", "/joints/0/axis/1", "null"});
  has(message(start + "\"type\": \"planar\", \"limits\": {\"lower\": 1}}]}"), {"3 such numbers"});
  has(message(start + "\"type\": \"planar\", \"limits\": {\"lower\": [1]}}]}"), {"3 numbers", "holds 1"});
  has(message(start + "\"type\": \"euler\", \"order\": \"xxy\"}]}"), {"xxy", "zxz"});
  has(message(start + "\"type\": \"fixed\",\n \"type\": \"fixed\"}]}"), {"line 4", "'type'", "twice", "line 3"});
  has(message(start + "\"type\": \"fixed\", \"origin\": {\"rpy\": [0,0,0], \"quaternion\": [0,0,0,1]}}]}"),
      {"one of 'rpy', 'quaternion' and 'matrix'"});
  has(message(start + "\"type\": \"fixed\", \"origin\": {\"quaternion\": [0,0,0,2]}}]}"), {"length 2", "must be 1"});
  has(message(start + "\"type\": \"fixed\", \"origin\": {\"matrix\": [1,0,0,0,1,0,0,0,-1]}}]}"), {"no rotation"});
  has(message("{\"joints\": [], \"links\": [{\"nmae\": \"a\"}]}"), {"/links/0", "lacks the key 'name'"});
  has(message("{\"joints\": [], \"links\": [], \"version\": 7}"), {"version 7", "versions 1 and 2"});
  has(message("{\"joints\": [], \"links\": [{\"name\": \"a\", \"visuals\": [{\"geometry\": {\"type\": \"bax\"}}]}]}"),
      {"/links/0/visuals/0/geometry/type", "did you mean 'box'?"});
  has(message("{\"joints\": [], \"links\": [], \"clips\": [{\"frame_time\": 1, \"frames\": [[1, 2], [3]]}]}"),
      {"/clips/0/frames/1", "first has 2", "has 1"});
  has(message("{\"joints\": [], \"links\": [\"\xFF\"]}"), {"not well-formed JSON"});
  has(message("{\"joints\": [], \"links\": " + std::string(100000, '[')), {"deeper than 64"});
  has(message(" \n"), {"arm.json", "empty"});
  has(message("\xFF\xFE{"), {"UTF-16", "UTF-8"});
  has(message("[1, 2]"), {"linkage", "an array"});
}

TEST_CASE("json: comments are allowed everywhere and noted") {
  const Result<Document> document =
      read_json(R"({"$schema": "x", "comment": "a", "links": [{"name": "a", "comment": ["b"]}], "joints": []})");
  REQUIRE_MESSAGE(document.ok(), document.message());
  REQUIRE(document->notes.size() == 1);
  CHECK(document->notes[0].find("2 comments") != std::string::npos);
}

TEST_CASE("json: what cannot be read back is not written") {
  const Result<const Format*> format = format_for_writing("x.json");
  Document document = rich_document(1);
  document.linkage.joints[2].origin.position.x() = std::numeric_limits<double>::quiet_NaN();
  CHECK(!write_document(document, **format, {}).ok());
  document = rich_document(1);
  document.linkage.poses.push_back(document.linkage.poses[0]);
  CHECK(!write_document(document, **format, {}).ok());
}

TEST_CASE("json: every built-in model reads, and reads back from what is written") {
  for (const BuiltinModel& model : builtin_models()) {
    const Result<Document> document = read_json(std::string(model.json));
    REQUIRE_MESSAGE(document.ok(), model.name, ": ", document.message());
    const Result<Document> back = read_json(write(*document));
    REQUIRE(back.ok());
    CHECK(test::difference(document->linkage, back->linkage) == "");
  }
}

TEST_CASE("json: the schema knows every joint type with exactly its parameters") {
  const auto schema =
      nlohmann::json::parse(test::read_file(test::project_root() / "docs/formats/armature.schema.json"));
  const auto& joint = schema["$defs"]["joint"];
  const auto types = joint["properties"]["type"]["enum"].get<std::vector<std::string>>();
  CHECK(types == joint_type_names());
  for (const auto& rule : joint["allOf"]) {
    const std::string type = rule["if"]["properties"]["type"]["const"];
    struct {
      std::vector<std::string> names;
      void axis(const char* n, Vec3&) { names.push_back(n); }
      void number(const char* n, double&) { names.push_back(n); }
      void order(const char* n, EulerOrder&) { names.push_back(n); }
    } described;
    JointType value = *joint_type_from_name(type);
    describe_joint(value, described);
    const std::vector<std::string>& has = described.names;
    for (const char* parameter : {"axis", "axis2", "pitch", "normal", "x_axis", "order"}) {
      const bool forbidden = rule["then"]["properties"].contains(parameter);
      CHECK_MESSAGE(forbidden != (std::find(has.begin(), has.end(), parameter) != has.end()), type << " " << parameter);
    }
    for (const std::string& name : has) CHECK_MESSAGE(joint["properties"].contains(name), name);
  }
  CHECK(joint["allOf"].size() == types.size());
}
