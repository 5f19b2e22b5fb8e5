// Sine and cosine of a whole vector of angles. Included like pack.inl.
//
// Range reduction to |r| <= pi/4 by three-part Cody-Waite (Cody & Waite, 1980: exact products while |x| < 1e6), then
// Taylor polynomials to r^15 and r^16, summed pairwise for short latency. Error below 2 ulp, 2e-16 absolute.

template <class F, class I>
ARMATURE_INLINE void sincos_vector(F x, F& sine, F& cosine) {
  const double kMagic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer in the low bits
  F shifted = x * 0.63661977236758134308 + kMagic;
  F n = shifted - kMagic;
  I quadrant = (I)shifted;
  // pi/2 in three parts; the first two have 33 significant bits, so their products with n are exact.
  F r = x - n * 1.57079632673412561417;
  r = r - n * 6.07710050630396597660e-11;
  r = r - n * 2.02226624879595063154e-21;
  F r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
  F s_low = (-1.0 / 6 + r2 * (1.0 / 120)) + r4 * (-1.0 / 5040 + r2 * (1.0 / 362880));
  F s_high = (-1.0 / 39916800 + r2 * (1.0 / 6227020800.0)) + r4 * (-1.0 / 1307674368000.0);
  F s = r + (r * r2) * (s_low + r8 * s_high);
  F c_low = (1.0 / 24 + r2 * (-1.0 / 720)) + r4 * (1.0 / 40320 + r2 * (-1.0 / 3628800));
  F c_high = (1.0 / 479001600 + r2 * (-1.0 / 87178291200.0)) + r4 * (1.0 / 20922789888000.0);
  F c = (1.0 - 0.5 * r2) + r4 * (c_low + r8 * c_high);
  I swap = (quadrant & 1) == 1;
  F a = swap ? c : s;
  F b = swap ? s : c;
  sine = (F)((I)a ^ ((quadrant & 2) << 62));
  cosine = (F)((I)b ^ (((quadrant + 1) & 2) << 62));
}

#if defined(ARMATURE_WIDE)
ARMATURE_INLINE void sincos(Pack x, Pack& s, Pack& c) { sincos_vector<F4, I4>(x.v, s.v, c.v); }
#else
ARMATURE_INLINE void sincos(Pack x, Pack& s, Pack& c) {
  sincos_vector<F2, I2>(x.l, s.l, c.l);
  sincos_vector<F2, I2>(x.h, s.h, c.h);
}
#endif
