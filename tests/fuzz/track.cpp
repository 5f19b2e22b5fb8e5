// Fuzzes tracking: any curves, clocks and orientations on any linkage. What is accepted gives finite frames inside
// limits whose claimed errors are those of forward kinematics.
#include "armature/solve/track.hpp"

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/registry.hpp"
#include "support/any_goal.hpp"
#include "support/sound_linkage.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

Path any_path(Choices& choose, const Vec3& from, double size, const PathOptions& options) {
  const auto point = [&] {
    if (choose.one_in(16)) return choose.vector();
    return Vec3(from + 0.2 * size * choose.plain_vector());
  };
  std::vector<Vec3> points{from};
  switch (choose.below(4)) {
    case 0:
      for (int n = choose.below(5); n > 0; --n) points.push_back(point());
      return Path::line(points, options);
    case 1: {
      const Vec3 center = point(), normal = choose.one_in(8) ? choose.vector() : choose.direction();
      return Path::arc(center, normal, from, choose.mixed(), options);
    }
    case 2:
      for (int n = choose.below(5); n > 0; --n) points.push_back(point());
      return Path::catmull_rom(points, options);
    default:
      for (int n = choose.below(7); n > 0; --n) points.push_back(point());
      return Path::bezier(points, options);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choose(data, size);
  const int method = choose.below(255);
  const Result<Model> model = compile(sound_linkage(choose, 6));
  if (!model) return 0;
  Rng rng(choose.seed());
  VecX start = random_pose(*model, rng);
  State state;
  forward(*model, start, state);
  Problem problem;
  problem.model = *model;
  for (int n = 1 + choose.below(2); n > 0; --n) {
    const int link = choose.below(model->link_count());
    PathOptions clock;
    const bool turns = choose.below(2) == 1;
    if (turns && choose.below(2) == 1) {
      for (int k = choose.below(3); k >= 0; --k) {
        const double at = clock.rotations.empty() ? 0.0 : clock.rotations.back().at + 0.3;
        clock.rotations.push_back({choose.one_in(16) ? choose.number() : at, exp_rotation(choose.plain_vector())});
      }
      clock.turning = choose.below(2) == 0 ? Turning::slerp : Turning::squad;
    }
    clock.profile = static_cast<Profile>(choose.below(3));
    clock.duration = choose.one_in(16) ? choose.number() : 0.1 + 0.1 * std::abs(choose.plain());
    clock.speed = choose.one_in(16) ? choose.number() : 5.0 * model->size();
    clock.acceleration = choose.one_in(16) ? choose.number() : 50.0 * model->size();
    if (choose.one_in(8)) clock.delay = choose.plain();
    clock.closed = choose.one_in(4);
    const Path path = any_path(choose, state.X_WL[static_cast<std::size_t>(link)].position, model->size(), clock);
    if (turns) {
      PoseGoal goal{.link = link, .path = path};
      goal.position_axes.free[2] = choose.one_in(4);
      problem.goals.emplace_back(goal);
    } else {
      PositionGoal goal{.link = link, .path = path};
      goal.axes.free[2] = choose.one_in(4);
      problem.goals.emplace_back(goal);
    }
  }
  Result<std::vector<MovingGoal>> moving = moving_goals(problem, start);
  if (!moving) {
    demand(!moving.message().empty(), "a refusal has a sentence");
    return 0;
  }
  for (const MovingGoal& goal : *moving) {
    const Curve& curve = goal.motion.curve;
    for (int i = 0; i <= 8 && curve.length() < 1e100; ++i) {
      const double s = curve.length() * i / 8.0;
      demand(curve.position(s).allFinite() && curve.tangent(s).allFinite(), "a curve is finite");
    }
  }
  const std::size_t paths = problem.goals.size();
  if (choose.one_in(4)) problem.goals.push_back(any_goal(choose, *model, state, start));
  TrackOptions options;
  options.steps_per_frame = choose.one_in(4) ? choose.below(4) : 0;
  options.halvings = choose.below(4);
  if (choose.one_in(16)) options.frame_rate = choose.number();
  if (choose.one_in(16)) options.max_joint_step = choose.number();
  Solver solver(builtin_methods()[static_cast<std::size_t>(method) % builtin_methods().size()].make());
  solver->common_options().max_iterations = 20;
  // A path that takes for ever is refused by its frames; here a minute is long enough.
  for (const MovingGoal& goal : *moving) {
    if (goal.motion.end() > 60.0 || goal.motion.end() * options.frame_rate > 100.0) return 0;
  }
  if (choose.one_in(16) && start.size() > 0) start[choose.below(static_cast<int>(start.size()))] = choose.mixed();
  problem.start = start;
  if (paths == problem.goals.size()) {  // a path may begin where the start has its link
    moving = moving_goals(problem, start);
    if (!moving) return 0;
  }
  const Result<Track> result = track(solver, problem, options);
  if (!result) {
    demand(!result.message().empty(), "a refusal has a sentence");
    return 0;
  }
  demand(model->q_size() == 0 || result->clip.frame_count() == static_cast<int>(result->frames.size()),
         "one report per frame");
  for (std::size_t f = 0; f < result->frames.size() && model->q_size() > 0; ++f) {
    const VecX q = Eigen::Map<const VecX>(result->clip.frame(static_cast<int>(f)), model->q_size());
    demand(q.allFinite(), "every frame is finite");
    demand(inside_limits(*model, q, 1e-6), "limits hold");
    forward(*model, q, state);
    double largest = 0.0, about = model->size();
    for (const MovingGoal& moved : *moving) {
      Goal goal = problem.goals[moved.goal];
      move_target(moved, result->frames[f].time, goal);
      GoalRows rows;
      linearize(goal, state, rows);
      double sum = 0.0;
      for (int row = 0; row < rows.rows; ++row) {
        if (!is_angle_row(goal, *model, row))
          sum += rows.error[static_cast<std::size_t>(row)] * rows.error[static_cast<std::size_t>(row)];
      }
      largest = std::max(largest, std::sqrt(sum));
      about = std::max(about, moved.motion.position(result->frames[f].time).norm());
    }
    for (const Transform& frame : state.X_WL) about = std::max(about, frame.position.norm());
    if (problem.goals.size() > paths || !(about < 1e100)) continue;
    demand(std::abs(result->frames[f].position_error - largest) <= 1e-9 * about, "the claimed error is the frame's");
  }
  return 0;
}
