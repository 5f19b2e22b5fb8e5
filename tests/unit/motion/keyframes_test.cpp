#include "armature/motion/keyframes.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "armature/kinematics/pose.hpp"
#include "armature/motion/clips.hpp"
#include "support/linkages.hpp"

using namespace armature;

TEST_CASE("keys are hit exactly, whatever lies between") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(61);
  for (const Interpolation way :
       {Interpolation::step, Interpolation::linear, Interpolation::cubic, Interpolation::ease}) {
    Keyframes keys(model);
    std::vector<VecX> poses;
    const std::vector<double> times{0.0, 0.5, 2.0, 2.25};
    for (const double t : times) {
      poses.push_back(random_pose(model, rng));
      REQUIRE(keys.set_pose(t, poses.back(), way).ok());
    }
    VecX q;
    for (std::size_t i = 0; i < times.size(); ++i) {
      keys.sample(times[i], q);
      CHECK(difference(model, q, poses[i]).norm() < 1e-12);
    }
    keys.sample(-1.0, q);
    CHECK(difference(model, q, poses.front()).norm() < 1e-12);
    keys.sample(9.0, q);
    CHECK(difference(model, q, poses.back()).norm() < 1e-12);
  }
}

TEST_CASE("cubic keys have no kink: the velocity is continuous through every key") {
  Linkage l;
  l.links = {{"base", {}}, {"ball", {}}, {"arm", {}}};
  l.joints = {test::joint("socket", Spherical{}, "base", "ball", {}),
              test::joint("hinge", Revolute{}, "ball", "arm", {})};
  const Model model = test::compiled(l);
  Rng rng(62);
  Keyframes keys(model);
  for (const double t : {0.0, 0.7, 1.0, 2.5}) {
    REQUIRE(keys.set_pose(t, random_pose(model, rng), Interpolation::cubic).ok());
  }
  const double h = 1e-6;
  for (const double t : {0.7, 1.0}) {
    VecX before, at, after;
    keys.sample(t - h, before);
    keys.sample(t, at);
    keys.sample(t + h, after);
    const VecX in = difference(model, before, at) / h;
    const VecX out = difference(model, at, after) / h;
    CHECK((in - out).norm() < 1e-4 * (1.0 + in.norm()));
  }
}

TEST_CASE("tangents given by hand are the velocities at the key") {
  const Model model = test::compiled(test::planar_arm({1.0, 1.0}));
  const std::string joint = "joint1";
  Keyframes keys(model);
  Key first{0.0, {0.0}, Interpolation::cubic};
  first.rate_out = {3.0};
  Key last{1.0, {1.0}, Interpolation::cubic};
  last.rate_in = {-2.0};
  REQUIRE(keys.set(joint, first).ok());
  REQUIRE(keys.set(joint, last).ok());
  const double h = 1e-6;
  VecX q;
  keys.sample(h, q);
  CHECK(q[0] / h == doctest::Approx(3.0).epsilon(1e-4));
  keys.sample(1.0 - h, q);
  CHECK((1.0 - q[0]) / h == doctest::Approx(-2.0).epsilon(1e-4));
  last.rate_in = {1.0, 2.0};
  CHECK(!keys.set(joint, last).ok());
  last.rate_in = {INFINITY};
  CHECK(!keys.set(joint, last).ok());
}

TEST_CASE("joints can be keyed at their own times, and the others stay neutral") {
  const Model model = test::compiled(test::planar_arm({1, 1, 1}));
  Keyframes keys(model);
  REQUIRE(keys.set("joint1", {0.0, {0.0}, Interpolation::linear}).ok());
  REQUIRE(keys.set("joint1", {2.0, {1.0}, Interpolation::linear}).ok());
  REQUIRE(keys.set("joint2", {1.0, {0.3}, Interpolation::step}).ok());
  REQUIRE(keys.set("joint2", {3.0, {0.9}, Interpolation::step}).ok());
  VecX q;
  keys.sample(1.5, q);
  CHECK(q[0] == doctest::Approx(0.75));
  CHECK(q[1] == 0.3);
  CHECK(q[2] == 0.0);
  CHECK(keys.start() == 0.0);
  CHECK(keys.end() == 3.0);
  const Result<Clip> clip = keys.to_clip(0.1);
  REQUIRE(clip.ok());
  CHECK(clip->frame_count() == 31);
  CHECK(keys.set("joint9", {0.0, {0.0}, Interpolation::step}).message().find("Valid names") != std::string::npos);
  CHECK(!keys.set("joint1", {0.0, {0.0, 1.0}, Interpolation::step}).ok());
  CHECK(!keys.to_clip(0.0).ok());
  CHECK(!keys.to_clip(1e-12).ok());
}

TEST_CASE("ease stands still at both ends") {
  const Model model = test::compiled(test::planar_arm({1}));
  Keyframes keys(model);
  REQUIRE(keys.set_pose(0.0, VecX::Constant(1, 0.0), Interpolation::ease).ok());
  REQUIRE(keys.set_pose(1.0, VecX::Constant(1, 1.0), Interpolation::ease).ok());
  VecX q;
  keys.sample(1e-4, q);
  CHECK(q[0] < 1e-7);
  keys.sample(0.5, q);
  CHECK(q[0] == doctest::Approx(0.5));
}

TEST_CASE("resampling keeps ends and length") {
  const Model model = test::compiled(test::planar_arm({1}));
  Clip clip{"", 0.1, 1, {0.0, 1.0, 4.0, 9.0}};
  const Result<Clip> fine = clips::resample(model, clip, 0.05);
  REQUIRE(fine.ok());
  CHECK(fine->frame_count() == 7);
  CHECK(fine->values[3] == doctest::Approx(2.5));
  CHECK(fine->values.back() == doctest::Approx(9.0));
}

TEST_CASE("motions are checked against velocity and position limits") {
  Linkage l = test::planar_arm({1, 1});
  l.joints[0].limits.velocity = {2.0};
  l.joints[1].limits.lower = {-1.0};
  l.joints[1].limits.upper = {1.0};
  const Model model = test::compiled(l);
  const Clip clip{"", 0.1, 2, {0.0, 0.0, 0.1, 0.5, 0.6, 1.5, 0.7, 1.25}};
  const MotionCheck check = check_motion(model, clip);
  REQUIRE(check.faults.size() == 2);
  CHECK(check.faults[0].too_fast);
  CHECK(check.faults[0].frame == 2);
  CHECK(check.faults[0].value == doctest::Approx(5.0));
  CHECK(check.faults[1].index == 1);
  CHECK(check.faults[1].value == 1.5);
  CHECK(check.largest_step == doctest::Approx(1.0));
  CHECK(check.largest_step_frame == 2);
  CHECK(check.largest_speed_ratio == doctest::Approx(2.5));
}

TEST_CASE("a few keys do not fill the memory") {
  CHECK(check_frame_count(1e7, 1).value() == 10000000);
  CHECK(!check_frame_count(1e7 + 1.0, 1).ok());
  CHECK(check_frame_count(1e6, 100).value() == 1000000);
  CHECK(!check_frame_count(1e6 + 1.0, 100).ok());
  CHECK(!check_frame_count(std::nan(""), 1).ok());
  Linkage l;
  l.links = {{"link0", {}}};
  for (int i = 1; i <= 400; ++i) {
    const std::string n = std::to_string(i);
    l.links.push_back({"link" + n, {}});
    l.joints.push_back(test::joint("joint" + n, Revolute{}, "link" + std::to_string(i - 1), "link" + n, {}));
  }
  const Model model = test::compiled(l);
  Keyframes keys(model);
  REQUIRE(keys.set_pose(0.0, neutral_pose(model), Interpolation::linear).ok());
  REQUIRE(keys.set_pose(1e4, neutral_pose(model), Interpolation::linear).ok());  // 300,000 frames of 400 numbers
  CHECK(keys.to_clip(1.0 / 30.0).message().find("at most 250000 of this model") != std::string::npos);
  CHECK(keys.to_clip(1.0).ok());
}

TEST_CASE("automatic keys never go beyond the keys on either side, and turn without a kink") {
  const Model model = test::compiled(test::planar_arm({1, 1, 1}));
  const double values[] = {0.0, 1.0, 1.0, -0.5, 0.2};
  const double times[] = {0.0, 0.2, 1.0, 1.1, 2.0};
  double beyond[2] = {0.0, 0.0};
  for (const Interpolation way : {Interpolation::automatic, Interpolation::cubic}) {
    Keyframes keys(model);
    for (int k = 0; k < 5; ++k) REQUIRE(keys.set("joint1", {times[k], {values[k]}, way}).ok());
    VecX q;
    double last_rate = 0.0;
    for (int i = 0; i <= 2000; ++i) {
      const double t = 0.001 * i;
      keys.sample(t, q);
      int k = 0;
      while (k < 3 && times[k + 1] <= t) ++k;
      const double low = std::min(values[k], values[k + 1]);
      const double high = std::max(values[k], values[k + 1]);
      double& most = beyond[way == Interpolation::cubic ? 1 : 0];
      most = std::max({most, low - q[0], q[0] - high});
      VecX next;
      keys.sample(t + 1e-7, next);
      const double rate = (next[0] - q[0]) / 1e-7;
      if (way == Interpolation::automatic && i > 0 && i < 1999) CHECK(std::abs(rate - last_rate) < 2.0);
      last_rate = rate;
    }
  }
  CHECK(beyond[0] < 1e-12);
  CHECK(beyond[1] > 0.05);  // what plain cubics do
}

TEST_CASE("periodic keys run on from the end into the start") {
  const Model model = test::compiled(test::planar_arm({1, 1, 1}));
  Keyframes keys(model);
  keys.set_periodic(true);
  for (const auto& [t, v] : {std::pair(0.0, 0.0), std::pair(0.3, 1.0), std::pair(0.6, -1.0), std::pair(1.0, 0.0)}) {
    REQUIRE(keys.set("joint1", {t, {v}, Interpolation::cubic}).ok());
  }
  for (const double t : {0.2, 0.5}) {  // keyed within the cycle only: it leads from its last key to its first
    REQUIRE(keys.set("joint2", {t, {10.0 * t}, Interpolation::linear}).ok());
  }
  const auto value = [&](double t, int k) {
    VecX q;
    keys.sample(t, q);
    return q[k];
  };
  for (const double t : {0.0, 0.1, 0.45, 0.8}) {
    CHECK(value(t + 1.0, 0) == doctest::Approx(value(t, 0)));
    CHECK(value(t - 2.0, 1) == doctest::Approx(value(t, 1)));
  }
  const double h = 1e-6;
  CHECK((value(h, 0) - value(0.0, 0)) / h == doctest::Approx((value(1.0, 0) - value(1.0 - h, 0)) / h).epsilon(1e-3));
  CHECK(value(0.85, 1) == doctest::Approx(3.5));
  keys.set_periodic(false);
  CHECK(value(1.5, 0) == 0.0);
}
