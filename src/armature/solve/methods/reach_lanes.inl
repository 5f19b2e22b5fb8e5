// Several descents side by side, one to each lane of a register: for batches of goals. Included by reach_kernel_*.cpp
// after reach_kernel.inl.
//
// The steps are those of descend_blocks without its refinements (no second solve, no half-turn axis, no partial goals):
// what does not arrive here is left to the single solver. No lane sees another, every operation is elementwise and sums
// run in one fixed order, so that an answer depends neither on its neighbours nor on the instruction set. The same
// steps are made in floats, of which a register holds twice as many, and in doubles: a descent begins in the former and
// ends in the latter.

#if defined(ARMATURE_WIDEST)

constexpr int kLanes = 8;
using F8 = double __attribute__((vector_size(64)));
using I8 = long long __attribute__((vector_size(64)));
struct LaneMask {
  __mmask8 m;
};
struct Lanes {
  F8 v;
  static ARMATURE_INLINE Lanes load(const double* p) { return {*reinterpret_cast<const F8*>(p)}; }
  static ARMATURE_INLINE Lanes all(double x) { return {F8{x, x, x, x, x, x, x, x}}; }
  ARMATURE_INLINE void store(double* p) const { *reinterpret_cast<F8*>(p) = v; }
};
ARMATURE_INLINE Lanes operator+(Lanes a, Lanes b) { return {a.v + b.v}; }
ARMATURE_INLINE Lanes operator-(Lanes a, Lanes b) { return {a.v - b.v}; }
ARMATURE_INLINE Lanes operator*(Lanes a, Lanes b) { return {a.v * b.v}; }
ARMATURE_INLINE Lanes operator/(Lanes a, Lanes b) { return {a.v / b.v}; }
ARMATURE_INLINE LaneMask operator<(Lanes a, Lanes b) {
  return {_mm512_cmp_pd_mask((__m512d)a.v, (__m512d)b.v, _CMP_LT_OQ)};
}
ARMATURE_INLINE LaneMask operator>(Lanes a, Lanes b) { return b < a; }
ARMATURE_INLINE LaneMask operator<=(Lanes a, Lanes b) {
  return {_mm512_cmp_pd_mask((__m512d)a.v, (__m512d)b.v, _CMP_LE_OQ)};
}
ARMATURE_INLINE LaneMask operator>=(Lanes a, Lanes b) { return b <= a; }
ARMATURE_INLINE LaneMask operator|(LaneMask a, LaneMask b) { return {static_cast<__mmask8>(a.m | b.m)}; }
ARMATURE_INLINE LaneMask operator&(LaneMask a, LaneMask b) { return {static_cast<__mmask8>(a.m & b.m)}; }
ARMATURE_INLINE Lanes select(LaneMask m, Lanes a, Lanes b) {
  return {(F8)_mm512_mask_blend_pd(m.m, (__m512d)b.v, (__m512d)a.v)};
}
ARMATURE_INLINE Lanes zero_where(LaneMask m, Lanes a) {
  return {(F8)_mm512_maskz_mov_pd(static_cast<__mmask8>(~m.m), (__m512d)a.v)};
}
// The plain forms of g++ 12 warn of their own code. Of equal numbers, and with a NaN, the second: as for other sets.
ARMATURE_INLINE Lanes min(Lanes a, Lanes b) { return {(F8)_mm512_maskz_min_pd(0xff, (__m512d)a.v, (__m512d)b.v)}; }
ARMATURE_INLINE Lanes max(Lanes a, Lanes b) { return {(F8)_mm512_maskz_max_pd(0xff, (__m512d)a.v, (__m512d)b.v)}; }
ARMATURE_INLINE Lanes sqrt(Lanes a) { return {(F8)_mm512_maskz_sqrt_pd(0xff, (__m512d)a.v)}; }
ARMATURE_INLINE unsigned bits(LaneMask a) { return a.m; }
ARMATURE_INLINE void sincos(Lanes x, Lanes& s, Lanes& c) { sincos_vector<F8, I8>(x.v, s.v, c.v); }

#else

constexpr int kLanes = 4;
using Lanes = Pack;
using LaneMask = Mask;
#if defined(ARMATURE_WIDE)
ARMATURE_INLINE Lanes operator/(Lanes a, Lanes b) { return {a.v / b.v}; }
ARMATURE_INLINE Lanes sqrt(Lanes a) { return {(F4)_mm256_sqrt_pd((__m256d)a.v)}; }
ARMATURE_INLINE unsigned bits(LaneMask a) { return static_cast<unsigned>(_mm256_movemask_pd((__m256d)a.m)); }
#else
ARMATURE_INLINE Lanes operator/(Lanes a, Lanes b) { return {a.l / b.l, a.h / b.h}; }
ARMATURE_INLINE Lanes sqrt(Lanes a) {
  return {F2{__builtin_sqrt(a.l[0]), __builtin_sqrt(a.l[1])}, F2{__builtin_sqrt(a.h[0]), __builtin_sqrt(a.h[1])}};
}
ARMATURE_INLINE unsigned bits(LaneMask a) {
  return (a.l[0] != 0 ? 1u : 0u) | (a.l[1] != 0 ? 2u : 0u) | (a.h[0] != 0 ? 4u : 0u) | (a.h[1] != 0 ? 8u : 0u);
}
#endif

#endif

#include "armature/solve/methods/reach_floats.inl"

template <class L>
struct Lanes3 {
  L x, y, z;
};

// Solves (A + lambda) y = e by LDL^T, `a` packed by rows of the lower triangle; y replaces e.
template <class L, class T>
ARMATURE_INLINE void solve_lanes(L* a, L* e) {
  const L tiny = L::all(sizeof(T) == 4 ? T(1e-30) : T(1e-200)), one = L::all(1.0);
  L inverse[6];
  const auto at = [](int r, int c) { return r * (r + 1) / 2 + c; };
#pragma GCC unroll 6
  for (int c = 0; c < 6; ++c) {
    inverse[c] = one / max(a[at(c, c)], tiny);
    L l[6];
#pragma GCC unroll 6
    for (int r = c + 1; r < 6; ++r) l[r] = a[at(r, c)] * inverse[c];
#pragma GCC unroll 6
    for (int r = c + 1; r < 6; ++r) {
#pragma GCC unroll 6
      for (int k = c + 1; k <= r; ++k) a[at(r, k)] = a[at(r, k)] - l[r] * a[at(k, c)];
      e[r] = e[r] - l[r] * e[c];
    }
#pragma GCC unroll 6
    for (int r = c + 1; r < 6; ++r) a[at(r, c)] = l[r];
  }
#pragma GCC unroll 6
  for (int c = 5; c >= 0; --c) {
    e[c] = e[c] * inverse[c];
#pragma GCC unroll 6
    for (int r = c + 1; r < 6; ++r) e[c] = e[c] - a[at(r, c)] * e[r];
  }
}

template <class L, class T, bool kPrismatic>
static unsigned run_lanes_of(const LaneSettings<T>& chain, ReachLanes<T>& lanes, unsigned active,
                             unsigned* converged_out) {
  constexpr int kWidth = sizeof(L) / sizeof(T);
  const int n = chain.joints;
  const auto all = [](T x) __attribute__((always_inline)) { return L::all(x); };
  const auto goal = [&](const T* from, int k) __attribute__((always_inline)) { return L::load(from + kWidth * k); };
  const L magic = all(sizeof(T) == 4 ? T(12582912.0) : T(kRoundMagic));  // 1.5 * 2^23, 1.5 * 2^52
  const L zero = all(0), one = all(1);
  const L position_tolerance2 = all(chain.position_tolerance * chain.position_tolerance);
  const L orientation_tolerance2 = all(chain.orientation_tolerance * chain.orientation_tolerance);
  L best = L::load(lanes.best), idle = L::load(lanes.idle), left = L::load(lanes.left);
  Lanes3<L> axis[kMaxChainJoints], point[kMaxChainJoints];
  L sine[kMaxChainJoints], cosine[kMaxChainJoints], along_axis[kPrismatic ? kMaxChainJoints : 1];
  L j[kMaxChainJoints][6];
  for (;;) {
    // Forward kinematics, one component of all columns at a time: that much stays in registers.
    for (int i = 0; i < n; ++i) {
      L q = L::load(lanes.q + kWidth * i);
      if (kPrismatic) {
        along_axis[i] = all(chain.tz[i]) + q * all(chain.prismatic[i]);
        q = q * all(chain.revolute[i]);
      }
      sincos(q + all(chain.theta[i]), sine[i], cosine[i]);
    }
    Lanes3<L> x{one, zero, zero}, y{zero, one, zero}, z{zero, zero, one}, p{zero, zero, zero};
    const auto walk_component = [&](L & xk, L & yk, L & zk, L & pk, L Lanes3<L>::*k) __attribute__((always_inline)) {
      L a = xk, b = yk, d = zk, o = pk;
      for (int i = 0; i < n; ++i) {
        axis[i].*k = d;
        point[i].*k = o;
        const L s = sine[i], c = cosine[i], ca = all(chain.cos_twist[i]), sa = all(chain.sin_twist[i]);
        const L a1 = c * a + s * b, b1 = c * b - s * a;
        const L tz = kPrismatic ? along_axis[i] : all(chain.tz[i]);
        o = o + ((a1 * all(chain.tx[i]) + b1 * all(chain.ty[i])) + d * tz);
        a = a1;
        b = ca * b1 + sa * d;
        d = ca * d - sa * b1;
      }
      xk = a, yk = b, zk = d, pk = o;
    };
    walk_component(x.x, y.x, z.x, p.x, &Lanes3<L>::x);
    walk_component(x.y, y.y, z.y, p.y, &Lanes3<L>::y);
    walk_component(x.z, y.z, z.z, p.z, &Lanes3<L>::z);
    // Error rows: position, and the chord of the rotation that is left.
    L e[6];
    e[0] = goal(lanes.position, 0) - p.x;
    e[1] = goal(lanes.position, 1) - p.y;
    e[2] = goal(lanes.position, 2) - p.z;
    const T* g = lanes.rotation;  // rows
    const L gxx = goal(g, 0), gyx = goal(g, 1), gzx = goal(g, 2), gxy = goal(g, 3), gyy = goal(g, 4), gzy = goal(g, 5),
            gxz = goal(g, 6), gyz = goal(g, 7), gzz = goal(g, 8);
    const L one_plus_trace = one + (((x.x * gxx + y.x * gyx) + z.x * gzx) +
                                    (((x.y * gxy + y.y * gyy) + z.y * gzy) + ((x.z * gxz + y.z * gyz) + z.z * gzz)));
    e[3] = ((x.y * gxz - x.z * gxy) + (y.y * gyz - y.z * gyy)) + (z.y * gzz - z.z * gzy);
    e[4] = ((x.z * gxx - x.x * gxz) + (y.z * gyx - y.x * gyz)) + (z.z * gzx - z.x * gzz);
    e[5] = ((x.x * gxy - x.y * gxx) + (y.x * gyy - y.y * gyx)) + (z.x * gzy - z.y * gzx);
    const L position2 = (e[0] * e[0] + e[1] * e[1]) + e[2] * e[2];
    const L cross2 = (e[3] * e[3] + e[4] * e[4]) + e[5] * e[5];
    const auto converged = (position2 <= position_tolerance2) & (cross2 <= orientation_tolerance2 * one_plus_trace) &
                           (one_plus_trace > one);
    const L inverse = one / max(one_plus_trace, all(T(1e-9)));
    const L scale = sqrt(inverse), orientation2 = cross2 * inverse;
    const L energy = all(T(0.5)) * (position2 + orientation2);
    const auto better = energy < all(chain.stall_ratio) * best;
    idle = zero_where(better, idle + one);
    best = min(energy, best);
    left = left - one;
    // A NaN is better than nothing, so it ends by patience.
    const auto ended = (converged | (idle > all(chain.stall_patience))) | (left <= zero);
    const unsigned out = bits(ended) & active;
    if (out != 0) {
      for (int i = 0; i < n; ++i) L::load(lanes.q + kWidth * i).store(lanes.ended_q + kWidth * i);
      position2.store(lanes.position2);
      orientation2.store(lanes.orientation2);
      left.store(lanes.ended_left);
    }

    // Jacobian, without the joints that a limit holds back.
    for (int k = 3; k < 6; ++k) e[k] = e[k] * scale;
    for (int i = 0; i < n; ++i) {
      const Lanes3<L>& a = axis[i];
      const L dx = p.x - point[i].x, dy = p.y - point[i].y, dz = p.z - point[i].z;
      L row[6] = {a.y * dz - a.z * dy, a.z * dx - a.x * dz, a.x * dy - a.y * dx, a.x, a.y, a.z};
      if (kPrismatic) {
        const L turns = all(chain.revolute[i]), slides = all(chain.prismatic[i]);
        for (int k = 0; k < 3; ++k) {
          row[k] = row[k] * turns + row[3 + k] * slides;
          row[3 + k] = row[3 + k] * turns;
        }
      }
      const L q = L::load(lanes.q + kWidth * i);
      const auto low = q <= all(chain.lower[i]), high = q >= all(chain.upper[i]);
      if (bits(low | high) != 0) {
        const L slope =
            ((row[0] * e[0] + row[1] * e[1]) + (row[2] * e[2] + row[3] * e[3])) + (row[4] * e[4] + row[5] * e[5]);
        const auto blocked = (low & (slope < zero)) | (high & (slope > zero));
        for (L& r : row) r = zero_where(blocked, r);
      }
      for (int k = 0; k < 6; ++k) j[i][k] = row[k];
    }
    // J J^T + lambda in two passes, so that the sums stay in registers; packed by rows of the lower triangle.
    const L chord2 = max(all(T(4.0)) - one_plus_trace, zero);
    const L lambda = all(chain.damping) * (all(T(0.5)) * (position2 + chord2)) + all(chain.damping_floor);
    L a[21];
    {
      L s00 = lambda, s10 = zero, s11 = lambda, s20 = zero, s21 = zero, s22 = lambda;
      L s33 = lambda, s43 = zero, s44 = lambda, s53 = zero, s54 = zero, s55 = lambda;
      for (int i = 0; i < n; ++i) {
        const L* r = j[i];
        s00 = s00 + r[0] * r[0];
        s10 = s10 + r[1] * r[0];
        s11 = s11 + r[1] * r[1];
        s20 = s20 + r[2] * r[0];
        s21 = s21 + r[2] * r[1];
        s22 = s22 + r[2] * r[2];
        s33 = s33 + r[3] * r[3];
        s43 = s43 + r[4] * r[3];
        s44 = s44 + r[4] * r[4];
        s53 = s53 + r[5] * r[3];
        s54 = s54 + r[5] * r[4];
        s55 = s55 + r[5] * r[5];
      }
      a[0] = s00, a[1] = s10, a[2] = s11, a[3] = s20, a[4] = s21, a[5] = s22;
      a[9] = s33, a[13] = s43, a[14] = s44, a[18] = s53, a[19] = s54, a[20] = s55;
    }
    {
      L s30 = zero, s31 = zero, s32 = zero, s40 = zero, s41 = zero, s42 = zero, s50 = zero, s51 = zero, s52 = zero;
      for (int i = 0; i < n; ++i) {
        const L* r = j[i];
        s30 = s30 + r[3] * r[0];
        s31 = s31 + r[3] * r[1];
        s32 = s32 + r[3] * r[2];
        s40 = s40 + r[4] * r[0];
        s41 = s41 + r[4] * r[1];
        s42 = s42 + r[4] * r[2];
        s50 = s50 + r[5] * r[0];
        s51 = s51 + r[5] * r[1];
        s52 = s52 + r[5] * r[2];
      }
      a[6] = s30, a[7] = s31, a[8] = s32, a[10] = s40, a[11] = s41, a[12] = s42, a[15] = s50, a[16] = s51, a[17] = s52;
    }
    solve_lanes<L, T>(a, e);
    for (int i = 0; i < n; ++i) {
      const L* r = j[i];
      const L step = ((r[0] * e[0] + r[1] * e[1]) + (r[2] * e[2] + r[3] * e[3])) + (r[4] * e[4] + r[5] * e[5]);
      L next = L::load(lanes.q + kWidth * i) + step;
      const L lower = all(chain.lower[i]), upper = all(chain.upper[i]);
      const auto outside = (next < lower) | (next > upper);
      if (bits(outside) != 0) {
        const L turns = ((next - all(chain.middle[i])) * all(T(1.0 / kTwoPi)) + magic) - magic;
        next = select(outside, max(min(next - turns * all(chain.turn[i]), upper), lower), next);
      }
      next.store(lanes.q + kWidth * i);
    }
    if (out != 0) {
      best.store(lanes.best);
      idle.store(lanes.idle);
      left.store(lanes.left);
      *converged_out = bits(converged) & out;
      return out;
    }
  }
}

template <class L, class T>
static unsigned run_lanes(const LaneSettings<T>& settings, ReachLanes<T>& lanes, unsigned active, unsigned* converged) {
  return settings.has_prismatic ? run_lanes_of<L, T, true>(settings, lanes, active, converged)
                                : run_lanes_of<L, T, false>(settings, lanes, active, converged);
}
