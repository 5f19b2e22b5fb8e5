#include "armature/motion/path.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace armature;

namespace {
// Equal steps along the curve are equal distances in space, up to the curve's own bend.
void walks_evenly(const Curve& curve) {
  const int n = 2000;
  const double step = curve.length() / n;
  double walked = 0.0;
  for (int i = 0; i < n; ++i) {
    const double moved = (curve.position((i + 1) * step) - curve.position(i * step)).norm();
    walked += moved;
    CHECK(moved <= step * (1.0 + 1e-9));
  }
  CHECK(walked == doctest::Approx(curve.length()).epsilon(1e-5));
}
}  // namespace

TEST_CASE("lines, circles and curves have their lengths and pass their points") {
  const Result<Curve> line = Curve::polyline({Vec3(0, 0, 0), Vec3(3, 0, 0), Vec3(3, 4, 0)});
  REQUIRE(line.ok());
  CHECK(line->length() == doctest::Approx(7.0));
  CHECK((line->position(5.0) - Vec3(3, 2, 0)).norm() < 1e-14);
  CHECK((line->tangent(5.0) - Vec3(0, 1, 0)).norm() < 1e-14);

  const Result<Curve> circle = Curve::arc(Vec3(1, 0, 0), Vec3(0, 0, 2), Vec3(3, 0, 0), 2 * kPi);
  REQUIRE(circle.ok());
  CHECK(circle->length() == doctest::Approx(4 * kPi));
  CHECK((circle->position(kPi) - Vec3(1, 2, 0)).norm() < 1e-14);
  walks_evenly(*circle);

  const std::vector<Vec3> points{Vec3(0, 0, 0), Vec3(1, 2, 0), Vec3(3, 2, 1), Vec3(4, -1, 0), Vec3(4.1, -1, 0)};
  const Result<Curve> smooth = Curve::catmull_rom(points);
  REQUIRE(smooth.ok());
  for (std::size_t i = 0; i < points.size(); ++i) {
    CHECK((smooth->position(smooth->waypoints()[i]) - points[i]).norm() < 1e-9);
  }
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {  // no corner at a point
    const double s = smooth->waypoints()[i];
    CHECK((smooth->tangent(s - 1e-7) - smooth->tangent(s + 1e-7)).norm() < 1e-4);
  }
  walks_evenly(*smooth);

  const Result<Curve> bezier = Curve::bezier({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(3, 0, 0)});
  REQUIRE(bezier.ok());
  CHECK(bezier->length() == doctest::Approx(3.0));
  CHECK((bezier->position(1.5) - Vec3(1.5, 0, 0)).norm() < 1e-12);
  walks_evenly(*Curve::bezier({Vec3(0, 0, 0), Vec3(0, 3, 0), Vec3(5, -3, 1), Vec3(2, 2, 2)}));
}

TEST_CASE("curves that are none are refused with a reason, and odd ones do not break") {
  CHECK(!Curve::polyline({}).ok());
  CHECK(!Curve::catmull_rom({Vec3::Zero()}).ok());
  CHECK(!Curve::bezier(std::vector<Vec3>(5, Vec3::Zero())).ok());
  CHECK(!Curve::arc(Vec3::Zero(), Vec3::Zero(), Vec3::UnitX(), 1.0).ok());
  CHECK(!Curve::arc(Vec3::Zero(), Vec3::UnitZ(), Vec3(1, 0, 1), 1.0).ok());
  CHECK(!Curve::polyline({Vec3(0, std::numeric_limits<double>::quiet_NaN(), 0)}).ok());
  const Result<Curve> dot = Curve::polyline({Vec3(1, 2, 3)});
  REQUIRE(dot.ok());
  CHECK(dot->position(5.0) == Vec3(1, 2, 3));
  const Result<Curve> repeated = Curve::catmull_rom({Vec3::Zero(), Vec3::Zero(), Vec3(1, 0, 0), Vec3(1, 0, 0)});
  REQUIRE(repeated.ok());
  CHECK(repeated->position(0.5).allFinite());
  CHECK(Curve().position(1.0) == Vec3::Zero());
}

TEST_CASE("closed curves meet themselves without a corner") {
  const Result<Curve> loop = Curve::catmull_rom({Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(-1, 0, 0), Vec3(0, -1, 0)}, true);
  REQUIRE(loop.ok());
  CHECK((loop->position(0.0) - loop->position(loop->length())).norm() < 1e-9);
  CHECK((loop->tangent(0.0) - loop->tangent(loop->length())).norm() < 1e-6);
}

TEST_CASE("orientations: slerp is steady, squad is smooth, both hit the keys") {
  OrientationTrack track{{0.0, 1.0, 3.0},
                         {exp_rotation(Vec3(0, 0, 0)), exp_rotation(Vec3(0.5, 0, 0)), exp_rotation(Vec3(0.5, 1, 0))},
                         Turning::slerp};
  for (const Turning turning : {Turning::slerp, Turning::squad}) {
    track.turning = turning;
    for (std::size_t i = 0; i < track.at.size(); ++i) {
      CHECK(log_rotation(track.sample(track.at[i]).conjugate() * track.keys[i]).norm() < 1e-12);
    }
    const auto rate = [&](double s) {
      return Vec3(log_rotation(track.sample(s).conjugate() * track.sample(s + 1e-6)) / 1e-6);
    };
    const double kink = (rate(1.0 - 2e-6) - rate(1.0)).norm();
    if (turning == Turning::slerp) CHECK(kink > 0.1);
    if (turning == Turning::squad) CHECK(kink < 0.3);
  }
}

TEST_CASE("clocks: steady, eased and trapezoid cover the whole length in their time") {
  Timing steady{Profile::steady, 2.0, 0, 0};
  CHECK(steady.distance(10, 1.0) == doctest::Approx(5.0));
  Timing ease{Profile::ease, 2.0, 0, 0};
  CHECK(ease.distance(10, 1.0) == doctest::Approx(5.0));
  CHECK(ease.distance(10, 0.02) < 0.01);
  Timing trapezoid{Profile::trapezoid, 0, 2.0, 4.0};
  CHECK(trapezoid.total(10) == doctest::Approx(5.5));
  CHECK(trapezoid.distance(10, 0.5) == doctest::Approx(0.5));
  CHECK(trapezoid.distance(10, 5.25) == doctest::Approx(10.0 - 0.5 * 4.0 * 0.25 * 0.25));  // slowing down
  CHECK(trapezoid.distance(10, 5.5) == doctest::Approx(10.0));
  CHECK(trapezoid.total(0.25) == doctest::Approx(0.5));  // never reaches full speed
  for (const Timing& timing : {steady, ease, trapezoid}) {
    double last = 0.0;
    for (int i = 0; i <= 100; ++i) {
      const double d = timing.distance(10, timing.total(10) * i / 100);
      CHECK(d >= last);
      last = d;
    }
    CHECK(last == doctest::Approx(10.0));
  }
}
