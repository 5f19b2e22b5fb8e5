// Fuzzes control loops and all answers. Every tick of a Follower is finite, inside limits and no faster than allowed,
// whatever targets, twists and times it is given; every pose that `solutions` lists has the error that it claims.
#include "armature/kinematics/forward.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/follower.hpp"
#include "armature/solve/solutions.hpp"
#include "support/any_goal.hpp"
#include "support/law.hpp"
#include "support/sound_linkage.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

VecX any_limits(Choices& choose, int count) {
  VecX values(count);
  for (double& value : values) value = choose.one_in(32) ? choose.mixed() : 0.1 + std::abs(choose.plain());
  return values;
}

void follow_it(Choices& choose, const Problem& problem, const VecX& start) {
  const Model& model = problem.model;
  FollowerOptions options;
  if (choose.below(2) == 0) options.velocity = any_limits(choose, model.v_size());
  if (choose.below(2) == 0) options.acceleration = any_limits(choose, model.v_size());
  if (choose.one_in(8)) options.velocity_scale = choose.mixed();
  Problem from = problem;
  from.start = start;
  Follower follower(from, options);
  if (!follower.status().ok()) {
    demand(!follower.status().message().empty(), "a refusal has a sentence");
    return;
  }
  VecX before = start;
  constexpr std::array<double, 8> kTicks{0.002, 0.01, 0.1, 1.0, 1e-6, 0.0, 1.0 / 30.0, 100.0};
  for (int tick = 0; tick < 12; ++tick) {
    if (choose.one_in(4)) {
      Transform target = Transform::translate(model.size() * choose.plain_vector());
      target.rotation = exp_rotation(choose.plain_vector());
      if (choose.one_in(16)) target.position = choose.vector();
      follower.set_target(0, target);
    }
    if (choose.one_in(8)) follower.set_twist(0, model.size() * choose.plain_vector(), choose.plain_vector());
    if (choose.one_in(16)) follower.stop();
    if (choose.one_in(8)) follower.resume();
    const double dt = choose.one_in(16) ? choose.number() : choose.of(kTicks);
    const FollowerStep& step = follower.step(dt);
    demand(step.q.size() == model.q_size() && step.q.allFinite() && step.velocity.allFinite(), "a tick is finite");
    context() = "; tick " + std::to_string(tick) + " of " + pretty_number(dt) + " s";
    check_inside(problem, step.q);
    demand(step.report != nullptr && !step.report->message().empty(), "a tick has its report");
    if (options.velocity.size() > 0 && dt > 0.0 && std::isfinite(dt) && tick > 0) {
      const VecX moved = difference(model, before, step.q);
      for (int v = 0; v < model.v_size(); ++v) {
        context() = "; velocity " + std::to_string(v) + " moved " + pretty_number(moved[v]) + " in " +
                    pretty_number(dt) + ", limit " + pretty_number(options.velocity[v] * options.velocity_scale);
        // A ball moves by its rotation vector, whose numbers are not its velocities when it turns far.
        const ModelJoint& joint = model.joint(model.velocity_joint(v));
        if (joint.q_count != joint.v_count) continue;
        demand(std::abs(moved[v]) <= options.velocity[v] * options.velocity_scale * dt * (1.0 + 1e-6) +
                                         1e-9 * std::max(1.0, std::abs(before.cwiseAbs().maxCoeff())),
               "no joint is faster than allowed");
      }
    }
    before = step.q;
  }
}

void list_answers(Choices& choose, const Problem& problem) {
  SolutionsOptions options;
  options.within_limits = !choose.one_in(4);
  options.thorough = choose.one_in(4);
  options.samples = choose.one_in(4) ? choose.below(4) : 0;
  options.max_count = choose.one_in(8) ? choose.below(3) : 16;
  options.starts = 4;
  const Result<Solutions> all = solutions(problem, options);
  if (!all) {
    demand(!all.message().empty(), "a refusal has a sentence");
    return;
  }
  demand(!all->message.empty() && all->residuals.size() == all->count(), "every answer has its residual");
  const Model& model = problem.model;
  State state;
  for (int k = 0; k < all->count(); ++k) {
    const VecX q = all->q.col(k);
    demand(q.allFinite() && std::isfinite(all->residuals[k]), "an answer is finite");
    if (options.within_limits) check_inside(problem, q);
    forward(model, q, state);
    const double size = magnitude(model, state, q);
    const Goal& goal = problem.goals[0];
    if (!(size < 1e6 * model.size()) || problem.goals.size() != 1 || is_preference(goal) ||
        goal_fields(goal).weight == 0.0)
      continue;
    GoalRows rows;
    linearize(goal, state, rows);
    double lengths = 0.0, angles = 0.0;
    for (int row = 0; row < rows.rows; ++row) {
      const double e = rows.error[static_cast<std::size_t>(row)];
      (is_angle_row(goal, model, row) ? angles : lengths) += e * e;
    }
    const double found = std::max(std::sqrt(lengths) / model.size(), std::sqrt(angles));
    context() =
        "; claims " + pretty_number(all->residuals[k]) + ", is " + pretty_number(found) + " (" + all->message + ")";
    demand(found <= all->residuals[k] + 1e-6 * std::max(1.0, size / model.size()),
           "an answer has the error that it claims");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choose(data, size);
  context().clear();
  const int way = choose.below(2);
  const Result<Model> model = compile(sound_linkage(choose, 7));
  if (!model) return 0;
  Problem problem;
  problem.model = *model;
  Rng rng(choose.seed());
  const VecX there_q = random_pose(*model, rng);
  VecX start = random_pose(*model, rng);
  State there;
  forward(*model, there_q, there);
  for (int n = choose.one_in(4) ? 2 : 1; n > 0; --n) problem.goals.push_back(any_goal(choose, *model, there, there_q));
  if (choose.one_in(8)) problem.locked.emplace_back(model->joint(choose.below(model->link_count())).name);
  if (choose.one_in(16) && start.size() > 0) start[choose.below(static_cast<int>(start.size()))] = choose.mixed();
  if (way == 0) {
    follow_it(choose, problem, start);
  } else {
    list_answers(choose, problem);
  }
  return 0;
}
