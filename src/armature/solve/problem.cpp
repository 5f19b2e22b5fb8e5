#include "armature/solve/problem.hpp"

#include <cmath>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kLargestWeight = 1e9;  // the squares of more than that leave nothing of the other joints

// One bound of one joint into its place, if it is given.
Status put(const Model& model, const ModelJoint& joint, const std::vector<double>& given, const char* side,
           VecX& bound) {
  if (given.empty()) return {};
  if (joint.mimic) return Error{"Joint " + detail::quoted(joint.name) + " follows another one; limit that one."};
  if (static_cast<int>(given.size()) != joint.q_count) {
    return Error{"The " + std::string(side) + " limits of joint " + detail::quoted(joint.name) + " have " +
                 std::to_string(given.size()) + " numbers; it has " + std::to_string(joint.q_count) + " coordinates."};
  }
  for (int k = 0; k < joint.q_count; ++k) {
    const bool limited =
        model.coordinate_kinds()[static_cast<std::size_t>(joint.q_index + k)] != Coordinate::quaternion;
    if (limited) bound[joint.q_index + k] = given[static_cast<std::size_t>(k)];
  }
  return {};
}

}  // namespace

const char* collision_name(Collision collision) { return collision == Collision::search ? "search" : "off"; }

Status limits_of(const Problem& problem, VecX& lower, VecX& upper) {
  const Model& model = problem.model;
  lower = model.lower();
  upper = model.upper();
  for (const auto& [ref, limits] : problem.limits) {
    const Result<int> index = resolve(model, ref);
    if (!index) return index.error();
    const ModelJoint& joint = model.joint(*index);
    if (Status status = put(model, joint, limits.lower, "lower", lower); !status) return status;
    if (Status status = put(model, joint, limits.upper, "upper", upper); !status) return status;
    for (int i = joint.q_index; i < joint.q_index + joint.q_count; ++i) {
      if (!(lower[i] <= upper[i]) || lower[i] == HUGE_VAL || upper[i] == -HUGE_VAL) {
        return Error{"The limits of coordinate " + detail::quoted(model.coordinate_name(i)) +
                     " are reversed, not a number, or such that no value meets them: " + pretty_number(lower[i]) +
                     " to " + pretty_number(upper[i]) + "."};
      }
    }
  }
  return {};
}

Result<VecX> velocity_limits_of(const Model& model, const JointMap<Limits>& given) {
  VecX limit = model.velocity_limit();
  for (const auto& [ref, limits] : given) {
    if (limits.velocity.empty()) continue;
    const Result<int> index = resolve(model, ref);
    if (!index) return index.error();
    const ModelJoint& joint = model.joint(*index);
    if (joint.mimic) return Error{"Joint " + detail::quoted(joint.name) + " follows another one; limit that one."};
    if (static_cast<int>(limits.velocity.size()) != joint.v_count) {
      return Error{"The velocity limits of joint " + detail::quoted(joint.name) + " have " +
                   std::to_string(limits.velocity.size()) + " numbers; it has " + std::to_string(joint.v_count) +
                   " velocities."};
    }
    for (int k = 0; k < joint.v_count; ++k) {
      const double most = limits.velocity[static_cast<std::size_t>(k)];
      if (!(most > 0.0)) {
        return Error{"The velocity limit of joint " + detail::quoted(joint.name) + " must be above 0; it is " +
                     pretty_number(most) + ". A joint that must not move is named in 'locked'."};
      }
      limit[joint.v_index + k] = most;
    }
  }
  return limit;
}

Status joint_weights_of(const Problem& problem, VecX& weights) {
  const Model& model = problem.model;
  weights.resize(problem.locked.empty() && problem.joint_weights.empty() ? 0 : model.v_size());
  weights.setOnes();
  for (const auto& [ref, weight] : problem.joint_weights) {
    const Result<int> index = resolve(model, ref);
    if (!index) return index.error();
    const ModelJoint& joint = model.joint(*index);
    if (!(weight >= 0.0) || !std::isfinite(weight)) {
      return Error{"The joint weight of " + detail::quoted(joint.name) + " must be finite and at least 0; it is " +
                   pretty_number(weight) + "."};
    }
    if (weight > kLargestWeight) {
      return Error{"The joint weight of " + detail::quoted(joint.name) + " is at most 1e9, not " +
                   pretty_number(weight) + "."};
    }
    weights.segment(joint.v_index, joint.v_count).setConstant(weight);
  }
  for (const JointRef& ref : problem.locked) {
    const Result<int> index = resolve(model, ref);
    if (!index) return index.error();
    const ModelJoint& joint = model.joint(*index);
    weights.segment(joint.v_index, joint.v_count).setZero();
  }
  return {};
}

Status check_problem(const Problem& problem) {
  if (problem.model.empty()) return Error{"The problem has no model."};
  const Model& model = problem.model;
  for (std::size_t i = 0; i < problem.goals.size(); ++i) {
    if (Status status = check_goal(problem.goals[i], model, problem.tip); !status) {
      return problem.goals.size() == 1 ? status : Status{Error{"Goal " + std::to_string(i) + ": " + status.message()}};
    }
  }
  if (problem.start.size() != 0 && problem.start.size() != model.q_size()) {
    return Error{"The problem's start has " + std::to_string(problem.start.size()) +
                 " numbers; it must be empty or have one per coordinate, " + std::to_string(model.q_size()) +
                 " in all."};
  }
  if (!std::isfinite(problem.margin) || problem.margin < 0.0) {
    return Error{"The problem's 'margin' must be finite and at least 0; it is " + pretty_number(problem.margin) + "."};
  }
  for (const Obstacle& obstacle : problem.obstacles) {
    if (Status s = check_obstacle(obstacle, false); !s) return s;
    if (obstacle.link.empty()) continue;
    if (const Result<int> link = model.find_link(obstacle.link); !link) return link.status();
  }
  if (problem.bodies != nullptr && problem.bodies->fingerprint != model.fingerprint()) {
    return Error{"The problem's 'bodies' were compiled for another model."};
  }
  VecX lower, upper, weights;
  if (!problem.limits.empty()) {
    if (Status status = limits_of(problem, lower, upper); !status) return status;
    if (const Result<VecX> velocity = velocity_limits_of(model, problem.limits); !velocity) return velocity.status();
  }
  return joint_weights_of(problem, weights);
}

}  // namespace armature::inline v0_2
