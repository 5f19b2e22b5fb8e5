// The loops of a model as equations: phi(q) = 0 where every closure holds, and how phi changes with the velocities.
//
// With X = pose of frame b seen from frame a, a closure of joint type T has the rows
//     phi = B' [X.t - T(qc).t ; log(X.R T(qc).R')],   qc = coordinates of T nearest to X,
// B an orthonormal basis (in a's axes) of the directions in which T does not move. Then d phi = B' (twist of b relative
// to a, in a's axes, at b's origin): exact at phi = 0. A rod has (|X.t|^2 - l^2) / 2l, a coupling the difference of its
// two sides. Lengths are divided by length(), and the columns of sliding velocities multiplied by it.
//
// Directions that no pose can change (a planar loop closed by a spatial hinge has three) are idle and have no row.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "armature/base/rng.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

class ClosureRows {
 public:
  /// Velocity `k` of the joint above `link` moves frame b (factor > 0) or frame a (factor < 0) of a closure.
  struct Entry {
    int link, k, velocity;
    double factor;
    int twist;  // of twists_
  };
  struct Item {
    int closure;  // of the model
    enum class Kind { simple, fitted, rod, coupling } kind;
    enum class Turn { none, full, swing } turn;  // which rotation simple rows measure
    Vec3 axis;                                   // of the swing
    Vec3 half_turn;         // about which a swing to the opposite direction is measured: one that the rows see
    int row = 0, rows = 0;  // those that are not idle
    int all_rows = 0;
    double idle_gap = 0.0;      // how far the idle directions are from closing: metres, radians times length()
    bool moving_basis = false;  // fitted: B depends on the coordinates
    Mat<6, 6> basis;            // first `rows` columns: rows in a's axes (or, moving, combinations of B)
    int first_entry = 0, end_entry = 0;
    std::array<double, kMaxJointCoordinates> near{};  // coordinates of the cut joint, followed from pose to pose
    // At the last residual(): the rows in world axes (linear part divided by length()), and b's origin.
    Mat<6, 6> world;
    Vec3 point;
  };

  /// Allocates.
  void compile(const Model& model);

  const Model& model() const { return model_; }
  bool empty() const { return items_.empty(); }
  int rows() const { return rows_; }
  int all_rows() const { return all_rows_; }
  double length() const { return length_; }
  double unit(int velocity) const { return unit_[static_cast<std::size_t>(velocity)]; }
  const std::vector<Item>& items() const { return items_; }
  std::span<const Entry> entries(const Item& item) const {
    return {entries_.data() + item.first_entry, static_cast<std::size_t>(item.end_entry - item.first_entry)};
  }
  /// The sentence about a closure whose frames no joint of its loop can bring together; "" where some can.
  std::string never_closes(const Item& item) const;
  /// Links on the way to any closure, parents first.
  const std::vector<int>& links() const { return links_; }
  /// Whether some row depends on this velocity.
  bool in_loop(int velocity) const { return in_loop_[static_cast<std::size_t>(velocity)] != 0; }

  /// Frames of the given links; their parents' must be there.
  void place(const double* q, std::span<const int> links);
  const Transform& frame(int link) const { return X_WL_[static_cast<std::size_t>(link)]; }
  /// phi of one closure: `rows` numbers. Frames must be placed.
  void residual(int item, const double* q, double* phi);
  /// How those rows change with one velocity, after residual() at the same pose.
  void slope(const Item& item, const Entry& entry, double* out) const;
  /// Of a rod: how one velocity moves the end that it moves, in the units of its row, which sees the part along the
  /// rod.
  Vec3 end_velocity(const Item& item, const Entry& entry) const;

  /// All of it: frames, phi (rows() numbers), and the Jacobian rows() x v_size.
  double evaluate(const double* q, double* phi);
  void jacobian(MatX& J) const;  // after evaluate(); J must have that size

  /// Any pose, assembled or not, for finding out what depends on what: angles within 2 radians of neutral, slides
  /// within twice the length.
  VecX scattered_pose(Rng& rng) const;

  /// Coordinates of the cut joint of a closure at the last residual(); follows full turns. Rods and couplings have
  /// none.
  void cut_coordinates(int item, double* q) const;
  /// Where cut joints with limits are looked for, kMaxJointCoordinates numbers per item: the middles of their limits.
  std::vector<double> middles_of_cuts() const;
  /// The first closure whose cut joint is beyond its limits at the last residual(), or -1. `near`: middles_of_cuts(),
  /// where its coordinates are looked for and then left, so that full turns are followed.
  int beyond_cut_limits(double slack, std::vector<double>& near) const;

 private:
  class Builder;
  // How a velocity moves its link, once for all the closures that it moves.
  struct Twist {
    bool constant;  // stands still in the link's frame, as `own`
    Vec6 own;
    Vec3 linear, angular;  // at the link's origin, in world axes, when the link was placed last
  };
  Transform relative(const Item& item, Transform& X_WA, Transform& X_WB) const;
  void fitted_error(Item& item, const Transform& X, Vec6& error, Mat<6, 6>& basis, int& count) const;

  Model model_;
  std::vector<Item> items_;
  std::vector<Entry> entries_;
  std::vector<int> links_;
  std::vector<Transform> X_WL_;
  std::vector<Twist> twists_;
  std::vector<int> first_twist_;  // per link; -1: none is needed
  std::vector<double> unit_;
  std::vector<char> in_loop_;
  double length_ = 1.0;
  int rows_ = 0;
  int all_rows_ = 0;
};

/// Largest gap of a loop at `q`: metres, an angle counted as the arc at the mechanism's length. 0 without closures.
double closure_error(const Model& model, const VecX& q);

}  // namespace armature::inline v0_2
