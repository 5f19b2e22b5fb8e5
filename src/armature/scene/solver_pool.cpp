#include "armature/scene/solver_pool.hpp"

#include <algorithm>

namespace armature::inline v0_2 {
namespace {

constexpr std::size_t kMost = 8;  // each may hold tables of some hundred kilobytes

// What the tables depend on. Solvers look for themselves whether theirs still fit, so that a key that tells too little
// costs time, not answers.
std::string key_of(const Scene& scene) {
  std::string key = scene.method;
  for (const auto& [name, text] : scene.options) key += ';' + name + '=' + text;
  for (const Goal& goal : scene.goals) {
    key += ';' + std::string(goal_name(goal)) + std::to_string(effector(goal, scene.model, scene.tip));
  }
  for (const JointRef& joint : scene.locked)
    key += ";!" + (joint.named() ? joint.name() : std::to_string(joint.index()));
  return key;
}

// Methods whose answers do not depend on what they were asked before.
bool is_kept(const std::string& method) {
  return method.empty() || method == "auto" || method == "reach" || method == "analytic";
}

}  // namespace

SolverPool::Loan::~Loan() {
  if (pool_ != nullptr && solver_ != nullptr) pool_->give_back(std::move(key_), std::move(solver_));
}

Result<SolverPool::Loan> SolverPool::lend(const Scene& scene) {
  const bool kept = is_kept(scene.method);
  std::string key = kept ? key_of(scene) : "";
  if (kept) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.first == key; });
    if (found != kept_.end()) {
      std::unique_ptr<Solver> solver = std::move(found->second);
      kept_.erase(found);
      return Loan(this, std::move(key), std::move(solver));
    }
  }
  Result<Solver> solver = make_solver(scene);
  if (!solver) return solver.error();
  return Loan(kept ? this : nullptr, std::move(key), std::make_unique<Solver>(std::move(*solver)));
}

void SolverPool::give_back(std::string key, std::unique_ptr<Solver> solver) {
  const std::scoped_lock lock(mutex_);
  if (kept_.size() == kMost) kept_.erase(kept_.begin());
  kept_.emplace_back(std::move(key), std::move(solver));
}

}  // namespace armature::inline v0_2
