// Floats side by side: the lanes that descents begin in (reach_lanes.inl, which includes this). As there, only
// elementwise operations, none of them fused.

#if defined(ARMATURE_WIDEST)

using FloatVector = float __attribute__((vector_size(64)));
using FloatBits = int __attribute__((vector_size(64)));
struct FloatMask {
  __mmask16 m;
};

#else

#if defined(ARMATURE_WIDE)
using FloatVector = float __attribute__((vector_size(32)));
using FloatBits = int __attribute__((vector_size(32)));
#else
using FloatVector = float __attribute__((vector_size(16)));
using FloatBits = int __attribute__((vector_size(16)));
#endif
struct FloatMask {
  FloatBits m;
};

#endif

struct Floats {
  FloatVector v;
  static ARMATURE_INLINE Floats load(const float* p) { return {*reinterpret_cast<const FloatVector*>(p)}; }
  static ARMATURE_INLINE Floats all(float x) { return {x - FloatVector{}}; }
  ARMATURE_INLINE void store(float* p) const { *reinterpret_cast<FloatVector*>(p) = v; }
};
constexpr int kFloatLanes = sizeof(FloatVector) / sizeof(float);

ARMATURE_INLINE Floats operator+(Floats a, Floats b) { return {a.v + b.v}; }
ARMATURE_INLINE Floats operator-(Floats a, Floats b) { return {a.v - b.v}; }
ARMATURE_INLINE Floats operator*(Floats a, Floats b) { return {a.v * b.v}; }
ARMATURE_INLINE Floats operator/(Floats a, Floats b) { return {a.v / b.v}; }

#if defined(ARMATURE_WIDEST)

ARMATURE_INLINE FloatMask operator<(Floats a, Floats b) {
  return {_mm512_cmp_ps_mask((__m512)a.v, (__m512)b.v, _CMP_LT_OQ)};
}
ARMATURE_INLINE FloatMask operator<=(Floats a, Floats b) {
  return {_mm512_cmp_ps_mask((__m512)a.v, (__m512)b.v, _CMP_LE_OQ)};
}
ARMATURE_INLINE FloatMask operator|(FloatMask a, FloatMask b) { return {static_cast<__mmask16>(a.m | b.m)}; }
ARMATURE_INLINE FloatMask operator&(FloatMask a, FloatMask b) { return {static_cast<__mmask16>(a.m & b.m)}; }
ARMATURE_INLINE Floats select(FloatMask m, Floats a, Floats b) {
  return {(FloatVector)_mm512_mask_blend_ps(m.m, (__m512)b.v, (__m512)a.v)};
}
ARMATURE_INLINE Floats zero_where(FloatMask m, Floats a) {
  return {(FloatVector)_mm512_maskz_mov_ps(static_cast<__mmask16>(~m.m), (__m512)a.v)};
}
ARMATURE_INLINE Floats sqrt(Floats a) { return {(FloatVector)_mm512_maskz_sqrt_ps(0xffff, (__m512)a.v)}; }
ARMATURE_INLINE unsigned bits(FloatMask a) { return a.m; }

#else

ARMATURE_INLINE FloatMask operator<(Floats a, Floats b) { return {a.v < b.v}; }
ARMATURE_INLINE FloatMask operator<=(Floats a, Floats b) { return {a.v <= b.v}; }
ARMATURE_INLINE FloatMask operator|(FloatMask a, FloatMask b) { return {a.m | b.m}; }
ARMATURE_INLINE FloatMask operator&(FloatMask a, FloatMask b) { return {a.m & b.m}; }
ARMATURE_INLINE Floats select(FloatMask m, Floats a, Floats b) {
  return {(FloatVector)((m.m & (FloatBits)a.v) | (~m.m & (FloatBits)b.v))};
}
ARMATURE_INLINE Floats zero_where(FloatMask m, Floats a) { return {(FloatVector)(~m.m & (FloatBits)a.v)}; }
#if defined(ARMATURE_WIDE)
ARMATURE_INLINE Floats sqrt(Floats a) { return {(FloatVector)_mm256_sqrt_ps((__m256)a.v)}; }
ARMATURE_INLINE unsigned bits(FloatMask a) { return static_cast<unsigned>(_mm256_movemask_ps((__m256)a.m)); }
#else
ARMATURE_INLINE Floats sqrt(Floats a) {
  for (int k = 0; k < kFloatLanes; ++k) a.v[k] = __builtin_sqrtf(a.v[k]);
  return a;
}
ARMATURE_INLINE unsigned bits(FloatMask a) {
  unsigned out = 0;
  for (int k = 0; k < kFloatLanes; ++k) out |= a.m[k] != 0 ? 1u << k : 0u;
  return out;
}
#endif

#endif

ARMATURE_INLINE FloatMask operator>(Floats a, Floats b) { return b < a; }
ARMATURE_INLINE FloatMask operator>=(Floats a, Floats b) { return b <= a; }
ARMATURE_INLINE Floats min(Floats a, Floats b) { return {a.v < b.v ? a.v : b.v}; }
ARMATURE_INLINE Floats max(Floats a, Floats b) { return {a.v > b.v ? a.v : b.v}; }

// As sincos_vector (sincos.inl), to 1e-7 for angles of some turns: pi/2 in three parts, polynomials of Cephes
// (Moshier).
ARMATURE_INLINE void sincos(Floats x, Floats& sine, Floats& cosine) {
  using F = FloatVector;
  using I = FloatBits;
  const float kMagic = 12582912.0f;  // 1.5 * 2^23
  const F shifted = x.v * 0.636619772f + kMagic, n = shifted - kMagic;
  const I quadrant = (I)shifted;
  const F r = ((x.v - n * 1.5703125f) - n * 4.83751297e-4f) - n * 7.54978995e-8f;
  const F r2 = r * r;
  const F s = r + (r * r2) * (-1.6666654611e-1f + r2 * (8.3321608736e-3f + r2 * -1.9515295891e-4f));
  const F c = (1.0f - 0.5f * r2) + (r2 * r2) * (4.166664568e-2f + r2 * (-1.388731625e-3f + r2 * 2.443315712e-5f));
  const I swap = (quadrant & 1) == 1;
  sine.v = (F)((I)(swap ? c : s) ^ ((quadrant & 2) << 30));
  cosine.v = (F)((I)(swap ? s : c) ^ (((quadrant + 1) & 2) << 30));
}
