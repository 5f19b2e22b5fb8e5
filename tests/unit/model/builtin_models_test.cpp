// The built-in models are sound, and their dimensions are the published ones.
#include "armature/formats/builtin_models.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"
#include "support/data.hpp"

using namespace armature;

namespace {

Model builtin(std::string_view name) {
  for (const BuiltinModel& model : builtin_models()) {
    if (model.name != name) continue;
    const Result<Document> document = read_document(model.json, {});
    REQUIRE_MESSAGE(document.ok(), document.message());
    Result<Model> compiled = compile(document->linkage);
    REQUIRE_MESSAGE(compiled.ok(), compiled.message());
    return std::move(compiled).value();
  }
  FAIL("no built-in model " << name);
  return {};
}

Transform frame(const Model& model, const VecX& q, std::string_view link) {
  State state;
  forward(model, q, state);
  return state.X_WL[static_cast<std::size_t>(model.link(link))];
}

VecX pose(const Model& model, std::string_view name) {
  const Result<VecX> q = model.find_pose(name);
  REQUIRE_MESSAGE(q.ok(), q.message());
  return *q;
}

// Highest or lowest point of all capsules and spheres along z.
double extreme_z(const Model& model, const VecX& q, double sign) {
  State state;
  forward(model, q, state);
  double best = -1e300;
  for (int link = 0; link < model.link_count(); ++link) {
    for (const Visual& visual : model.visuals(link)) {
      const Shape& shape = model.linkage().find_geometry(visual.geometry)->shape;
      double radius = 0.0, half = 0.0;
      if (const auto* capsule = std::get_if<Capsule>(&shape)) radius = capsule->radius, half = capsule->length / 2;
      if (const auto* sphere = std::get_if<Sphere>(&shape)) radius = sphere->radius;
      const Mat4 X = state.X_WL[static_cast<std::size_t>(link)].matrix() * visual.X_LG;
      for (const double end : {-half, half}) best = std::max(best, sign * (X * Vec4(0, 0, end, 1)).z() + radius);
    }
  }
  return sign * best;
}

}  // namespace

TEST_CASE("every built-in model compiles without a remark, describes itself, and round-trips") {
  CHECK(builtin_models().size() >= 11);
  for (const BuiltinModel& entry : builtin_models()) {
    CAPTURE(entry.name);
    const Result<Document> document = read_document(entry.json, {});
    REQUIRE_MESSAGE(document.ok(), document.message());
    CHECK(document->notes.empty());
    CHECK(document->linkage.name == entry.name);
    CHECK(document->linkage.description.size() > 20);
    const Result<Model> model = compile(document->linkage);
    REQUIRE_MESSAGE(model.ok(), model.message());
    CHECK(model->notes().empty());
    CHECK_FALSE(model->effectors().empty());
    CHECK_FALSE(model->poses().empty());
    bool seen = false;
    for (int link = 0; link < model->link_count(); ++link) seen = seen || !model->visuals(link).empty();
    CHECK(seen);
  }
}

TEST_CASE("named poses of built-in models lie inside the limits") {
  for (const BuiltinModel& entry : builtin_models()) {
    const Model model = builtin(entry.name);
    for (const ModelPose& named : model.poses()) {
      CAPTURE(entry.name);
      CAPTURE(named.name);
      VecX clamped = named.q;
      clamp(model, clamped);
      for (int i = 0; i < model.q_size(); ++i) {
        CAPTURE(model.coordinate_name(i));
        CHECK(std::abs(clamped[i] - named.q[i]) < 1e-6);
      }
    }
  }
}

TEST_CASE("edits keep a linkage's named effectors in step with its links") {
  Linkage human = builtin("human").linkage();
  REQUIRE(rename_link(human, "head", "skull").ok());
  REQUIRE(remove_link(human, "left_shin").ok());
  CHECK(human.effectors == std::vector<std::string>{"left_hand", "right_hand", "right_foot", "skull"});
  const Linkage branch = human;
  REQUIRE(graft(human, "skull", branch, "second_", Transform::identity()).ok());
  CHECK(human.effectors.size() == 8);
  CHECK(human.effectors.back() == "second_skull");
  const Result<Model> model = compile(human);
  REQUIRE_MESSAGE(model.ok(), model.message());
  CHECK(model->notes().empty());
  CHECK(model->effectors().size() == 8);
  human.effectors = {"nobody"};
  CHECK(compile(human)->notes().size() == 1);
}

TEST_CASE("planar_arm is the chapter's arm") {
  const Model model = builtin("planar_arm");
  CHECK(model.joint_names() == std::vector<std::string>{"joint1", "joint2", "joint3", "tip_mount"});
  const VecX q = pose(model, "chapter");
  CHECK((q - Vec3(kPi / 8, kPi / 4, kPi / 4)).norm() < 1e-15);
  const Vec3 tip = frame(model, q, "tip").position;
  // Frame 0 of the chapter's sequences, worked out from the three lengths.
  const double a = kPi / 8, b = a + kPi / 4, c = b + kPi / 4;
  CHECK(tip.x() == doctest::Approx(15 * std::cos(a) + 10 * std::cos(b) + 5 * std::cos(c)).epsilon(1e-14));
  CHECK(tip.y() == doctest::Approx(15 * std::sin(a) + 10 * std::sin(b) + 5 * std::sin(c)).epsilon(1e-14));
  CHECK(tip.z() == 0.0);
  CHECK(model.size() == doctest::Approx(30.0));
}

TEST_CASE("the human figure has the stature, the joints and the symmetry of one") {
  const Model model = builtin("human");
  CHECK(model.v_size() >= 60);
  const VecX q = pose(model, "rest");
  CHECK(extreme_z(model, q, 1) == doctest::Approx(1.75).epsilon(0.003));
  CHECK(std::abs(extreme_z(model, q, -1)) < 0.005);
  std::vector<std::string> effectors;
  for (const int link : model.effectors()) effectors.push_back(model.link_name(link));
  CHECK(effectors == std::vector<std::string>{"left_hand", "right_hand", "left_foot", "right_foot", "head"});
  // Left and right mirror each other in the symmetric poses.
  for (const char* name : {"rest", "tpose", "sit"}) {
    CAPTURE(name);
    const VecX p = pose(model, name);
    for (const char* part : {"hand", "foot", "toes", "index_end", "thumb_end", "forearm", "thigh"}) {
      const Vec3 left = frame(model, p, std::string("left_") + part).position;
      const Vec3 right = frame(model, p, std::string("right_") + part).position;
      CHECK((left - Vec3(right.x(), -right.y(), right.z())).norm() < 1e-6);
      CHECK(left.y() > 0.0);
    }
  }
  const Vec3 hand = frame(model, pose(model, "tpose"), "left_hand").position;
  const Vec3 shoulder = frame(model, pose(model, "tpose"), "left_upper_arm").position;
  CHECK((hand - shoulder - Vec3(0, 0.555, 0)).norm() < 1e-3);  // straight out to the side
  CHECK(frame(model, pose(model, "wave"), "right_hand").position.z() > 1.6);
  CHECK(frame(model, pose(model, "sit"), "left_foot").position.z() == doctest::Approx(0.08).epsilon(0.01));
}

TEST_CASE("limits of the human keep its knees and elbows from bending backwards") {
  const Model model = builtin("human");
  Rng rng(7);
  for (int i = 0; i < 200; ++i) {
    VecX q = random_pose(model, rng);
    const int root = model.joint("root").q_index;
    q.segment(root, 7) << 0, 0, 0, 0, 0, 0, 1;
    for (const std::string side : {"left_", "right_"}) {
      CHECK(q[model.joint(side + "knee").q_index] >= 0.0);
      CHECK(q[model.joint(side + "elbow").q_index] >= 0.0);
      // Hands stay within an arm's length of the shoulder.
      const Vec3 arm = frame(model, q, side + "hand").position - frame(model, q, side + "upper_arm").position;
      CHECK(arm.norm() < 0.5551);
    }
  }
}

TEST_CASE("the gripper's fingers and the hand's end joints follow") {
  const Model panda = builtin("panda");
  const VecX q = pose(panda, "grasp");
  const Transform hand = frame(panda, q, "panda_hand");
  const Vec3 left = hand.inverse() * frame(panda, q, "panda_leftfinger").position;
  const Vec3 right = hand.inverse() * frame(panda, q, "panda_rightfinger").position;
  CHECK((left - Vec3(0, 0.04, 0.0584)).norm() < 1e-12);
  CHECK((right - Vec3(0, -0.04, 0.0584)).norm() < 1e-12);
  const Model model = builtin("hand");
  int followers = 0;
  for (const ModelJoint& joint : model.joints()) followers += joint.mimic ? 1 : 0;
  CHECK(followers == 5);
  CHECK(model.effectors().size() == 5);
}

TEST_CASE("orbit: the earth's axis keeps its direction all year") {
  const Model model = builtin("orbit");
  VecX q = neutral_pose(model);
  const Vec3 axis = frame(model, q, "earth").rotation.col(2);
  REQUIRE(set_joint(model, "earth_orbit", {2.1}, q).ok());
  CHECK((frame(model, q, "earth").rotation.col(2) - axis).norm() < 1e-12);
  CHECK(frame(model, q, "earth").position.norm() == doctest::Approx(6.0));
}

TEST_CASE("robots agree with the published Denavit-Hartenberg tables") {
  const auto file = test::shared_data("dh/dh_tables.json");
  if (!file) return;
  struct Robot {
    const char* table;
    const char* model;
    const char* base;
    const char* tip;
    std::vector<std::string> joints;
    double offset_z;  // known difference of a published length
  };
  const std::vector<Robot> robots = {
      {"Puma 560",
       "puma560",
       "base",
       "tool",
       {"waist", "shoulder", "elbow", "wrist_roll", "wrist_bend", "wrist_swivel"},
       0.0},
      {"Stanford arm",
       "stanford_arm",
       "base",
       "tool",
       {"waist", "shoulder", "boom_slide", "wrist_roll", "wrist_bend", "wrist_swivel"},
       0.0},
      {"Omron Cobra 600 (SCARA)", "scara", "base", "tool", {"shoulder", "elbow", "quill_slide", "quill_turn"}, 0.0},
      // Two lengths are in print for the first link: 0.089159 (used here) and 0.089459 (this table).
      {"UR5",
       "ur5",
       "base",
       "tool0",
       {"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"},
       0.0003},
      {"Franka Panda",
       "panda",
       "panda_link0",
       "panda_link8",
       {"panda_joint1", "panda_joint2", "panda_joint3", "panda_joint4", "panda_joint5", "panda_joint6", "panda_joint7"},
       0.0},
  };
  const auto tables = nlohmann::json::parse(test::read_file(*file))["robots"];
  for (const Robot& robot : robots) {
    CAPTURE(robot.table);
    const auto table =
        std::find_if(tables.begin(), tables.end(), [&](const auto& t) { return t["name"] == robot.table; });
    REQUIRE(table != tables.end());
    const Model model = builtin(robot.model);
    CHECK((*table)["rows"].size() == robot.joints.size());
    for (const auto& example : (*table)["fk_examples"]) {
      VecX q = neutral_pose(model);
      for (std::size_t j = 0; j < robot.joints.size(); ++j) {
        REQUIRE(set_joint(model, robot.joints[j], {example["q"][j].get<double>()}, q).ok());
      }
      Transform X = frame(model, q, robot.base).inverse() * frame(model, q, robot.tip);
      X.position.z() += robot.offset_z;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
          CHECK(std::abs(X.matrix()(r, c) -
                         example["T"][static_cast<std::size_t>(r)][static_cast<std::size_t>(c)].get<double>()) < 1e-9);
        }
      }
    }
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
      const auto& limits = (*table)["rows"][j]["limits"];
      if (!limits.is_array()) continue;
      const int index = model.joint(robot.joints[j]).q_index;
      CHECK(model.lower()[index] == doctest::Approx(limits[0].get<double>()));
      CHECK(model.upper()[index] == doctest::Approx(limits[1].get<double>()));
    }
  }
}
