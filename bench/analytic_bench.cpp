// All solutions by analysis: what the targets ask for, as counters. One row per arm:
//
//   bench_analytic_bench                          built-in and random arms, 2,000 goals each
//   ARMATURE_GOALS=100000 bench_analytic_bench    the targets' count
//   ARMATURE_DATA=../shared/data bench_...        the arms of the shared collection, too
//
// misses: goals whose generating pose is not among the answers (1e-6 rad); gross: more than 0.01 rad off; found:
// answers of 300 random Newton starts that the list lacks; near4, near6: gross misses of goals 1e-4 and 1e-6 from a
// singular pose; ratio: mean time of all answers over that of one `reach` solve in the same run; proved: goals of poses
// inside the limits (every eighth with some joints at a limit) that were "proved" to have no solution there, and
// unanswered: those that the method analytic did not answer.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/analysis_data.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/methods/analytic.hpp"
#include "armature/solve/methods/reach.hpp"
#include "armature/solve/solutions.hpp"

using namespace armature;

namespace {

using Clock = std::chrono::steady_clock;

struct BenchArm {
  std::string name;
  Model model;
  ChainAnalysis analysis;
};

int goal_count() {
  const char* text = std::getenv("ARMATURE_GOALS");
  return text != nullptr ? std::atoi(text) : 2000;
}

double away(const double* a, const double* b, int n) {
  double most = 0.0;
  for (int i = 0; i < n; ++i) most = std::max(most, std::abs(std::remainder(a[i] - b[i], 2.0 * kPi)));
  return most;
}

Transform place(const BenchArm& arm, const double* values) {
  Transform X;
  forward(arm.analysis.chain.chain, values, X);
  return X;
}

double pose_error(const Transform& a, const Transform& b) {
  return std::max((a.position - b.position).norm(), (a.rotation - b.rotation).norm());
}

double nearest(const ChainAnswers& answers, const double* q) {
  double least = 9.0;
  for (int k = 0; k < answers.count; ++k) least = std::min(least, away(answers.value[k], q, 6));
  return least;
}

Problem pose_problem(const BenchArm& arm) {
  Problem problem;
  problem.model = arm.model;
  PoseGoal goal;
  goal.base = arm.analysis.chain.base;
  goal.link = arm.analysis.chain.tip;
  problem.goals.assign(1, goal);
  return problem;
}

void misses(const BenchArm& arm, benchmark::State& bench) {
  const int goals = goal_count();
  Rng rng(77);
  ChainAnswers answers;
  const double zero[8] = {};
  long miss = 0, gross = 0, answered = 0, unsure = 0, gross_unsure = 0;
  double worst = 0.0;
  int most = 0;
  for (int n = 0; n < goals; ++n) {
    double q[6];
    for (double& x : q) x = rng.uniform(-kPi, kPi);
    const Transform X = place(arm, q);
    solve_chain(arm.analysis, X, zero, {}, answers);
    const double least = nearest(answers, q);
    miss += least > 1e-6;
    gross += least > 1e-2;
    gross_unsure += least > 1e-2 && !answers.complete;
    unsure += !answers.complete;
    answered += answers.count;
    most = std::max(most, answers.count);
    for (int k = 0; k < answers.count && n < 5000; ++k)
      worst = std::max(worst, pose_error(X, place(arm, answers.value[k])));
  }
  bench.counters["misses"] = static_cast<double>(miss);
  bench.counters["gross"] = static_cast<double>(gross);
  bench.counters["gross_unsure"] = static_cast<double>(gross_unsure);
  bench.counters["unsure"] = static_cast<double>(unsure);
  bench.counters["answers"] = static_cast<double>(answered) / goals;
  bench.counters["most"] = most;
  bench.counters["worst"] = worst;
  bench.counters["goals"] = goals;
}

void near_singular(const BenchArm& arm, benchmark::State& bench) {
  const analytic::Arm& a = arm.analysis.constants->arm;
  Rng rng(78);
  ChainAnswers answers;
  const double zero[8] = {};
  long tried = 0, gross[2] = {0, 0};
  Jacobian J(6, 6);
  for (int n = 0; n < std::min(goal_count(), 4000); ++n) {
    double q[6];
    for (double& x : q) x = rng.uniform(-kPi, kPi);
    const auto det = [&](double x) {
      q[4] = x;
      Transform X;
      forward(arm.analysis.chain.chain, q, X, J);
      J.topRows<3>() /= a.length;
      Eigen::Matrix<double, 6, 6> M = J;
      double d = 1.0;
      for (int i = 0; i < 6; ++i) {
        int best = i;
        for (int r = i; r < 6; ++r) best = std::abs(M(r, i)) > std::abs(M(best, i)) ? r : best;
        if (best != i) M.row(best).swap(M.row(i)), d = -d;
        d *= M(i, i);
        for (int r = i + 1; r < 6; ++r) M.row(r) -= M.row(i) * (M(r, i) / M(i, i));
      }
      return d;
    };
    double low = -kPi, at_low = det(low), high = low;
    bool bracketed = false;
    for (int k = 1; k <= 24 && !bracketed; ++k) {
      high = -kPi + k * kPi / 12.0 + 0.001;
      const double at_high = det(high);
      bracketed = (at_low < 0.0) != (at_high < 0.0);
      if (!bracketed) low = high, at_low = at_high;
    }
    if (!bracketed) continue;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high), f = det(middle);
      ((f < 0.0) == (at_low < 0.0) ? low : high) = middle;
    }
    ++tried;
    for (int w = 0; w < 2; ++w) {
      q[4] = low + (w == 0 ? 1e-4 : 1e-6) * (n % 2 == 0 ? 1 : -1);
      solve_chain(arm.analysis, place(arm, q), zero, {}, answers);
      gross[w] += nearest(answers, q) > 1e-2;
    }
  }
  bench.counters["near4"] = static_cast<double>(gross[0]);
  bench.counters["near6"] = static_cast<double>(gross[1]);
  bench.counters["near_tried"] = static_cast<double>(tried);
}

void search(const BenchArm& arm, benchmark::State& bench) {
  const analytic::Arm& a = arm.analysis.constants->arm;
  Rng rng(79);
  ChainAnswers answers;
  const double zero[8] = {};
  long found = 0;
  for (int n = 0; n < std::min(goal_count() / 4, 500); ++n) {
    double q[8] = {};
    for (int i = 0; i < 6; ++i) q[i] = rng.uniform(-kPi, kPi);
    const Transform X = place(arm, q);
    solve_chain(arm.analysis, X, zero, {}, answers);
    for (int k = 0; k < 300; ++k) {
      for (int i = 0; i < 6; ++i) q[i] = rng.uniform(-kPi, kPi);
      if (analytic::polish(a, a.to_units(X), q, 30) < 1e-11 && nearest(answers, q) > 1e-3) {
        ++found;
        break;
      }
    }
  }
  bench.counters["found"] = static_cast<double>(found);
}

void proofs(const BenchArm& arm, benchmark::State& bench) {
  const std::span<const ChainJoint> joints = arm.analysis.chain.joints;
  Analytic method;
  Problem problem = pose_problem(arm);
  const VecX middle = middle_pose(arm.model);
  Rng rng(81);
  long proved = 0, unanswered = 0;
  for (int n = 0; n < goal_count(); ++n) {
    double q[6];
    for (int j = 0; j < 6; ++j) {
      const double low = std::max(-kPi, joints[static_cast<std::size_t>(j)].lower);
      const double high = std::min(kPi, joints[static_cast<std::size_t>(j)].upper);
      q[j] = rng.uniform(low, high);
      if (n % 8 == 0 && rng.uniform() < 0.3) q[j] = rng.uniform() < 0.5 ? low : high;
    }
    std::get<PoseGoal>(problem.goals[0]).target = place(arm, q);
    const Report& report = method.solve(problem, middle);
    proved += report.proof.has_value() ? 1 : 0;
    unanswered += report.ok() ? 0 : 1;
  }
  bench.counters["proved"] = static_cast<double>(proved);
  bench.counters["unanswered"] = static_cast<double>(unanswered);
}

/// Mean, median and 99th percentile, and the ratio to `reach` on the same goals, from the middle of the limits.
void times(const BenchArm& arm, benchmark::State& bench) {
  constexpr int kGoals = 1000;
  Rng rng(80);
  std::vector<Transform> goals;
  for (int n = 0; n < kGoals; ++n) {
    double q[6];
    for (int j = 0; j < 6; ++j) {
      const ChainJoint& joint = arm.analysis.chain.joints[static_cast<std::size_t>(j)];
      q[j] = rng.uniform(std::max(-kPi, joint.lower), std::min(kPi, joint.upper));
    }
    goals.push_back(place(arm, q));
  }
  Reach reach;
  reach.settings.tolerance = reach.settings.orientation_tolerance = 1e-5;
  Problem problem = pose_problem(arm);
  const VecX middle = middle_pose(arm.model);
  VecX pose = middle;
  ChainAnswers answers;
  const double zero[8] = {};
  std::vector<double> ours(kGoals, 1e9), theirs(kGoals, 1e9);
  for (auto _ : bench) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      for (std::size_t n = 0; n < kGoals; ++n) {
        auto begin = Clock::now();
        solve_chain(arm.analysis, goals[n], zero, {}, answers);
        ours[n] = std::min(ours[n], std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
        benchmark::DoNotOptimize(answers.count);
        std::get<PoseGoal>(problem.goals[0]).target = goals[n];
        pose = middle;
        begin = Clock::now();
        pose = reach.solve(problem, pose).q;
        theirs[n] = std::min(theirs[n], std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
      }
    }
  }
  const auto mean = [](const std::vector<double>& x) {
    double sum = 0.0;
    for (const double t : x) sum += t;
    return sum / static_cast<double>(x.size());
  };
  bench.counters["mean_us"] = mean(ours);
  bench.counters["reach_us"] = mean(theirs);
  bench.counters["ratio"] = mean(ours) / mean(theirs);
  std::sort(ours.begin(), ours.end());
  bench.counters["p50_us"] = ours[kGoals / 2];
  bench.counters["p99_us"] = ours[kGoals * 99 / 100];
}

void add(const std::string& name, const Model& model, int base, int tip, std::vector<BenchArm>& out) {
  Result<ChainAnalysis> analysis = analyze_chain(model, base, tip);
  if (!analysis || analysis->joint_count() != 6) return;
  for (const ChainJoint& joint : analysis->chain.joints) {
    if (joint.kind != ChainJointKind::revolute) return;
  }
  out.push_back({name, model, *analysis});
}

std::vector<BenchArm>& arms() {
  static std::vector<BenchArm> all = [] {
    std::vector<BenchArm> list;
    const auto add_document = [&](const std::string& name, const Result<Document>& document) {
      if (!document.ok()) return;
      const Result<Model> model = compile(document->linkage);
      if (!model.ok()) return;
      for (int tip = 0; tip < model->link_count(); ++tip) {
        if (model->is_leaf(tip)) add(name + ":" + model->link_name(tip), *model, kWorld, tip, list);
      }
    };
    for (const BuiltinModel& entry : builtin_models())
      add_document(std::string(entry.name), read_document(entry.json, {}));
    if (const char* folder = std::getenv("ARMATURE_DATA")) {
      std::vector<std::filesystem::path> files;
      std::error_code ignored;
      for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(folder) / "urdf", ignored)) {
        if (file.path().extension() == ".urdf") files.push_back(file.path());
      }
      std::sort(files.begin(), files.end());
      for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        ReadOptions options;
        options.file_name = file.filename().string();
        add_document(file.stem().string(), read_document(bytes, options));
      }
    }
    Rng rng(5);
    for (int n = 0; n < 8; ++n) {
      Linkage linkage;
      linkage.name = "random" + std::to_string(n);
      linkage.links.push_back({"link0", {}});
      for (int i = 1; i <= 6; ++i) {
        const auto u = [&] { return rng.uniform(-1.0, 1.0); };
        linkage.links.push_back({"link" + std::to_string(i), {}});
        Joint joint;
        joint.name = "joint" + std::to_string(i);
        joint.type = Continuous{Vec3(u(), u(), u()).normalized()};
        joint.parent = "link" + std::to_string(i - 1);
        joint.child = "link" + std::to_string(i);
        joint.origin = Transform::translate(0.5 * Vec3(u(), u(), u()));
        linkage.joints.push_back(joint);
      }
      const Model model = *compile(linkage);
      add(linkage.name, model, kWorld, model.link("link6"), list);
    }
    return list;
  }();
  return all;
}

void row(benchmark::State& bench, const BenchArm* arm) {
  times(*arm, bench);
  misses(*arm, bench);
  proofs(*arm, bench);
  near_singular(*arm, bench);
  search(*arm, bench);
  bench.SetLabel(std::string(class_name(arm->analysis.kind)) + (arm->analysis.mirrored ? " mirrored" : "") +
                 (arm->analysis.exact() ? "" : " snapped"));
}

const int kRegistered = [] {
  for (const BenchArm& arm : arms()) {
    benchmark::RegisterBenchmark(arm.name.c_str(), row, &arm)->Iterations(1)->Unit(benchmark::kMillisecond);
  }
  return 0;
}();

}  // namespace
