#include "armature/solve/report.hpp"

#include <algorithm>
#include <string_view>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/solve/problem.hpp"

namespace armature {
namespace {

std::string residual_text(const Report& report) {
  std::string text = "position error " + pretty_number(report.position_error, 4);
  if (report.orientation_error > 0.0) {
    text += ", orientation error " + pretty_number(report.orientation_error * 180.0 / kPi, 4) + " degrees";
  }
  return text;
}

std::string joint_list(const Model& model, const std::vector<int>& coordinates) {
  std::vector<std::string> names;
  for (const int i : coordinates) names.push_back(limit_name(model, i));
  return join(names, 6);
}

// " Missed: position of left_hand (0.12), aim of head (3 degrees)." where there are several goals to choose from.
std::string missed_goals(const Problem& problem, const Report& report) {
  if (problem.model == nullptr || problem.goals.size() < 2 || report.goals.size() != problem.goals.size()) return "";
  std::vector<std::string> names;
  for (std::size_t g = 0; g < problem.goals.size(); ++g) {
    const GoalResidual& residual = report.goals[g];
    const Goal& goal = problem.goals[g];
    if (residual.reached || is_preference(goal) || common(goal).weight <= 0.0) continue;
    std::string name = goal_label(goal, *problem.model) + " (";
    if (residual.position_error > 0.0) name += pretty_number(residual.position_error, 4);
    if (residual.orientation_error > 0.0) {
      name += residual.position_error > 0.0 ? ", " : "";
      name += pretty_number(residual.orientation_error * 180.0 / kPi, 4) + " degrees";
    }
    names.push_back(name + ")");
  }
  return names.empty() ? "" : " Missed: " + join(names, 6) + ".";
}

std::string goal_title(const Problem& problem, const Goal& goal) {
  return effector(goal) != kWorld ? problem.model->link_name(effector(goal)) : std::string("the ") + goal_name(goal);
}

// "83 mm short", "83 mm short and 12 degrees off".
std::string shortfall(const GoalResidual& residual) {
  std::string text;
  if (residual.position_error > 0.0) text = pretty_number(1e3 * residual.position_error, 3) + " mm short";
  if (residual.orientation_error > 1e-6) {
    text += (text.empty() ? "" : " and ") + pretty_number(residual.orientation_error * 180.0 / kPi, 3) + " degrees off";
  }
  return text;
}

std::string verb(std::size_t count, const char* one, const char* many) { return count == 1 ? one : many; }

// How a gesture stands: what is missed and by how much, what holds it back, and what stays where it should.
std::string explain_gesture(const Problem& problem, const Report& report) {
  if (problem.model == nullptr || report.goals.size() != problem.goals.size()) return "";
  std::string missed;
  std::vector<std::string> kept;
  int last = 0;
  for (std::size_t g = 0; g < problem.goals.size(); ++g) {
    if (!report.goals[g].reached) last = std::max(last, common(problem.goals[g]).priority);
  }
  const std::string_view stands = report.why;
  const char* how = stands == "on its way"    ? " is on its way: "
                    : stands == "moving over" ? " is moving over to another pose that reaches: "
                                              : " follows as far as it can: ";
  for (std::size_t g = 0; g < problem.goals.size(); ++g) {
    const Goal& goal = problem.goals[g];
    if (is_preference(goal) || common(goal).weight <= 0.0) continue;
    if (report.goals[g].reached) {
      if (common(goal).priority < last) kept.push_back(goal_title(problem, goal));
      continue;
    }
    missed += (missed.empty() ? "" : " ") + goal_title(problem, goal) + how + shortfall(report.goals[g]) + ".";
  }
  std::string more;
  if (stands == "on its way") {
    more = "The joints turn as fast as they may";
  } else if (!report.blocking.empty()) {
    more = joint_list(*problem.model, report.blocking) +
           verb(report.blocking.size(), " is at its limit", " are at their limits");
  }
  if (!kept.empty()) {
    more += (more.empty() ? "" : "; ") + join(kept, 6) + verb(kept.size(), " stays", " stay");
  }
  return missed + (more.empty() ? "" : " " + more + ".");
}

std::string times(int count, const char* what) { return std::to_string(count) + " " + what + (count == 1 ? "" : "s"); }

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

const char* bound_name(ReachBound bound) {
  switch (bound) {
    case ReachBound::none:
      return "none";
    case ReachBound::beyond:
      return "beyond";
    case ReachBound::inside_hole:
      return "inside_hole";
    case ReachBound::no_solution:
      return "no_solution";
  }
  return "?";
}

namespace {

std::string thing_name(const Problem& problem, int link, int obstacle) {
  if (obstacle >= 0 && static_cast<std::size_t>(obstacle) < problem.obstacles.size()) {
    const std::string& name = problem.obstacles[static_cast<std::size_t>(obstacle)].name;
    return name.empty() ? "obstacle " + std::to_string(obstacle + 1) : name;
  }
  return problem.model != nullptr && link >= 0 ? problem.model->link_name(link) : "";
}

}  // namespace

std::string touching_a(const Problem& problem, const Touch& touch) {
  return thing_name(problem, touch.link_a, touch.obstacle_a);
}
std::string touching_b(const Problem& problem, const Touch& touch) {
  return thing_name(problem, touch.link_b, touch.obstacle_b);
}

std::string limit_name(const Model& model, int coordinate) {
  const bool ball = model.coordinate_kinds()[static_cast<std::size_t>(coordinate)] == Coordinate::quaternion;
  return ball ? model.joint(model.coordinate_joint(coordinate)).name : model.coordinate_name(coordinate);
}

std::string explain(const Problem& problem, const Report& report) {
  const bool gesture = std::string_view(report.method) == "follow" && report.outcome != Outcome::converged &&
                       report.outcome != Outcome::not_finite && report.outcome != Outcome::refused;
  if (gesture) {
    if (std::string text = explain_gesture(problem, report); !text.empty()) return text;
  }
  const std::string after = times(report.iterations, "iteration");
  const std::string blocking =
      missed_goals(problem, report) + (problem.model != nullptr && !report.blocking.empty()
                                           ? " Limits hold back " + joint_list(*problem.model, report.blocking) + "."
                                           : "");
  switch (report.outcome) {
    case Outcome::converged:
      return report.iterations == 0 ? "Reached without an iteration, " + residual_text(report) + "."
                                    : "Reached after " + after + ", " + residual_text(report) + ".";
    case Outcome::unreachable:
      if (report.bound != ReachBound::none && report.bound_of_wrist) {
        const bool beyond = report.bound == ReachBound::beyond;
        return "With this orientation the last joint would have to be " + pretty_number(report.goal_distance, 4) +
               " from the first one, " + (beyond ? "beyond the reach of " : "inside the hole of radius ") +
               pretty_number(report.bound_length, 4) + (beyond ? "" : " that the linkage cannot fold into") +
               "; the nearest pose found has " + residual_text(report) + "." + missed_goals(problem, report);
      }
      if (report.bound == ReachBound::beyond) {
        return "The goal is " + pretty_number(report.goal_distance - report.bound_length, 4) + " beyond the reach of " +
               pretty_number(report.bound_length, 4) + "; the nearest pose found has " + residual_text(report) + "." +
               missed_goals(problem, report);
      }
      if (report.bound == ReachBound::no_solution) {
        return "No pose inside the limits reaches the goal: all answers of the arm's equations were computed, and each "
               "is "
               "impossible or outside a limit.";
      }
      if (report.bound == ReachBound::inside_hole) {
        return "The goal is " + pretty_number(report.goal_distance, 4) +
               " from the first joint, inside the hole of radius " + pretty_number(report.bound_length, 4) +
               " that the linkage cannot fold into; the nearest pose found has " + residual_text(report) + "." +
               missed_goals(problem, report);
      }
      return "No pose can reach the goal; the nearest pose found has " + residual_text(report) + "." + blocking;
    case Outcome::blocked: {
      std::string text = "Reached " + times(report.times_reached, "time") + ", never free";
      if (!report.collisions.empty()) {
        const Touch& worst = report.collisions.front();
        text += report.times_reached > 1 ? ": in the best of them " : ": ";
        const std::string a = touching_a(problem, worst), b = touching_b(problem, worst);
        text += a + (worst.depth > 0.0 ? " is " + pretty_number(1e3 * worst.depth, 3) + " mm inside " + b
                                       : " is only " + pretty_number(-1e3 * worst.depth, 3) + " mm from " + b);
        if (report.collisions.size() > 1) {
          text += ", and " + std::to_string(report.collisions.size() - 1) + " more pair" +
                  (report.collisions.size() == 2 ? " touches" : "s touch");
        }
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
      return "Method '" + std::string(report.method) + "' cannot take this problem.";
  }
  return "";
}

}  // namespace armature
