// Short vectors for the chain kernels, one definition per instruction set.
//
// Included only by the per-instruction-set units (chain_*.cpp, reach_chain_*.cpp), after they switched the
// compiler's target, inside their own namespace: nothing here is ever shared between units.
//   Pack  four doubles side by side (four joints of one chain)
//   Col   a 3-vector (one column of a rotation, a point)
// Every operation is elementwise or sums in one fixed order and nothing is contracted to a fused
// multiply-add, so all instruction sets produce the same bits. A wider set changes the speed only.

#define ARMATURE_INLINE inline __attribute__((always_inline))

using F2 = double __attribute__((vector_size(16)));
using I2 = long long __attribute__((vector_size(16)));

#if defined(ARMATURE_WIDE)  // 256-bit registers at hand

using F4 = double __attribute__((vector_size(32)));
using I4 = long long __attribute__((vector_size(32)));

struct Mask {
  I4 m;
};
struct Pack {
  F4 v;
  static ARMATURE_INLINE Pack load(const double* p) { return {*reinterpret_cast<const F4*>(p)}; }
  static ARMATURE_INLINE Pack all(double x) { return {F4{x, x, x, x}}; }
  static ARMATURE_INLINE Pack from_floats(const float* p) {
    float __attribute__((vector_size(16))) four;
    __builtin_memcpy(&four, p, sizeof four);
    return {__builtin_convertvector(four, F4)};
  }
  ARMATURE_INLINE void store(double* p) const { *reinterpret_cast<F4*>(p) = v; }
};
ARMATURE_INLINE Pack operator+(Pack a, Pack b) { return {a.v + b.v}; }
ARMATURE_INLINE Pack operator-(Pack a, Pack b) { return {a.v - b.v}; }
ARMATURE_INLINE Pack operator*(Pack a, Pack b) { return {a.v * b.v}; }
ARMATURE_INLINE Mask operator<(Pack a, Pack b) { return {a.v < b.v}; }
ARMATURE_INLINE Mask operator>(Pack a, Pack b) { return {a.v > b.v}; }
ARMATURE_INLINE Mask operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
ARMATURE_INLINE Mask operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
ARMATURE_INLINE Mask operator|(Mask a, Mask b) { return {a.m | b.m}; }
ARMATURE_INLINE Mask operator&(Mask a, Mask b) { return {a.m & b.m}; }
ARMATURE_INLINE bool any(Mask a) { return __builtin_ia32_movmskpd256((F4)a.m) != 0; }
ARMATURE_INLINE Pack select(Mask m, Pack a, Pack b) { return {(F4)((m.m & (I4)a.v) | (~m.m & (I4)b.v))}; }
ARMATURE_INLINE Pack zero_where(Mask m, Pack a) { return {(F4)(~m.m & (I4)a.v)}; }
ARMATURE_INLINE Pack keep_where(Mask m, Pack a) { return {(F4)(m.m & (I4)a.v)}; }
ARMATURE_INLINE Pack min(Pack a, Pack b) { return {__builtin_ia32_minpd256(a.v, b.v)}; }
ARMATURE_INLINE Pack max(Pack a, Pack b) { return {__builtin_ia32_maxpd256(a.v, b.v)}; }

// The sums (a0+a1)+(a2+a3) of four packs, side by side.
ARMATURE_INLINE Pack sums(Pack a, Pack b, Pack c, Pack d) {
  F4 ab = __builtin_shufflevector(a.v, b.v, 0, 4, 2, 6) + __builtin_shufflevector(a.v, b.v, 1, 5, 3, 7);
  F4 cd = __builtin_shufflevector(c.v, d.v, 0, 4, 2, 6) + __builtin_shufflevector(c.v, d.v, 1, 5, 3, 7);
  F4 lo = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  F4 hi = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  return {lo + hi};
}

struct Col {
  F4 v;  // x, y, z, unused
  static ARMATURE_INLINE Col load(const double* p) { return {*reinterpret_cast<const F4*>(p)}; }
  static ARMATURE_INLINE Col of(double x, double y, double z) { return {F4{x, y, z, 0.0}}; }
  ARMATURE_INLINE void store(double* p) const { *reinterpret_cast<F4*>(p) = v; }
  ARMATURE_INLINE double x() const { return v[0]; }
  ARMATURE_INLINE double y() const { return v[1]; }
  ARMATURE_INLINE double z() const { return v[2]; }
};
ARMATURE_INLINE Col operator+(Col a, Col b) { return {a.v + b.v}; }
ARMATURE_INLINE Col operator-(Col a, Col b) { return {a.v - b.v}; }
ARMATURE_INLINE Col operator*(Col a, Col b) { return {a.v * b.v}; }
ARMATURE_INLINE Col operator*(Col a, double s) { return {a.v * F4{s, s, s, s}}; }
ARMATURE_INLINE Col yzx(Col a) { return {__builtin_shufflevector(a.v, a.v, 1, 2, 0, 3)}; }
ARMATURE_INLINE double sum(Col a) { return (a.v[0] + a.v[1]) + a.v[2]; }

// Columns i..i+3 of `from` (4 doubles each) turned into the rows x, y, z.
ARMATURE_INLINE void rows_of(const double* from, Pack& x, Pack& y, Pack& z) {
  const F4* c = reinterpret_cast<const F4*>(from);
  F4 a = __builtin_shufflevector(c[0], c[1], 0, 4, 2, 6);  // x0 x1 z0 z1
  F4 b = __builtin_shufflevector(c[0], c[1], 1, 5, 3, 7);  // y0 y1 . .
  F4 d = __builtin_shufflevector(c[2], c[3], 0, 4, 2, 6);
  F4 e = __builtin_shufflevector(c[2], c[3], 1, 5, 3, 7);
  x.v = __builtin_shufflevector(a, d, 0, 1, 4, 5);
  z.v = __builtin_shufflevector(a, d, 2, 3, 6, 7);
  y.v = __builtin_shufflevector(b, e, 0, 1, 4, 5);
}

#else  // two 128-bit halves, or whatever the compiler makes of them (plain scalars on wasm)

struct Mask {
  I2 l, h;
};
struct Pack {
  F2 l, h;
  static ARMATURE_INLINE Pack load(const double* p) {
    return {reinterpret_cast<const F2*>(p)[0], reinterpret_cast<const F2*>(p)[1]};
  }
  static ARMATURE_INLINE Pack all(double x) { return {F2{x, x}, F2{x, x}}; }
  static ARMATURE_INLINE Pack from_floats(const float* p) {
    return {F2{double(p[0]), double(p[1])}, F2{double(p[2]), double(p[3])}};
  }
  ARMATURE_INLINE void store(double* p) const {
    reinterpret_cast<F2*>(p)[0] = l;
    reinterpret_cast<F2*>(p)[1] = h;
  }
};
ARMATURE_INLINE Pack operator+(Pack a, Pack b) { return {a.l + b.l, a.h + b.h}; }
ARMATURE_INLINE Pack operator-(Pack a, Pack b) { return {a.l - b.l, a.h - b.h}; }
ARMATURE_INLINE Pack operator*(Pack a, Pack b) { return {a.l * b.l, a.h * b.h}; }
ARMATURE_INLINE Mask operator<(Pack a, Pack b) { return {a.l < b.l, a.h < b.h}; }
ARMATURE_INLINE Mask operator>(Pack a, Pack b) { return {a.l > b.l, a.h > b.h}; }
ARMATURE_INLINE Mask operator<=(Pack a, Pack b) { return {a.l <= b.l, a.h <= b.h}; }
ARMATURE_INLINE Mask operator>=(Pack a, Pack b) { return {a.l >= b.l, a.h >= b.h}; }
ARMATURE_INLINE Mask operator|(Mask a, Mask b) { return {a.l | b.l, a.h | b.h}; }
ARMATURE_INLINE Mask operator&(Mask a, Mask b) { return {a.l & b.l, a.h & b.h}; }
ARMATURE_INLINE bool any(Mask a) {
  I2 o = a.l | a.h;
  return (o[0] | o[1]) != 0;
}
ARMATURE_INLINE F2 select2(I2 m, F2 a, F2 b) { return (F2)((m & (I2)a) | (~m & (I2)b)); }
ARMATURE_INLINE Pack select(Mask m, Pack a, Pack b) { return {select2(m.l, a.l, b.l), select2(m.h, a.h, b.h)}; }
ARMATURE_INLINE Pack zero_where(Mask m, Pack a) { return {(F2)(~m.l & (I2)a.l), (F2)(~m.h & (I2)a.h)}; }
ARMATURE_INLINE Pack keep_where(Mask m, Pack a) { return {(F2)(m.l & (I2)a.l), (F2)(m.h & (I2)a.h)}; }
ARMATURE_INLINE Pack min(Pack a, Pack b) { return select(a < b, a, b); }
ARMATURE_INLINE Pack max(Pack a, Pack b) { return select(a > b, a, b); }

ARMATURE_INLINE F2 pairs(F2 a, F2 b) {
  return __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3);
}
ARMATURE_INLINE Pack sums(Pack a, Pack b, Pack c, Pack d) {
  return {pairs(a.l, b.l) + pairs(a.h, b.h), pairs(c.l, d.l) + pairs(c.h, d.h)};
}

struct Col {
  F2 p;
  double q;
  static ARMATURE_INLINE Col load(const double* s) { return {*reinterpret_cast<const F2*>(s), s[2]}; }
  static ARMATURE_INLINE Col of(double x, double y, double z) { return {F2{x, y}, z}; }
  ARMATURE_INLINE void store(double* s) const {
    *reinterpret_cast<F2*>(s) = p;
    s[2] = q;
  }
  ARMATURE_INLINE double x() const { return p[0]; }
  ARMATURE_INLINE double y() const { return p[1]; }
  ARMATURE_INLINE double z() const { return q; }
};
ARMATURE_INLINE Col operator+(Col a, Col b) { return {a.p + b.p, a.q + b.q}; }
ARMATURE_INLINE Col operator-(Col a, Col b) { return {a.p - b.p, a.q - b.q}; }
ARMATURE_INLINE Col operator*(Col a, Col b) { return {a.p * b.p, a.q * b.q}; }
ARMATURE_INLINE Col operator*(Col a, double s) { return {a.p * F2{s, s}, a.q * s}; }
ARMATURE_INLINE Col yzx(Col a) { return {F2{a.p[1], a.q}, a.p[0]}; }
ARMATURE_INLINE double sum(Col a) { return (a.p[0] + a.p[1]) + a.q; }

ARMATURE_INLINE void rows_of(const double* f, Pack& x, Pack& y, Pack& z) {
  x = {F2{f[0], f[4]}, F2{f[8], f[12]}};
  y = {F2{f[1], f[5]}, F2{f[9], f[13]}};
  z = {F2{f[2], f[6]}, F2{f[10], f[14]}};
}

#endif
