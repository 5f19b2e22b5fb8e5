// Closing loops: moves the joints that are not held until every closure holds.
//
// Block after block (loop_blocks.hpp) by damped Gauss-Newton steps
//     delta = -(J'J + mu I)^-1 J' phi,   mu = max(lambda |phi|^2, 1e-14),
// whose damping vanishes with the gap, so that convergence stays quadratic, and which survive singular poses and
// redundant rows.
#pragma once

#include <string>
#include <vector>

#include "armature/kinematics/loop_blocks.hpp"

namespace armature::inline v0_2 {

struct AssembleReport {
  bool ok = false;      // every loop is closed
  int iterations = 0;   // steps taken, over all blocks
  double error = 0.0;   // norm of what is left, in units of ClosureRows::length()
  double moved = 0.0;   // length of all steps, radians or lengths in that unit
  int worst_item = -1;  // closure with the largest gap, where not ok
};

class Assembler {
 public:
  static constexpr double kClosed = 1e-11;  // gap that counts as closed where it no longer falls
  static constexpr double kDone = 1e-14;    // gap that needs no further step

  /// `held`: per velocity, non-zero: it stays; empty: none. Allocates; nothing below does.
  void prepare(const Model& model, std::span<const char> held = {});

  AssembleReport assemble(double* q, int max_iterations = 60, double max_step = 0.7);
  /// One block after those before it were closed.
  AssembleReport assemble_block(int block, double* q, int max_iterations, double max_step);
  /// Frames of the links that no block moves: to be called before assemble_block() of the first.
  void place_still_links(const double* q) { rows.place(q, blocks.still_links); }
  /// Norm of all rows at q; frames and `phi` are those of q afterwards.
  double error(const double* q) { return rows.evaluate(q, phi.data()); }

  ClosureRows rows;
  LoopBlocks blocks;
  std::vector<double> phi;  // rows.rows() numbers

  /// Jacobian of a block's rows by its columns, rows x columns, column-major; after its residual().
  void block_jacobian(const LoopBlock& block, double* J) const;
  /// Squares of its columns' norms, of a rod those of the velocities of its ends, as if the rod were a link with pins:
  /// what |det J| is measured against (transmission index).
  void column_squares(const LoopBlock& block, const double* J, double* squares) const;
  /// Frames of the block's links and its rows of `phi`; the norm of these.
  double block_residual(const LoopBlock& block, const double* q);

 private:
  void make_room();

  std::vector<double> J_, H_, step_, saved_, rhs_;
};

/// x = -(J'J + mu I)^-1 J' phi of J (m x n, column-major), through J J' where there are fewer rows. `H` takes k * k and
/// `rhs` k numbers, k the smaller of m and n. False when the system is singular.
bool damped_step(const double* J, int m, int n, const double* phi, double mu, double* H, double* rhs, double* x);

/// Closes the loops of `model` at q by moving every joint that is not among `held` (names). Idempotent; leaves held
/// joints alone bit for bit. The error names the loop that stays open, and by how much.
Status assemble(const Model& model, VecX& q, const std::vector<std::string>& held = {});

/// "closure 'pin' stays open by 3.2 mm": lengths in the model's unit.
std::string open_loops(const Model& model, const VecX& q);

/// Per velocity, non-zero for those of the named joints; the error names an unknown one.
Result<std::vector<char>> held_velocities(const Model& model, const std::vector<std::string>& joints);

}  // namespace armature::inline v0_2
