// Fuzzes solving: any linkage, any goals, any option of any method, single and in a batch, under the law of
// support/law.hpp. The same question twice has the same answer to the last bit, and a limit of time ends the search.
#include <cstring>
#include <ctime>

#include "../support/problem_limits.hpp"
#include "../support/solve_in_place.hpp"
#include "armature/base/number.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/batch.hpp"
#include "armature/solve/registry.hpp"
#include "support/any_goal.hpp"
#include "support/law.hpp"
#include "support/sound_linkage.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

void any_options(Choices& choose, Method& solver) {
  constexpr std::array<int, 8> kIterations{60, 30, 100, 0, 1, 5, 200, 12};
  solver.common_options().max_iterations = choose.of(kIterations);
  if (choose.below(2) == 0) return;
  for (const OptionInfo& option : solver.option_list()) {
    if (!choose.one_in(4) || option.name == "max_time" || option.name == "max_iterations") continue;
    switch (option.type) {
      case OptionInfo::Type::boolean:
        (void)solver.set_option(option.name, choose.below(2) == 0 ? "false" : "true");
        break;
      case OptionInfo::Type::choice:
        (void)solver.set_option(
            option.name,
            option.choices[static_cast<std::size_t>(choose.below(static_cast<int>(option.choices.size())))]);
        break;
      case OptionInfo::Type::integer:
        // Few, where a large number only takes long.
        (void)solver.set_option(option.name, std::to_string(choose.below(24)));
        break;
      case OptionInfo::Type::real:
        (void)solver.set_option(option.name, format_number(std::abs(choose.mixed())));
        break;
    }
  }
}

VecX any_start(Choices& choose, const Model& model) {
  Rng rng(choose.seed());
  VecX q = choose.below(2) == 0 ? random_pose(model, rng) : middle_pose(model);
  if (q.size() > 0 && choose.one_in(4)) q[choose.below(model.q_size())] = choose.mixed();
  return q;
}

void any_constraints(Choices& choose, const Model& model, Problem& problem) {
  if (choose.one_in(8)) {
    for (int v = 0; v < model.v_size(); ++v) {
      if (choose.below(2) == 1) problem.locked.emplace_back(model.velocity_joint(v));
    }
  }
  if (choose.one_in(8)) {
    for (int v = 0; v < model.v_size(); ++v) {
      problem.joint_weights.emplace_back(model.velocity_joint(v), std::abs(choose.mixed()));
    }
  }
  if (choose.one_in(8)) {
    VecX upper = model.upper();
    const int i = model.q_size() > 0 ? choose.below(model.q_size()) : -1;
    if (i >= 0) upper[i] = std::min(upper[i], std::max(choose.plain(), model.lower()[i]));
    test::set_limits(problem, model.lower(), upper);
  }
  if (choose.one_in(8)) {
    PostureGoal posture;
    posture.target = middle_pose(model);
    posture.gain = VecX::Constant(model.v_size(), std::abs(choose.plain()));
    problem.goals.emplace_back(posture);
  }
}

bool same_bits(const VecX& a, const VecX& b) {
  if (a.size() == 0) return b.size() == 0;  // no memory at all
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

void solve_one(const BuiltinMethod& entry, Choices options, const Problem& problem, const VecX& start) {
  Solver solver(entry.make()), twin(entry.make());
  Choices again = options;
  any_options(options, *solver);
  any_options(again, *twin);
  VecX q = start, other = start;
  const Report report = solver->solve(problem, q);
  q = report.q;
  demand((report.outcome == Outcome::refused) != solver->check(problem).ok(),
         "what check() refuses is refused, no more");
  context() += "; " + std::string(outcome_name(report.outcome)) + " by " + report.method + " (" + report.reason + ")";
  check_law(problem, solver->common_options(), q, report);
  demand(!report.message().empty(), "every outcome has its sentence");
  const Outcome second = test::solve_in_place(*twin, problem, other).outcome;
  demand(second == report.outcome && same_bits(q, other), "the same twice gives the same bits");
  other = start;
  other = solver->solve(problem, other).q;
  demand(same_bits(q, other), "the same again with the same solver gives the same bits");
}

void solve_in_time(const BuiltinMethod& entry, const Problem& problem, const VecX& start) {
  Solver solver(entry.make());
  solver->common_options().max_iterations = 1000000;
  solver->common_options().max_time = 0.005;
  VecX q = start;
  const std::clock_t begun = std::clock();
  const Report report = solver->solve(problem, q);
  q = report.q;
  // Of the processor's time, and six hundred times as much as allowed: a busy machine breaks nothing.
  demand(std::clock() - begun < 3 * CLOCKS_PER_SEC, "a limit of time ends the search");
  check_law(problem, solver->common_options(), q, report);
}

void solve_together(const BuiltinMethod& entry, Choices options, const Problem& problem, const VecX& start) {
  Solver solver(entry.make());
  any_options(options, *solver);
  Problem shared = problem;
  shared.goals.clear();
  MatX poses(start.size(), static_cast<Eigen::Index>(problem.goals.size()));
  for (Eigen::Index k = 0; k < poses.cols(); ++k) poses.col(k) = start;
  Batch batch;
  std::vector<Report> reports;
  batch.solve(*solver, shared, problem.goals, poses, reports);
  for (std::size_t k = 0; k < reports.size(); ++k) {
    shared.goals.assign(1, problem.goals[k]);
    const VecX q = poses.col(static_cast<Eigen::Index>(k));
    check_law(shared, solver->common_options(), q, reports[k]);
    MatX alone = start;
    std::vector<Report> one;
    batch.solve(*solver, problem, shared.goals, alone, one);
    demand(same_bits(q, alone.col(0)), "an answer of a batch does not depend on its neighbours");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choose(data, size);
  const int method = choose.below(255);
  const int way = choose.below(8);
  const int goals = 1 + (choose.below(2) == 0 ? 0 : choose.below(4));
  const Result<Model> model = compile(sound_linkage(choose));
  if (!model) return 0;
  const BuiltinMethod& entry = builtin_methods()[static_cast<std::size_t>(method) % builtin_methods().size()];
  Problem problem;
  problem.model = *model;
  Rng rng(choose.seed());
  const VecX there_q = random_pose(*model, rng);
  State there;
  forward(*model, there_q, there);
  for (int k = 0; k < goals; ++k) problem.goals.push_back(any_goal(choose, *model, there, there_q));
  any_constraints(choose, *model, problem);
  const VecX start = any_start(choose, *model);
  problem.start = start;  // what check() can say may depend on it
  context() = "; " + std::string(entry.info.name) +
              (way == 7   ? " in time"
               : way == 6 ? " in a batch"
                          : "") +
              ", size " + pretty_number(model->size()) + ", " + std::to_string(model->q_size()) +
              " coordinates, start up to " + pretty_number(start.size() > 0 ? start.cwiseAbs().maxCoeff() : 0.0);
  if (way == 7) {
    solve_in_time(entry, problem, start);
  } else if (way == 6) {
    solve_together(entry, choose, problem, start);
  } else {
    solve_one(entry, choose, problem, start);
  }
  return 0;
}
