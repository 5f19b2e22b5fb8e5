// The nearest pose to goals that cannot be reached: the part of ReachGeneral that insists on improvement.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/solve/methods/reach_general.hpp"

namespace armature::inline v0_2 {
// Steps that must each improve the first unreached level while those above it stay as they are; then the next level.
void ReachGeneral::approach(double* q, int iterations) {
  const int size = problem_->model().q_size();
  const int levels = static_cast<int>(system_.levels().size());
  for (int level = 0; level < levels; ++level) {
    system_.evaluate(q);
    ++iterations_;
    const GoalSystem::Level& target = system_.levels()[at(level)];
    if (target.reached) continue;
    std::copy(system_.error.begin(), system_.error.end(), hold_.begin());
    for (int l = 0; l < level; ++l) {
      const GoalSystem::Level& above = system_.levels()[at(l)];
      held_energy_[at(l)] = above.energy;
      if (above.reached) std::fill(hold_.begin() + above.begin, hold_.begin() + above.end, 0.0);
    }
    const auto holds = [&] {
      for (int l = 0; l < level; ++l) {
        const GoalSystem::Level& above = system_.levels()[at(l)];
        if (!above.reached && above.energy > held_energy_[at(l)] * (1.0 + 1e-6)) return false;
      }
      return true;
    };
    ReachStep::Settings settings;
    settings.pull = 0.0;
    settings.held = level;
    settings.hold = hold_.data();
    double energy = target.energy;
    double caution = 1.0;
    int small = 0;
    for (int i = 0; i < iterations && small < 2 && !out_of_budget(); ++i) {
      settings.damping = 0.1 * caution;
      settings.levels = level + 1;
      if (!step_.compute(system_, q, settings)) return;
      if (step_.largest() < 1e-8) break;
      std::copy(q, q + size, trial_.data());
      step_.apply(system_, trial_.data(), false);
      system_.evaluate(trial_.data());
      ++iterations_;
      settings.levels = level;
      for (int k = 0; k < 3 && !holds(); ++k) {  // back onto the levels above
        if (!step_.compute(system_, trial_.data(), settings)) return;
        step_.apply(system_, trial_.data(), false);
        system_.evaluate(trial_.data());
        ++iterations_;
      }
      if (target.energy < energy && holds()) {
        small = target.energy > energy * (1.0 - 1e-7) ? small + 1 : 0;
        energy = target.energy;
        caution = std::max(0.01, 0.5 * caution);
        std::copy(trial_.data(), trial_.data() + size, q);
        if (target.reached) break;
      } else {
        caution *= 4.0;
        if (caution > 1e12) break;
        system_.evaluate(q);
      }
    }
  }
}

// A few starts roughly, the best of them thoroughly.
void ReachGeneral::find_nearest(VecX& q) {
  constexpr int kStarts = 10;
  constexpr int kRough = 15;
  constexpr int kPolished = 3;
  // The best poses of the search come first; they stay in the pool in the order of their merit.
  const int known = pool_size_;
  const int starts = options_->local ? 1 : std::max(kStarts, known + 2);
  for (int i = 0; i < known; ++i) known_[i] = pool_[i].q;
  for (int i = 0; i < starts && !out_of_budget(); ++i) {
    if (i < known) {
      q_ = known_[i];
    } else if (i == known) {
      q_ = seed_;
    } else {
      restart(2 * i, q_.data());
    }
    approach(q_.data(), kRough);
    system_.evaluate(q_.data());
    remember(q_.data(), merit());
  }
  Merit best;
  for (int i = 0; i < std::min(kPolished, pool_size_); ++i) {
    q_ = pool_[i].q;
    approach(q_.data(), kThorough);
    system_.evaluate(q_.data());
    if (const Merit m = merit(); i == 0 || m.better_than(best, 1.0)) {
      best = m;
      q = q_;
    }
    if (system_.reached()) break;
  }
}

}  // namespace armature::inline v0_2
