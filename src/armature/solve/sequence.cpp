#include "armature/solve/sequence.hpp"

#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

// Where the goal's point should be and where it is, both in the world.
struct Place {
  Vec3 goal = Vec3::Zero();
  Vec3 effector = Vec3::Zero();
};
Place place_of(const Goal& goal, const GoalLinks& links, const State& state) {
  Place place;
  const int link = effector(goal, links);
  if (link != kWorld) place.goal = place.effector = state.X_WL[static_cast<std::size_t>(link)].position;
  if (const auto* position = std::get_if<PositionGoal>(&goal)) {
    place.effector = convert_point(state, links.link, kWorld, position->point);
    place.goal = convert_point(state, links.base, kWorld, position->target);
  } else if (const auto* pose = std::get_if<PoseGoal>(&goal)) {
    place.effector = convert_point(state, links.link, kWorld, pose->point);
    place.goal = convert_point(state, links.base, kWorld, pose->target.position);
  }
  return place;
}

}  // namespace

Goal goal_between(const Goal& goal, const State& state, double t) {
  Goal between = goal;
  const Result<GoalLinks> found = resolve_links(goal, state.model);
  if (!found) return between;
  const GoalLinks& links = *found;
  if (auto* position = std::get_if<PositionGoal>(&between)) {
    const Vec3 now = convert_point(state, links.link, links.base, position->point);
    position->target = now + t * (position->target - now);
  } else if (auto* orientation = std::get_if<OrientationGoal>(&between)) {
    const Transform now = relative(state, links.base, links.link);
    orientation->target = slerp(now.quaternion(), orientation->target, t);
  } else if (auto* pose = std::get_if<PoseGoal>(&between)) {
    const Transform now = relative(state, links.base, links.link) * Transform::translate(pose->point);
    const Quat turned = slerp(now.quaternion(), pose->target.quaternion(), t);
    pose->target = Transform::from(turned, now.position + t * (pose->target.position - now.position));
  }
  return between;
}

Result<Sequence> run_sequence(Solver& solver, const Problem& problem, const VecX& start, const SequenceOptions& options,
                              int follow) {
  if (Status status = solver.check(problem); !status) return status.error();
  const Model& model = problem.model;
  if (start.size() != model.q_size()) {
    return Error{"The start pose has " + std::to_string(start.size()) + " numbers; the model needs " +
                 std::to_string(model.q_size()) + "."};
  }
  if (options.frames < 2) return Error{"A sequence needs at least 2 frames."};
  if (follow < 0 || follow >= static_cast<int>(problem.goals.size())) {
    return Error{"A sequence needs a goal to follow."};
  }

  const SolveOptions kept = solver.common_options();
  if (options.steps_per_frame > 0) {
    SolveOptions& now = solver.common_options();
    now.max_iterations = options.steps_per_frame;
    now.tolerance = now.orientation_tolerance = 1e-300;  // every step is taken
    now.keep_best = false;
    if (now.max_step < 0.0) now.max_step = 0.0;
  }

  Sequence result;
  result.clip.name = solver.info().name;
  result.clip.q_size = model.q_size();
  VecX q = start;
  clamp(model, q);
  State first;
  State state;
  forward(model, q, first);
  Problem moving = problem;
  const GoalLinks links = *resolve_links(problem.goals[static_cast<std::size_t>(follow)], model, problem.tip);
  for (int f = 0; f < options.frames; ++f) {
    const double t = static_cast<double>(f) / (options.frames - 1);
    for (std::size_t g = 0; g < problem.goals.size(); ++g) moving.goals[g] = goal_between(problem.goals[g], first, t);
    SequenceFrame frame;
    if (f > 0) {
      const Report& report = solver.solve(moving, q);
      q = report.q;
      frame.outcome = report.outcome;
      frame.iterations = report.iterations;
      frame.position_error = report.position_error;
      frame.orientation_error = report.orientation_error;
    }
    forward(model, q, state);
    const Place place = place_of(moving.goals[static_cast<std::size_t>(follow)], links, state);
    frame.goal = place.goal;
    frame.effector = place.effector;
    result.clip.append(q);
    result.frames.push_back(frame);
  }
  solver.common_options() = kept;
  return result;
}

}  // namespace armature::inline v0_2
