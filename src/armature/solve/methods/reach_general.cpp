#include "armature/solve/methods/reach_general.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

constexpr double kProgress = 0.7;       // energy must fall below this part of the best so far
constexpr int kPatience = 3;            // iterations without progress that are forgiven
constexpr int kDescent = 40;            // iterations of one descent
constexpr double kLocalStep = 0.2;      // radians, largest step of a local solve
constexpr double kContent = 2e-3;       // null-space motion below which preferences are content
constexpr double kClose = 1e-6;         // energy below which a descent leaves the preferences for later
constexpr double kLag = 0.02;           // part of the preferences' motion that even a full step leaves
constexpr double kChord = 0.25;         // of the tolerance: what a chord step must be expected to leave
constexpr double kWorthwhile = 0.01;    // preferences must improve by this part to be worth another round
constexpr int kPleasing = 12;           // iterations for preferences, once the goals are reached
constexpr int kMostRefusedPoses = 100;  // answers that touch something, before the goals count as blocked
constexpr int kNoBetter = 4;            // answers in a row that do not improve a quality end the search

}  // namespace

ReachGeneral::Merit ReachGeneral::merit() const {
  Merit m;
  m.reached_levels = 0;
  m.energy = 0.0;
  for (const GoalSystem::Level& level : system_.levels()) {
    if (!level.reached) {
      m.energy = level.energy;
      break;
    }
    ++m.reached_levels;
  }
  return m;
}

bool ReachGeneral::out_of_budget() {
  if (iterations_ >= budget_) return true;
  if (deadline_ > 0.0 && now() > deadline_) out_of_time_ = true;
  return out_of_time_;
}

void ReachGeneral::remember(const double* q, const Merit& merit) {
  int place = pool_size_;
  while (place > 0 && merit.better_than(pool_[place - 1].merit, 1.0)) --place;
  // Near twins of what is there already teach nothing.
  for (int i = 0; i < pool_size_; ++i) {
    const Merit& other = pool_[i].merit;
    if (other.reached_levels == merit.reached_levels && std::abs(other.energy - merit.energy) <= 1e-9 * merit.energy) {
      return;
    }
  }
  if (place >= kPool) return;
  if (pool_size_ < kPool) ++pool_size_;
  for (int i = pool_size_ - 1; i > place; --i) {
    pool_[i].q.swap(pool_[i - 1].q);
    pool_[i].merit = pool_[i - 1].merit;
  }
  pool_[place].q = Eigen::Map<const VecX>(q, problem_->model().q_size());
  pool_[place].merit = merit;
}

ReachGeneral::End ReachGeneral::descend(double* q, bool resolve) {
  const int size = problem_->model().q_size();
  const bool local = options_->local;
  const bool wrap = !local && options_->quality != Quality::nearest;
  const int patience = kPatience + 3 * static_cast<int>(system_.levels().size() - 1) + (local ? 10 : 0);
  ReachStep::Settings settings;
  settings.resolve = resolve;
  settings.step_size = options_->step_size;
  settings.max_step = options_->max_step > 0.0 ? options_->max_step : local ? kLocalStep : 0.0;
  settings.pull = step_.has_preference() ? 1.0 : 0.0;
  step_.reset();
  const double tolerance = std::min(problem_->tolerance() / system_.length, problem_->orientation_tolerance());
  double last_error = HUGE_VAL;  // before the last full step
  bool chord = true;             // whether the last step was one: never two in a row
  double left_to_please = 0.0;   // null-space motion that the last pulled step is expected to leave
  Merit best;
  Merit own_best;  // of the pose kept in trial_
  int since = 0;
  for (int count = 1;; ++count) {
    system_.evaluate(q);
    ++iterations_;
    record(q);
    if (!std::isfinite(system_.energy())) return End::not_finite;
    if (system_.reached()) {
      if (step_.has_preference() && left_to_please > kContent) please(q, settings);
      return End::converged;
    }
    const Merit merit = this->merit();
    if (merit.better_than(own_best, 1.0)) {
      own_best = merit;
      std::copy(q, q + size, trial_.data());
    }
    bool stalled = false;
    if (merit.better_than(best, kProgress)) {
      best = merit;
      since = 0;
    } else {
      stalled = ++since > patience;
    }
    const bool over = out_of_budget();
    if (stalled || over || count > (local ? 10 * kDescent : kDescent)) {
      std::copy(trial_.data(), trial_.data() + size, q);
      remember(q, own_best);
      return over ? End::out_of_budget : End::stalled;
    }
    // Close to the goals, or where the preferences are in their way, the goals come first; please() comes after.
    if (since > 0 || system_.energy() < kClose) settings.pull = 0.0;
    // Full steps converge quadratically, e -> c e^2, chord steps by about 2 c e_before: where that is enough, no new
    // slopes are needed.
    const double error = std::sqrt(2.0 * system_.energy());
    if (!chord && since == 0 && 2.0 * error * error < kChord * tolerance * last_error) {
      chord = true;
      if (!step_.repeat(system_)) return End::not_finite;
      take(q, wrap);
      continue;
    }
    chord = system_.levels().size() > 1 || settings.max_step > 0.0 || settings.step_size != 1.0;  // not from these
    last_error = error;
    if (!move(q, settings, wrap)) return End::not_finite;
    if (settings.pull > 0.0 && step_.has_preference()) {
      left_to_please = step_.largest() * (kLag + step_.largest());
      if (left_to_please > kContent) left_to_please = step_.null_motion(system_) * (kLag + step_.largest());
    }
  }
}

bool ReachGeneral::move(double* q, const ReachStep::Settings& settings, bool wrap) {
  if (!step_.compute(system_, q, settings)) return false;
  take(q, wrap);
  return true;
}

void ReachGeneral::take(double* q, bool wrap) {
  if (trace_ != nullptr) {
    TraceStep& entry = trace_->steps.back();
    entry.damping = system_.length * std::sqrt(step_.damping());
    for (int c = 0; c < system_.columns(); ++c) {
      const GoalSystem::Column& column = system_.column_list()[at(c)];
      entry.step[column.velocity] = column.unit * step_.step()[at(c)];
    }
  }
  step_.apply(system_, q, wrap);
}

// With every goal reached at q: moves in their null space towards the preferences, back onto the goals, and keeps what
// improved. The system is evaluated at the result.
void ReachGeneral::please(double* q, ReachStep::Settings settings) {
  const int size = problem_->model().q_size();
  double cost = step_.preference_cost(system_, q);
  double pull = 1.0;
  reached_ = Eigen::Map<const VecX>(q, size);
  for (int i = 0; i < kPleasing && pull > 0.03 && !out_of_budget(); ++i) {
    settings.pull = pull;
    bool good = move(q, settings, false);
    const double motion = step_.null_motion(system_);
    settings.pull = 0.0;
    for (int k = 0; good && k < 4; ++k) {
      const double before = k == 0 ? HUGE_VAL : system_.energy();
      system_.evaluate(q);
      ++iterations_;
      record(q);
      good = system_.energy() < before;
      if (system_.reached() || !good) break;
      if (k < 2 && system_.levels().size() == 1) {  // back by chord steps: the way is short
        good = step_.repeat(system_);
        if (good) take(q, false);
      } else {
        good = move(q, settings, false);
      }
    }
    const double now_cost = good && system_.reached() ? step_.preference_cost(system_, q) : HUGE_VAL;
    if (now_cost < cost) {
      const bool content = now_cost > (1.0 - kWorthwhile) * cost || motion < kContent;
      cost = now_cost;
      std::copy(q, q + size, reached_.data());
      if (content) return;
      pull = std::min(1.0, 2.0 * pull);
    } else {
      std::copy(reached_.data(), reached_.data() + size, q);
      system_.evaluate(q);
      pull *= 0.25;
    }
  }
}

// Where the next descent starts: near the best pose so far, or anywhere.
void ReachGeneral::restart(int attempt, double* q) {
  const Model& model = problem_->model();
  const bool near = attempt % 2 == 1;
  const VecX& from = near && pool_size_ > 0 ? pool_[0].q : seed_;
  std::copy(from.data(), from.data() + from.size(), q);
  const double spread = near ? 0.25 + 0.25 * (attempt % 3) : 1.0;
  for (int c = 0; c < system_.columns(); ++c) {
    const GoalSystem::Column& column = system_.column_list()[at(c)];
    if (!step_.movable(c)) continue;
    if (column.ball < 0) {
      double low = step_.lower(c);
      double high = step_.upper(c);
      double& value = q[column.coordinate];
      const bool angle = model.coordinate_kinds()[at(column.coordinate)] != Coordinate::length;
      const double span = angle ? kPi : model.size();
      if (!std::isfinite(low) || low < value - span) low = std::max(low, value - span);
      if (!std::isfinite(high) || high > value + span) high = std::min(high, value + span);
      const double target = rng_.uniform(low, high);
      value += spread * (target - value);
    } else if (column.ball == 0) {
      double* r = q + column.coordinate;
      const bool carries = model.joint(column.joint).v_count == 6;  // a free root: do not tumble the whole figure
      const double angle = spread * (carries ? 0.5 : 2.0);
      const Vec3 w{rng_.uniform(-angle, angle), rng_.uniform(-angle, angle), rng_.uniform(-angle, angle)};
      Quat turned = (joint_detail::quaternion(r) * exp_rotation(w)).normalized();
      if (const auto& cone = model.joint(column.joint).cone) clamp_to_cone(*cone, turned);
      for (int i = 0; i < 4; ++i) r[i] = turned.coeffs()[i];
    }
  }
}

// What a quality minimises.
double ReachGeneral::worth(const double* q) {
  switch (options_->quality) {
    case Quality::first:
      return 0.0;
    case Quality::nearest:
    case Quality::centered:
      return step_.preference_cost(system_, q);
    case Quality::clear:
      return free_ != nullptr ? -free_->clearance(q) : 0.0;
    case Quality::manipulable: {
      system_.differentiate();
      for (int c = 0; c < system_.columns(); ++c) hold_[at(c)] = step_.movable(c) ? 1.0 : 0.0;
      return system_.dual.factor(hold_.data(), tiny_.data()) ? -system_.dual.determinant() : 0.0;
    }
  }
  return 0.0;
}

// Unlimited or wide joints by whole turns to the side of the seed: the same pose, less to move.
bool ReachGeneral::turn_towards_seed(double* q) const {
  bool turned_any = false;
  for (int c = 0; c < system_.columns(); ++c) {
    const GoalSystem::Column& column = system_.column_list()[at(c)];
    if (!column.turns || problem_->has_wanted_value(column.velocity)) continue;
    double& value = q[column.coordinate];
    const double turned = value + 2.0 * kPi * std::round((seed_[column.coordinate] - value) / (2.0 * kPi));
    if (turned == value || turned < step_.lower(c) || turned > step_.upper(c)) continue;
    value = turned;
    turned_any = true;
  }
  return turned_any;
}

void ReachGeneral::search(VecX& q) {
  bool found = false;
  double best_worth = HUGE_VAL;
  int answers = 0;
  int no_better = 0;
  End end = End::stalled;
  q_ = q;
  const bool several = options_->quality != Quality::first && !options_->local;
  // Lower levels that cannot be met are no reason to search for long: priorities exist to let them go.
  const auto enough = [&](int attempt) { return pool_size_ > 0 && pool_[0].merit.reached_levels > 0 && attempt >= 8; };
  for (int attempt = 0;; ++attempt) {
    if (attempt > 0) {
      ++restarts_;
      restart(attempt, q_.data());
    }
    end = descend(q_.data(), attempt % 2 == 1);
    if (end == End::converged && turn_towards_seed(q_.data())) {  // the same pose but for rounding of many turns
      system_.evaluate(q_.data());
      if (!system_.reached()) end = descend(q_.data(), false);
    }
    if (end == End::converged && free_ != nullptr && !free_->is_free(q_.data())) {
      if (refused_++ == 0 && !found) best_answer_ = q_;  // shown if none is free
      end = End::stalled;
      if (refused_ >= kMostRefusedPoses) break;
    }
    if (end == End::converged) {
      ++answers;
      const double worth = several ? this->worth(q_.data()) : 0.0;
      if (!found || worth < best_worth) {
        no_better = found && worth > best_worth - 0.02 * std::abs(best_worth) ? no_better + 1 : 0;
        best_worth = worth;
        best_answer_ = q_;
        found = true;
      } else {
        ++no_better;
      }
      if (!several || answers >= options_->candidates || no_better >= kNoBetter) break;
    }
    if (options_->local || out_of_budget() || enough(attempt)) break;
    if (found && attempt >= 4 * options_->candidates) break;
  }
  if (found) q = best_answer_;
  end_ = found ? End::converged : end;
  if (!found && refused_ > 0) {
    q = best_answer_;
    end_ = End::blocked;
  }
}

void ReachGeneral::begin(CompiledProblem& problem, const ReachSettings& options, VecX& q, Trace* trace) {
  const Model& model = problem.model();
  problem_ = &problem;
  options_ = &options;
  trace_ = trace;
  rng_ = Rng(static_cast<std::uint64_t>(options.seed));
  iterations_ = 0;
  out_of_time_ = false;
  deadline_ = options.max_time > 0.0 ? now() + options.max_time : 0.0;
  clamp_start(model, problem.lower(), problem.upper(), q.data());
  system_.prepare(problem);
  seed_ = q;
  step_.prepare(options, system_, seed_);
  hold_.assign(static_cast<std::size_t>(std::max(system_.dual.stride(), system_.columns())), 0.0);
  tiny_.assign(static_cast<std::size_t>(system_.dual.stride()), 1e-12);
  held_energy_.assign(system_.levels().size(), 0.0);
  for (VecX& each : known_) each.resize(model.q_size());
  for (Candidate& each : pool_) each.q.resize(model.q_size());
  pool_size_ = 0;
  restarts_ = 0;
  refused_ = 0;
  end_ = End::stalled;
}

void ReachGeneral::improve(CompiledProblem& problem, const ReachSettings& options, VecX& q, Report& report) {
  begin(problem, options, q, nullptr);
  trial_ = q;
  budget_ = options.max_iterations;
  approach(q.data(), kThorough);
  system_.evaluate(q.data());
  report.outcome = system_.reached() ? Outcome::converged : out_of_time_ ? Outcome::time_limit : Outcome::stalled;
  report.iterations = iterations_;
  finish(q, report);
}

void ReachGeneral::solve(CompiledProblem& problem, const ReachSettings& options, VecX& q, Report& report,
                         Trace* trace) {
  const Model& model = problem.model();
  begin(problem, options, q, trace);
  if (step_.settle_others(system_, q.data())) clamp(model, problem.lower(), problem.upper(), q.data());
  seed_ = q;
  trial_ = q;
  best_answer_ = q;

  const std::optional<Proof> proof = prove_unreachable(problem, q.data());
  budget_ = std::min(options.max_iterations, options.patience);
  if (!proof) search(q);
  report.outcome = Outcome::converged;
  const bool stands = end_ == End::converged && options.quality == Quality::first;  // evaluated at q already
  report.times_reached = refused_;
  if (end_ == End::blocked) {
    report.outcome = Outcome::blocked;
  } else if (end_ != End::converged) {
    budget_ = options.max_iterations;
    if (end_ == End::not_finite) {
      q = seed_;
    } else {
      if (pool_size_ > 0) q = pool_[0].q;
      if (!out_of_budget()) find_nearest(q);
    }
    system_.evaluate(q.data());
    report.outcome = system_.reached()         ? Outcome::converged
                     : proof                   ? Outcome::unreachable
                     : end_ == End::not_finite ? Outcome::not_finite
                     : out_of_time_            ? Outcome::time_limit
                     : iterations_ >= options.max_iterations && options.max_iterations <= options.patience
                         ? Outcome::iteration_limit
                         : Outcome::stalled;
  }
  report.proof = proof;
  report.iterations = std::max(0, iterations_ - 1);
  report.restarts = restarts_;
  if (!stands) system_.evaluate(q.data());
  finish(q, report);
}

}  // namespace armature::inline v0_2
