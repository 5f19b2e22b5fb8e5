// Walking along the motion of a mechanism by arc length, with every loop closed: through dead points, where the drive
// turns back, and up to change points, where branches meet.
//
// Unknowns are the velocities that are not held and one parameter s, along which the drives move together. The motion
// is the curve A(q) n = 0, n the unit null vector of A = [J_D, J_u du].
#pragma once

#include <span>
#include <vector>

#include "armature/geom/qr.hpp"
#include "armature/kinematics/assemble.hpp"

namespace armature::inline v0_2 {

class LoopPath {
 public:
  struct Point {
    VecX q;
    double s = 0.0;      // drives' parameter, in units of ClosureRows
    VecX tangent;        // columns() numbers, unit length; the last is ds
    double ratio = 0.0;  // smallest pivot of A over the largest: 0 where branches meet
  };

  /// `held`: per velocity, those that do not follow (the drives and what stays). `direction`: per velocity, how the
  /// drives move with s, in the model's units. Allocates; nothing below does once points have their size.
  void prepare(const Model& model, std::span<const char> held, const VecX& direction);
  void resize(Point& point) const;

  int columns() const { return static_cast<int>(free_.size()) + 1; }
  const ClosureRows& rows() const { return rows_; }
  int velocity(int column) const { return free_[static_cast<std::size_t>(column)]; }
  /// Unit of s: how much of `direction` one s is.
  double scale() const { return scale_; }

  /// Sets tangent and ratio at point.q: the null vector nearest to `towards` (columns() numbers), or, without one, that
  /// whose s grows. How many null vectors there are.
  int find_tangent(Point& point, const double* towards);
  /// One step of length h from `from` along its tangent, loops closed again; false when they do not close.
  bool walk(const Point& from, double h, Point& to);
  /// Tangents of the branches through a point with two null vectors: roots of w' d2phi(n, n) = 0, w every left null
  /// vector. How many were found: one where redundant rows leave one way to go.
  int branch_tangents(const Point& point, VecX out[2]);

 private:
  void fill();  // A at the pose of the last evaluation
  bool close(Point& point);
  void move(const double* q, const double* step, double* q_out);

  ClosureRows rows_;
  std::vector<int> free_;
  VecX direction_;  // per velocity, internal units, unit length
  double scale_ = 1.0;
  MatX J_;
  std::vector<double> A_, H_, rhs_, step_, phi_, null_;
  VecX v_, trial_;
  PivotedQr qr_;
};

}  // namespace armature::inline v0_2
