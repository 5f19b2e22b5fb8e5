// Constants for trigonometric polynomials sampled around the circle, made by the compiler in twice the precision and
// rounded once, so that they have the same bits everywhere.
//
// A polynomial of degree N in cos and sin has the 2N + 1 coefficients 1, cos t, sin t, cos 2t, ... It is isolated on
// eight sectors: with x = tan((t - middle) / 2) the product f (1 + x^2)^N is an ordinary polynomial of degree 2N, and a
// constant matrix takes the coefficients, rotated to the sector's middle, to its Bernstein form.
#pragma once

namespace armature::inline v0_2::analytic {

inline constexpr int kSectors = 8;

/// The unevaluated sum of two doubles (Dekker 1971).
struct Twice {
  double high = 0.0, low = 0.0;
};
constexpr Twice two_sum(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
constexpr Twice two_product(double a, double b) {
  const double split = 134217729.0, p = a * b;
  const double a1 = a * split - (a * split - a), a2 = a - a1, b1 = b * split - (b * split - b), b2 = b - b1;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}
constexpr Twice operator+(Twice a, Twice b) {
  const Twice s = two_sum(a.high, b.high);
  return two_sum(s.high, s.low + (a.low + b.low));
}
constexpr Twice operator-(Twice a) { return {-a.high, -a.low}; }
constexpr Twice operator*(Twice a, Twice b) {
  const Twice p = two_product(a.high, b.high);
  return two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
constexpr Twice operator/(Twice a, Twice b) {
  const double q = a.high / b.high;
  const Twice rest = a + -(Twice{q, 0.0} * b);
  return two_sum(q, (rest.high + rest.low) / b.high);
}
inline constexpr Twice kTwicePi{3.141592653589793116, 1.2246467991473532e-16};

/// cos and sin of 2 pi k / n, by series after reduction to the first eighth.
struct TwiceTurn {
  Twice c, s;
};
constexpr TwiceTurn twice_turn(int k, int n) {
  k = ((k % n) + n) % n;
  if (2 * k > n) {
    const TwiceTurn t = twice_turn(n - k, n);
    return {t.c, -t.s};
  }
  if (4 * k > n) {  // pi - angle = 2 pi (n - 2k) / (2n)
    const TwiceTurn t = twice_turn(n - 2 * k, 2 * n);
    return {-t.c, t.s};
  }
  if (8 * k > n) {  // pi / 2 - angle = 2 pi (n - 4k) / (4n)
    const TwiceTurn t = twice_turn(n - 4 * k, 4 * n);
    return {t.s, t.c};
  }
  const Twice x = kTwicePi * Twice{2.0 * k, 0.0} / Twice{double(n), 0.0};
  Twice c{1.0, 0.0}, s = x, term = x;
  for (int i = 2; i < 34; ++i) {
    term = term * x / Twice{double(i), 0.0};
    const Twice add = (i / 2) % 2 == 0 ? term : -term;
    if (i % 2 == 0) {
      c = c + add;
    } else {
      s = s + add;
    }
  }
  return {c, s};
}

/// Degree N, read off `kSamples` equally spaced samples.
template <int N, int kSamples>
struct SeriesTables {
  static constexpr int kDegree = N, kSize = 2 * N + 1, kCount = kSamples;
  static constexpr int kExtra = kSamples / 2 - 1 - N;  // harmonics that must vanish: they measure the noise
  alignas(64) double cosine[kSamples] = {}, sine[kSamples] = {};
  alignas(64) double read[kSize][kSamples] = {};  // samples to coefficients
  alignas(64) double noise[kExtra > 0 ? 2 * kExtra : 1][kSamples] = {};
  double bernstein[kSize][kSize] = {};                                                // [coefficient][Bernstein index]
  alignas(64) double turn_cos[N + 1][kSectors] = {}, turn_sin[N + 1][kSectors] = {};  // d times each sector's middle
  double middle[kSectors] = {};
  double edge = 0.0;  // x at a sector's edge

  constexpr SeriesTables() {
    // Each angle and power is made once: compilers bound the steps of what they compute.
    TwiceTurn around[kSamples] = {}, sixteenth[2 * kSectors] = {};
    for (int k = 0; k < kSamples; ++k) around[k] = twice_turn(k, kSamples);
    for (int k = 0; k < 2 * kSectors; ++k) sixteenth[k] = twice_turn(k, 2 * kSectors);
    for (int k = 0; k < kSamples; ++k) {
      cosine[k] = around[k].c.high;
      sine[k] = around[k].s.high;
      read[0][k] = 1.0 / kSamples;
      for (int d = 1; d <= N + kExtra; ++d) {
        const TwiceTurn& t = around[(d * k) % kSamples];
        const double c = 2.0 / kSamples * t.c.high, s = 2.0 / kSamples * t.s.high;
        (d <= N ? read[2 * d - 1][k] : noise[2 * (d - N - 1)][k]) = c;
        (d <= N ? read[2 * d][k] : noise[2 * (d - N - 1) + 1][k]) = s;
      }
    }
    for (int k = 0; k < kSectors; ++k) {
      middle[k] = 3.141592653589793 * (2 * k + 1) / kSectors;
      for (int d = 0; d <= N; ++d) {
        const TwiceTurn& t = sixteenth[(d * (2 * k + 1)) % (2 * kSectors)];
        turn_cos[d][k] = t.c.high;
        turn_sin[d][k] = t.s.high;
      }
    }
    // tan(a / 2) = sin a / (1 + cos a), a = half a sector
    const Twice x1 = sixteenth[1].s / (sixteenth[1].c + Twice{1.0, 0.0});
    edge = x1.high;
    // Powers of x = edge (2u - 1) in u, times what takes powers of u to Bernstein form: C(k, t) / C(2N, t).
    Twice power[kSize][kSize] = {}, to_bernstein[kSize][kSize] = {};
    power[0][0] = {1.0, 0.0};
    for (int k = 1; k < kSize; ++k) {
      for (int t = 0; t <= k; ++t) {
        const Twice up = t > 0 ? power[k - 1][t - 1] * x1 : Twice{};
        power[k][t] = (up + up) + -(power[k - 1][t] * x1);
      }
    }
    for (int k = 0; k < kSize; ++k) {
      to_bernstein[k][0] = {1.0, 0.0};
      for (int t = 1; t <= k; ++t) {
        to_bernstein[k][t] = to_bernstein[k][t - 1] * Twice{double(k - t + 1), 0.0} / Twice{double(kSize - t), 0.0};
      }
    }
    for (int d = 0; d <= N; ++d) {
      double re[kSize] = {1.0}, im[kSize] = {};  // (1 + i x)^(2d) (1 + x^2)^(N - d): whole numbers
      for (int k = 0; k < 2 * d; ++k) {
        for (int t = kSize - 1; t > 0; --t) {
          const double r = re[t - 1], i = im[t - 1];
          re[t] -= i;
          im[t] += r;
        }
      }
      for (int k = d; k < N; ++k) {
        for (int t = kSize - 1; t > 1; --t) {
          re[t] += re[t - 2];
          im[t] += im[t - 2];
        }
      }
      for (int part = 0; part < (d == 0 ? 1 : 2); ++part) {
        Twice g[kSize] = {};
        for (int k = 0; k < kSize; ++k) {
          const Twice factor{part == 0 ? re[k] : im[k], 0.0};
          if (factor.high == 0.0) continue;
          for (int t = 0; t <= k; ++t) g[t] = g[t] + factor * power[k][t];
        }
        for (int k = 0; k < kSize; ++k) {
          Twice b;
          for (int t = 0; t <= k; ++t) b = b + g[t] * to_bernstein[k][t];
          bernstein[d == 0 ? 0 : 2 * d - 1 + part][k] = b.high;
        }
      }
    }
  }
};

inline constexpr SeriesTables<8, 24> kSeries8;
inline constexpr SeriesTables<2, 8> kSeries2;

}  // namespace armature::inline v0_2::analytic
