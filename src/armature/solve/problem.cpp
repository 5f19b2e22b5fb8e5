#include "armature/solve/problem.hpp"

#include <cmath>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"

namespace armature {
namespace {

Status check_size(const char* what, Eigen::Index size, int wanted, const char* unit) {
  if (size == 0 || size == wanted) return {};
  return Error{"The problem's '" + std::string(what) + "' has " + std::to_string(size) +
               " numbers; it must be empty or have one per " + unit + ", " + std::to_string(wanted) + " in all."};
}

Status check_not_negative(const char* what, const VecX& values) {
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!(values[i] >= 0.0) || !std::isfinite(values[i])) {
      return Error{"The problem's '" + std::string(what) + "' must be finite and at least 0; number " +
                   std::to_string(i) + " is " + pretty_number(values[i]) + "."};
    }
  }
  return {};
}

}  // namespace

const char* collision_name(Collision collision) { return collision == Collision::search ? "search" : "off"; }

Status check_problem(const Problem& problem) {
  if (problem.model == nullptr) return Error{"The problem has no model."};
  const Model& model = *problem.model;
  for (std::size_t i = 0; i < problem.goals.size(); ++i) {
    if (Status status = check_goal(problem.goals[i], model); !status) {
      return problem.goals.size() == 1 ? status : Status{Error{"Goal " + std::to_string(i) + ": " + status.message()}};
    }
  }
  if (Status s = check_size("locked", static_cast<Eigen::Index>(problem.locked.size()), model.v_size(), "velocity"); !s)
    return s;
  if (Status s = check_size("mobility", problem.mobility.size(), model.v_size(), "velocity"); !s) return s;
  if (Status s = check_size("gain", problem.gain.size(), model.v_size(), "velocity"); !s) return s;
  if (Status s = check_size("lower", problem.lower.size(), model.q_size(), "coordinate"); !s) return s;
  if (Status s = check_size("upper", problem.upper.size(), model.q_size(), "coordinate"); !s) return s;
  if (Status s = check_size("rest", problem.rest.size(), model.q_size(), "coordinate"); !s) return s;
  if (Status s = check_not_negative("mobility", problem.mobility); !s) return s;
  if (Status s = check_not_negative("gain", problem.gain); !s) return s;
  if (!std::isfinite(problem.margin) || problem.margin < 0.0) {
    return Error{"The problem's 'margin' must be finite and at least 0; it is " + pretty_number(problem.margin) + "."};
  }
  for (const Obstacle& obstacle : problem.obstacles) {
    if (Status s = check_obstacle(obstacle, false); !s) return s;
    if (!obstacle.link.empty() && model.find_link(obstacle.link) < 0) return model.link_index(obstacle.link).status();
  }
  if (problem.bodies != nullptr && problem.bodies->fingerprint != model.fingerprint()) {
    return Error{"The problem's 'bodies' were compiled for another model."};
  }
  if (!problem.rest.allFinite()) return Error{"The problem's 'rest' pose must be finite."};
  const bool own_limits = problem.lower.size() == 0 && problem.upper.size() == 0;  // those compile() has checked
  for (int i = 0; !own_limits && i < model.q_size(); ++i) {
    const double lower = problem.lower.size() == 0 ? model.lower()[i] : problem.lower[i];
    const double upper = problem.upper.size() == 0 ? model.upper()[i] : problem.upper[i];
    if (!(lower <= upper) || lower == HUGE_VAL || upper == -HUGE_VAL) {
      return Error{"The limits of coordinate " + quoted(model.coordinate_name(i)) +
                   " are reversed, not a number, or such that no value meets them: " + pretty_number(lower) + " to " +
                   pretty_number(upper) + "."};
    }
  }
  return {};
}

}  // namespace armature
