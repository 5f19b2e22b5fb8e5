// Motions carried over to another figure: bones found by name, feet that stand where the source's stand.
#include "armature/motion/retarget.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "armature/base/index.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"
#include "armature/motion/clips.hpp"
#include "armature/motion/contacts.hpp"
#include "armature/motion/frame_series.hpp"
#include "support/data.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

Result<Retargeted> retarget(const Model& source, Clip clip, const Model& target, BoneMap map, RetargetOptions options) {
  clip.model = source;
  options.bone_map = std::move(map);
  return armature::retarget(clip, target, options);
}

Model retarget_human() {
  for (const BuiltinModel& builtin : builtin_models()) {
    if (builtin.name == "human") return compile(read_document(builtin.json, {})->linkage).value();
  }
  FAIL("no such model");
  return {};
}

// A figure as motion files have them: y up, facing z, in its own unit, ball joints, arms held sideways.
Linkage walker() {
  Linkage l;
  l.name = "walker";
  const auto bone = [&](const char* name, const char* parent, const Vec3& offset) {
    l.links.push_back({name, {}});
    const bool root = std::string_view(parent).empty();
    const JointType type = root ? JointType(Free{}) : JointType(Spherical{});
    l.joints.push_back(test::joint(std::string(name) + "_joint", type, parent, name, Transform::translate(offset)));
  };
  bone("Hips", "", Vec3::Zero());
  bone("Spine", "Hips", Vec3(0, 2, 0));
  bone("Neck", "Spine", Vec3(0, 4, 0));
  bone("Head", "Neck", Vec3(0, 1, 0));
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "Left" : "Right";
    const auto sided = [&](const char* name, const std::string& parent, const Vec3& offset) {
      bone((s + name).c_str(), parent.c_str(), offset);
    };
    sided("UpLeg", "Hips", Vec3(side, 0, 0));
    sided("Leg", s + "UpLeg", Vec3(0, -4, 0));
    sided("Foot", s + "Leg", Vec3(0, -4, 0));
    sided("ToeBase", s + "Foot", Vec3(0, -0.6, 1.4));
    sided("Shoulder", "Spine", Vec3(0.5 * side, 3.5, 0));
    sided("Arm", s + "Shoulder", Vec3(1.5 * side, 0, 0));
    sided("ForeArm", s + "Arm", Vec3(3 * side, 0, 0));
    sided("Hand", s + "ForeArm", Vec3(2.5 * side, 0, 0));
  }
  return l;
}

void set_turn(const Model& model, const std::string& link, const Quat& turn, VecX& q) {
  const ModelJoint& joint = model.joint(model.link(link));
  for (int k = 0; k < 4; ++k) q[joint.q_index + joint.q_count - 4 + k] = turn.coeffs()[k];
}

// Two steps: the left foot stands for the first second, the right for the second one.
struct Walk {
  Model model = test::compiled(walker());
  Clip clip;

  static double left_foot(double t) { return t < 1.0 ? 0.0 : 4.0 * std::min(1.0, t - 1.0); }
  static double right_foot(double t) { return t < 1.0 ? -2.0 + 4.0 * t : 2.0; }

  Walk() {
    clip.frame_time = 1.0 / 60.0;
    clip.q_size = model.q_size();
    for (int f = 0; f <= 120; ++f) {
      const double t = f / 60.0;
      VecX q = neutral_pose(model);
      const double height = 7.4;
      const double body = -1.0 + 2.0 * t;
      const int root = model.joint(0).q_index;
      q[root] = 0.3;
      q[root + 1] = height + 0.6;
      q[root + 2] = body;
      for (const bool left : {true, false}) {
        const double z = (left ? left_foot(t) : right_foot(t)) - body;
        const bool swings = left ? t > 1.0 : t < 1.0;
        const double lift = swings ? std::sin(kPi * (left ? t - 1.0 : t)) : 0.0;
        const double down = height - lift;
        const double d = std::hypot(down, z);
        const double half = std::acos(std::min(1.0, 0.5 * d / 4.0));  // both bones are 4 long
        const std::string s = left ? "Left" : "Right";
        set_turn(model, s + "UpLeg", exp_rotation(Vec3(-std::atan2(z, down) - half, 0, 0)), q);
        set_turn(model, s + "Leg", exp_rotation(Vec3(2.0 * half, 0, 0)), q);
        set_turn(model, s + "Foot", exp_rotation(Vec3(std::atan2(z, down) - half, 0, 0)), q);
        const double swing = (left ? 1.0 : -1.0) * 0.4 * std::sin(kPi * t);
        set_turn(model, s + "Arm", exp_rotation(Vec3(0, 0, left ? -1.3 : 1.3)) * exp_rotation(Vec3(0, swing, 0)), q);
        set_turn(model, s + "ForeArm", exp_rotation(Vec3(0, left ? -0.5 : 0.5, 0)), q);
      }
      clip.append(q);
    }
  }
};

}  // namespace

TEST_CASE("bones are found by what their names mean") {
  const Model human = retarget_human();
  const Model source = test::compiled(walker());
  const BoneMap map = guess_bone_map(source, human);
  const auto source_of = [&](const char* target) -> std::string {
    for (const auto& [to, from] : map) {
      if (to == target) return from;
    }
    return "";
  };
  CHECK(source_of("pelvis") == "Hips");
  CHECK(source_of("chest") == "Spine");
  CHECK(source_of("head") == "Head");
  CHECK(source_of("left_clavicle") == "LeftShoulder");
  CHECK(source_of("left_upper_arm") == "LeftArm");
  CHECK(source_of("right_forearm") == "RightForeArm");
  CHECK(source_of("right_hand") == "RightHand");
  CHECK(source_of("left_thigh") == "LeftUpLeg");
  CHECK(source_of("right_shin") == "RightLeg");
  CHECK(source_of("right_foot") == "RightFoot");
  CHECK(source_of("left_toes") == "LeftToeBase");
  CHECK(source_of("left_lower_forearm").empty());

  // Other schools of naming.
  Linkage other;
  other.links = {{"hip", {}},      {"lCollar", {}},   {"lShldr", {}},     {"lForeArm", {}}, {"lHand", {}},
                 {"RightHip", {}}, {"RightKnee", {}}, {"RightAnkle", {}}, {"Thigh_L", {}},  {"mixamorig:LeftLeg", {}}};
  const char* parents[] = {"",    "hip",      "lCollar",   "lShldr", "lForeArm",
                           "hip", "RightHip", "RightKnee", "hip",    "Thigh_L"};
  for (std::size_t i = 1; i < other.links.size(); ++i) {
    other.joints.push_back(test::joint("j" + std::to_string(i), Spherical{}, parents[i], other.links[i].name, {}));
  }
  const Model model = test::compiled(other);
  const Figure figure = guess_figure(model);
  CHECK(figure.pelvis == model.link("hip"));
  CHECK(figure.arm[0].collar == model.link("lCollar"));
  CHECK(figure.arm[0].upper == model.link("lShldr"));
  CHECK(figure.arm[0].end == model.link("lHand"));
  CHECK(figure.leg[1].upper == model.link("RightHip"));
  CHECK(figure.leg[1].end == model.link("RightAnkle"));
  CHECK(figure.leg[0].upper == model.link("Thigh_L"));
  CHECK(figure.leg[0].lower == model.link("mixamorig:LeftLeg"));
  CHECK(!figure.leg[0].whole());
}

TEST_CASE("a walk onto the human: feet stand, hands keep their places, limits hold") {
  const Walk walk;
  const Model human = retarget_human();
  const Retargeted result = retarget(walk.model, walk.clip, human, guess_bone_map(walk.model, human), {}).value();
  CHECK(result.clip.frame_time == walk.clip.frame_time);
  CHECK(result.clip.frame_count() == walk.clip.frame_count());
  CHECK(result.leg_length == doctest::Approx(0.84));
  CHECK(result.root_scale == doctest::Approx(0.84 / 8.0));
  CHECK(result.largest_slide < 0.02 * result.leg_length);
  CHECK(result.hand_error < 0.1);  // arms keep their directions
  MESSAGE("largest slide " << result.largest_slide << " m, hands within " << result.hand_error << " m");
  REQUIRE(result.footfalls.size() >= 2);
  State state;
  double travelled = 0.0;
  for (int f = 0; f < result.clip.frame_count(); ++f) {
    const VecX q = Eigen::Map<const VecX>(result.clip.frame(f), human.q_size());
    CHECK(inside_limits(human, q, 1e-6));
    forward(human, q, state);
    const Vec3 foot = state.X_WL[static_cast<std::size_t>(human.link("left_foot"))].position;
    if (f == 0) travelled = -foot.x();
    if (f == 120) travelled += foot.x();
    if (f < 50) CHECK(foot.z() == doctest::Approx(0.08).epsilon(0.1));  // its ankle, on the floor
  }
  CHECK(travelled == doctest::Approx(4.0 * result.root_scale).epsilon(0.05));  // z of the source is the human's x
}

TEST_CASE("a source whose floor lies elsewhere stands on the target's own floor") {
  Walk walk;
  const int up = walk.model.joint(0).q_index + 1;
  for (int f = 0; f < walk.clip.frame_count(); ++f) walk.clip.frame(f)[up] += 3.0;
  const Model human = retarget_human();
  const Retargeted result = retarget(walk.model, walk.clip, human, guess_bone_map(walk.model, human), {}).value();
  State state;
  for (int f = 0; f < 50; ++f) {
    forward(human, result.clip.frame(f), state);
    CHECK(state.X_WL[static_cast<std::size_t>(human.link("left_foot"))].position.z() ==
          doctest::Approx(0.08).epsilon(0.1));
  }
}

TEST_CASE("a figure onto itself moves as before") {
  const Walk walk;
  BoneMap map;
  for (int i = 0; i < walk.model.link_count(); ++i) map.emplace_back(walk.model.link_name(i), walk.model.link_name(i));
  const Retargeted result = retarget(walk.model, walk.clip, walk.model, map, {}).value();
  CHECK(result.root_scale == doctest::Approx(1.0));
  CHECK(result.report.leg_direction < 6.0 * kDegree);  // standing feet are held still
  CHECK(result.report.slide < 0.3 * result.report.source_slide + 0.01);
  // Without feet it is the same motion, but for knees that are kept from snapping straight.
  RetargetOptions free;
  free.keep_feet = false;
  free.keep_hands = false;
  const Retargeted plain = retarget(walk.model, walk.clip, walk.model, map, free).value();
  CHECK(plain.report.leg_direction < 0.2 * kDegree);
  CHECK(plain.report.arm_direction < 1e-6);
  CHECK(plain.report.trunk_direction < 1e-6);
  CHECK(plain.report.travel == doctest::Approx(1.0).epsilon(1e-6));
}

TEST_CASE("a motion onto its own figure is given back, also where its file was read twice") {
  const Walk walk;
  Clip clip = walk.clip;
  clip.model = walk.model;
  const Model again = test::compiled(walker());
  REQUIRE(!(again == walk.model));
  for (const Model& target : {walk.model, again}) {
    const Retargeted result = armature::retarget(clip, target).value();
    CHECK(result.clip.values == clip.values);
    CHECK(result.clip.model == target);
    CHECK(result.report.leg_direction == 0.0);
    CHECK(result.report.slide == doctest::Approx(result.report.source_slide));
    CHECK(result.report.floating < 0.01);
    CHECK(result.report.knee_peak == doctest::Approx(1.0));
    REQUIRE(result.notes.size() == 1);
    CHECK(result.notes[0].find("given back") != std::string::npos);
    // A map, a scale or limits ask for more; so does another figure.
    RetargetOptions twice;
    twice.root_scale = 2.0;
    CHECK(armature::retarget(clip, target, twice).value().clip.values != clip.values);
    BoneMap map;
    for (const std::string& link : target.links()) map.emplace_back(link, link);
    CHECK(retarget(walk.model, clip, target, map, {}).value().clip.values ==
          retarget(walk.model, clip, walk.model, map, {}).value().clip.values);
  }
  Linkage longer = walker();
  longer.find_joint("LeftLeg_joint")->origin.position *= 1.01;
  CHECK(armature::retarget(clip, test::compiled(longer)).value().clip.values != clip.values);
  // Another figure of the same shape: names decide.
  Linkage renamed = walker();
  REQUIRE(rename_link(renamed, "LeftHand", "LeftPalm").ok());
  CHECK(armature::retarget(clip, test::compiled(renamed)).value().clip.values != clip.values);
  // Limits hold, whoever's motion it is.
  const Model human = retarget_human();
  Clip bent;
  bent.model = human;
  bent.q_size = human.q_size();
  VecX q = neutral_pose(human);
  const int knee = human.joint(human.link("left_shin")).q_index;
  for (const double beyond : {-0.1, 0.2}) {
    q[knee] = human.upper()[knee] + beyond;
    for (int f = 0; f < 5; ++f) bent.append(q);
    const Retargeted result = armature::retarget(bent, retarget_human()).value();
    CHECK((result.clip.values == bent.values) == (beyond < 0.0));
    CHECK(result.clip.frame(bent.frame_count() - 1)[knee] <= human.upper()[knee] + 1e-9);
  }
}

// The same figure and motion, scaled, with z up, and every bone's frame turned at random: nothing may depend on them.
TEST_CASE("frames of bones, units and axes do not matter") {
  const Walk walk;
  Rng rng(7);
  Linkage other = walker();
  std::vector<Mat3> turned;
  const Mat3 z_up = (Mat3() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();
  for (std::size_t i = 0; i < other.links.size(); ++i) {
    turned.push_back(exp_rotation(Vec3(rng.uniform(-2, 2), rng.uniform(-2, 2), rng.uniform(-2, 2))).toRotationMatrix());
  }
  for (std::size_t i = 0; i < other.joints.size(); ++i) {
    Joint& joint = other.joints[i];
    std::size_t parent = other.links.size();
    for (std::size_t k = 0; k < other.links.size(); ++k) {
      if (other.links[k].name == joint.parent) parent = k;
    }
    const Mat3 above = parent < other.links.size() ? turned[parent] : Mat3(z_up.transpose());
    joint.origin.position = above.transpose() * (2.0 * joint.origin.position);
    joint.origin.rotation = above.transpose() * turned[i];
  }
  const Model target = test::compiled(other);
  RetargetOptions free;
  free.keep_feet = false;
  const Retargeted result = retarget(walk.model, walk.clip, target, guess_bone_map(walk.model, target), free).value();
  CHECK(result.root_scale == doctest::Approx(2.0));
  CHECK(result.report.leg_direction < 0.2 * kDegree);
  CHECK(result.report.arm_direction < 1e-6);
  State a, b;
  for (int f = 0; f < walk.clip.frame_count(); f += 10) {
    forward(walk.model, walk.clip.frame(f), a);
    forward(target, result.clip.frame(f), b);
    const auto way = [](const State& s, int from, int to) {
      return Vec3(s.X_WL[static_cast<std::size_t>(to)].position - s.X_WL[static_cast<std::size_t>(from)].position);
    };
    for (const char* hand : {"LeftHand", "RightHand"}) {
      const Vec3 there = way(a, walk.model.link("Hips"), walk.model.link(hand));
      const Vec3 here = way(b, target.link("Hips"), target.link(hand));
      CHECK((here - 2.0 * (z_up * there)).norm() < 1e-6);
    }
  }
}

// Names that say nothing.
Linkage numbered(Linkage linkage) {
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < linkage.links.size(); ++i) names[linkage.links[i].name] = "b" + std::to_string(i);
  for (Link& link : linkage.links) link.name = names[link.name];
  for (Joint& joint : linkage.joints) {
    if (!joint.parent.empty()) joint.parent = names[joint.parent];
    joint.child = names[joint.child];
  }
  return linkage;
}

TEST_CASE("who is who from the tree, whatever the links are called") {
  std::vector<Linkage> figures{walker()};
  // Captured files put bones without length between hips and legs, and their feet bend at the ball.
  if (const auto path = test::shared_data("bvh/cmu_02_01.bvh")) {
    figures.push_back(read_document(test::read_file(*path), {}).value().linkage);
  }
  for (const Linkage& linkage : figures) {
    INFO(linkage.name);
    const Figure named = guess_figure(test::compiled(linkage));
    const Figure found = guess_figure(test::compiled(numbered(linkage)));
    CHECK(found.has_legs());
    CHECK(found.has_arms());
    CHECK(found.pelvis == named.pelvis);
    for (int side = 0; side < 2; ++side) {
      CHECK(found.leg[side].upper == named.leg[side].upper);
      CHECK(found.leg[side].lower == named.leg[side].lower);
      CHECK(found.leg[side].end == named.leg[side].end);
      CHECK(found.leg[side].toe == named.leg[side].toe);
      CHECK(found.arm[side].collar == named.arm[side].collar);
      CHECK(found.arm[side].upper == named.arm[side].upper);
      CHECK(found.arm[side].lower == named.arm[side].lower);
    }
  }
}

// Names that are understood in part: what they say of head and limbs stays, the rest is read from the tree.
TEST_CASE("trunks and heads in words of their own") {
  const auto path = test::shared_data("bvh/cmu_02_01.bvh");
  if (!path) return;
  const Linkage captured = read_document(test::read_file(*path), {}).value().linkage;
  const Model known = test::compiled(captured);
  const Figure figure = guess_figure(known);
  struct Change {
    const char *from, *to;
  };
  const auto renamed = [&](std::initializer_list<Change> changes) {
    Linkage linkage = captured;
    for (const auto& [from, to] : changes) REQUIRE(rename_link(linkage, from, to).ok());
    return guess_figure(test::compiled(linkage));
  };
  const Figure trunk = renamed({{"LowerBack", "Lenden"}, {"Spine", "Ruecken"}, {"Spine1", "Brust"}});
  CHECK(trunk.spine == figure.spine);
  CHECK(renamed({{"Hips", "SpineBase"}, {"LowerBack", "SpineLow"}, {"Spine", "SpineMid"}, {"Spine1", "SpineShoulder"}})
            .spine == figure.spine);
  CHECK(figure.spine.size() == 3);
  const Figure limbs = renamed({{"LHipJoint", "Huefte1"},
                                {"RHipJoint", "Huefte2"},
                                {"LeftUpLeg", "Oberschenkel1"},
                                {"RightUpLeg", "Oberschenkel2"}});
  CHECK(limbs.head == known.link("Head"));
  CHECK(limbs.leg[0].upper == figure.leg[0].upper);
  const Figure hips = renamed({{"LHipJoint", "LeftHipJoint"},
                               {"RHipJoint", "RightHipJoint"},
                               {"LeftUpLeg", "LeftHip"},
                               {"RightUpLeg", "RightHip"}});
  CHECK(hips.leg[0].upper == figure.leg[0].upper);
  CHECK(hips.leg[1].upper == figure.leg[1].upper);
}

// Rigs whose limbs are numbered, with and without a bone between hips and thigh, move as the well-named one does.
TEST_CASE("limbs whose bones only numbers tell apart") {
  struct Names {
    const char* sides[2];
    const char *before, *thigh, *shin, *foot, *toes, *upper_arm, *forearm, *lower_forearm, *hand, *hip;
  };
  const Names schemes[] = {
      {{"Left", "Right"},
       "b_",
       "Leg01_015",
       "Leg02_016",
       "Foot01_017",
       "Foot02_018",
       "UpperArm_06",
       "ForeArm_07",
       "Twist_07",
       "Hand_08",
       "Hip_014"},
      {{"l", "r"}, "", "_leg_1", "_leg_2", "_leg_3", "_leg_4", "_arm_1", "_arm_2", "_arm_3", "_arm_4", "_hip"},
      {{"L", "R"}, "leg_joint_", "_1", "_2", "_3", "_5", "_arm1", "_arm2", "_roll", "_arm3", "_0"},
      {{"Left", "Right"}, "", "Leg", "Leg1", "Foot", "Toe", "Arm", "Arm1", "Arm2", "Hand", "Hip"},
      {{"Left", "Right"}, "", "UpLeg1", "UpLeg2", "Ankle", "Ball", "Arm01", "Arm02", "Twist", "Wrist", "HipHelper"},
      {{"left", "right"}, "", "_leg", "_knee", "_ankle", "_toe", "_shoulder", "_elbow", "_twist", "_wrist", "_hip"}};
  const Walk walk;
  const Model human = retarget_human();
  const Figure figure = guess_figure(human);
  const Retargeted wanted = retarget(walk.model, walk.clip, human, {}, {}).value();
  for (const Names& names : schemes) {
    for (const int hip : {0, 1, 2, 3, 4}) {  // none; without length; short and above; short and inside; one that turns
      Linkage linkage = human.linkage();
      std::map<std::string, std::string> now;
      for (int side = 0; side < 2; ++side) {
        const std::string from = side == 0 ? "left_" : "right_";
        const auto name = [&](const char* part) { return std::string(names.before) + names.sides[side] + part; };
        const auto give = [&](const char* part, const char* to) {
          now[from + part] = name(to);
          REQUIRE(rename_link(linkage, from + part, name(to)).ok());
        };
        give("thigh", names.thigh);
        give("shin", names.shin);
        give("foot", names.foot);
        give("toes", names.toes);
        give("upper_arm", names.upper_arm);
        give("forearm", names.forearm);
        give("lower_forearm", names.lower_forearm);
        give("hand", names.hand);
        if (hip == 0) continue;
        Joint* thigh = nullptr;
        for (Joint& joint : linkage.joints) thigh = joint.child == name(names.thigh) ? &joint : thigh;
        REQUIRE(thigh != nullptr);
        const Vec3 way = hip == 2   ? Vec3(0, 0, -0.06)
                         : hip == 3 ? Vec3(0, side == 0 ? 0.08 : -0.08, 0)
                                    : Vec3(Vec3::Zero());
        const Transform there = thigh->origin * Transform::translate(-way);
        thigh->parent = name(names.hip);
        thigh->origin = Transform::translate(way);
        linkage.links.push_back({name(names.hip), {}});
        linkage.joints.push_back(test::joint(name(names.hip) + "_joint", hip == 4 ? JointType(Spherical{}) : Fixed{},
                                             "pelvis", name(names.hip), there));
      }
      const Model renamed = test::compiled(linkage);
      INFO(std::string(names.before), std::string(names.thigh), ", hip bone ", hip);
      const Figure found = guess_figure(renamed);
      const auto same = [&](int here, int there) {
        INFO(human.link_name(there), " is taken for ", here < 0 ? "none" : renamed.link_name(here));
        const auto to = now.find(human.link_name(there));
        CHECK(renamed.link(to == now.end() ? human.link_name(there) : to->second) == here);
      };
      for (int side = 0; side < 2; ++side) {
        same(found.leg[side].upper, figure.leg[side].upper);
        same(found.leg[side].lower, figure.leg[side].lower);
        same(found.leg[side].end, figure.leg[side].end);
        same(found.leg[side].toe, figure.leg[side].toe);
        same(found.arm[side].collar, figure.arm[side].collar);
        same(found.arm[side].upper, figure.arm[side].upper);
        same(found.arm[side].lower, figure.arm[side].lower);
        same(found.arm[side].end, figure.arm[side].end);
      }
      same(found.pelvis, figure.pelvis);
      const Retargeted result = retarget(walk.model, walk.clip, renamed, {}, {}).value();
      double off = 0.0;
      for (int link = 0; link < human.link_count(); ++link) {
        const ModelJoint& there = human.joint(link);
        const ModelJoint& here = renamed.joint(renamed.lookup_joint(there.name).value());
        for (int f = 0; f < result.clip.frame_count(); ++f) {
          for (int k = 0; k < there.q_count; ++k)
            off = std::max(off,
                           std::abs(result.clip.frame(f)[here.q_index + k] - wanted.clip.frame(f)[there.q_index + k]));
        }
      }
      CHECK(off < 1e-6);
    }
  }
}

TEST_CASE("hips that no name calls so: the link that both legs hang on") {
  struct Names {
    const char *root, *hips, *chest, *neck;
  };
  // Rigify's deforming bones, with and without the root on the ground; Advanced Skeleton's middle bones.
  for (const Names& names :
       {Names{"", "DEF-spine", "DEF-spine.001", "DEF-spine.004"},
        Names{"root", "DEF-spine", "DEF-spine.001", "DEF-spine.004"}, Names{"", "Root_M", "Spine1_M", "Neck_M"}}) {
    INFO(names.root, " ", names.hips);
    Linkage linkage = walker();
    REQUIRE(rename_link(linkage, "Hips", names.hips).ok());
    REQUIRE(rename_link(linkage, "Spine", names.chest).ok());
    REQUIRE(rename_link(linkage, "Neck", names.neck).ok());
    if (*names.root != 0) {
      linkage.links.push_back({names.root, {}});
      linkage.joints[0].parent = names.root;
      linkage.joints.push_back(test::joint("to root", Fixed{}, "", names.root, {}));
    }
    const Model model = test::compiled(linkage);
    const Figure figure = guess_figure(model);
    CHECK(figure.pelvis == model.link(names.hips));
    CHECK(figure.spine == std::vector<int>{model.link(names.chest)});
    CHECK(figure.neck == model.link(names.neck));
  }
}

TEST_CASE("bones of many conventions") {
  struct Names {
    const char* pelvis;
    const char* thigh;
    const char* shin;
    const char* foot;
    const char* arm;
    const char* forearm;
    const char* hand;
  };
  const Names conventions[] = {
      {"mixamorig:Hips", "mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot", "mixamorig:LeftArm",
       "mixamorig:LeftForeArm", "mixamorig:LeftHand"},
      {"Character1_Hips", "Character1_LeftUpLeg", "Character1_LeftLeg", "Character1_LeftFoot", "Character1_LeftArm",
       "Character1_LeftForeArm", "Character1_LeftHand"},
      {"actor:Hips", "actor:LeftThigh", "actor:LeftShin", "actor:LeftFoot", "actor:LeftArm", "actor:LeftForearm",
       "actor:LeftHand"},
      {"J_Bip_C_Hips", "J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg", "J_Bip_L_Foot", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm",
       "J_Bip_L_Hand"},
      {"hips", "leftUpperLeg", "leftLowerLeg", "leftFoot", "leftUpperArm", "leftLowerArm", "leftHand"},
      {"CC_Base_Hip", "CC_Base_L_Thigh", "CC_Base_L_Calf", "CC_Base_L_Foot", "CC_Base_L_Upperarm", "CC_Base_L_Forearm",
       "CC_Base_L_Hand"},
      {"pelvis", "thigh_l", "calf_l", "foot_l", "upperarm_l", "lowerarm_l", "hand_l"},
      {"Pelvis", "LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftUpperArm", "LeftForeArm", "LeftHand"},
      {"Pelvis", "L_Hip", "L_Knee", "L_Ankle", "L_Shoulder", "L_Elbow", "L_Wrist"},
      {"hip", "lThighBend", "lShin", "lFoot", "lShldrBend", "lForearmBend", "lHand"},
      {"DEF-pelvis", "DEF-thigh.L", "DEF-shin.L", "DEF-foot.L", "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L"},
      {"LowerTorso", "LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftUpperArm", "LeftLowerArm", "LeftHand"},
      {"pelvis", "left_hip_yaw_link", "left_knee_link", "left_ankle_roll_link", "left_shoulder_yaw_link",
       "left_elbow_link", "left_wrist_yaw_link"},
      {"hero:rig:Hips", "hero:rig:LeftUpLeg", "hero:rig:LeftLeg", "hero:rig:LeftFoot", "hero:rig:LeftArm",
       "hero:rig:LeftForeArm", "hero:rig:LeftHand"},
      {"Hero_Hips", "Hero_LeftUpLeg", "Hero_LeftLeg", "Hero_LeftFoot", "Hero_LeftArm", "Hero_LeftForeArm",
       "Hero_LeftHand"},
      {"NPC Pelvis [Pelv]", "NPC L Thigh [LThg]", "NPC L Calf [LClf]", "NPC L Foot [Lft ]", "NPC L UpperArm [LUar]",
       "NPC L Forearm [LLar]", "NPC L Hand [LHnd]"},
      {"root", "lfemur", "ltibia", "lfoot", "lhumerus", "lradius", "lhand"},
      {"hips", "leftupleg", "leftleg", "leftfoot", "leftarm", "leftforearm", "lefthand"},
      {"Hip", "LThigh", "LShin", "LFoot", "LUArm", "LFArm", "LHand"},
      {"Pelvis", "HipLeft", "KneeLeft", "AnkleLeft", "ShoulderLeft", "ElbowLeft", "WristLeft"},
      {"pelvis", "hipleft", "kneeleft", "ankleleft", "shoulderleft", "elbowleft", "wristleft"},
      {"pelvis_C0_0_jnt", "leg_L0_0_jnt", "leg_L0_1_jnt", "leg_L0_end_jnt", "arm_L0_0_jnt", "arm_L0_1_jnt",
       "arm_L0_end_jnt"},
      {"Bip01 Pelvis", "Bip01 L Thigh", "Bip01 L Calf", "Bip01 L Foot", "Bip01 L UpperArm", "Bip01 L Forearm",
       "Bip01 L Hand"},
  };
  for (const Names& names : conventions) {
    INFO(names.thigh);
    Linkage l;
    const char* chain[][2] = {{"", names.pelvis},         {names.pelvis, names.thigh}, {names.thigh, names.shin},
                              {names.shin, names.foot},   {names.pelvis, names.arm},   {names.arm, names.forearm},
                              {names.forearm, names.hand}};
    for (const auto& [parent, child] : chain) {
      l.links.push_back({child, {}});
      l.joints.push_back(
          test::joint(std::string("to ") + child, Spherical{}, parent, child, Transform::translate(Vec3(0, 0, -1))));
    }
    const Model model = test::compiled(l);
    const Figure figure = figure_from_names(model);
    CHECK(figure.pelvis == model.link(names.pelvis));
    CHECK(figure.leg[0].upper == model.link(names.thigh));
    CHECK(figure.leg[0].lower == model.link(names.shin));
    CHECK(figure.leg[0].end == model.link(names.foot));
    CHECK(figure.arm[0].upper == model.link(names.arm));
    CHECK(figure.arm[0].lower == model.link(names.forearm));
    CHECK(figure.arm[0].end == model.link(names.hand));
  }
}

TEST_CASE("what cannot be carried over is refused") {
  const Walk walk;
  const Model human = retarget_human();
  CHECK(!retarget(human, walk.clip, human, {{"pelvis", "pelvis"}}, {}).ok());
  CHECK(retarget(walk.model, walk.clip, human, {}, {}).ok());  // by their names
  CHECK(!retarget(walk.model, walk.clip, test::compiled(test::planar_arm({1, 1})), {}, {}).ok());
  CHECK(!armature::retarget(walk.clip, human).ok());  // of no model
  CHECK(!retarget(walk.model, walk.clip, human, {{"pelvs", "Hips"}}, {}).ok());
  CHECK(!retarget(walk.model, walk.clip, human, {{"pelvis", "Hipz"}}, {}).ok());
  Clip empty = walk.clip;
  empty.values.clear();
  CHECK(!retarget(walk.model, empty, human, {{"pelvis", "Hips"}}, {}).ok());
}

// Targets of the research behind it: directions, sliding, sinking and pops, on real clips and figures.
TEST_CASE("recorded motions onto the human, a skinned figure and a robot") {
  const auto read = [](const std::string& name) {
    ReadOptions options;
    options.file_name = name;
    options.load = [](std::string_view uri, void*) -> Result<std::string> {
      return test::read_file(*test::shared_data("gltf/RiggedFigure/" + std::string(uri)));
    };
    return read_document(test::read_file(*test::shared_data(name)), options).value();
  };
  for (const char* name : {"bvh/cmu_02_01.bvh", "bvh/cmu_49_06.bvh", "bvh/threejs_pirouette.bvh",
                           "gltf/RiggedFigure/RiggedFigure.gltf", "mjcf/unitree_g1.xml"}) {
    if (!test::shared_data(name)) return;
  }
  Document rigged = read("gltf/RiggedFigure/RiggedFigure.gltf");
  rigged.linkage.find_joint("torso_joint_1")->type = Free{};  // as scene/retarget_text frees it
  struct Target {
    const char* name;
    Model model;
    double leg, arm, trunk, slide;  // degrees; leg lengths per second
    double arm_on_hands;            // of the cartwheel, whose floor is nearer to the shoulders than arms are long
  };
  const Target targets[] = {{"human", retarget_human(), 3.2, 3.3, 0.6, 0.08, 4.0},
                            {"RiggedFigure", compile(rigged.linkage).value(), 2.8, 2.2, 0.3, 0.05, 6.2},
                            {"G1", compile(read("mjcf/unitree_g1.xml").linkage).value(), 4.3, 1.5, 3.0, 0.05, 3.7}};
  for (const char* name : {"bvh/cmu_02_01.bvh", "bvh/cmu_49_06.bvh", "bvh/threejs_pirouette.bvh"}) {
    const Document document = read(name);
    const Model source = compile(document.linkage).value();
    Clip clip = document.clips[0];  // the first frame is a pose that was put in front
    clip.values.erase(clip.values.begin(), clip.values.begin() + clip.q_size);
    for (const Target& target : targets) {
      const Retargeted result = retarget(source, clip, target.model, guess_bone_map(source, target.model), {}).value();
      const RetargetReport& r = result.report;
      INFO(std::string(name), " onto ", std::string(target.name));
      MESSAGE(std::string(name) << " onto " << std::string(target.name) << ": leg " << r.leg_direction / kDegree
                                << ", arm " << r.arm_direction / kDegree << ", slide " << r.slide << " of "
                                << r.source_slide << ", sinking " << r.sinking << ", knee peak " << r.knee_peak);
      CHECK(result.footfalls.size() >= 4);
      CHECK(r.leg_direction < target.leg * kDegree);
      const bool on_hands = std::string(name) == "bvh/cmu_49_06.bvh";
      CHECK(r.arm_direction < (on_hands ? target.arm_on_hands : target.arm) * kDegree);
      CHECK(r.hand_sinking < 0.01);  // in the cartwheel 0.22 of RiggedFigure, where hips did not give way to hands
      CHECK(r.trunk_direction < target.trunk * kDegree);
      CHECK(r.knees_back == 0);
      CHECK(r.slide < target.slide);
      CHECK(r.slide < r.source_slide);
      CHECK(r.floating < 0.01);
      CHECK(r.sinking < 0.03);
      CHECK(r.knee_peak < 1.5);
      CHECK(r.head_peak < 1.5);
      CHECK(r.travel == doctest::Approx(1.0).epsilon(0.04));
      for (int f = 0; f < result.clip.frame_count(); f += 20) {
        CHECK(inside_limits(target.model, Eigen::Map<const VecX>(result.clip.frame(f), target.model.q_size()), 1e-6));
      }
    }
  }
}

TEST_CASE("a joint that no bone turns comes inside its limits") {
  const Walk walk;
  Linkage l = walker();
  l.links.push_back({"tail", {}});
  Joint tail = test::joint("tail_joint", Revolute{Vec3::UnitX()}, "Hips", "tail", Transform::translate(Vec3(0, 0, -1)));
  tail.limits.lower = {0.5};  // zero, its rest, lies outside
  tail.limits.upper = {1.5};
  l.joints.push_back(tail);
  const Model target = test::compiled(l);
  const Result<Retargeted> result = retarget(walk.model, walk.clip, target, guess_bone_map(walk.model, target), {});
  REQUIRE(result.ok());
  const int at = target.joint(target.link("tail")).q_index;
  for (int f = 0; f < result->clip.frame_count(); ++f) CHECK(result->clip.frame(f)[at] == 0.5);
}

TEST_CASE("a T-pose in front of a motion is no part of it") {
  Walk walk;
  const Model human = retarget_human();
  const BoneMap map = guess_bone_map(walk.model, human);
  const VecX rest = neutral_pose(walk.model);
  std::copy_n(walk.clip.frame(1), rest.size(), walk.clip.frame(0));
  const Retargeted plain = retarget(walk.model, walk.clip, human, map, {}).value();
  std::copy_n(rest.data(), rest.size(), walk.clip.frame(0));
  const Retargeted result = retarget(walk.model, walk.clip, human, map, {}).value();
  CHECK(result.clip.frame_count() == walk.clip.frame_count());
  REQUIRE(!result.notes.empty());
  CHECK(result.notes[0].find("first frame") != std::string::npos);
  CHECK(result.clip.values == plain.clip.values);  // as if the second frame stood there
}

TEST_CASE("a T-pose in front is found at low frame rates, too") {
  const auto path = test::shared_data("bvh/cmu_02_01.bvh");
  if (!path) return;
  const Document document = read_document(test::read_file(*path), {}).value();
  const Model source = compile(document.linkage).value();
  const Model human = retarget_human();
  for (const int every : {1, 4}) {
    INFO("every frame of ", every);
    Clip clip = document.clips[0];
    clip.values.clear();
    clip.frame_time *= every;
    for (int f = 0; f < document.clips[0].frame_count(); f += every) {
      clip.values.insert(clip.values.end(), document.clips[0].frame(f), document.clips[0].frame(f) + clip.q_size);
    }
    const BoneMap map = guess_bone_map(source, human);
    const auto says = [](const Retargeted& result) {
      return !result.notes.empty() && result.notes[0].find("first frame") != std::string::npos;
    };
    CHECK(says(retarget(source, clip, human, map, {}).value()));
    clip.values.erase(clip.values.begin(), clip.values.begin() + clip.q_size);
    CHECK_FALSE(says(retarget(source, clip, human, map, {}).value()));
  }
}

TEST_CASE("feet of one bone stand on their balls") {
  const auto path = test::shared_data("bvh/cmu_02_01.bvh");
  if (!path) return;
  const Document document = read_document(test::read_file(*path), {}).value();
  const Model source = compile(document.linkage).value();
  Clip clip = document.clips[0];
  clip.values.erase(clip.values.begin(), clip.values.begin() + clip.q_size);  // a T-pose
  // The human without its toes: what the source's toes do still counts.
  const Model whole = retarget_human();
  Linkage linkage = whole.linkage();
  for (const char* toe : {"left_toes", "right_toes"}) REQUIRE(remove_link(linkage, toe).ok());
  const Model human = compile(linkage).value();
  REQUIRE(guess_figure(human).leg[0].toe < 0);
  const Retargeted result = retarget(source, clip, human, guess_bone_map(source, human), {}).value();
  MESSAGE("slide " << result.report.slide << " of " << result.report.source_slide << ", largest "
                   << result.largest_slide / result.leg_length << " legs, knee peak " << result.report.knee_peak);
  CHECK(result.report.slide < 0.1);
  CHECK(result.largest_slide < 0.01 * result.leg_length);
}

TEST_CASE("feet of one bone lie flat where the source's stand, however they rest") {
  // The walker without toes, its feet at rest pitched up by 0.3; the motion is the same.
  Walk walk;
  Linkage linkage = walk.model.linkage();
  const Quat pitched = exp_rotation(Vec3(-0.3, 0, 0));
  for (const std::string side : {"Left", "Right"}) {
    REQUIRE(remove_link(linkage, side + "ToeBase").ok());
    linkage.find_joint(side + "Foot_joint")->origin.rotation = pitched.toRotationMatrix();
  }
  const Model source = compile(linkage).value();
  Clip clip;
  clip.frame_time = walk.clip.frame_time;
  clip.q_size = source.q_size();
  for (int f = 0; f < walk.clip.frame_count(); ++f) {
    VecX q = neutral_pose(source);
    for (int link = 0; link < source.link_count(); ++link) {
      const ModelJoint& joint = source.joint(link);
      const ModelJoint& before = walk.model.joint(walk.model.link(source.link_name(link)));
      std::copy_n(walk.clip.frame(f) + before.q_index, before.q_count, q.data() + joint.q_index);
      if (source.link_name(link).find("Foot") == std::string::npos) continue;
      Quat turn;
      turn.coeffs() = q.segment<4>(joint.q_index);
      set_turn(source, source.link_name(link), pitched.conjugate() * turn, q);
    }
    clip.append(q);
  }
  const Model human = retarget_human();
  const Retargeted result = retarget(source, clip, human, guess_bone_map(source, human), {}).value();
  const State state = forward(human, Eigen::Map<const VecX>(result.clip.frame(25), human.q_size()));
  CHECK(state.transform(human.link("left_foot")).rotation(2, 2) > std::cos(4.0 * kDegree));
  CHECK(result.report.sinking < 0.01);
}

TEST_CASE("knees of robots bend as the source's do, whatever their limits allow") {
  const auto walk = test::shared_data("bvh/cmu_02_01.bvh");
  if (!walk) return;
  const Document document = read_document(test::read_file(*walk), {}).value();
  const Model source = compile(document.linkage).value();
  for (const char* name : {"urdf/simple_humanoid.urdf", "urdf/robonaut2_fullbody.urdf", "urdf/drchubo.urdf"}) {
    const auto path = test::shared_data(name);
    if (!path) return;
    ReadOptions read;
    read.file_name = path->string();
    Linkage linkage = read_document(test::read_file(*path), read).value().linkage;
    REQUIRE(float_root(linkage).ok());
    const Model robot = compile(linkage).value();
    const RetargetReport r =
        retarget(source, document.clips[0], robot, guess_bone_map(source, robot), {}).value().report;
    INFO(std::string(name), ": legs ", r.leg_direction / kDegree, ", knee peak ", r.knee_peak);
    CHECK(r.knees_back == 0);
    CHECK(r.leg_direction < 8.0 * kDegree);
    CHECK(r.knee_peak < 1.5);
  }
}

TEST_CASE("a motion on two legs is not one on four: without a map it is refused, either way") {
  const Walk walk;
  Linkage linkage = walker();  // the same names: a trunk that lies, "arms" that stand
  for (Joint& joint : linkage.joints) {
    Vec3& offset = joint.origin.position;
    const double side = joint.child.rfind("Left", 0) == 0 ? 1.0 : -1.0;
    if (joint.child == "Spine" || joint.child == "Neck") offset = Vec3(0, 0, 4);
    if (joint.child.find("Shoulder") != std::string::npos) offset = Vec3(0.5 * side, 0, 4);
    if (joint.child.find("Arm") != std::string::npos) offset = Vec3(0.5 * side, -1, 0);
    if (joint.child.find("ForeArm") != std::string::npos) offset = Vec3(0, -3.5, 0);
    if (joint.child.find("Hand") != std::string::npos) offset = Vec3(0, -3.5, 0);
  }
  const Model animal = test::compiled(linkage);
  const auto refused = [](const Model& source, Clip clip, const Model& target) {
    clip.model = source;
    return armature::retarget(clip, target).message();
  };
  CHECK(refused(walk.model, walk.clip, animal).rfind("The target stands on four legs", 0) == 0);
  CHECK(refused(animal, walk.clip, walk.model).rfind("The source stands on four legs", 0) == 0);
  Clip own = walk.clip;
  own.model = animal;
  CHECK(armature::retarget(own, animal).ok());
  CHECK(retarget(walk.model, walk.clip, animal, guess_bone_map(walk.model, animal), {}).ok());  // who says so has it
  linkage.links[0].name = "Bottom";                                                             // another file's
  for (Joint& joint : linkage.joints) joint.parent = joint.parent == "Hips" ? "Bottom" : joint.parent;
  linkage.joints[0].child = "Bottom";
  CHECK(armature::retarget(own, test::compiled(linkage)).ok());

  for (const char* name : {"gltf/Fox/Fox.glb", "urdf/spot.urdf", "urdf/shadow_hand_right.urdf"}) {
    const auto path = test::shared_data(name);
    if (!path) return;
    ReadOptions read;
    read.file_name = path->string();
    const Model model = compile(read_document(test::read_file(*path), read).value().linkage).value();
    const bool four = refused(walk.model, walk.clip, model).find("four legs") != std::string::npos;
    INFO(std::string(name));
    CHECK(four == (std::string_view(name).find("hand") == std::string_view::npos));  // fingers are no legs
  }
}

TEST_CASE("legs whose hips are coupled stand, and neither is thrown about by the other") {
  const auto nao = test::shared_data("urdf/nao_v50.urdf");
  if (!nao) return;
  ReadOptions read;
  read.file_name = nao->string();
  Linkage linkage = read_document(test::read_file(*nao), read).value().linkage;
  REQUIRE(float_root(linkage).ok());
  const Model robot = compile(linkage).value();
  struct {
    const char* file;
    double slide, largest_slide;  // as much as the hips' limits leave
  } const clips[] = {
      {"bvh/cmu_02_01.bvh", 0.15, 0.02}, {"bvh/cmu_49_06.bvh", 0.3, 0.1}, {"bvh/ad_dab.bvh", 0.15, 0.08}};
  for (const auto& clip : clips) {
    const auto path = test::shared_data(clip.file);
    if (!path) return;
    read.file_name = path->string();
    const Document document = read_document(test::read_file(*path), read).value();
    const Model source = compile(document.linkage).value();
    const Retargeted result = retarget(source, document.clips[0], robot, guess_bone_map(source, robot), {}).value();
    INFO(std::string(clip.file), ": knees ", result.report.knee_peak, ", feet ", result.report.foot_peak);
    CHECK(result.report.slide < clip.slide);
    CHECK(result.largest_slide < clip.largest_slide * result.leg_length);
    CHECK(result.report.knee_peak < 1.5);
    CHECK(result.report.foot_peak < 1.5);
    CHECK(result.report.sinking < 0.04);
  }
}

TEST_CASE("shoulders lie over the hips as the source's do, wherever the waist is, and keep their line") {
  Walk walk;
  for (int f = 0; f < walk.clip.frame_count(); ++f) {  // bends forward and turns
    Eigen::Map<VecX> q(walk.clip.frame(f), walk.clip.q_size);
    VecX bent = q;
    set_turn(walk.model, "Spine", exp_rotation(Vec3(0.6 * std::sin(0.05 * f), 0.3, 0.0)), bent);
    q = bent;
  }
  Linkage linkage = walker();
  for (Joint& joint : linkage.joints) {
    if (joint.child == "Spine") joint.origin.position = Vec3(0, 0.2, 0);
    if (joint.child == "Neck") joint.origin.position = Vec3(0, 5.8, 0);
    if (joint.child.find("Shoulder") != std::string::npos) joint.origin.position.y() = 5.3;
  }
  const Model target = test::compiled(linkage);
  const Retargeted result = retarget(walk.model, walk.clip, target, guess_bone_map(walk.model, target), {}).value();
  CHECK(result.report.trunk_direction < 1.5 * kDegree);  // 7.3 where the waist turns as the source's does
  State before, after;
  const auto line = [](const Model& model, const State& state) {
    const auto place = [&](const char* link) { return state.X_WL[at(model.link(link))].position; };
    return Vec3((place("LeftArm") - place("RightArm")).normalized());
  };
  for (int f = 5; f < walk.clip.frame_count() - 5; ++f) {
    forward(walk.model, walk.clip.frame(f), before);
    forward(target, result.clip.frame(f), after);
    CHECK((line(walk.model, before) - line(target, after)).norm() < 0.002);
  }
}

TEST_CASE("heads on long levers are not thrown by one frame of a turned chest") {
  const auto atlas = test::shared_data("urdf/atlas_v3.urdf");
  if (!atlas) return;
  ReadOptions read;
  read.file_name = atlas->string();
  Linkage linkage = read_document(test::read_file(*atlas), read).value().linkage;
  REQUIRE(float_root(linkage).ok());
  const Model robot = compile(linkage).value();
  for (const char* file : {"bvh/cmu_49_06.bvh", "bvh/ad_dab.bvh", "bvh/threejs_pirouette.bvh"}) {
    const auto path = test::shared_data(file);
    if (!path) return;
    read.file_name = path->string();
    const Document document = read_document(test::read_file(*path), read).value();
    const Model source = compile(document.linkage).value();
    const RetargetReport r =
        retarget(source, document.clips[0], robot, guess_bone_map(source, robot), {}).value().report;
    INFO(std::string(file), ": head ", r.head_peak, ", trunk ", r.trunk_direction / kDegree);
    CHECK(r.head_peak < 1.5);
    CHECK(r.trunk_direction < 3.5 * kDegree);
  }
}

TEST_CASE("where a foot cannot stand, legs with limits do not pop between two poses") {
  const auto path = test::shared_data("bvh/ad_dab.bvh");
  if (!path) return;
  ReadOptions read;
  read.file_name = path->string();
  const Document dab = read_document(test::read_file(*path), read).value();
  const Model source = compile(dab.linkage).value();
  const Model human = retarget_human();
  const Retargeted result = retarget(source, dab.clips[0], human, guess_bone_map(source, human), {}).value();
  MESSAGE("knee peak " << result.report.knee_peak << ", foot peak " << result.report.foot_peak);
  CHECK(result.report.knee_peak < 1.5);
  CHECK(result.report.foot_peak < 1.5);
  CHECK(result.report.sinking < 0.03);
}

namespace {

// A recorded motion; `toes`: 0 as it is, 1 ends of one-bone feet where the toes were, 2 neither toes nor ends.
struct Recorded {
  Model model;
  Clip clip;

  Recorded(const std::string& file, int toes) {
    const Document document = read_document(test::read_file(*test::shared_data(file)), {}).value();
    const Model whole = compile(document.linkage).value();
    Linkage linkage = document.linkage;
    for (const FigureLimb& leg : guess_figure(whole).leg) {
      if (toes == 0) break;
      REQUIRE(leg.toe >= 0);
      const std::string name = whole.link_name(leg.toe), end = "end_" + std::to_string(leg.toe);
      const Joint toe = *linkage.find_joint(whole.joint(leg.toe).name);
      REQUIRE(remove_link(linkage, name).ok());
      if (toes == 2) continue;
      linkage.links.push_back({end, {}});
      linkage.joints.push_back(test::joint(end, Fixed{}, toe.parent, end, toe.origin));
    }
    model = compile(linkage).value();
    clip.frame_time = document.clips[0].frame_time;
    clip.q_size = model.q_size();
    for (int f = 1; f < document.clips[0].frame_count(); ++f)
      clip.append(carry_pose(whole, model, document.clips[0].frame(f)));
  }
};

FootPaths paths_on_ground(const Model& model, const Clip& clip) {
  FootPaths paths = foot_paths(model, guess_figure(model), clip, clips::up_of(model, clip)).value();
  if (const std::optional<Vec3> belt = find_belt(paths)) ride_on(*belt, paths);
  return paths;
}

// The walker on ice: what its feet slide is in the root.
Clip on_ice(const Model& model, Clip clip) {
  const int z = model.joint(0).q_index + 2;
  for (int f = 0; f < clip.frame_count(); ++f) clip.frame(f)[z] += 0.2 * std::sin(6.0 * f * clip.frame_time);
  return clip;
}

}  // namespace

TEST_CASE("clip law: cleaned feet slide nowhere more than before, with toes and without") {
  for (const char* name :
       {"ad_dab", "cmu_02_01", "cmu_49_06", "makehuman_zombieWalk1", "threejs_pirouette", "louise"}) {
    const std::string file = "bvh/" + std::string(name) + ".bvh";
    if (!test::shared_data(file)) return;
    const bool one_bone = file.find("pirouette") != std::string::npos || file.find("louise") != std::string::npos;
    for (int toes = 0; toes < (one_bone ? 1 : 3); ++toes) {
      INFO(file, ", toes ", toes);
      const Recorded source(file, toes);
      const Clip clean = clips::feet(source.model, source.clip).value();
      const FootPaths before = paths_on_ground(source.model, source.clip);
      const FootPaths after = paths_on_ground(source.model, clean);
      const Contacts contacts = find_contacts(before);
      // Every stance: no more than it did, or than 0.5 % of a leg (a heel whose toe would pay; one of all by 0.3 mm of
      // 900 more than that).
      double most = 0.0, sum[2] = {0.0, 0.0};
      for (int side = 0; side < 2; ++side) {
        std::vector<char> flat = contacts.heel[side];
        for (int f = 0; f < before.frame_count(); ++f) flat[at(f)] = contacts.flat(side, f) ? 1 : 0;
        const auto check = [&](const std::vector<char>& states, const std::vector<Vec3>& was,
                               const std::vector<Vec3>& is) {
          for_each_run(states, 1, [&](int first, int end) {
            const double old = settled_slide(was, first, end, before.frame_time) / before.leg;
            const double now = settled_slide(is, first, end, before.frame_time) / before.leg;
            CHECK_MESSAGE(now <= std::max(1.05 * old, 0.005), side, " ", first, " to ", end - 1, ": ", old, " -> ",
                          now);
            most = std::max(most, old);
            sum[0] += old;
            sum[1] += now;
          });
        };
        check(flat, before.ankle[side], after.ankle[side]);
        if (!contacts.toe[side].empty()) check(contacts.toe[side], before.toe[side], after.toe[side]);
      }
      // And as the cleaned clip's own stances are read.
      const double largest = clips::stats(source.model, clean).largest_slide / before.leg;
      MESSAGE(file << " " << toes << ": mean " << sum[1] / sum[0] << " of before, largest " << most << " -> "
                   << largest);
      CHECK(largest < std::min(0.04, 0.6 * most));
      CHECK(sum[1] < 0.15 * sum[0]);
    }
  }
}

TEST_CASE("clip law: cleaning feet turns nothing above the hips, and feet no more than it takes") {
  for (const char* name : {"bvh/cmu_02_01.bvh", "bvh/cmu_49_06.bvh", "bvh/threejs_pirouette.bvh", "bvh/louise.bvh"}) {
    if (!test::shared_data(name)) return;
    const Recorded source(name, 0);
    const Clip clean = clips::feet(source.model, source.clip).value();
    const Figure figure = guess_figure(source.model);
    double most = 0.0, feet = 0.0;
    State before, after;
    for (int f = 1; f < source.clip.frame_count(); ++f) {
      forward(source.model, source.clip.frame(f), before);
      forward(source.model, clean.frame(f), after);
      const auto turned = [&](int link) {
        const Mat3 way = before.X_WL[at(link)].rotation.transpose() * after.X_WL[at(link)].rotation;
        return log_rotation(way).norm();
      };
      for (const FigureLimb& arm : figure.arm) {
        for (const int link : {arm.upper, arm.lower, arm.end}) most = std::max(most, turned(link));
      }
      for (const FigureLimb& leg : figure.leg) feet += 0.5 * turned(leg.end) / source.clip.frame_count();
    }
    INFO(std::string(name));
    CHECK(most < 1e-6);
    CHECK(feet < 6.0 * kDegree);
  }
}

TEST_CASE("feet are cleaned under bones between hips and thigh that turn, as CMU's LHipJoint") {
  const Walk walk;
  Linkage linkage = walk.model.linkage();
  for (const std::string side : {"Left", "Right"}) {
    const std::string name = side.substr(0, 1) + "HipJoint";
    linkage.links.push_back({name, {}});
    linkage.joints.push_back(test::joint(name + "_joint", Spherical{}, "Hips", name, Transform()));
    linkage.find_joint(side + "UpLeg_joint")->parent = name;
  }
  const Model model = compile(linkage).value();
  Clip clip;
  clip.frame_time = walk.clip.frame_time;
  clip.q_size = model.q_size();
  for (int f = 0; f < walk.clip.frame_count(); ++f) {
    VecX q = carry_pose(walk.model, model, walk.clip.frame(f));
    for (const std::string side : {"Left", "Right"}) {  // both hips forward and back, the thighs turned back
      const Quat turn = exp_rotation(Vec3(0.0, (side == "Left" ? 0.3 : -0.3) * std::sin(0.1 * f), 0.0));
      Quat thigh;
      thigh.coeffs() = q.segment<4>(model.joint(model.link(side + "UpLeg")).q_index);
      set_turn(model, side.substr(0, 1) + "HipJoint", turn, q);
      set_turn(model, side + "UpLeg", turn.conjugate() * thigh, q);
    }
    clip.append(q);
  }
  clip = on_ice(model, clip);
  const double before = clips::stats(model, clip).largest_slide;
  const double after = clips::stats(model, clips::feet(model, clip).value()).largest_slide;
  MESSAGE("largest slide " << before << " -> " << after);
  CHECK(before > 0.15);
  CHECK(after < 0.1 * before);
}

TEST_CASE("at 12 frames a second the root does not pop") {
  if (!test::shared_data("bvh/cmu_02_01.bvh")) return;
  const Recorded source("bvh/cmu_02_01.bvh", 0);
  Clip clip = source.clip;
  clip.values.clear();
  clip.frame_time *= 10.0;
  for (int f = 0; f < source.clip.frame_count(); f += 10) {
    clip.values.insert(clip.values.end(), source.clip.frame(f), source.clip.frame(f) + clip.q_size);
  }
  const Model human = retarget_human();
  const RetargetReport r = retarget(source.model, clip, human, guess_bone_map(source.model, human), {}).value().report;
  MESSAGE("head peak " << r.head_peak);
  CHECK(r.head_peak < 1.5);
}

TEST_CASE("numbers of prefixes are no numbers of bones") {
  Linkage plain = walker();
  for (const std::string side : {"Left", "Right"}) {
    std::string parent = side + "Hand";
    for (const char* finger : {"HandThumb", "HandThumb2"}) {
      const std::string name = side + finger;
      plain.links.push_back({name, {}});
      plain.joints.push_back(
          test::joint(name + "_joint", Spherical{}, parent, name, Transform::translate(Vec3(0, 0, 0.3))));
      parent = name;
    }
  }
  const Model model = compile(plain).value();
  const BoneMap own = guess_bone_map(model, model);
  REQUIRE(own.size() == static_cast<std::size_t>(model.link_count()));
  const Walk walk;
  const Clip ice = on_ice(walk.model, walk.clip);
  const Clip clean = clips::feet(walk.model, ice).value();
  for (const std::string prefix : {"Character1_", "mixamorig1:", "mixamorig12:", "actor2_"}) {
    INFO(prefix);
    const auto renamed = [&](Linkage linkage) {
      for (Link& link : linkage.links) link.name = prefix + link.name;
      for (Joint& joint : linkage.joints) {
        if (!joint.parent.empty()) joint.parent = prefix + joint.parent;
        joint.child = prefix + joint.child;
      }
      return compile(linkage).value();
    };
    const BoneMap map = guess_bone_map(model, renamed(plain));
    CHECK(map.size() == own.size());
    for (const auto& [to, from] : map) CHECK(to == prefix + from);
    CHECK(clips::feet(renamed(walker()), ice).value().values == clean.values);
  }
}
