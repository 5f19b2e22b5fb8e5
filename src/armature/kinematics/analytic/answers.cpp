#include "armature/kinematics/analytic/answers.hpp"

#include <algorithm>
#include <cmath>

#include "armature/geom/linalg.hpp"
#include "armature/geom/rotation.hpp"

namespace armature::inline v0_2::analytic {
namespace {

void errors(const Transform& goal, const Transform& X, Vec3& d, Vec3& r) {
  d = goal.position - X.position;
  r = log_rotation(Mat3(goal.rotation * X.rotation.transpose()));
}

}  // namespace

double pose_error(const Arm& arm, const Transform& goal, const double* values) {
  Vec3 d, r;
  errors(goal, forward(arm, values), d, r);
  return std::max(d.norm(), r.norm());
}

namespace {

/// Errors of the tip (translation, rotation) and its derivative, column by column; returns the larger error.
double differentiate(const Arm& arm, const Transform& goal, const double* values, bool position_only, double* e,
                     double* J) {
  Vec3 axis[kMaxArmJoints], point[kMaxArmJoints], d, r;
  Transform X;
  for (int i = 0; i < arm.count; ++i) {
    axis[i] = X.rotation * arm.axis[i];
    point[i] = X * arm.point[i];
    X = X * joint_motion(arm, i, values[i]);
  }
  X = X * arm.tip;
  errors(goal, X, d, r);
  if (position_only) r.setZero();
  for (int i = 0; i < arm.count; ++i) {
    const Vec3 lever = arm.slides[i] ? axis[i] : Vec3(axis[i].cross(X.position - point[i]));
    for (int k = 0; k < 3; ++k) {
      J[6 * i + k] = lever[k];
      J[6 * i + 3 + k] = arm.slides[i] || position_only ? 0.0 : axis[i][k];
    }
  }
  for (int k = 0; k < 3; ++k) {
    e[k] = d[k];
    e[3 + k] = r[k];
  }
  return std::max(d.norm(), r.norm());
}

/// The damped step into b; false when the system cannot be solved.
bool damped_step(const double* J, const double* e, int n, double damping, double* b) {
  double A[kMaxArmJoints * kMaxArmJoints];
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      A[n * i + j] = i == j ? damping : 0.0;
      for (int k = 0; k < 6; ++k) A[n * i + j] += J[6 * i + k] * J[6 * j + k];
    }
    b[i] = 0.0;
    for (int k = 0; k < 6; ++k) b[i] += J[6 * i + k] * e[k];
  }
  return ldlt_solve(A, b, n) > 1e-18;
}

}  // namespace

double polish(const Arm& arm, const Transform& goal, double* values, int iterations, bool position_only) {
  double trial[kMaxArmJoints], J[6 * kMaxArmJoints], e[6], b[kMaxArmJoints], best = 1e300;
  std::copy(values, values + arm.count, trial);
  const int rows = position_only ? 3 : 6, n = arm.count;
  const auto move = [&](double* from) {
    double largest = 0.0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(b[i]));
    const double scale = largest > 0.5 ? 0.5 / largest : 1.0;
    for (int i = 0; i < n; ++i) trial[i] = from[i] + scale * b[i];
  };
  for (int it = 0; it <= iterations; ++it) {
    const double error = differentiate(arm, goal, trial, position_only, e, J);
    if (!(error < best)) break;
    best = error;
    std::copy(trial, trial + n, values);
    if (best < 1e-15 || it == iterations) break;
    if (rows == n) {
      double A[kMaxArmJoints * kMaxArmJoints];
      for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) A[n * i + k] = J[6 * i + k];
      }
      std::copy(e, e + n, b);
      if (!(lu_solve(A, b, n) > 1e-14)) break;
    } else if (!damped_step(J, e, n, 0.0, b)) {
      break;
    }
    move(trial);
  }
  // Near singular poses plain steps lead away: damped ones, for starts that are nearly there.
  double damping = 1e-3 * best;
  for (int it = 0; it < 30 && best > 1e-10 && best < 1e-2 && damping < 10.0; ++it) {
    differentiate(arm, goal, values, position_only, e, J);
    if (!damped_step(J, e, n, damping, b)) {
      damping = std::max(10.0 * damping, 1e-12);
      continue;
    }
    move(values);
    double ignored_e[6], ignored_J[6 * kMaxArmJoints];
    const double error = differentiate(arm, goal, trial, position_only, ignored_e, ignored_J);
    if (error < best) {
      best = error;
      std::copy(trial, trial + n, values);
      damping *= 0.1;
    } else {
      damping *= 10.0;
    }
  }
  for (int i = 0; i < n; ++i) {
    if (!arm.slides[i]) values[i] = std::remainder(values[i], 2.0 * kPi);
  }
  return best;
}

bool add_answer(const Arm& arm, const double* values, double residual, double same, ArmAnswers& out) {
  for (int k = 0; k < out.count; ++k) {
    double away = 0.0;
    for (int i = 0; i < arm.count; ++i) {
      const double d = values[i] - out.value[k][i];
      away = std::max(away, std::abs(arm.slides[i] ? d : std::remainder(d, 2.0 * kPi)));
    }
    if (away < same) return false;
  }
  if (out.count == kMaxAnswers) {
    out.complete = false;
    return false;
  }
  std::copy(values, values + arm.count, out.value[out.count]);
  out.residual[out.count++] = residual;
  return true;
}

}  // namespace armature::inline v0_2::analytic
