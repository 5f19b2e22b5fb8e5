// The linear system of damped least squares in its dual form, A y = b with A = J W J' + D, for a wide and sparse J.
//
// Columns come in groups that touch the same few tiles of four rows (a limb's joints move only that limb's goals), so A
// is summed tile by tile and whole stretches of zeros are never visited. D holds the damping of each row: goals of a
// lower priority are damped more, which is all it takes to make them yield (docs/methods/reach.md).
#pragma once

#include <cstddef>
#include <vector>

#include "armature/solve/dual_kernel.hpp"

namespace armature::inline v0_2 {

class DualSystem {
 public:
  static constexpr int kTile = 4;

  /// Forgets everything and makes room; allocates only to grow.
  void resize(int rows, int columns);
  /// Declares that columns [begin, end) are zero outside of the given rows. Groups must follow each other.
  void add_group(int begin, int end, const std::vector<char>& row_used);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int stride() const { return stride_; }
  /// Column c: rows() numbers, then zeros up to stride(). Written by the caller.
  double* column(int c) { return J_.data() + static_cast<std::size_t>(c) * static_cast<std::size_t>(stride_); }
  const double* column(int c) const {
    return J_.data() + static_cast<std::size_t>(c) * static_cast<std::size_t>(stride_);
  }
  /// Zeroes all columns (where their groups have rows).
  void clear();

  /// out = J' r (one per column).
  void transposed_times(const double* r, double* out) const;
  /// out = J x (one per row, stride() numbers).
  void times(const double* x, double* out) const;

  /// Factors A for column weights w >= 0 and row dampings d > 0. Returns false when a number is not finite.
  bool factor(const double* w, const double* d);
  /// b becomes y; stride() numbers.
  void solve(double* b) const;
  /// Product of the pivots of the last factor(): det A.
  double determinant() const;

 private:
  struct Group {
    int begin, end;
    int tile_begin, tile_end;  // into tiles_
  };
  int rows_ = 0;
  int columns_ = 0;
  int stride_ = 0;
  std::vector<double> J_;
  std::vector<double> A_;        // lower triangle, column-major, then its factors L (unit diagonal) and D
  std::vector<double> inverse_;  // 1 / D
  std::vector<double> damping_;  // of all rows, padding included
  const DualKernel* kernel_ = &dual_kernel();
  std::vector<Group> groups_;
  std::vector<int> tiles_;  // tile rows of each group, ascending
};

}  // namespace armature::inline v0_2
