#include "armature/formats/number_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace armature::inline v0_2 {
namespace {

// `count` is a whole number of units 10^-decimals, below 2^53: "-12.5" for -125000 and 4... without trailing zeros.
void append_fixed(std::string& out, double count, int decimals) {
  char buffer[40];
  char* p = buffer + sizeof buffer;
  auto left = static_cast<std::uint64_t>(std::abs(count));
  while (decimals > 0 && left % 10 == 0) {
    left /= 10;
    --decimals;
  }
  int written = 0;
  do {
    if (written == decimals && written > 0) *--p = '.';
    *--p = static_cast<char>('0' + left % 10);
    left /= 10;
    ++written;
  } while (left != 0 || written <= decimals);
  if (std::signbit(count)) *--p = '-';
  out.append(p, static_cast<std::size_t>(buffer + sizeof buffer - p));
}

void append_shortest(std::string& out, double value) {
#ifdef __cpp_lib_to_chars
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, static_cast<std::size_t>(end - buffer));
#else
  out += format_number(value);
#endif
}

}  // namespace

void append_number(std::string& out, double value, const Decoding& decoding, int digits) {
  const double x = (value + decoding.shift) / decoding.factor;
  if (!std::isfinite(x)) {
    out += format_number(x);
    return;
  }
  if (digits > 0) {
    out += pretty_number(x, digits);
    return;
  }
  // Whole numbers of 10^-6, 10^-9, ...: what files hold. count / unit is exactly what a reader makes of the text.
  static constexpr struct {
    double unit;
    int decimals;
  } kSteps[] = {{1e6, 6}, {1e9, 9}, {1e12, 12}, {1e14, 14}};
  for (const auto& step : kSteps) {
    const double count = std::nearbyint(x * step.unit);
    if (!(std::abs(count) <= 9007199254740992.0)) break;
    const double number = count / step.unit;
    if (decoding(number) == value && std::signbit(number) == std::signbit(x)) {
      append_fixed(out, count, step.decimals);
      return;
    }
  }
  double exact = x;
  double up = x;
  double down = x;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3 && decoding(exact) != value; ++i) {
    up = std::nextafter(up, kInfinity);
    down = std::nextafter(down, -kInfinity);
    if (decoding(up) == value) exact = up;
    if (decoding(down) == value) exact = down;
  }
  append_shortest(out, exact);
}

}  // namespace armature::inline v0_2
