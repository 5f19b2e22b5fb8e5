// How a search ended. A Report owns its memory and reuses it from solve to solve.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/kinematics/measures.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

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

/// Two things that touch, or come nearer than the margin: a link's body, or an obstacle, which a link may carry.
struct Touch {
  std::string a, b;    // names
  double depth = 0.0;  // how far they would have to move apart to touch no more; negative: a gap below the margin
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // in the world
};

struct GoalReport : GoalResidual {
  std::string name;       // the goal's own, else its type and link
  const char* type = "";  // "position", ...
  int link = -1;          // that it moves; -1 where there is no single one
  int priority = 0;
  bool required = true;  // false: a preference, or switched off
};

enum class LimitSide { lower, upper, cone };
const char* side_name(LimitSide side);

/// A coordinate at a bound; a ball joint is limited as a whole, by its cone.
struct LimitContact {
  std::string_view joint;  // its name; as long as the model, which the report holds
  int coordinate = 0;      // of the joint
  LimitSide side = LimitSide::lower;
  int index = 0;  // in the pose vector; a ball: its quaternion's first number
};

/// What proved a goal unreachable: lengths, or that all answers of the equations are known and none lies inside the
/// limits.
enum class ReachBound { beyond, inside_hole, no_solution };
const char* bound_name(ReachBound bound);

struct Proof {
  ReachBound bound = ReachBound::no_solution;
  double length = 0.0;    // the reach, or the hole's radius, metres
  double distance = 0.0;  // of the goal from where the bound is measured
  bool of_wrist = false;  // the bound is of where the wrist must be for the goal's orientation, not of the goal itself
};

inline constexpr double kClearanceSeen = 0.1;  // of the model's size: farther things are not looked for

struct Report {
  VecX q;       // the answer: the best pose found, finite and inside limits
  Model model;  // whose pose it is
  Outcome outcome = Outcome::not_finite;
  int iterations = 0;
  int restarts = 0;
  int answers = 0;              // different ones that quality nearest chose from; 0: it did not choose
  double position_error = 0.0;  // largest over goals
  double orientation_error = 0.0;
  std::vector<GoalReport> goals;
  std::vector<LimitContact> joints_at_limits;  // in the returned pose
  std::vector<LimitContact> blocking_joints;   // whose bound keeps the error from falling
  Measures measures;           // of the stacked Jacobian at the returned pose, angle rows scaled to lengths
  std::optional<Proof> proof;  // that the goal cannot be reached
  // Where the problem avoids collisions:
  double clearance = 0.0;         // smallest distance of the returned pose, as far as kClearanceSeen; negative: a touch
  std::vector<Touch> collisions;  // of the returned pose, deepest first
  int times_reached = 0;          // answers that touched something
  const char* method = "";        // which method gave the answer
  const char* reason = "";        // why `auto` chose it, and the like; a literal

  std::string refusal;  // what is wrong with a problem that was refused

  bool ok() const { return outcome == Outcome::converged; }
  /// One or two sentences a person can act on.
  std::string message() const;
};

/// How a coordinate of the lists above is called: the joint's name for a ball, which is limited as a whole.
std::string limit_name(const Model& model, int coordinate);

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

}  // namespace armature::inline v0_2
