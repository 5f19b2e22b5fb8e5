#include "armature/base/number.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "armature/base/rng.hpp"

using namespace armature;

namespace {
double from_bits(std::uint64_t bits) {
  double v = 0.0;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
}  // namespace

TEST_CASE("numbers read back to the same bits") {
  Rng rng(5);
  for (int i = 0; i < 20000; ++i) {
    const double value = i % 2 == 0 ? from_bits(rng.next()) : rng.uniform(-1000, 1000);
    if (!std::isfinite(value)) continue;
    double back = 0.0;
    REQUIRE(parse_number(format_number(value), back));
    CHECK(std::memcmp(&value, &back, sizeof value) == 0);
  }
}

TEST_CASE("reading agrees with strtod on awkward spellings") {
  for (const char* text : {"0",
                           "-0",
                           "1",
                           "+1",
                           "1.",
                           ".5",
                           "-.5e-3",
                           "1e5",
                           "1E+05",
                           "123456789012345678901234567890",
                           "0.1",
                           "1e-320",
                           "4.9e-324",
                           "1e308",
                           "0.000000000000000000000000000001234567890123456789",
                           "9007199254740993",
                           "1e22",
                           "1e23",
                           "00012.50",
                           "1e-22"}) {
    double value = 0.0;
    CAPTURE(text);
    REQUIRE(parse_number(text, value));
    CHECK(value == std::strtod(text, nullptr));
  }
}

TEST_CASE("what is no finite number is refused") {
  for (const char* text : {"", "-", "+", ".", "e5", "1e400", "nan", "inf", "0x10", "1,5", "1 ", " 1", "--1"}) {
    double value = 3.0;
    CAPTURE(text);
    CHECK(!parse_number(text, value));
    CHECK(value == 3.0);
  }
}

TEST_CASE("a number ends where it ends") {
  std::size_t pos = 0;
  double value = 0.0;
  CHECK(read_number("1.5e 2", pos, value));
  CHECK(value == 1.5);
  CHECK(pos == 3);  // "e" without digits is not part of it
}

TEST_CASE("numbers for people") {
  CHECK(pretty_number(0.1 + 0.2) == "0.3");
  CHECK(pretty_number(-1e-20 * 0.0) == "0");
  CHECK(pretty_number(1234567.0, 3) == "1.23e+06");
}
