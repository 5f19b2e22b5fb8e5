// The whole human figure: poses of both hands and both feet, a place to look at, and a posture, to 1e-6.
//   from_rest   goals of random poses around rest, each from the rest pose
//   next_frame  goals along a smooth motion of 60 frames a second, each from the answer before
// "solved" is the share reached, "iterations" the mean. bench_human_bench --benchmark_repetitions=5
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "armature/base/rng.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/methods.hpp"

using namespace armature;

namespace {

Model human() {
  for (const BuiltinModel& model : builtin_models()) {
    if (model.name == "human") return compile(read_document(model.json, {})->linkage).value();
  }
  std::abort();
}

const Transform& place_of(const State& state, int link) { return state.X_WL[static_cast<std::size_t>(link)]; }

// What the figure does at pose q, as goals.
Problem goals_of(const Model& model, const VecX& q, const VecX& rest) {
  State state;
  forward(model, q, state);
  Problem problem;
  problem.model = model;
  for (const char* name : {"left_hand", "right_hand", "left_foot", "right_foot"}) {
    PoseGoal goal;
    goal.link = name;
    goal.target = place_of(state, model.link(name));
    problem.goals.emplace_back(goal);
  }
  AimGoal aim;
  aim.link = "head";
  aim.target = place_of(state, model.link("head")) * Vec3(2.0, 0.0, 0.0);
  problem.goals.emplace_back(aim);
  PostureGoal posture;
  posture.target = rest;
  problem.goals.emplace_back(posture);
  return problem;
}

// Rest with every joint moved by up to `size` radians (the root by a third of it), inside limits.
VecX around_rest(const Model& model, const VecX& rest, Rng& rng, double size) {
  VecX v(model.v_size());
  for (int i = 0; i < v.size(); ++i) v[i] = rng.uniform(-size, size) * (i < 6 ? 0.33 : 1.0);
  VecX q = integrate(model, rest, v);
  clamp(model, q);
  return q;
}

struct Figure {
  Model model = human();
  VecX rest = model.find_pose("rest").value();
  std::vector<Problem> random, motion;
  VecX first;

  Figure() {
    Rng rng(7);
    for (int i = 0; i < 600; ++i) random.push_back(goals_of(model, around_rest(model, rest, rng, 0.5), rest));
    // From pose to pose in half a second each, eased in and out.
    VecX from = rest;
    for (int key = 0; key < 10; ++key) {
      const VecX to = around_rest(model, rest, rng, 0.5);
      for (int frame = 1; frame <= 30; ++frame) {
        const double t = frame / 30.0;
        motion.push_back(goals_of(model, interpolate(model, from, to, t * t * (3.0 - 2.0 * t)), rest));
      }
      from = to;
    }
  }
};
const Figure& figure() {
  static const Figure made;
  return made;
}

void run(benchmark::State& state, const std::vector<Problem>& problems, bool warm) {
  Solver solver = make_solver("reach").value();
  solver->common_options().tolerance = 1e-6;
  solver->common_options().orientation_tolerance = 1e-6;
  VecX q = figure().rest;
  double solved = 0.0, iterations = 0.0, solves = 0.0;
  for (auto _ : state) {
    q = figure().rest;
    for (const Problem& problem : problems) {
      if (!warm) q = figure().rest;
      const Report& report = solver->solve(problem, q);
      q = report.q;
      solved += report.ok() ? 1.0 : 0.0;
      iterations += report.iterations;
      solves += 1.0;
    }
  }
  state.counters["solved"] = solved / solves;
  state.counters["steps"] = iterations / solves;
  state.counters["us_each"] =
      benchmark::Counter(solves * 1e-6, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void from_rest(benchmark::State& state) { run(state, figure().random, false); }
void next_frame(benchmark::State& state) { run(state, figure().motion, true); }
BENCHMARK(from_rest)->Unit(benchmark::kMicrosecond);
BENCHMARK(next_frame)->Unit(benchmark::kMicrosecond);

}  // namespace
