#include "armature/motion/retime.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/keyframes.hpp"
#include "armature/motion/paced.hpp"
#include "armature/motion/pose_path.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kGrid = 2000;  // points of the grid, about, and at least kPerPiece of each piece
constexpr int kPerPiece = 4;
constexpr int kPartSlowings = 12;  // of the clock near the frames that break the limits as they are written
constexpr int kStretches = 8;      // of the whole of it, for what is left then
constexpr double kMostMade = 4e6;  // frames, of all rounds so far: a clock that makes more is stretched as a whole
constexpr double kLittle = 1e-3;   // of the speed: a whole clock that is stretched by less
constexpr double kFlat = 1e-12;    // of its scale: a derivative that counts as none

// Limits along one interval of the grid: low_k <= u <= high_k are lines in x, with u = s'' and x = s'^2 at its begin.
class SpeedInterval {
 public:
  void clear(double most) {
    lines_.clear();
    most_ = most;
  }
  // |a u + b x| <= c
  void add(double a, double b, double c) {
    if (!std::isfinite(c)) return;
    if (std::abs(a) < kFlat) {
      if (std::abs(b) > kFlat) most_ = std::min(most_, c / std::abs(b));
      return;
    }
    lines_.push_back({-b / a, c / std::abs(a)});
  }
  // 0 <= x + length u <= bound: where the interval ends.
  void set_end(double length, double bound) {
    length_ = length;
    bound_ = bound;
  }
  // Largest x >= 0 for which some u will do. The lowest upper line is concave in x and the highest lower one convex, so
  // Newton's method comes down on the answer from the right in as many steps as there are corners. Each step is where
  // the two lines meet, by their numbers alone: x may begin many powers of ten above the answer.
  double largest() const {
    double x = most_;
    for (int i = 0; i < 64; ++i) {
      const Range range = at_x(x);
      if (range.low.at(x) <= range.high.at(x)) break;
      const double next = (range.high.offset - range.low.offset) / (range.low.slope - range.high.slope);
      if (!(next >= 0.0 && next < x)) break;  // they cross by rounding only
      x = next;
    }
    return x;
  }
  double largest_u(double x) const {
    const Range range = at_x(x);
    return std::max(range.low.at(x), range.high.at(x));  // rounding may cross them
  }

 private:
  struct Line {
    double slope, offset;
    double at(double x) const { return slope * x + offset; }
  };
  struct Range {
    Line low, high;
  };
  // The highest of the lower lines and the lowest of the upper ones.
  Range at_x(double x) const {
    Range range{{-1.0 / length_, 0.0}, {-1.0 / length_, bound_ / length_}};
    for (const Line& upper : lines_) {
      const Line lower{upper.slope, -upper.offset};
      if (lower.at(x) > range.low.at(x)) range.low = lower;
      if (upper.at(x) < range.high.at(x)) range.high = upper;
    }
    return range;
  }
  std::vector<Line> lines_;  // upper; the lower ones lie as far below zero
  double most_ = 0.0, length_ = 1.0, bound_ = 0.0;
};

class Scaling {
 public:
  Scaling(const Model& model, const PosePath& path, const VecX& velocity, const VecX& acceleration,
          const std::vector<double>& pace)
      : path_(path), velocity_(velocity), acceleration_(acceleration), first_(model.v_size()), second_(model.v_size()) {
    per_piece_ = std::max(kPerPiece, kGrid / std::max(1, path.pieces()));
    rests_ = (acceleration.array() < HUGE_VAL).any();
    const std::size_t n = at(per_piece_ * path.pieces());
    most_.assign(n + 1, 0.0);
    x_.assign(n + 1, 0.0);
    time_.assign(n + 1, 0.0);
    pace_.assign(n + 1, 1.0);
    slower_.assign(n + 1, 1.0);
    for (std::size_t i = 0; i <= n && !pace.empty(); ++i) {
      const int piece = std::min(static_cast<int>(i) / per_piece_, path.pieces() - 1);
      const double frame =
          path.frame(piece, static_cast<double>(static_cast<int>(i) - piece * per_piece_) / per_piece_);
      const auto from = std::min(static_cast<std::size_t>(std::max(0.0, frame)), pace.size() - 1);
      const double share = std::clamp(frame - static_cast<double>(from), 0.0, 1.0);
      pace_[i] = (1.0 - share) * pace[from] + share * pace[std::min(from + 1, pace.size() - 1)];
    }
    first_.setZero();
    second_.setZero();
  }

  double run() {
    const int n = static_cast<int>(time_.size()) - 1;
    for (int i = 0; i <= n; ++i) most_[at(i)] = speed_bound(i);
    if (rests_) most_[at(n)] = 0.0;
    for (int i = n - 1; i >= 0; --i) {
      describe(i);
      most_[at(i)] = interval_.largest();
    }
    x_[0] = rests_ ? 0.0 : most_[0];
    for (int i = 0; i < n; ++i) {
      describe(i);
      const double length = 2.0 * step(i);
      x_[at(i + 1)] = std::clamp(x_[at(i)] + length * interval_.largest_u(x_[at(i)]), 0.0, most_[at(i + 1)]);
      const double speeds = std::sqrt(x_[at(i)]) + std::sqrt(x_[at(i + 1)]);
      time_[at(i + 1)] = time_[at(i)] + length / std::max(speeds, 1e-150);
    }
    return time_.back();
  }

  // Slower by this factor between two times, from the next run on; of several factors the largest counts.
  void slow(double from, double to, double factor) {
    const auto first = std::upper_bound(time_.begin(), time_.end(), from) - time_.begin();
    const auto last = std::lower_bound(time_.begin(), time_.end(), to) - time_.begin();
    const auto end = static_cast<std::ptrdiff_t>(time_.size()) - 1;
    for (auto i = std::max<std::ptrdiff_t>(0, first - 1); i <= std::min(last, end); ++i) {
      slower_[static_cast<std::size_t>(i)] = std::max(slower_[static_cast<std::size_t>(i)], factor);
    }
  }
  void take_slower() {
    for (std::size_t i = 0; i < pace_.size(); ++i) pace_[i] /= slower_[i];
    std::fill(slower_.begin(), slower_.end(), 1.0);
  }

  // The pose at time t, from nearby where the last one was, and which of the given poses it is.
  double pose(double t, double* q) {
    const int n = static_cast<int>(time_.size()) - 1;
    while (last_ > 0 && time_[at(last_)] > t) --last_;
    while (last_ + 1 < n && time_[at(last_ + 1)] <= t) ++last_;
    const double tau = std::clamp(t - time_[at(last_)], 0.0, time_[at(last_ + 1)] - time_[at(last_)]);
    const double length = step(last_);
    const double faster = (x_[at(last_ + 1)] - x_[at(last_)]) / (2.0 * length);
    const double s = std::sqrt(x_[at(last_)]) * tau + 0.5 * faster * tau * tau;
    const double share = std::clamp(s / length, 0.0, 1.0);
    const double u = (last_ % per_piece_ + share) / per_piece_;
    path_.pose(last_ / per_piece_, u, q);
    return path_.frame(last_ / per_piece_, u);
  }

 private:
  double step(int i) const { return path_.span(i / per_piece_) / per_piece_; }
  void derive(int i, int end) {  // at the begin or the end of interval i, as its piece has it
    path_.derivatives(i / per_piece_, static_cast<double>(i % per_piece_ + end) / per_piece_, first_.data(),
                      second_.data());
  }
  double speed_bound(int i) {
    const int n = static_cast<int>(time_.size()) - 1;
    derive(std::min(i, n - 1), i == n ? 1 : 0);
    double most = 1e12;  // the parameter runs at about one a second when a joint is at its limit
    for (Eigen::Index v = 0; v < first_.size(); ++v) {
      const double ratio = pace_[at(i)] * velocity_[v] / std::max(std::abs(first_[v]), 1e-150);
      most = std::min(most, ratio * ratio);
    }
    return most;
  }
  void describe(int i) {
    const double length = 2.0 * step(i);
    interval_.clear(most_[at(i)]);
    interval_.set_end(length, most_[at(i + 1)]);
    if (!rests_) return;
    derive(i, 0);
    const double begin = pace_[at(i)] * pace_[at(i)], end = pace_[at(i + 1)] * pace_[at(i + 1)];
    for (Eigen::Index v = 0; v < first_.size(); ++v) interval_.add(first_[v], second_[v], begin * acceleration_[v]);
    derive(i, 1);  // q' u + q'' (x + length u) there
    for (Eigen::Index v = 0; v < first_.size(); ++v) {
      interval_.add(first_[v] + length * second_[v], second_[v], end * acceleration_[v]);
    }
  }

  const PosePath& path_;
  const VecX &velocity_, &acceleration_;
  VecX first_, second_;
  SpeedInterval interval_;
  std::vector<double> most_, x_, time_;
  std::vector<double> pace_, slower_;  // of the speed that the limits allow
  int per_piece_ = 1;
  int last_ = 0;
  bool rests_ = false;
};

Status check_limits(const char* what, const VecX& values, int size) {
  if (values.size() == 0) return {};
  if (values.size() != size) return Error{"Retiming: '" + std::string(what) + "' needs one number per velocity."};
  for (const double value : values) {
    if (!(value > 0.0)) return Error{"Retiming: '" + std::string(what) + "' must be positive."};
  }
  return {};
}

}  // namespace

MotionRatios motion_ratios(const Model& model, const Clip& clip, const VecX& velocity, const VecX& acceleration) {
  std::vector<double> over;
  return motion_ratios(model, clip, velocity, acceleration, over);
}

MotionRatios motion_ratios(const Model& model, const Clip& clip, const VecX& velocity, const VecX& acceleration,
                           std::vector<double>& over) {
  MotionRatios out;
  over.assign(at(clip.frame_count()) + 1, 0.0);
  const bool rests = (acceleration.array() < HUGE_VAL).any();
  VecX now = VecX::Zero(model.v_size()), before = VecX::Zero(model.v_size());
  for (int f = 0; f <= clip.frame_count(); ++f) {
    const bool inside = f > 0 && f < clip.frame_count();
    now.setZero();
    if (inside) difference(model, clip.frame(f - 1), clip.frame(f), now.data());
    now /= clip.frame_time;
    for (int v = 0; v < model.v_size(); ++v) {
      const double speed = std::abs(now[v]) / velocity[v];
      over[at(f)] = std::max(over[at(f)], speed);
      if (speed > out.velocity) {
        out.velocity = speed;
        out.fastest = v;
      }
      if (rests && f > 0) {
        const double change = std::abs(now[v] - before[v]) / (clip.frame_time * acceleration[v]);
        over[at(f)] = std::max(over[at(f)], std::sqrt(change));
        out.acceleration = std::max(out.acceleration, change);
      }
    }
    before = now;
  }
  return out;
}

Result<Retimed> retime(const Model& model, const Clip& clip, const RetimeOptions& options) {
  return retime_paced(model, clip, options, {});
}

Result<Retimed> retime_paced(const Model& model, const Clip& clip, const RetimeOptions& options,
                             const std::vector<double>& pace) {
  if (clip.q_size != model.q_size()) return Error{"The motion belongs to another model."};
  if (clip.frame_count() < 2) return Error{"A motion needs two frames or more to be retimed."};
  if (!(options.velocity_scale > 0.0) || !(options.velocity_scale <= 1.0)) {
    return Error{"Retiming: 'velocity_scale' must be above 0 and at most 1."};
  }
  for (const double value : clip.values) {
    if (!std::isfinite(value)) return Error{"The motion has numbers that are not finite."};
  }
  if (const Status status = check_limits("velocity", options.velocity, model.v_size()); !status) return status.error();
  if (const Status status = check_limits("acceleration", options.acceleration, model.v_size()); !status) {
    return status.error();
  }
  const double frame_time = options.frame_time > 0.0 ? options.frame_time : clip.frame_time;
  if (!(frame_time > 0.0) || !std::isfinite(frame_time))
    return Error{"A frame must last a positive number of seconds."};
  VecX velocity = options.velocity.size() > 0 ? options.velocity : model.velocity_limit();
  velocity *= options.velocity_scale;
  const VecX acceleration =
      options.acceleration.size() > 0 ? options.acceleration : VecX::Constant(model.v_size(), HUGE_VAL);
  // One unit of the parameter is about what one second at full speed covers.
  VecX scale = velocity;
  VecX step(model.v_size());
  std::vector<char> moves(at(model.v_size()), 0);
  for (int f = 1; f < clip.frame_count(); ++f) {
    difference(model, clip.frame(f - 1), clip.frame(f), step.data());
    for (int v = 0; v < model.v_size(); ++v) moves[at(v)] |= std::abs(step[v]) > 0.0 ? 1 : 0;
  }
  for (int v = 0; v < model.v_size(); ++v) {
    if (!std::isfinite(scale[v])) scale[v] = std::isfinite(acceleration[v]) ? acceleration[v] : 1.0;
    if (moves[at(v)] != 0 && !std::isfinite(velocity[v]) && !std::isfinite(acceleration[v])) {
      return Error{"Nothing limits the speed of '" + model.joint(model.velocity_joint(v)).name +
                   "': give velocity or acceleration limits."};
    }
  }
  const PosePath path(model, clip.values.data(), clip.frame_count(), scale);
  Retimed out;
  out.clip.name = clip.name;
  out.clip.frame_time = frame_time;
  out.clip.q_size = clip.q_size;
  out.clip.model = model;
  VecX q = Eigen::Map<const VecX>(clip.frame(0), clip.q_size);
  if (path.pieces() == 0) {  // it stands still
    out.clip.append(q);
    out.source = {0.0};
    return out;
  }
  double length = 0.0;
  for (int i = 0; i < path.pieces(); ++i) length += path.span(i);
  if (!std::isfinite(length)) return Error{"The motion is too long to be retimed: its steps overflow."};
  Scaling scaling(model, path, velocity, acceleration, pace);
  double least = scaling.run();
  double stretch = 1.0;
  std::vector<double> over;
  double made = 0.0;
  for (int slowings = 0, stretches = 0; stretches < kStretches;) {
    const double count = std::max(1.0, std::ceil(stretch * least / frame_time - 1e-9));
    const Result<int> checked = check_frame_count(count + 1.0, clip.q_size);
    if (!checked) return checked.error();
    const int frames = *checked - 1;
    stretch = std::max(stretch, frames * frame_time / least);
    out.clip.values.clear();
    out.source.clear();
    out.clip.values.reserve(at(frames + 1) * at(clip.q_size));
    out.source.reserve(at(frames + 1));
    for (int f = 0; f <= frames; ++f) {
      out.source.push_back(scaling.pose(f == frames ? least : std::min(least, f * frame_time / stretch), q.data()));
      if (f == frames) std::copy_n(clip.frame(clip.frame_count() - 1), clip.q_size, q.data());  // to the last digit
      out.clip.append(q);
    }
    const MotionRatios ratios = motion_ratios(model, out.clip, velocity, acceleration, over);
    out.duration = frames * frame_time;
    out.velocity_ratio = ratios.velocity;
    out.acceleration_ratio = ratios.acceleration;
    out.fastest = ratios.fastest;
    const double most = std::max(ratios.velocity, std::sqrt(ratios.acceleration));
    if (most <= 1.0) break;
    made += frames;
    if (most <= 1.0 + kLittle || slowings == kPartSlowings || made > kMostMade) {
      stretch *= most * (1.0 + (made > kMostMade ? kLittle : 1e-9));  // at once, where each round takes seconds
      ++stretches;
      continue;
    }
    // Only where it is too fast: one corner must not slow the rest.
    for (int f = 1; f <= frames + 1; ++f) {
      if (over[at(f)] <= 1.0) continue;
      scaling.slow((f - 2) * frame_time / stretch, f * frame_time / stretch, over[at(f)] * (1.0 + 0.1 * kLittle));
    }
    scaling.take_slower();
    ++slowings;
    stretch = 1.0;
    least = scaling.run();
  }
  if (out.velocity_ratio > 1.0 || out.acceleration_ratio > 1.0) {
    return Error{"The motion has corners that no clock smooths; give it more frames."};
  }
  return out;
}

}  // namespace armature::inline v0_2
