// Errors and wrenches of the goal types. Notation: L the link, B the base, W the world; w is an angular velocity.
#include "armature/solve/goal_types.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/geom/rotation.hpp"

namespace armature::inline v0_2 {
namespace {

Transform frame_in_world(const State& state, int link) {
  return link == kWorld ? Transform{} : state.X_WL[static_cast<std::size_t>(link)];
}

// Starts a goal that moves `link` against `base`, both measured at the world point `at`.
void begin_rows(GoalRows& out, int link, int base, const Vec3& at) {
  out.rows = 0;
  out.links = 1;
  out.link[0] = link;
  out.at[0] = at;
  if (base == kWorld) return;
  out.links = 2;
  out.link[1] = base;
  out.at[1] = at;
}

// One row for link against base; force and moment in world axes.
void add_row(GoalRows& out, double error, const Vec3& force, const Vec3& moment) {
  const int r = out.rows++;
  out.error[static_cast<std::size_t>(r)] = error;
  out.wrench[0].row(r) << force.transpose(), moment.transpose();
  if (out.links > 1) out.wrench[1].row(r) = -out.wrench[0].row(r);
}

// What of `error` lies outside the box, and whether its row counts at all.
bool outside_box(double box, double& error) {
  if (box <= 0.0) return true;
  const double excess = std::abs(error) - box;
  const bool counts = !(excess <= 0.0);  // what is no number is not inside
  error = counts ? std::copysign(excess, error) : 0.0;
  return counts;
}

// Rows of a point's place. `axes_B` holds the axes that count as columns, in the base's frame.
void position_rows(const Axes& mask, const Mat3& axes_B, const Mat3& R_WB, const Vec3& error_B, GoalRows& out) {
  for (int i = 0; i < 3; ++i) {
    if (mask.free[static_cast<std::size_t>(i)]) continue;
    double error = axes_B.col(i).dot(error_B);
    const bool counts = outside_box(mask.box[i], error);
    add_row(out, error, counts ? Vec3(R_WB * axes_B.col(i)) : Vec3::Zero(), Vec3::Zero());
  }
}

// Rotation vector that turns the unit vector u the short way to the unit vector a, and minus its derivative when u
// turns with w: d error = f a x (u x w) + g n (n . w), n = u x a.
struct Swing {
  Vec3 error;
  Mat3 slope;
};
Swing swing_to(const Vec3& u, const Vec3& a) {
  const Vec3 n = u.cross(a);
  const double c = u.dot(a);
  const double s = n.norm();
  const double angle = math::atan2(s, c);
  double f = 1.0 + s * s / 6.0;  // angle / s
  double g = -1.0 / 3.0;         // (angle c - s) / s^3
  if (c < 0.0 || s > 1e-4) {
    const double safe = std::max(s, 1e-9);
    f = angle / safe;
    g = (angle * c - safe) / (safe * safe * safe);
  }
  Swing swing;
  swing.error = f * n;
  if (c < 0.0 && s < 1e-9) {  // opposite: half a turn about any axis across u
    const Vec3 across = u.unitOrthogonal();
    swing.error = kPi * across;
    f = kPi;
    g = 0.0;
    swing.slope = across * across.transpose();
    return swing;
  }
  swing.slope = -(f * cross_matrix(a) * cross_matrix(u)) - g * n * n.transpose();
  return swing;
}

// Rows of a rotation. R_BL is the actual one, R_BT the target's.
void orientation_rows(const Axes& mask, const Mat3& R_WB, const Mat3& R_BL, const Mat3& R_BT, GoalRows& out) {
  if (mask.rows() == 0) return;
  Vec3 error;  // along the axes that count
  Mat3 slope;  // -d error / d w, w in base axes
  if (mask.rows() == 2) {
    const int k = mask.free[0] ? 0 : mask.free[1] ? 1 : 2;
    const Vec3 axis = Vec3::Unit(k);
    const Mat3 E = mask.of_target() ? Mat3(R_BT.transpose() * R_BL) : Mat3(R_BL * R_BT.transpose());
    const Swing swing = swing_to(E * axis, axis);
    error = swing.error;
    slope = mask.of_target() ? Mat3(swing.slope * R_BT.transpose()) : swing.slope;
  } else {
    const Vec3 e = log_rotation(Mat3(R_BT * R_BL.transpose()));
    error = e;
    slope = right_jacobian_inverse(e);
    if (mask.of_target()) {
      error = R_BT.transpose() * e;
      slope = R_BT.transpose() * slope;
    }
  }
  for (int i = 0; i < 3; ++i) {
    if (mask.free[static_cast<std::size_t>(i)]) continue;
    double value = error[i];
    const bool counts = outside_box(mask.box[i], value);
    add_row(out, value, Vec3::Zero(), counts ? Vec3(R_WB * slope.row(i).transpose()) : Vec3::Zero());
  }
}

}  // namespace

double Axes::outside(int axis, double error) const {
  outside_box(box[axis], error);
  return error;
}

void linearize(const FrameTarget& frame, const State& state, GoalRows& out) {
  const Transform X_WB = frame_in_world(state, frame.base);
  const Transform X_WL = frame_in_world(state, frame.link);
  const Vec3 p_W = X_WL * frame.point;
  begin_rows(out, frame.link, frame.base, p_W);
  if (frame.position) {
    const Vec3 error_B = frame.target.position - X_WB.rotation.transpose() * (p_W - X_WB.position);
    const bool own = frame.orientation && frame.position_axes.of_target();  // a position target has no orientation
    position_rows(frame.position_axes, own ? frame.target.rotation : Mat3(Mat3::Identity()), X_WB.rotation, error_B,
                  out);
  }
  if (frame.orientation) {
    orientation_rows(frame.orientation_axes, X_WB.rotation, X_WB.rotation.transpose() * X_WL.rotation,
                     frame.target.rotation, out);
  }
}

void AimGoal::linearize(const State& state, const GoalLinks& links, GoalRows& out) const {
  // In the link's frame the direction d stands still and the target's direction a moves: error = swing from d to a,
  // whose two components across d are the rows.
  const Transform X_WL = frame_in_world(state, links.link);
  const Vec3 eye_W = X_WL * point;
  const Vec3 to_target_W = frame_in_world(state, links.base) * target - eye_W;
  const double distance = to_target_W.norm();
  const Vec3 d = direction.normalized();
  const Vec3 b1 = d.unitOrthogonal();
  const Vec3 b2 = d.cross(b1);
  begin_rows(out, links.link, links.base, eye_W + to_target_W);
  if (!(distance > 1e-12 * (eye_W.norm() + distance + 1e-290))) {  // at the eye: no direction to look in
    add_row(out, 0.0, Vec3::Zero(), Vec3::Zero());
    add_row(out, 0.0, Vec3::Zero(), Vec3::Zero());
    return;
  }
  const Vec3 a = X_WL.rotation.transpose() * to_target_W / distance;
  // swing_to(d, a) = - swing_to(a, d), and a turns by w_a = a x (velocity of the target seen from the link)/distance.
  const Swing swing = swing_to(a, d);
  // Velocity of the target in link axes = R^T (v_target - (v_L + w_L x (target - eye))) = -R^T (v_L at the target's
  // place - v_B there): a pure force at the target's place, on link and, reversed, on base.
  const Mat3 turn = cross_matrix(a) * X_WL.rotation.transpose() / distance;
  for (const Vec3& b : {b1, b2}) {
    add_row(out, -b.dot(swing.error), (b.transpose() * swing.slope * turn).transpose(), Vec3::Zero());
  }
}

void PointOnLineGoal::linearize(const State& state, const GoalLinks& links, GoalRows& out) const {
  const Transform X_WB = frame_in_world(state, links.base);
  const Vec3 p_W = frame_in_world(state, links.link) * point;
  begin_rows(out, links.link, links.base, p_W);
  const Vec3 along = direction.normalized();
  const Vec3 error_B = target - X_WB.rotation.transpose() * (p_W - X_WB.position);
  const Vec3 b1 = along.unitOrthogonal();
  for (const Vec3& b : {b1, Vec3(along.cross(b1))}) add_row(out, b.dot(error_B), X_WB.rotation * b, Vec3::Zero());
}

void PointOnPlaneGoal::linearize(const State& state, const GoalLinks& links, GoalRows& out) const {
  const Transform X_WB = frame_in_world(state, links.base);
  const Vec3 p_W = frame_in_world(state, links.link) * point;
  begin_rows(out, links.link, links.base, p_W);
  const Vec3 n = normal.normalized();
  const Vec3 error_B = target - X_WB.rotation.transpose() * (p_W - X_WB.position);
  add_row(out, n.dot(error_B), X_WB.rotation * n, Vec3::Zero());
}

void DistanceGoal::linearize(const State& state, const GoalLinks& links, GoalRows& out) const {
  const Vec3 p_W = frame_in_world(state, links.link) * point;
  const Vec3 other_W = frame_in_world(state, links.base) * target;
  const Vec3 apart = p_W - other_W;
  const double length = apart.norm();
  const Vec3 away = length > 0.0 ? Vec3(apart / length) : Vec3::UnitX();  // coincident: any way apart will do
  begin_rows(out, links.link, links.base, p_W);
  if (out.links > 1) out.at[1] = other_W;
  add_row(out, distance - length, away, Vec3::Zero());
}

void PoleGoal::linearize(const State& state, const GoalLinks& links, GoalRows& out) const {
  // n along the limb, m and p the parts of middle and pole across it, r = |m|, phi the angle from m to p about n.
  // error = r phi; d error = phi dr + r (turn of p - turn of m), turn of x = t_x . (dx - ds - h_x dn) / |x across|.
  const Vec3 s_W = frame_in_world(state, links.upper).position;
  const Vec3 m_W = frame_in_world(state, links.middle).position;
  const Vec3 e_W = frame_in_world(state, links.link).position;
  const Vec3 p_W = frame_in_world(state, links.base) * target;
  out.rows = 1;
  out.links = links.base == kWorld ? 3 : 4;
  out.link = {links.upper, links.middle, links.link, links.base};
  out.at = {s_W, m_W, e_W, p_W};
  out.error[0] = 0.0;
  for (auto& wrench : out.wrench) wrench.row(0).setZero();

  const double length = (e_W - s_W).norm();
  const double scale = length + (m_W - s_W).norm();
  if (!(length > 1e-12 * scale)) return;  // folded onto itself: no line to turn about
  const Vec3 n = (e_W - s_W) / length;
  const double h_m = n.dot(m_W - s_W);
  const double h_p = n.dot(p_W - s_W);
  const Vec3 m = m_W - s_W - h_m * n;
  const Vec3 p = p_W - s_W - h_p * n;
  const double r = m.norm();
  const double rho = p.norm();
  if (!(r > 1e-12 * scale) || !(rho > 1e-9 * (scale + std::abs(h_p)))) return;  // straight limb, or pole on its line
  const Vec3 m_hat = m / r;
  const Vec3 p_hat = p / rho;
  const Vec3 t_m = n.cross(m_hat);
  const Vec3 t_p = n.cross(p_hat);
  const double phi = math::atan2(n.dot(m_hat.cross(p_hat)), m_hat.dot(p_hat));
  out.error[0] = r * phi;
  // d error = of_m . (dm - ds) + of_p . (dp - ds) + of_n . dn, dn = across(de - ds) / length
  const Vec3 of_m = phi * m_hat - t_m;
  const Vec3 of_p = (r / rho) * t_p;
  const Vec3 of_n =
      (-(phi * h_m) * m_hat + h_m * t_m - (r / rho * h_p) * t_p) / length;  // m_hat, t_m, t_p are across n
  out.wrench[0].row(0).head<3>() = (of_m + of_p + of_n).transpose();
  out.wrench[1].row(0).head<3>() = -of_m.transpose();
  out.wrench[2].row(0).head<3>() = -of_n.transpose();
  out.wrench[3].row(0).head<3>() = -of_p.transpose();
}

GoalRows::Wrench& GoalRows::add(const State& state, const LinkRef& which, const Vec3& point) {
  ARMATURE_CHECK(links < kMaxGoalLinks, "GoalRows::add: a goal can look at kMaxGoalLinks links");
  const int index = which.named() ? state.model.lookup_link(which.name()).value_or(kWorld) : which.index();
  ARMATURE_CHECK(index >= 0 && index < state.model.link_count(), "GoalRows::add: no such link");
  const auto n = static_cast<std::size_t>(links++);
  link[n] = index;
  at[n] = point;
  wrench[n].setZero();
  return wrench[n];
}

void CustomGoal::linearize(const State& state, const GoalLinks& /*links*/, GoalRows& out) const {
  out.rows = row_count();
  out.links = 0;
  out.error.fill(0.0);
  function->linearize(state, out);
}

}  // namespace armature::inline v0_2
