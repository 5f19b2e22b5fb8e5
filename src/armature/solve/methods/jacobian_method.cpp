#include "armature/solve/methods/jacobian_method.hpp"

#include <string>

#include "armature/geom/linalg.hpp"

namespace armature::inline v0_2 {
namespace {

// Below this 1 / condition of the Gram matrix (the square of A's) singular values are used.
constexpr double kGramQuality = 1e-8;
// Singular values below this share of the largest count as zero.
constexpr double kRank = 1e-10;

}  // namespace

Status check_weighed(const CompiledProblem& problem, const char* method) {
  if (problem.all_one_priority()) return {};
  return Error{"Method '" + std::string(method) +
               "' weighs goals against each other and knows no priorities; give all goals the same priority, or use "
               "'reach'."};
}

void MinimumNorm::factor(const MatX& A, double damping) {
  A_ = &A;
  damping_ = damping;
  wide_ = A.rows() <= A.cols();
  const int n = static_cast<int>(wide_ ? A.rows() : A.cols());
  if (gram_.size() != n * n) gram_.resize(n * n);
  if (product_.size() != A.rows()) product_.resize(A.rows());
  if (part_.size() != A.cols()) part_.resize(A.cols());
  if (damping == 0.0) svd_.resize(static_cast<int>(A.rows()), static_cast<int>(A.cols()));
  if (wide_) {
    gram_of_rows(A, gram_.data());
  } else {
    gram_of_columns(A, gram_.data());
  }
  for (int i = 0; i < n; ++i) gram_[i * n + i] += damping * damping;
  // A damped matrix is as well-conditioned as it will get.
  const double quality = ldlt_factor(gram_.data(), n);
  factored_ = quality > (damping > 0.0 ? 0.0 : kGramQuality);
  if (!factored_) svd_.compute(A);
}

void MinimumNorm::solve(const VecX& b, VecX& u) {
  if (!factored_) {
    svd_.solve(b, u, kRank, damping_);
  } else if (wide_) {
    product_ = b;
    ldlt_solve_again(gram_.data(), product_.data(), static_cast<int>(A_->rows()));
    multiply_transposed(*A_, product_.data(), u.data());
  } else {
    multiply_transposed(*A_, b.data(), u.data());
    ldlt_solve_again(gram_.data(), u.data(), static_cast<int>(A_->cols()));
  }
}

void MinimumNorm::multiply(const VecX& z) {
  product_.setZero();
  for (Eigen::Index c = 0; c < A_->cols(); ++c) product_ += z[c] * A_->col(c);
}

void MinimumNorm::project(VecX& z) {
  if (!factored_) {
    svd_.project_to_null_space(z, kRank);
    return;
  }
  if (!wide_) {  // full column rank: the null space is 0
    z.setZero();
    return;
  }
  for (int pass = 0; pass < 3; ++pass) {  // each pass squares away what conditioning left
    multiply(z);
    ldlt_solve_again(gram_.data(), product_.data(), static_cast<int>(A_->rows()));
    multiply_transposed(*A_, product_.data(), part_.data());
    z -= part_;
  }
}

}  // namespace armature::inline v0_2
