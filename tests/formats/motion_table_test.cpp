// Motions as CSV and JSON lines: they come back bit for bit, and mistakes name their line.
#include "armature/formats/motion_table.hpp"

#include <doctest/doctest.h>

#include "armature/base/rng.hpp"
#include "motion_support.hpp"

using namespace armature;
using namespace armature::test;

namespace {

Document sample() {
  Document document;
  document.linkage.name = "arm";
  const auto add = [&](const std::string& name, JointType type) {
    Joint joint;
    joint.name = name;
    joint.type = std::move(type);
    joint.parent = document.linkage.links.empty() ? "" : document.linkage.links.back().name;
    joint.child = name + " link";
    joint.origin.position = Vec3(0.1, 0.2, 0.3);
    document.linkage.links.push_back({joint.child, {}});
    document.linkage.joints.push_back(joint);
  };
  add("base", Free{});
  add("elbow, left", Revolute{});
  add("wrist", Euler{});
  Clip clip;
  clip.name = "arm";
  clip.frame_time = 0.1;
  clip.q_size = 11;
  Rng rng(3);
  for (int i = 0; i < 5 * clip.q_size; ++i) clip.values.push_back(rng.uniform(-4.0, 4.0) * (i % 3 == 0 ? 1e-9 : 1.0));
  document.clips.push_back(clip);
  return document;
}

std::string changed(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("csv and json lines: motions come back bit for bit, with their linkage") {
  Document document = sample();
  const std::string csv = *write_csv(document, {});
  CHECK(detect_csv(csv));
  CHECK(csv.find("\ntime,base.x,base.y,base.z,base.qx,base.qy,base.qz,base.qw,\"elbow, left\",wrist.x,") !=
        std::string::npos);
  const Result<Document> from_csv = read_csv(csv, {});
  REQUIRE_MESSAGE(from_csv.ok(), from_csv.message());
  check_same_linkage(document.linkage, from_csv->linkage);
  check_same_clips(document, *from_csv);

  document.clips.push_back(document.clips[0]);
  document.clips[1].name = "again";
  document.clips[1].values.resize(11);
  const std::string lines = *write_jsonl(document, {});
  CHECK(detect_jsonl(lines));
  const Result<Document> from_lines = read_jsonl(lines, {});
  REQUIRE_MESSAGE(from_lines.ok(), from_lines.message());
  check_same_linkage(document.linkage, from_lines->linkage);
  check_same_clips(document, *from_lines);
  CHECK(from_lines->clips[1].name == "again");

  std::vector<std::string> notes;
  WriteOptions options;
  options.notes = &notes;
  CHECK(write_csv(document, options).ok());
  CHECK(mentions(notes, "one motion"));
}

TEST_CASE("csv: a plain table moves a known model, columns in any order") {
  const Document document = sample();
  const Model model = must_compile(document.linkage);
  std::vector<std::string> notes;
  const std::string text = "time;wrist.z;\"elbow, left\"\r\n0;0.5;1\r\n0.25;0.75;-2\r\n";
  const Result<Clip> clip = read_csv_motion(text, model, {}, notes);
  REQUIRE_MESSAGE(clip.ok(), clip.message());
  CHECK(clip->frame_time == 0.25);
  REQUIRE(clip->frame_count() == 2);
  CHECK(clip->frame(1)[7] == -2.0);
  CHECK(clip->frame(1)[10] == 0.75);
  CHECK(clip->frame(1)[6] == 1.0);  // neutral quaternion
  CHECK(mentions(notes, "9 coordinates have no column"));
  CHECK(read_csv_motion("time,elbw\n0,1\n", model, {}, notes).message().find("There is no coordinate 'elbw'") !=
        std::string::npos);
}

TEST_CASE("csv and json lines: mistakes name their line") {
  const std::string csv = *write_csv(sample(), {});
  const auto refused = [](const std::string& text, const std::string& words) {
    ReadOptions options;
    options.file_name = "m";
    const Result<Document> document = detect_jsonl(text) ? read_jsonl(text, options) : read_csv(text, options);
    REQUIRE_FALSE(document.ok());
    CHECK_MESSAGE(document.message().find(words) != std::string::npos, document.message());
  };
  refused("", "no line of column names");
  refused("time,a\n0,1\n", "does not say which linkage it moves");
  refused("# armature {}\nframe,a\n0,1\n", "begins with the column 'time'");
  refused(changed(csv, "\n0.1,", "\nx,"), "m, line 4: Column 1 is 'x'");
  refused(changed(csv, "\n0.1,", "\n0.1,5,"), "line 4: The row has 13 numbers where 12");
  refused(changed(csv, "\n0.2,", "\n0.25,"), "line 5: The row is at 0.25 s where 0.2 s is expected");
  refused(changed(csv, "\n0.1,", "\nnan,"), "a finite number");
  const std::string lines = *write_jsonl(sample(), {});
  refused(changed(lines, "\"q\":[", "\"q\":[1,"), "m, line 2: A frame needs 'q', a list of 11 numbers");
  refused(changed(lines, "{\"time\":0.1", "{\"time\":true"), "line 3: The frame is at true s");
  refused(changed(lines, "}\n{\"time\":0.1", "}\n[{\"time\":0.1"), "line 3: The line is not a JSON object");
  refused(changed(lines, "\"linkage\":", "\"link\":"), "needs a 'linkage'");
}
