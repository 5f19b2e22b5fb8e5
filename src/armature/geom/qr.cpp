#include "armature/geom/qr.hpp"

#include <algorithm>
#include <cmath>

namespace armature::inline v0_2 {

void PivotedQr::resize(int rows, int cols) {
  const auto steps = static_cast<std::size_t>(std::max(rows, cols));
  a_.resize(std::max(a_.size(), static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)));
  head_.resize(std::max(head_.size(), steps));
  beta_.resize(std::max(beta_.size(), steps));
  norm_.resize(std::max(norm_.size(), static_cast<std::size_t>(cols)));
  order_.resize(std::max(order_.size(), static_cast<std::size_t>(cols)));
}

void PivotedQr::compute(const double* A, int rows, int cols) {
  resize(rows, cols);
  rows_ = rows;
  cols_ = cols;
  std::copy(A, A + rows * cols, a_.begin());
  for (int c = 0; c < cols; ++c) order_[static_cast<std::size_t>(c)] = c;
  for (int k = 0; k < steps(); ++k) {
    // The longest column of what is left; summed afresh, as updated norms lose their digits near singular systems.
    int best = k;
    double longest = -1.0;
    for (int c = k; c < cols; ++c) {
      const double sum = dot(&at(k, c), &at(k, c), rows - k);
      if (sum > longest) {
        longest = sum;
        best = c;
      }
    }
    if (best != k) {
      std::swap_ranges(&at(0, k), &at(0, k) + rows, &at(0, best));
      std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(best)]);
    }
    const double norm = std::sqrt(std::max(longest, 0.0));
    const double first = at(k, k);
    const double alpha = first > 0.0 ? -norm : norm;
    const double head = first - alpha;
    const double square = longest - first * first + head * head;
    head_[static_cast<std::size_t>(k)] = head;
    beta_[static_cast<std::size_t>(k)] = square > 0.0 ? 2.0 / square : 0.0;
    const double* const v = &at(k, k) + 1;
    const int below = rows - k - 1;
    for (int c = k + 1; c < cols; ++c) {
      double* const x = &at(k, c) + 1;
      const double along = beta_[static_cast<std::size_t>(k)] * (head * x[-1] + dot(v, x, below));
      x[-1] -= along * head;
      for (int r = 0; r < below; ++r) x[r] -= along * v[r];
    }
    at(k, k) = beta_[static_cast<std::size_t>(k)] > 0.0 ? alpha : first;
  }
}

double PivotedQr::pivot(int i) const { return std::abs(at(i, i)); }

int PivotedQr::rank(double relative) const {
  int rank = 0;
  while (rank < steps() && pivot(rank) > relative * pivot(0) && pivot(rank) > 0.0) ++rank;
  return rank;
}

int PivotedQr::determinant_sign() const {
  int sign = 1;
  for (int i = 0; i < cols_; ++i) {
    if (at(i, i) == 0.0) return 0;
    if (at(i, i) < 0.0) sign = -sign;
    if (beta_[static_cast<std::size_t>(i)] > 0.0) sign = -sign;  // each reflection turns the space over
  }
  // Parity of the permutation by its cycles; norm_ is free to mark what was seen.
  double* const seen = const_cast<double*>(norm_.data());
  std::fill(seen, seen + cols_, 0.0);
  for (int i = 0; i < cols_; ++i) {
    int length = 0;
    for (int j = i; seen[j] == 0.0; j = order_[static_cast<std::size_t>(j)]) {
      seen[j] = 1.0;
      ++length;
    }
    if (length > 0 && length % 2 == 0) sign = -sign;
  }
  return sign;
}

void PivotedQr::reflect(int k, double* x) const {
  const double head = head_[static_cast<std::size_t>(k)];
  const double* const v = a_.data() + k * rows_;
  const double along = beta_[static_cast<std::size_t>(k)] * (head * x[k] + dot(v + k + 1, x + k + 1, rows_ - k - 1));
  x[k] -= along * head;
  for (int r = k + 1; r < rows_; ++r) x[r] -= along * v[r];
}

void PivotedQr::solve(double* b, double* x, int rank) const {
  for (int k = 0; k < steps(); ++k) reflect(k, b);
  for (int i = 0; i < cols_; ++i) x[i] = 0.0;
  for (int i = rank - 1; i >= 0; --i) {
    double sum = b[i];
    for (int c = i + 1; c < rank; ++c) sum -= at(i, c) * x[order_[static_cast<std::size_t>(c)]];
    x[order_[static_cast<std::size_t>(i)]] = sum / at(i, i);
  }
}

void PivotedQr::q_column(int k, double* out) const {
  for (int r = 0; r < rows_; ++r) out[r] = r == k ? 1.0 : 0.0;
  for (int i = steps() - 1; i >= 0; --i) reflect(i, out);
}

void PivotedQr::null_vector(int k, int rank, double* x) const {
  for (int i = 0; i < cols_; ++i) x[i] = 0.0;
  x[order_[static_cast<std::size_t>(k)]] = 1.0;
  for (int i = rank - 1; i >= 0; --i) {
    double sum = -at(i, k);
    for (int c = i + 1; c < rank; ++c) sum -= at(i, c) * x[order_[static_cast<std::size_t>(c)]];
    x[order_[static_cast<std::size_t>(i)]] = sum / at(i, i);
  }
}

int determinant_sign(double* A, int n) {
  int sign = 1;
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int r = k + 1; r < n; ++r) {
      if (std::abs(A[k * n + r]) > std::abs(A[k * n + best])) best = r;
    }
    const double pivot = A[k * n + best];
    if (!(std::abs(pivot) > 0.0)) return 0;
    if (best != k) {
      for (int c = k; c < n; ++c) std::swap(A[c * n + best], A[c * n + k]);
      sign = -sign;
    }
    if (pivot < 0.0) sign = -sign;
    for (int r = k + 1; r < n; ++r) {
      const double factor = A[k * n + r] / pivot;
      for (int c = k + 1; c < n; ++c) A[c * n + r] -= factor * A[c * n + k];
    }
  }
  return sign;
}

}  // namespace armature::inline v0_2
