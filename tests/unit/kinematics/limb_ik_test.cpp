#include "armature/kinematics/limb_ik.hpp"

#include <doctest/doctest.h>

#include "armature/base/index.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "support/allocation_counter.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

// Two legs of balls and hinges, a foot and a toe each, a neck of two balls: links of a game's character.
Linkage limb_figure(bool hinged) {
  Linkage l;
  const auto bone = [&](const std::string& name, const std::string& parent, const JointType& type, const Vec3& offset) {
    l.links.push_back({name, {}});
    l.joints.push_back(test::joint(name + "_joint", type, parent, name, Transform::translate(offset)));
  };
  bone("hips", "", Free{}, Vec3(0, 0, 1));
  bone("neck", "hips", Spherical{}, Vec3(0, 0, 0.5));
  bone("head", "neck", Spherical{}, Vec3(0, 0, 0.1));
  for (const double side : {0.1, -0.1}) {
    const std::string s = side > 0 ? "l_" : "r_";
    bone(s + "thigh", "hips", Spherical{}, Vec3(0, side, 0));
    bone(s + "shin", s + "thigh", hinged ? JointType(Revolute{Vec3::UnitY()}) : JointType(Spherical{}),
         Vec3(0.02, 0, -0.45));
    bone(s + "foot", s + "shin", Spherical{}, Vec3(-0.02, 0, -0.45));
    bone(s + "toe", s + "foot", Spherical{}, Vec3(0.15, 0, -0.07));
  }
  return l;
}

VecX bent_pose(const Model& model) {
  VecX q = neutral_pose(model);
  for (const char* joint : {"l_shin_joint", "r_shin_joint"}) {
    const ModelJoint& knee = model.joint(joint);
    if (knee.q_count == 1) {
      q[knee.q_index] = 0.4;
    } else {
      q[knee.q_index + 1] = std::sin(0.2);
      q[knee.q_index + 3] = std::cos(0.2);
    }
  }
  return q;
}

void check_state(const Model& model, const VecX& q, const State& state) {
  const State whole = forward(model, q);
  for (std::size_t i = 0; i < whole.X_WL.size(); ++i) {
    CHECK((whole.X_WL[i].matrix() - state.X_WL[i].matrix()).cwiseAbs().maxCoeff() < 1e-12);
  }
}

}  // namespace

TEST_CASE("a limb reaches what is within reach, and the state is that of its pose") {
  for (const bool hinged : {true, false}) {
    const Model model = test::compiled(limb_figure(hinged));
    const LimbIk leg = LimbIk::make(model, "l_thigh", "l_shin", "l_foot").value();
    Rng rng(3);
    for (int trial = 0; trial < 200; ++trial) {
      VecX q = bent_pose(model);
      State state = forward(model, q);
      const Mat3 level = state.X_WL[at(model.link("l_foot"))].rotation;
      const Vec3 hip = state.X_WL[at(model.link("l_thigh"))].position;
      Vec3 way(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
      way = way.normalized() * rng.uniform(0.2, 0.88);
      const double left = leg.reach(hip + way, {}, q.data(), state);
      CHECK(left < 1e-9);
      check_state(model, q, state);
      CHECK((state.X_WL[at(model.link("l_foot"))].rotation - level).cwiseAbs().maxCoeff() < 1e-9);
    }
  }
}

TEST_CASE("weight, soft reach and poles of a limb") {
  const Model model = test::compiled(limb_figure(true));
  const LimbIk leg = LimbIk::make(model, "l_thigh", "l_shin", "l_foot").value();
  const VecX start = bent_pose(model);
  const State before = forward(model, start);
  const Vec3 foot = before.X_WL[at(model.link("l_foot"))].position;
  LimbReach how;
  how.weight = 0.0;
  VecX q = start;
  State state = before;
  leg.reach(foot + Vec3(0.2, 0, 0.2), how, q.data(), state);
  CHECK(q == start);
  how.weight = 0.5;
  leg.reach(foot + Vec3(0.2, 0, 0.2), how, q.data(), state);
  CHECK((state.X_WL[at(model.link("l_foot"))].position - foot - Vec3(0.1, 0, 0.1)).norm() < 1e-9);
  // Further and further out: the foot follows ever more slowly, never jumps, and the knee never snaps.
  how.weight = 1.0;
  const Vec3 hip = before.X_WL[at(model.link("l_thigh"))].position;
  double last = 0.0;
  double last_step = 1.0;
  const int knee = model.joint("l_shin_joint").q_index;
  for (int i = 0; i < 200; ++i) {
    q = start;
    state = before;
    const double distance = 0.85 + 0.001 * i;
    leg.reach(hip + Vec3(0, 0, -distance), how, q.data(), state);
    const double reached = (state.X_WL[at(model.link("l_foot"))].position - hip).norm();
    CHECK(reached >= last);
    if (i > 1) CHECK(reached - last <= last_step + 1e-9);
    CHECK(q[knee] > -2.0 * std::atan(0.02 / 0.45));  // where the leg would be straight
    if (i > 0) last_step = reached - last;
    last = reached;
  }
  // The knee turns to the pole.
  how.pole = hip + Vec3(0, 3, -0.3);
  q = start;
  state = before;
  CHECK(leg.reach(hip + Vec3(0, 0, -0.7), how, q.data(), state) < 1e-9);
  const Vec3 bent = state.X_WL[at(model.link("l_shin"))].position - hip;
  CHECK(bent.y() > 0.2);
  CHECK(std::abs(bent.x()) < 1e-6);
}

TEST_CASE("a foot stands on a slope with its toe") {
  const Model model = test::compiled(limb_figure(true));
  const LimbIk leg = LimbIk::make(model, "l_thigh", "l_shin", "l_foot").value();
  VecX q = bent_pose(model);
  State state = forward(model, q);
  const int foot = model.link("l_foot");
  const int toe = model.link("l_toe");
  const Vec3 heel = state.X_WL[at(foot)].position - Vec3(0, 0, 0.05);
  const double slope = 0.3;
  const Vec3 rising(std::cos(slope), 0, std::sin(slope));
  CHECK(leg.stand({heel, heel + 0.2 * rising, Vec3::UnitZ(), toe, 0.08, 0.01}, {}, q.data(), state) < 1e-6);
  const Vec3 ball = state.X_WL[at(toe)].position;
  const Vec3 normal(-std::sin(slope), 0, std::cos(slope));
  CHECK(normal.dot(ball - heel) == doctest::Approx(0.01).epsilon(1e-6));
  check_state(model, q, state);
}

TEST_CASE("a look turns its chain within limits") {
  const Model model = test::compiled(limb_figure(true));
  const LookIk look = LookIk::make(model, {model.link("neck"), model.link("head")}, {1.0, 2.0}).value();
  VecX q = neutral_pose(model);
  State state = forward(model, q);
  const Vec3 target(1, 1, 2);
  CHECK(look.look(target, {}, q.data(), state) < 1e-3);
  check_state(model, q, state);
  q = neutral_pose(model);
  state = forward(model, q);
  LookAt how;
  how.most = 0.5;
  CHECK(look.look(Vec3(-3, 1, 1.6), how, q.data(), state) > 1.5);
  const Quat neck(q[model.joint("neck_joint").q_index + 3], q[model.joint("neck_joint").q_index],
                  q[model.joint("neck_joint").q_index + 1], q[model.joint("neck_joint").q_index + 2]);
  CHECK(neck.angularDistance(Quat::Identity()) < 0.5 / 3 + 1e-6);
  how.weight = 0.0;
  const VecX same = q;
  look.look(target, how, q.data(), state);
  CHECK((q - same).norm() < 1e-12);
}

TEST_CASE("limbs and looks never allocate, and refuse what they cannot do") {
  const Model model = test::compiled(limb_figure(true));
  const LimbIk leg = LimbIk::make(model, "l_thigh", "l_shin", "l_foot").value();
  const LookIk look = LookIk::make(model, {model.link("neck"), model.link("head")}).value();
  VecX q = bent_pose(model);
  State state = forward(model, q);
  const Vec3 target(0.2, 0.1, 0.3);
  const int toe = model.link("l_toe");
  const test::AllocationCounter counter;
  for (int i = 0; i < 100; ++i) {
    leg.reach(target, {}, q.data(), state);
    leg.stand({target, target + Vec3(0.2, 0, 0), Vec3::UnitZ(), toe, 0.08, 0.01}, {}, q.data(), state);
    look.look(target, {}, q.data(), state);
  }
  CHECK(counter.count() == 0);
  for (const Vec3& bad : {Vec3(NAN, 0, 0), Vec3(INFINITY, 0, 0), Vec3(1e300, 1e300, 0)}) {
    leg.reach(bad, {}, q.data(), state);
    look.look(bad, {}, q.data(), state);
    CHECK(q.allFinite());
  }
  CHECK_FALSE(LimbIk::make(model, "l_shin", "l_thigh", "l_foot").ok());
  CHECK_FALSE(LimbIk::make(model, "l_shin", "l_foot", "l_toe").ok());
  CHECK_FALSE(LimbIk::make(model, "l_thigh", "l_shin", "nothing").ok());
  CHECK_FALSE(LookIk::make(model, {}).ok());
  CHECK_FALSE(LookIk::make(model, {model.link("head"), model.link("neck")}).ok());
}
