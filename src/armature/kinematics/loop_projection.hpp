// Motions that keep loops closed, for solvers: steps are taken in the null space of the closures, and every pose is
// closed again afterwards. Closures are never weighed against anything.
#pragma once

#include <span>
#include <vector>

#include "armature/geom/qr.hpp"
#include "armature/kinematics/closure_rows.hpp"

namespace armature::inline v0_2 {

class LoopProjection {
 public:
  /// `active`: velocities that may move, ascending. Allocates; nothing below does.
  void prepare(const Model& model, std::span<const int> active);

  /// Closes the loops at q by the smallest motion of the active velocities, within limits: coordinates that would leave
  /// theirs stay there. `lower`, `upper`: per coordinate. False (q unspecified) when they do not close, or only with a
  /// cut joint beyond its limits.
  bool close(double* q, const double* lower, const double* upper);
  /// The sentence about a loop of the active velocities that can never close; "" without one. Allocates where there is.
  std::string never_closes() const;
  /// Finds the motions u (steps are scale .* u) that keep the loops closed at q, which is closed, without those columns
  /// that are `blocked`.
  void find(const double* q, const VecX& scale, std::span<const char> blocked);
  /// A becomes A P, P the projector onto those motions. Columns are the active velocities.
  void project(MatX& A);
  /// u becomes P u.
  void project(VecX& u);
  /// How many of them are independent; A in coordinates of these, a column each; and the motion u with coordinates z.
  int motions() const { return null_count_; }
  void reduce(const MatX& A, MatX& reduced) const;
  void expand(const VecX& z, VecX& u) const;
  /// Largest gap, in the unit of ClosureRows.
  double error(const double* q) { return rows_.evaluate(q, phi_.data()); }
  const ClosureRows& rows() const { return rows_; }
  const std::vector<int>& active() const { return active_; }

 private:
  bool newton(double* q);
  template <class Row>
  void project_row(Row row);

  ClosureRows rows_;
  std::vector<int> active_;
  std::vector<int> coordinate_;  // per column, -1: of a quaternion
  std::vector<char> held_;
  std::vector<int> used_;  // columns that are not blocked
  MatX J_;
  std::vector<double> phi_, A_, H_, rhs_, step_, null_, product_;
  std::vector<double> middles_, cut_;  // of cut joints with limits
  int null_count_ = 0;
  VecX v_, trial_;
  PivotedQr qr_;
};

/// Per velocity of the model: the closure (index) whose loop it is in, or -1. By ancestry alone.
std::vector<int> loop_of_velocities(const Model& model);

}  // namespace armature::inline v0_2
