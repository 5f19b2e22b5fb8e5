// Denavit-Hartenberg tables as JSON and CSV: both ways, mistakes, and the published tables with their example poses.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "support/data.hpp"

using namespace armature;

namespace {

Result<Document> read(const std::string& text, const std::string& name, const std::string& part = "") {
  ReadOptions options;
  options.file_name = name;
  options.part = part;
  return read_document(text, options);
}

std::string write(const Document& document, const char* file, const char* convention = "standard") {
  WriteOptions options;
  options.dh_convention = convention;
  const Result<std::string> text = write_document(document, **format_for_writing(file), options);
  REQUIRE_MESSAGE(text.ok(), text.message());
  return *text;
}

// Pose of the last link in the first, coordinates in order.
Mat4 tip_pose(const Document& document, const std::vector<double>& q) {
  const Result<Model> model = compile(document.linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  State state;
  forward(*model, Eigen::Map<const VecX>(q.data(), static_cast<Eigen::Index>(q.size())), state);
  return relative(state, 0, model->link_count() - 1).matrix();
}

void check_refused(const std::string& text, const char* file, std::initializer_list<const char*> parts) {
  const Result<Document> document = read(text, file);
  REQUIRE(!document.ok());
  for (const char* part : parts) {
    CHECK_MESSAGE(document.message().find(part) != std::string::npos, document.message() << " lacks " << part);
  }
}

const char* const kCsv =
    "# name: arm\n# convention: modified\n# tool: 1 0 0 0  0 1 0 0  0 0 1 0.5  0 0 0 1\n"
    "name,joint,a,alpha,d,theta,lower,upper,velocity,flip\n"
    "turn,revolute,0.5,0.25,0.125,q+0.75,-1,2,3,0\n"
    "slide,prismatic,0,1.5,-q-0.25,0.5,,1,,0\n";

}  // namespace

TEST_CASE("dh: CSV and JSON say the same, and survive being written in either") {
  const Result<Document> csv = read(kCsv, "arm.dh.csv");
  REQUIRE_MESSAGE(csv.ok(), csv.message());
  CHECK(csv->linkage.name == "arm");
  CHECK(csv->linkage.joints[0].name == "turn");
  CHECK(csv->linkage.joints[0].limits.upper[0] == 2.0);
  CHECK(std::isinf(csv->linkage.joints[1].limits.lower[0]));
  const Result<Document> json = read(R"({"name": "arm", "convention": "modified", "rows": [
    {"name": "turn", "joint": "revolute", "a": 0.5, "alpha": 0.25, "d": 0.125, "theta": "q", "theta_offset": 0.75, "limits": [-1, 2]},
    {"name": "slide", "joint": "prismatic", "a": 0, "alpha": 1.5, "d": "-q", "d_offset": -0.25, "theta": 0.5, "limits": [null, 1]}],
    "tool": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.5], [0, 0, 0, 1]]})",
                                     "arm.json");
  REQUIRE_MESSAGE(json.ok(), json.message());
  const std::vector<double> q{0.4, -0.6};
  const Mat4 expected = tip_pose(*csv, q);
  // Straight from the definition: Rx(alpha) Tx(a) Rz(theta) Tz(d).
  const auto row = [](double alpha, double a, double theta, double d) {
    Transform x = Transform::rotate(Vec3::UnitX(), alpha) * Transform::translate(Vec3(a, 0, 0));
    return x * Transform::rotate(Vec3::UnitZ(), theta) * Transform::translate(Vec3(0, 0, d));
  };
  const Transform direct =
      row(0.25, 0.5, 0.4 + 0.75, 0.125) * row(1.5, 0, 0.5, 0.6 - 0.25) * Transform::translate(Vec3(0, 0, 0.5));
  CHECK((expected - direct.matrix()).norm() < 1e-14);
  CHECK((tip_pose(*json, q) - expected).norm() < 1e-14);
  for (const char* file : {"x.dh.csv", "x.dh.json"}) {
    for (const char* convention : {"standard", "modified"}) {
      const std::string text = write(*csv, file, convention);
      CHECK(text.find(convention) != std::string::npos);
      const Result<Document> back = read(text, file);
      REQUIRE_MESSAGE(back.ok(), back.message());
      CHECK((tip_pose(*back, q) - expected).norm() < 1e-13);
      CHECK(back->linkage.joints[0].name == "turn");
      CHECK(back->linkage.joints[1].limits.upper[0] == 1.0);
    }
  }
}

TEST_CASE("dh: mistakes name the line") {
  const std::string head = "name,joint,a,alpha,d,theta\n";
  check_refused(head + "j,revolute,0,0,1\n", "x.dh.csv", {"x.dh.csv, line 2", "5 cells", "6"});
  check_refused(head + "j,revolute,0,0,q,0\n", "x.dh.csv", {"line 2", "belongs into theta"});
  check_refused(head + "j,revolute,0,x,0,q\n", "x.dh.csv", {"alpha must be a number", "'x'"});
  check_refused(head + "j,revolut,0,0,0,q\n", "x.dh.csv", {"did you mean 'revolute'?"});
  check_refused(head + "j,revolute,0,0,0,2q\n", "x.dh.csv", {"theta must be", "'2q'"});
  check_refused(head, "x.dh.csv", {"no rows"});
  check_refused(head + "j,revolute,0,0,0,q\nj,revolute,0,0,0,q\n", "x.dh.csv", {"Two joints are named 'j'"});
  check_refused("name,joint,a,alpa,d,theta\nj,revolute,0,0,0,q\n", "x.dh.csv", {"line 1", "did you mean 'alpha'?"});
  check_refused("a,alpha,d\n0,0,0\n", "x.dh.csv", {"lacks the column 'theta'"});
  check_refused("# convention: other\n" + head + "j,revolute,0,0,0,q\n", "x.dh.csv", {"line 1", "modified"});
  check_refused("# tool: 1 2 3\n" + head + "j,revolute,0,0,0,q\n", "x.dh.csv", {"16 numbers"});
  check_refused(R"({"convention": "standard", "rows": [{"joint": "revolute", "alhpa": 1}]})", "x.json",
                {"/rows/0", "lacks the key 'a'"});
  check_refused(R"({"convention": "standard", "rows": [{"joint": "revolute", "a": 0, "alpha": 0, "d": 0, "theta": "2"},
    {"joint": "revolute", "a": 0, "alpha": 0, "d": 0, "theta": "q", "limit": []}]})",
                "x.json", {"line 2, column 78, /rows/1/limit", "did you mean 'limits'?"});
  check_refused(R"({"convention": "craig", "rows": []})", "x.json", {"/convention", "modified"});
}

TEST_CASE("dh: a branching linkage writes the chain to its effector and says what it leaves out") {
  const Result<Document> tree = read(R"({"name": "t", "links": ["a", "b", "c"], "joints": [
    {"name": "ab", "type": "revolute", "parent": "a", "child": "b", "axis": [0, 1, 0], "origin": {"xyz": [0, 0, 1]}},
    {"name": "ac", "type": "revolute", "parent": "a", "child": "c"}]})",
                                     "t.json");
  REQUIRE_MESSAGE(tree.ok(), tree.message());
  std::vector<std::string> notes;
  WriteOptions options;
  options.notes = &notes;
  REQUIRE(write_document(*tree, **format_for_writing("t.dh.json"), options).ok());
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].find("from 'a' to 'b'") != std::string::npos);
}

TEST_CASE("dh: the published tables give their example poses to 1e-9") {
  const auto file = test::shared_data("dh/dh_tables.json");
  if (!file) return;
  const std::string text = test::read_file(*file);
  const auto tables = nlohmann::json::parse(text);
  int poses = 0;
  for (const auto& robot : tables["robots"]) {
    const std::string name = robot["name"];
    const Result<Document> document = read(text, "dh_tables.json", name);
    REQUIRE_MESSAGE(document.ok(), document.message());
    CHECK(document->linkage.name == name);
    for (const char* spelling : {"", "x.dh.json", "x.dh.csv", "x.json", "x.urdf"}) {
      const Document again = *spelling == 0 ? *document : *read(write(*document, spelling), spelling);
      for (const auto& example : robot["fk_examples"]) {
        const Mat4 got = tip_pose(again, example["q"].get<std::vector<double>>());
        for (std::size_t r = 0; r < 4; ++r) {
          for (std::size_t c = 0; c < 4; ++c) {
            const double want = example["T"][r][c];
            CHECK_MESSAGE(std::abs(got(static_cast<int>(r), static_cast<int>(c)) - want) < 1e-9, name << spelling);
          }
        }
        poses += *spelling == 0 ? 1 : 0;
      }
    }
  }
  CHECK(poses == 33);
  const Result<Document> first = read(text, "dh_tables.json");
  REQUIRE(first.ok());
  CHECK(first->notes[0].find("Stanford arm") != std::string::npos);
  CHECK(!read(text, "dh_tables.json", "Puma").ok());
}
