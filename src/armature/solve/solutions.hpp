// All poses that reach one goal, by analysis: inside limits with every full turn, the nearest to the start first.
//
//   const Solutions all = solutions(ur5, goal).value();
//   for (int k = 0; k < all.count(); ++k) use(all.q.col(k));
//
// Where the chain has no closed form the error says so in a sentence; `reach` finds single answers for any chain.
#pragma once

#include <string>
#include <vector>

#include "armature/kinematics/analysis.hpp"
#include "armature/solve/goal_types.hpp"

namespace armature {

struct SolutionsOptions {
  VecX start;                 // pose to be near to, and to take free joints from; empty: the middle of the limits
  VecX lower, upper;          // per coordinate; empty: the model's
  bool within_limits = true;  // false: every answer once, angles in (-pi, pi]
  bool thorough = false;      // both eliminants of classes K and G
  int samples = 0;            // seven joints: points per curve; 0: the nearest to the start on each
  int max_count = 256;        // at most so many, the nearest
};

struct Solutions {
  MatX q;                            // a pose per column
  VecX residuals;                    // pose error of each, as fractions of half the chain's length and radians
  bool complete = false;             // these are all: nothing was cut, and the equations left nothing open
  std::vector<int> singular_joints;  // coordinates that are free at some answer: a curve of poses runs through it
  std::string note;                  // when not complete: why
  ChainClass kind = ChainClass::general;

  int count() const { return static_cast<int>(q.cols()); }
};

Result<Solutions> solutions(const Model& model, const PoseGoal& goal, const SolutionsOptions& options = {});
Result<Solutions> solutions(const Model& model, const PositionGoal& goal, const SolutionsOptions& options = {});

/// What a goal asks of a chain, and where its tip should be. The error says what analysis cannot take: tolerance boxes,
/// free axes other than one turn of the tool or one coordinate of a position.
struct ChainGoal {
  int base = kWorld, tip = 0;
  Vec3 point = Vec3::Zero();
  ChainTask task;
  Transform target;  // of the tip in the base
};
Result<ChainGoal> chain_goal(const FrameTarget& frame);

/// A choice of full turns for one answer: what within_limits() lists.
struct LimitedAnswer {
  int answer = 0;
  double distance = 0.0;  // to the start, radians and fractions of a quarter of the chain's length
  double value[kMaxAnalyticJoints];
};

inline constexpr int kMaxLimited = 256;
struct LimitedAnswers {
  int count = 0;
  bool cut = false;                // there were more
  double nearest_violation = 0.0;  // when none is inside: the least by which any answer is outside, radians or metres
  LimitedAnswer item[kMaxLimited];
};

/// Every variant of every answer inside limits (a joint without limits: the turn nearest to the start), ascending by
/// distance; at most `max_count` of the nearest. Does not allocate.
void within_limits(const ChainAnalysis& analysis, const ChainAnswers& answers, const double* lower, const double* upper,
                   const double* start, int max_count, LimitedAnswers& out);

}  // namespace armature
