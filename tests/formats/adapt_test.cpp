// Options that change a whole document as it is read or written: up axis, unit of lengths, a root that travels.
#include "armature/formats/adapt.hpp"

#include <doctest/doctest.h>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"

using namespace armature;

namespace {

Document human_with_motion(const ReadOptions& given = {}) {
  for (const BuiltinModel& builtin : builtin_models()) {
    if (builtin.name != std::string_view("human")) continue;
    ReadOptions options = given;
    options.file_name = "human.json";
    Document document = read_document(builtin.json, options).value();
    const Model model = compile(document.linkage).value();
    Clip clip;
    clip.name = "stand";
    clip.q_size = model.q_size();
    clip.append(neutral_pose(model));
    clip.values[0] = 0.5;  // the root's x, y, z
    clip.values[1] = 0.25;
    clip.values[2] = 1.0;
    document.clips.push_back(clip);
    return document;
  }
  return {};
}

Vec3 place_of(const Document& document, const std::string& link) {
  const Model model = compile(document.linkage).value();
  State state;
  const VecX q = document.clips.empty() ? neutral_pose(model)
                                        : VecX(Eigen::Map<const VecX>(document.clips[0].frame(0), model.q_size()));
  forward(model, q, state);
  return state.X_WL[static_cast<std::size_t>(*model.lookup_link(link))].position;
}

Document read_text(const std::string& text, const std::string& name, const ReadOptions& given = {}) {
  ReadOptions options = given;
  options.file_name = name;
  Result<Document> document = read_document(text, options);
  REQUIRE_MESSAGE(document.ok(), document.message());
  return std::move(*document);
}

const char* const kOnGround = R"({"links": ["world", "base", "arm"], "joints": [
    {"name": "stand", "type": "fixed", "parent": "world", "child": "base", "origin": [1, 2, 3]},
    {"name": "turn", "type": "revolute", "parent": "base", "child": "arm"}],
  "clips": [{"name": "c", "frame_time": 0.1, "frames": [[0.5]]}]})";

}  // namespace

TEST_CASE("adapt: a figure written to BVH with y up stands upright, and turned back it is the same") {
  const Document human = human_with_motion();
  CHECK(human.linkage.up.empty());
  const Vec3 head = place_of(human, "head");
  WriteOptions options;
  options.up = "y";
  const Result<std::string> bvh = write_document(human, **format_named("bvh"), options);
  REQUIRE_MESSAGE(bvh.ok(), bvh.message());
  const Document upright = read_text(*bvh, "human.bvh");
  CHECK(upright.linkage.up == "y");
  CHECK((place_of(upright, "head") - Vec3(head.x(), head.z(), -head.y())).norm() < 1e-12);
  ReadOptions back;
  back.up = "z";
  CHECK((place_of(read_text(*bvh, "human.bvh", back), "head") - head).norm() < 1e-12);
  // That is what writing without the option does, too; asked to, it lies.
  CHECK(*write_document(human, **format_named("bvh"), {}) == *bvh);
  options.up = "z";
  const Document lying = read_text(*write_document(human, **format_named("bvh"), options), "human.bvh");
  CHECK((place_of(lying, "head") - head).norm() < 1e-12);
}

TEST_CASE("adapt: lengths are multiplied on reading and writing, those of motions too") {
  const Document human = human_with_motion();
  const Vec3 head = place_of(human, "head");
  WriteOptions options;
  options.unit_scale = 100.0;
  const Result<std::string> json = write_document(human, **format_named("json"), options);
  REQUIRE(json.ok());
  CHECK((place_of(read_text(*json, "x.json"), "head") - 100.0 * head).norm() < 1e-10);
  ReadOptions centimetres;
  centimetres.unit_scale = 0.01;
  CHECK((place_of(read_text(*json, "x.json", centimetres), "head") - head).norm() < 1e-12);
  options.unit_scale = -1.0;
  CHECK(write_document(human, **format_named("json"), options).message().find("unit_scale") != std::string::npos);
}

TEST_CASE("adapt: a root that stands fixed gets a free joint, and motions stand where they stood") {
  ReadOptions options;
  options.float_root = true;
  const Document bare =
      read_text(R"({"links": ["a", "b"], "joints": [{"name": "j", "type": "revolute", "parent": "a", "child": "b"}]})",
                "x.json", options);
  CHECK(compile(bare.linkage).value().v_size() == 7);
  // What stands on the ground is freed, not the ground.
  const Document grounded = read_text(kOnGround, "x.json", options);
  CHECK(std::holds_alternative<Free>(grounded.linkage.find_joint("stand")->type));
  REQUIRE(grounded.clips.at(0).q_size == 8);
  CHECK((place_of(grounded, "arm") - Vec3(1, 2, 3)).norm() == 0.0);
  const Document human = human_with_motion(options);
  CHECK(human.notes.back().find("moves already") != std::string::npos);
  CHECK(place_of(human, "head") == place_of(human_with_motion(), "head"));
}

TEST_CASE("adapt: other words for an axis are refused by name") {
  ReadOptions options;
  options.up = "up";
  options.file_name = "x.json";
  const Result<Document> refused = read_document(kOnGround, options);
  CHECK(refused.message().rfind("x.json", 0) == 0);
  CHECK(refused.message().find("'up'") != std::string::npos);
}
