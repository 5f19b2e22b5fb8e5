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

Result<Curve> any_curve(Choices& choose, const Vec3& from, double size) {
  const auto point = [&] {
    if (choose.one_in(16)) return choose.vector();
    return Vec3(from + 0.2 * size * choose.plain_vector());
  };
  std::vector<Vec3> points{from};
  switch (choose.below(4)) {
    case 0:
      for (int n = choose.below(5); n > 0; --n) points.push_back(point());
      return Curve::polyline(points);
    case 1: {
      const Vec3 center = point(), normal = choose.one_in(8) ? choose.vector() : choose.direction();
      return Curve::arc(center, normal, from, choose.mixed());
    }
    case 2:
      for (int n = choose.below(5); n > 0; --n) points.push_back(point());
      return Curve::catmull_rom(points, choose.below(2) == 1);
    default:
      for (int n = choose.below(7); n > 0; --n) points.push_back(point());
      return Curve::bezier(points);
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
  std::vector<GoalPath> paths;
  for (int n = 1 + choose.below(2); n > 0; --n) {
    GoalPath path;
    path.link = choose.below(model->link_count());
    const Result<Curve> curve =
        any_curve(choose, state.X_WL[static_cast<std::size_t>(path.link)].position, model->size());
    if (!curve) {
      demand(!curve.message().empty(), "a refusal has a sentence");
      continue;
    }
    path.curve = *curve;
    for (int i = 0; i <= 8; ++i) {
      const double s = curve->length() * i / 8.0;
      if (curve->length() < 1e100)
        demand(curve->position(s).allFinite() && curve->tangent(s).allFinite(), "a curve is finite");
    }
    if (choose.below(2) == 1) {
      for (int k = choose.below(3); k >= 0; --k) {
        path.orientation.at.push_back(path.orientation.at.empty() ? 0.0
                                                                  : path.orientation.at.back() + 0.1 * model->size());
        path.orientation.keys.emplace_back(exp_rotation(choose.plain_vector()));
      }
      path.orientation.turning = choose.below(2) == 0 ? Turning::slerp : Turning::squad;
    }
    path.timing.profile = static_cast<Timing::Profile>(choose.below(3));
    path.timing.duration = choose.one_in(16) ? choose.number() : 0.1 + 0.1 * std::abs(choose.plain());
    path.timing.speed = choose.one_in(16) ? choose.number() : 5.0 * model->size();
    path.timing.acceleration = choose.one_in(16) ? choose.number() : 50.0 * model->size();
    if (choose.one_in(8)) path.start = choose.plain();
    path.planar = choose.one_in(4);
    paths.push_back(std::move(path));
  }
  Problem problem;
  problem.model = *model;
  if (choose.one_in(4)) problem.goals.push_back(any_goal(choose, *model, state, start));
  TrackOptions options;
  options.steps_per_frame = choose.one_in(4) ? choose.below(4) : 0;
  options.halvings = choose.below(4);
  if (choose.one_in(16)) options.frame_time = choose.number();
  if (choose.one_in(16)) options.largest_step = choose.number();
  const std::unique_ptr<Solver> solver = solvers()[static_cast<std::size_t>(method) % solvers().size()].make();
  solver->common_options().max_iterations = 20;
  // A path that takes for ever is refused by its frames; here a minute is long enough.
  for (const GoalPath& path : paths) {
    if (path.end() > 60.0 || path.end() / options.frame_time > 100.0) return 0;
  }
  if (choose.one_in(16) && start.size() > 0) start[choose.below(static_cast<int>(start.size()))] = choose.mixed();
  const Result<Track> result = track(*solver, problem, paths, start, options);
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
    for (const GoalPath& path : paths) {
      const Goal goal = goal_at(path, result->frames[f].time);
      GoalRows rows;
      linearize(goal, state, rows);
      double sum = 0.0;
      for (int row = 0; row < rows.rows; ++row) {
        if (!is_angle_row(goal, *model, row))
          sum += rows.error[static_cast<std::size_t>(row)] * rows.error[static_cast<std::size_t>(row)];
      }
      largest = std::max(largest, std::sqrt(sum));
      about = std::max(about, path.position(result->frames[f].time).norm());
    }
    for (const Transform& frame : state.X_WL) about = std::max(about, frame.position.norm());
    if (!problem.goals.empty() || !(about < 1e100)) continue;
    demand(std::abs(result->frames[f].position_error - largest) <= 1e-9 * about, "the claimed error is the frame's");
  }
  return 0;
}
