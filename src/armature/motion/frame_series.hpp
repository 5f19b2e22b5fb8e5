// Numbers and points over the frames of a clip: windows, runs of frames.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "armature/base/index.hpp"
#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

/// 0 below 0, 1 above 1, smooth in between.
inline double smooth_step(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * (3.0 - 2.0 * x);
}

/// Weights of a Gaussian window, the middle first; `sigma` in frames. One weight where the window is narrower than a
/// frame.
std::vector<double> gaussian_window(double sigma);

/// A Gaussian window over a series whose ends are repeated; `sigma` in frames.
template <class T>
std::vector<T> smoothed(const std::vector<T>& x, double sigma) {
  const std::vector<double> w = gaussian_window(sigma);
  if (w.size() < 2) return x;
  const int n = static_cast<int>(x.size());
  const auto held = [&](int i) -> const T& { return x[at(std::clamp(i, 0, n - 1))]; };
  std::vector<T> out(x.size());
  for (int f = 0; f < n; ++f) {
    T sum = w[0] * held(f);
    for (int k = 1; k < static_cast<int>(w.size()); ++k) sum += w[at(k)] * (held(f - k) + held(f + k));
    out[at(f)] = sum;
  }
  return out;
}

/// The smallest, or largest, value within `reach` frames on both sides. Time does not grow with `reach`.
std::vector<double> running_min(const std::vector<double>& x, int reach);
std::vector<double> running_max(const std::vector<double>& x, int reach);

/// Velocity by central differences, one-sided at the ends; per second.
std::vector<Vec3> velocities(const std::vector<Vec3>& p, double frame_time);

/// The value below which `percent` of them lie, between neighbours by a straight line; 0 without any.
double percentile(std::vector<double> values, double percent);

/// Calls take(first, end) for every run of frames that are `value`.
template <class Take>
void for_each_run(const std::vector<char>& states, char value, Take&& take) {
  const int n = static_cast<int>(states.size());
  for (int f = 0; f < n;) {
    int end = f;
    while (end < n && states[at(end)] == value) ++end;
    if (end > f) take(f, end);
    f = std::max(end, f + 1);
  }
}

}  // namespace armature::inline v0_2
