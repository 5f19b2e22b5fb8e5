// Over 400 lines: the one room that sees Eigen's decompositions, and its routines share their small fixed buffers.
#include "armature/geom/linalg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace armature::inline v0_2 {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// N > 0 fixes the size at compile time, so that the loops unroll; N = 0 takes it from n.
template <int N>
double factorize(double* A, int n) {
  const int size = N > 0 ? N : n;
  double largest = 0.0;
  double smallest = std::numeric_limits<double>::infinity();
  for (int j = 0; j < size; ++j) largest = std::max(largest, A[j * size + j]);
  if (!(largest > 0.0) || !(largest < std::numeric_limits<double>::infinity())) return 0.0;
  double scaled[N > 0 ? N : 1];
  for (int j = 0; j < size; ++j) {
    double d = A[j * size + j];
    for (int k = 0; k < j; ++k) {
      const double l = A[k * size + j];
      const double ld = l * A[k * size + k];
      if constexpr (N > 0) scaled[k] = ld;
      d -= l * ld;
    }
    if (!(d > 0.0)) return 0.0;
    A[j * size + j] = d;
    smallest = std::min(smallest, d);
    const double inverse = 1.0 / d;
    for (int i = j + 1; i < size; ++i) {
      double a = A[j * size + i];
      for (int k = 0; k < j; ++k) {
        if constexpr (N > 0) {
          a -= A[k * size + i] * scaled[k];
        } else {
          a -= A[k * size + i] * A[k * size + j] * A[k * size + k];
        }
      }
      A[j * size + i] = a * inverse;
    }
  }
  return smallest / largest;
}

template <int N>
void substitute(const double* A, double* b, int n) {
  const int size = N > 0 ? N : n;
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < i; ++k) b[i] -= A[k * size + i] * b[k];
  }
  for (int i = size - 1; i >= 0; --i) {
    b[i] /= A[i * size + i];
    for (int k = i + 1; k < size; ++k) b[i] -= A[i * size + k] * b[k];
  }
}

template <int N>
double ldlt(double* A, double* b, int n) {
  const double quality = factorize<N>(A, n);
  if (quality > 0.0) substitute<N>(A, b, n);
  return quality;
}

template <int R>
void gram(const double* A, int rows, int cols, double* G) {
  const int size = R > 0 ? R : rows;
  for (int i = 0; i < size * size; ++i) G[i] = 0.0;
  for (int c = 0; c < cols; ++c) {
    const double* a = A + c * size;
    for (int j = 0; j < size; ++j) {
      for (int i = j; i < size; ++i) G[j * size + i] += a[i] * a[j];
    }
  }
}

template <int R>
void transposed_times(const double* A, int rows, int cols, const double* y, double* x) {
  const int size = R > 0 ? R : rows;
  for (int c = 0; c < cols; ++c) {
    const double* a = A + c * size;
    double sum = 0.0;
    for (int i = 0; i < size; ++i) sum += a[i] * y[i];
    x[c] = sum;
  }
}

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

double ldlt_solve(double* A, double* b, int n) {
  switch (n) {
    case 1:
      return ldlt<1>(A, b, n);
    case 2:
      return ldlt<2>(A, b, n);
    case 3:
      return ldlt<3>(A, b, n);
    case 4:
      return ldlt<4>(A, b, n);
    case 6:
      return ldlt<6>(A, b, n);
    default:
      return ldlt<0>(A, b, n);
  }
}

double ldlt_factor(double* A, int n) {
  switch (n) {
    case 2:
      return factorize<2>(A, n);
    case 3:
      return factorize<3>(A, n);
    case 6:
      return factorize<6>(A, n);
    default:
      return factorize<0>(A, n);
  }
}

void ldlt_solve_again(const double* A, double* b, int n) {
  switch (n) {
    case 2:
      return substitute<2>(A, b, n);
    case 3:
      return substitute<3>(A, b, n);
    case 6:
      return substitute<6>(A, b, n);
    default:
      return substitute<0>(A, b, n);
  }
}

void gram_of_rows(const MatX& A, double* G) {
  const int rows = static_cast<int>(A.rows());
  const int cols = static_cast<int>(A.cols());
  switch (rows) {
    case 2:
      return gram<2>(A.data(), rows, cols, G);
    case 3:
      return gram<3>(A.data(), rows, cols, G);
    case 6:
      return gram<6>(A.data(), rows, cols, G);
    default:
      return gram<0>(A.data(), rows, cols, G);
  }
}

void gram_of_columns(const MatX& A, double* G) {
  const int rows = static_cast<int>(A.rows());
  const int cols = static_cast<int>(A.cols());
  for (int j = 0; j < cols; ++j) {
    for (int i = j; i < cols; ++i) {
      double sum = 0.0;
      for (int r = 0; r < rows; ++r) sum += A(r, i) * A(r, j);
      G[j * cols + i] = sum;
    }
  }
}

void multiply_transposed(const MatX& A, const double* y, double* x) {
  const int rows = static_cast<int>(A.rows());
  const int cols = static_cast<int>(A.cols());
  switch (rows) {
    case 2:
      return transposed_times<2>(A.data(), rows, cols, y, x);
    case 3:
      return transposed_times<3>(A.data(), rows, cols, y, x);
    case 6:
      return transposed_times<6>(A.data(), rows, cols, y, x);
    default:
      return transposed_times<0>(A.data(), rows, cols, y, x);
  }
}

double lu_solve(double* A, double* b, int n) {
  double largest = 0.0;
  for (int i = 0; i < n * n; ++i) largest = std::max(largest, std::abs(A[i]));
  if (!(largest > 0.0) || !(largest < std::numeric_limits<double>::infinity())) return 0.0;
  double smallest = largest;
  for (int j = 0; j < n; ++j) {
    int best = j;
    for (int i = j + 1; i < n; ++i) {
      if (std::abs(A[j * n + i]) > std::abs(A[j * n + best])) best = i;
    }
    if (best != j) {
      for (int c = 0; c < n; ++c) std::swap(A[c * n + j], A[c * n + best]);
      std::swap(b[j], b[best]);
    }
    const double pivot = A[j * n + j];
    if (!(std::abs(pivot) > 0.0)) return 0.0;
    smallest = std::min(smallest, std::abs(pivot));
    for (int i = j + 1; i < n; ++i) {
      const double l = A[j * n + i] / pivot;
      if (l == 0.0) continue;
      for (int c = j + 1; c < n; ++c) A[c * n + i] -= l * A[c * n + j];
      b[i] -= l * b[j];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int c = i + 1; c < n; ++c) b[i] -= A[c * n + i] * b[c];
    b[i] /= A[i * n + i];
  }
  return smallest / largest;
}

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
