// The reach method on the Panda arm: single solves, warm starts, batches, and what they are made of.
//
//   bench_reach_bench --benchmark_filter=single
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/batch.hpp"
#include "armature/solve/methods/reach.hpp"

using namespace armature;

namespace {

constexpr int kGoals = 1000;

struct ReachBench {
  Model model;
  int base = kWorld, tip = 0;
  std::vector<Goal> goals;
  MatX truths;  // a pose that reaches each

  ReachBench() {
    for (const BuiltinModel& entry : builtin_models()) {
      if (std::string_view(entry.name) == "panda") model = *compile(read_document(entry.json, {})->linkage);
    }
    base = model.link("panda_link0");
    tip = model.link("panda_link8");
    Rng rng(1);
    State state;
    truths.resize(model.q_size(), kGoals);
    for (int k = 0; k < kGoals; ++k) {
      truths.col(k) = random_pose(model, rng);
      forward(model, truths.col(k), state);
      PoseGoal goal;
      goal.base = base;
      goal.link = tip;
      goal.target = relative(state, base, tip);
      goals.emplace_back(goal);
    }
  }
};
const ReachBench& panda() {
  static const ReachBench bench;
  return bench;
}

void run_single(benchmark::State& bench, double tolerance, bool warm) {
  const ReachBench& arm = panda();
  Reach solver;
  solver.settings.tolerance = solver.settings.orientation_tolerance = tolerance;
  Problem problem;
  problem.model = arm.model;
  problem.goals.assign(1, arm.goals[0]);
  const VecX middle = middle_pose(arm.model);
  MatX seeds = arm.truths;
  Rng rng(2);
  for (Eigen::Index k = 0; k < seeds.cols(); ++k) {
    VecX q = seeds.col(k);
    for (double& x : q) x += rng.uniform(-0.01, 0.01);
    clamp(arm.model, q);
    seeds.col(k) = warm ? q : middle;
  }
  VecX q = middle;
  q = solver.solve(problem, q).q;
  int k = 0, missed = 0;
  std::vector<double> fastest(kGoals, 1e9);  // nanoseconds of each goal
  for (auto _ : bench) {
    problem.goals[0] = arm.goals[static_cast<std::size_t>(k)];
    q = seeds.col(k);
    const auto start = std::chrono::steady_clock::now();
    const Report& report = solver.solve(problem, q);
    missed += report.ok() ? 0 : 1;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    benchmark::DoNotOptimize(report.q.data());
    double& best = fastest[static_cast<std::size_t>(k)];
    best = std::min(best, took.count());
    k = k + 1 == kGoals ? 0 : k + 1;
  }
  bench.counters["missed"] = missed;
  std::nth_element(fastest.begin(), fastest.begin() + kGoals / 2, fastest.end());
  bench.counters["median_ns"] = fastest[kGoals / 2];  // over goals, the clock's own time included
}

void single_from_middle(benchmark::State& bench) { run_single(bench, 1e-5, false); }
BENCHMARK(single_from_middle);
void single_warm_to_1e8(benchmark::State& bench) { run_single(bench, 1e-8, true); }
BENCHMARK(single_warm_to_1e8);

void batch_of_1000(benchmark::State& bench) {
  const ReachBench& arm = panda();
  Reach solver;
  solver.settings.tolerance = solver.settings.orientation_tolerance = 1e-5;
  Problem shared;
  shared.model = arm.model;
  Batch batch;
  std::vector<Report> reports;
  const MatX seeds = middle_pose(arm.model).replicate(1, kGoals);
  MatX poses = seeds;
  for (auto _ : bench) {
    poses = seeds;
    batch.solve(solver, shared, arm.goals, poses, reports);
    benchmark::DoNotOptimize(poses.data());
  }
  bench.SetItemsProcessed(bench.iterations() * kGoals);  // solves a second
}
BENCHMARK(batch_of_1000)->Unit(benchmark::kMicrosecond);

void forward_and_jacobian(benchmark::State& bench) {
  const ReachBench& arm = panda();
  const Result<ModelChain> chain = make_chain(arm.model, arm.base, arm.tip);
  Jacobian J(6, static_cast<Eigen::Index>(chain->joints.size()));
  Transform X;
  int k = 0;
  for (auto _ : bench) {
    forward(chain->chain, arm.truths.col(k).data(), X, J);
    benchmark::DoNotOptimize(J.data());
    benchmark::ClobberMemory();
    k = k + 1 == kGoals ? 0 : k + 1;
  }
}
BENCHMARK(forward_and_jacobian);

}  // namespace
