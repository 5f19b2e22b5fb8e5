// Real roots of a trigonometric polynomial, all of them. Included after lanes.inl; series_tables.hpp has the idea.
//
// Bernstein coefficients of one sign: no root. One change of sign: one root. Otherwise halve the interval (de
// Casteljau). Intervals that become narrower than kNearDouble hold roots that are equal or nearly so: candidates are
// put on both sides of the turning point, and Newton's method on the arm decides. An interval counts as empty only when
// its smallest coefficient exceeds the noise that the unused harmonics show. Where that is decided by little, or nearly
// double roots stay undecided, the roots are `faint`: another eliminant should be asked.

constexpr double kNearDouble = 2e-3;
constexpr int kMaxRoots = 64;
constexpr double kFaint = 64.0;  // times the noise: what is clear of it beyond doubt

// Calls of fmax, which must think of NaN, are slow.
ARMATURE_INLINE double larger(double a, double b) { return a < b ? b : a; }

struct Roots {
  int count = 0;
  bool overflow = false;
  bool faint = false;  // noise may hide roots or make them up
  double angle[kMaxRoots];
  bool twin[kMaxRoots];  // one of a nearly double pair
};

template <class Tables>
struct Series {
  static constexpr int kSize = Tables::kSize, kDegree = Tables::kDegree;
  const Tables& table;
  double coefficient[kSize];
  double largest = 0.0, noise = 0.0;
  // Intervals with exactly one root, to be narrowed four at a time.
  int brackets = 0;
  double low[kMaxRoots], high[kMaxRoots], guess[kMaxRoots], falling[kMaxRoots];
  bool narrow[kMaxRoots];

  explicit Series(const Tables& t) : table(t) {}

  void read(const double* samples) {
    const auto sum = [&](const double* row) {
      Pack s = Pack::all(0.0);
      for (int k = 0; k < Tables::kCount; k += 4) s = s + Pack::load(row + k) * Pack::load(samples + k);
      alignas(32) double x[4];
      s.store(x);
      return (x[0] + x[1]) + (x[2] + x[3]);
    };
    largest = noise = 0.0;
    for (int c = 0; c < kSize; ++c) {
      coefficient[c] = sum(table.read[c]);
      largest = larger(largest, __builtin_fabs(coefficient[c]));
    }
    for (int c = 0; c < 2 * Tables::kExtra; ++c) noise = larger(noise, __builtin_fabs(sum(table.noise[c])));
  }

  // f, f' and f'' at an angle.
  template <class P>
  ARMATURE_INLINE void at(const P& c1, const P& s1, P& f, P& d, P& dd) const {
    P c = c1, s = s1;
    f = d = dd = c1 - c1;
    for (int k = 1; k <= kDegree; ++k) {
      const P p = coefficient[2 * k - 1] * c + coefficient[2 * k] * s,
              q = coefficient[2 * k] * c - coefficient[2 * k - 1] * s;
      f = f + p;
      d = d + double(k) * q;
      dd = dd - double(k * k) * p;
      const P next = c * c1 - s * s1;
      s = s * c1 + c * s1;
      c = next;
    }
    f = coefficient[0] + f;
  }

  double angle_at(int sector, double u) const {
    return table.middle[sector] + 2.0 * atan2_one(table.edge * (2.0 * u - 1.0), 1.0);
  }

  void add_bracket(double from, double to, double at_first, bool rising) {
    low[brackets] = from;
    high[brackets] = to;
    guess[brackets] = at_first > from && at_first < to ? at_first : 0.5 * (from + to);
    narrow[brackets] = to - from < kNearDouble;
    falling[brackets++] = rising ? -1.0 : 1.0;
  }

  void isolate(const double* b, int sector, double u0, double u1, double tolerance, Roots& out) {
    int changes = 0;
    double least = __builtin_fabs(b[0]);
    for (int i = 0; i + 1 < kSize; ++i) {
      changes += (b[i] < 0.0) != (b[i + 1] < 0.0);
      const double size = __builtin_fabs(b[i + 1]);
      least = size < least ? size : least;
    }
    // A coefficient of nearly nothing: noise may have changed its sign, and two roots are more or less.
    const bool one = changes == 1, none = changes == 0 && least > tolerance;
    if (one || none) out.faint |= least < kFaint * tolerance;
    if (none) return;
    if (changes == 1) {
      int i = 0;
      while ((b[i] < 0.0) == (b[i + 1] < 0.0)) ++i;
      const double share = (i + b[i] / (b[i] - b[i + 1])) / (kSize - 1);
      if (brackets == kMaxRoots) {
        out.overflow = true;
        return;
      }
      const double from = angle_at(sector, u0), to = angle_at(sector, u1);
      add_bracket(from, to, from + (to - from) * share, b[0] < 0.0);
      return;
    }
    if ((u1 - u0) * 4.0 * table.edge < kNearDouble) {
      const double from = angle_at(sector, u0), to = angle_at(sector, u1);
      double x = 0.5 * (from + to), f = 0, d = 0, dd = 0, s, c;
      for (int n = 0; n < 6; ++n) {
        sincos_one(x, s, c);
        at(c, s, f, d, dd);
        const double next = x - d / dd;
        if (!(next > from && next < to)) break;
        x = next;
      }
      sincos_one(x, s, c);
      at(c, s, f, d, dd);
      // One turning point, clear of zero by far more than any noise: no root, or one on either side of it. (Sixteen
      // times the noise that the harmonics show was not enough: pairs of roots 1e-6 apart were lost.)
      if (changes == 2 && __builtin_fabs(f) > 16.0 * tolerance && __builtin_fabs(f) > 1e-9 * largest &&
          __builtin_fabs(d) < 1e-6 * __builtin_fabs(dd)) {
        if ((f < 0.0) == (b[0] < 0.0)) return;
        if (brackets + 2 <= kMaxRoots) {
          const double step = __builtin_sqrt(__builtin_fabs(2.0 * f / dd));
          add_bracket(from, x, x - step, b[0] < 0.0);
          add_bracket(x, to, x + step, b[0] >= 0.0);
          return;
        }
      }
      out.faint = true;
      double away = __builtin_sqrt(__builtin_fabs(2.0 * f / dd));
      if (!(away < to - from)) away = to - from;
      if (away < 1e-7) away = 1e-7;
      const int n = changes > 2 ? 3 : 2;
      if (out.count + n > kMaxRoots) {
        out.overflow = true;
        return;
      }
      for (int k = 0; k < n; ++k) {
        out.angle[out.count] = k == 0 ? x - away : k == 1 ? x + away : x;
        out.twin[out.count++] = true;
      }
      return;
    }
    alignas(64) double left[kSize + 7] = {}, right[kSize + 7] = {};
    for (int i = 0; i < kSize; ++i) right[i] = b[i];
    left[0] = right[0];
    for (int k = 1; k < kSize; ++k) {
      for (int i = 0; i < kSize - k; i += 4) {
        const Pack next = Pack::all(0.5) * (Pack::load(right + i) + load_anywhere(right + i + 1));
        if (i + 4 <= kSize - k) {
          next.store(right + i);
          continue;
        }
        alignas(32) double tail[4];
        next.store(tail);
        for (int t = 0; i + t < kSize - k; ++t) right[i + t] = tail[t];
      }
      left[k] = right[0];
    }
    const double middle = 0.5 * (u0 + u1);
    isolate(left, sector, u0, middle, tolerance, out);
    isolate(right, sector, middle, u1, tolerance, out);
  }

  void narrow_brackets(Roots& out) {
    for (int first = 0; first < brackets; first += 4) {
      for (int k = brackets; k < first + 4; ++k) {  // lanes that are not there repeat the last
        low[k] = low[brackets - 1];
        high[k] = high[brackets - 1];
        guess[k] = guess[brackets - 1];
        falling[k] = falling[brackets - 1];
      }
      Pack a = load_anywhere(low + first), b = load_anywhere(high + first), x = load_anywhere(guess + first);
      const Pack sign = load_anywhere(falling + first);
      for (int n = 0; n < 40; ++n) {
        Pack s, c, f, d, dd;
        sincos(x, s, c);
        at(c, s, f, d, dd);
        const Mask below = f * sign > 0.0;
        a = select(below, x, a);
        b = select(below, b, x);
        Pack next = x - f / d;
        next = select((next > a) & (next < b), next, Pack::all(0.5) * (a + b));
        const Mask moving = abs(next - x) >= 1e-7;  // the step after is below rounding
        x = next;
        if (!any(moving)) break;
      }
      alignas(32) double found[4];
      x.store(found);
      for (int k = first; k < first + 4 && k < brackets && out.count < kMaxRoots; ++k) {
        out.angle[out.count] = found[k - first];
        out.twin[out.count++] = narrow[k];
      }
    }
  }

  void roots(Roots& out) {
    out.count = brackets = 0;
    out.overflow = out.faint = false;
    if (!(largest > 0.0)) return;
    const double tolerance = 4.0 * noise + 2e-16 * largest;
    alignas(64) double b[kSize][kSectors];
    for (int half = 0; half < kSectors; half += 4) {
      Pack r[kSize];
      r[0] = Pack::all(coefficient[0]);
      for (int d = 1; d <= kDegree; ++d) {
        const Pack c = Pack::load(table.turn_cos[d] + half), s = Pack::load(table.turn_sin[d] + half);
        const Pack A = Pack::all(coefficient[2 * d - 1]), B = Pack::all(coefficient[2 * d]);
        r[2 * d - 1] = A * c + B * s;
        r[2 * d] = B * c - A * s;
      }
      for (int i = 0; i < kSize; ++i) {
        Pack sum = table.bernstein[0][i] * r[0];
        for (int c = 1; c < kSize; ++c) sum = sum + table.bernstein[c][i] * r[c];
        sum.store(&b[i][half]);
      }
    }
    for (int k = 0; k < kSectors; ++k) {
      double column[kSize];
      for (int i = 0; i < kSize; ++i) column[i] = b[i][k];
      isolate(column, k, 0.0, 1.0, tolerance, out);
    }
    narrow_brackets(out);
  }
};
