#include "armature/geom/linalg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace armature::inline v0_2 {
namespace {

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

}  // namespace armature::inline v0_2
