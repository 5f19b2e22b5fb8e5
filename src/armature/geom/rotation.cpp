#include "armature/geom/rotation.hpp"

#include <cmath>
#include <string>

#include "armature/base/math.hpp"

namespace armature::inline v0_2 {

Mat3 rotation_about(const Vec3& unit_axis, double angle) {
  const math::SinCos turn = math::sin_cos(angle);
  const Vec3& a = unit_axis;
  const Vec3 s = turn.sin * a, c = (1.0 - turn.cos) * a;
  const double xy = c.x() * a.y(), xz = c.x() * a.z(), yz = c.y() * a.z();
  Mat3 r;
  r << c.x() * a.x() + turn.cos, xy - s.z(), xz + s.y(), xy + s.z(), c.y() * a.y() + turn.cos, yz - s.x(), xz - s.y(),
      yz + s.x(), c.z() * a.z() + turn.cos;
  return r;
}

Quat quaternion_about(const Vec3& unit_axis, double angle) {
  const math::SinCos half = math::sin_cos(0.5 * angle);
  return Quat(half.cos, half.sin * unit_axis.x(), half.sin * unit_axis.y(), half.sin * unit_axis.z());
}

Quat exp_rotation(const Vec3& w) {
  const double angle2 = w.squaredNorm();
  const double h = 0.25 * angle2;  // of the half angle, squared
  if (angle2 < 1.0) {              // a solver's steps: Taylor without a root, error below 1e-16
    const double sine =
        1 - h * (1.0 / 6) *
                (1 - h * (1.0 / 20) *
                         (1 - h * (1.0 / 42) * (1 - h * (1.0 / 72) * (1 - h * (1.0 / 110) * (1 - h * (1.0 / 156))))));
    const double cosine =
        1 - h * (1.0 / 2) *
                (1 - h * (1.0 / 12) *
                         (1 - h * (1.0 / 30) *
                                  (1 - h * (1.0 / 56) *
                                           (1 - h * (1.0 / 90) * (1 - h * (1.0 / 132) * (1 - h * (1.0 / 182)))))));
    const double s = 0.5 * sine;
    return Quat(cosine, s * w.x(), s * w.y(), s * w.z());
  }
  const double angle = std::sqrt(angle2);
  const math::SinCos half = math::sin_cos(0.5 * angle);
  const double s = half.sin / angle;
  return Quat(half.cos, s * w.x(), s * w.y(), s * w.z());
}

Vec3 log_rotation(const Quat& q) {
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;
  const double w = sign * q.w();
  const Vec3 v = sign * q.vec();
  const double n = v.norm();
  // angle = 2 atan2(|v|, w) is accurate everywhere; angle/|v| -> 2/w as |v| -> 0.
  if (n < 1e-12 * w) return v * (2.0 / w);
  if (n == 0.0) return Vec3::Zero();
  return v * (2.0 * math::atan2(n, w) / n);
}

Vec3 log_rotation(const Mat3& r) { return log_rotation(Quat(r)); }

Mat3 right_jacobian_inverse(const Vec3& e) {
  const double angle2 = e.squaredNorm();
  double c = 1.0 / 12.0 + angle2 / 720.0;
  if (angle2 > 1e-6) {
    const double half = 0.5 * std::sqrt(angle2);
    const math::SinCos turn = math::sin_cos(half);
    c = (1.0 - half * turn.cos / turn.sin) / angle2;
  }
  const Mat3 cross = cross_matrix(e);
  return Mat3::Identity() + 0.5 * cross + c * cross * cross;
}

Quat slerp(const Quat& a, const Quat& b, double t) {
  return (a * exp_rotation(t * log_rotation(a.conjugate() * b))).normalized();
}

namespace {
constexpr const char* kOrders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};

Mat3 axis_rotation(int axis, double angle) { return rotation_about(Vec3::Unit(axis), angle); }
}  // namespace

Result<EulerOrder> EulerOrder::parse(std::string_view text) {
  std::string lower(text.substr(0, 8));
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  for (const char* order : kOrders) {
    if (lower == order) return EulerOrder{{order[0] - 'x', order[1] - 'x', order[2] - 'x'}};
  }
  return Error{"'" + lower +
               "' is not an order of Euler angles; there are xyz, xzy, yxz, yzx, zxy, zyx, xyx, xzx, yxy, "
               "yzy, zxz and zyz."};
}

std::string_view EulerOrder::name() const {
  for (const char* order : kOrders) {
    if (order[0] - 'x' == axis[0] && order[1] - 'x' == axis[1] && order[2] - 'x' == axis[2]) return order;
  }
  return "?";
}

Mat3 euler_to_matrix(const EulerOrder& order, const Vec3& angles) {
  return axis_rotation(order.axis[0], angles[0]) * axis_rotation(order.axis[1], angles[1]) *
         axis_rotation(order.axis[2], angles[2]);
}

Quat euler_to_quaternion(const EulerOrder& order, const Vec3& angles) {
  const auto turn = [](int axis, double angle) { return quaternion_about(Vec3::Unit(axis), angle); };
  return turn(order.axis[0], angles[0]) * turn(order.axis[1], angles[1]) * turn(order.axis[2], angles[2]);
}

Vec3 matrix_to_euler(const EulerOrder& order, const Mat3& r, const Vec3& near) {
  const int i = order.axis[0];
  const int j = order.axis[1];
  const int k = order.proper() ? 3 - i - j : order.axis[2];
  const double parity = (j - i + 3) % 3 == 1 ? 1.0 : -1.0;  // +1 when (i, j, k) is right-handed
  // With a = angles: the middle angle has (sine or cosine) in one entry, the outer two in its row and column.
  Vec3 a;
  double lock = 0.0;  // |cos| (or |sin| for proper orders) of the middle angle: 0 at gimbal lock
  if (order.proper()) {
    const double s = math::hypot(r(i, j), r(i, k));
    a[1] = math::atan2(s, r(i, i));
    lock = s;
    a[0] = math::atan2(r(j, i), -parity * r(k, i));
  } else {
    const double c = math::hypot(r(i, i), r(i, j));
    a[1] = math::atan2(parity * r(i, k), c);
    lock = c;
    a[0] = math::atan2(-parity * r(j, k), r(k, k));
  }
  // At gimbal lock only a combination of the outer angles is determined: the first stays at `near`. Near it the first
  // is noisy, so the last is always solved for what the first two leave, which makes up for that noise.
  const bool locked = lock < 1e-12;
  if (locked) a[0] = near[0];
  const Mat3 rest = (axis_rotation(i, a[0]) * axis_rotation(j, a[1])).transpose() * r;
  const int last = order.axis[2];
  const int u = (last + 1) % 3;
  const int v = (last + 2) % 3;
  a[2] = math::atan2(rest(v, u) - rest(u, v), rest(u, u) + rest(v, v));
  if (locked) {
    a[2] += 2.0 * kPi * std::round((near[2] - a[2]) / (2.0 * kPi));
    return a;
  }
  // The other branch of the same rotation.
  Vec3 b(a[0] + kPi, order.proper() ? -a[1] : kPi - a[1], a[2] + kPi);
  for (int n = 0; n < 3; ++n) {
    a[n] += 2.0 * kPi * std::round((near[n] - a[n]) / (2.0 * kPi));
    b[n] += 2.0 * kPi * std::round((near[n] - b[n]) / (2.0 * kPi));
  }
  return (b - near).squaredNorm() < (a - near).squaredNorm() ? b : a;
}

SwingTwist swing_twist(const Quat& q, const Vec3& axis) {
  const double along = q.vec().dot(axis);
  const double n = math::hypot(along, q.w());
  Quat twist = Quat::Identity();
  if (n > 1e-15) twist = Quat(q.w() / n, along / n * axis.x(), along / n * axis.y(), along / n * axis.z());
  const double sign = twist.w() < 0.0 ? -1.0 : 1.0;
  const double angle = n > 1e-15 ? 2.0 * math::atan2(sign * along / n, sign * q.w() / n) : 0.0;
  return {q * twist.conjugate(), angle};
}

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

double wrap_angle(double angle) {
  const double turned = angle - 2.0 * kPi * std::floor((angle + kPi) / (2.0 * kPi));
  return turned >= kPi ? turned - 2.0 * kPi : turned;
}

Mat3 orthonormalized(const Mat3& m) {
  Vec3 x = m.col(0);
  Vec3 y = m.col(1);
  if (!(x.norm() > 1e-12)) return Mat3::Identity();
  x.normalize();
  y -= x * x.dot(y);
  if (!(y.norm() > 1e-12)) return Mat3::Identity();
  y.normalize();
  Mat3 r;
  r << x, y, x.cross(y);
  return r;
}

}  // namespace armature::inline v0_2
