// Forces that only push: the least f >= 0 with S f + gap >= 0, each force where its gap is used up.
#pragma once

#include <algorithm>
#include <cmath>

namespace armature::inline v0_2 {

/// S (count x count, symmetric, row by row) is how a force changes each gap. Gauss and Seidel's sweeps until no gap
/// changes by more than `tolerance`; what is left after many sweeps is for the caller, who checks the outcome.
inline void one_sided_forces(const double* S, const double* gap, int count, double tolerance, double* force) {
  constexpr int kSweeps = 60;
  std::fill(force, force + count, 0.0);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0.0;
    for (int i = 0; i < count; ++i) {
      const double* row = S + i * count;
      if (!(row[i] > 0.0)) continue;
      double value = gap[i];
      for (int j = 0; j < count; ++j) value += row[j] * force[j];
      const double next = std::max(0.0, force[i] - value / row[i]);
      change = std::max(change, std::abs(next - force[i]) * row[i]);
      force[i] = next;
    }
    if (change < tolerance) return;
  }
}

}  // namespace armature::inline v0_2
