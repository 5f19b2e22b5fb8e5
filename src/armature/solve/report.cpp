#include "armature/solve/report.hpp"

#include <algorithm>
#include <string_view>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {
namespace {

std::string residual_text(const Report& report) {
  std::string text = "position error " + pretty_number(report.position_error, 4);
  if (report.orientation_error > 0.0) {
    text += ", orientation error " + pretty_number(report.orientation_error * 180.0 / kPi, 4) + " degrees";
  }
  return text;
}

std::string joint_list(const Model& model, const std::vector<LimitContact>& contacts) {
  std::vector<std::string> names;
  for (const LimitContact& contact : contacts) names.push_back(limit_name(model, contact.index));
  return detail::join(names, 6);
}

// " Missed: position of left_hand (0.12), aim of head (3 degrees)." where there are several goals to choose from.
std::string missed_goals(const Report& report) {
  if (report.goals.size() < 2) return "";
  std::vector<std::string> names;
  for (const GoalReport& goal : report.goals) {
    if (goal.reached || !goal.required) continue;
    std::string name = goal.name + " (";
    if (goal.position_error > 0.0) name += pretty_number(goal.position_error, 4);
    if (goal.orientation_error > 0.0) {
      name += goal.position_error > 0.0 ? ", " : "";
      name += pretty_number(goal.orientation_error * 180.0 / kPi, 4) + " degrees";
    }
    names.push_back(name + ")");
  }
  return names.empty() ? "" : " Missed: " + detail::join(names, 6) + ".";
}

std::string goal_title(const Report& report, const GoalReport& goal) {
  return goal.link >= 0 ? report.model.link_name(goal.link) : std::string("the ") + goal.type;
}

// "83 mm", "1.44 m", "less than 0.001 mm".
std::string length_text(double metres) {
  if (metres >= 0.9995) return pretty_number(metres, 3) + " m";
  return metres < 1e-6 ? "less than 0.001 mm" : pretty_number(1e3 * metres, 3) + " mm";
}

// "83 mm short", "83 mm short and 12 degrees off".
std::string shortfall(const GoalResidual& residual) {
  std::string text;
  if (residual.position_error > 0.0) text = length_text(residual.position_error) + " short";
  if (residual.orientation_error > 1e-6) {
    text += (text.empty() ? "" : " and ") + pretty_number(residual.orientation_error * 180.0 / kPi, 3) + " degrees off";
  }
  return text;
}

std::string verb(std::size_t count, const char* one, const char* many) { return count == 1 ? one : many; }

// How a gesture stands: what is missed and by how much, what holds it back, and what stays where it should.
std::string explain_gesture(const Report& report) {
  if (report.goals.empty()) return "";
  std::string missed;
  std::vector<std::string> kept;
  int last = 0;
  for (const GoalReport& goal : report.goals) {
    if (!goal.reached) last = std::max(last, goal.priority);
  }
  const std::string_view stands = report.reason;
  const char* how = stands == "on its way"               ? " is on its way: "
                    : stands == "moving over"            ? " is moving over to another pose that reaches: "
                    : report.outcome == Outcome::blocked ? " comes as near as it can without touching anything: "
                                                         : " follows as far as it can: ";
  for (const GoalReport& goal : report.goals) {
    if (!goal.required) continue;
    if (goal.reached) {
      if (goal.priority < last) kept.push_back(goal_title(report, goal));
      continue;
    }
    missed += (missed.empty() ? "" : " ") + goal_title(report, goal) + how + shortfall(goal) + ".";
  }
  std::string more;
  if (stands == "on its way") {
    more = "The joints turn as fast as they may";
  } else if (!report.blocking_joints.empty()) {
    more = joint_list(report.model, report.blocking_joints) +
           verb(report.blocking_joints.size(), " is at its limit", " are at their limits");
  }
  if (!kept.empty()) {
    more += (more.empty() ? "" : "; ") + detail::join(kept, 6) + verb(kept.size(), " stays", " stay");
  }
  return missed + (more.empty() ? "" : " " + more + ".");
}

std::string times(int count, const char* what) { return std::to_string(count) + " " + what + (count == 1 ? "" : "s"); }

std::string touch_text(const Report& report) {
  const Touch& worst = report.collisions.front();
  std::string text = worst.a +
                     (worst.depth > 0.0 ? " is " + pretty_number(1e3 * worst.depth, 3) + " mm inside "
                                        : " is only " + pretty_number(-1e3 * worst.depth, 3) + " mm from ") +
                     worst.b;
  if (report.collisions.size() > 1) {
    text += ", and " + std::to_string(report.collisions.size() - 1) + " more pair" +
            (report.collisions.size() == 2 ? " touches" : "s touch");
  }
  return text;
}

// An answer that is free of all that its goals can move may stand in something else.
std::string unmoved_touch(const Report& report) {
  if (report.collisions.empty()) return "";
  return " But " + touch_text(report) + ", which the goals do not move.";
}

}  // namespace

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::unreachable:
      return "unreachable";
    case Outcome::blocked:
      return "blocked";
    case Outcome::stalled:
      return "stalled";
    case Outcome::singular:
      return "singular";
    case Outcome::diverged:
      return "diverged";
    case Outcome::iteration_limit:
      return "iteration_limit";
    case Outcome::time_limit:
      return "time_limit";
    case Outcome::not_finite:
      return "not_finite";
    case Outcome::refused:
      return "refused";
  }
  return "?";
}

const char* side_name(LimitSide side) {
  return side == LimitSide::lower ? "lower" : side == LimitSide::upper ? "upper" : "cone";
}

const char* bound_name(ReachBound bound) {
  switch (bound) {
    case ReachBound::beyond:
      return "beyond";
    case ReachBound::inside_hole:
      return "inside_hole";
    case ReachBound::no_solution:
      return "no_solution";
  }
  return "?";
}

std::string limit_name(const Model& model, int coordinate) {
  const bool ball = model.coordinate_kinds()[static_cast<std::size_t>(coordinate)] == Coordinate::quaternion;
  return ball ? model.joint(model.coordinate_joint(coordinate)).name : model.coordinate_name(coordinate);
}

std::string Report::message() const {
  const Report& report = *this;
  const bool gesture = std::string_view(report.method) == "follow" && report.outcome != Outcome::converged &&
                       report.outcome != Outcome::not_finite && report.outcome != Outcome::refused &&
                       report.collisions.empty();
  if (gesture) {
    if (std::string text = explain_gesture(report); !text.empty()) return text;
  }
  const std::string after = times(report.iterations, "iteration");
  const std::string blocking =
      missed_goals(report) + (report.blocking_joints.empty()
                                  ? ""
                                  : " Limits hold back " + joint_list(report.model, report.blocking_joints) + ".");
  const std::optional<Proof>& proof = report.proof;
  switch (report.outcome) {
    case Outcome::converged:
      return (report.iterations == 0 ? "Reached without an iteration, " : "Reached after " + after + ", ") +
             residual_text(report) + (report.answers > 0 ? ", chosen from " + times(report.answers, "answer") : "") +
             "." + unmoved_touch(report);
    case Outcome::unreachable:
      if (proof && proof->of_wrist) {
        const bool beyond = proof->bound == ReachBound::beyond;
        return "With this orientation the last joint would have to be " + pretty_number(proof->distance, 4) +
               " from the first one, " + (beyond ? "beyond the reach of " : "inside the hole of radius ") +
               pretty_number(proof->length, 4) + (beyond ? "" : " that the linkage cannot fold into") +
               "; the nearest pose found has " + residual_text(report) + "." + missed_goals(report);
      }
      if (proof && proof->bound == ReachBound::beyond) {
        return "The goal is " + pretty_number(proof->distance - proof->length, 4) + " beyond the reach of " +
               pretty_number(proof->length, 4) + "; the nearest pose found has " + residual_text(report) + "." +
               missed_goals(report);
      }
      if (proof && proof->bound == ReachBound::no_solution) {
        return "No pose inside the limits reaches the goal: all answers of the arm's equations were computed, and each "
               "is "
               "impossible or outside a limit.";
      }
      if (proof && proof->bound == ReachBound::inside_hole) {
        return "The goal is " + pretty_number(proof->distance, 4) +
               " from the first joint, inside the hole of radius " + pretty_number(proof->length, 4) +
               " that the linkage cannot fold into; the nearest pose found has " + residual_text(report) + "." +
               missed_goals(report);
      }
      return "No pose can reach the goal; the nearest pose found has " + residual_text(report) + "." + blocking;
    case Outcome::blocked: {
      if (report.times_reached == 0 && report.collisions.empty())
        return "As near as it comes without touching anything, " + residual_text(report) + "." + missed_goals(report);
      std::string text = "Reached " + times(report.times_reached, "time") + ", never free";
      if (!report.collisions.empty()) {
        text += (report.times_reached > 1 ? ": in the best of them " : ": ") + touch_text(report);
      }
      return text + ".";
    }
    case Outcome::stalled:
      return "No further progress after " + after + ", " + residual_text(report) +
             ": the goal is probably out of reach." + blocking;
    case Outcome::singular:
      return "The pose is singular: no joint moves the effector towards the goal (" + residual_text(report) +
             " after " + after + "). Start from a slightly bent pose, or use another method.";
    case Outcome::diverged:
      return "The method's own steps led away from the goal after " + after + "; the best pose on the way has " +
             residual_text(report) + ". A smaller step, or damping, would help." + blocking;
    case Outcome::iteration_limit:
      return "Out of iterations (" + std::to_string(report.iterations) + "), " + residual_text(report) +
             "; allow more with max_iterations." + blocking;
    case Outcome::time_limit:
      return "Out of time after " + after + ", " + residual_text(report) + "; allow more with max_time.";
    case Outcome::not_finite:
      return "The numbers ran into infinity or NaN after " + after +
             ": lengths or goals are too large to compute with.";
    case Outcome::refused:
      return refusal.empty() ? "Method '" + std::string(report.method) + "' cannot take this problem." : refusal;
  }
  return "";
}

}  // namespace armature::inline v0_2
