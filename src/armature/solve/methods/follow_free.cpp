#include "armature/solve/methods/follow_free.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/linalg.hpp"
#include "armature/solve/one_sided.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kMostRows = 16;
constexpr int kSteps = 6;         // a frame, at most
constexpr int kFinal = 3;         // steps to goals that are near
constexpr int kHalvings = 5;      // of a step that would touch
constexpr int kPasses = 4;        // over the box's bounds
constexpr double kKept = 2e-3;    // of the model's size
constexpr double kSeen = 0.08;    // of the model's size: how near is near
constexpr double kPushed = 0.05;  // of the model's size: how far a step pushes out at most
constexpr double kShort = 1e-4;   // radians: a step this short ends the frame
constexpr double kFlat = 1e-5;    // of the energy: a step that gains less ends it, too
constexpr double kLoose = 1e-3;   // stiffness of the body in steps that only reach, of its own

double whole_energy(FollowEnergy& energy) { return energy.goals_energy() + energy.home_energy(); }
double last_square(FollowEnergy& energy) {
  return energy.level_square(static_cast<int>(energy.system.levels().size()) - 1);
}

}  // namespace

void FollowFree::prepare(const CompiledProblem& compiled, const FollowEnergy& energy) {
  on_ = free_.prepare(compiled);
  if (!on_) return;
  const double size = compiled.model().size();
  kept_ = kKept * size;
  seen_ = kSeen * size;
  const std::size_t n = at(energy.columns());
  gap_.reserve(kMostRows);
  left_.resize(kMostRows);
  force_.resize(kMostRows);
  G_.resize(kMostRows * n);
  y_.resize(kMostRows * n);
  S_.resize(at(kMostRows * kMostRows));
  for (std::vector<double>* each : {&H_, &A_}) each->resize(n * n);
  for (std::vector<double>* each : {&g_, &x_, &scaled_}) each->resize(n);
  squares_.resize(energy.system.levels().size());
  fixed_.resize(n);
  columns_.reserve(n);
  slope_.resize(compiled.model().v_size());
  trial_.resize(compiled.model().q_size());
  before_.resize(compiled.model().q_size());
  from_.resize(compiled.model().q_size());
}

bool FollowFree::allows(const VecX& from, const VecX& q) {
  if (!free_.is_free(q.data())) return false;
  return from == q || !free_.is_free(from.data()) || free_.prove_free(from, q);
}

double FollowFree::largest() const {
  double most = 0.0;
  for (const double x : x_) most = std::max(most, std::abs(x));
  return most;
}

// The distances that a step of this length could use up, nearest first.
void FollowFree::find_rows(const FollowEnergy& energy, const double* q, double longest) {
  gap_.clear();
  const std::size_t n = at(energy.columns());
  const double size = seen_ / kSeen;
  for (const NearPair& pair : free_.near(q, free_.margin() + kept_ + std::min(seen_, longest * size))) {
    if (gap_.size() == kMostRows) break;
    double* row = G_.data() + gap_.size() * n;
    free_.slope(pair, slope_);
    double most = 0.0;
    for (std::size_t c = 0; c < n; ++c) {
      const GoalSystem::Column& column = energy.system.column_list()[c];
      row[c] = column.unit * slope_[column.velocity];
      most += std::abs(row[c]);
    }
    const double gap = pair.nearest.distance - free_.margin_of(pair) - kept_;
    if (most * longest <= gap || most == 0.0) continue;
    gap_.push_back(std::max(gap, -kPushed * size));
  }
}

// Forces of the rows, none of which pulls, that keep G x >= -gap; x_ of the free columns becomes the step with them. A_
// is factored.
void FollowFree::press(int count) {
  const std::size_t n = at(count), m = gap_.size(), all = x_.size();
  for (std::size_t i = 0; i < m; ++i) {
    double* y = y_.data() + i * all;
    for (std::size_t k = 0; k < n; ++k) y[k] = G_[i * all + at(columns_[k])];
    ldlt_solve_again(A_.data(), y, count);
    for (std::size_t j = 0; j < m; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n; ++k) sum += G_[j * all + at(columns_[k])] * y[k];
      S_[j * m + i] = sum;
    }
    left_[i] = gap_[i];
    for (std::size_t c = 0; c < all; ++c) left_[i] += G_[i * all + c] * x_[c];
  }
  one_sided_forces(S_.data(), left_.data(), static_cast<int>(m), 1e-3 * kept_, force_.data());
  for (std::size_t i = 0; i < m; ++i) {
    if (force_[i] <= 0.0) continue;
    for (std::size_t k = 0; k < n; ++k) x_[at(columns_[k])] += force_[i] * y_[i * all + k];
  }
}

// The step from q, where the energy was evaluated. `home`: how much of the pull home and of the body's stiffness
// counts.
bool FollowFree::step(FollowEnergy& energy, const FollowBox& box, const double* q, double home, double longest) {
  energy.differentiate(q);
  find_rows(energy, q, longest);
  const DualSystem& dual = energy.system.dual;
  const std::size_t n = x_.size();
  double stiffest = 0.0;
  for (std::size_t c = 0; c < n; ++c) {
    const double* J = dual.column(static_cast<int>(c));
    double pull = 0.0;
    for (int r = 0; r < dual.rows(); ++r) pull += J[r] * energy.row_stiffness[at(r)] * energy.system.error[at(r)];
    g_[c] = (home < 1.0 ? 0.0 : energy.metric[c] * energy.offset[c]) - pull;
    for (std::size_t d = c; d < n; ++d) {
      const double* K = dual.column(static_cast<int>(d));
      double sum = 0.0;
      for (int r = 0; r < dual.rows(); ++r) sum += J[r] * energy.row_stiffness[at(r)] * K[r];
      H_[c * n + d] = H_[d * n + c] = sum;
    }
    H_[c * n + c] += home * (energy.pull * energy.metric[c] + energy.margin[c]);
    stiffest = std::max(stiffest, H_[c * n + c]);
  }
  for (std::size_t c = 0; c < n; ++c) {
    H_[c * n + c] += 1e-13 * stiffest;
    fixed_[c] = box.movable(static_cast<int>(c)) ? 0 : 1;
    x_[c] = 0.0;
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    columns_.clear();
    for (std::size_t c = 0; c < n; ++c) {
      if (fixed_[c] == 0) columns_.push_back(static_cast<int>(c));
    }
    const int count = static_cast<int>(columns_.size());
    if (count == 0) return false;
    for (std::size_t a = 0; a < columns_.size(); ++a) {
      for (std::size_t b = a; b < columns_.size(); ++b) {
        A_[a * columns_.size() + b] = H_[at(columns_[a]) * n + at(columns_[b])];
      }
      double right = -g_[at(columns_[a])];
      for (std::size_t c = 0; c < n; ++c) right -= fixed_[c] != 0 ? H_[at(columns_[a]) * n + c] * x_[c] : 0.0;
      scaled_[a] = right;
    }
    if (!(ldlt_factor(A_.data(), count) > 0.0)) return false;
    ldlt_solve_again(A_.data(), scaled_.data(), count);
    for (std::size_t a = 0; a < columns_.size(); ++a) x_[at(columns_[a])] = scaled_[a];
    press(count);
    bool crossed = false;
    for (const int c : columns_) {
      const GoalSystem::Column& column = energy.system.column_list()[at(c)];
      if (column.ball >= 0) continue;
      const double value = q[column.coordinate];
      const double next = value + column.unit * x_[at(c)];
      if (next >= box.lower(c) && next <= box.upper(c)) continue;
      x_[at(c)] = ((next < box.lower(c) ? box.lower(c) : box.upper(c)) - value) / column.unit;
      fixed_[at(c)] = 1;
      crossed = true;
    }
    if (!crossed) break;
  }
  const double most = largest();
  if (!std::isfinite(most)) return false;
  if (most > longest) {
    for (double& x : x_) x *= longest / most;
  }
  return most > 0.0;
}

// As much of the step as is free all the way from where the frame began and makes `value` less than it was; from a pose
// that touches, as much as leads out. q stays where there is none.
bool FollowFree::advance(FollowEnergy& energy, const FollowBox& box, bool touches, double before,
                         double (*value)(FollowEnergy&), const VecX& from, VecX& q) {
  const double near = touches ? free_.clearance(q.data()) : 0.0;
  double share = 1.0;
  for (int k = 0; k < kHalvings; ++k, share *= 0.5) {
    for (std::size_t c = 0; c < x_.size(); ++c) scaled_[c] = share * x_[c];
    trial_ = q;
    box.apply(energy.system, q.data(), scaled_.data(), trial_.data());
    energy.evaluate(trial_.data());
    const bool better =
        touches ? free_.clearance(trial_.data()) > near : value(energy) < before && allows(from, trial_);
    if (!better) continue;
    q.swap(trial_);
    return true;
  }
  energy.evaluate(q.data());
  return false;
}

void FollowFree::descend(FollowEnergy& energy, const FollowBox& box, double longest, VecX& q, int& iterations) {
  from_ = q;
  energy.evaluate(q.data());
  for (int i = 0; i < kSteps; ++i) {
    ++iterations;
    const double before = whole_energy(energy);
    const bool touches = !free_.is_free(q.data());
    if (!step(energy, box, q.data(), 1.0, longest) || largest() < kShort) break;
    if (!advance(energy, box, touches, before - 1e-14 * std::abs(before), whole_energy, from_, q)) break;
    if (!touches && before - whole_energy(energy) < kFlat * before) break;
  }
  // What is nearly reached is reached; no priority above gets worse for it.
  const int last = static_cast<int>(energy.system.levels().size()) - 1;
  for (int i = 0; i < kFinal && !energy.system.reached() && free_.is_free(q.data()); ++i) {
    ++iterations;
    for (int k = 0; k <= last; ++k) squares_[at(k)] = energy.level_square(k);
    if (!step(energy, box, q.data(), kLoose, longest)) break;
    before_ = q;
    if (!advance(energy, box, false, 0.9 * squares_[at(last)], last_square, from_, q)) break;
    bool worse = false;
    for (int k = 0; k < last; ++k) worse = worse || energy.level_square(k) > squares_[at(k)] + 1e-13;
    if (!worse) continue;
    q = before_;
    energy.evaluate(q.data());
    break;
  }
}

}  // namespace armature::inline v0_2
