// Over 400 lines: one least-squares problem over all frames; its rows, steps and sweeps share the same poses.
#include "armature/motion/limb_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/band.hpp"
#include "armature/motion/frame_series.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kDamping = 3e-3;
constexpr double kLargestStep = 0.5;  // of a coordinate in one iteration
constexpr double kJumpWeight = 1.0;   // of squared jumps from frame to frame
constexpr double kUsualStep = 0.3;    // radians from frame to frame that are no jump

bool is_quaternion(const JointType& type) {
  return coordinate_count(type) > 0 && coordinates(type).back() == Coordinate::quaternion;
}

}  // namespace

LimbFit::LimbFit(const Model& model, int base, const std::vector<int>& ends, bool limits)
    : model_(model), limits_(limits) {
  for (const int end : ends) {
    for (int link = end; link > base && link >= 0; link = model.parent(link)) path_.push_back(link);
  }
  std::sort(path_.begin(), path_.end());
  path_.erase(std::unique(path_.begin(), path_.end()), path_.end());
  for (std::size_t k = 0; k < path_.size(); ++k) {
    const ModelJoint& joint = model.joint(path_[k]);
    q_start_.push_back(coordinates_);
    v_start_.push_back(velocities_);
    if (joint.mimic) continue;
    coordinates_ += joint.q_count;
    velocities_ += joint.v_count;
    for (int v = 0; v < joint.v_count; ++v) {
      owner_.push_back(static_cast<int>(k));
      const bool limited = limits && !is_quaternion(joint.type);
      lower_.push_back(limited ? model.lower()[joint.q_index + v] : -INFINITY);
      upper_.push_back(limited ? model.upper()[joint.q_index + v] : INFINITY);
    }
  }
  for (int k = 0; k < static_cast<int>(path_.size()); ++k) {
    const ModelJoint& joint = model.joint(path_[at(k)]);
    const int leads = slot(joint.source);
    if (leads < 0) continue;  // coupled to a joint elsewhere: as it was at the start
    for (int v = 0; v < joint.v_count; ++v) motions_.push_back({v_start_[at(leads)] + v, k});
  }
}

bool LimbFit::carries(const Motion& motion, int k) const {
  const int link = path_[at(motion.owner)];
  return path_[at(k)] >= link && path_[at(k)] < model_.subtree_end(link);
}

int LimbFit::slot(int link) const {
  const auto found = std::find(path_.begin(), path_.end(), link);
  return found == path_.end() ? -1 : static_cast<int>(found - path_.begin());
}

void LimbFit::narrow(int link, double lower, double upper) {
  const int k = slot(link);
  if (k < 0 || model_.joint(link).mimic || model_.joint(link).v_count != 1) return;
  double& low = lower_[at(v_start_[at(k)])];
  double& high = upper_[at(v_start_[at(k)])];
  if (std::max(low, lower) >= std::min(high, upper)) return;
  low = std::max(low, lower);
  high = std::min(high, upper);
}

void LimbFit::start(const double* values, int q_size, const std::vector<Transform>* hung, int frames) {
  frames_ = frames;
  hung_ = hung;
  q_.resize(at(frames) * at(coordinates_));
  cost_.assign(at(frames), 0.0);
  followed_.assign(at(frames) * path_.size(), 0.0);
  for (int f = 0; f < frames; ++f) {
    for (std::size_t k = 0; k < path_.size(); ++k) {
      const ModelJoint& joint = model_.joint(path_[k]);
      const double* from = values + at(f) * at(q_size) + joint.q_index;
      if (joint.mimic) followed_[at(f) * path_.size() + k] = *from;
      if (joint.mimic) continue;
      std::copy(from, from + joint.q_count,
                q_.begin() + static_cast<std::ptrdiff_t>(at(f) * at(coordinates_) + at(q_start_[k])));
    }
    const Small none = Small::Zero();
    move(f, none.data());  // inside limits
  }
}

void LimbFit::finish(double* values, int q_size) const {
  for (int f = 0; f < frames_; ++f) {
    for (std::size_t k = 0; k < path_.size(); ++k) {
      const ModelJoint& joint = model_.joint(path_[k]);
      if (joint.mimic) continue;
      const double* from = q_.data() + at(f) * at(coordinates_) + at(q_start_[k]);
      std::copy(from, from + joint.q_count, values + at(f) * at(q_size) + joint.q_index);
    }
  }
}

void LimbFit::move(int frame, const double* step) {
  for (std::size_t k = 0; k < path_.size(); ++k) {
    const ModelJoint& joint = model_.joint(path_[k]);
    if (joint.mimic || joint.q_count == 0) continue;
    double* q = q_.data() + at(frame) * at(coordinates_) + at(q_start_[k]);
    integrate_coordinates(joint.type, q, step + v_start_[k], q);
    if (!is_quaternion(joint.type)) {
      for (int v = 0; v < joint.v_count; ++v) {
        q[v] = std::clamp(q[v], lower_[at(v_start_[k] + v)], upper_[at(v_start_[k] + v)]);
      }
    } else if (limits_ && joint.cone) {
      double* r = q + joint.q_count - 4;
      Quat turn(r[3], r[0], r[1], r[2]);
      if (clamp_to_cone(*joint.cone, turn)) {
        for (int c = 0; c < 4; ++c) r[c] = turn.coeffs()[c];
      }
    }
  }
}

void LimbFit::pose(int frame, Pose& out) const {
  out.X.resize(path_.size());
  out.axis.resize(motions_.size());
  out.arm.resize(motions_.size());
  Vec6 twists[kMaxJointVelocities];
  std::size_t motion = 0;
  for (std::size_t k = 0; k < path_.size(); ++k) {
    const ModelJoint& joint = model_.joint(path_[k]);
    const int above = slot(model_.parent(path_[k]));
    Transform X = (above < 0 ? (*hung_)[at(frame)] : out.X[at(above)]) * joint.origin;
    const int leads = slot(joint.source);
    const double* q = leads < 0 ? followed_.data() + at(frame) * path_.size() + k
                                : q_.data() + at(frame) * at(coordinates_) + at(q_start_[at(leads)]);
    double value = 0.0;
    if (joint.mimic) {
      value = joint.multiplier * *q + joint.offset;
      q = &value;
    }
    if (joint.q_count > 0) {
      X = X * joint_transform(joint.type, q);
      joint_twists(joint.type, q, twists);
      const double times = joint.mimic ? joint.multiplier : 1.0;
      for (int v = 0; leads >= 0 && v < joint.v_count; ++v, ++motion) {
        out.arm[motion] = X.rotation * (times * twists[v].head<3>());
        out.axis[motion] = X.rotation * (times * twists[v].tail<3>());
      }
    }
    out.X[k] = X;
  }
}

Vec3 LimbFit::place(int frame, int link, const Vec3& local) const {
  Pose now;
  pose(frame, now);
  const int k = slot(link);
  return (k < 0 ? (*hung_)[at(frame)] : now.X[at(k)]) * local;
}

// The normal equations of a frame's goals; the cost.
double LimbFit::linearize(int f, const Pose& now, const std::vector<LimbGoal>& goals, MatX& H, VecX& g) const {
  H.setZero();
  g.setZero();
  double cost = 0.0;
  Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kMost> J(3, velocities_);
  const auto point_rates = [&](int k, const Vec3& p, double sign) {  // of a point fixed in link k
    for (std::size_t c = 0; c < motions_.size(); ++c) {
      if (!carries(motions_[c], k)) continue;
      const Vec3 arm = p - now.X[at(motions_[c].owner)].position;
      J.col(motions_[c].velocity) += sign * (now.arm[c] + now.axis[c].cross(arm));
    }
  };
  for (const LimbGoal& goal : goals) {
    const Vec3& w = goal.weight[at(f)];
    if (w.isZero(0.0)) continue;
    const int k = slot(goal.link);
    if (k < 0) continue;
    J.setZero();
    Vec3 error = Vec3::Zero();
    switch (goal.kind) {
      case LimbGoal::place: {
        const Vec3 p = now.X[at(k)] * goal.local;
        error = goal.target[at(f)] - p;
        point_rates(k, p, 1.0);
        break;
      }
      case LimbGoal::turn:
        error = log_rotation(Mat3(goal.rotation[at(f)] * now.X[at(k)].rotation.transpose()));
        for (std::size_t c = 0; c < motions_.size(); ++c) {
          if (carries(motions_[c], k)) J.col(motions_[c].velocity) += now.axis[c];
        }
        break;
      case LimbGoal::direction: {
        const int a = slot(goal.from);
        const Vec3 start = a >= 0 ? now.X[at(a)].position : (*hung_)[at(f)].position;
        const Vec3 way = now.X[at(k)].position - start;
        const double length = way.norm();
        if (!(length > 1e-12)) continue;
        const Vec3 u = way / length;
        error = goal.target[at(f)] - u;
        point_rates(k, now.X[at(k)].position, 1.0);
        if (a >= 0) point_rates(a, start, -1.0);
        const Mat3 across = (Mat3::Identity() - u * u.transpose()) / length;
        for (int v = 0; v < velocities_; ++v) J.col(v) = across * Vec3(J.col(v));
        break;
      }
      case LimbGoal::axis: {
        const Vec3 u = now.X[at(k)].rotation * goal.local;
        error = goal.target[at(f)] - u;
        for (std::size_t c = 0; c < motions_.size(); ++c) {
          if (carries(motions_[c], k)) J.col(motions_[c].velocity) += now.axis[c].cross(u);
        }
        break;
      }
    }
    error = error.cwiseProduct(w);
    for (int v = 0; v < velocities_; ++v) J.col(v) = J.col(v).cwiseProduct(w);
    cost += error.squaredNorm();
    for (int i = 0; i < velocities_; ++i) {
      g[i] += J.col(i).dot(error);
      for (int j = 0; j <= i; ++j) H(i, j) += J.col(i).dot(J.col(j));
    }
  }
  return cost;
}

void LimbFit::differences(int a, int b, double* v) const {
  for (std::size_t k = 0; k < path_.size(); ++k) {
    const ModelJoint& joint = model_.joint(path_[k]);
    if (joint.mimic || joint.q_count == 0) continue;
    const std::size_t q = at(q_start_[k]);
    difference_coordinates(joint.type, q_.data() + at(a) * at(coordinates_) + q,
                           q_.data() + at(b) * at(coordinates_) + q, v + v_start_[k]);
  }
}

// Coordinates that stand at a limit and are pushed outward: they take no part in the step.
bool LimbFit::stuck(int frame, int velocity, double push) const {
  const double low = lower_[at(velocity)], high = upper_[at(velocity)];
  if (!std::isfinite(low) && !std::isfinite(high)) return false;
  const int owner = owner_[at(velocity)];
  const double q = q_[at(frame) * at(coordinates_) + at(q_start_[at(owner)] + velocity - v_start_[at(owner)])];
  return (q <= low + 1e-9 && push < 0.0) || (q >= high - 1e-9 && push > 0.0);
}

// Damped Gauss-Newton of one frame; steps that make it worse are taken back and tried with more damping. The cost.
double LimbFit::settle(int f, const std::vector<LimbGoal>& goals, int iterations) {
  const int m = velocities_;
  MatX H(m, m);
  VecX g(m);
  Pose now;
  pose(f, now);
  double cost = linearize(f, now, goals, H, g);
  double damping = kDamping;
  std::vector<double> kept(at(coordinates_)), step(at(m));
  std::vector<char> fixed(at(m));
  double* q = q_.data() + at(f) * at(coordinates_);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (int i = 0; i < m; ++i) {
      fixed[at(i)] = stuck(f, i, g[i]) ? 1 : 0;
      step[at(i)] = fixed[at(i)] != 0 ? 0.0 : g[i];
    }
    BandMatrix one(m, std::max(1, m - 1));
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j <= i; ++j) {
        const bool free = fixed[at(i)] == 0 && fixed[at(j)] == 0;
        one(i, j) = free ? H(i, j) + (i == j ? damping : 0.0) : i == j ? 1.0 : 0.0;
      }
    }
    if (!one.factor()) return cost;
    one.solve(step.data());
    double largest = 0.0;
    for (double& each : step) {
      each = std::isfinite(each) ? std::clamp(each, -kLargestStep, kLargestStep) : 0.0;
      largest = std::max(largest, std::abs(each));
    }
    std::copy_n(q, coordinates_, kept.begin());
    move(f, step.data());
    pose(f, now);
    const double after = linearize(f, now, goals, H, g);
    if (after > cost * (1.0 + 1e-9)) {
      std::copy_n(kept.begin(), coordinates_, q);
      pose(f, now);
      linearize(f, now, goals, H, g);
      damping *= 10.0;
      if (damping > 1e4) return cost;
      continue;
    }
    cost = after;
    damping = std::max(kDamping, 0.2 * damping);
    if (largest < 1e-7) return cost;
  }
  return cost;
}

void LimbFit::solve(const std::vector<LimbGoal>& goals, int iterations, double smoothness) {
  if (empty()) return;
  const int m = velocities_;
  const int n = frames_;
  if (!(smoothness > 0.0) || n <= 4) {
    for (int f = 0; f < n; ++f) cost_[at(f)] = settle(f, goals, iterations);
    return;
  }
  MatX H(m, m);
  VecX g(m);
  Pose now;
  std::vector<double> step(at(n) * at(m));
  std::vector<char> fixed(at(n) * at(m));
  std::vector<double> steps(at(n) * at(m));  // from each frame to the next
  std::vector<double> kept = q_;
  double damping = kDamping, reached = INFINITY;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    BandMatrix all(n * m, 2 * m);
    std::vector<double> tight(at(n), 0.0);
    double total = 0.0;
    for (int f = 0; f < n; ++f) {
      pose(f, now);
      cost_[at(f)] = linearize(f, now, goals, H, g);
      total += cost_[at(f)];
      for (int i = 0; i < m; ++i) {
        const std::size_t k = at(f) * at(m) + at(i);
        fixed[k] = stuck(f, i, g[i]) ? 1 : 0;
        if (fixed[k] != 0) tight[at(f)] = 1.0;
        step[k] = fixed[k] != 0 ? 0.0 : g[i];
      }
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j <= i; ++j) {
          const bool free = fixed[at(f) * at(m) + at(i)] == 0 && fixed[at(f) * at(m) + at(j)] == 0;
          all(f * m + i, f * m + j) += free ? H(i, j) + (i == j ? damping : 0.0) : i == j ? 1.0 : 0.0;
        }
      }
    }
    const std::vector<double> near = smoothed(running_max(tight, 4), 3.0);
    for (int f = 0; f + 1 < n; ++f) differences(f, f + 1, steps.data() + at(f) * at(m));
    for (int f = 1; f + 1 < n; ++f) {
      const double w = smoothness * (1.0 + 40.0 * near[at(f)]);  // near a limit a corner is most likely
      const double row[3] = {1.0, -2.0, 1.0};
      for (int i = 0; i < m; ++i) {
        const double bend = steps[at(f) * at(m) + at(i)] - steps[at(f - 1) * at(m) + at(i)];
        total += smoothness * bend * bend;
        const auto open = [&](int a) { return fixed[at(f - 1 + a) * at(m) + at(i)] == 0; };
        for (int a = 0; a < 3; ++a) {
          if (!open(a)) continue;
          step[at(f - 1 + a) * at(m) + at(i)] -= w * row[a] * bend;
          for (int b = 0; b <= a; ++b) {
            if (open(b)) all((f - 1 + a) * m + i, (f - 1 + b) * m + i) += w * row[a] * row[b];
          }
        }
      }
    }
    if (total > reached * (1.0 + 1e-9)) {  // taken back, and tried with more damping
      q_ = kept;
      damping *= 10.0;
      if (damping > 1e3) return;
      continue;
    }
    reached = total;
    kept = q_;
    damping = std::max(kDamping, 0.2 * damping);
    if (!all.factor()) return;
    all.solve(step.data());
    double largest = 0.0;
    for (int f = 0; f < n; ++f) {
      double* own = step.data() + at(f) * at(m);
      for (int i = 0; i < m; ++i) {
        own[i] = std::isfinite(own[i]) ? std::clamp(own[i], -kLargestStep, kLargestStep) : 0.0;
        largest = std::max(largest, std::abs(own[i]));
      }
      move(f, own);
    }
    if (largest < 1e-7) break;
  }
}

void LimbFit::search(const std::vector<LimbGoal>& goals, int iterations) {
  constexpr int kWays = 3;
  if (empty()) return;
  const auto size = static_cast<std::ptrdiff_t>(coordinates_);
  const std::vector<double> start = q_;
  std::vector<double> found[kWays], costs[kWays], v(at(velocities_));
  for (int way = 0; way < kWays; ++way) {
    q_ = start;
    for (int k = 0; k < frames_; ++k) {
      const int f = way == 2 ? frames_ - 1 - k : k;
      if (way > 0 && k > 0) {
        // What lies within a usual step of the neighbour's answer is what its settling would find.
        const int neighbour = way == 2 ? f + 1 : f - 1;
        std::copy_n(found[0].begin() + f * size, size, q_.begin() + f * size);
        differences(neighbour, f, v.data());
        if (std::all_of(v.begin(), v.end(), [](double x) { return std::abs(x) < kUsualStep; })) {
          cost_[at(f)] = costs[0][at(f)];
          continue;
        }
        std::copy_n(q_.begin() + neighbour * size, size, q_.begin() + f * size);
      }
      cost_[at(f)] = settle(f, goals, iterations);
    }
    found[way] = q_;
    costs[way] = cost_;
  }
  // The cheapest way through all frames, by dynamic programming.
  std::vector<std::array<int, kWays>> from(at(frames_));
  std::array<double, kWays> total{};
  for (int f = 0; f < frames_; ++f) {
    std::array<double, kWays> next{};
    for (int way = 0; way < kWays; ++way) {
      double least = f == 0 ? 0.0 : INFINITY;
      for (int before = 0; f > 0 && before < kWays; ++before) {
        std::copy_n(found[before].begin() + (f - 1) * size, size, q_.begin() + (f - 1) * size);
        std::copy_n(found[way].begin() + f * size, size, q_.begin() + f * size);
        differences(f - 1, f, v.data());
        double sum = total[at(before)];
        for (const double each : v) sum += kJumpWeight * math::power(std::max(0.0, std::abs(each) - kUsualStep), 2);
        if (sum < least) {
          least = sum;
          from[at(f)][at(way)] = before;
        }
      }
      next[at(way)] = least + costs[way][at(f)];
    }
    total = next;
  }
  auto way = static_cast<int>(std::min_element(total.begin(), total.end()) - total.begin());
  for (int f = frames_ - 1; f >= 0; --f) {
    std::copy_n(found[way].begin() + f * size, size, q_.begin() + f * size);
    cost_[at(f)] = costs[way][at(f)];
    way = from[at(f)][at(way)];
  }
}

void LimbFit::calm(const std::vector<Bound>& bounds) {
  constexpr int kCalmRounds = 12;
  constexpr int kAround = 2;  // frames on both sides that are smoothed, too
  constexpr double kWindow = 1.0;
  if (empty() || frames_ < 5) return;
  const std::vector<double> window = gaussian_window(kWindow);
  // How far links are accelerated beyond their bounds, and where.
  const auto measure = [&](std::vector<double>& beyond) {
    Pose now;
    beyond.assign(at(frames_), 0.0);
    double worst = 0.0;
    for (const Bound& bound : bounds) {
      const int k = slot(bound.link);
      if (k < 0 || !(bound.most > 0.0)) continue;
      std::vector<Vec3> way;
      for (int f = 0; f < frames_; ++f) {
        pose(f, now);
        way.push_back(now.X[at(k)].position);
      }
      for (int f = 1; f + 1 < frames_; ++f) {
        const double ratio = (way[at(f + 1)] - 2.0 * way[at(f)] + way[at(f - 1)]).norm() / bound.most;
        worst = std::max(worst, ratio);
        if (ratio > 1.0) beyond[at(f)] = 1.0;
      }
    }
    return worst;
  };
  std::vector<double> beyond, after, step(at(velocities_)), change(at(velocities_));
  double worst = measure(beyond);
  for (int round = 0; round < kCalmRounds && worst > 1.0; ++round) {
    const std::vector<double> share = smoothed(running_max(beyond, kAround), 1.0);
    const std::vector<double> before = q_;
    std::vector<double> next = q_;
    for (int f = 0; f < frames_; ++f) {
      if (share[at(f)] < 1e-3) continue;
      std::fill(change.begin(), change.end(), 0.0);
      for (int k = 1; k < static_cast<int>(window.size()); ++k) {
        for (const int other : {f - k, f + k}) {
          differences(f, std::clamp(other, 0, frames_ - 1), step.data());
          for (std::size_t i = 0; i < step.size(); ++i) change[i] += share[at(f)] * window[at(k)] * step[i];
        }
      }
      move(f, change.data());
      const auto own = static_cast<std::ptrdiff_t>(at(f) * at(coordinates_));
      std::copy_n(q_.begin() + own, coordinates_, next.begin() + own);
      std::copy_n(before.begin() + own, coordinates_, q_.begin() + own);
    }
    q_ = next;
    const double now_worst = measure(after);
    if (now_worst > worst) {
      q_ = before;
      return;
    }
    worst = now_worst;
    beyond = after;
  }
}

// A run of bad frames is swept from either side, each frame from the one before it; of the sweeps and what was there
// that one is kept which costs least, jumps between frames included: two valleys must not alternate.
void LimbFit::repair(const std::vector<LimbGoal>& goals) {
  constexpr int kSweep = 20;
  constexpr double kJump = 0.6;  // radians between frames that are suspicious
  if (empty() || frames_ < 2) return;
  std::vector<double> v(at(velocities_));
  const auto jump = [&](int f) {  // from the frame before, squared
    if (f <= 0 || f >= frames_) return 0.0;
    differences(f - 1, f, v.data());
    double sum = 0.0;
    for (const double each : v) sum += each * each;
    return sum;
  };
  const double usual = percentile(cost_, 50.0);
  std::vector<char> bad(at(frames_), 0);
  for (int f = 0; f < frames_; ++f) {
    if (cost_[at(f)] > std::max(4.0 * usual, 0.15)) bad[at(f)] = 1;
    if (f == 0) continue;
    differences(f - 1, f, v.data());
    if (std::any_of(v.begin(), v.end(), [](double x) { return std::abs(x) > kJump; })) bad[at(f)] = bad[at(f - 1)] = 1;
  }
  for_each_run(std::vector<char>(bad), 1, [&](int first, int end) {
    if (first == 0 && end == frames_) return;
    const auto size = static_cast<std::ptrdiff_t>(coordinates_);
    const auto begin = q_.begin() + first * size;
    const auto score = [&] {
      double sum = 0.0;
      for (int f = first; f <= end; ++f) sum += kJumpWeight * jump(f) + (f < end ? cost_[at(f)] : 0.0);
      return sum;
    };
    std::vector<double> best(begin, begin + (end - first) * size);
    std::vector<double> best_cost(cost_.begin() + first, cost_.begin() + end);
    double least = score();
    for (const bool forward : {true, false}) {
      if (forward ? first == 0 : end == frames_) continue;
      for (int k = 0; k < end - first; ++k) {
        const int f = forward ? first + k : end - 1 - k;
        std::copy_n(q_.begin() + (forward ? f - 1 : f + 1) * size, size, q_.begin() + f * size);
        cost_[at(f)] = settle(f, goals, kSweep);
      }
      if (const double now = score(); now < least) {
        least = now;
        std::copy_n(begin, (end - first) * size, best.begin());
        std::copy_n(cost_.begin() + first, end - first, best_cost.begin());
      }
    }
    std::copy(best.begin(), best.end(), begin);
    std::copy(best_cost.begin(), best_cost.end(), cost_.begin() + first);
  });
}

}  // namespace armature::inline v0_2
