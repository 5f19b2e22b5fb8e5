// Skins of glTF files as surfaces on links: at rest the skin lies where the file puts it, and it follows its bones.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "armature/formats/gltf.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/skin.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"

using namespace armature;

namespace {

// A triangle on two bones, 1 apart, under a node scaled by 2; the third corner hangs half on each.
std::string skinned_triangle(const char* weights_of_last = "\x7f\x80") {
  std::string data;
  const auto put = [&](auto... values) { (data.append(reinterpret_cast<const char*>(&values), sizeof values), ...); };
  put(0.0f, 0.0f, 0.0f, 0.0f, 3.0f, 0.0f, 1.0f, 3.0f, 0.0f);                 // positions, in the world
  for (const char joint : {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}) put(joint);  // unsigned bytes
  data.append(std::string("\xff\0\0\0\xff\0\0\0", 8) + weights_of_last[0] + weights_of_last[1] + std::string(2, '\0'));
  put(0.5f, 0.0f, 0.0f, 0.0f, 0.0f, 0.5f, 0.0f, 0.0f, 0.0f, 0.0f, 0.5f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f);
  put(0.5f, 0.0f, 0.0f, 0.0f, 0.0f, 0.5f, 0.0f, 0.0f, 0.0f, 0.0f, 0.5f, 0.0f, 0.0f, -1.0f, 0.0f, 1.0f);
  return R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0,2]}],"nodes":[
    {"name":"lower","scale":[2,2,2],"children":[1]},{"name":"upper","translation":[0,1,0]},
    {"name":"body","mesh":0,"skin":0}],
    "skins":[{"joints":[0,1],"inverseBindMatrices":3}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2}}]}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,3,0]},
      {"bufferView":1,"componentType":5121,"count":3,"type":"VEC4"},
      {"bufferView":2,"componentType":5121,"normalized":true,"count":3,"type":"VEC4"},
      {"bufferView":3,"componentType":5126,"count":2,"type":"MAT4"}],
    "bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":12},
      {"buffer":0,"byteOffset":48,"byteLength":12},{"buffer":0,"byteOffset":60,"byteLength":128}],
    "buffers":[{"byteLength":)" +
         std::to_string(data.size()) + R"(,"uri":"data:application/octet-stream;base64,)" + encode_base64(data) +
         "\"}]}";
}

// Where a viewer draws vertex v (formats/skin.hpp).
Vec3 drawn(const Surface& surface, const State& state, std::size_t v) {
  const Vec3 p = Eigen::Map<const Eigen::Vector3f>(surface.positions.data() + 3 * v).cast<double>();
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 4 * v; k < 4 * v + 4; ++k) {
    const std::size_t bone = surface.joints[k];
    const Eigen::Matrix4f bind = Eigen::Map<const Eigen::Matrix4f>(surface.inverse_bind.data() + 16 * bone);
    const Vec3 local = (bind.cast<double>() * p.homogeneous()).head<3>();
    sum +=
        static_cast<double>(surface.weights[k]) * (state.X_WL[static_cast<std::size_t>(surface.links[bone])] * local);
  }
  return sum;
}

}  // namespace

TEST_CASE("a glTF skin lies where the file puts it and follows its bones, scales of nodes included") {
  const Result<Document> document = read_gltf(skinned_triangle(), {});
  REQUIRE_MESSAGE(document.ok(), document.message());
  const Result<Model> model = compile(document->linkage);
  REQUIRE(model.ok());
  const std::vector<Surface> list = surfaces(*document, *model);
  REQUIRE(list.size() == 1);
  const Surface& skin = list.front();
  CHECK(skin.indices == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(skin.links == std::vector<int>{model->link("lower"), model->link("upper")});
  for (std::size_t v = 0; v < 3; ++v) {
    CHECK(skin.weights[4 * v] + skin.weights[4 * v + 1] == doctest::Approx(1.0));
  }

  State state;
  VecX q = neutral_pose(*model);
  forward(*model, q, state);
  CHECK((drawn(skin, state, 0) - Vec3(0, 0, 0)).norm() < 1e-6);
  CHECK((drawn(skin, state, 1) - Vec3(0, 3, 0)).norm() < 1e-6);
  CHECK((drawn(skin, state, 2) - Vec3(1, 3, 0)).norm() < 1e-6);

  // A quarter turn of the upper bone about z, at (0, 2, 0): (0, 3, 0) goes to (-1, 2, 0).
  const ModelJoint& joint = model->joint(model->link("upper"));
  REQUIRE(joint.q_count == 4);
  q.segment<4>(joint.q_index) << 0.0, 0.0, std::sqrt(0.5), std::sqrt(0.5);
  forward(*model, q, state);
  CHECK((drawn(skin, state, 0) - Vec3(0, 0, 0)).norm() < 1e-6);
  CHECK((drawn(skin, state, 1) - Vec3(-1, 2, 0)).norm() < 1e-6);
  const double upper = 128.0 / 255.0;
  CHECK((drawn(skin, state, 2) - (upper * Vec3(-1, 3, 0) + (1.0 - upper) * Vec3(1, 3, 0))).norm() < 1e-6);
}

TEST_CASE("a vertex without weights stays on its first bone, and other documents have no surfaces") {
  const Result<Document> document = read_gltf(skinned_triangle("\0\0"), {});
  REQUIRE_MESSAGE(document.ok(), document.message());
  const Result<Model> model = compile(document->linkage);
  const std::vector<Surface> list = surfaces(*document, *model);
  REQUIRE(list.size() == 1);
  CHECK(list[0].weights[8] == 1.0f);
  CHECK(list[0].joints[8] == 0);
  Document plain;
  plain.linkage = document->linkage;
  plain.linkage.extra.reset();
  CHECK(surfaces(plain, *model).empty());
}

TEST_CASE("a skin follows unit_scale, and goes on into the file that is written") {
  ReadOptions options;
  options.file_name = "skin.gltf";
  options.unit_scale = 0.5;
  const Result<Document> document = read_document(skinned_triangle(), options);
  REQUIRE_MESSAGE(document.ok(), document.message());
  const Result<std::string> glb = write_document(*document, **format_named("glb"), {});
  REQUIRE_MESSAGE(glb.ok(), glb.message());
  const Result<Document> again = read_document(*glb, {});
  REQUIRE_MESSAGE(again.ok(), again.message());
  for (const Document* each : {&*document, &*again}) {
    const Model model = compile(each->linkage).value();
    const std::vector<Surface> list = surfaces(*each, model);
    REQUIRE(list.size() == 1);
    State state;
    VecX q = neutral_pose(model);
    forward(model, q, state);
    CHECK((drawn(list[0], state, 2) - Vec3(0.5, 1.5, 0)).norm() < 1e-6);
    const ModelJoint& joint = model.joint(model.link("upper"));
    q.segment<4>(joint.q_index) << 0.0, 0.0, std::sqrt(0.5), std::sqrt(0.5);
    forward(model, q, state);
    CHECK((drawn(list[0], state, 1) - Vec3(-0.5, 1, 0)).norm() < 1e-6);
  }
}
