// Class G: the equations of general.inl, made once per arm, and the choice among them.
#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/base/rng.hpp"
#include "armature/geom/svd.hpp"
#include "armature/kinematics/analytic/six.hpp"

namespace armature::inline v0_2::analytic {
namespace {

constexpr double kHalfDecade = 0.21714724095162591;  // 0.5 / log 10

using Line = Eigen::Matrix<double, 15, 1>;

/// The line's coordinates after a rigid motion: see general.inl.
Line moved(const Transform& T, const Line& x) {
  Line y;
  const Mat3& R = T.rotation;
  const Vec3& t = T.position;
  const Vec3 l = R * x.segment<3>(0), p = R * x.segment<3>(3), m = R * x.segment<3>(6), w = R * x.segment<3>(9);
  const double along = t.dot(l), one = x[14];
  y << l, p + t * one, m + t.cross(l), w - 2.0 * t.cross(m) - 2.0 * (x[12] + along) * t + t.dot(t) * l, x[12] + along,
      x[13] + 2.0 * t.dot(p) + t.dot(t) * one, one;
  return y;
}

void split(const Line& x, double sign, Line out[3]) {
  for (int i = 0; i < 3; ++i) out[i].setZero();
  for (int b = 0; b < 12; b += 3) {
    out[0][b + 2] = x[b + 2];
    out[1].segment<2>(b) = x.segment<2>(b);
    out[2].segment<2>(b) = sign * Vec2(-x[b + 1], x[b]);
  }
  out[0].tail<3>() = x.tail<3>();
}

struct Variant {
  int u, v, line, kept[3];
  double turn_left, turn_kept;
  int goal_at;
  bool goal_inverse;
};

/// The pair u, v, the line of the joint beside it and, around the loop, the kept joints: forwards and mirrored. The
/// goal must not lie between the pair and the line nor behind the last kept joint, so that the left side is the arm's.
std::vector<Variant> variants() {
  std::vector<Variant> out;
  for (int a = 0; a < 4; ++a) {
    Variant f{a, a + 1, a + 2, {}, 1.0, -1.0, 0, false};
    int k = 0;
    for (int i = a + 3; i < 6; ++i) f.kept[k++] = i;
    f.goal_at = k;
    for (int i = 0; i < a; ++i) f.kept[k++] = i;
    if (f.goal_at < 3) out.push_back(f);
    Variant r{a + 2, a + 1, a, {}, -1.0, 1.0, 0, true};
    k = 0;
    for (int i = a - 1; i >= 0; --i) r.kept[k++] = i;
    r.goal_at = k;
    for (int i = 5; i > a + 2; --i) r.kept[k++] = i;
    if (r.goal_at < 3) out.push_back(r);
  }
  return out;
}

/// Points slid along their axes to the middle of the common normals' feet: better numbers.
Arm centered(const Arm& arm) {
  Arm out = arm;
  for (int i = 0; i < 6; ++i) {
    double sum = 0.0;
    int count = 0;
    for (const int j : {i - 1, i + 1}) {
      if (j < 0 || j > 5) continue;
      const double c = arm.axis[i].dot(arm.axis[j]), den = 1.0 - c * c;
      if (den < 1e-6) continue;
      const Vec3 r = arm.point[j] - arm.point[i];
      sum += (r.dot(arm.axis[i]) - c * r.dot(arm.axis[j])) / den;
      ++count;
    }
    if (count > 0) out.point[i] = arm.point[i] + arm.axis[i] * (sum / count);
  }
  return out;
}

}  // namespace

int general_variants() { return 2 * static_cast<int>(variants().size()); }

void make_general(const Arm& given, int index, GeneralArm& out) {
  const Arm arm = centered(given);
  const Variant v = variants()[static_cast<std::size_t>(index / 2)];
  out = GeneralArm{};
  out.swap = index % 2 == 1;
  out.u = v.u;
  out.v = v.v;
  out.line = v.line;
  std::copy(v.kept, v.kept + 3, out.kept);
  out.turn_left = v.turn_left;
  out.turn_kept = v.turn_kept;
  out.goal_at = v.goal_at;
  out.goal_inverse = v.goal_inverse;
  Transform frame[6];
  for (int i = 0; i < 6; ++i) {
    frame[i] = {arm.point[i], frame_about(arm.axis[i])};
    store(frame[i].rotation, out.frame[i]);
    store(arm.axis[i], out.axis[i]);
  }
  const Vec3 p = arm.point[v.line], l = arm.axis[v.line];
  Line x0;
  x0 << l, p, p.cross(l), p.dot(p) * l - 2.0 * p.dot(l) * p, p.dot(l), p.dot(p), 1.0;
  for (int i = 0; i < 15; ++i) out.line0[i] = x0[i];
  Eigen::Matrix<double, 15, 9> P;  // columns: (1, c, s) of u times those of v
  Line inner[3];
  split(moved(frame[v.v].inverse(), x0), v.turn_left, inner);
  for (int i = 0; i < 3; ++i) {
    Line outer[3];
    split(moved(frame[v.u].inverse() * frame[v.v], inner[i]), v.turn_left, outer);
    for (int j = 0; j < 3; ++j) P.col(3 * j + i) = moved(frame[v.kept[2]].inverse() * frame[v.u], outer[j]);
  }
  const MatX left = P.block<14, 8>(0, 1);
  Svd svd;
  svd.compute(left);
  MatX null = null_space(left.transpose(), 1e-9);  // 14 x at least 6
  for (int r = 0; r < 6; ++r) {
    for (int k = 0; k < 14; ++k) out.equations[r][k] = null(k, null.cols() - 6 + r);
    out.constant[r] = null.col(null.cols() - 6 + r).dot(P.col(0).head<14>());
  }
  VecX unit = VecX::Zero(14), x(8);
  for (int k = 0; k < 14; ++k) {
    unit.setZero();
    unit[k] = 1.0;
    svd.solve(unit, x, 1e-9);
    const int rows[4] = {0, 1, 2, 5};  // cv, sv, cu, su
    for (int i = 0; i < 4; ++i) out.solve_pair[i][k] = x[rows[i]];
    out.left0[k] = P(k, 0);
  }
  for (int i = 0; i < 3; ++i) {
    store(frame[v.kept[i]].inverse(), out.before[i]);
    store(i == 0 ? Transform{} : frame[v.kept[i - 1]], out.after[i]);
  }
}

bool choose_eliminants(const Arm& arm, SixArm& out) {
  struct Trial {
    int variant;
    double score;
  };
  constexpr int kGoals = 16;
  std::vector<Trial> trials;
  SixArm probe = out;
  probe.kind = SixClass::general;
  probe.mirrored = probe.has_second = false;
  SixAnswers answers;
  for (int variant = 0; variant < general_variants(); ++variant) {
    make_general(arm, variant, probe.eliminants[0]);
    Rng rng(11);
    double score = 0.0, noise = 0.0;
    bool sound = true;
    for (int n = 0; n < kGoals && sound; ++n) {
      double q[6];
      for (double& x : q) x = rng.uniform(-kPi, kPi);
      SixGoal goal;
      Transform X = forward(arm, q);
      store(X.rotation, goal.rotation);
      store(Vec3(X.position * arm.length), goal.position);
      solve(probe, goal, answers);
      bool found = false;
      for (int k = 0; k < answers.count; ++k) {
        double away = 0.0;
        for (int j = 0; j < 6; ++j) {
          away = std::max(away, std::abs(std::remainder(answers.q[k][j] - q[j], 2.0 * kPi)));
        }
        found = found || away < 1e-6;
      }
      score += (found ? 0.0 : 10.0) + answers.dropped;
      noise = std::max(noise, answers.noise);
      sound = answers.noise < 1e-3;  // an eliminant that vanishes looks like noise of order one
    }
    if (sound) trials.push_back({variant, score + kHalfDecade * math::log(std::max(1e-20, noise))});
  }
  if (trials.empty()) return false;
  std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.score < b.score; });
  if (trials[0].score > 30.0) return false;
  make_general(arm, trials[0].variant, out.eliminants[0]);
  for (const Trial& trial : trials) {
    make_general(arm, trial.variant, out.eliminants[1]);
    if (out.eliminants[1].kept[2] == out.eliminants[0].kept[2] || trial.score > 30.0) continue;
    out.has_second = true;
    break;
  }
  return true;
}

}  // namespace armature::inline v0_2::analytic
