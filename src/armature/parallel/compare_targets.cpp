#include "armature/parallel/compare_targets.hpp"

#include <algorithm>
#include <chrono>

#include "armature/kinematics/defaults.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kPiece = 64;  // targets that one solver is made for

struct Answered {
  Outcome outcome{};
  int iterations = 0;
  double error = 0.0, microseconds = 0.0;
};

void count(const std::vector<Answered>& answers, TargetsComparison& row) {
  std::vector<double> times;
  double iterations = 0.0, error = 0.0;
  for (const Answered& a : answers) {
    const bool reached = a.outcome == Outcome::converged;
    ++row.goals;
    row.reached += reached ? 1 : 0;
    ++row.outcomes[outcome_name(a.outcome)];
    iterations += a.iterations;
    if (reached) {
      row.largest_error = std::max(row.largest_error, a.error);
    } else {
      error += a.error;
    }
    times.push_back(a.microseconds);
  }
  if (row.goals == 0) return;
  row.mean_iterations = iterations / static_cast<double>(row.goals);
  if (row.reached < row.goals) row.mean_error = error / static_cast<double>(row.goals - row.reached);
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
  };
  row.fastest = at(0.25);
  row.microseconds = at(0.5);
  row.slowest = at(0.75);
  row.p99 = at(0.99);
}

}  // namespace

Result<std::vector<TargetsComparison>> compare(const Scene& scene, const Targets& targets,
                                               const std::vector<std::string>& methods,
                                               const ParallelOptions& options) {
  Scene own = scene;
  if (own.start.size() == 0) own.start = start_pose(own.model);
  std::vector<Goal> goals;
  std::vector<VecX> starts;
  TargetPiece piece;
  Problem problem = make_problem(own);
  for (int number = 0; number < targets.piece_count(); ++number) {
    targets.read(number, own, piece);
    for (int k = 0; k < piece.count; ++k) {
      goals.push_back(piece.goals[static_cast<std::size_t>(k)]);
      starts.emplace_back(piece.starts.col(k));
      problem.goals.assign(1, goals.back());
      if (const Status status = check_problem(problem); !status) {
        return Error{"Target " + std::to_string(goals.size()) + ": " + status.message()};
      }
    }
    if (!piece.ended) return piece.ended.error();
  }
  if (goals.empty()) return Error{"Methods can be compared once there are targets."};
  problem.goals.clear();

  std::vector<TargetsComparison> rows(methods.size());
  std::vector<std::size_t> at_work;  // rows of methods that take the targets
  for (std::size_t m = 0; m < methods.size(); ++m) {
    rows[m].method = methods[m];
    const Result<Solver> solver = make_solver(own, methods[m], true);
    if (!solver) return solver.error();
    Problem asked = problem;
    for (std::size_t k = 0; k < goals.size() && rows[m].refused.empty(); ++k) {
      asked.goals.assign(1, goals[k]);
      if (const Status status = (*solver)->check(asked); !status) rows[m].refused = status.message();
    }
    if (rows[m].refused.empty()) at_work.push_back(m);
  }

  std::vector<std::vector<Answered>> answers(methods.size());
  for (const std::size_t m : at_work) answers[m].resize(goals.size());
  const int pieces = (static_cast<int>(goals.size()) + kPiece - 1) / kPiece;
  const int parts = pieces * static_cast<int>(at_work.size());
  std::vector<Problem> problems(static_cast<std::size_t>(std::max(1, worker_count(parts, options))), problem);
  const bool done = for_all(parts, options, [&](int part, int worker) {
    const std::size_t m = at_work[static_cast<std::size_t>(part / pieces)];
    const std::size_t begin = static_cast<std::size_t>(part % pieces) * kPiece;
    const std::size_t end = std::min(begin + kPiece, goals.size());
    // A solver of its own: what a method remembers of earlier answers must not depend on who solved them.
    Solver solver = std::move(make_solver(own, methods[m], true)).value();  // it was made once before
    Problem& asked = problems[static_cast<std::size_t>(worker)];
    asked.goals.assign(1, goals[begin]);
    solver->solve(asked, starts[begin]);  // makes its tables: not timed
    for (std::size_t k = begin; k < end; ++k) {
      asked.goals.assign(1, goals[k]);
      const auto before = std::chrono::steady_clock::now();
      const Report& report = solver->solve(asked, starts[k]);
      const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - before;
      answers[m][k] = {report.outcome, report.iterations, report.position_error, spent.count()};
    }
  });
  if (!done) return Error{"The comparison was stopped."};
  for (const std::size_t m : at_work) count(answers[m], rows[m]);
  return rows;
}

void write_comparison(JsonText& json, const std::vector<TargetsComparison>& rows) {
  json.key("rows").begin_array();
  for (const TargetsComparison& row : rows) {
    json.begin_object().member("method", row.method);
    if (!row.refused.empty()) {
      json.member("refused", row.refused).end();
      continue;
    }
    json.member("goals", static_cast<double>(row.goals)).member("reached", static_cast<double>(row.reached));
    json.key("outcomes").begin_object();
    for (const auto& [outcome, count] : row.outcomes) json.member(outcome.c_str(), static_cast<double>(count));
    json.end().member("mean_iterations", row.mean_iterations).member("largest_error", row.largest_error);
    json.member("mean_error", row.mean_error).key("microseconds").begin_array();
    json.value(row.fastest).value(row.microseconds).value(row.slowest).value(row.p99).end().end();
  }
  json.end();
}

}  // namespace armature::inline v0_2
