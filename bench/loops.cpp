// Mechanisms with closed loops: how long a drive takes per value, how often and how fast goals are reached through
// loops, and whether a limit or a loop is ever broken.
//
//   bench_loops drive            microseconds per value: golden mechanisms, scissor lifts of 1 to 100 stages
//   bench_loops reach [N]        N goals (400) per mechanism, without limits and with limits on every joint
//   bench_loops limits [N] [S]   N solves (100,000) with limits, a fifth of the goals out of reach: `reach` and `dls`
//
// Limits are the extremes of assembled poses around the model's own, so that every joint meets its own. Goals are made
// from assembled poses inside them: each miss is one. Seeds are fixed: the same arguments count the same.
#include "../tests/support/loops.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "../tests/support/mechanisms.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/motion/driver.hpp"
#include "armature/scene/methods.hpp"

using namespace armature;

namespace {

// Seconds of processor time, so that what else runs does not count.
double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::vector<Model> builtin_mechanisms() {
  std::vector<Model> all;
  for (const BuiltinModel& builtin : builtin_models()) {
    ReadOptions options;
    options.file_name = std::string(builtin.name) + ".json";
    Result<Document> document = read_document(builtin.json, options);
    if (!document || document->linkage.closures.empty()) continue;
    all.push_back(compile(document->linkage).value());
  }
  return all;
}

// Built-in ones, and those of the shared data whose kind is not built in.
std::vector<std::pair<Model, VecX>> mechanisms_to_reach_with() {
  std::vector<std::pair<Model, VecX>> all;
  for (const Model& model : builtin_mechanisms()) all.emplace_back(model, model.poses().front().q);
  for (const test::Mechanism& m : test::golden_mechanisms()) {
    for (const char* name : {"four_bar_triple_rocker", "slotted_lever", "watt_six_bar", "bennett", "sarrus"}) {
      if (m.name == name) all.emplace_back(m.model, m.assemblies[0].second[4].q);
    }
  }
  return all;
}

class Mechanism {
 public:
  Mechanism(const Model& model, const VecX& home) : model_(model), home_(home) { assembler_.prepare(model); }

  // An assembled pose about the model's own, inside the limits.
  VecX pose(Rng& rng, double away) {
    for (int attempt = 0; attempt < 200; ++attempt) {
      VecX v(model_.v_size());
      for (int i = 0; i < v.size(); ++i) v[i] = rng.uniform(-away, away) * assembler_.rows.unit(i);
      VecX q = integrate(model_, home_, v);
      if (assembler_.assemble(q.data()).ok && inside_limits(model_, q, 0.0)) return q;
    }
    return home_;
  }

  Model limited(Rng& rng) {
    VecX lower = home_, upper = home_;
    for (int i = 0; i < 40; ++i) {
      const VecX q = pose(rng, 0.6);
      lower = lower.cwiseMin(q);
      upper = upper.cwiseMax(q);
    }
    Linkage linkage = model_.linkage();
    for (Joint& joint : linkage.joints) {
      const ModelJoint& own = model_.joint(joint.name);
      if (own.mimic || own.q_count == 0) continue;
      joint.limits.lower.assign(lower.data() + own.q_index, lower.data() + own.q_index + own.q_count);
      joint.limits.upper.assign(upper.data() + own.q_index, upper.data() + own.q_index + own.q_count);
    }
    return compile(linkage).value();
  }

  const Model& model() const { return model_; }
  const VecX& home() const { return home_; }

 private:
  Model model_;
  VecX home_;
  Assembler assembler_;
};

struct Count {
  long solves = 0, reachable = 0, reached = 0, broken = 0;
  double restarts = 0.0, iterations = 0.0, open = 0.0, missed_seconds = 0.0;
  std::vector<double> seconds;  // of goals that can be reached

  void add(const Report& report, const Model& model, bool can, double took) {
    ++solves;
    reachable += can ? 1 : 0;
    reached += can && report.ok() ? 1 : 0;
    broken += inside_limits(model, report.q, 1e-9) ? 0 : 1;
    restarts += report.restarts;
    iterations += report.iterations;
    open = std::max(open, closure_error(model, report.q) / std::max(1.0, model.size()));
    if (can) seconds.push_back(took);
    if (!can) missed_seconds += took;
  }
  void print(const std::string& name) {
    std::sort(seconds.begin(), seconds.end());
    double sum = 0.0;
    for (const double s : seconds) sum += s;
    const auto at = [&](double share) {
      return seconds.empty() ? 0.0 : 1e6 * seconds[static_cast<std::size_t>(share * (seconds.size() - 1))];
    };
    std::printf("%-30s %6ld of %6ld, us mean %6.0f median %6.0f p99 %7.0f max %7.0f; %ld out of reach, us mean %8.0f; ",
                name.c_str(), reached, reachable, seconds.empty() ? 0.0 : 1e6 * sum / seconds.size(), at(0.5), at(0.99),
                at(1.0), solves - reachable, 1e6 * missed_seconds / std::max(1L, solves - reachable));
    std::printf("restarts %.2f iterations %.1f; limits broken %ld, open %.1e\n", restarts / std::max(1L, solves),
                iterations / std::max(1L, solves), broken, open);
    std::fflush(stdout);
  }
};

void solve_goals(Mechanism& mechanism, const char* method, int goals, std::uint64_t seed, bool beyond, Count& count) {
  const Model& model = mechanism.model();
  Solver solver = make_solver(method).value();
  Problem problem;
  problem.model = model;
  problem.goals.emplace_back(PositionGoal{});
  auto& goal = std::get<PositionGoal>(problem.goals[0]);
  goal.link = model.effectors().front();
  State state;
  Rng rng(seed);
  for (int n = 0; n < goals; ++n) {
    const VecX there = mechanism.pose(rng, 0.6), start = mechanism.pose(rng, 0.3);
    const bool out = beyond && n % 5 == 4;
    forward(model, there, state);
    goal.target = state.transform(model.effectors().front()).position;
    if (out) goal.target += Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)) * model.size();
    const double begin = now();
    const Report& report = solver->solve(problem, start);
    count.add(report, model, !out, now() - begin);
    if (!out && !report.ok() && std::string(method) == "reach") {
      std::fprintf(stderr, "missed: %s, goal %d of seed %llu: %s\n", model.name().c_str(), n,
                   static_cast<unsigned long long>(seed), report.message().c_str());
    }
  }
}

void reach(int goals) {
  for (const auto& [model, home] : mechanisms_to_reach_with()) {
    Mechanism free(model, home);
    Count count;
    solve_goals(free, "reach", goals, 9, false, count);
    count.print(model.name());
    Rng rng(21);
    Mechanism limited(free.limited(rng), home);
    Count within;
    solve_goals(limited, "reach", goals, 9, true, within);
    within.print(model.name() + ", limits");
  }
}

// Another set of limits for every 200 solves of a mechanism; one solve in four by `reach`.
void limits(long solves, std::uint64_t seed) {
  const auto all = mechanisms_to_reach_with();
  Count by_reach, by_dls;
  Rng rng(seed);
  for (long done = 0, round = 0; done < solves; ++round) {
    const auto& [model, home] = all[static_cast<std::size_t>(round) % all.size()];
    Mechanism free(model, home);
    Mechanism limited(free.limited(rng), home);
    const int own = static_cast<int>(std::min(200L, solves - done));
    solve_goals(limited, "reach", own / 4, rng.next(), true, by_reach);
    solve_goals(limited, "dls", own - own / 4, rng.next(), true, by_dls);
    done += own;
  }
  by_reach.print("reach");
  by_dls.print("dls");
}

void drive() {
  for (const test::Mechanism& m : test::golden_mechanisms()) {
    const std::vector<test::GoldenRow>& rows = m.assemblies[0].second;
    Driver driver;
    driver.prepare(m.model, held_velocities(m.model, m.driven).value());
    double best = 1e9;
    for (int pass = 0; pass < 30; ++pass) {
      VecX q = rows[0].q, change = VecX::Zero(m.model.v_size());
      Assembler assembler;
      assembler.prepare(m.model);
      if (!assembler.assemble(q.data()).ok) break;
      driver.restart();
      int values = 0;
      const double begin = now();
      for (int round = 0; round < 20; ++round) {  // there and back along the sweep, in quarters of its steps
        for (std::size_t k = 0; k + 1 < 2 * rows.size() - 1; ++k) {
          const std::size_t to = k + 1 < rows.size() ? k + 1 : 2 * rows.size() - 3 - k;
          for (int part = 4; part > 0; --part) {
            for (std::size_t d = 0; d < m.driven.size(); ++d) {
              const ModelJoint& joint = m.model.joint(m.driven[d]);
              change[joint.v_index] = (rows[to].drive[d] - q[joint.q_index]) / part;
            }
            if (driver.advance(q, change) != DriveOutcome::reached) break;
            ++values;
          }
        }
      }
      if (values > 0) best = std::min(best, (now() - begin) / values);
    }
    if (best < 1e9) std::printf("%-28s %8.2f us per value\n", m.name.c_str(), 1e6 * best);
  }
  for (const int stages : {1, 4, 10, 20, 50, 100}) {
    const Model model = test::compiled(test::scissor(stages));
    Driver driver;
    driver.prepare(model, held_velocities(model, {"foot"}).value());
    double best = 1e9;
    for (int pass = 0; pass < 30; ++pass) {
      VecX q = test::scissor_pose(model, 0.8), change = VecX::Zero(model.v_size());
      driver.restart();
      const double begin = now();
      int values = 0;
      for (int k = 0; k < 80; ++k) {
        change[model.joint("foot").v_index] = k % 40 < 20 ? 0.01 : -0.01;
        if (driver.advance(q, change) != DriveOutcome::reached) break;
        ++values;
      }
      if (values == 80) best = std::min(best, (now() - begin) / values);
    }
    std::printf("scissor, %3d stages           %8.2f us per value\n", stages, 1e6 * best);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "drive";
  const long count = argc > 2 ? std::atol(argv[2]) : 0;
  if (what == "drive") {
    drive();
  } else if (what == "reach") {
    reach(count > 0 ? static_cast<int>(count) : 400);
  } else if (what == "limits") {
    limits(count > 0 ? count : 100'000, argc > 3 ? static_cast<std::uint64_t>(std::atol(argv[3])) : 1);
  } else {
    std::fprintf(stderr, "bench_loops drive | reach [GOALS] | limits [SOLVES] [SEED]\n");
    return 2;
  }
  return 0;
}
