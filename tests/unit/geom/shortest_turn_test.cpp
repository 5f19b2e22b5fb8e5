#include "armature/geom/shortest_turn.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "armature/base/rng.hpp"

using namespace armature;

namespace {
Vec3 any_vector(Rng& rng) { return {rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)}; }
}  // namespace

TEST_CASE("the shortest turn between two directions is exact up to opposite ones") {
  Rng rng(9);
  for (const double off : {1.0, 0.3, 1e-2, 1e-4, 1e-6, 1e-8, 1e-11, 1e-13, 1e-15, 0.0}) {
    for (int i = 0; i < 50; ++i) {
      const Vec3 a = any_vector(rng);
      for (const Vec3& away : {Vec3(-3.0 * a), Vec3(0.2 * a)}) {
        const Vec3 b = away + off * any_vector(rng);
        const Quat q = quaternion_between(a, b);
        CAPTURE(off);
        CHECK(std::abs(q.norm() - 1.0) < 1e-14);
        CHECK((q.toRotationMatrix() * a.normalized() - b.normalized()).norm() < 1e-14);
        CHECK(std::abs(q.vec().dot(a.normalized())) < 1e-14);  // the shortest: nothing turns about the direction itself
      }
    }
  }
  // Which way round a half turn goes: as MuJoCo does for a z axis, about x.
  CHECK((quaternion_between(Vec3::UnitZ(), -Vec3::UnitZ()).vec().cwiseAbs() - Vec3::UnitX()).norm() < 1e-15);
  CHECK((quaternion_between(Vec3::UnitX(), -Vec3::UnitX()).vec().cwiseAbs() - Vec3::UnitZ()).norm() < 1e-15);
  CHECK(quaternion_between(Vec3::Zero(), Vec3::UnitX()).toRotationMatrix() == Mat3::Identity());
}
