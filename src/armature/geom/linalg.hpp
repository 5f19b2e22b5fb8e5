// Small linear systems for solvers, written out by hand: they have 1 to a few dozen rows, where general libraries spend
// most of their time on generality (and on compiling). Nothing here allocates. Singular values: svd.hpp.
#pragma once

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

/// Solves A x = b for a symmetric A (n x n, column-major, lower triangle read) by A = L D L'. A is overwritten by the
/// factors, b by x. Returns the smallest pivot of D divided by the largest diagonal entry of A: about 1 / condition for
/// a positive definite A, and 0 (b unchanged) when A is not positive definite or not finite.
double ldlt_solve(double* A, double* b, int n);

/// The two halves of ldlt_solve: factors in place, then any number of right sides.
double ldlt_factor(double* A, int n);
void ldlt_solve_again(const double* A, double* b, int n);

/// G = A A' (rows x rows, column-major, lower triangle), and G = A' A (cols x cols).
void gram_of_rows(const MatX& A, double* G);
void gram_of_columns(const MatX& A, double* G);
/// x = A' y.
void multiply_transposed(const MatX& A, const double* y, double* x);

/// Solves the square A x = b (n x n, column-major) by LU with partial pivoting. A is destroyed, b becomes x. Returns
/// the smallest pivot divided by the largest entry of A, 0 (b unspecified) when A is singular or not finite.
double lu_solve(double* A, double* b, int n);

}  // namespace armature::inline v0_2
