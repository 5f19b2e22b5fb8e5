#include "armature/solve/methods/coordinate_descent.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

// The objective along one turn: |d + advance t a + cos t u + sin t w|^2 summed over places, cos and sin of rotations.
struct Along {
  double c1 = 0.0, s1 = 0.0, c2 = 0.0, s2 = 0.0;  // first and second harmonics
  double linear = 0.0, square = 0.0;              // of a screw's advance
  double tc = 0.0, ts = 0.0;                      // t cos t and t sin t

  double operator()(double t) const {
    const double c = math::cos(t);
    const double s = math::sin(t);
    return c1 * c + s1 * s + c2 * (c * c - s * s) + s2 * 2.0 * s * c + linear * t + square * t * t +
           t * (tc * c + ts * s);
  }
  void add(double weight, const Vec3& d, const Vec3& u, const Vec3& w, const Vec3& a) {
    c1 += weight * 2.0 * d.dot(u);
    s1 += weight * 2.0 * d.dot(w);
    c2 += weight * 0.5 * (u.squaredNorm() - w.squaredNorm());
    s2 += weight * u.dot(w);
    linear += weight * 2.0 * d.dot(a);
    square += weight * a.squaredNorm();
    tc += weight * 2.0 * a.dot(u);
    ts += weight * 2.0 * a.dot(w);
  }
};

// Least value of f in [low, high] (which holds 0), by samples and then golden sections around the best one.
double search(const Along& f, double low, double high) {
  constexpr int kSamples = 24;
  low = std::max(low, -kPi);
  high = std::min(high, kPi);
  double best = 0.0;
  double least = f(0.0);
  const double pitch = (high - low) / kSamples;
  for (int i = 0; i <= kSamples; ++i) {
    const double t = low + i * pitch;
    const double value = f(t);
    if (value < least) {
      least = value;
      best = t;
    }
  }
  double a = std::max(low, best - pitch);
  double b = std::min(high, best + pitch);
  constexpr double kGolden = 0.6180339887498949;
  for (int i = 0; i < 48 && b - a > 1e-12; ++i) {
    const double c = b - kGolden * (b - a);
    const double d = a + kGolden * (b - a);
    if (f(c) < f(d)) {
      b = d;
    } else {
      a = c;
    }
  }
  const double middle = 0.5 * (a + b);
  return f(middle) < least ? middle : best;
}

// Least value of c1 cos t + s1 sin t in [low, high], nearest to 0 among equals.
double best_turn(const Along& f, double low, double high) {
  const double t = math::atan2(-f.s1, -f.c1);
  if (t >= low && t <= high) return t;
  for (const double turned : {t - 2.0 * kPi, t + 2.0 * kPi}) {
    if (turned >= low && turned <= high) return turned;
  }
  return f(low) < f(high) ? low : high;
}

// Rotation (as a rotation vector) that carries the places and frames best onto their goals, about `origin`.
Vec3 best_ball_rotation(const std::vector<Wanted>& wanted, int begin, int end, const Vec3& origin) {
  // One place alone: the short way round. Several: Davenport's quaternion of the attitude profile matrix B (Wahba
  // 1965), with a whiff of identity so that what no goal decides stays as it is.
  Mat3 B = Mat3::Zero();
  int terms = 0;
  Vec3 from = Vec3::Zero();
  Vec3 to = Vec3::Zero();
  for (const Wanted& w : wanted) {
    if (w.link < begin || w.link >= end) continue;
    if (w.weight > 0.0) {
      from = w.place - origin;
      // Free axes: whatever the place is now is fine.
      to = w.counts.cwiseProduct(w.goal) + (Vec3::Ones() - w.counts).cwiseProduct(w.place) - origin;
      B += w.weight * to * from.transpose();
      ++terms;
    }
    if (w.turn_weight > 0.0) {
      B += w.turn_weight * w.turn_goal * w.turn.transpose();
      terms += 2;
    }
  }
  if (terms == 0) return Vec3::Zero();
  if (terms == 1) {
    const double c = from.dot(to);
    const Vec3 n = from.cross(to);
    const double s = n.norm();
    if (s > 1e-15 * (std::abs(c) + s)) return n * (math::atan2(s, c) / s);
    if (c >= 0.0 || from.norm() == 0.0) return Vec3::Zero();
    return kPi * from.unitOrthogonal();
  }
  B += 1e-9 * B.norm() * Mat3::Identity();
  const Mat3 S = B + B.transpose();
  const Vec3 z(B(2, 1) - B(1, 2), B(0, 2) - B(2, 0), B(1, 0) - B(0, 1));
  double K[16];
  const auto k = [&](int r, int c) -> double& { return K[4 * c + r]; };
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) k(r, c) = S(r, c) - (r == c ? B.trace() : 0.0);
    k(r, 3) = k(3, r) = z[r];
  }
  k(3, 3) = B.trace();
  // Cyclic Jacobi on the symmetric 4 x 4; the eigenvector of the largest eigenvalue is the quaternion.
  double V[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  for (int sweep = 0; sweep < 20; ++sweep) {
    double off = 0.0;
    for (int p = 0; p < 3; ++p) {
      for (int r = p + 1; r < 4; ++r) off += k(p, r) * k(p, r);
    }
    double diagonal = 0.0;
    for (int p = 0; p < 4; ++p) diagonal += k(p, p) * k(p, p);
    if (off <= 1e-32 * diagonal) break;
    for (int p = 0; p < 3; ++p) {
      for (int r = p + 1; r < 4; ++r) {
        if (k(p, r) == 0.0) continue;
        const double theta = (k(r, r) - k(p, p)) / (2.0 * k(p, r));
        const double t = (theta >= 0.0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(1.0 + theta * theta));
        const double c = 1.0 / std::sqrt(1.0 + t * t);
        const double s = c * t;
        for (int i = 0; i < 4; ++i) {
          const double x = k(i, p);
          const double y = k(i, r);
          k(i, p) = c * x - s * y;
          k(i, r) = s * x + c * y;
        }
        for (int i = 0; i < 4; ++i) {
          const double x = k(p, i);
          const double y = k(r, i);
          k(p, i) = c * x - s * y;
          k(r, i) = s * x + c * y;
          const double vx = V[4 * p + i];
          const double vy = V[4 * r + i];
          V[4 * p + i] = c * vx - s * vy;
          V[4 * r + i] = s * vx + c * vy;
        }
      }
    }
  }
  int best = 0;
  for (int i = 1; i < 4; ++i) {
    if (k(i, i) > k(best, best)) best = i;
  }
  const double* q = V + 4 * best;
  return log_rotation(Quat(q[3], q[0], q[1], q[2]));
}

}  // namespace

double CoordinateDescent::objective() const {
  double sum = 0.0;
  for (const Wanted& w : wanted) sum += w.objective();
  return sum;
}

Change CoordinateDescent::best(const Stack& stack, const Handle& handle, const double* q,
                               const std::vector<Wanted>& places) const {
  const Model& model = stack.model();
  const int end = model.subtree_end(handle.link);
  Change change;
  if (handle.kind == Handle::Kind::coupled) return change;
  if (handle.kind == Handle::Kind::ball) {
    const Vec3 origin = stack.state.X_WL[at(handle.link)].position;
    change.rotation = best_ball_rotation(places, handle.link, end, origin);
    const Mat3 R = exp_rotation(change.rotation).toRotationMatrix();
    for (const Wanted& w : places) {
      if (w.link < handle.link || w.link >= end) continue;
      Wanted after = w;
      after.rotate(R, origin);
      change.gain += w.objective() - after.objective();
    }
    return change;
  }
  const double low = stack.lower()[handle.coordinate] - q[handle.coordinate];
  const double high = stack.upper()[handle.coordinate] - q[handle.coordinate];
  const bool turns = handle.kind != Handle::Kind::slide;
  const WorldAxis axis = world_axis(model, stack.state, handle.link, handle.velocity, turns);
  const Vec3& a = axis.direction;
  if (!turns) {
    double along = 0.0;
    double square = 0.0;
    for (const Wanted& w : places) {
      if (w.link < handle.link || w.link >= end) continue;
      const Vec3 counted = w.counts.cwiseProduct(a);
      along += w.weight * counted.dot(w.goal - w.place);
      square += w.weight * counted.squaredNorm();
    }
    if (!(square > 0.0)) return change;
    change.amount = std::clamp(along / square, low, high);
    change.gain = change.amount * (2.0 * along - change.amount * square);
    return change;
  }
  Along f;
  for (const Wanted& w : places) {
    if (w.link < handle.link || w.link >= end) continue;
    const Vec3 r = w.place - axis.point;
    const Vec3 along = a * a.dot(r);
    if (w.weight > 0.0) {
      f.add(w.weight, w.counts.cwiseProduct(axis.point + along - w.goal), w.counts.cwiseProduct(r - along),
            w.counts.cwiseProduct(a.cross(r)), w.counts.cwiseProduct(axis.advance * a));
    }
    if (w.turn_weight > 0.0) {
      const Mat3 K = w.turn * w.turn_goal.transpose();
      f.c1 -= 2.0 * w.turn_weight * (K.trace() - a.dot(K * a));
      f.s1 -= 2.0 * w.turn_weight * a.dot(Vec3(K(1, 2) - K(2, 1), K(2, 0) - K(0, 2), K(0, 1) - K(1, 0)));
    }
  }
  const double first = std::abs(f.c1) + std::abs(f.s1);
  const double second = std::abs(f.c2) + std::abs(f.s2);
  const bool plain = second <= 1e-12 * first && axis.advance == 0.0;
  // A place or goal on the axis cannot be helped by turning; rounding alone must not make the joint spin.
  const double scale = stack.length * stack.length;
  if (!(first + second + std::abs(f.linear) > 1e-12 * scale)) return change;
  change.amount = plain ? best_turn(f, low, high) : search(f, low, high);
  change.gain = f(0.0) - f(change.amount);
  if (!(change.gain > 1e-14 * (first + second))) change.amount = change.gain = 0.0;
  return change;
}

void CoordinateDescent::make(Stack& stack, const Handle& handle, const Change& change, double fraction, double max_step,
                             double* q, std::vector<Wanted>& places) const {
  const Model& model = stack.model();
  const int v = stack.active[at(handle.column)];
  fraction *= std::min(1.0, stack.problem().joint_weight(v));
  const Transform& X = stack.state.X_WL[at(handle.link)];
  Mat3 R = Mat3::Identity();
  Vec3 about = X.position;
  Vec3 shift = Vec3::Zero();
  if (handle.kind == Handle::Kind::ball) {
    Vec3 w = fraction * change.rotation;
    if (max_step > 0.0 && w.norm() > max_step) w *= max_step / w.norm();
    if (w.isZero(0.0)) return;
    double* r = q + handle.coordinate;
    const Quat old = joint_detail::quaternion(r);
    // Turning the world about the ball is turning the child about its own axes.
    Quat turned = (old * exp_rotation(X.rotation.transpose() * w)).normalized();
    const std::optional<ConeLimit>& cone = model.joint(handle.link).cone;
    if (cone && clamp_to_cone(*cone, turned)) w = X.rotation * log_rotation(old.conjugate() * turned);
    for (int k = 0; k < 4; ++k) r[k] = turned.coeffs()[k];
    const Vec3 local = X.rotation.transpose() * w;
    for (int k = 0; k < 3; ++k) stack.step[handle.column + k] += local[k];
    R = exp_rotation(w).toRotationMatrix();
  } else {
    const bool turns = handle.kind != Handle::Kind::slide;
    double amount = fraction * change.amount;
    if (max_step > 0.0) {
      const double most = max_step * stack.unit_of(handle.column);
      amount = std::clamp(amount, -most, most);
    }
    double& coordinate = q[handle.coordinate];
    const double before = coordinate;
    coordinate =
        std::max(stack.lower()[handle.coordinate], std::min(stack.upper()[handle.coordinate], before + amount));
    amount = coordinate - before;
    if (amount == 0.0) return;
    stack.step[handle.column] += amount;
    const WorldAxis axis = world_axis(model, stack.state, handle.link, handle.velocity, turns);
    if (turns) R = Transform::rotate(axis.direction.normalized(), amount).rotation;
    about = axis.point;
    shift = axis.direction * (turns ? axis.advance * amount : amount);
  }
  const int end = model.subtree_end(handle.link);
  for (Wanted& w : places) {
    if (w.link < handle.link || w.link >= end) continue;
    w.rotate(R, about);
    w.place += shift;
  }
}

void CoordinateDescent::descend_coupled(Stack& stack, const Handle& handle, double* q) {
  stack.evaluate(q);
  stack.differentiate();
  const auto column = stack.A.col(handle.column);
  const double square = column.squaredNorm();
  const double before = stack.error_norm();
  const int n = stack.model().q_size();
  std::copy(q, q + n, kept_.data());
  double amount = square > 0.0 ? column.dot(stack.error) / square : 0.0;
  bool better = false;
  earlier_ = stack.step;
  for (int attempt = 0; attempt < 8 && amount != 0.0 && !better; ++attempt) {
    u_.setZero();
    u_[handle.column] = amount;
    stack.keep_closed(u_);
    stack.apply(q, u_, 1.0);
    stack.evaluate(q);
    better = stack.error_norm() < (1.0 - 1e-12) * before;
    amount *= 0.5;
    if (!better) std::copy(kept_.data(), kept_.data() + n, q);
  }
  if (!better) stack.evaluate(q);
  if (!better) stack.step.setZero();
  stack.step += earlier_;
}

}  // namespace armature::inline v0_2
