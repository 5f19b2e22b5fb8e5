#include "armature/motion/band.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"

namespace armature::inline v0_2 {

bool BandMatrix::factor() {
  const int stride = width_ + 1;
  for (int i = 0; i < size_; ++i) {
    double* row = data_.data() + at(i) * at(stride);
    for (int j = std::max(0, i - width_); j <= i; ++j) {
      const double* other = data_.data() + at(j) * at(stride);
      const int first = std::max({0, i - width_, j - width_});
      double sum = row[j - i + width_];
      for (int k = first; k < j; ++k) sum -= row[k - i + width_] * other[k - j + width_];
      if (j < i) {
        row[j - i + width_] = sum / other[width_];
      } else {
        if (!(sum > 0.0) || !std::isfinite(sum)) return false;
        row[width_] = std::sqrt(sum);
      }
    }
  }
  return true;
}

void BandMatrix::solve(double* b) const {
  const auto& L = *this;
  for (int i = 0; i < size_; ++i) {
    double sum = b[i];
    for (int k = std::max(0, i - width_); k < i; ++k) sum -= L(i, k) * b[k];
    b[i] = sum / L(i, i);
  }
  for (int i = size_ - 1; i >= 0; --i) {
    double sum = b[i];
    for (int k = i + 1; k <= std::min(size_ - 1, i + width_); ++k) sum -= L(k, i) * b[k];
    b[i] = sum / L(i, i);
  }
}

ClipPass::ClipPass(int frames, double frame_time, double keep, double smoothing, double share)
    : frames_(frames), matrix_(frames, 2) {
  for (auto& side : right_) side.assign(at(frames), 0.0);
  const double c = share * std::min(1e12, math::power(smoothing / frame_time, 4));
  for (int f = 0; f < frames; ++f) matrix_(f, f) += keep + 1e-9;
  for (int f = 0; f + 2 < frames; ++f) {  // the row 1, -2, 1
    matrix_(f, f) += c;
    matrix_(f + 1, f + 1) += 4.0 * c;
    matrix_(f + 2, f + 2) += c;
    matrix_(f + 1, f) -= 2.0 * c;
    matrix_(f + 2, f + 1) -= 2.0 * c;
    matrix_(f + 2, f) += c;
  }
}

void ClipPass::place(int f, double weight, const Vec3& target) {
  matrix_(f, f) += weight;
  for (int k = 0; k < 3; ++k) right_[k][at(f)] += weight * target[k];
}

void ClipPass::step(int f, double weight, const Vec3& target) {
  matrix_(f, f) += weight;
  matrix_(f + 1, f + 1) += weight;
  matrix_(f + 1, f) -= weight;
  for (int k = 0; k < 3; ++k) {
    right_[k][at(f + 1)] += weight * target[k];
    right_[k][at(f)] -= weight * target[k];
  }
}

std::vector<Vec3> ClipPass::solve() {
  std::vector<Vec3> d(at(frames_), Vec3::Zero());
  if (!matrix_.factor()) return d;
  for (int k = 0; k < 3; ++k) {
    matrix_.solve(right_[k].data());
    for (int f = 0; f < frames_; ++f) d[at(f)][k] = right_[k][at(f)];
  }
  return d;
}

}  // namespace armature::inline v0_2
