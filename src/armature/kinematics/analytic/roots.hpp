// Real roots of small polynomials and of trigonometric polynomials of degree 2, without complex numbers: between the
// roots of the derivative a polynomial is monotonous, so each interval holds at most one root.
#pragma once

namespace armature::inline v0_2::analytic {

inline constexpr int kMaxDegree = 4;

/// Roots of c[0] + c[1] x + ... in [low, high], ascending; at most `degree`. A turning point with |f| <= `noise` counts
/// as two roots, given on both sides of it: for Newton's method on what they are roots of. Returns how many.
int polynomial_roots(const double* c, int degree, double low, double high, double noise, double* roots);

/// Angles in (-pi, pi] with c[0] + c[1] cos + c[2] sin + c[3] cos 2t + c[4] sin 2t = 0; at most 4, plus doubles found
/// on both sides of a seam.
int trigonometric_roots(const double* c, double noise, double* roots);

}  // namespace armature::inline v0_2::analytic
