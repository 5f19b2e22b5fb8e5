// Moves the drives of a mechanism by small steps with every loop closed, and never changes branch: predictor, corrector
// and three acceptance tests per step.
//
//     t = dq/du:  J_D t_D = -J_u;  predicted by a cubic through the last two poses and tangents;  corrected by
//     Assembler
// A step is accepted when (1) it was corrected by at most 0.35 of its length, (2) it agrees with the mean of the
// tangents before and after, |dq - h (t0 + t1) / 2| <= 0.1 |dq|, and (3) no group of joints has changed its parity, the
// sign of det(Q0' J), Q0 the orthonormal columns of J before the step: two poses on either side of a dead point differ
// in it. Otherwise it is halved.
#pragma once

#include <string>
#include <vector>

#include "armature/motion/loop_path.hpp"

namespace armature::inline v0_2 {

enum class DriveOutcome {
  reached,
  dead_point,    // the drive cannot go further: the loops allow no more, and the motion turns back
  branch_point,  // branches meet, and which one to follow is not known
  limit,         // a joint, or the joint at a cut, is at its limit
  locked,        // the loops allow no motion of the drive at all
  not_finite,
};
const char* outcome_name(DriveOutcome outcome);

class Driver {
 public:
  /// `driven`: per velocity, non-zero for those that advance() sets. Allocates; nothing below does.
  void prepare(const Model& model, std::span<const char> driven);

  /// Forgets the motion so far: the next step is predicted from its own pose alone.
  void restart() { have_ = known_ = false; }
  /// Moves the driven velocities by `change` (v_size numbers, 0 where not driven), everything else follows. `q` must be
  /// assembled. On anything but `reached`, q is the last good pose and done() the fraction of the change that was made.
  DriveOutcome advance(VecX& q, const VecX& change);

  /// Transmission and tangent() at an assembled pose, without moving.
  void look(const VecX& q, const VecX& change);

  double done() const { return done_; }
  /// Of the pose after the last advance(): smallest transmission index over the groups, and which one it is.
  double transmission() const { return transmission_; }
  int weakest_block() const { return weakest_; }
  /// dq/du of the last advance(), per velocity, for its change as a whole.
  const VecX& tangent() const { return t0_; }
  /// After `limit`: the coordinate of the model at its limit, or -1 and the closure whose cut joint it is.
  int limit_coordinate() const { return limit_coordinate_; }
  int limit_closure() const { return limit_closure_; }
  const Assembler& assembler() const { return assembler_; }
  int solves() const { return solves_; }
  /// Sets the motion's tangent at a pose where branches meet: the branch that the next advance() follows.
  void follow_branch(const VecX& q, const VecX& tangent, const VecX& change);

  /// Where J_D lacks rank within this share of its largest pivot, tangents are not to be trusted.
  static constexpr double kSingular = 2e-3;

 private:
  // What is kept of a pose: for its tangents, and for the tests.
  struct Side {
    std::vector<double> J;        // of all blocks, one after the other
    std::vector<PivotedQr> qr;    // per block of more than two rows
    std::vector<double> ratio;    // smallest pivot over the largest, per block
    std::vector<double> index;    // transmission, per block
    std::vector<double> squares;  // of the columns' norms of one block
    std::vector<int> sign;        // of the determinant of a square block
  };
  void linearize(Side& side) const;
  double find_tangent(const VecX& change, VecX& t, Side& side);
  double tangent_here(const VecX& change, VecX& t, Side& side) {
    linearize(side);
    return find_tangent(change, t, side);
  }
  bool flips(const Side& before, const Side& after);
  double norm(const VecX& v) const;
  bool predict(const VecX& q, const VecX& change, double h, bool singular, VecX& step);
  bool crosses_limit(const VecX& q);
  DriveOutcome stop_at_limit(VecX& q, const VecX& change, double h, bool singular);
  void polish(VecX& q, const VecX& change);

  Assembler assembler_;
  std::vector<char> driven_;
  std::vector<std::size_t> offset_;  // of each block in Side::J
  Side before_, after_;
  VecX known_q_;  // pose of before_ and of the assembler's frames, while known_
  bool known_ = false;
  std::vector<double> rhs_, x_, small_, reference_;
  VecX t0_, t1_, step_, trial_, previous_q_, previous_t_, previous_change_, difference_, limit_q_, low_q_;
  std::vector<double> cut_;  // coordinates of cut joints with limits, followed
  bool have_ = false;
  double previous_h_ = 0.0;
  double done_ = 0.0;
  double transmission_ = 1.0;
  int weakest_ = -1;
  int limit_coordinate_ = -1;
  int limit_closure_ = -1;
  int solves_ = 0;
};

}  // namespace armature::inline v0_2
