// BVH: what is read, what is refused and how, and that writing gives back what was read.
#include "armature/formats/bvh.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "armature/base/rng.hpp"
#include "armature/formats/registry.hpp"
#include "armature/model/edit.hpp"
#include "motion_support.hpp"

using namespace armature;
using namespace armature::test;

namespace {

std::string figure(const std::string& root_channels, const std::string& leg_channels, const std::string& rows) {
  return "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n  CHANNELS " + root_channels +
         "\n  JOINT Leg\n  {\n    OFFSET 0 -1 0\n    CHANNELS " + leg_channels +
         "\n    End Site\n    {\n      OFFSET 0 -1 0\n    }\n  }\n}\nMOTION\n" + rows;
}
const std::string kSix = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
const std::string kThree = "3 Zrotation Xrotation Yrotation";

Document must_read(const std::string& text, const ReadOptions& options = {}) {
  Result<Document> document = read_bvh(text, options);
  REQUIRE_MESSAGE(document.ok(), document.message());
  return std::move(*document);
}

void check_refused(const std::string& text, const std::string& words) {
  const Result<Document> document = read_bvh(text, {});
  REQUIRE_FALSE(document.ok());
  CHECK_MESSAGE(document.message().find(words) != std::string::npos, document.message());
}

std::string must_write(const Document& document) {
  Result<std::string> text = write_bvh(document, {});
  REQUIRE_MESSAGE(text.ok(), text.message());
  return std::move(*text);
}

void check_round_trip(const Document& document, const ReadOptions& options = {}) {
  const Document again = must_read(must_write(document), options);
  check_same_linkage(document.linkage, again.linkage);
  check_same_clips(document, again);
}

}  // namespace

TEST_CASE("bvh: bones become links, channels become joints, in the file's own order") {
  const Document document =
      must_read(figure(kSix, kThree, "Frames: 2\nFrame Time: 0.5\n0 1 0 0 0 0 0 0 0\n0 1 0.1 10 20 30 5 -5 2\n"));
  const Model model = must_compile(document.linkage);
  CHECK(model.links() == std::vector<std::string>{"Hips", "Leg", "Leg_end"});
  CHECK(std::get<FreeEuler>(model.joint(0).type).order.name() == "zxy");
  CHECK(std::get<Euler>(model.joint(1).type).order.name() == "zxy");
  CHECK(std::holds_alternative<Fixed>(model.joint(2).type));
  REQUIRE(document.clips.size() == 1);
  CHECK(document.clips[0].frame_time == 0.5);
  REQUIRE(document.clips[0].frame_count() == 2);

  State state;
  forward(model, Eigen::Map<const VecX>(document.clips[0].frame(1), 9), state);
  const auto turn = [](int axis, double degrees) {
    return Mat3(Eigen::AngleAxisd(degrees * kPi / 180.0, Vec3::Unit(axis)).toRotationMatrix());
  };
  const Mat3 hips = turn(2, 10) * turn(0, 20) * turn(1, 30);
  CHECK((state.X_WL[0].rotation - hips).cwiseAbs().maxCoeff() < 1e-15);
  CHECK((state.X_WL[0].position - Vec3(0, 1, 0.1)).norm() < 1e-15);
  const Vec3 leg = Vec3(0, 1, 0.1) + hips * Vec3(0, -1, 0);
  CHECK((state.X_WL[1].position - leg).norm() < 1e-15);
  const Vec3 end = leg + hips * turn(2, 5) * turn(0, -5) * turn(1, 2) * Vec3(0, -1, 0);
  CHECK((state.X_WL[2].position - end).norm() < 1e-15);
}

TEST_CASE("bvh: any count and order of channels is read, and written back as it was") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"6 Zrotation Xrotation Yrotation Xposition Yposition Zposition", "1 2 3 4 5 6"},
      {"6 Xposition Zrotation Yposition Yrotation Zposition Xrotation", "1 2 3 4 5 6"},
      {"6 Zposition Yposition Xposition Zrotation Xrotation Zrotation", "1 2 3 4 5 6"},
      {"3 Zrotation Xrotation Zrotation", "1 2 3"},
      {"2 Yrotation Xrotation", "1 2"},
      {"1 Yrotation", "7"},
      {"1 Zposition", "7"},
      {"2 Zposition Xposition", "7 8"},
      {"3 Yposition Zrotation Xrotation", "1 2 3"},
      {"4 Xrotation Xposition Yposition Zposition", "1 2 3 4"},
      {"0", ""}};
  for (const auto& [channels, values] : cases) {
    const std::string& shown = channels;  // clang 14 does not capture structured bindings
    INFO(shown);
    const std::string rows = "Frames: 1\nFrame Time: 0.1\n" + values + " 10 20 30\n";
    const Document document = must_read(figure(channels, kThree, rows));
    must_compile(document.linkage);
    const std::string text = must_write(document);
    CHECK(text.find("CHANNELS " + channels + "\n") != std::string::npos);
    CHECK(text.find((values.empty() ? "" : "\n" + values) + (values.empty() ? "\n10 20 30\n" : " 10 20 30\n")) !=
          std::string::npos);
    check_round_trip(document);
  }
  // Other formats know one order only.
  for (const auto& [channels, lost] : {std::pair{kSix, false}, {cases[0].first, true}, {cases[2].first, true}}) {
    std::vector<std::string> notes;
    WriteOptions options;
    options.notes = &notes;
    const Document document = must_read(figure(channels, kThree, "Frames: 0\nFrame Time: 0.1\n"));
    REQUIRE(write_document(document, **format_for_writing("a.json"), options).ok());
    CHECK(mentions(notes, "Not kept in this format: the order of the channels") == lost);
  }
  const Document hinge = must_read(figure(kSix, "1 Xrotation", "Frames: 1\nFrame Time: 0.1\n0 1 0 0 0 0 45\n"));
  CHECK(std::string(type_name(hinge.linkage.joints[1].type)) == "continuous");
  CHECK(hinge.clips[0].values[6] == doctest::Approx(kPi / 4));
  const Document locked = must_read(figure("2 Zposition Xrotation", kThree, "Frames: 0\nFrame Time: 0.1\n"));
  CHECK(locked.linkage.joints[0].limits.upper[0] == 0.0);
  CHECK(std::isinf(locked.linkage.joints[0].limits.upper[2]));
  CHECK(std::isinf(locked.linkage.joints[0].limits.upper[3]));
}

TEST_CASE("bvh: a position without a channel stays where it is") {
  const Document document = must_read(figure("5 Xposition Zposition Zrotation Xrotation Yrotation", kThree,
                                             "Frames: 1\nFrame Time: 0.5\n1 2 0 0 0 0 0 0\n"));
  const Model model = must_compile(document.linkage);
  REQUIRE(std::holds_alternative<FreeEuler>(model.joint(0).type));
  for (int k = 0; k < 6; ++k) {
    CHECK(std::isfinite(model.lower()[k]) == (k == 1));
    CHECK(std::isfinite(model.upper()[k]) == (k == 1));
  }
  CHECK(model.lower()[1] == model.upper()[1]);
}

TEST_CASE("bvh: layout does not matter") {
  const std::string rows = "Frames: 2\nFrame Time: .5\n0 1 0 0 0 0 0 0 0\n1e-3 1.0E+0 -2.5e-1 1e1 2E1 .3e2 5 -5 2\n";
  const std::string plain = figure(kSix, kThree, rows);
  const Document reference = must_read(plain);
  CHECK(reference.clips[0].frame(1)[2] == -0.25);
  CHECK(reference.clips[0].frame(1)[5] == 30.0 * (kPi / 180.0));
  const auto replaced = [&](const std::string& what, const std::string& by) {
    std::string text = plain;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
      text.replace(at, what.size(), by);
    }
    return text;
  };
  const std::vector<std::string> variants = {"\xEF\xBB\xBF" + plain,
                                             replaced("\n", "\r\n"),
                                             replaced("\n", "\r"),
                                             replaced("\n", " \t\n\n\t"),
                                             replaced("\n  {", " {"),
                                             replaced("ROOT", "root"),
                                             replaced("Frames:", "FRAMES :"),
                                             replaced(" 10 20 30", "\n10 20 30"),
                                             replaced("1e1 2E1 ", "1e1\n 2E1 "),
                                             plain.substr(0, plain.size() - 1)};
  for (const std::string& text : variants) {
    INFO(text);
    const Document document = must_read(text);
    check_same_linkage(reference.linkage, document.linkage);
    check_same_clips(reference, document);
    CHECK(document.notes.empty());
  }
}

TEST_CASE("bvh: names") {
  std::string text = figure(kSix, kThree, "Frames: 0\nFrame Time: 0.1\n");
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string changed = text;
    return changed.replace(changed.find(what), what.size(), by);
  };
  CHECK(must_read(with("JOINT Leg", "JOINT Left Leg")).linkage.links[1].name == "Left Leg");
  CHECK(must_read(with("End Site", "End Site toe tip")).linkage.links[2].name == "toe tip");
  const Document twice = must_read(with("JOINT Leg", "JOINT Hips"));
  CHECK(twice.linkage.links[1].name == "Hips_2");
  CHECK(mentions(twice.notes, "ine 6: the name 'Hips' was used before"));
  // A number behind a long name takes the place of its end, never of half a character.
  std::string longest(998, 'a');
  longest += "\xC3\xA4";
  std::string both = with("JOINT Leg", "JOINT " + longest);
  both.replace(both.find("Hips"), 4, longest);
  const Document shortened = must_read(both);
  CHECK(shortened.linkage.links[1].name == std::string(998, 'a') + "_2");
  check_round_trip(shortened);
  Document overlong = shortened;
  overlong.linkage.extra.reset();
  REQUIRE(rename_link(overlong.linkage, overlong.linkage.links[1].name, std::string(1200, 'b')).ok());
  CHECK(must_read(must_write(overlong)).linkage.links[1].name == std::string(1000, 'b'));
  const Document none = must_read(with("JOINT Leg", "JOINT"));
  CHECK(none.linkage.links[1].name == "bone_2");
  CHECK(is_utf8(must_read(with("JOINT Leg", "JOINT L\xE9g")).linkage.links[1].name));
  for (const std::string& changed : {with("JOINT Leg", "JOINT Left Leg"), with("End Site", "End Site toe tip")}) {
    check_round_trip(must_read(changed));
  }
}

TEST_CASE("bvh: positions below the root replace the OFFSET or are added to it") {
  const std::string absolute = figure(kSix, kSix, "Frames: 1\nFrame Time: 0.1\n0 0 0 0 0 0 0 -1.25 0 0 0 0\n");
  const std::string added = figure(kSix, kSix, "Frames: 1\nFrame Time: 0.1\n0 0 0 0 0 0 0 -0.25 0 0 0 0\n");
  const auto leg = [](const std::string& text, const std::string& option) {
    ReadOptions options;
    options.bvh_positions = option;
    const Document document = must_read(text, options);
    check_round_trip(document, options);
    return positions(must_compile(document.linkage), &document.clips[0], 0)[1].y();
  };
  CHECK(leg(absolute, "auto") == -1.25);
  CHECK(leg(added, "auto") == -1.25);
  CHECK(leg(absolute, "offset") == -2.25);
  CHECK(leg(added, "absolute") == -0.25);
  CHECK(mentions(must_read(absolute).notes, "absolute"));
  CHECK(mentions(must_read(added).notes, "added"));
  ReadOptions wrong;
  wrong.bvh_positions = "both";
  CHECK(read_bvh(added, wrong).message().find("'auto', 'absolute' or 'offset'") != std::string::npos);
}

TEST_CASE("bvh: bones whose positions never change are held in their places") {
  const auto leg = [&](const std::string& rows) { return must_read(figure(kSix, kSix, rows)); };
  const Document still = leg("Frames: 2\nFrame Time: 0.1\n0 0 0 1 2 3 0 -1 0 4 5 6\n9 0 0 1 2 3 0 -1.000001 0 7 8 9\n");
  const Limits& held = still.linkage.joints[1].limits;
  REQUIRE(held.upper.size() == 6);
  for (const std::size_t k : {0, 2}) CHECK((held.lower[k] == 0.0 && held.upper[k] == 0.0));
  CHECK(held.lower[1] == doctest::Approx(-1e-6));
  CHECK(std::isinf(held.upper[3]));
  CHECK(still.linkage.joints[0].limits.upper.empty());
  CHECK(mentions(still.notes, "Positions of 1 bone below the root never change"));
  const std::string text = must_write(still);
  CHECK(text.find("CHANNELS " + kSix, text.find("JOINT Leg")) != std::string::npos);
  check_round_trip(still);
  const Document moves = leg("Frames: 2\nFrame Time: 0.1\n0 0 0 1 2 3 0 -1 0 4 5 6\n9 0 0 1 2 3 0 -1.0001 0 7 8 9\n");
  CHECK(moves.linkage.joints[1].limits.upper.empty());
}

TEST_CASE("bvh: a root's position replaces its OFFSET, and the rest pose keeps it") {
  std::string text = figure(kSix, kThree, "Frames: 1\nFrame Time: 0.1\n3 4.1 5.3 0 0 0 0 0 0\n");
  text.replace(text.find("OFFSET 0 0 0"), 12, "OFFSET 1 2.2 3.7");
  const Document document = must_read(text);
  const Model model = must_compile(document.linkage);
  CHECK((positions(model, &document.clips[0], 0)[0] - Vec3(3, 4.1, 5.3)).norm() < 1e-15);
  CHECK(positions(model, nullptr, -1)[0] == Vec3(1, 2.2, 3.7));
  CHECK(must_write(document).find("\n3 4.1 5.3 0 0") != std::string::npos);
  check_round_trip(document);
}

TEST_CASE("bvh: several roots hang on one fixed link") {
  const std::string bone = " {\n OFFSET 1 0 0\n CHANNELS " + kSix + "\n}\n";
  const Document document = must_read("HIERARCHY\nROOT A" + bone + "ROOT B" + bone +
                                      "MOTION\nFrames: 1\nFrame Time: 1\n1 2 3 0 0 0 4 5 6 0 0 0\n");
  CHECK(mentions(document.notes, "2 ROOTs"));
  const Model model = must_compile(document.linkage);
  CHECK((positions(model, &document.clips[0], 0)[2] - Vec3(4, 5, 6)).norm() == 0.0);
  CHECK(must_write(document).find("ROOT B") != std::string::npos);
  check_round_trip(document);
}

TEST_CASE("bvh: mistakes are named with their line and what would be right") {
  const std::string rows = "Frames: 2\nFrame Time: 0.1\n";
  const std::string row = "0 1 0 0 0 0 0 0 0\n";
  check_refused("", "begins with the word HIERARCHY");
  check_refused("HIERARCHY\n", "Line 2: After HIERARCHY a ROOT is expected, not the end of the file.");
  check_refused(figure(kSix, "4 Zrotation Xrotation Yrotation", rows), "Line 10: CHANNELS of JOINT 'Leg' says 4");
  check_refused(figure(kSix, "2 Zrotation Xrotation Yrotation", rows), "says 2, but more names follow");
  check_refused(figure(kSix, "3 Zrotation Wrotation Yrotation", rows), "name number 2 is 'Wrotation'");
  check_refused(figure(kSix, "3 Zrotation Zrotation Yrotation", rows), "twice running");
  check_refused(figure("2 Xposition Xposition", kThree, rows), "has the channel Xposition twice");
  check_refused(figure("many", kThree, rows), "needs a count from 0 to 6, not 'many'");
  check_refused(figure(kSix, kThree, "Frame Time: 0.1\n"), "'Frames: 120' is expected");
  check_refused(figure(kSix, kThree, "Frames: 1.5\nFrame Time: 0.1\n"), "with a whole number");
  check_refused(figure(kSix, kThree, "Frames: 1\n" + row), "'Frame Time: 0.033333' is expected");
  check_refused(figure(kSix, kThree, rows + row), "The header says 2 frames, but the file ends after 1.");
  check_refused(figure(kSix, kThree, rows + row + "0 1 0 0 0 0 0 0\n"), "Line 20: The line has 8 numbers where 9");
  check_refused(figure(kSix, kThree, rows + "0 1 0 0 0 0 0 0\n" + row + row), "Line 19: The line has 8 numbers");
  check_refused(figure(kSix, kThree, rows + "0 1 0 0 0 0 0 0 0 0\n" + row), "Line 19: The line has 10 numbers");
  check_refused(figure(kSix, kThree, rows + row + "0 1 abc 0 0 0 0 0 0\n"), "Line 20: Number 3 of the frame is 'abc'");
  check_refused(figure(kSix, kThree, rows + row + "0 1 0,5 0 0 0 0 0 0\n"), "'0,5'; a finite number with a decimal");
  check_refused(figure(kSix, kThree, rows + row + "0 1 nan 0 0 0 0 0 0\n"), "'nan'");
  check_refused(figure(kSix, kThree, rows + row + "0 1 1e999 0 0 0 0 0 0\n"), "'1e999'");
  check_refused(figure(kSix, kThree, "Frames: 2000000000\nFrame Time: 0.1\n" + row), "says 2000000000 frames");
  std::string text = figure(kSix, kThree, rows + row + row);
  check_refused(text.substr(0, text.find("MOTION") - 2) + "\n" + text.substr(text.find("MOTION")),
                "ROOT 'Hips', opened in line 2, is not closed: a '}' is missing before 'MOTION'.");
  check_refused("HIERARCHY\nROOT A\n{\n OFFSET 1 2\n CHANNELS 0\n}\n", "needs three numbers; number 3 is 'CHANNELS'");
  check_refused("HIERARCHY\nROOT A\n{\n CHANNELS 0\n}\n", "has no OFFSET");
  check_refused("HIERARCHY\nROOT " + std::string(2000, 'x') + "\n{\n", "has 2000 bytes; at most 1000");
}

TEST_CASE("bvh: progress is told, can stop the reading, and size is bounded") {
  std::string rows = "Frames: 40000\nFrame Time: 0.1\n";
  for (int i = 0; i < 40000; ++i) rows += "0.25 1.5 0 10.125 0 0 0 0 0\n";
  const std::string text = figure(kSix, kThree, rows);
  struct Watch {
    int calls = 0;
    double last = 0.0;
    bool rising = true;
    int stop_after = 1000;
  } watch;
  ReadOptions options;
  options.progress_context = &watch;
  options.progress = [](double fraction, void* context) {
    Watch& w = *static_cast<Watch*>(context);
    w.rising = w.rising && fraction > w.last && fraction <= 1.0;
    w.last = fraction;
    return ++w.calls < w.stop_after;
  };
  CHECK(read_bvh(text, options).ok());
  CHECK(watch.calls >= 3);
  CHECK(watch.rising);
  watch = {};
  watch.stop_after = 2;
  CHECK(read_bvh(text, options).message().find("stopped") != std::string::npos);
  CHECK(watch.calls == 2);
  ReadOptions small;
  small.max_bytes = 1000;
  CHECK(read_bvh(text, small).message().find("at most 1000") != std::string::npos);
}

TEST_CASE("bvh: any linkage can be written; places stay the same and losses are named") {
  Document document;
  document.linkage.name = "arm";
  const auto add = [&](const std::string& name, JointType type, const Transform& placement) {
    Joint joint;
    joint.name = name + " joint";
    joint.type = std::move(type);
    joint.parent = document.linkage.links.empty() ? "" : document.linkage.links.back().name;
    joint.child = name;
    joint.origin = placement;
    document.linkage.links.push_back({name, {}});
    document.linkage.joints.push_back(joint);
  };
  Revolute tilted;
  tilted.axis = Vec3(1, 2, 3).normalized();
  add("base", Free{}, Transform::translate(Vec3(0, 0, 1)));
  add("shoulder", Spherical{}, Transform::from(Quat(1, 2, 3, 4), Vec3(1, 0, 0)));
  add("elbow", tilted, Transform::from(Quat(1, 0, 1, 0), Vec3(0, 1, 0)));
  add("slide", Prismatic{}, Transform::from(Quat(3, 0, 1, 1), Vec3(0, 0, 1)));
  add("screw", Helical{Vec3::UnitY(), 0.5}, Transform::translate(Vec3(0.5, 0, 0)));
  add("plate", Planar{}, Transform::translate(Vec3(0, 0.5, 0)));
  add("tip", Fixed{}, Transform::from(Quat(1, 1, 0, 0), Vec3(0, 0, 0.3)));
  document.linkage.joints[2].limits.lower = {-1.0};
  document.linkage.joints[2].limits.upper = {1.0};
  const Model model = must_compile(document.linkage);
  Clip clip;
  clip.q_size = model.q_size();
  Rng rng(7);
  for (int f = 0; f < 5; ++f) {
    VecX q(model.q_size());
    for (int i = 0; i < model.q_size(); ++i) q[i] = rng.uniform(-3.0, 3.0);
    clip.append(q);
  }
  document.clips.push_back(clip);

  WriteOptions options;
  std::vector<std::string> notes;
  options.notes = &notes;
  const Result<std::string> text = write_bvh(document, options);
  REQUIRE(text.ok());
  CHECK(mentions(notes, "no resting rotations"));
  CHECK(mentions(notes, "Joints whose limits are dropped (BVH cannot represent them): 1."));
  CHECK(mentions(notes, "joints take their links'"));
  const Document again = must_read(*text);
  const Model written = must_compile(again.linkage);
  REQUIRE(written.link_count() == model.link_count());
  for (int f = 0; f < 5; ++f) {
    const auto before = positions(model, &clip, f);
    const auto after = positions(written, &again.clips[0], f);
    for (std::size_t i = 0; i < before.size(); ++i) CHECK((before[i] - after[i]).norm() < 1e-12);
  }
}

TEST_CASE("bvh: fresh bones have three angles or none and three positions or none, and the same angles come back") {
  Document document;
  document.linkage.name = "arm";
  const auto add = [&](const std::string& name, JointType type) {
    Joint joint;
    joint.name = name;
    joint.type = std::move(type);
    joint.parent = document.linkage.links.empty() ? "" : document.linkage.links.back().name;
    joint.child = name;
    joint.origin = Transform::translate(Vec3(1, 2, 3));
    document.linkage.links.push_back({name, {}});
    document.linkage.joints.push_back(joint);
  };
  Revolute backwards;
  backwards.axis = -Vec3::UnitX();
  Universal universal;
  universal.axis = Vec3::UnitY();
  universal.axis2 = Vec3::UnitX();
  Prismatic slider;
  slider.axis = Vec3::UnitY();
  add("hinge", backwards);
  add("cross", universal);
  add("slider", slider);
  add("proper", Euler{EulerOrder{{2, 0, 2}}});
  const Model model = must_compile(document.linkage);
  Clip clip;
  clip.q_size = model.q_size();
  clip.append((VecX(7) << 0.25, -0.5, 2.5, 5, 0.75, 1.0, -0.25).finished());
  document.clips.push_back(clip);
  const std::string text = must_write(document);
  CHECK(text.find("ROOT hinge\n{\n\tOFFSET 1 2 3\n\tCHANNELS 3 Xrotation Zrotation Yrotation\n") != std::string::npos);
  CHECK(text.find("CHANNELS 3 Yrotation Xrotation Zrotation") != std::string::npos);
  CHECK(text.find("CHANNELS 3 Xposition Yposition Zposition") != std::string::npos);
  CHECK(text.find("CHANNELS 3 Zrotation Xrotation Yrotation") != std::string::npos);  // of zxz: other programs lack it
  ReadOptions options;
  options.bvh_positions = "absolute";
  const Result<Document> again = read_bvh(text, options);
  REQUIRE(again.ok());
  CHECK(again->clips[0].values[0] == doctest::Approx(-0.25));
  CHECK(again->clips[0].values[1] == 0.0);
  const auto before = positions(model, &clip, 0);
  const auto after = positions(must_compile(again->linkage), &again->clips[0], 0);
  for (std::size_t i = 0; i < before.size(); ++i) CHECK((before[i] - after[i]).norm() < 1e-12);
}

TEST_CASE("motions leave their writers in pieces that make up the same text, and the writing can be stopped") {
  std::string rows = "Frames: 40000\nFrame Time: 0.01\n";
  for (int f = 0; f < 40000; ++f) rows += "1 2 3 4 5 6 7.25 8.5 " + std::to_string(f % 90) + "\n";
  const Document document = must_read(figure(kSix, kThree, rows));
  struct Watch {
    std::string text;
    std::size_t longest = 0;
    double last = 0.0;
    int pieces = 0, stop_after = 1000;
  };
  for (const char* name : {"bvh", "csv", "jsonl", "glb"}) {
    INFO(name);
    const Format& format = **format_for_writing(std::string("x.") + name);
    Watch watch;
    WriteOptions options;
    options.sink = [](std::string_view piece, void* context) {
      Watch& seen = *static_cast<Watch*>(context);
      seen.text += piece;
      seen.longest = std::max(seen.longest, piece.size());
      return ++seen.pieces < seen.stop_after;
    };
    options.sink_context = &watch;
    options.progress = [](double fraction, void* context) {
      Watch& seen = *static_cast<Watch*>(context);
      const bool rising = fraction >= seen.last && fraction <= 1.0;
      seen.last = fraction;
      return rising;
    };
    options.progress_context = &watch;
    const Result<std::string> rest = write_document(document, format, options);
    REQUIRE_MESSAGE(rest.ok(), rest.message());
    CHECK(rest->empty());
    CHECK(watch.text == *write_document(document, format, {}));
    if (format.name == std::string("glb")) continue;  // one binary piece
    CHECK(watch.pieces > 2);
    CHECK(watch.longest < 300'000);
    CHECK(watch.last > 0.5);
    watch = {};
    watch.stop_after = 2;
    CHECK(write_document(document, format, options).message().find("stopped") != std::string::npos);
    CHECK(watch.pieces == 2);
  }
}

TEST_CASE("bvh: the shared clips are read, and writing gives back the same bits") {
  const auto folder = shared_data("bvh");
  if (!folder) return;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    INFO(entry.path().string());
    const Document document = must_read(read_file(entry.path()));
    must_compile(document.linkage);
    CHECK(document.clips.size() == 1);
    check_round_trip(document);
    ++files;
  }
  CHECK(files == 13);
}

TEST_CASE("bvh: the shared odd and broken files end as documented") {
  if (!shared_data("edge/bvh")) return;
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"frames_fewer_than_header", "5 frames, but the file ends after 2"},
      {"short_row", "line 20: The line has 8 numbers"},
      {"non_numeric_value", "'abc'"},
      {"huge_frame_count", "2000000000 frames"},
      {"channel_count_too_big", "says 4"},
      {"unknown_channel", "Wrotation"},
      {"missing_closing_brace", "'}' is missing"},
      {"offset_two_numbers", "three numbers"},
      {"empty_file", "HIERARCHY"}};
  ReadOptions options;
  options.file_name = "x.bvh";
  for (const auto& [name, words] : refused) {
    const std::string shown = name;
    INFO(shown);
    const auto file = shared_data("edge/bvh/authored__" + name + ".bvh");
    REQUIRE(file);
    const Result<Document> document = read_bvh(read_file(*file), options);
    REQUIRE_FALSE(document.ok());
    CHECK_MESSAGE(document.message().find(words) != std::string::npos, document.message());
    CHECK(document.message().rfind("x.bvh", 0) == 0);
  }
  struct Accepted {
    const char* name;
    int frames;
    std::size_t notes;
  };
  const Accepted accepted[] = {{"valid_reference", 3, 0},
                               {"frames_more_than_header", 2, 1},
                               {"row_wrapped_over_two_lines", 3, 0},
                               {"no_motion_section", 0, 1},
                               {"zero_frames", 0, 1},
                               {"single_rotation_channel", 1, 0},
                               {"name_with_space", 1, 0},
                               {"brace_on_same_line", 1, 0},
                               {"duplicate_joint_names", 1, 1},
                               {"bom", 2, 0},
                               {"tabs_and_trailing_spaces", 2, 0},
                               {"scientific_notation", 2, 0},
                               {"deep_hierarchy_2000", -1, 0}};
  for (const Accepted& expected : accepted) {
    INFO(expected.name);
    const auto file = shared_data(std::string("edge/bvh/authored__") + expected.name + ".bvh");
    REQUIRE(file);
    const Document document = must_read(read_file(*file));
    const Model model = must_compile(document.linkage);
    if (expected.frames >= 0) {
      CHECK((document.clips.empty() ? 0 : document.clips[0].frame_count()) == expected.frames);
      CHECK(document.notes.size() == expected.notes);
    } else {
      CHECK((positions(model, nullptr, -1).back() - Vec3(0, 2, 0)).norm() < 1e-9);
    }
    check_round_trip(document);
  }
}
