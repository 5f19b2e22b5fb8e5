// How a search ended. A Report owns its memory and reuses it from solve to solve.
#pragma once

#include <string>
#include <vector>

#include "armature/geom/types.hpp"

namespace armature {

class Model;
struct Problem;

enum class Outcome {
  converged,        // every goal within its tolerance, inside limits
  unreachable,      // proved: no pose can reach it
  blocked,          // reached, but never without touching something
  stalled,          // no further progress: probably unreachable
  singular,         // the method cannot go on from a singular pose
  diverged,         // the method's own steps led away from the goal
  iteration_limit,  // out of iterations while still getting nearer
  time_limit,       // out of time
  not_finite,       // the numbers ran into NaN or infinity
  refused,          // the method cannot take the problem; its check() says why
};
const char* outcome_name(Outcome outcome);

struct GoalResidual {
  double position_error = 0.0;     // norm over the goal's length rows, metres
  double orientation_error = 0.0;  // norm over the goal's angle rows, radians
  bool reached = false;
};

/// Two things that touch, or come nearer than the margin.
struct Touch {
  // Each is a link's body, or an obstacle of the problem (-1: none), which a link may carry.
  int link_a = -1, obstacle_a = -1;
  int link_b = -1, obstacle_b = -1;
  double depth = 0.0;  // how far they would have to move apart to touch no more; negative: a gap below the margin
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // in the world
};

/// What proved a goal unreachable, for the sentence: lengths, or that all answers of the equations are known and none
/// lies inside the limits.
enum class ReachBound { none, beyond, inside_hole, no_solution };
const char* bound_name(ReachBound bound);

inline constexpr double kClearanceSeen = 0.1;  // of the model's size: farther things are not looked for

struct Report {
  Outcome outcome = Outcome::not_finite;
  int iterations = 0;
  int restarts = 0;
  double position_error = 0.0;  // largest over goals
  double orientation_error = 0.0;
  std::vector<GoalResidual> goals;
  std::vector<int> joints_at_limits;     // coordinates at a bound in the returned pose; a ball: its quaternion's first
  std::vector<int> blocking;             // coordinate indices whose bound keeps the error from falling
  double smallest_singular_value = 0.0;  // of the stacked Jacobian at the returned pose, angle rows scaled to lengths
  double manipulability = 0.0;
  double condition = 0.0;
  ReachBound bound = ReachBound::none;
  double bound_length = 0.0;   // the reach (or the hole's radius), metres
  double goal_distance = 0.0;  // of the goal from where the bound is measured
  bool bound_of_wrist =
      false;  // the bound is of where the wrist must be for the goal's orientation, not of the goal itself
  // Where the problem avoids collisions:
  double clearance = 0.0;         // smallest distance of the returned pose, as far as kClearanceSeen; negative: a touch
  std::vector<Touch> collisions;  // of the returned pose, deepest first
  int times_reached = 0;          // answers that touched something
  const char* method = "";        // which method gave the answer
  const char* why = "";           // why `auto` chose it, and the like; a literal

  bool ok() const { return outcome == Outcome::converged; }
};

/// How the two things of a touch are called: a link's name, or an obstacle's.
std::string touching_a(const Problem& problem, const Touch& touch);
std::string touching_b(const Problem& problem, const Touch& touch);

/// How a coordinate of the lists above is called: the joint's name for a ball, which is limited as a whole.
std::string limit_name(const Model& model, int coordinate);

/// One or two sentences a person can act on.
std::string explain(const Problem& problem, const Report& report);

/// One iteration as seen by plots and by the studio's Step view.
struct TraceStep {
  VecX q;      // pose before the step
  VecX error;  // stacked rows (target - actual), angle rows scaled to lengths
  double error_norm = 0.0;
  MatX J;                // rows as in error; empty for methods that use none
  VecX singular_values;  // descending
  VecX step;             // change of the velocities' coordinates that the method chose
  double damping = 0.0;  // lambda in use, 0 where there is none
};

struct Trace {
  std::vector<TraceStep> steps;
};

}  // namespace armature
