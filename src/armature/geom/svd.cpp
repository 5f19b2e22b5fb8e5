#include "armature/geom/svd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace armature::inline v0_2 {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Makes the columns of B (m x k) orthogonal by rotations from the right, which are applied to W (w x k) as well.
void orthogonalize_columns(double* B, int m, double* W, int w, int k) {
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (int p = 0; p < k - 1; ++p) {
      for (int q = p + 1; q < k; ++q) {
        double* x = B + p * m;
        double* y = B + q * m;
        double xx = 0.0;
        double yy = 0.0;
        double xy = 0.0;
        for (int i = 0; i < m; ++i) {
          xx += x[i] * x[i];
          yy += y[i] * y[i];
          xy += x[i] * y[i];
        }
        if (!(std::abs(xy) > 4.0 * kEpsilon * std::sqrt(xx * yy))) continue;
        rotated = true;
        const double zeta = (yy - xx) / (2.0 * xy);
        const double t = (zeta >= 0.0 ? 1.0 : -1.0) / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
        const double c = 1.0 / std::sqrt(1.0 + t * t);
        const double s = c * t;
        for (int i = 0; i < m; ++i) {
          const double a = x[i];
          x[i] = c * a - s * y[i];
          y[i] = s * a + c * y[i];
        }
        double* u = W + p * w;
        double* v = W + q * w;
        for (int i = 0; i < w; ++i) {
          const double a = u[i];
          u[i] = c * a - s * v[i];
          v[i] = s * a + c * v[i];
        }
      }
    }
    if (!rotated) return;
  }
}

// Largest absolute entry; 0 when any entry is not finite.
double magnitude(const Eigen::Ref<const MatX>& A) {
  double largest = 0.0;
  for (Eigen::Index c = 0; c < A.cols(); ++c) {
    for (Eigen::Index r = 0; r < A.rows(); ++r) {
      const double a = std::abs(A(r, c));
      if (!(a <= std::numeric_limits<double>::max())) return 0.0;
      largest = std::max(largest, a);
    }
  }
  return largest;
}

// R of the QR decomposition of a buffer of `m` rows and k columns (leading dimension ld), by Householder reflections.
void triangularize(double* B, int ld, int m, int k) {
  for (int j = 0; j < k && j < m; ++j) {
    double* x = B + j * ld;
    double tail = 0.0;
    for (int i = j + 1; i < m; ++i) tail += x[i] * x[i];
    if (tail == 0.0) continue;
    const double alpha = std::sqrt(x[j] * x[j] + tail);
    const double pivot = x[j] >= 0.0 ? x[j] + alpha : x[j] - alpha;
    const double beta = 2.0 / (pivot * pivot + tail);
    for (int c = j + 1; c < k; ++c) {
      double* y = B + c * ld;
      double dot = pivot * y[j];
      for (int i = j + 1; i < m; ++i) dot += x[i] * y[i];
      dot *= beta;
      y[j] -= dot * pivot;
      for (int i = j + 1; i < m; ++i) y[i] -= dot * x[i];
    }
    x[j] = x[j] >= 0.0 ? -alpha : alpha;
    for (int i = j + 1; i < m; ++i) x[i] = 0.0;
  }
}

}  // namespace

void Svd::resize(int rows, int cols) {
  if (rows == rows_ && cols == cols_) return;
  rows_ = rows;
  cols_ = cols;
  const int k = std::min(rows, cols);
  long_.resize(std::max(rows, cols), k);
  short_.resize(k, k);
  s_.resize(k);
}

void Svd::compute(const Eigen::Ref<const MatX>& A) {
  resize(static_cast<int>(A.rows()), static_cast<int>(A.cols()));
  const int k = size();
  short_.setIdentity();
  const double scale = magnitude(A);
  if (scale == 0.0) {
    long_.setZero();
    s_.setZero();
    return;
  }
  if (rows_ <= cols_) {
    long_ = A.transpose() * (1.0 / scale);
  } else {
    long_ = A * (1.0 / scale);
  }
  orthogonalize_columns(long_.data(), static_cast<int>(long_.rows()), short_.data(), k, k);
  for (int i = 0; i < k; ++i) {
    const double norm = long_.col(i).norm();
    s_[i] = norm;
    if (norm > 0.0) long_.col(i) *= 1.0 / norm;
  }
  for (int i = 0; i < k - 1; ++i) {  // k is small: a plain selection sort
    int best = i;
    for (int j = i + 1; j < k; ++j) {
      if (s_[j] > s_[best]) best = j;
    }
    if (best == i) continue;
    std::swap(s_[i], s_[best]);
    long_.col(i).swap(long_.col(best));
    short_.col(i).swap(short_.col(best));
  }
  s_ *= scale;
}

int Svd::rank(double relative) const {
  int count = 0;
  while (count < size() && s_[count] > relative * s_[0] && s_[count] > 0.0) ++count;
  return count;
}

void Svd::solve(const Eigen::Ref<const VecX>& b, Eigen::Ref<VecX> x, double relative, double damping) const {
  x.setZero();
  const int kept = rank(relative);
  for (int i = 0; i < kept; ++i) {
    const double factor = s_[i] / (s_[i] * s_[i] + damping * damping);
    x += (factor * U().col(i).dot(b)) * V().col(i);
  }
}

void Svd::project_to_null_space(Eigen::Ref<VecX> x, double relative) const {
  const int kept = rank(relative);
  for (int pass = 0; pass < 2; ++pass) {  // the second pass removes what rounding left of a nearly dependent x
    for (int i = 0; i < kept; ++i) x -= V().col(i).dot(x) * V().col(i);
  }
}

int singular_values(const Eigen::Ref<const MatX>& A, double* s) {
  const int rows = static_cast<int>(A.rows());
  const int cols = static_cast<int>(A.cols());
  const int k = std::min(rows, cols);
  const int tall = std::max(rows, cols);
  if (k == 0) return 0;
  const double largest = magnitude(A);
  std::fill(s, s + k, 0.0);
  if (largest == 0.0) return k;
  const double scale = std::max(largest, 1e-300);  // its inverse is a number, too
  const double inverse = 1.0 / scale;
  // The triangular factor of the tall orientation, fed in chunks so that the buffer has a fixed size.
  constexpr int kChunk = 36;
  constexpr int kRows = kMaxSmall + kChunk;
  double buffer[kRows * kMaxSmall];
  int filled = 0;
  for (int start = 0; start < tall;) {
    const int take = std::min(tall - start, kRows - filled);
    for (int c = 0; c < k; ++c) {
      for (int i = 0; i < take; ++i) {
        buffer[c * kRows + filled + i] = (rows <= cols ? A(c, start + i) : A(start + i, c)) * inverse;
      }
    }
    triangularize(buffer, kRows, filled + take, k);
    start += take;
    filled = std::min(filled + take, k);
  }
  double R[kMaxSmall * kMaxSmall];
  for (int c = 0; c < k; ++c) {
    for (int i = 0; i < k; ++i) R[c * k + i] = buffer[c * kRows + i];
  }
  orthogonalize_columns(R, k, nullptr, 0, k);
  for (int c = 0; c < k; ++c) {
    double sum = 0.0;
    for (int i = 0; i < k; ++i) sum += R[c * k + i] * R[c * k + i];
    s[c] = scale * std::sqrt(sum);
  }
  std::sort(s, s + k, [](double a, double b) { return a > b; });
  return k;
}

MatX null_space(const Eigen::Ref<const MatX>& A, double relative) {
  Svd svd;
  svd.compute(A);
  const int n = svd.cols();
  const int rank = svd.rank(relative);
  MatX basis(n, n - rank);
  VecX x(n);
  // Unit vectors, those least covered by the row space first, made orthonormal to everything before them.
  int count = 0;
  std::vector<int> order(static_cast<std::size_t>(n));
  VecX covered(n);
  for (int i = 0; i < n; ++i) {
    order[static_cast<std::size_t>(i)] = i;
    covered[i] = svd.V().leftCols(rank).row(i).squaredNorm();
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return covered[a] < covered[b]; });
  for (int pass = 0; pass < 2 && count < n - rank; ++pass) {
    for (int i : order) {
      if (count == n - rank) break;
      x.setZero();
      x[i] = 1.0;
      for (int again = 0; again < 2; ++again) {
        svd.project_to_null_space(x, relative);
        for (int c = 0; c < count; ++c) x -= basis.col(c).dot(x) * basis.col(c);
      }
      const double norm = x.norm();
      if (norm < (pass == 0 ? 0.3 / std::sqrt(static_cast<double>(n)) : 1e-6)) continue;
      basis.col(count++) = x / norm;
    }
  }
  return basis.leftCols(count);
}

}  // namespace armature::inline v0_2
