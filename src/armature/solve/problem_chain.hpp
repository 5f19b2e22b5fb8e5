// A problem as a question to one chain: its one goal, the chain that moves it without the joints that are locked, and
// the chain's equations. What `solutions` and the methods that solve by analysis share.
//
//   if (chain.prepare(problem, q)) solve_chain(chain.analysis(), chain.target(), chain.start, {}, answers);
//
// The analysis is kept while problems ask the same of the same chain.
#pragma once

#include <cstdint>
#include <vector>

#include "armature/kinematics/analysis.hpp"
#include "armature/solve/compiled_problem.hpp"

namespace armature::inline v0_2 {

class ProblemChain {
 public:
  /// `q`: the pose to start from, where locked joints stay. False: status() says why analysis cannot take the problem.
  /// `closed_only`: chains of class G, which take long to analyze, are refused.
  bool prepare(const CompiledProblem& problem, const double* q, bool closed_only = false);
  Status status() const;

  /// Whether the last prepare() had to analyze the chain, and allocated for it.
  bool renewed() const { return renewed_; }
  /// Also free turns about an axis of the base, for which the chain is analyzed anew with every target.
  bool any_axis = false;

  const ChainAnalysis& analysis() const { return analysis_; }
  const Transform& target() const { return target_; }  // of the tip in the base
  int goal() const { return goal_; }                   // its index in the problem
  int joint_count() const { return analysis_.joint_count(); }
  /// Coordinates of joints that turn about the point of a position goal: they stay, and may have any value.
  const std::vector<int>& free_coordinates() const { return free_; }

  // Of the chain's joints, radians and metres.
  double start[kMaxAnalyticJoints], lower[kMaxAnalyticJoints], upper[kMaxAnalyticJoints];

  /// Writes values of the chain's joints into a pose, inside the problem's limits.
  void put(const CompiledProblem& problem, const double* values, double* q) const;

 private:
  /// What the analysis depends on.
  struct Key {
    std::uint64_t model = 0;
    int base = kWorld, tip = 0;
    Vec3 point = Vec3::Zero();
    ChainTask task;

    bool operator==(const Key& o) const = default;
  };
  const char* read_goal(const CompiledProblem& problem);
  void analyze(bool closed_only);

  const char* refusal_ = "";  // a literal: what the problem asks that no chain can be asked
  const Goal* refused_ = nullptr;
  int goal_ = -1;
  Transform target_;
  Key key_, asked_;
  bool made_ = false, made_closed_only_ = false, renewed_ = false;
  Status chain_status_, status_;  // of the whole chain, of its analysis
  ModelChain whole_;
  Vec3 tip_ = Vec3::Zero();                    // of the whole chain, after its last joint
  std::vector<char> locked_, asked_locked_;    // per joint of the whole chain
  std::vector<double> values_, asked_values_;  // where they stand; 0 of those that move
  std::vector<int> free_;
  ChainAnalysis analysis_;
};

}  // namespace armature::inline v0_2
