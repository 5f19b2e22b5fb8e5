// Solvers with the tables they made, kept between questions about one model: making the tables of `reach` takes a
// hundred times as long as a solve.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "armature/scene/scene.hpp"

namespace armature::inline v0_2 {

class SolverPool {
 public:
  /// A solver on loan: goes back where it came from. One thread at a time uses it; each thread may lend its own.
  class Loan {
   public:
    Loan(SolverPool* pool, std::string key, std::unique_ptr<Solver> solver)
        : pool_(pool), key_(std::move(key)), solver_(std::move(solver)) {}
    Loan(Loan&&) = default;
    Loan& operator=(Loan&&) = delete;
    ~Loan();
    Solver& operator*() const { return *solver_; }
    Solver* operator->() const { return solver_.get(); }

   private:
    SolverPool* pool_;  // null: not kept
    std::string key_;
    std::unique_ptr<Solver> solver_;
  };

  /// The scene's solver, as make_solver() makes it: a kept one where there is one for the same method, options, goals'
  /// links and limits. Methods whose answers depend on earlier ones are made anew each time.
  Result<Loan> lend(const Scene& scene);

 private:
  void give_back(std::string key, std::unique_ptr<Solver> solver);

  std::mutex mutex_;
  std::vector<std::pair<std::string, std::unique_ptr<Solver>>> kept_;  // used last comes last
};

}  // namespace armature::inline v0_2
