// Whether an answer of a problem touches something, for searches: the bodies and obstacles of the problem, compiled
// once and kept as long as they stay the same.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "armature/kinematics/exact_shapes.hpp"
#include "armature/solve/compiled_problem.hpp"
#include "armature/solve/report.hpp"

namespace armature::inline v0_2 {

class FreeAnswers {
 public:
  /// Whether the problem asks for answers that touch nothing. Allocates when model, bodies or obstacles changed.
  bool prepare(const CompiledProblem& compiled);
  /// Equal for the same bodies, obstacles and margin; never 0.
  std::uint64_t stamp() const { return stamp_; }

  /// Where the problem brings the shapes of links, they decide about what the bodies refuse.
  bool is_free(const double* q);
  /// Whether nothing touches on the way from q0 to q1 (interpolate); see Clearance::prove_free.
  bool prove_free(const VecX& q0, const VecX& q1) {
    return clearance_.prove_free(q0, q1, 0.0, 1000, exact_.ready() ? &exact_ : nullptr);
  }
  /// What is nearer than `within` at q, with distances of shapes where bodies do not keep the margin; until the next
  /// question.
  const std::vector<NearPair>& near(const double* q, double within) {
    look(q, within);
    return near_;
  }
  /// Of one of those pairs; see Clearance::slope.
  void slope(const NearPair& pair, VecX& out) { clearance_.slope(pair, out); }
  /// Kept of a pair.
  double margin_of(const NearPair& pair) const { return std::min(margin_, pair.margin); }
  double margin() const { return margin_; }
  /// Smallest distance, as far as it is looked for; of bodies that keep the margin it is theirs.
  double clearance(const double* q);

  /// Fills clearance and collisions of the report, of what the goals cannot move last; returns how many collisions they
  /// can.
  int describe(const double* q, Report& report);

 private:
  double look(const double* q, double within);
  double look_unmoved(const double* q, double within);
  void add_touches(const std::vector<NearPair>& pairs, Report& report) const;

  Clearance clearance_;
  ExactShapes exact_;
  std::shared_ptr<const Bodies> own_;  // where the problem brings none
  std::vector<NearPair> near_;
  std::vector<NearPair> unmoved_;      // what is near whatever the goals move, with these joints:
  std::vector<int> unmoved_index_;     // coordinates that the goals do not move
  std::vector<double> unmoved_q_;      // their values
  double unmoved_clearance_ = -1e300;  // not looked yet
  std::uint64_t stamp_ = 0;
  std::uint64_t things_ = 0;                // of bodies and obstacles
  std::uint64_t bodies_ = 0;                // their stamp
  std::vector<Obstacle> kept_;              // so that no other mesh can come to lie where one of these was
  std::vector<char> moved_, moved_before_;  // velocities that the goals can move
  double margin_ = 0.0;
  double seen_ = 0.1;
};

}  // namespace armature::inline v0_2
