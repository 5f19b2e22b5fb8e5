// What kind of equations a serial chain has, and all its answers by them.
//
//   Result<ChainAnalysis> analysis = analyze_chain(model, base, tip);
//   ChainAnswers answers;
//   solve_chain(*analysis, X_BT, start, {}, answers);      // no allocation
//
// docs/methods/analytic.md has the mathematics; solve/solutions.hpp adds limits and full turns.
#pragma once

#include <memory>
#include <string>

#include "armature/kinematics/chain.hpp"

namespace armature::inline v0_2 {

enum class ChainClass {
  wrist,      // S: three last (or first) axes meet, two others are parallel or meet; at most 8 answers
  parallel,   // P: three parallel axes in the middle, the last (or first) two meet; at most 8
  pair,       // K: a parallel pair and a meeting pair; at most 16
  general,    // G: six turning joints without such a structure; at most 16
  spherical,  // three neighbouring axes meet, the other three joints turn or slide; at most 8
  planar,     // three neighbouring joints move in one plane, the other three turn; at most 8
  cartesian,  // three slides and three turning joints in any order; at most 2
  srs,        // seven joints, spherical shoulder and wrist: curves over the arm angle
  locked,     // seven joints of which one is held at its start: the slide, where one slides
  fewer,      // fewer freedoms than a pose has
};
/// "S", "P", "K", "G", "spherical", "planar", "cartesian", "S-R-S", "locked", "fewer".
const char* class_name(ChainClass kind);

/// What the goal asks of the tip.
struct ChainTask {
  bool position_only = false;  // its place, not its rotation
  bool rotation_only = false;  // its rotation, not its place
  bool free_turn = false;      // pose: any turn about `axis` of the tip's frame will do
  bool free_slide = false;     // position: any shift along `axis` of the base's frame will do
  Vec3 axis = Vec3::UnitZ();

  bool operator==(const ChainTask& o) const = default;
};

/// Constants of one chain. Cheap to copy; safe to read from many threads.
struct ChainAnalysis {
  ModelChain chain;
  ChainTask task;
  ChainClass kind = ChainClass::general;
  bool mirrored = false;  // solved from its other end
  double defect = 0.0;    // how far the geometry is from its class, radians and fractions of half its length
  int locked_joint = -1;  // of the chain, class `locked`
  std::string sentence;   // for people: "Class S: ..."

  /// Whether the class holds to rounding; otherwise the chain is snapped to it and answers are made true afterwards.
  bool exact() const { return defect < 1e-9; }
  int joint_count() const { return static_cast<int>(chain.joints.size()); }

  struct Constants;  // analysis_data.hpp
  std::shared_ptr<const Constants> constants;
};

/// The chain from `base` to `tip`, `point` of the tip link its end. The error says why there is no closed form.
Result<ChainAnalysis> analyze_chain(const Model& model, int base, int tip, const Vec3& point = Vec3::Zero(),
                                    const ChainTask& task = {});
/// `closed_only`: leaves out class G, whose eliminants take some ten milliseconds to choose.
Result<ChainAnalysis> analyze_chain(ModelChain chain, const ChainTask& task = {}, bool closed_only = false);

inline constexpr int kMaxChainAnswers = 64;
inline constexpr int kMaxAnalyticJoints = 8;

/// Answers before limits: angles in (-pi, pi].
struct ChainAnswers {
  int count = 0;
  double value[kMaxChainAnswers][kMaxAnalyticJoints];  // of the chain's joints, radians and metres
  double residual[kMaxChainAnswers];                   // pose error, radians and fractions of half the chain's length
  bool complete = true;                                // every answer there is; a curve of answers is never complete
  bool no_answer_is_sure = false;  // complete, and no branch is missing by less than 1e-4: small errors change nothing
  unsigned singular_joints = 0;  // bit i: joint i of the chain is free at some answer (it has its start's value there)
  int curve[kMaxChainAnswers];   // seven joints: which of the curves it lies on; otherwise its own number
};

struct ChainSolveOptions {
  bool thorough = false;          // both eliminants of classes K and G, always: twice the time, for proofs
  double along = -1.0;            // seven joints: which point of each curve, 0 to 1 of its free length; negative: the
                                  // nearest to the start (of class `locked`: its joint at its start)
  const double* lower = nullptr;  // of the chain's joints: keeps curves inside limits; null: the chain's own
  const double* upper = nullptr;
};

/// `X_BT`: the tip in the base. `start`: values of the chain's joints.
void solve_chain(const ChainAnalysis& analysis, const Transform& X_BT, const double* start,
                 const ChainSolveOptions& options, ChainAnswers& out);

}  // namespace armature::inline v0_2
