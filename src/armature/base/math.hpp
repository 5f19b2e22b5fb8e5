// Sines, angles, exponentials and logarithms of our own. Those of the system differ in their last bits from library to
// library, and glibc's from processor to processor; a search that sees another last bit may find another answer. These
// use +, -, *, / and the square root alone, which every machine rounds alike, so that all answers are the same bits
// everywhere, WebAssembly included. Errors are below 0.9 units of the last place (docs/decisions/math.md).
//
// The core calls nothing else (tools/check_layers.py). What is exact by its definition stays the standard library's:
// sqrt, floor, round, remainder, fmod and the like.
#pragma once

namespace armature::inline v0_2::math {

struct SinCos {
  double sin, cos;
};

/// Both at once cost little more than one. Any finite angle, however large; the others give NaN.
SinCos sin_cos(double angle);
double sin(double angle);
double cos(double angle);

/// As the standard library's, special values included.
double atan2(double y, double x);
double atan(double x);
double asin(double x);
double acos(double x);
double exp(double x);
double log(double x);
double hypot(double x, double y);

/// x multiplied by itself, n >= 0.
constexpr double power(double x, int n) {
  double out = 1.0;
  for (; n > 0; --n) out *= x;
  return out;
}

}  // namespace armature::inline v0_2::math
