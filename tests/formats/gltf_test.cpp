// glTF: node trees, skins, animations and scales are read; broken files are refused; what is written reads back, with
// the meshes and skins it came with.
#include "armature/formats/gltf.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/bvh.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/load.hpp"
#include "motion_support.hpp"

using namespace armature;
using namespace armature::test;

namespace {

Result<Document> read_path(const std::filesystem::path& path) {
  Beside folder{path.parent_path().string(), "", kMaxFileBytes};
  ReadOptions options;
  options.file_name = path.filename().string();
  options.load = load_beside;
  options.load_context = &folder;
  return read_document(read_file(path), options);
}

Document must_read_gltf(const std::string& bytes) {
  Result<Document> document = read_gltf(bytes, {});
  REQUIRE_MESSAGE(document.ok(), document.message());
  return std::move(*document);
}

std::string must_write_gltf(const Document& document, bool binary = true) {
  Result<std::string> bytes = binary ? write_glb(document, {}) : write_gltf(document, {});
  REQUIRE_MESSAGE(bytes.ok(), bytes.message());
  return std::move(*bytes);
}

// A file with two nodes, the upper one turned by an animation with the given times and values.
std::string animated(const std::string& interpolation, const std::vector<float>& times,
                     const std::vector<float>& values, const std::string& path, const std::string& node = "") {
  std::string data(4 * (times.size() + values.size()), '\0');
  std::memcpy(data.data(), times.data(), 4 * times.size());
  std::memcpy(data.data() + 4 * times.size(), values.data(), 4 * values.size());
  const std::size_t width = path == "rotation" ? 4 : 3;
  return R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"name":"top","children":[1])" + node +
         R"(},{"name":"tip","translation":[1,0,0]}],"animations":[{"name":"move","channels":[{"sampler":0,"target":{"node":0,"path":")" +
         path + R"("}}],"samplers":[{"input":0,"output":1,"interpolation":")" + interpolation +
         R"("}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":)" + std::to_string(times.size()) +
         R"(,"type":"SCALAR"},{"bufferView":1,"componentType":5126,"count":)" + std::to_string(values.size() / width) +
         R"(,"type":"VEC)" + std::to_string(width) + R"("}],"bufferViews":[{"buffer":0,"byteLength":)" +
         std::to_string(4 * times.size()) + R"(},{"buffer":0,"byteOffset":)" + std::to_string(4 * times.size()) +
         R"(,"byteLength":)" + std::to_string(4 * values.size()) + R"(}],"buffers":[{"byteLength":)" +
         std::to_string(data.size()) + R"(,"uri":"data:application/octet-stream;base64,)" + encode_base64(data) +
         R"("}]})";
}

// Meshes and skins with the same numbers, wherever these lie in the file.
void check_same_shapes(const GltfFile& a, const GltfFile& b) {
  const auto same = [&](const Json& x, const Json& y, const char* key) {
    REQUIRE(x.contains(key) == y.contains(key));
    if (x.contains(key)) CHECK(read_accessor(a, gltf_index(x, key)) == read_accessor(b, gltf_index(y, key)));
  };
  REQUIRE(gltf_list(a.json, "meshes").size() == gltf_list(b.json, "meshes").size());
  for (std::size_t m = 0; m < gltf_list(a.json, "meshes").size(); ++m) {
    const Json& x = gltf_list(a.json, "meshes")[m]["primitives"];
    const Json& y = gltf_list(b.json, "meshes")[m]["primitives"];
    REQUIRE(x.size() == y.size());
    for (std::size_t p = 0; p < x.size(); ++p) {
      same(x[p], y[p], "indices");
      for (const auto& [name, index] : x[p]["attributes"].items())
        same(x[p]["attributes"], y[p]["attributes"], name.c_str());
    }
  }
  REQUIRE(gltf_list(a.json, "skins").size() == gltf_list(b.json, "skins").size());
  for (std::size_t s = 0; s < gltf_list(a.json, "skins").size(); ++s)
    same(gltf_list(a.json, "skins")[s], gltf_list(b.json, "skins")[s], "inverseBindMatrices");
}

Vec3 tip(const Document& document, int frame) {
  return positions(must_compile(document.linkage), &document.clips[0], frame).back();
}

}  // namespace

TEST_CASE(
    "gltf: key times that do not rise are sorted, of several keys at one time the last counts, and a note says so") {
  const float h = static_cast<float>(std::sqrt(0.5));
  const std::vector<float> turned{0, 0, h, h, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, h, h};
  const Document odd = must_read_gltf(animated("LINEAR", {0.5f, 0.0f, 0.5f, 1.0f}, turned, "rotation"));
  const Document plain =
      must_read_gltf(animated("LINEAR", {0.0f, 0.5f, 1.0f}, {0, 0, 0, 1, 0, 0, 1, 0, 0, 0, h, h}, "rotation"));
  REQUIRE(odd.clips.size() == 1);
  CHECK(odd.clips[0].values == plain.clips[0].values);
  CHECK(std::any_of(odd.notes.begin(), odd.notes.end(),
                    [](const std::string& note) { return note.find("sorted") != std::string::npos; }));
}

TEST_CASE("gltf: 1.0 and 1e0 are spellings of 1") {
  const std::vector<float> turn{0, 0, 0, 1, 0, 0, 1, 0};
  std::string text = animated("LINEAR", {0.0f, 0.5f}, turn, "rotation");
  const Document plain = must_read_gltf(text);
  const auto respell = [&](const std::string& from, const std::string& to) {
    const std::size_t found = text.find(from);
    REQUIRE(found != std::string::npos);
    text.replace(found, from.size(), to);
  };
  respell(R"("nodes":[0])", R"("nodes":[0.0])");
  respell(R"("children":[1])", R"("children":[1e0])");
  respell(R"("sampler":0)", R"("sampler":0.0)");
  respell(R"("input":0,"output":1)", R"("input":0.0,"output":1.0)");
  respell(R"("bufferView":1)", R"("bufferView":1.0)");
  respell(R"("componentType":5126)", R"("componentType":5.126e3)");
  const Document odd = must_read_gltf(text);
  REQUIRE(odd.clips.size() == 1);
  CHECK(odd.clips[0].values == plain.clips[0].values);
}

TEST_CASE("gltf: LINEAR, STEP and CUBICSPLINE animations become frames on which their keys lie") {
  const float s = 0.70710678f;
  const std::vector<float> turn = {0, 0, 0, 1, 0, 0, s, s};
  const Document linear = must_read_gltf(animated("LINEAR", {0.0f, 0.5f}, turn, "rotation"));
  REQUIRE(linear.clips.size() == 1);
  const Clip& clip = linear.clips[0];
  CHECK(clip.name == "move");
  CHECK(clip.frame_time <= 1.0 / 24 + 1e-9);
  CHECK(clip.duration() == doctest::Approx(0.5));
  CHECK((tip(linear, 0) - Vec3(1, 0, 0)).norm() < 1e-7);
  CHECK((tip(linear, clip.frame_count() - 1) - Vec3(0, 1, 0)).norm() < 1e-7);
  const int third = (clip.frame_count() - 1) / 3;
  const double angle = kPi / 2 * third / (clip.frame_count() - 1);
  CHECK((tip(linear, third) - Vec3(std::cos(angle), std::sin(angle), 0)).norm() < 1e-7);

  const Document step = must_read_gltf(animated("STEP", {0.0f, 0.5f}, turn, "rotation"));
  CHECK((tip(step, step.clips[0].frame_count() - 2) - Vec3(1, 0, 0)).norm() < 1e-7);
  CHECK((tip(step, step.clips[0].frame_count() - 1) - Vec3(0, 1, 0)).norm() < 1e-7);

  // p(t) = t^2 (3 - 2 t) * 6 for zero tangents, at t = 1/2: 3.
  const Document cubic = must_read_gltf(
      animated("CUBICSPLINE", {0.0f, 1.0f}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0}, "translation"));
  const int last = cubic.clips[0].frame_count() - 1;
  CHECK(tip(cubic, last).x() == doctest::Approx(7.0));
  for (int f = 0; f <= last; ++f) {
    const double t = static_cast<double>(f) / last;
    CHECK(tip(cubic, f).x() == doctest::Approx(1.0 + 6.0 * t * t * (3 - 2 * t)));
  }
}

TEST_CASE("gltf: tangents of CUBICSPLINE are rates, whatever the time between two keys") {
  // In-tangent, value, out-tangent of each key: from 0 with 3 a second to 6 with -1 a second, in two seconds.
  const Document cubic = must_read_gltf(
      animated("CUBICSPLINE", {0.0f, 2.0f}, {9, 0, 0, 0, 0, 0, 3, 0, 0, -1, 0, 0, 6, 0, 0, 9, 0, 0}, "translation"));
  const Clip& clip = cubic.clips[0];
  CHECK(clip.duration() == doctest::Approx(2.0));
  for (int f = 0; f < clip.frame_count(); ++f) {
    const double u = f * clip.frame_time / 2.0;
    const double x = u * u * (3 - 2 * u) * 6.0 + 2.0 * 3.0 * u * (1 - u) * (1 - u) - 2.0 * -1.0 * u * u * (1 - u);
    CHECK(tip(cubic, f).x() == doctest::Approx(1.0 + x));
  }
}

TEST_CASE("gltf: a baked translation that never leaves its place makes no joint that could slide") {
  const std::vector<float> times = {0.0f, 0.5f};
  const auto type = [&](float drift, const char* way) {
    std::vector<float> values(way == std::string("LINEAR") ? 6 : 18, 0.0f);
    values.back() = drift;
    return std::string(type_name(must_read_gltf(animated(way, times, values, "translation")).linkage.joints[0].type));
  };
  CHECK(type(0.0f, "LINEAR") == "fixed");
  CHECK(type(9e-6f, "LINEAR") == "fixed");
  CHECK(type(2e-5f, "LINEAR") == "free");
  CHECK(type(2e-5f, "CUBICSPLINE") == "free");
  if (const auto folder = shared_data("gltf")) {
    const Result<Document> figure = read_path(*folder / "RiggedFigure" / "RiggedFigure.gltf");
    REQUIRE(figure.ok());
    const Model model = must_compile(figure->linkage);
    CHECK(model.joint(model.link("arm_joint_L_2")).q_count == 4);
    REQUIRE(figure->clips.size() == 1);
  }
}

TEST_CASE("gltf: scale of a node works on the lengths below it, and comes back on writing") {
  const std::string text = animated("LINEAR", {0.0f, 1.0f}, {0, 0, 0, 2, 0, 0}, "translation", R"(,"scale":[3,3,3])");
  const Document document = must_read_gltf(text);
  CHECK(mentions(document.notes, "The scale of 'top'"));
  CHECK((tip(document, 0) - Vec3(3, 0, 0)).norm() < 1e-12);
  CHECK((tip(document, document.clips[0].frame_count() - 1) - Vec3(5, 0, 0)).norm() < 1e-7);
  Document changed = document;
  for (double& v : changed.clips[0].values) v *= 0.5;
  const Document again = must_read_gltf(must_write_gltf(changed));
  check_same_linkage(changed.linkage, again.linkage, 1e-7);
  CHECK((tip(again, again.clips[0].frame_count() - 1) - tip(changed, changed.clips[0].frame_count() - 1)).norm() <
        1e-6);
  std::string text_below = animated("LINEAR", {0.0f, 1.0f}, {1, 0, 0, 2, 0, 0}, "translation", R"(,"scale":[3,3,3])");
  text_below.replace(text_below.find(R"("node":0)"), 8, R"("node":1)");
  const Document below = must_read_gltf(text_below);
  CHECK((tip(below, below.clips[0].frame_count() - 1) - Vec3(6, 0, 0)).norm() < 1e-6);
  const Document uneven =
      must_read_gltf(animated("LINEAR", {0.0f, 1.0f}, {0, 0, 0, 2, 0, 0}, "translation", R"(,"scale":[3,1,1])"));
  CHECK(mentions(uneven.notes, "not the same in all directions"));
}

TEST_CASE("gltf: any linkage is written with nodes, skin and geometry, and comes back exactly") {
  const Format* json = *format_named("json");
  for (const BuiltinModel& builtin : builtin_models()) {
    INFO(builtin.name);
    Result<Document> document = json->read(builtin.json, {});
    REQUIRE(document.ok());
    document->linkage.extra.reset();
    const Model model = must_compile(document->linkage);
    Clip clip;
    clip.name = "sway";
    clip.q_size = model.q_size();
    clip.frame_time = 0.07;  // slower than what readers fill in, and no usual rate
    for (int f = 0; f < 4; ++f) {
      VecX q = VecX::Zero(model.q_size());
      for (int i = 0; i < model.link_count(); ++i) {
        const ModelJoint& joint = model.joint(i);
        if (joint.mimic) continue;
        neutral_coordinates(joint.type, q.data() + joint.q_index);
        Vec6 v = Vec6::Constant(0.1 * f);
        integrate_coordinates(joint.type, q.data() + joint.q_index, v.data(), q.data() + joint.q_index);
      }
      clip.append(q);
    }
    document->clips = {clip};
    for (const bool binary : {true, false}) {
      const Document again = must_read_gltf(must_write_gltf(*document, binary));
      check_same_linkage(document->linkage, again.linkage);
      if (model.q_size() == 0) continue;
      check_same_clips(*document, again, 1e-5);
      const auto* extra = dynamic_cast<const GltfExtra*>(again.linkage.extra.get());
      REQUIRE(extra != nullptr);
      CHECK(gltf_list(extra->file.json, "skins").size() == 1);
      CHECK(gltf_list(extra->file.json, "meshes").size() == 1);
    }
  }
}

TEST_CASE("gltf: data of motions that are written anew does not stay in the file") {
  Document document;
  for (const BuiltinModel& builtin : builtin_models()) {
    if (builtin.name == "human") document = *(*format_named("json"))->read(builtin.json, {});
  }
  const Model model = must_compile(document.linkage);
  Clip clip;
  clip.name = "bend";
  clip.q_size = model.q_size();
  for (int f = 0; f < 40; ++f) {
    VecX q = neutral_pose(model);
    for (const char* joint : {"left_knee", "right_knee", "left_elbow"})
      q[model.joint(*model.find_joint(joint)).q_index] = 0.02 * f * f / (1 + f);
    clip.append(q);
  }
  document.clips = {clip};
  Document first = must_read_gltf(must_write_gltf(document));
  const auto rewritten = [](Document& from) {
    for (double& value : from.clips[0].values) value *= 1.0 + 1e-3;  // no longer the clip that was read
    return must_write_gltf(from);
  };
  const std::string second = rewritten(first);
  Document again = must_read_gltf(second);
  const std::string third = rewritten(again);
  CHECK(third.size() < second.size() + 100);
  CHECK(second.size() < must_write_gltf(document).size() + 100);
  const auto* before = dynamic_cast<const GltfExtra*>(first.linkage.extra.get());
  const Document last = must_read_gltf(third);
  const auto* after = dynamic_cast<const GltfExtra*>(last.linkage.extra.get());
  REQUIRE((before != nullptr && after != nullptr));
  check_same_shapes(before->file, after->file);
}

TEST_CASE("gltf: mistakes are named with their place") {
  const auto refused = [](const std::string& text, const std::string& words) {
    const Result<Document> document = read_gltf(text, {});
    REQUIRE_FALSE(document.ok());
    CHECK_MESSAGE(document.message().find(words) != std::string::npos, document.message());
  };
  refused("{]", "Line 1: The JSON is broken here");
  refused(R"({"asset":{"version":"1.0"}})", "At /asset/version: The file is glTF 1.0; version 2 is read.");
  refused(R"({"asset":{"version":"2.0"},"extensionsRequired":["KHR_meshopt_compression"]})", "KHR_meshopt_compression");
  refused(R"({"asset":{"version":"2.0"},"nodes":[{"children":[1]},{"children":[0]}]})", "below itself");
  refused(R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"a.bin"}]})", "cannot be opened here");
  refused(R"({"asset":{"version":"2.0"},"nodes":[{"children":[7]}]})", "entry 7 of 'nodes', which has 1 entry");
  refused(R"({"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"type":"VEC3","count":4000000000}]})",
          "1000000");
  refused(std::string(200, '['), "nested more than 100 deep");
  refused(animated("LINEAR", {-1.0f, 0.5f}, {0, 0, 0, 1, 0, 0, 0, 1}, "rotation"), "finite and at least 0");
}

TEST_CASE("gltf: the shared sets are read, and written back with skins, meshes and motions") {
  const auto folder = shared_data("gltf");
  if (!folder) return;
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
    if (entry.path().extension() != ".gltf" && entry.path().extension() != ".glb") continue;
    INFO(entry.path().string());
    const Result<Document> document = read_path(entry.path());
    REQUIRE_MESSAGE(document.ok(), document.message());
    must_compile(document->linkage);
    ++files;
    const Document again = must_read_gltf(must_write_gltf(*document));
    check_same_linkage(document->linkage, again.linkage, 1e-6);
    check_same_clips(*document, again, 1e-12);
    // A changed motion is sampled anew; the rest of the file stays.
    Document changed = *document;
    for (Clip& clip : changed.clips)
      clip.values.resize(clip.values.size() / 2 / static_cast<std::size_t>(clip.q_size) *
                         static_cast<std::size_t>(clip.q_size));
    const Document third = must_read_gltf(must_write_gltf(changed, false));
    const auto* before = dynamic_cast<const GltfExtra*>(document->linkage.extra.get());
    const auto* after = dynamic_cast<const GltfExtra*>(third.linkage.extra.get());
    REQUIRE((before != nullptr && after != nullptr));
    CHECK(gltf_list(before->file.json, "materials") == gltf_list(after->file.json, "materials"));
    CHECK(gltf_list(before->file.json, "images").size() == gltf_list(after->file.json, "images").size());
    check_same_shapes(before->file, after->file);
    REQUIRE(third.clips.size() <= changed.clips.size());
    for (const Clip& clip : third.clips) {
      for (const Clip& wanted : changed.clips) {
        if (wanted.name != clip.name || clip.frame_count() != wanted.frame_count()) continue;
        const Model model = must_compile(third.linkage);
        const auto a = positions(must_compile(changed.linkage), &wanted, wanted.frame_count() - 1);
        const auto b = positions(model, &clip, clip.frame_count() - 1);
        for (std::size_t i = 0; i < a.size(); ++i) CHECK((a[i] - b[i]).norm() < 1e-5 * model.size());
      }
    }
  }
  CHECK(files == 14);
}

TEST_CASE("gltf: the validator's cases end as it says") {
  const auto expected = shared_data("edge/EXPECTED.json");
  if (!expected) return;
  int cases = 0;
  for (const Json& entry : Json::parse(read_file(*expected))) {
    const std::string file = entry["file"];
    if (file.rfind("gltf/", 0) != 0) continue;
    ++cases;
    const bool valid = entry["upstream_expectation"].get<std::string>().rfind("valid", 0) == 0;
    const auto path = expected->parent_path() / file;
    Beside folder{path.parent_path().string(), "", kMaxFileBytes};
    ReadOptions options;
    options.file_name = path.filename().string();
    options.load = load_beside;
    options.load_context = &folder;
    const Result<Document> document = read_gltf(read_file(path), options);
    CHECK_MESSAGE(document.ok() == valid, file << ": " << document.message());
    if (document.ok()) {
      must_compile(document->linkage);
      CHECK(write_glb(*document, {}).ok());
    } else {
      CHECK(document.message().rfind(options.file_name, 0) == 0);
    }
  }
  CHECK(cases > 80);
}

TEST_CASE("gltf: BVH clips keep their places") {
  const auto folder = shared_data("bvh");
  if (!folder) return;
  for (const char* name : {"cmu_90_10.bvh", "babylon_alien.bvh", "pybvh_rotation_first_root.bvh"}) {
    INFO(name);
    const Result<Document> bvh = read_bvh(read_file(*folder / name), {});
    REQUIRE(bvh.ok());
    const Document again = must_read_gltf(must_write_gltf(*bvh));
    check_same_linkage(bvh->linkage, again.linkage);
    const Model model = must_compile(again.linkage);
    REQUIRE(again.clips.size() == 1);
    REQUIRE(again.clips[0].frame_count() == bvh->clips[0].frame_count());
    CHECK(again.clips[0].frame_time == bvh->clips[0].frame_time);
    for (int f = 0; f < bvh->clips[0].frame_count(); ++f) {
      const auto a = positions(model, &bvh->clips[0], f);
      const auto b = positions(model, &again.clips[0], f);
      for (std::size_t i = 0; i < a.size(); ++i) CHECK((a[i] - b[i]).norm() < 1e-5 * model.size());
    }
  }
}
