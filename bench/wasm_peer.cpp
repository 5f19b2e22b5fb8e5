// The native side of bindings/wasm/test/bench.mjs, which runs the same questions through the WebAssembly module: random
// goals that a pose reaches, solved one after the other from the neutral pose. A line per case: model, method, goals
// solved, median iterations, median microseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
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

struct Case {
  const char* model;
  const char* method;
  std::vector<const char*> position;  // links
  std::vector<const char*> pose;
};

Model builtin(std::string_view name) {
  for (const BuiltinModel& model : builtin_models()) {
    if (model.name == name) return compile(read_document(model.json, {})->linkage).value();
  }
  std::abort();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void run(const Case& c, int count) {
  const Model model = builtin(c.model);
  Result<Solver> solver = make_solver(c.method);
  Problem problem;
  problem.model = model;
  for (const char* link : c.position) {
    PositionGoal goal;
    goal.link = model.link(link);
    problem.goals.push_back(goal);
  }
  for (const char* link : c.pose) {
    PoseGoal goal;
    goal.link = model.link(link);
    problem.goals.push_back(goal);
  }
  Rng rng(1);
  State state;
  const VecX start = neutral_pose(model);
  VecX q = start;
  std::vector<double> microseconds;
  std::vector<double> iterations;
  int solved = 0;
  for (int k = 0; k < count; ++k) {
    forward(model, random_pose(model, rng), state);
    for (Goal& goal : problem.goals) {
      if (auto* p = std::get_if<PositionGoal>(&goal)) p->target = state.transform(p->link).position;
      if (auto* b = std::get_if<PoseGoal>(&goal)) b->target = state.transform(b->link);
    }
    q = start;
    const auto begin = std::chrono::steady_clock::now();
    const Report& report = (*solver)->solve(problem, q);
    q = report.q;
    microseconds.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    iterations.push_back(report.iterations);
    if (report.ok()) ++solved;
  }
  std::printf("%s %s %d %g %.3f\n", c.model, c.method, solved, median(iterations), median(microseconds));
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  const std::vector<Case> cases = {
      {"panda", "reach", {}, {"panda_tcp"}},
      {"panda", "dls", {"panda_tcp"}, {}},
      {"human", "reach", {"right_hand"}, {"left_foot", "right_foot"}},
      {"human", "dls", {"right_hand"}, {"left_foot", "right_foot"}},
  };
  for (const Case& c : cases) run(c, count);
}
