// Sixteen 16-bit fractions side by side, for table scans; integers, so every instruction set agrees. Included like
// pack.inl, by units that have <immintrin.h> or <wasm_simd128.h> where there is one.

#if defined(ARMATURE_WIDE)

struct Short16 {
  __m256i v;
  static ARMATURE_INLINE Short16 load(const std::int16_t* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  static ARMATURE_INLINE Short16 all(int x) { return {_mm256_set1_epi16(static_cast<short>(x))}; }
  ARMATURE_INLINE void store(std::int16_t* p) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
};
ARMATURE_INLINE Short16 add(Short16 a, Short16 b) { return {_mm256_adds_epi16(a.v, b.v)}; }        // saturated
ARMATURE_INLINE Short16 subtract(Short16 a, Short16 b) { return {_mm256_subs_epi16(a.v, b.v)}; }   // saturated
ARMATURE_INLINE Short16 multiply(Short16 a, Short16 b) { return {_mm256_mulhi_epi16(a.v, b.v)}; }  // a b / 2^16
ARMATURE_INLINE Short16 both(Short16 a, Short16 b) { return {_mm256_and_si256(a.v, b.v)}; }
// Where x is smaller than `best`, takes x and its tag.
ARMATURE_INLINE void keep_smaller(Short16 x, Short16 tag, Short16& best, Short16& best_tag) {
  const __m256i smaller = _mm256_cmpgt_epi16(best.v, x.v);
  best.v = _mm256_min_epi16(best.v, x.v);
  best_tag.v = _mm256_blendv_epi8(best_tag.v, tag.v, smaller);
}

#elif defined(__SSE2__)

struct Short16 {
  __m128i l, h;
  static ARMATURE_INLINE Short16 load(const std::int16_t* p) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)),
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8))};
  }
  static ARMATURE_INLINE Short16 all(int x) {
    return {_mm_set1_epi16(static_cast<short>(x)), _mm_set1_epi16(static_cast<short>(x))};
  }
  ARMATURE_INLINE void store(std::int16_t* p) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), l);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p + 8), h);
  }
};
ARMATURE_INLINE Short16 add(Short16 a, Short16 b) { return {_mm_adds_epi16(a.l, b.l), _mm_adds_epi16(a.h, b.h)}; }
ARMATURE_INLINE Short16 subtract(Short16 a, Short16 b) { return {_mm_subs_epi16(a.l, b.l), _mm_subs_epi16(a.h, b.h)}; }
ARMATURE_INLINE Short16 multiply(Short16 a, Short16 b) {
  return {_mm_mulhi_epi16(a.l, b.l), _mm_mulhi_epi16(a.h, b.h)};
}
ARMATURE_INLINE Short16 both(Short16 a, Short16 b) { return {_mm_and_si128(a.l, b.l), _mm_and_si128(a.h, b.h)}; }
ARMATURE_INLINE __m128i select8(__m128i m, __m128i a, __m128i b) {
  return _mm_or_si128(_mm_and_si128(m, a), _mm_andnot_si128(m, b));
}
ARMATURE_INLINE void keep_smaller(Short16 x, Short16 tag, Short16& best, Short16& best_tag) {
  best_tag.l = select8(_mm_cmpgt_epi16(best.l, x.l), tag.l, best_tag.l);
  best_tag.h = select8(_mm_cmpgt_epi16(best.h, x.h), tag.h, best_tag.h);
  best.l = _mm_min_epi16(best.l, x.l);
  best.h = _mm_min_epi16(best.h, x.h);
}

#elif defined(__wasm_simd128__)

struct Short16 {
  v128_t l, h;
  static ARMATURE_INLINE Short16 load(const std::int16_t* p) { return {wasm_v128_load(p), wasm_v128_load(p + 8)}; }
  static ARMATURE_INLINE Short16 all(int x) {
    return {wasm_i16x8_splat(static_cast<std::int16_t>(x)), wasm_i16x8_splat(static_cast<std::int16_t>(x))};
  }
  ARMATURE_INLINE void store(std::int16_t* p) const {
    wasm_v128_store(p, l);
    wasm_v128_store(p + 8, h);
  }
};
ARMATURE_INLINE Short16 add(Short16 a, Short16 b) {
  return {wasm_i16x8_add_sat(a.l, b.l), wasm_i16x8_add_sat(a.h, b.h)};
}
ARMATURE_INLINE Short16 subtract(Short16 a, Short16 b) {
  return {wasm_i16x8_sub_sat(a.l, b.l), wasm_i16x8_sub_sat(a.h, b.h)};
}
// The upper halves of the eight products.
ARMATURE_INLINE v128_t multiply8(v128_t a, v128_t b) {
  return wasm_i16x8_shuffle(wasm_i32x4_extmul_low_i16x8(a, b), wasm_i32x4_extmul_high_i16x8(a, b), 1, 3, 5, 7, 9, 11,
                            13, 15);
}
ARMATURE_INLINE Short16 multiply(Short16 a, Short16 b) { return {multiply8(a.l, b.l), multiply8(a.h, b.h)}; }
ARMATURE_INLINE Short16 both(Short16 a, Short16 b) { return {wasm_v128_and(a.l, b.l), wasm_v128_and(a.h, b.h)}; }
ARMATURE_INLINE void keep_smaller(Short16 x, Short16 tag, Short16& best, Short16& best_tag) {
  best_tag.l = wasm_v128_bitselect(tag.l, best_tag.l, wasm_i16x8_lt(x.l, best.l));
  best_tag.h = wasm_v128_bitselect(tag.h, best_tag.h, wasm_i16x8_lt(x.h, best.h));
  best.l = wasm_i16x8_min(best.l, x.l);
  best.h = wasm_i16x8_min(best.h, x.h);
}

#else

struct Short16 {
  std::int16_t v[16];
  static ARMATURE_INLINE Short16 load(const std::int16_t* p) {
    Short16 r;
    for (int i = 0; i < 16; ++i) r.v[i] = p[i];
    return r;
  }
  static ARMATURE_INLINE Short16 all(int x) {
    Short16 r;
    for (int i = 0; i < 16; ++i) r.v[i] = static_cast<std::int16_t>(x);
    return r;
  }
  ARMATURE_INLINE void store(std::int16_t* p) const {
    for (int i = 0; i < 16; ++i) p[i] = v[i];
  }
};
ARMATURE_INLINE std::int16_t saturated(int x) {
  return static_cast<std::int16_t>(x > 32767 ? 32767 : x < -32768 ? -32768 : x);
}
ARMATURE_INLINE Short16 add(Short16 a, const Short16& b) {
  for (int i = 0; i < 16; ++i) a.v[i] = saturated(a.v[i] + b.v[i]);
  return a;
}
ARMATURE_INLINE Short16 subtract(Short16 a, const Short16& b) {
  for (int i = 0; i < 16; ++i) a.v[i] = saturated(a.v[i] - b.v[i]);
  return a;
}
ARMATURE_INLINE Short16 multiply(Short16 a, const Short16& b) {
  for (int i = 0; i < 16; ++i) a.v[i] = static_cast<std::int16_t>((a.v[i] * b.v[i]) >> 16);
  return a;
}
ARMATURE_INLINE Short16 both(Short16 a, const Short16& b) {
  for (int i = 0; i < 16; ++i) a.v[i] = static_cast<std::int16_t>(a.v[i] & b.v[i]);
  return a;
}
ARMATURE_INLINE void keep_smaller(const Short16& x, const Short16& tag, Short16& best, Short16& best_tag) {
  for (int i = 0; i < 16; ++i) {
    if (x.v[i] < best.v[i]) {
      best.v[i] = x.v[i];
      best_tag.v[i] = tag.v[i];
    }
  }
}

#endif
