// Eight threads on one shared Model give what one thread gives. The tsan preset runs this under ThreadSanitizer.
#ifndef __EMSCRIPTEN__
#include <doctest/doctest.h>

#include <thread>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/reach_general.hpp"
#include "armature/solve/registry.hpp"
#include "support/general_reach.hpp"
#include "support/zoo.hpp"

using namespace armature;
using namespace armature::test;

namespace {

constexpr int kThreads = 8;
constexpr int kProblems = 6;

Problem random_problem(const Model& model, const std::vector<std::string>& links, int seed) {
  Rng rng(static_cast<std::uint64_t>(seed));
  State state;
  forward(model, random_pose(model, rng), state);
  Problem problem;
  problem.model = model;
  for (const std::string& name : links) {
    PositionGoal goal;
    goal.link = model.link(name);
    goal.target = state.transform(goal.link).position;
    problem.goals.emplace_back(goal);
  }
  return problem;
}

// Runs the same job in eight threads and once alone: all answers must be the same bits.
template <class Job>
void check_threads(const Job& job) {
  std::vector<std::vector<VecX>> answers(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] { answers[static_cast<std::size_t>(t)] = job(); });
  }
  for (std::thread& thread : threads) thread.join();
  const std::vector<VecX> alone = job();
  for (const std::vector<VecX>& each : answers) CHECK(each == alone);
}

}  // namespace

TEST_CASE("threads: the general path of reach on one shared model") {
  const Model model = must_compile(zoo_linkage());
  check_threads([&model] {
    test::GeneralReach reach;
    Report report;
    std::vector<VecX> answers;
    for (int i = 0; i < kProblems; ++i) {
      const Problem problem = random_problem(model, {"hand", "tip2"}, i);
      answers.push_back(middle_pose(model));
      reach.solve(problem, {}, answers.back(), report, nullptr);
    }
    return answers;
  });
}

TEST_CASE("threads: every registered method on one shared model") {
  const Model model = must_compile(arm_linkage(6));
  for (const BuiltinMethod& entry : builtin_methods()) {
    CAPTURE(entry.info.name);
    check_threads([&] {
      Solver solver(entry.make());
      solver->common_options().max_iterations = 60;
      std::vector<VecX> answers;
      for (int i = 0; i < kProblems; ++i) {
        const Problem problem = random_problem(model, {"hand"}, i);
        answers.push_back(VecX::Constant(model.q_size(), 0.3));
        answers.back() = solver->solve(problem, answers.back()).q;
      }
      return answers;
    });
  }
}
#endif
