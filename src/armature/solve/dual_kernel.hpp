// The inner loops of DualSystem, compiled once per instruction set with the same bits (dual_kernel.inl).
#pragma once

namespace armature::inline v0_2 {

/// All arrays are padded to tiles of four rows; `tiles` lists the first rows of those that count. J and A are
/// column-major with the same stride.
struct DualKernel {
  /// Lower triangle of A += J diag(w) J' over `columns` columns, in the given tiles.
  void (*add_group)(const double* J, int stride, const double* w, int columns, const int* tiles, int count, double* A);
  /// A = L D L' in place (L below the diagonal, the rest undefined), inverse = 1 / D. A pivot below half of its row's
  /// damping is raised to that. False when a pivot is not finite.
  bool (*factor)(double* A, int stride, const double* damping, double* inverse);
  void (*solve)(const double* A, int stride, const double* inverse, double* b);
  /// out[c] = J(:, c) . r, and out += J x.
  void (*dot)(const double* J, int stride, int columns, const int* tiles, int count, const double* r, double* out);
  void (*add)(const double* J, int stride, int columns, const int* tiles, int count, const double* x, double* out);
};

/// The fastest that this machine runs.
const DualKernel& dual_kernel();

namespace baseline {
extern const DualKernel kDualKernel;
}
namespace avx2 {
extern const DualKernel kDualKernel;
}

}  // namespace armature::inline v0_2
