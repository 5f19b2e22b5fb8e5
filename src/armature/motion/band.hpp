// Linear systems over the frames of a clip: symmetric matrices whose entries lie near the diagonal, solved in time
// linear in the frames.
#pragma once

#include <vector>

#include "armature/base/index.hpp"
#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

/// Symmetric and positive definite; entries further than `width` from the diagonal are zero.
class BandMatrix {
 public:
  BandMatrix(int size, int width) : size_(size), width_(width), data_(at(size) * at(width + 1), 0.0) {}
  /// row >= column, row - column <= width.
  double& operator()(int row, int column) { return data_[at(row) * at(width_ + 1) + at(column - row + width_)]; }
  double operator()(int row, int column) const { return data_[at(row) * at(width_ + 1) + at(column - row + width_)]; }
  /// Cholesky's factor in place of the matrix; false when the matrix is not positive definite.
  bool factor();
  /// After factor(): the solution in place of b.
  void solve(double* b) const;

 private:
  int size_, width_;
  std::vector<double> data_;
};

/// The smoothest displacement d over the frames that does what is asked:
///   min  w0 |d|^2 + c |D2 d|^2 + sum of place weights (d_f - a_f)^2 + sum of step weights (d_f+1 - d_f - b_f)^2
/// with D2 the second difference. One factorization, three components.
class ClipPass {
 public:
  /// `smoothing` is the time over which a displacement eases, seconds: c = (smoothing / frame_time)^4.
  ClipPass(int frames, double frame_time, double keep, double smoothing, double share = 1.0);
  void place(int frame, double weight, const Vec3& target);
  void step(int frame, double weight, const Vec3& target);  // from this frame to the next
  std::vector<Vec3> solve();

 private:
  int frames_;
  BandMatrix matrix_;
  std::vector<double> right_[3];
};

}  // namespace armature::inline v0_2
