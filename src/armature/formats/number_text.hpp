// Numbers of motion files, many at a time: fast reading, and writing the shortest text that reads back exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "armature/base/number.hpp"

namespace armature::inline v0_2 {

inline constexpr double kRadiansPerDegree = 3.14159265358979323846 / 180.0;

/// As read_number() of base, with its common case (at most 15 digits, no exponent) in line. Same values, bit for bit.
inline bool scan_number(std::string_view text, std::size_t& pos, double& value) {
  constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char* p = text.data() + pos;
  const char* const end = text.data() + text.size();
  const bool negative = p != end && *p == '-';
  if (negative) ++p;
  std::uint64_t mantissa = 0;
  const char* const first = p;
  for (; p != end && static_cast<unsigned char>(*p - '0') < 10; ++p) {
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
  }
  std::ptrdiff_t digits = p - first;
  std::ptrdiff_t decimals = 0;
  if (p != end && *p == '.') {
    const char* const point = ++p;
    for (; p != end && static_cast<unsigned char>(*p - '0') < 10; ++p) {
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
    }
    decimals = p - point;
    digits += decimals;
  }
  // Both factors are exact, so the one division rounds correctly (Clinger 1990).
  if (digits == 0 || digits > 15 || (p != end && (*p == 'e' || *p == 'E'))) return read_number(text, pos, value);
  const double magnitude = static_cast<double>(mantissa) / kPowers[decimals];
  value = negative ? -magnitude : magnitude;
  pos = static_cast<std::size_t>(p - text.data());
  return true;
}

/// How a file's number becomes one of ours: ours = file's * factor - shift.
struct Decoding {
  double factor = 1.0;
  double shift = 0.0;
  double operator()(double number) const { return number * factor - shift; }
};

/// Appends the text whose number decodes to `value`: the shortest that does so exactly, or the nearest (one unit in the
/// last place) where no double does. `digits` > 0: rounded to so many significant digits instead.
void append_number(std::string& out, double value, const Decoding& decoding, int digits = 0);
inline void append_number(std::string& out, double value, int digits = 0) {
  append_number(out, value, Decoding{}, digits);
}

}  // namespace armature::inline v0_2
