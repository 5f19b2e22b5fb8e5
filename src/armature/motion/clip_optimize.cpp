// A whole clip at once: near to what it was, smooth, with links held in their places, inside limits of joints and of
// their velocities. Gauss-Newton over all coordinates of all frames; frames are coupled by differences of poses only,
// so that each step is one banded system and time grows with the frames, not with their square.
#include <algorithm>
#include <array>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/joint_fit.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/band.hpp"
#include "armature/motion/clip_parts.hpp"
#include "armature/motion/frame_series.hpp"

namespace armature::inline v0_2::clips {
namespace {

constexpr double kMostBandNumbers = 5e8;  // of the system's matrix: 4 GB
constexpr double kFarStep = 0.3;          // of a coordinate in one iteration

class Optimizer {
 public:
  Optimizer(const Model& model, const Clip& clip, const OptimizeOptions& options)
      : model_(model), before_(clip), options_(options), n_(clip.frame_count()), m_(model.v_size()) {
    // Angles that wrap from one frame to the next are unwrapped: what is smooth must look smooth.
    for (int f = 1; f < n_; ++f) {
      for (const ModelJoint& joint : model.joints()) {
        if (joint.mimic || joint.q_count < 3) continue;
        double* q = before_.frame(f) + joint.q_index;
        fit_coordinates(joint.type, joint_transform(joint.type, q), before_.frame(f - 1) + joint.q_index, q);
      }
    }
    clip_ = before_;
    curvature_ = std::min(1e12, math::power(options.smooth / clip.frame_time, 4));
    jacobian_.resize(6, m_);
    targets_.resize(options.pins.size());
    State state;
    for (std::size_t p = 0; p < options.pins.size(); ++p) {
      const Pin& pin = options.pins[p];
      targets_[p] = pin.target;
      if (!pin.here) continue;
      forward(model, clip.frame(pin.first), state);
      targets_[p] = state.X_WL[at(pin.link)] * pin.point;
    }
    // A velocity's coordinate, where the two correspond one to one.
    coordinate_.assign(at(m_), -1);
    for (const ModelJoint& joint : model.joints()) {
      if (joint.mimic || joint.q_count != joint.v_count) continue;
      for (int k = 0; k < joint.v_count; ++k) coordinate_[at(joint.v_index + k)] = joint.q_index + k;
    }
  }

  Optimized run() {
    double too_fast = 10.0;
    for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
      const double moved = step(too_fast);
      too_fast = std::min(1e6, 5.0 * too_fast);
      ++out_.iterations;
      if (!(moved > 1e-6)) break;
    }
    out_.clip = clip_;
    out_.clip.name = before_.name;
    measure();
    return std::move(out_);
  }

 private:
  double step(double too_fast) {
    BandMatrix A(n_ * m_, 2 * m_);
    std::vector<double> g(at(n_) * at(m_), 0.0);
    std::vector<double> steps(at(std::max(0, n_ - 1)) * at(m_), 0.0);
    VecX away(m_);
    for (int f = 0; f + 1 < n_; ++f)
      difference(model_, clip_.frame(f), clip_.frame(f + 1), steps.data() + at(f) * at(m_));
    for (int f = 0; f < n_; ++f) {
      difference(model_, clip_.frame(f), before_.frame(f), away.data());
      for (int i = 0; i < m_; ++i) {
        A(f * m_ + i, f * m_ + i) += options_.keep + 1e-9;
        g[at(f * m_ + i)] += options_.keep * away[i];
      }
    }
    // Differences of poses: curvature, and what is faster than allowed.
    for (int f = 1; f + 1 < n_; ++f) {
      for (int i = 0; i < m_; ++i) {
        const double bend = steps[at(f * m_ + i)] - steps[at((f - 1) * m_ + i)];
        add_row(A, g, f - 1, i, {1.0, -2.0, 1.0}, 3, curvature_, -bend);
      }
    }
    if (options_.velocity_limits) {
      for (int f = 0; f + 1 < n_; ++f) {
        for (int i = 0; i < m_; ++i) {
          const double most = 0.999 * model_.velocity_limit()[i] * clip_.frame_time;
          const double now = steps[at(f * m_ + i)];
          if (!(std::abs(now) > most)) continue;
          add_row(A, g, f, i, {-1.0, 1.0, 0.0}, 2, too_fast, (now > 0.0 ? most : -most) - now);
        }
      }
    }
    add_pins(A, g);
    hold_at_limits(A, g);
    if (!A.factor()) return 0.0;
    A.solve(g.data());
    double largest = 0.0;
    VecX q(model_.q_size());
    for (int f = 0; f < n_; ++f) {
      double* own = g.data() + at(f) * at(m_);
      for (int i = 0; i < m_; ++i) {
        own[i] = std::isfinite(own[i]) ? std::clamp(own[i], -kFarStep, kFarStep) : 0.0;
        largest = std::max(largest, std::abs(own[i]));
      }
      integrate(model_, clip_.frame(f), own, q.data());
      if (options_.limits) clamp(model_, q);
      std::copy_n(q.data(), clip_.q_size, clip_.frame(f));
    }
    return largest;
  }

  void add_row(BandMatrix& A, std::vector<double>& g, int first, int i, const std::array<double, 3>& row, int count,
               double weight, double error) const {
    for (int a = 0; a < count; ++a) {
      g[at((first + a) * m_ + i)] += weight * row[at(a)] * error;
      for (int b = 0; b <= a; ++b) A((first + a) * m_ + i, (first + b) * m_ + i) += weight * row[at(a)] * row[at(b)];
    }
  }

  void add_pins(BandMatrix& A, std::vector<double>& g) {
    if (options_.pins.empty()) return;
    const double unit = 1.0 / math::power(model_.size(), 2);
    std::vector<int> columns;
    for (int f = 0; f < n_; ++f) {
      bool posed = false;
      for (std::size_t p = 0; p < options_.pins.size(); ++p) {
        const Pin& pin = options_.pins[p];
        if (f < pin.first || f > pin.last) continue;
        if (!posed) forward(model_, clip_.frame(f), state_);
        posed = true;
        const Vec3 place = state_.X_WL[at(pin.link)] * pin.point;
        const Vec3 error = targets_[p] - place;
        jacobian_at_world_point(model_, state_, pin.link, place, jacobian_);
        columns.clear();
        for (int i = 0; i < m_; ++i) {
          if (!jacobian_.col(i).head<3>().isZero(0.0)) columns.push_back(i);
        }
        const double w = pin.weight * unit * 1e4;
        for (const int i : columns) {
          const Vec3 Ji = jacobian_.col(i).head<3>();
          g[at(f * m_ + i)] += w * Ji.dot(error);
          for (const int j : columns) {
            if (j > i) break;
            A(f * m_ + i, f * m_ + j) += w * Ji.dot(Vec3(jacobian_.col(j).head<3>()));
          }
        }
      }
    }
  }

  // A coordinate at its limit that would go beyond it takes no part in this step.
  void hold_at_limits(BandMatrix& A, std::vector<double>& g) const {
    if (!options_.limits) return;
    for (int f = 0; f < n_; ++f) {
      for (int i = 0; i < m_; ++i) {
        const int k = coordinate_[at(i)];
        if (k < 0) continue;
        const double q = clip_.frame(f)[k];
        const double slope = g[at(f * m_ + i)];
        const bool stuck =
            (q <= model_.lower()[k] + 1e-9 && slope < 0.0) || (q >= model_.upper()[k] - 1e-9 && slope > 0.0);
        if (!stuck) continue;
        A(f * m_ + i, f * m_ + i) *= 1e6;
        A(f * m_ + i, f * m_ + i) += 1e6;
      }
    }
  }

  void measure() {
    for (std::size_t p = 0; p < options_.pins.size(); ++p) {
      const Pin& pin = options_.pins[p];
      for (int f = pin.first; f <= pin.last; ++f) {
        forward(model_, clip_.frame(f), state_);
        out_.pin_error = std::max(out_.pin_error, (targets_[p] - state_.X_WL[at(pin.link)] * pin.point).norm());
      }
    }
    VecX in(m_), out(m_);
    for (const Clip* each : {&before_, &clip_}) {
      double sum = 0.0;
      for (int f = 1; f + 1 < n_; ++f) {
        difference(model_, each->frame(f - 1), each->frame(f), in.data());
        difference(model_, each->frame(f), each->frame(f + 1), out.data());
        sum += (out - in).squaredNorm();
      }
      (each == &before_ ? out_.roughness_before : out_.roughness) = std::sqrt(sum / std::max(1, n_ - 2));
    }
    out_.largest_speed_ratio = check_motion(model_, clip_).largest_speed_ratio;
  }

  const Model& model_;
  Clip before_;
  const OptimizeOptions& options_;
  int n_, m_;
  Clip clip_;
  double curvature_ = 0.0;
  State state_;
  Jacobian jacobian_;
  std::vector<Vec3> targets_;
  std::vector<int> coordinate_;
  Optimized out_;
};

}  // namespace

Result<Optimized> optimize(const Model& model, const Clip& clip, const OptimizeOptions& options) {
  if (const Status status = check_clip(model, clip); !status) return status.error();
  if (!(options.smooth >= 0.0 && options.keep > 0.0 && std::isfinite(options.smooth) && std::isfinite(options.keep))) {
    return Error{"The time of smoothing must be 0 or more, and the weight of the old motion above 0."};
  }
  for (const Pin& pin : options.pins) {
    if (pin.link < 0 || pin.link >= model.link_count() || pin.first < 0 || pin.last < pin.first ||
        pin.last >= clip.frame_count() || !pin.target.allFinite() || !pin.point.allFinite() || !(pin.weight >= 0.0)) {
      return Error{"A pin holds a link of the model over frames of the motion."};
    }
  }
  if (model.v_size() == 0) return Error{"The model has nothing to move."};
  if (1.0 * clip.frame_count() * model.v_size() * (2.0 * model.v_size() + 1.0) > kMostBandNumbers) {
    return Error{"The motion is too long to be optimized at once; trim it."};
  }
  return Optimizer(model, clip, options).run();
}

}  // namespace armature::inline v0_2::clips
