#include "armature/base/math.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace armature::inline v0_2::math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kWholePi = 0x1.921fb54442d18p+1, kHalfPi = 0x1.921fb54442d18p+0, kQuarterPi = 0x1.921fb54442d18p-1;
constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;  // what kHalfPi lacks

std::uint64_t bits_of(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
double of_bits(std::uint64_t bits) {
  double x = 0.0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// Without the lower 27 bits: products of two such numbers are exact.
double upper_half(double x) { return of_bits(bits_of(x) & ~((std::uint64_t{1} << 27) - 1)); }

/// What a * b, rounded to `product`, lost (Dekker 1971).
double lost(double a, double b, double product) {
  const double ah = upper_half(a), al = a - ah, bh = upper_half(b), bl = b - bh;
  return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
}

/// An angle without its quarter turns: quadrant * pi / 2 + high + low, |high| <= pi / 4 and a little.
struct Reduced {
  double high, low;
  unsigned quadrant;
};

// The bits of 2 / pi after the point, behind one word of zeros.
constexpr std::uint64_t kTwoOverPi[] = {0,
                                        0xa2f9836e4e441529,
                                        0xfc2757d1f534ddc0,
                                        0xdb6295993c439041,
                                        0xfe5163abdebbc561,
                                        0xb7246e3a424dd2e0,
                                        0x06492eea09d1921c,
                                        0xfe1deb1cb129a73e,
                                        0xe88235f52ebb4484,
                                        0xe99c7026b45f7e41,
                                        0x3991d639835339f4,
                                        0x9c845f8bbdf9283b,
                                        0x1ff897ffde05980f,
                                        0xef2f118b5a0a6d1f,
                                        0x6d367ecf27cb09b7,
                                        0x4f463f669e5fea2d,
                                        0x7527bac7ebe5f17b,
                                        0x3d0739f78a5292ea,
                                        0x6bfb5fb11f8d5d08,
                                        0x56033046fc7b6bab};

// Payne and Hanek (1983): of 2 / pi only the bits count that neither give whole turns nor vanish, 192 of them. Their
// product with the 53 bits of the angle is exact to 2^-137 of a quarter turn, and no double is nearer than 2^-62 to
// one.
Reduced reduce_large(double x) {
  const std::uint64_t bits = bits_of(x) & ~(std::uint64_t{1} << 63);
  const std::uint64_t mantissa = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
  const int first = static_cast<int>(bits >> 52) - 1075 - 2 + 64;  // bits above it give whole turns
  const auto word = [first](int i) {
    const int at = first / 64 + i, shift = first % 64;
    return shift == 0 ? kTwoOverPi[at] : kTwoOverPi[at] << shift | kTwoOverPi[at + 1] >> (64 - shift);
  };
  using Wide = unsigned __int128;
  const Wide third = Wide{mantissa} * word(2);
  const Wide second = Wide{mantissa} * word(1) + static_cast<std::uint64_t>(third >> 64);
  const std::uint64_t top = mantissa * word(0) + static_cast<std::uint64_t>(second >> 64);
  const std::uint64_t middle = static_cast<std::uint64_t>(second), bottom = static_cast<std::uint64_t>(third);
  // The first two bits are the quadrant, the others the part of a quarter turn beyond it: from a half on, short of the
  // next.
  Wide part = Wide{top << 2 | middle >> 62} << 64 | (middle << 2 | bottom >> 62);
  unsigned quadrant = static_cast<unsigned>(top >> 62);
  const bool short_of = (part >> 127) != 0;
  std::uint64_t rest = bottom << 2;
  if (short_of) {
    ++quadrant;
    part = ~part;
    rest = ~rest;
  }
  int zeros = std::countl_zero(static_cast<std::uint64_t>(part >> 64));
  if (zeros == 64) zeros += std::countl_zero(static_cast<std::uint64_t>(part));
  if (zeros > 0 && zeros < 64) {
    part = part << zeros | rest >> (64 - zeros);
  } else if (zeros >= 64) {
    part = Wide{static_cast<std::uint64_t>(part)} << 64 | rest;
    part <<= zeros - 64;
  }
  const double a = static_cast<double>(static_cast<std::uint64_t>(part >> 75)) * 0x1p-53;
  const double b = static_cast<double>(static_cast<std::uint64_t>(part >> 11)) * 0x1p-117;
  const double scale = of_bits(static_cast<std::uint64_t>(1023 - zeros) << 52);
  const double product = a * kHalfPi;
  const double more = lost(a, kHalfPi, product) + (a * kHalfPiLow + b * kHalfPi);
  const double high = product + more, low = (product - high) + more;
  const double sign = ((bits_of(x) >> 63) != 0) == short_of ? scale : -scale;
  return {sign * high, sign * low, (bits_of(x) >> 63) != 0 ? 0u - quadrant : quadrant};
}

// Cody and Waite (1980): the first parts of pi / 2 have 33 bits, so that their products with n are exact.
inline Reduced reduce(double x) {
  const double size = std::abs(x);
  if (size <= 0.785398163397448) return {x, 0.0, 0};
  if (!(size < 0x1p20)) {
    if (!(size < kInfinity)) return {kNan, kNan, 0};
    return reduce_large(x);
  }
  constexpr double kToInteger = 0x1.8p52;  // its last bits count ones
  const double shifted = x * 0.63661977236758134 + kToInteger;
  const double n = shifted - kToInteger;
  const unsigned quadrant = static_cast<unsigned>(bits_of(shifted));
  const double first = x - n * 0x1.921fb544p+0;  // exact
  double second = n * 0x1.0b4611a626331p-34;
  double high = first - second;
  if (std::abs(high) > 0x1p-26 * std::abs(n)) return {high, (first - high) - second, quadrant};
  // Near a quarter turn, where angles of robots like to be: the second part exact as well.
  second = n * 0x1.0b4611a6p-34;
  const double left = first - second, back = left - first;
  const double more = ((first - (left - back)) - (second + back)) - n * 0x1.3198a2e037073p-69;
  high = left + more;
  if (std::abs(high) < 0x1p-62 * std::abs(n)) return reduce_large(x);
  const double moved = high - left;
  return {high, (left - (high - moved)) + (more - moved), quadrant};
}

// sin(r) = r + r^3 S(r^2), cos(r) = 1 - r^2 / 2 + r^4 C(r^2), to 2^-58.
inline double sine_of(const Reduced& r) {
  const double x = r.high, z = x * x, zz = z * z;
  const double poly = (-0.16666666666666666 + z * 0.008333333333333331) +
                      zz * ((-0.0001984126984126506 + z * 2.755731921933466e-06) +
                            zz * ((-2.505210623088241e-08 + z * 1.6058531370931902e-10) + zz * -7.586682497157787e-13));
  return x + (r.low + ((x * z) * poly - 0.5 * (z * r.low)));
}
inline double cosine_of(const Reduced& r) {
  const double x = r.high, z = x * x, zz = z * z, half = 0.5 * z, most = 1.0 - half;
  const double poly = (0.041666666666666664 + z * -0.0013888888888887395) +
                      zz * ((2.480158729876295e-05 + z * -2.755731727031051e-07) +
                            zz * (2.087614597263508e-09 + z * -1.1382611119025631e-11));
  return most + (((1.0 - most) - half) + (zz * poly - x * r.low));
}

constexpr double kTiny = 0x1p-27;  // its sine is itself

// atan(q) = q + q^3 A(q^2) up to q = 7/16, asin(x) = x + x^3 B(x^2) up to 1/2.
inline double arctangent_rest(double z) {
  const double z2 = z * z, z4 = z2 * z2;
  return ((-0.3333333333333333 + z * 0.19999999999999407) + z2 * (-0.1428571428556615 + z * 0.11111111096587765)) +
         z4 * (((-0.09090908353049669 + z * 0.0769228548876496) +
                z2 * (-0.06666240859375808 + z * 0.058769354965303555)) +
               z4 * ((-0.05216607416783745 + z * 0.04491963714916157) +
                     z2 * (-0.03312132331064742 + z * 0.014766421553798583)));
}
inline double arcsine_rest(double z) {
  const double z2 = z * z, z4 = z2 * z2, z8 = z4 * z4;
  const double low =
      ((0.16666666666666666 + z * 0.07500000000000118) + z2 * (0.044642857142551895 + z * 0.03038194447553234)) +
      z4 * ((0.02237215744350722 + z * 0.017352816540325496) + z2 * (0.01396378001220357 + z * 0.011566459612121662));
  return low + z8 * (((0.009621842970100332 + z * 0.00931956079476717) +
                      z2 * (0.0030448799094567104 + z * 0.01955451333612088)) +
                     z4 * (-0.019241671746739512 + z * 0.02961201126495291));
}

// What is added to the angle of small / large, in two parts: by the eighth of the circle, then for atan 0, 1/2 and 1.
constexpr double kAngles[4][3][2] = {{{0x0.0p+0, 0x0.0p+0},
                                      {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                      {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}},
                                     {{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
                                      {0x1.1b6e192ebbe44p+0, 0x1.b1b466a88828ep-54},
                                      {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}},
                                     {{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
                                      {0x1.0468a8ace4df6p+1, 0x1.0620bf7406affp-55},
                                      {0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54}},
                                     {{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
                                      {0x1.56c6e7397f5aep+1, 0x1.660b64ece6f4bp-53},
                                      {0x1.2d97c7f3321d2p+1, 0x1.a79394c9e8a0ap-54}}};

// The angle of sides that are neither tiny nor huge nor much unlike.
inline double angle_of(double y, double x) {
  const double ay = std::abs(y), ax = std::abs(x);
  const bool steep = ay > ax;
  const double large = steep ? ay : ax, small = steep ? ax : ay;
  const int from = small * 16.0 <= large * 7.0 ? 0 : small * 16.0 <= large * 11.0 ? 1 : 2;
  const double above = from == 0 ? small : from == 1 ? 2.0 * small - large : small - large;  // exact
  const double below = from == 0 ? large : from == 1 ? 2.0 * large + small : large + small;
  const double inverse = 1.0 / below;
  const double q = above * inverse, product = q * below;
  const double q_low = ((above - product) - lost(q, below, product)) * inverse;
  const double z = q * q;
  const double rest = q_low + (q * z) * arctangent_rest(z);
  const bool left = std::signbit(x);
  const double sign = steep != left ? -1.0 : 1.0;
  const double* base = kAngles[left ? (steep ? 2 : 3) : (steep ? 1 : 0)][from];
  return std::copysign(base[0] + (sign * q + (sign * rest + base[1])), y);
}

double angle_of_others(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return x + y;
  double ay = std::abs(y), ax = std::abs(x);
  if (ay == kInfinity && ax == kInfinity) return angle_of(std::copysign(1.0, y), std::copysign(1.0, x));
  const double large = ay > ax ? ay : ax, small = ay > ax ? ax : ay;
  if (large == kInfinity || small <= large * 0x1p-56) {
    if (ay > ax) return std::copysign(kHalfPi, y);
    if (std::signbit(x)) return std::copysign(kWholePi, y);
    return large == 0.0 ? y : y / x;
  }
  const double scale = large > 1.0 ? 0x1p-200 : 0x1p200;
  return angle_of(y * scale, x * scale);
}

}  // namespace

SinCos sin_cos(double angle) {
  if (std::abs(angle) < kTiny) return {angle, 1.0};
  const Reduced r = reduce(angle);
  const double s = sine_of(r), c = cosine_of(r);
  const bool swapped = (r.quadrant & 1) != 0;
  const double sine = swapped ? c : s, cosine = swapped ? s : c;
  return {(r.quadrant & 2) != 0 ? -sine : sine, ((r.quadrant + 1) & 2) != 0 ? -cosine : cosine};
}

double sin(double angle) {
  if (std::abs(angle) < kTiny) return angle;
  const Reduced r = reduce(angle);
  const double value = (r.quadrant & 1) != 0 ? cosine_of(r) : sine_of(r);
  return (r.quadrant & 2) != 0 ? -value : value;
}

double cos(double angle) {
  const Reduced r = reduce(angle);
  const double value = (r.quadrant & 1) != 0 ? sine_of(r) : cosine_of(r);
  return ((r.quadrant + 1) & 2) != 0 ? -value : value;
}

double atan2(double y, double x) {
  const double ay = std::abs(y), ax = std::abs(x);
  const double large = ay > ax ? ay : ax, small = ay > ax ? ax : ay;
  if (large < 0x1p900 && small > 0x1p-900 && small > large * 0x1p-56) return angle_of(y, x);
  return angle_of_others(y, x);
}

double atan(double x) { return atan2(x, 1.0); }

// Beyond 1/2 by the half angle: asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)), the root in two parts.
double asin(double x) {
  const double size = std::abs(x);
  if (size < 0.5) return size < kTiny ? x : x + x * (x * x) * arcsine_rest(x * x);
  if (!(size <= 1.0)) return kNan;
  const double z = 0.5 * (1.0 - size), root = std::sqrt(z), rest = root * (z * arcsine_rest(z));
  const double high = upper_half(root);
  const double low = root == 0.0 ? 0.0 : (z - high * high) / (root + high);
  // pi / 4 and what is left, which is exact: no digits are lost where the result is small.
  const double left = kQuarterPi - 2.0 * high;
  return std::copysign(kQuarterPi + (left - (2.0 * (rest + low) - kHalfPiLow)), x);
}

double acos(double x) {
  const double size = std::abs(x);
  if (size < 0.5) return kHalfPi - (x - (kHalfPiLow - x * (x * x) * arcsine_rest(x * x)));
  if (!(size <= 1.0)) return kNan;
  const double z = 0.5 * (1.0 - size), root = std::sqrt(z), rest = root * (z * arcsine_rest(z));
  const double high = upper_half(root);
  const double low = root == 0.0 ? 0.0 : (z - high * high) / (root + high);
  if (x > 0.0) return 2.0 * (high + (low + rest));
  return kWholePi - 2.0 * (high + ((low + rest) - kHalfPiLow));
}

// exp(n log 2 + r) = 2^n (1 + r + r^2 E(r)), |r| <= log 2 / 2.
double exp(double x) {
  if (!(std::abs(x) < 746.0)) return x > 0.0 ? kInfinity : x < 0.0 ? 0.0 : x;
  constexpr double kToInteger = 0x1.8p52;
  const double n = (x * 0x1.71547652b82fep+0 + kToInteger) - kToInteger;
  const double first = x - n * 0x1.62e42feep-1, second = n * 0x1.a39ef35793c76p-33;
  const double r = first - second, low = (first - r) - second;
  const double r2 = r * r, r4 = r2 * r2;
  const double poly = ((0.5 + r * 0.1666666666666667) + r2 * (0.04166666666666667 + r * 0.00833333333332612)) +
                      r4 * (((0.0013888888888883737 + r * 0.00019841269874873975) +
                             r2 * (2.480158732558584e-05 + r * 2.755725533255441e-06)) +
                            r4 * ((2.7557273594799413e-07 + r * 2.5105245153901368e-08) + r2 * 2.091470706961235e-09));
  const double value = 1.0 + (r + (r2 * poly + (low + r * low)));
  const int power = static_cast<int>(n);
  const int half = power / 2;  // in two steps: the ends of the range lie beyond 2^1023 and below 2^-1022
  const auto two_to = [](int p) { return of_bits(static_cast<std::uint64_t>(1023 + p) << 52); };
  return value * two_to(half) * two_to(power - half);
}

// x = 2^k (1 + f), 1 + f between sqrt(1/2) and sqrt(2): log(1 + f) by s = f / (2 + f), twice the inverse hyperbolic
// tangent of s.
double log(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -kInfinity : kNan;
  if (x == kInfinity) return x;
  int k = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    k = -54;
  }
  const std::uint64_t bits = bits_of(x) + (bits_of(1.0) - bits_of(0.7071067811865476));
  k += static_cast<int>(bits >> 52) - 1023;
  const double f = of_bits((bits & ((std::uint64_t{1} << 52) - 1)) + bits_of(0.7071067811865476)) - 1.0;
  const double s = f / (2.0 + f), z = s * s, z2 = z * z, half = 0.5 * f * f;
  const double rest =
      z *
      (((0.6666666666666666 + z * 0.4000000000000088) + z2 * (0.28571428570801954 + z * 0.22222222392089008)) +
       z2 * z2 *
           ((0.18181795600060793 + z * 0.15386241881938595) + z2 * (0.13268714792348146 + z * 0.13087236196659138)));
  const double n = k;
  return n * 0x1.62e42feep-1 - ((half - (s * (half + rest) + n * 0x1.a39ef35793c76p-33)) - f);
}

// The root of the sum of squares, mended by what it lacks, h^2 - a^2 - b^2 with as little cancellation as can be
// (Borges 2020).
double hypot(double x, double y) {
  const double ax = std::abs(x), ay = std::abs(y);
  double a = ax < ay ? ay : ax, b = ax < ay ? ax : ay;
  if (a == kInfinity || b == kInfinity) return kInfinity;
  if (!(b > a * 0x1p-54)) return b == b ? a : b;
  double scale = 1.0;
  if (a > 0x1p500 || b < 0x1p-450) {
    scale = a > 1.0 ? 0x1p600 : 0x1p-600;
    a /= scale;
    b /= scale;
  }
  const double h = std::sqrt(a * a + b * b);
  double off = 0.0;
  if (h <= 2.0 * b) {
    const double d = h - b;
    off = a * (2.0 * d - a) + (d - 2.0 * (a - b)) * d;
  } else {
    const double d = h - a;
    off = 2.0 * d * (a - 2.0 * b) + ((4.0 * d - b) * b + d * d);
  }
  return scale * (h - off / (2.0 * h));
}

}  // namespace armature::inline v0_2::math
