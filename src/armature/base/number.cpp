#include "armature/base/number.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace armature::inline v0_2 {
namespace {

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The slow, always correct way. strtod reads the locale's decimal point, so the text is given that one.
double strtod_any_locale(std::string_view text) {
  std::string copy(text);
  char point[8];
  std::snprintf(point, sizeof point, "%.1f", 0.5);
  if (point[1] != '.') {
    const std::size_t at = copy.find('.');
    if (at != std::string::npos) copy[at] = point[1];
  }
  return std::strtod(copy.c_str(), nullptr);
}

}  // namespace

bool read_number(std::string_view text, std::size_t& pos, double& value) {
  const char* const begin = text.data() + pos;
  const char* const end = text.data() + text.size();
  const char* p = begin;
  bool negative = false;
  if (p != end && (*p == '-' || *p == '+')) negative = *p++ == '-';

  // Up to 19 digits fit 64 bits; what lies beyond goes the slow way.
  std::uint64_t mantissa = 0;
  int digits = 0;
  int exponent = 0;
  bool long_mantissa = false;
  const auto take = [&](char c) {
    if (digits < 19) {
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(c - '0');
      if (mantissa != 0) ++digits;
      return true;
    }
    long_mantissa = true;
    return false;
  };
  bool any = false;
  for (; p != end && is_digit(*p); ++p, any = true) {
    if (!take(*p)) ++exponent;
  }
  if (p != end && *p == '.') {
    const char* const point = p++;
    for (; p != end && is_digit(*p); ++p, any = true) {
      if (take(*p)) --exponent;
    }
    if (!any) p = point;
  }
  if (!any) return false;
  if (p != end && (*p == 'e' || *p == 'E')) {
    const char* e = p + 1;
    bool negative_exponent = false;
    if (e != end && (*e == '-' || *e == '+')) negative_exponent = *e++ == '-';
    if (e != end && is_digit(*e)) {
      int given = 0;
      for (; e != end && is_digit(*e); ++e) {
        if (given < 100000) given = given * 10 + (*e - '0');
      }
      exponent += negative_exponent ? -given : given;
      p = e;
    }
  }
  // Clinger's fast path: both factors exact, one rounding.
  if (!long_mantissa && mantissa <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
    double v = static_cast<double>(mantissa);
    v = exponent < 0 ? v / kPowersOfTen[-exponent] : v * kPowersOfTen[exponent];
    value = negative ? -v : v;
  } else {
    value = strtod_any_locale(std::string_view(begin, static_cast<std::size_t>(p - begin)));
  }
  pos = static_cast<std::size_t>(p - text.data());
  return true;
}

bool parse_number(std::string_view text, double& value) {
  std::size_t pos = 0;
  double v = 0.0;
  if (!read_number(text, pos, v) || pos != text.size() || !std::isfinite(v)) return false;
  value = v;
  return true;
}

std::string format_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  for (const int digits : {15, 16, 17}) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value) break;
  }
  for (char* c = buffer; *c != 0; ++c) {
    if (*c == ',') *c = '.';
  }
  return buffer;
}

std::string pretty_number(double value, int digits) {
  if (!std::isfinite(value)) return format_number(value);
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  for (char* c = buffer; *c != 0; ++c) {
    if (*c == ',') *c = '.';
  }
  return std::strcmp(buffer, "-0") == 0 ? "0" : buffer;
}

}  // namespace armature::inline v0_2
