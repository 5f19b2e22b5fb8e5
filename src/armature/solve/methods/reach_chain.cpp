// Over 400 lines: one search, whose parts share its pool of poses and what each attempt has left of the time.
#include "armature/solve/methods/reach_chain.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "armature/base/math.hpp"

namespace armature::inline v0_2 {
namespace {

using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Clock = std::chrono::steady_clock;

constexpr int kDescentIterations = 30;  // evaluations
constexpr int kSketchIterations = 15;   // of an approach that is only compared with others
constexpr int kPolishIterations = 200;
constexpr int kNearestStarts = 32;
constexpr int kPolished = 3;
constexpr int kMostRefused = 400;  // answers that touch something, before the goal counts as blocked

}  // namespace

/// What one solve carries along.
struct ReachChain::Run {
  const ChainSearch* options;
  int left;               // iterations
  Clock::time_point end;  // when max_time is given
  bool timed = false;
  bool out_of_time = false;
  bool found = false;
  int attempts = 0;
  int iterations = 0;
  bool stalled = false;  // some descent ended for want of progress
  int refused = 0;       // answers that touched something
  double clearest = 0.0;
  DescentResult last;
  alignas(64) double q[kMaxChainJoints];     // pose being worked on, internal units
  alignas(64) double seed[kMaxChainJoints];  // the caller's, inside the range
  alignas(64) double best[kMaxChainJoints];  // best answer so far

  bool time_is_up() {
    if (timed && !out_of_time) out_of_time = Clock::now() >= end;
    return out_of_time;
  }
};

void ReachChain::remember(const double* internal, double energy) {
  if (!(energy < 1e300)) return;
  int at = pool_size_;
  for (int k = 0; k < pool_size_; ++k) {
    if (std::abs(pool_[k].energy - energy) > 1e-3 * energy) continue;  // another minimum
    if (pool_[k].energy <= energy) return;
    at = k;
  }
  if (at == kPool) {
    at = 0;
    for (int k = 1; k < kPool; ++k) at = pool_[k].energy > pool_[at].energy ? k : at;
    if (pool_[at].energy <= energy) return;
  } else if (at == pool_size_) {
    ++pool_size_;
  }
  std::copy(internal, internal + kMaxChainJoints, pool_[at].q);
  pool_[at].energy = energy;
}

// The pool must not be empty.
ReachChain::Pose* ReachChain::best_of_pool() {
  Pose* best = pool_;
  for (int k = 1; k < pool_size_; ++k) best = pool_[k].energy < best->energy ? pool_ + k : best;
  return best;
}

DescentResult ReachChain::descend(Run& run, double* internal) {
  settings_.max_iterations = std::min(kDescentIterations, run.left + 1);
  settings_.resolve = (run.attempts & 1) != 0;
  if (recorder_ != nullptr) {
    settings_.trail = trail_.front().q;
    settings_.trail_size = kDescentIterations;
  }
  const DescentResult result = kernel_->descend(chain_, range_, goal_, settings_, internal);
  settings_.trail = nullptr;
  if (recorder_ != nullptr) {
    for (int k = 0; k + 1 < result.iterations; ++k) {
      VecX pose(chain_.joints);
      for (int i = 0; i < chain_.joints; ++i) pose[i] = trail_[static_cast<std::size_t>(k)].q[i] * chain_.unit[i];
      recorder_->push_back(std::move(pose));
    }
  }
  ++run.attempts;
  run.iterations += result.iterations - 1;
  run.left -= std::max(1, result.iterations - 1);
  run.stalled |= !result.converged && result.iterations < settings_.max_iterations;
  run.last = result;
  return result;
}

double ReachChain::worth(Quality quality, const double* internal) const {
  if (quality == Quality::clear) {
    double q[kMaxChainJoints];
    to_joints(internal, q);
    return filter_ != nullptr ? filter_->clearance(q) : 0.0;
  }
  if (quality == Quality::centered) {
    double sum = 0.0;
    for (int i = 0; i < chain_.joints; ++i) {
      if (!(range_.upper[i] - range_.lower[i] > 0.0) || range_.upper[i] - range_.lower[i] > 1e300) continue;
      const double off = (internal[i] - range_.middle[i]) / range_.span[i];
      sum -= off * off;
    }
    return sum;
  }
  // Yoshikawa's measure: the product of the Jacobian's singular values, by Cholesky of J J^T.
  double q[kMaxChainJoints], j[6 * kMaxChainJoints], rotation[9], translation[3], a[6][6];
  for (int i = 0; i < chain_.joints; ++i) q[i] = internal[i] * chain_.unit[i];
  chain_forward(chain_.isa)(chain_, q, rotation, translation, j);
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c <= r; ++c) {
      a[r][c] = 0.0;
      for (int i = 0; i < chain_.joints; ++i) a[r][c] += j[6 * i + r] * j[6 * i + c];
      if (r < 3) a[r][c] /= chain_.length;
      if (c < 3) a[r][c] /= chain_.length;
    }
  }
  double product = 1.0;
  for (int c = 0; c < 6; ++c) {
    for (int k = 0; k < c; ++k) a[c][c] -= a[c][k] * a[c][k];
    if (!(a[c][c] > 0.0)) return 0.0;
    a[c][c] = std::sqrt(a[c][c]);
    product *= a[c][c];
    for (int r = c + 1; r < 6; ++r) {
      for (int k = 0; k < c; ++k) a[r][c] -= a[r][k] * a[c][k];
      a[r][c] /= a[c][c];
    }
  }
  return product;
}

void ReachChain::search(const ChainQuestion& question, const ChainSearch& options, Run& run) {
  bool scanned = false, first = true;
  const auto scan = [&] {
    if (scanned || table_.count == 0) return;
    if (question.orientation) {
      const Quat g(Mat3(Eigen::Map<const RowMajor>(goal_.rotation)));
      std::copy(g.coeffs().data(), g.coeffs().data() + 4, goal_.quaternion);
    } else {
      std::fill(goal_.quaternion, goal_.quaternion + 4, 0.0);
    }
    if (!table_filled_) fill_table();
    kernel_->nearest_starts(table_, range_, goal_, 2, near_);
    scanned = true;
  };
  const auto take = [&] {
    if (!scanned) return false;
    const int index = first ? near_.first : near_.take();
    first = false;
    if (index >= 0) kernel_->take_start(table_, range_, goal_, index, run.q);
    return index >= 0;
  };
  std::copy(run.seed, run.seed + kMaxChainJoints, run.q);
  if (options.quality == Quality::first) {
    const double energy = kernel_->evaluate(chain_, goal_, run.q, nullptr).energy();
    if (energy > kNearSeedEnergy) {
      scan();
      const double offset = question.orientation ? 0.0 : 4.0;  // the part of the distance that has no meaning
      if (scanned && 0.5 * (near_.distance - offset) < energy) take();
    }
  }
  Rng rng(0);
  bool seeded = false;
  double best_worth = -1e300;
  int answers = 0, idle = 0;
  for (;;) {
    const DescentResult result = descend(run, run.q);
    bool answer = result.converged;
    if (answer && filter_ != nullptr && !free(run.q)) {
      keep_refused(run);
      if (run.refused >= kMostRefused) return;
      answer = chain_.joints > 6 && !options.only_seed && walk(run, run.q);
    }
    if (answer) {
      const bool choosing = options.quality == Quality::manipulable || options.quality == Quality::centered ||
                            options.quality == Quality::clear;
      const double w = choosing ? worth(options.quality, run.q) : 0.0;
      if (!run.found || w > best_worth) {
        std::copy(run.q, run.q + kMaxChainJoints, run.best);
        best_worth = w;
        idle = 0;
      } else {
        ++idle;
      }
      run.found = true;
      if (!choosing || ++answers >= options.candidates || idle >= 4) return;
    } else if (!result.converged) {
      remember(run.q, result.energy());
    }
    if (run.left <= 0 || options.only_seed || run.time_is_up()) return;
    scan();
    if (!take()) {
      if (!seeded) rng = Rng(options.seed);
      seeded = true;
      draw(rng, run.q);
    }
  }
}

// The clearest of the refused answers is shown if none is free. They are compared only once there are several.
void ReachChain::keep_refused(Run& run) {
  constexpr int kCompared = 4;
  if (run.refused == 0) std::copy(run.q, run.q + kMaxChainJoints, run.best);
  if (++run.refused < kCompared) return;
  const double clear = worth(Quality::clear, run.q);
  if (run.refused > kCompared && clear <= run.clearest) return;
  run.clearest = clear;
  std::copy(run.q, run.q + kMaxChainJoints, run.best);
}

// A redundant chain's other poses at the same goal: short hops along the null vector of the Jacobian, each put back
// onto the goal by a descent, first one way and then the other, until one is free.
bool ReachChain::walk(Run& run, double* internal) {
  constexpr int kHops = 6;
  constexpr double kHop = 0.4;
  const int n = chain_.joints;
  alignas(64) double start[kMaxChainJoints];
  std::copy(internal, internal + kMaxChainJoints, start);
  for (const double way : {1.0, -1.0}) {
    std::copy(start, start + kMaxChainJoints, internal);
    double before[kMaxChainJoints] = {};
    for (int hop = 0; hop < kHops && run.left > 0; ++hop) {
      double q[kMaxChainJoints], J[6 * kMaxChainJoints], rotation[9], translation[3];
      for (int i = 0; i < n; ++i) q[i] = internal[i] * chain_.unit[i];
      chain_forward(chain_.isa)(chain_, q, rotation, translation, J);
      double A[6][kMaxChainJoints], v[kMaxChainJoints] = {};
      for (int r = 0; r < 6; ++r) {
        for (int i = 0; i < n; ++i) A[r][i] = J[6 * i + r] * chain_.unit[i] / (r < 3 ? chain_.length : 1.0);
      }
      int pivot[6];
      bool used[kMaxChainJoints] = {};
      bool regular = true;
      for (int r = 0; r < 6 && regular; ++r) {
        int best = -1;
        double most = 1e-9;
        for (int i = 0; i < n; ++i) {
          if (used[i] || std::abs(A[r][i]) <= most) continue;
          most = std::abs(A[r][i]);
          best = i;
        }
        regular = best >= 0;
        if (!regular) break;
        used[pivot[r] = best] = true;
        const double inverse = 1.0 / A[r][best];
        for (int i = 0; i < n; ++i) A[r][i] *= inverse;
        for (int k = 0; k < 6; ++k) {
          if (k == r) continue;
          const double f = A[k][best];
          for (int i = 0; i < n; ++i) A[k][i] -= f * A[r][i];
        }
      }
      if (!regular) break;
      int open = 0;
      while (used[open]) ++open;
      v[open] = 1.0;
      for (int r = 0; r < 6; ++r) v[pivot[r]] = -A[r][open];
      double largest = 0.0, along = 0.0;
      for (int i = 0; i < n; ++i) {
        largest = std::max(largest, std::abs(v[i]));
        along += v[i] * before[i];
      }
      const double sign = hop == 0 ? way : along >= 0.0 ? 1.0 : -1.0;
      double moved = 0.0;
      alignas(64) double next[kMaxChainJoints] = {};
      for (int i = 0; i < n; ++i) {
        before[i] = sign * v[i] / largest;
        next[i] = std::min(std::max(internal[i] + kHop * before[i], range_.lower[i]), range_.upper[i]);
      }
      settings_.max_iterations = 8;
      settings_.resolve = true;
      const DescentResult r = kernel_->descend(chain_, range_, goal_, settings_, next);
      run.iterations += r.iterations;
      run.left -= r.iterations;
      for (int i = 0; i < n; ++i) moved = std::max(moved, std::abs(next[i] - internal[i]));
      std::copy(next, next + kMaxChainJoints, internal);
      if (!r.converged || moved < 0.2 * kHop) break;
      run.last = r;
      if (free(internal)) return true;
      ++run.refused;
    }
  }
  return false;
}

void ReachChain::find_nearest(Run& run, bool from_scratch) {
  DescentSettings s = settings_;
  const auto approach = [&](const double* from, int iterations, double* q) {
    std::copy(from, from + kMaxChainJoints, q);
    s.max_iterations = iterations;
    const DescentResult r = kernel_->approach(chain_, range_, goal_, s, q);
    run.iterations += r.iterations - 1;
    return r;
  };
  alignas(64) double q[kMaxChainJoints] = {};
  if (from_scratch) {
    pool_size_ = 0;
    remember(run.seed, kernel_->evaluate(chain_, goal_, run.seed, nullptr).energy());
    Rng rng(run.options->seed);
    const int starts = run.options->only_seed ? 1 : kNearestStarts;
    for (int k = 0; k < starts && !run.time_is_up(); ++k) {
      alignas(64) double start[kMaxChainJoints] = {};
      if (k == 0) {
        std::copy(run.seed, run.seed + kMaxChainJoints, start);
      } else {
        draw(rng, start);
      }
      remember(q, approach(start, kSketchIterations, q).energy());
    }
  } else {
    for (int k = 0; k < pool_size_ && !run.time_is_up(); ++k) {
      const DescentResult r = approach(pool_[k].q, kSketchIterations, q);
      if (r.energy() < pool_[k].energy) {
        std::copy(q, q + kMaxChainJoints, pool_[k].q);
        pool_[k].energy = r.energy();
      }
    }
  }
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < std::min(pool_size_, kPolished) && !(k > 0 && run.time_is_up()); ++k) {
    Pose* next = best_of_pool();
    const DescentResult r = approach(next->q, kPolishIterations, q);
    next->energy = std::numeric_limits<double>::infinity();  // done
    if (r.energy() < best || r.converged) {
      best = r.energy();
      std::copy(q, q + kMaxChainJoints, run.best);
      run.found = r.converged;
      run.last = r;
      if (r.converged) return;
    }
  }
}

ChainAnswer ReachChain::solve(const ChainQuestion& question, const ChainSearch& options, double* q) {
  ChainAnswer answer;
  Run run;
  run.options = &options;
  run.left = options.max_iterations;
  if (options.max_time > 0.0) {
    run.timed = true;
    run.end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.max_time));
  }
  pool_size_ = 0;
  enter(q, run.seed);
  std::copy(run.seed, run.seed + kMaxChainJoints, run.best);
  std::copy(run.seed, run.seed + kMaxChainJoints, run.q);
  if (!question.target.is_finite()) {
    leave(run.seed, run.seed, q);
    return answer;
  }
  set_goal(question);
  settings_.step_size = options.step_size;
  settings_.max_step = options.max_step;
  if (recorder_ != nullptr) trail_.resize(static_cast<std::size_t>(kDescentIterations));

  if (proved_unreachable(question, goal_, answer)) {
    answer.outcome = Outcome::unreachable;
    if (options.nearest_pose) {
      find_nearest(run, true);
    } else {
      std::copy(run.seed, run.seed + kMaxChainJoints, run.best);
    }
  } else {
    search(question, options, run);
    answer.refused = run.refused;
    if (run.found) {
      answer.outcome = Outcome::converged;
    } else if (run.refused > 0) {
      answer.outcome = run.out_of_time ? Outcome::time_limit : Outcome::blocked;
    } else {
      answer.outcome = run.out_of_time ? Outcome::time_limit
                       : run.stalled   ? Outcome::stalled
                                       : Outcome::iteration_limit;
      remember(run.seed, kernel_->evaluate(chain_, goal_, run.seed, nullptr).energy());
      if (options.nearest_pose && run.stalled) {
        find_nearest(run, false);
        if (run.found) answer.outcome = Outcome::converged;
        if (run.found && filter_ != nullptr && !free(run.best)) {
          answer.refused = run.refused = 1;
          answer.outcome = Outcome::blocked;
        }
      } else {
        const double* best = pool_size_ > 0 ? best_of_pool()->q : run.seed;
        std::copy(best, best + kMaxChainJoints, run.best);
      }
    }
  }
  DescentResult end = run.last;
  if (answer.outcome != Outcome::converged || options.quality == Quality::manipulable || run.refused > 0 ||
      options.quality == Quality::centered || options.quality == Quality::clear || answer.proof) {
    end = kernel_->evaluate(chain_, goal_, run.best, gradient_);
    gradient_floor_ = 1e-4 * std::sqrt(2.0 * end.energy());
  }
  answer.iterations = run.iterations;
  answer.restarts = std::max(0, run.attempts - 1);
  answer.position_error = std::sqrt(end.position) * chain_.length;
  const double w = std::sqrt(end.orientation);
  answer.orientation_error = goal_.partial ? w : 2.0 * math::asin(std::min(1.0, 0.5 * w));
  answer.resolved = resolved(run.best) && resolved(run.seed);  // turns of the seed are put on again
  leave(run.best, run.seed, q);
  return answer;
}

bool ReachChain::resolved(const double* internal) const {
  constexpr double kMostRadians = 100.0, kMostLengths = 1e6;  // double precision still gives ten digits there
  bool yes = true;
  for (int i = 0; i < chain_.joints; ++i) {
    yes = yes && std::abs(internal[i]) <= (chain_.prismatic[i] > 0.0 ? kMostLengths : kMostRadians);
  }
  return yes;
}

}  // namespace armature::inline v0_2
