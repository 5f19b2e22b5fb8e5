// Following over gestures: reach, reach that keeps its branch, dls and follow, ratios in one run.
//   bench_follow_bench     gestures of the shared data (ARMATURE_DATA), else those of the built-in models
// Columns: frames whose largest joint turn exceeds 10 degrees per centimetre of goal motion; turns above 30 degrees;
// mean error above the best known one (mm) in reach and out of it; share of in-reach frames more than 1 mm above it;
// largest slip of a pin (mm); closed paths that return within 0.1 degrees; median and 99 % time of a frame, arms and
// figures (CPU microseconds). The best known error is the least that any method or ten starts of reach found, among
// poses that keep the pins within 1 mm; every tenth frame.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "armature/scene/methods.hpp"
#include "armature/solve/methods/follow.hpp"
#include "support/follow_scenario.hpp"

using namespace armature;
using namespace armature::test;

namespace {

constexpr std::size_t kEvery = 10;
constexpr const char* kMethods[] = {"reach", "keep_branch", "dls", "follow"};

double cpu_microseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

struct Errors {
  double moving = 0.0, pins = 0.0;
};
Errors errors_of(const Gesture& gesture, std::size_t frame, const VecX& q) {
  State state;
  forward(gesture.model, q, state);
  Errors errors;
  GoalRows rows;
  const double length = gesture.model.size() / 4;
  double sum = 0.0;
  for (std::size_t i = 0; i < gesture.pinned.size(); ++i) {
    const Goal& goal = gesture.frames[frame][i];
    linearize(goal, state, rows);
    double square = 0.0;
    for (int r = 0; r < rows.rows; ++r) {
      const double e = rows.error[static_cast<std::size_t>(r)] * (is_angle_row(goal, gesture.model, r) ? length : 1.0);
      square += e * e;
    }
    if (gesture.pinned[i] != 0) {
      errors.pins = std::max(errors.pins, std::sqrt(square));
    } else {
      sum += square;
    }
  }
  errors.moving = std::sqrt(sum);
  return errors;
}

struct Run {
  std::vector<VecX> q;
  std::vector<double> time;
};
Run run(const Gesture& gesture, const std::string& method) {
  Solver solver = make_solver(method == "keep_branch" ? "reach" : method).value();
  if (method == "keep_branch") static_cast<void>(solver->set_option("keep_branch", "true"));
  if (method != "follow") solver->common_options().max_time = 0.05;
  VecX q = gesture.start;
  if (method == "follow") static_cast<Follow&>(*solver).begin(gesture.problem(0), q);
  Run result;
  for (std::size_t f = 0; f < gesture.frames.size(); ++f) {
    Problem problem = gesture.problem(f);
    if (method == "dls") {  // knows no priorities
      for (std::size_t i = 0; i < problem.goals.size(); ++i) {
        goal_fields(problem.goals[i]).priority = 0;
        goal_fields(problem.goals[i]).weight *= gesture.pinned[i] != 0 ? 10.0 : 1.0;
      }
    }
    const double before = cpu_microseconds();
    q = solver->solve(problem, q).q;
    result.time.push_back(cpu_microseconds() - before);
    result.q.push_back(q);
  }
  return result;
}

struct Total {
  int fast = 0, turns = 0, late = 0, in = 0, out = 0, closed = 0, returned = 0;
  double in_error = 0.0, out_error = 0.0, slip = 0.0;
  std::vector<double> arms, figures;
};

double quantile(std::vector<double> v, double t) {
  if (v.empty()) return 0.0;
  std::sort(v.begin(), v.end());
  return v[std::min(v.size() - 1, static_cast<std::size_t>(t * static_cast<double>(v.size())))];
}

}  // namespace

int main() {
  std::vector<Gesture> gestures = shared_gestures();
  if (gestures.empty()) gestures = builtin_gestures();
  std::map<std::string, Total> totals;
  Solver search = make_solver("reach").value();
  search->common_options().max_time = 0.1;
  for (const Gesture& gesture : gestures) {
    std::map<std::string, Run> runs;
    for (const char* method : kMethods) runs[method] = run(gesture, method);
    Rng rng(7);
    for (std::size_t f = 0; f < gesture.frames.size(); f += kEvery) {
      double best = HUGE_VAL;
      const auto consider = [&](const VecX& q) {
        if (const Errors e = errors_of(gesture, f, q); e.pins < 1e-3) best = std::min(best, e.moving);
      };
      for (const auto& [method, result] : runs) consider(result.q[f]);
      for (int start = 0; start < 10 && best > 1e-5; ++start) {
        VecX q = start == 0 ? gesture.start : random_pose(gesture.model, rng);
        q = search->solve(gesture.problem(f), q).q;
        consider(q);
      }
      for (const auto& [method, result] : runs) {
        Total& total = totals[method];
        const double above = std::max(0.0, errors_of(gesture, f, result.q[f]).moving - best);
        if (best < 1e-3) {
          ++total.in;
          total.in_error += above;
          total.late += above > 1e-3 ? 1 : 0;
        } else {
          ++total.out;
          total.out_error += above;
        }
      }
    }
    for (const auto& [method, result] : runs) {
      Total& total = totals[method];
      for (std::size_t f = 1; f < gesture.frames.size(); ++f) {
        const double motion = goal_motion(gesture.model.size(), gesture.frames[f - 1], gesture.frames[f]);
        const double turn = largest_turn(gesture.model, result.q[f - 1], result.q[f]) * 180.0 / kPi;
        total.fast += motion > 1e-5 && turn > 10.0 * 100.0 * motion ? 1 : 0;
        total.turns += turn > 30.0 ? 1 : 0;
        total.slip = std::max(total.slip, errors_of(gesture, f, result.q[f]).pins);
      }
      if (gesture.closed) {
        ++total.closed;
        total.returned += largest_turn(gesture.model, gesture.start, result.q.back()) < 0.1 * kPi / 180.0 ? 1 : 0;
      }
      std::vector<double>& times = gesture.model.v_size() > 10 ? total.figures : total.arms;
      times.insert(times.end(), result.time.begin(), result.time.end());
    }
  }
  std::printf("%zu gestures\n%-12s %6s %6s %8s %7s %8s %8s %9s %16s %18s\n", gestures.size(), "method", ">10/cm", ">30",
              "in mm", "late %", "out mm", "slip mm", "returned", "arms us", "figure us");
  for (const char* method : kMethods) {
    const Total& t = totals[method];
    std::printf("%-12s %6d %6d %8.3f %7.2f %8.3f %8.4f %4d/%-4d %8.1f %7.0f %9.1f %8.0f\n", method, t.fast, t.turns,
                1e3 * t.in_error / std::max(1, t.in), 100.0 * t.late / std::max(1, t.in),
                1e3 * t.out_error / std::max(1, t.out), 1e3 * t.slip, t.returned, t.closed, quantile(t.arms, 0.5),
                quantile(t.arms, 0.99), quantile(t.figures, 0.5), quantile(t.figures, 0.99));
  }
  return 0;
}
