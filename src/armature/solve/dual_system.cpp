#include "armature/solve/dual_system.hpp"

#include <algorithm>
#include <cmath>

namespace armature {
namespace {

using Pair = double __attribute__((vector_size(16), aligned(8)));

Pair load(const double* p) { return *reinterpret_cast<const Pair*>(p); }
void store(double* p, Pair v) { *reinterpret_cast<Pair*>(p) = v; }

// A(i..i+3, j..j+3) += sum over columns of w J(i..i+3) J(j..j+3)'.
void add_tile(const double* J, std::size_t stride, const double* w, int columns, int i, int j, double* A) {
  Pair s[4][2] = {};
  for (int c = 0; c < columns; ++c, J += stride) {
    const double weight = w[c];
    if (weight == 0.0) continue;
    const Pair low = load(J + i);
    const Pair high = load(J + i + 2);
    for (int k = 0; k < 4; ++k) {
      const double b = weight * J[j + k];
      s[k][0] += low * b;
      s[k][1] += high * b;
    }
  }
  for (int k = 0; k < 4; ++k) {
    double* a = A + static_cast<std::size_t>(j + k) * stride + static_cast<std::size_t>(i);
    store(a, load(a) + s[k][0]);
    store(a + 2, load(a + 2) + s[k][1]);
  }
}

}  // namespace

void DualSystem::resize(int rows, int columns) {
  rows_ = rows;
  columns_ = columns;
  stride_ = (rows + kTile - 1) / kTile * kTile;
  const auto n = static_cast<std::size_t>(stride_);
  J_.assign(n * static_cast<std::size_t>(columns), 0.0);
  A_.assign(n * n, 0.0);
  inverse_.assign(n, 1.0);
  groups_.clear();
  tiles_.clear();
}

void DualSystem::add_group(int begin, int end, const std::vector<char>& row_used) {
  Group group{begin, end, static_cast<int>(tiles_.size()), 0};
  for (int t = 0; t < stride_; t += kTile) {
    bool used = false;
    for (int r = t; r < std::min(t + kTile, rows_); ++r) used = used || row_used[static_cast<std::size_t>(r)] != 0;
    if (used) tiles_.push_back(t);
  }
  group.tile_end = static_cast<int>(tiles_.size());
  groups_.push_back(group);
}

void DualSystem::clear() {
  for (const Group& group : groups_) {
    for (int c = group.begin; c < group.end; ++c) {
      double* J = column(c);
      for (int n = group.tile_begin; n < group.tile_end; ++n) {
        double* tile = J + tiles_[static_cast<std::size_t>(n)];
        store(tile, Pair{0.0, 0.0});
        store(tile + 2, Pair{0.0, 0.0});
      }
    }
  }
}

void DualSystem::transposed_times(const double* r, double* out) const {
  for (const Group& group : groups_) {
    for (int c = group.begin; c < group.end; ++c) {
      const double* J = column(c);
      Pair sum = {0.0, 0.0};
      for (int n = group.tile_begin; n < group.tile_end; ++n) {
        const int t = tiles_[static_cast<std::size_t>(n)];
        sum += load(J + t) * load(r + t) + load(J + t + 2) * load(r + t + 2);
      }
      out[c] = sum[0] + sum[1];
    }
  }
}

void DualSystem::times(const double* x, double* out) const {
  std::fill(out, out + stride_, 0.0);
  for (const Group& group : groups_) {
    for (int c = group.begin; c < group.end; ++c) {
      if (x[c] == 0.0) continue;
      const double* J = column(c);
      for (int n = group.tile_begin; n < group.tile_end; ++n) {
        const int t = tiles_[static_cast<std::size_t>(n)];
        store(out + t, load(out + t) + load(J + t) * x[c]);
        store(out + t + 2, load(out + t + 2) + load(J + t + 2) * x[c]);
      }
    }
  }
}

bool DualSystem::factor(const double* w, const double* d) {
  const auto n = static_cast<std::size_t>(stride_);
  std::fill(A_.begin(), A_.end(), 0.0);
  for (const Group& group : groups_) {
    const double* J = column(group.begin);
    for (int b = group.tile_begin; b < group.tile_end; ++b) {
      for (int a = b; a < group.tile_end; ++a) {
        add_tile(J, n, w + group.begin, group.end - group.begin, tiles_[static_cast<std::size_t>(a)],
                 tiles_[static_cast<std::size_t>(b)], A_.data());
      }
    }
  }
  for (std::size_t r = 0; r < n; ++r) A_[r * n + r] += r < static_cast<std::size_t>(rows_) ? d[r] : 1.0;
  // Right-looking L D L', column by column. Rounding may push a pivot of dependent rows below its damping: raise it.
  bool finite = true;
  for (std::size_t j = 0; j < static_cast<std::size_t>(rows_); ++j) {
    double* column_j = A_.data() + j * n;
    double pivot = column_j[j];
    if (!(pivot > 0.5 * d[j])) {
      finite = finite && std::isfinite(pivot);
      pivot = 0.5 * d[j];
    }
    const double inverse = 1.0 / pivot;
    inverse_[j] = inverse;
    column_j[j] = pivot;
    for (std::size_t k = j + 1; k < static_cast<std::size_t>(rows_); ++k) {
      const double l = column_j[k] * inverse;
      if (l == 0.0) continue;
      double* column_k = A_.data() + k * n;
      for (std::size_t r = k / 2 * 2; r < n; r += 2) store(column_k + r, load(column_k + r) - load(column_j + r) * l);
    }
    for (std::size_t r = j + 1; r < n; ++r) column_j[r] *= inverse;
  }
  return finite;
}

void DualSystem::solve(double* b) const {
  const auto n = static_cast<std::size_t>(stride_);
  const auto m = static_cast<std::size_t>(rows_);
  for (std::size_t j = 0; j < m; ++j) {
    const double* L = A_.data() + j * n;
    const double x = b[j];
    if (x == 0.0) continue;
    for (std::size_t r = j + 1; r < m; ++r) b[r] -= L[r] * x;
  }
  for (std::size_t j = 0; j < m; ++j) b[j] *= inverse_[j];
  for (std::size_t j = m; j-- > 0;) {
    const double* L = A_.data() + j * n;
    double x = b[j];
    for (std::size_t r = j + 1; r < m; ++r) x -= L[r] * b[r];
    b[j] = x;
  }
}

double DualSystem::determinant() const {
  double product = 1.0;
  for (int r = 0; r < rows_; ++r) product /= inverse_[static_cast<std::size_t>(r)];
  return product;
}

}  // namespace armature
