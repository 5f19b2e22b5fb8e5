// One frame of the follow method: Newton steps until the energy's minimum in the box.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/solve/methods/follow.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kSteps = 16;         // a frame, at most
constexpr int kCorrections = 3;    // of a step, by the same factors
constexpr double kShort = 1e-3;    // radians: a last step this short ends the frame
constexpr double kQuick = 0.02;    // a first step this short leaves less than kShort
constexpr double kFlat = 1e-4;     // of the energy: a step that gains less ends it, too
constexpr double kFlatter = 1e-3;  // the same where every goal is reached
constexpr double kMaxTurn = 0.5;   // radians
constexpr int kFinal = 3;          // steps to what is near
constexpr double kNear = 0.03;     // error that is, of size/4, and the longest such step
constexpr double kExact = 2e-7;    // error that counts as none
constexpr double kBend = 0.1;      // radians: how far to try where the energy bends down
constexpr int kSlides = 10;        // frames of a slide, at most
constexpr double kSlide = 0.01;    // stiffness of every joint in a slide: far below the goals', above rounding

}  // namespace

// Both ways along the direction of negative curvature; the better one stays in second_.
void Follow::try_bends(const double* q, double energy, double& best) {
  const double far = std::min(kBend, bound_);
  const double first = step_.slope() > 0.0 ? -far : far;
  double done = 0.0;
  for (const double side : {first, -first}) {
    step_.buckle(side - done);
    done = side;
    box_.apply(energy_.system, q, step_.x().data(), trial_.data());
    const double value = energy_.evaluate(trial_.data());
    if (value < std::min(best, energy)) {
      best = value;
      second_ = trial_;
    }
  }
}

void Follow::descend(VecX& q) {
  GoalSystem& system = energy_.system;
  trial_ = q;
  second_ = q;
  double F = energy_.goals_energy() + energy_.home_energy();
  bool at_q = true;                                         // the energy was last evaluated there
  double damping = damping_ > 1e-3 ? damping_ / 8.0 : 0.0;  // what the last frame needed
  const double most = settings.max_step > 0.0 ? settings.max_step : kMaxTurn;
  for (int i = 0; i < kSteps; ++i) {
    record(q.data());
    ++iterations_;
    if (!step_.compute(energy_, box_, q.data(), damping, std::min(most, 3.0 * bound_), stuck_)) {
      damping = std::max(4.0 * damping, 1e-3 + 0.1 * energy_.curvature.force());
      if (damping > 1e12) break;
      continue;
    }
    const double size = step_.largest();
    box_.apply(system, q.data(), step_.x().data(), trial_.data());
    double Ft = energy_.evaluate(trial_.data());
    // What the curves of the goals added to what the slopes foresaw is taken back.
    bool at_trial = true;
    stuck_ = F - Ft < 1e-3 * F && !system.reached();
    if (stuck_ && step_.negative()) {
      second_ = trial_;
      try_bends(q.data(), F, Ft);
      trial_.swap(second_);
      at_trial = false;
    } else {
      for (int k = 0; k < kCorrections; ++k) {
        double miss = 0.0;
        for (int r = 0; r < system.rows(); ++r) {
          const double d = system.error[at(r)] - step_.predicted()[at(r)];
          miss += d * d * energy_.row_stiffness[at(r)];
        }
        if (0.5 * miss < 0.01 * (F - Ft) && (system.reached() || k > 0)) break;
        const double before = energy_.goals_energy();
        step_.correct(energy_);
        box_.apply(system, q.data(), step_.x().data(), second_.data());
        const double better = energy_.evaluate(second_.data());
        if (!(better < Ft)) {
          at_trial = false;
          break;
        }
        const bool slow = energy_.goals_energy() > 0.3 * before;
        Ft = better;
        trial_.swap(second_);
        if (slow) break;
      }
    }
    if (Ft < F - 1e-14 * std::abs(F)) {
      const double gained = F - Ft;
      q.swap(trial_);
      damping = damping > 1e-9 ? damping / 8.0 : 0.0;
      step_.keep_forces();
      if (!at_trial) energy_.evaluate(q.data());
      const bool quick = i == 0 && size < kQuick && !step_.blocked() && !step_.negative() && system.reached();
      const bool done = size < kShort || quick || (i > 0 && gained < (system.reached() ? kFlatter : kFlat) * F);
      F = Ft;
      if (done) break;
    } else {
      at_q = false;
      step_.keep_forces();
      if (size < kShort) break;
      energy_.evaluate(q.data());
      at_q = true;
      damping = damping > 0.0 ? 8.0 * damping : std::max(0.02 * energy_.curvature.force(), 1e-3);
      if (damping > 1e9) break;
    }
  }
  damping_ = damping;
  if (!at_q) energy_.evaluate(q.data());
}

// What is nearly reached is reached, by least motion; no priority gets worse for it.
void Follow::reach_near(VecX& q) {
  GoalSystem& system = energy_.system;
  const int levels = static_cast<int>(system.levels().size());
  for (int i = 0; i < kFinal && !system.reached(); ++i) {
    const double before = energy_.level_square(levels - 1);
    if (before > kNear * kNear) return;
    for (int k = 0; k < levels; ++k) level_square_[at(k)] = energy_.level_square(k);
    step_.clear();
    step_.reach(energy_);
    if (step_.largest() > kNear) return;
    box_.apply(system, q.data(), step_.x().data(), trial_.data());
    energy_.evaluate(trial_.data());
    bool good = energy_.level_square(levels - 1) < 0.9 * before || system.reached();
    for (int k = 0; k + 1 < levels; ++k)
      good = good && (energy_.level_square(k) <= level_square_[at(k)] + kExact * kExact);
    if (!good) {
      energy_.evaluate(q.data());
      return;
    }
    q.swap(trial_);
  }
}

// The pose of a tick: a second descent, with the minimum that the first one comes to rest in as home, and the last
// priority as exact as the others. It goes on from the last pose, inside the tick's box, and the first one from where
// it ended itself, so that neither pushes the other to and fro. Far from its goals the pose is that minimum.
void Follow::close_behind(VecX& q) {
  GoalSystem& system = energy_.system;
  soft_ = q;
  if (system.levels().empty()) return;  // nothing to close: preferences alone
  const double off = std::sqrt(energy_.level_square(static_cast<int>(system.levels().size()) - 1)) / kNear;
  energy_.set_home(soft_, metric_);
  energy_.softness = FollowEnergy::kWidth;
  energy_.last_force = std::max(1e-9, std::clamp(2.0 - off, 0.0, 1.0));
  energy_.avoid_limits = 0.0;
  box_.set(system, from_, reach_);
  q = from_;
  energy_.evaluate(q.data());
  const bool stuck = stuck_;
  stuck_ = false;
  std::swap(step_, closing_);
  std::swap(damping_, closing_damping_);
  descend(q);
  std::swap(step_, closing_);
  std::swap(damping_, closing_damping_);
  stuck_ = stuck;
  energy_.softness = settings.softness;
  energy_.last_force = 1.0;
  energy_.avoid_limits = FollowEnergy::kAvoidLimits;
  energy_.evaluate(q.data());
}

bool Follow::slide(const Problem& problem, const VecX& home, VecX& q) {
  trace_ = nullptr;
  if (!accept(problem, q).ok()) return false;
  start_ = home_ = drawn_ = home;
  has_inward_ = comparable_ = stuck_ = begun_ = false;
  damping_ = 0.0;
  iterations_ = 0;
  step_.begin();
  const int size = problem.model.v_size();
  metric_.resize(size);
  for (int v = 0; v < size; ++v) {
    const double weight = compiled_.joint_weight(v);
    metric_[v] = kSlide / (unit_[v] * unit_[v] * (weight > 0.0 ? weight : 1.0));
  }
  energy_.set_home(drawn_, metric_);
  energy_.avoid_limits = 0.0;  // nearest is nearest
  reach_.setConstant(size, HUGE_VAL);
  bound_ = kMaxTurn;
  for (int i = 0; i < kSlides; ++i) {
    from_ = q;
    box_.set(energy_.system, from_, reach_);
    energy_.evaluate(q.data());
    descend(q);
    reach_near(q);
    if ((q - from_).cwiseAbs().maxCoeff() < kShort) break;
  }
  energy_.avoid_limits = FollowEnergy::kAvoidLimits;
  last_.setConstant(std::nan(""));
  return energy_.system.reached();
}

}  // namespace armature::inline v0_2
