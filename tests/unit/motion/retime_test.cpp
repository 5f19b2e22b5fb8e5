// Time scaling: the closed form of one joint, limits by differences of what is written, and that no time is wasted.
#include "armature/motion/retime.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "armature/kinematics/pose.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

Clip clip_of(const std::vector<VecX>& poses, double frame_time) {
  Clip clip;
  clip.frame_time = frame_time;
  clip.q_size = static_cast<int>(poses[0].size());
  for (const VecX& q : poses) clip.append(q);
  return clip;
}

// Share of the frames in which some limit is nearly reached: all of them in the least time.
double busy(const Model& model, const Clip& clip, const VecX& velocity, const VecX& acceleration) {
  int at_limit = 0;
  VecX before = VecX::Zero(model.v_size()), now(model.v_size());
  for (int f = 1; f < clip.frame_count(); ++f) {
    difference(model, clip.frame(f - 1), clip.frame(f), now.data());
    now /= clip.frame_time;
    const double v = now.cwiseAbs().cwiseQuotient(velocity).maxCoeff();
    const double a = (now - before).cwiseAbs().cwiseQuotient(acceleration).maxCoeff() / clip.frame_time;
    at_limit += std::max(v, a) > 0.9 ? 1 : 0;
    before = now;
  }
  return static_cast<double>(at_limit) / (clip.frame_count() - 1);
}

}  // namespace

TEST_CASE("one joint in a straight line takes the time of a trapezoid, or of a triangle") {
  const Model model = test::compiled(test::planar_arm({1.0}));
  for (const double way : {0.05, 0.5, 2.0, -3.0}) {
    for (const int points : {2, 3, 40}) {
      CAPTURE(way);
      CAPTURE(points);
      std::vector<VecX> poses;
      for (int i = 0; i < points; ++i) poses.push_back(VecX::Constant(1, 0.2 + way * i / (points - 1)));
      RetimeOptions options;
      options.velocity = VecX::Constant(1, 1.5);
      options.acceleration = VecX::Constant(1, 4.0);
      options.velocity_scale = 0.8;
      options.frame_time = 1e-3;
      const double v = 1.2, a = 4.0, d = std::abs(way);
      const double expected = d > v * v / a ? d / v + v / a : 2.0 * std::sqrt(d / a);
      const Result<Retimed> retimed = retime(model, clip_of(poses, 0.1), options);
      REQUIRE(retimed.ok());
      CHECK(retimed->duration >= expected - 1e-9);
      CHECK(retimed->duration < expected + 1.1e-3);  // whole frames
      CHECK(retimed->velocity_ratio <= 1.0);
      CHECK(retimed->acceleration_ratio <= 1.0);
      CHECK(*retimed->clip.frame(0) == poses.front()[0]);
      CHECK(*retimed->clip.frame(retimed->clip.frame_count() - 1) == poses.back()[0]);
    }
  }
}

TEST_CASE("without velocity limits, motions from tiny to huge take the time of a triangle") {
  const Model model = test::compiled(test::planar_arm({1.0, 1.0}));
  for (const double way : {1e-9, 1e-6, 1e-3, 0.1, 10.0, 1e5}) {
    for (const double acceleration : {1e-3, 5.0, 1e6}) {
      for (const int points : {2, 3, 7, 50}) {
        if (way / acceleration <= 1e-12) continue;  // poses that near to each other are one
        CAPTURE(way);
        CAPTURE(acceleration);
        CAPTURE(points);
        std::vector<VecX> poses;
        for (int i = 0; i < points; ++i) poses.push_back(Vec2(way * i / (points - 1), 0.3));
        RetimeOptions options;
        options.acceleration = Vec2(acceleration, 1.0);
        const double expected = 2.0 * std::sqrt(way / acceleration);
        options.frame_time = expected / 200.0;
        const Result<Retimed> retimed = retime(model, clip_of(poses, 1.0 / 30.0), options);
        REQUIRE(retimed.ok());
        CHECK(retimed->duration >= expected * (1.0 - 1e-9));
        CHECK(retimed->duration <= expected * 1.02);
        CHECK(retimed->acceleration_ratio <= 1.0);
        // Few and long frames hold the limits, too.
        options.frame_time = 1.0 / 30.0;
        if (expected < 100.0) {
          const Result<Retimed> coarse = retime(model, clip_of(poses, 1.0 / 30.0), options);
          REQUIRE(coarse.ok());
          CHECK(coarse->duration <= expected + 3.0 / 30.0);
          CHECK(coarse->acceleration_ratio <= 1.0);
        }
      }
    }
  }
}

TEST_CASE("without acceleration limits the slowest joint runs at its velocity limit throughout") {
  const Model model = test::compiled(test::planar_arm({1.0, 1.0}));
  std::vector<VecX> poses;
  for (int i = 0; i <= 20; ++i) poses.push_back(Vec2(0.05 * i, -0.1 * i));
  RetimeOptions options;
  options.velocity = Vec2(1.0, 4.0);
  const Retimed retimed = retime(model, clip_of(poses, 0.01), options).value();
  CHECK(retimed.duration == doctest::Approx(1.0).epsilon(0.02));
  CHECK(retimed.velocity_ratio <= 1.0);
  CHECK(retimed.velocity_ratio > 0.98);
  CHECK(retimed.fastest == 0);
}

TEST_CASE("a winding motion of several joints keeps its limits and its way, and wastes no time") {
  const Model model = test::compiled(test::planar_arm({1.0, 1.0, 1.0}));
  std::vector<VecX> poses;
  for (int i = 0; i <= 120; ++i) {
    const double t = i / 120.0;
    poses.push_back(Vec3(std::sin(7.0 * t), 2.0 * t * t, 0.5 * std::cos(11.0 * t)));
  }
  RetimeOptions options;
  options.velocity = Vec3(1.0, 0.8, 1.5);
  options.acceleration = Vec3(3.0, 2.0, 6.0);
  options.frame_time = 0.005;
  const Retimed retimed = retime(model, clip_of(poses, 0.1), options).value();
  const MotionRatios ratios = motion_ratios(model, retimed.clip, options.velocity, options.acceleration);
  CHECK(ratios.velocity <= 1.0);
  CHECK(ratios.acceleration <= 1.0);
  CHECK(busy(model, retimed.clip, options.velocity, options.acceleration) > 0.95);
  // On the way: the second joint tells where on it each frame is.
  double off = 0.0;
  for (int f = 0; f < retimed.clip.frame_count(); ++f) {
    const double* q = retimed.clip.frame(f);
    const double t = std::sqrt(std::max(0.0, q[1] / 2.0));
    if (t > 0.05) off = std::max({off, std::abs(q[0] - std::sin(7.0 * t)), std::abs(q[2] - 0.5 * std::cos(11.0 * t))});
  }
  CHECK(off < 1e-3);
  // Half the limits on speed cannot be quicker, four times the acceleration not slower.
  RetimeOptions slower = options, quicker = options;
  slower.velocity_scale = 0.5;
  quicker.acceleration *= 4.0;
  CHECK(retime(model, clip_of(poses, 0.1), slower)->duration >= retimed.duration);
  CHECK(retime(model, clip_of(poses, 0.1), quicker)->duration <= retimed.duration);
}

TEST_CASE("every joint type can be retimed: limits hold by differences") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(51);
  std::vector<VecX> poses{random_pose(model, rng)};
  VecX v(model.v_size());
  for (int i = 0; i < model.v_size(); ++i) v[i] = rng.uniform(-0.05, 0.05);
  for (int f = 1; f < 40; ++f) {
    for (int i = 0; i < model.v_size(); ++i) v[i] = 0.95 * v[i] + rng.uniform(-0.005, 0.005);
    VecX next = integrate(model, poses.back(), v);
    clamp(model, next);
    poses.push_back(next);
  }
  RetimeOptions options;
  options.velocity = VecX::Constant(model.v_size(), 1.0);
  options.acceleration = VecX::Constant(model.v_size(), 5.0);
  options.frame_time = 0.01;
  const Result<Retimed> retimed = retime(model, clip_of(poses, 0.02), options);
  REQUIRE(retimed.ok());
  const MotionRatios ratios = motion_ratios(model, retimed->clip, options.velocity, options.acceleration);
  CHECK(ratios.velocity <= 1.0);
  CHECK(ratios.acceleration <= 1.0);
  CHECK(std::max(ratios.velocity, ratios.acceleration) > 0.9);
  for (int f = 0; f < retimed->clip.frame_count(); ++f) {
    CHECK(inside_limits(model, Eigen::Map<const VecX>(retimed->clip.frame(f), model.q_size())));
  }
}

TEST_CASE("pauses go, and mistakes are said") {
  const Model model = test::compiled(test::planar_arm({1.0}));
  const VecX a = VecX::Zero(1), b = VecX::Ones(1);
  RetimeOptions options;
  options.velocity = VecX::Ones(1);
  options.acceleration = VecX::Constant(1, 2.0);
  options.frame_time = 1e-3;
  const double without = retime(model, clip_of({a, b}, 0.1), options)->duration;
  CHECK(retime(model, clip_of({a, a, a, b, b}, 0.1), options)->duration == doctest::Approx(without).epsilon(2e-3));
  CHECK(retime(model, clip_of({a, a}, 0.1), options)->clip.frame_count() == 1);
  CHECK(!retime(model, clip_of({a}, 0.1), options).ok());
  CHECK(retime(model, clip_of({VecX::Constant(1, -1.5e308), VecX::Constant(1, 1.5e308)}, 0.1), options)
            .message()
            .find("overflow") != std::string::npos);
  RetimeOptions none;
  CHECK(retime(model, clip_of({a, b}, 0.1), none).message().find("Nothing limits the speed") != std::string::npos);
  options.velocity_scale = 0.0;
  CHECK(!retime(model, clip_of({a, b}, 0.1), options).ok());
  options.velocity_scale = 1.0;
  options.acceleration = VecX::Ones(2);
  CHECK(!retime(model, clip_of({a, b}, 0.1), options).ok());
}
