#include "armature/kinematics/analytic/cartesian.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/rng.hpp"
#include "armature/kinematics/analytic/spherical.hpp"

namespace armature::inline v0_2::analytic {
namespace {

constexpr double kFlatTurn = 1e-9;  // volume of three unit directions that counts as none

/// Where the turns `q` lead without the slides; the slides' directions there.
Transform turned(const CartesianArm& c, const double* q, Mat3& directions) {
  Transform X;
  int slide = 0;
  for (int i = 0; i < 6; ++i) {
    if (c.arm.slides[i]) {
      directions.col(slide++) = X.rotation * c.arm.axis[i];
    } else {
      X = X * joint_motion(c.arm, i, q[i]);
    }
  }
  return X;
}

}  // namespace

bool make_cartesian(const Arm& arm, CartesianArm& out) {
  if (arm.count != 6) return false;
  out.arm = arm;
  int turns = 0, slides = 0;
  for (int i = 0; i < 6; ++i) {
    if ((arm.slides[i] ? slides : turns) == 3) return false;
    (arm.slides[i] ? out.slides[slides++] : out.turns[turns++]) = i;
  }
  if (parallel_gap(arm, out.turns[0], out.turns[1]) < 1e-3 || parallel_gap(arm, out.turns[1], out.turns[2]) < 1e-3) {
    return false;
  }
  Rng rng(3);
  double most = 0.0;
  for (int n = 0; n < 4; ++n) {
    double q[kMaxArmJoints];
    for (double& value : q) value = rng.uniform(-3.0, 3.0);
    Mat3 directions;
    turned(out, q, directions);
    most = std::max(most, std::abs(directions.determinant()));
  }
  return most > 1e-3;
}

void solve(const CartesianArm& c, const Transform& goal, const double* start, ArmAnswers& out) {
  out.clear();
  const Arm& arm = c.arm;
  const Transform X = goal * arm.tip.inverse();
  const Vec3 k[3] = {arm.axis[c.turns[0]], arm.axis[c.turns[1]], arm.axis[c.turns[2]]};
  double angles[2][3];
  bool free = false;
  const int count = solve_rotation(k, X.rotation, start[c.turns[0]], angles, free);
  if (free) out.free_joints |= (1u << c.turns[0]) | (1u << c.turns[2]);
  for (int n = 0; n < count; ++n) {
    double q[kMaxArmJoints] = {};
    for (int i = 0; i < 3; ++i) q[c.turns[i]] = angles[n][i];
    Mat3 directions;
    const Transform there = turned(c, q, directions);
    if (!(std::abs(directions.determinant()) > kFlatTurn)) {  // two slides in line: none, or a curve
      out.complete = false;
      continue;
    }
    const Vec3 shift = directions.inverse() * (X.position - there.position);
    for (int i = 0; i < 3; ++i) q[c.slides[i]] = shift[i];
    double error = pose_error(arm, goal, q);
    if (error > (free ? 1e-10 : 1e-13)) error = polish(arm, goal, q, 10);
    if (error < 1e-9) {
      add_answer(arm, q, error, 1e-7, out);
    } else {
      out.complete = false;
    }
  }
}

}  // namespace armature::inline v0_2::analytic
