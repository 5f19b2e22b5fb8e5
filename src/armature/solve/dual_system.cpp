#include "armature/solve/dual_system.hpp"

#include <algorithm>

namespace armature::inline v0_2 {

void DualSystem::resize(int rows, int columns) {
  rows_ = rows;
  columns_ = columns;
  stride_ = (rows + kTile - 1) / kTile * kTile;
  const auto n = static_cast<std::size_t>(stride_);
  J_.assign(n * static_cast<std::size_t>(columns), 0.0);
  A_.assign(n * n, 0.0);
  inverse_.assign(n, 1.0);
  damping_.assign(n, 1.0);
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
        std::fill_n(J + tiles_[static_cast<std::size_t>(n)], kTile, 0.0);
      }
    }
  }
}

void DualSystem::transposed_times(const double* r, double* out) const {
  for (const Group& group : groups_) {
    kernel_->dot(column(group.begin), stride_, group.end - group.begin, tiles_.data() + group.tile_begin,
                 group.tile_end - group.tile_begin, r, out + group.begin);
  }
}

void DualSystem::times(const double* x, double* out) const {
  std::fill_n(out, stride_, 0.0);
  for (const Group& group : groups_) {
    kernel_->add(column(group.begin), stride_, group.end - group.begin, tiles_.data() + group.tile_begin,
                 group.tile_end - group.tile_begin, x + group.begin, out);
  }
}

bool DualSystem::factor(const double* w, const double* d) {
  const auto n = static_cast<std::size_t>(stride_);
  for (std::size_t c = 0; c < n; ++c) {
    const std::size_t first = c / kTile * kTile;
    std::fill(A_.begin() + static_cast<std::ptrdiff_t>(c * n + first),
              A_.begin() + static_cast<std::ptrdiff_t>((c + 1) * n), 0.0);
  }
  for (const Group& group : groups_) {
    kernel_->add_group(column(group.begin), stride_, w + group.begin, group.end - group.begin,
                       tiles_.data() + group.tile_begin, group.tile_end - group.tile_begin, A_.data());
  }
  for (std::size_t r = 0; r < n; ++r) {
    damping_[r] = r < static_cast<std::size_t>(rows_) ? d[r] : 1.0;
    A_[r * n + r] += damping_[r];
  }
  return kernel_->factor(A_.data(), stride_, damping_.data(), inverse_.data());
}

void DualSystem::solve(double* b) const { kernel_->solve(A_.data(), stride_, inverse_.data(), b); }

double DualSystem::determinant() const {
  double product = 1.0;
  for (int r = 0; r < rows_; ++r) product /= inverse_[static_cast<std::size_t>(r)];
  return product;
}

}  // namespace armature::inline v0_2
