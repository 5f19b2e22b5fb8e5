// Singular values of small matrices, and what follows from them. Nothing here allocates, except Svd::resize and
// null_space.
#pragma once

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

/// Thin singular value decomposition A = U diag(s) V' by one-sided Jacobi rotations (Hestenes 1958), which gets small
/// singular values right to their last bits. s descends. Where s[i] is 0 the long factor's column is 0 too.
class Svd {
 public:
  /// Makes room; compute() calls it, and it allocates only when the shape changed.
  void resize(int rows, int cols);
  void compute(const Eigen::Ref<const MatX>& A);

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int size() const { return static_cast<int>(s_.size()); }  // min(rows, cols)
  const VecX& s() const { return s_; }
  const MatX& U() const { return rows_ <= cols_ ? short_ : long_; }
  const MatX& V() const { return rows_ <= cols_ ? long_ : short_; }
  /// How many singular values exceed `relative` times the largest one.
  int rank(double relative) const;

  /// x = V diag(s / (s^2 + damping^2)) U' b over singular values above `relative` * largest: the minimum-norm least
  /// squares solution, damped when damping > 0. x must have cols() entries.
  void solve(const Eigen::Ref<const VecX>& b, Eigen::Ref<VecX> x, double relative, double damping = 0.0) const;

  /// x becomes its part in the null space of A (its orthogonal complement to the row space of the given rank).
  void project_to_null_space(Eigen::Ref<VecX> x, double relative) const;

 private:
  int rows_ = 0;
  int cols_ = 0;
  MatX long_;   // max(rows, cols) x k
  MatX short_;  // k x k
  VecX s_;
};

/// Only the singular values, descending, of any A with min(rows, cols) <= kMaxSmall, into `s`; returns how many.
/// Does not allocate.
inline constexpr int kMaxSmall = 12;
int singular_values(const Eigen::Ref<const MatX>& A, double* s);

/// Orthonormal columns that span the null space of A (cols x nullity). Allocates.
MatX null_space(const Eigen::Ref<const MatX>& A, double relative = 1e-10);

}  // namespace armature::inline v0_2
