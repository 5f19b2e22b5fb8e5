#include "armature/scene/animate.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

using namespace armature;

namespace {

Scene scene_of(const std::string& keys, const std::string& goals = "[]") {
  return read_scene(R"({"model": "planar_arm", "frame_rate": 10, "start": [0.2, 0.3, 0.1], "goals": )" + goals +
                        R"(, "keys": )" + keys + "}",
                    "scene", {})
      .value();
}

Clip still(const Model& model, const VecX& q, int frames) {
  Clip clip;
  clip.frame_time = 0.1;
  clip.q_size = model.q_size();
  for (int f = 0; f < frames; ++f) clip.append(q);
  return clip;
}

}  // namespace

TEST_CASE("animate: key poses alone are what Keyframes make of them") {
  const Scene scene = scene_of(R"({"poses": [{"time": 0, "pose": [0, 0, 0]}, {"time": 1, "pose": [1, 0.5, 0.2]}]})");
  const Animation made = animate(scene).value();
  CHECK(made.clip.values == scene.keys->to_clip(0.1).value().values);
}

TEST_CASE("animate: a layer of weight 0 changes no bit, one of weight 1 is the key") {
  for (const double weight : {0.0, 0.5, 1.0}) {
    const Scene scene = scene_of(R"({"clip": [], "weight": )" + std::to_string(weight) +
                                 R"(, "poses": [{"time": 0.5, "pose": [1, 0.5, 0.2]}]})");
    const VecX base = VecX::Constant(3, 0.1);
    const Clip below = still(scene.model, base, 11);
    const Animation made = animate(scene, 0.0, &below).value();
    if (weight == 0.0) CHECK(made.clip.values == below.values);
    const VecX key = Vec3(1.0, 0.5, 0.2);
    CHECK((Eigen::Map<const VecX>(made.clip.frame(5), 3) - (base + weight * (key - base))).norm() < 1e-12);
  }
}

TEST_CASE("animate: goals go where their keys are, from frame to frame") {
  const Scene scene = scene_of(
      R"({"goals": {"hand": [{"time": 0, "target": [25, 8], "interpolation": "linear"}, {"time": 1, "target": [15, 18]}]}})",
      R"([{"name": "hand", "link": "tip", "target": [25, 8]}])");
  const Animation made = animate(scene).value();
  REQUIRE(made.clip.frame_count() == 11);
  CHECK(made.not_reached.empty());
  State state;
  for (const int f : {0, 5, 10}) {
    forward(scene.model, made.clip.frame(f), state);
    const Vec3 tip = state.X_WL.back().position;
    CHECK((tip.head<2>() - Vec2(25.0 - f, 8.0 + f)).norm() < 1e-2);
  }
}

TEST_CASE("animate: says what is missing") {
  CHECK(animate(scene_of(R"({"clip": []})")).message().find("holds none") != std::string::npos);
  const Scene scene = scene_of(R"({"goals": {"hnd": [{"time": 0, "target": [1, 2]}]}})",
                               R"([{"name": "hand", "link": "tip", "target": [25, 8]}])");
  CHECK(animate(scene).message().find("hand") != std::string::npos);
}
