// Division, roots, arc tangents, angles and 3-vectors of four numbers side by side. Included after pack.inl and
// sincos.inl, in the namespace of one instruction set; every operation is elementwise and correctly rounded, or a fixed
// polynomial, so all instruction sets give the same bits.

#if defined(ARMATURE_WIDE)
ARMATURE_INLINE Pack operator/(Pack a, Pack b) { return {a.v / b.v}; }
ARMATURE_INLINE Pack operator-(Pack a) { return {(F4)((I4)a.v ^ (I4)F4{-0.0, -0.0, -0.0, -0.0})}; }
ARMATURE_INLINE Pack abs(Pack a) { return {(F4)((I4)a.v & 0x7fffffffffffffffLL)}; }
ARMATURE_INLINE Pack sqrt(Pack a) { return {__builtin_ia32_sqrtpd256(a.v)}; }
// `size` is not negative. One operation less than for any size, which clang 14 gets wrong for AVX-512 inside a select.
ARMATURE_INLINE Pack with_sign(Pack size, Pack sign) {
  return {(F4)((I4)size.v | ((I4)sign.v & (I4)F4{-0.0, -0.0, -0.0, -0.0}))};
}
ARMATURE_INLINE int bits(Mask m) { return __builtin_ia32_movmskpd256((F4)m.m); }
ARMATURE_INLINE Mask operator~(Mask a) { return {~a.m}; }
#else
ARMATURE_INLINE Pack operator/(Pack a, Pack b) { return {a.l / b.l, a.h / b.h}; }
ARMATURE_INLINE Pack operator-(Pack a) {
  const I2 bit = (I2)F2{-0.0, -0.0};
  return {(F2)((I2)a.l ^ bit), (F2)((I2)a.h ^ bit)};
}
ARMATURE_INLINE Pack abs(Pack a) {
  const I2 rest = ~(I2)F2{-0.0, -0.0};
  return {(F2)((I2)a.l & rest), (F2)((I2)a.h & rest)};
}
ARMATURE_INLINE Pack sqrt(Pack a) {
  return {F2{__builtin_sqrt(a.l[0]), __builtin_sqrt(a.l[1])}, F2{__builtin_sqrt(a.h[0]), __builtin_sqrt(a.h[1])}};
}
ARMATURE_INLINE Pack with_sign(Pack size, Pack sign) {
  const I2 bit = (I2)F2{-0.0, -0.0};
  return {(F2)((I2)size.l | ((I2)sign.l & bit)), (F2)((I2)size.h | ((I2)sign.h & bit))};
}
ARMATURE_INLINE int bits(Mask m) {
  return (m.l[0] != 0 ? 1 : 0) | (m.l[1] != 0 ? 2 : 0) | (m.h[0] != 0 ? 4 : 0) | (m.h[1] != 0 ? 8 : 0);
}
ARMATURE_INLINE Mask operator~(Mask a) { return {~a.l, ~a.h}; }
#endif

ARMATURE_INLINE Pack operator*(double a, Pack b) { return Pack::all(a) * b; }
ARMATURE_INLINE Pack operator+(double a, Pack b) { return Pack::all(a) + b; }
ARMATURE_INLINE Pack operator-(double a, Pack b) { return Pack::all(a) - b; }
ARMATURE_INLINE Pack operator-(Pack a, double b) { return a - Pack::all(b); }
ARMATURE_INLINE Mask operator<(Pack a, double b) { return a < Pack::all(b); }
ARMATURE_INLINE Mask operator>(Pack a, double b) { return a > Pack::all(b); }
ARMATURE_INLINE Mask operator<=(Pack a, double b) { return a <= Pack::all(b); }
ARMATURE_INLINE Mask operator>=(Pack a, double b) { return a >= Pack::all(b); }
ARMATURE_INLINE Pack load_anywhere(const double* p) {
  Pack a;
  __builtin_memcpy(&a, p, sizeof a);
  return a;
}
ARMATURE_INLINE void store_anywhere(double* p, Pack a) { __builtin_memcpy(p, &a, sizeof a); }
ARMATURE_INLINE Mask mask_of(int bit0, int bit1, int bit2, int bit3) {
  alignas(32) const double x[4] = {double(bit0), double(bit1), double(bit2), double(bit3)};
  return Pack::load(x) > 0.5;
}

// atan(t) / t is a polynomial in t^2 up to tan(pi / 8), 2e-19 relative; larger t by atan t = pi / 4 + atan((t - 1) / (t
// + 1)).
ARMATURE_INLINE Pack atan2(Pack y, Pack x) {
  const Pack ax = abs(x), ay = abs(y);
  const Mask steep = ay > ax;
  const Pack large = max(max(ax, ay), Pack::all(1e-300)), small = min(ax, ay);
  const Mask upper = small > large * Pack::all(0.41421356237309503);
  const Pack t = select(upper, small - large, small) / select(upper, small + large, large);
  const Pack z = t * t, z2 = z * z, z4 = z2 * z2;
  const Pack low =
      (-0.3333333333333333 + 0.19999999999999804 * z) + z2 * (-0.14285714285659823 + 0.11111111105154961 * z);
  const Pack middle =
      (-0.09090908753476708 + 0.07692296374333317 * z) + z2 * (-0.06666424873186771 + 0.05878928853518491 * z);
  const Pack high =
      (-0.05230453207751896 + 0.045515883721944254 * z) + z2 * (-0.03457043728986823 + 0.01628561866875299 * z);
  Pack r = t + (t * z) * (low + z4 * (middle + z4 * high));
  r = select(upper, 0.7853981633974483 + r, r);
  r = select(steep, 1.5707963267948966 - r, r);
  r = select(x < 0.0, 3.141592653589793 - r, r);
  return with_sign(r, y);
}
ARMATURE_INLINE double atan2_one(double y, double x) {
  alignas(32) double out[4];
  atan2(Pack::all(y), Pack::all(x)).store(out);
  return out[0];
}
ARMATURE_INLINE void sincos_one(double angle, double& s, double& c) {
  alignas(32) double ss[4], cc[4];
  Pack sp, cp;
  sincos(Pack::all(angle), sp, cp);
  sp.store(ss);
  cp.store(cc);
  s = ss[0];
  c = cc[0];
}

// An angle as its cosine and sine.
struct Turn {
  Pack c, s;
};

struct Vec {
  Pack x, y, z;
  static ARMATURE_INLINE Vec all(const double* v) { return {Pack::all(v[0]), Pack::all(v[1]), Pack::all(v[2])}; }
};
ARMATURE_INLINE Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
ARMATURE_INLINE Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
ARMATURE_INLINE Vec operator*(const Vec& a, Pack b) { return {a.x * b, a.y * b, a.z * b}; }
ARMATURE_INLINE Pack dot(const Vec& a, const Vec& b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }
ARMATURE_INLINE Vec cross(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// About z.
ARMATURE_INLINE Vec turned(const Turn& t, const Vec& v) { return {t.c * v.x - t.s * v.y, t.s * v.x + t.c * v.y, v.z}; }
ARMATURE_INLINE Vec turned_back(const Turn& t, const Vec& v) {
  return {t.c * v.x + t.s * v.y, t.c * v.y - t.s * v.x, v.z};
}
// A constant row-major matrix times a vector, and its transpose times a vector.
ARMATURE_INLINE Vec times(const double* m, const Vec& v) {
  return {(m[0] * v.x + m[1] * v.y) + m[2] * v.z, (m[3] * v.x + m[4] * v.y) + m[5] * v.z,
          (m[6] * v.x + m[7] * v.y) + m[8] * v.z};
}
ARMATURE_INLINE Vec times_transposed(const double* m, const Vec& v) {
  return {(m[0] * v.x + m[3] * v.y) + m[6] * v.z, (m[1] * v.x + m[4] * v.y) + m[7] * v.z,
          (m[2] * v.x + m[5] * v.y) + m[8] * v.z};
}
