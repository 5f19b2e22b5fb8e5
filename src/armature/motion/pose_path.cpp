#include "armature/motion/pose_path.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kSame = 1e-12;  // of the scale: poses nearer than this are one
constexpr double kProbe = 1e-3;  // of a piece: step of the differences that give a ball's derivatives

// Cubic through 0 and `step` with end slopes a, b (per piece), and its derivatives by u.
double cubic(double step, double a, double b, double u) {
  return u * (a + u * (3.0 * step - 2.0 * a - b + u * (a + b - 2.0 * step)));
}
double cubic_slope(double step, double a, double b, double u) {
  return a + u * (2.0 * (3.0 * step - 2.0 * a - b) + u * 3.0 * (a + b - 2.0 * step));
}
double cubic_bend(double step, double a, double b, double u) {
  return 2.0 * (3.0 * step - 2.0 * a - b) + 6.0 * u * (a + b - 2.0 * step);
}

// First velocity of the joint's quaternion, or its velocity count when it has none.
int ball_of(const ModelJoint& joint) { return joint.q_count != joint.v_count ? joint.v_count - 3 : joint.v_count; }

}  // namespace

PosePath::PosePath(const Model& model, const double* poses, int count, const VecX& scale)
    : model_(model), stride_(at(model.q_size())), velocities_(at(model.v_size())) {
  std::vector<double> step(velocities_);
  for (int i = 0; i < count; ++i) {
    const double* q = poses + at(i) * stride_;
    if (i > 0) {
      difference(model, poses_.data() + poses_.size() - stride_, q, step.data());
      double span = 0.0;
      for (std::size_t v = 0; v < velocities_; ++v) {
        span = std::max(span, std::abs(step[v]) / scale[static_cast<Eigen::Index>(v)]);
      }
      if (!(span > kSame)) continue;
      spans_.push_back(span);
      steps_.insert(steps_.end(), step.begin(), step.end());
    }
    poses_.insert(poses_.end(), q, q + stride_);
    frames_.push_back(i);
  }
  // Slopes of the parabola through three poses; at the ends that of the first or last such parabola.
  const int n = pieces();
  slopes_.assign(at(n + 1) * velocities_, 0.0);
  for (int i = 0; i <= n; ++i) {
    const int k = std::max(1, std::min(i, n - 1));  // the middle pose
    for (std::size_t v = 0; v < velocities_ && n > 0; ++v) {
      if (n == 1) {
        slope(i)[v] = steps_[v] / spans_[0];
        continue;
      }
      const double h0 = span(k - 1), h1 = span(k);
      const double d0 = steps_[at(k - 1) * velocities_ + v] / h0, d1 = steps_[at(k) * velocities_ + v] / h1;
      const double bend = (d1 - d0) / (h0 + h1);
      const double middle = d0 + bend * h0;
      slope(i)[v] = i < k ? middle - 2.0 * bend * h0 : i > k ? middle + 2.0 * bend * h1 : middle;
    }
  }
  set_rates();
  std::vector<char> inside;
  for (int i = 0; i <= n; ++i) {
    inside.push_back(inside_limits(model, Eigen::Map<const VecX>(knot(i), model.q_size())) ? 1 : 0);
  }
  for (int i = 0; i < n; ++i) inside_.push_back(inside[at(i)] & inside[at(i + 1)]);
  limit_slopes();
}

// Pauses take no part of the path, so every piece is one given pose long. The slopes are those of the path's own
// coordinates, and never so steep that the count would run backwards (Fritsch and Carlson).
void PosePath::set_rates() {
  const int n = pieces();
  rates_.assign(at(n + 1), 0.0);
  for (int i = 0; i <= n && n > 0; ++i) {
    const int before = std::max(0, i - 1), after = std::min(i, n - 1);
    const double d0 = 1.0 / span(before), d1 = 1.0 / span(after);
    const double slope = (d0 * span(after) + d1 * span(before)) / (span(before) + span(after));
    rates_[at(i)] = std::min(slope, 3.0 * std::min(d0, d1));
  }
}

double PosePath::frame(int piece, double u) const {
  const double h = span(piece);
  return frames_[at(piece + 1)] - 1.0 +
         cubic(1.0, h * rates_[at(piece)], h * rates_[at(piece + 1)], std::clamp(u, 0.0, 1.0));
}

void PosePath::limit_slopes() {
  for (const ModelJoint& joint : model_.joints()) {
    if (joint.mimic) continue;
    for (int k = 0; k < ball_of(joint); ++k) {
      const std::size_t v = at(joint.v_index + k);
      const double least = model_.lower()[joint.q_index + k], most = model_.upper()[joint.q_index + k];
      if (!std::isfinite(least) && !std::isfinite(most)) continue;
      for (int i = 0; i < pieces(); ++i) {
        const double h = span(i), step = steps_[at(i) * velocities_ + v], from = knot(i)[joint.q_index + k];
        const double lower = std::min({least, from, from + step}), upper = std::max({most, from, from + step});
        bool outside = false;
        for (int probe = 1; probe < 8 && !outside; ++probe) {
          const double value = from + cubic(step, h * slope(i)[v], h * slope(i + 1)[v], probe / 8.0);
          const double slack = 1e-9 * (1.0 + std::abs(value));
          outside = value < lower - slack || value > upper + slack;
        }
        if (!outside) continue;
        // Monotone pieces stay between their poses (Fritsch and Carlson).
        for (const int end : {i, i + 1}) {
          double& m = slope(end)[v];
          const double d = step / h;
          m = m * d <= 0.0 ? 0.0 : std::copysign(std::min(std::abs(m), 3.0 * std::abs(d)), d);
        }
      }
    }
  }
}

Vec3 PosePath::turned(const ModelJoint& joint, int piece, double u) const {
  const std::size_t v = at(joint.v_index + ball_of(joint));
  const double h = span(piece);
  const double* step = steps_.data() + at(piece) * velocities_ + v;
  const Vec3 d(step[0], step[1], step[2]);
  const Vec3 a = h * Eigen::Map<const Vec3>(slope(piece) + v);
  // The slope at the end is an angular velocity in the moved frame: as a rate of the rotation vector.
  const Vec3 b = right_jacobian_inverse(d) * (h * Eigen::Map<const Vec3>(slope(piece + 1) + v));
  Vec3 out;
  for (int i = 0; i < 3; ++i) out[i] = cubic(d[i], a[i], b[i], u);
  return out;
}

void PosePath::pose(int piece, double u, double* q) const {
  const double h = span(piece);
  std::copy(knot(piece), knot(piece) + stride_, q);
  if (u <= 0.0) return;
  if (u >= 1.0) {
    std::copy(knot(piece + 1), knot(piece + 1) + stride_, q);
    return;
  }
  const double* step = steps_.data() + at(piece) * velocities_;
  for (const ModelJoint& joint : model_.joints()) {
    if (joint.mimic || joint.v_count == 0) continue;
    const int ball = ball_of(joint);
    for (int k = 0; k < ball; ++k) {
      const int v = joint.v_index + k;
      q[joint.q_index + k] += cubic(step[v], h * slope(piece)[v], h * slope(piece + 1)[v], u);
    }
    if (ball < joint.v_count) {
      double* r = q + joint.q_index + ball;
      const Quat now = (joint_detail::quaternion(r) * exp_rotation(turned(joint, piece, u))).normalized();
      for (int i = 0; i < 4; ++i) r[i] = now.coeffs()[i];
    }
  }
  // Cones and the last bits of limits; cubics keep away from both but for rounding and a ball's short cuts.
  if (inside_[at(piece)] != 0) clamp(model_, q);
}

void PosePath::derivatives(int piece, double u, double* first, double* second) const {
  const double h = span(piece);
  const double* step = steps_.data() + at(piece) * velocities_;
  for (const ModelJoint& joint : model_.joints()) {
    if (joint.mimic || joint.v_count == 0) continue;
    const int ball = ball_of(joint);
    for (int k = 0; k < ball; ++k) {
      const int v = joint.v_index + k;
      const double a = h * slope(piece)[v], b = h * slope(piece + 1)[v];
      first[v] = cubic_slope(step[v], a, b, u) / h;
      second[v] = cubic_bend(step[v], a, b, u) / (h * h);
    }
    if (ball == joint.v_count) continue;
    const double middle = std::clamp(u, kProbe, 1.0 - kProbe);
    const Quat now = exp_rotation(turned(joint, piece, middle));
    const Vec3 back = log_rotation(now.conjugate() * exp_rotation(turned(joint, piece, middle - kProbe)));
    const Vec3 ahead = log_rotation(now.conjugate() * exp_rotation(turned(joint, piece, middle + kProbe)));
    const Vec3 bend = (ahead + back) / (kProbe * kProbe);
    const Vec3 rate = (ahead - back) / (2.0 * kProbe) + (u - middle) * bend;
    for (int i = 0; i < 3; ++i) {
      first[joint.v_index + ball + i] = rate[i] / h;
      second[joint.v_index + ball + i] = bend[i] / (h * h);
    }
  }
}

}  // namespace armature::inline v0_2
