// Speed of the textbook's methods. Each row solves the same list of reachable goals over and over; "solved" is the
// share reached, "steps" the mean of iterations, "error" the worst position error of those reached, as a share of the
// reach.
//   bench_methods_bench --benchmark_filter=seven
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/methods.hpp"
#include "armature/solve/methods/limb.hpp"

using namespace armature;

namespace {

Model builtin(std::string_view name) {
  for (const BuiltinModel& model : builtin_models()) {
    if (model.name != name) continue;
    ReadOptions options;
    options.file_name = std::string(name) + ".json";
    return compile(read_document(model.json, options)->linkage).value();
  }
  std::abort();
}

Model ball_chain(int count) {
  Linkage linkage;
  linkage.name = "balls";
  linkage.links.push_back({"base", {}});
  std::string parent = "base";
  const double length = 1.0 / count;
  for (int i = 1; i <= count + 1; ++i) {
    const std::string name = i <= count ? "link" + std::to_string(i) : "tip";
    linkage.links.push_back({name, {}});
    Joint joint;
    joint.name = "to_" + name;
    joint.type = i <= count ? JointType(Spherical{}) : JointType(Fixed{});
    joint.parent = parent;
    joint.child = name;
    joint.origin = Transform::translate(Vec3(i == 1 ? 0.0 : length, 0, 0));
    linkage.joints.push_back(joint);
    parent = name;
  }
  return compile(linkage).value();
}

struct Case {
  Model model;
  std::vector<Problem> problems;
  VecX start;
};

// `bend`: goals of poses whose balls turn by at most this much, so that they are spread over the reach.
Case make_case(Model model, const std::string& tip, int goals, const VecX& start, double bend = 0.0) {
  Case c{std::move(model), {}, start};
  Rng rng(2024);
  State state;
  for (int n = 0; n < goals; ++n) {
    VecX q = random_pose(c.model, rng);
    if (bend > 0.0) {
      VecX v(c.model.v_size());
      for (int i = 0; i < v.size(); ++i) v[i] = rng.uniform(-bend, bend);
      q = integrate(c.model, neutral_pose(c.model), v);
    }
    forward(c.model, q, state);
    PositionGoal goal;
    goal.link = c.model.link(tip);
    goal.target = state.transform(goal.link).position;
    Problem problem;
    problem.goals.push_back(goal);
    c.problems.push_back(problem);
  }
  return c;
}

void solve_all(benchmark::State& state, Case c, const std::string& method, double tolerance) {
  auto solver = make_solver(method).value();
  solver->common_options().tolerance = tolerance;
  for (Problem& problem : c.problems) problem.model = c.model;
  long solved = 0;
  long asked = 0;
  long iterations = 0;
  double worst = 0.0;
  std::size_t i = 0;
  VecX q = c.start;
  for (auto _ : state) {
    q = c.start;
    const Report& report = solver->solve(c.problems[i], q);
    q = report.q;
    benchmark::DoNotOptimize(q.data());
    i = i + 1 == c.problems.size() ? 0 : i + 1;
    ++asked;
    solved += report.ok() ? 1 : 0;
    iterations += report.iterations;
  }
  // The share over the whole list, whatever number of rounds the timer chose.
  solved = asked = iterations = 0;
  for (const Problem& problem : c.problems) {
    q = c.start;
    const Report& report = solver->solve(problem, q);
    q = report.q;
    ++asked;
    iterations += report.iterations;
    if (!report.ok()) continue;
    ++solved;
    worst = std::max(worst, report.position_error / c.model.size());
  }
  state.counters["solved_%"] = 100.0 * static_cast<double>(solved) / static_cast<double>(asked);
  state.counters["steps"] = static_cast<double>(iterations) / static_cast<double>(asked);
  state.counters["error"] = worst;
}

void seven(benchmark::State& state, const char* method) {
  Model model = builtin("panda");
  const VecX start = model.find_pose("ready").value();
  const double reach = 0.855;  // of the arm, metres
  solve_all(state, make_case(std::move(model), "panda_tcp", 2000, start), method, 1e-4 * reach);
}

void balls(benchmark::State& state, const char* method) {
  Model model = ball_chain(10);
  VecX bent = VecX::Constant(model.v_size(), 0.05);
  const VecX start = integrate(model, neutral_pose(model), bent);
  solve_all(state, make_case(std::move(model), "tip", 2000, start, 0.5), method, 1e-6);
}

// Time of one iteration: goals out of reach, a fixed number of iterations.
void per_iteration(benchmark::State& state, const char* method) {
  Model model = ball_chain(static_cast<int>(state.range(0)));
  const VecX start = integrate(model, neutral_pose(model), VecX::Constant(model.v_size(), 0.05));
  Problem problem;
  problem.model = model;
  PositionGoal goal;
  goal.link = model.link("tip");
  goal.target = Vec3(0.3, 1.4, 0.2);
  problem.goals.push_back(goal);
  auto solver = make_solver(method).value();
  solver->common_options().max_iterations = 10;
  long iterations = 0;
  for (auto _ : state) {
    const Report& report = solver->solve(problem, start);
    iterations += report.iterations;
    benchmark::DoNotOptimize(report.q.data());
  }
  state.counters["per_joint_ns"] =
      benchmark::Counter(static_cast<double>(iterations) * static_cast<double>(state.range(0)) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void two_link_plane(benchmark::State& state) {
  Rng rng(5);
  std::vector<Vec2> goals;
  for (int i = 0; i < 1024; ++i) {
    const double a = rng.uniform(-kPi, kPi);
    const double d = rng.uniform(0.201, 1.799);
    goals.emplace_back(d * std::cos(a), d * std::sin(a));
  }
  double worst = 0.0;
  for (const Vec2& g : goals) {
    const TwoLinkAngles t = two_link_angles(1.0, 0.8, g.x(), g.y(), 1.0);
    const Vec2 p(std::cos(t.theta1) + 0.8 * std::cos(t.theta1 + t.theta2),
                 std::sin(t.theta1) + 0.8 * std::sin(t.theta1 + t.theta2));
    worst = std::max(worst, (p - g).norm() / 1.8);
  }
  std::size_t i = 0;
  for (auto _ : state) {
    const Vec2& g = goals[i++ & 1023];
    TwoLinkAngles t = two_link_angles(1.0, 0.8, g.x(), g.y(), 1.0);
    benchmark::DoNotOptimize(t);
  }
  state.counters["error"] = worst;
}

void two_link_limb(benchmark::State& state) {
  Rng rng(6);
  const Vec3 shoulder(0.1, 0.2, 0.3);
  const Vec3 elbow = shoulder + Vec3(0.3, 0, 0);
  const Vec3 wrist = elbow + 0.25 * Vec3(std::cos(0.7), 0, -std::sin(0.7));
  std::vector<Vec3> goals;
  for (int i = 0; i < 1024; ++i) {
    const Vec3 way(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
    goals.push_back(shoulder + rng.uniform(0.06, 0.54) * way.normalized());
  }
  double worst = 0.0;
  for (const Vec3& g : goals) {
    const LimbTurns t = turn_limb(shoulder, elbow, wrist, Vec3::UnitY(), g);
    const Vec3 landed = shoulder + t.shoulder * (elbow + t.elbow * (wrist - elbow) - shoulder);
    worst = std::max(worst, (landed - g).norm() / 0.55);
  }
  std::size_t i = 0;
  for (auto _ : state) {
    LimbTurns t = turn_limb(shoulder, elbow, wrist, Vec3::UnitY(), goals[i++ & 1023]);
    benchmark::DoNotOptimize(t);
  }
  state.counters["error"] = worst;
}

void two_link_solver(benchmark::State& state) {
  Model model = builtin("two_link");
  const VecX start = VecX::Constant(2, 0.4);
  solve_all(state, make_case(std::move(model), "tip", 1000, start), "two_link", 1e-9);
}

const int registered = [] {
  for (const char* method : {"dls", "sdls", "pseudoinverse", "transpose", "ccd", "ccd_ranked", "fabrik"}) {
    const std::string name = method;
    benchmark::RegisterBenchmark(("seven/" + name).c_str(), [method](benchmark::State& s) { seven(s, method); });
  }
  for (const char* method : {"dls", "sdls", "pseudoinverse", "ccd", "fabrik"}) {
    const std::string name = method;
    benchmark::RegisterBenchmark(("balls/" + name).c_str(), [method](benchmark::State& s) { balls(s, method); });
  }
  for (const char* method : {"dls", "sdls", "transpose", "ccd", "fabrik"}) {
    const std::string name = method;
    benchmark::RegisterBenchmark(("per_iteration/" + name).c_str(),
                                 [method](benchmark::State& s) { per_iteration(s, method); })
        ->Arg(10)
        ->Arg(40)
        ->Arg(160);
  }
  benchmark::RegisterBenchmark("two_link/plane", two_link_plane);
  benchmark::RegisterBenchmark("two_link/limb", two_link_limb);
  benchmark::RegisterBenchmark("two_link/solver", two_link_solver);
  return 0;
}();

}  // namespace
