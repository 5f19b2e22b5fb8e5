// Against the same functions with more digits, over all sizes and signs; special values by the C standard's annex F.
#include "armature/base/math.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "armature/base/rng.hpp"

using namespace armature;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kTurnQuarter = 1.57079632679489661923;
#ifdef __EMSCRIPTEN__
constexpr int kMany = 2000;        // its long double is computed bit by bit
constexpr double kExpBound = 1.1;  // its expl and logl are those of double: the number beside theirs is 1 off
#else
constexpr int kMany = 100000;
constexpr double kExpBound = 0.9;
#endif

/// How far `got` is from what it should be, in units of the last place.
double off(double got, long double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0.0 : 1e300;
  if (std::isinf(got) || std::isnan(got)) return got == static_cast<double>(exact) ? 0.0 : 1e300;
  const int power = exact == 0.0L ? -1022 : std::max(std::ilogb(exact), -1022);
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(1.0L, power - 52));
}

bool same_bits(double a, double b) { return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0; }

/// A number of any sign and any power of two from `lowest` to `highest`.
double any_size(Rng& rng, int lowest, int highest) {
  const int power = lowest + static_cast<int>(rng.below(static_cast<std::uint64_t>(highest - lowest + 1)));
  const double sign = rng.below(2) == 0 ? 1.0 : -1.0;
  return std::ldexp(sign * rng.uniform(1.0, 2.0), power);
}

struct Worst {
  double error = 0.0, at = 0.0, and_at = 0.0;
  void see(double e, double x, double y = 0.0) {
    if (e > error) *this = {e, x, y};
  }
};

#define CHECK_BELOW(worst, bound)                  \
  INFO("worst at ", worst.at, ", ", worst.and_at); \
  CHECK(worst.error < bound)

void see_angle(double x, Worst& sine, Worst& cosine) {
  const math::SinCos both = math::sin_cos(x);
  sine.see(off(both.sin, std::sin(static_cast<long double>(x))), x);
  cosine.see(off(both.cos, std::cos(static_cast<long double>(x))), x);
  CHECK(same_bits(both.sin, math::sin(x)));
  CHECK(same_bits(both.cos, math::cos(x)));
  CHECK(same_bits(math::sin(-x), -both.sin));
  CHECK(same_bits(math::cos(-x), both.cos));
}

}  // namespace

TEST_CASE("math: sines and cosines of any angle") {
  Rng rng(5);
  Worst sine, cosine;
  for (int i = 0; i < kMany; ++i) {
    see_angle(rng.uniform(-4.0, 4.0), sine, cosine);
    see_angle(rng.uniform(-1e4, 1e4), sine, cosine);
    see_angle(rng.uniform(-2e6, 2e6), sine, cosine);
    see_angle(any_size(rng, -1074, 1023), sine, cosine);
  }
  CHECK_BELOW(sine, 0.85);
  CHECK_BELOW(cosine, 0.85);
}

TEST_CASE("math: sines and cosines beside quarter turns") {
  Rng rng(6);
  Worst sine, cosine;
  for (int i = 0; i < kMany / 4; ++i) {
    const double n = i < 2000 ? i : std::floor(any_size(rng, 10, i % 2 == 0 ? 21 : 60));
    double x = n * kTurnQuarter;
    for (int k = 0; k < 3; ++k) {
      see_angle(x, sine, cosine);
      x = std::nextafter(x, 1e300);
    }
  }
  // The doubles nearest to a multiple of pi / 2, of all and below 2^20.
  see_angle(6381956970095103.0 * std::ldexp(1.0, 797), sine, cosine);
  CHECK(off(math::cos(6381956970095103.0 * std::ldexp(1.0, 797)), -4.6871659242546277e-19L) < 10.0);
  CHECK_BELOW(sine, 0.85);
  CHECK_BELOW(cosine, 0.85);
}

TEST_CASE("math: angles of all sides") {
  Rng rng(7);
  Worst plain, extreme, one;
  for (int i = 0; i < kMany; ++i) {
    const double x = rng.uniform(-1.0, 1.0), y = rng.uniform(-1.0, 1.0);
    plain.see(off(math::atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))), y, x);
    const double p = any_size(rng, -1074, 1023), q = p * any_size(rng, -70, 70);
    if (!std::isinf(q)) {
      extreme.see(off(math::atan2(p, q), std::atan2(static_cast<long double>(p), static_cast<long double>(q))), p, q);
      extreme.see(off(math::atan2(q, p), std::atan2(static_cast<long double>(q), static_cast<long double>(p))), q, p);
    }
    const double t = any_size(rng, -60, 60);
    one.see(off(math::atan(t), std::atan(static_cast<long double>(t))), t);
    CHECK(same_bits(math::atan(-t), -math::atan(t)));
  }
  CHECK_BELOW(plain, 0.9);
  CHECK_BELOW(extreme, 0.9);
  CHECK_BELOW(one, 0.9);
}

TEST_CASE("math: inverse sines and cosines") {
  Rng rng(8);
  Worst sine, cosine;
  const auto see = [&](double x) {
    sine.see(off(math::asin(x), std::asin(static_cast<long double>(x))), x);
    cosine.see(off(math::acos(x), std::acos(static_cast<long double>(x))), x);
    CHECK(same_bits(math::asin(-x), -math::asin(x)));
  };
  for (int i = 0; i < kMany; ++i) {
    see(rng.uniform(-1.0, 1.0));
    const double little = std::abs(any_size(rng, -53, -2));
    see(1.0 - little);
    see(little - 1.0);
    see(any_size(rng, -1074, -1));
    see(0.5 + 0.25 * rng.uniform() * little);
  }
  CHECK_BELOW(sine, 0.9);
  CHECK_BELOW(cosine, 0.9);
}

TEST_CASE("math: exponentials and logarithms") {
  Rng rng(9);
  Worst grown, taken;
  for (int i = 0; i < kMany; ++i) {
    for (const double x : {rng.uniform(-750.0, 710.0), rng.uniform(-2.0, 2.0), any_size(rng, -70, 3)})
      grown.see(off(math::exp(x), std::exp(static_cast<long double>(x))), x);
    for (const double x : {std::abs(any_size(rng, -1074, 1023)), rng.uniform(0.5, 2.0), 1.0 + any_size(rng, -52, -2)})
      taken.see(off(math::log(x), std::log(static_cast<long double>(x))), x);
  }
  CHECK_BELOW(grown, kExpBound);
  CHECK_BELOW(taken, kExpBound);
}

TEST_CASE("math: hypotenuses") {
  Rng rng(10);
  Worst worst;
  for (int i = 0; i < kMany; ++i) {
    const double x = any_size(rng, -1074, 1022), y = x * any_size(rng, -60, 0);
    worst.see(off(math::hypot(x, y), std::hypot(static_cast<long double>(x), static_cast<long double>(y))), x, y);
    const double a = rng.uniform(-1.0, 1.0), b = rng.uniform(-1.0, 1.0);
    worst.see(off(math::hypot(a, b), std::hypot(static_cast<long double>(a), static_cast<long double>(b))), a, b);
    CHECK(same_bits(math::hypot(a, b), math::hypot(-b, a)));
  }
  CHECK_BELOW(worst, 0.75);
  CHECK(math::hypot(3.0, -4.0) == 5.0);
  CHECK(math::hypot(kLargest, kLargest) == kInfinity);
  CHECK(math::hypot(kSmallest, 0.0) == kSmallest);
  CHECK(math::hypot(kNan, -kInfinity) == kInfinity);
  CHECK(std::isnan(math::hypot(kNan, 1.0)));
  CHECK(math::power(-1.5, 3) == -3.375);
  CHECK(math::power(7.0, 0) == 1.0);
}

TEST_CASE("math: special values are those of the C standard") {
  const double values[] = {0.0,       -0.0,       1.0,    -1.0,    2.0,      -2.0,      0.5,       -0.5,
                           kSmallest, -kSmallest, 1e-310, -1e-310, kLargest, -kLargest, kInfinity, -kInfinity,
                           kNan,      0x1p-1022,  0x1p54, 0x1p-60, 710.0,    -746.0};
  for (double x : values) {
    CAPTURE(x);
    const auto alike = [](double got, double expected) {  // to a unit of the last place, signs of zeros included
      if (std::isnan(expected)) return std::isnan(got);
      return std::signbit(got) == std::signbit(expected) &&
             (got == expected || std::nextafter(got, expected) == expected);
    };
    CHECK(alike(math::sin(x), std::sin(x)));
    CHECK(alike(math::cos(x), std::cos(x)));
    CHECK(alike(math::sin_cos(x).sin, std::sin(x)));
    CHECK(alike(math::sin_cos(x).cos, std::cos(x)));
    CHECK(alike(math::atan(x), std::atan(x)));
    CHECK(alike(math::asin(x), std::asin(x)));
    CHECK(alike(math::acos(x), std::acos(x)));
    CHECK(alike(math::exp(x), std::exp(x)));
    CHECK(alike(math::log(x), std::log(x)));
    for (double y : values) {
      CAPTURE(y);
      CHECK(alike(math::atan2(y, x), std::atan2(y, x)));
      CHECK(alike(math::hypot(y, x), std::hypot(y, x)));
    }
  }
}

// Equal here and in WebAssembly, or one of the two has changed.
TEST_CASE("math: the same bits everywhere") {
  Rng rng(11);
  std::uint64_t hash = 14695981039346656037ull;
  const auto add = [&](double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211ull;
  };
  for (int i = 0; i < 20000; ++i) {
    const double x = rng.uniform(-1.0, 1.0), y = rng.uniform(-10.0, 10.0), huge = any_size(rng, -300, 1000);
    for (const double angle : {x, y, huge}) {
      const math::SinCos both = math::sin_cos(angle);
      add(both.sin);
      add(both.cos);
    }
    add(math::atan2(x, y));
    add(math::atan2(huge, y));
    add(math::asin(x));
    add(math::acos(x));
    add(math::exp(y));
    add(math::log(std::abs(huge)));
    add(math::hypot(x, y));
  }
  CHECK(hash == 16067772515095464024u);
}
