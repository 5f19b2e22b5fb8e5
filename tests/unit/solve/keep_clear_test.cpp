#include "armature/solve/keep_clear.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "armature/kinematics/clearance.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

// An arm of three in the plane whose tip swings through a ball.
struct Swing {
  Model model = test::compiled(test::planar_arm({1.0, 1.0, 1.0}));
  Problem problem;
  Clip clip;
  Clearance clearance;

  Swing() {
    problem.model = model;
    problem.bodies = std::make_shared<const Bodies>(*compile_bodies(model));
    problem.obstacles = {
        {"ball", Sphere{0.25}, Transform::translate(Vec3(2.55 * std::cos(1.1), 2.55 * std::sin(1.1), 0.0)), ""}};
    problem.margin = 0.01;
    clip.model = model;
    clip.q_size = model.q_size();
    for (int f = 0; f <= 120; ++f) {
      VecX q = VecX::Zero(model.q_size());
      q[0] = -0.6 + 1.6 * f / 120.0;
      q[1] = q[2] = 0.9;
      clip.append(q);
    }
    REQUIRE(clearance.prepare(model, *problem.bodies, problem.obstacles).ok());
  }
  bool free(const Clip& of, int f, double margin) { return clearance.is_free(of.frame(f), margin); }
};

}  // namespace

TEST_CASE("keep_clear: a motion is moved out of what it touches, and only there") {
  Swing swing;
  const Result<ClearMotion> looked = keep_clear(swing.problem, swing.clip, {.repair = false});
  REQUIRE(looked.ok());
  CHECK(looked->touching.size() > 5);
  CHECK(looked->left == looked->touching);
  CHECK(looked->clip.values == swing.clip.values);
  CHECK_FALSE(looked->ok());
  REQUIRE(!looked->collisions.empty());
  CHECK(looked->collisions.front().b == "ball");
  CHECK(looked->message().find("inside ball") != std::string::npos);

  const Result<ClearMotion> clear = keep_clear(swing.problem, swing.clip);
  REQUIRE(clear.ok());
  CHECK_MESSAGE(clear->ok(), clear->message());
  CHECK(clear->touching == looked->touching);
  CHECK(clear->largest_change > 0.0);
  CHECK(clear->message().find("moved out") != std::string::npos);
  double largest_step = 0.0;
  for (int f = 0; f < clear->clip.frame_count(); ++f) {
    CHECK(swing.free(clear->clip, f, 0.01));
    if (f == 0) continue;
    const VecX a = Eigen::Map<const VecX>(clear->clip.frame(f - 1), 3),
               b = Eigen::Map<const VecX>(clear->clip.frame(f), 3);
    largest_step = std::max(largest_step, (b - a).cwiseAbs().maxCoeff());
    for (int k = 1; k < 10; ++k) CHECK(swing.clearance.is_free(interpolate(swing.model, a, b, k / 10.0).data(), 0.0));
  }
  CHECK(largest_step < 0.3);  // it gives way over several frames
  // Frames far from what touched are as they came, bit by bit.
  CHECK(std::equal(swing.clip.frame(0), swing.clip.frame(0) + 3 * 10, clear->clip.frame(0)));
}

TEST_CASE("keep_clear: what is free stays as it is, what cannot be moved out is said") {
  Swing swing;
  Problem nothing = swing.problem;
  nothing.obstacles = {{"far", Sphere{0.1}, Transform::translate(Vec3(9, 9, 9)), ""}};
  const Result<ClearMotion> free = keep_clear(nothing, swing.clip);
  REQUIRE(free.ok());
  CHECK(free->ok());
  CHECK(free->touching.empty());
  CHECK(free->clip.values == swing.clip.values);
  CHECK(free->message() == "No frame touches anything.");

  Problem locked = swing.problem;
  locked.locked = {"joint1", "joint2", "joint3"};
  const Result<ClearMotion> stuck = keep_clear(locked, swing.clip);
  REQUIRE(stuck.ok());
  CHECK_FALSE(stuck->ok());
  CHECK(stuck->clip.values == swing.clip.values);

  Clip other;
  other.q_size = 2;
  CHECK_FALSE(keep_clear(swing.problem, other).ok());
  Clip broken = swing.clip;
  broken.frame(3)[1] = std::nan("");
  CHECK_FALSE(keep_clear(swing.problem, broken).ok());
}
