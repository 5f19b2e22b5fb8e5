// QR decomposition with column pivoting (Businger, Golub 1965): rank, least squares and null spaces of small dense
// systems. Allocates only in resize().
#pragma once

#include <vector>

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

class PivotedQr {
 public:
  void resize(int rows, int cols);
  /// A P = Q R of `A`, rows x cols, column-major. No larger than what was made room for.
  void compute(const double* A, int rows, int cols);

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int steps() const { return rows_ < cols_ ? rows_ : cols_; }
  /// |R(i, i)|, descending.
  double pivot(int i) const;
  /// How many pivots exceed `relative` times the largest.
  int rank(double relative) const;
  int column(int i) const { return order_[static_cast<std::size_t>(i)]; }  // which column of A stands at place i
  /// Sign of the determinant of a square A: -1, 0 or 1.
  int determinant_sign() const;
  /// x (cols): least squares solution of A x = b using the first `rank` pivots, the others' x are 0. b is destroyed.
  void solve(double* b, double* x, int rank) const;
  /// Column k of the orthogonal Q (rows numbers); k < rows.
  void q_column(int k, double* out) const;
  /// A vector of the null space of A: 1 at column(k), 0 at the other columns from `rank` on; not normalised. k >= rank.
  void null_vector(int k, int rank, double* x) const;

 private:
  double& at(int r, int c) { return a_[static_cast<std::size_t>(c * rows_ + r)]; }
  double at(int r, int c) const { return a_[static_cast<std::size_t>(c * rows_ + r)]; }
  void reflect(int step, double* x) const;  // x becomes H_step x

  int rows_ = 0;
  int cols_ = 0;
  std::vector<double> a_;     // R above the diagonal and on it, Householder vectors below (first entry in head_)
  std::vector<double> head_;  // first entries of the Householder vectors
  std::vector<double> beta_;  // 2 / |v|^2
  std::vector<double> norm_;
  std::vector<int> order_;
};

/// Four sums side by side, so that no addition waits for the one before; always in the same order.
inline double dot(const double* a, const double* b, int n) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

/// Sign of the determinant of the square A (n x n, column-major), which is destroyed: LU with partial pivoting.
int determinant_sign(double* A, int n);

}  // namespace armature::inline v0_2
