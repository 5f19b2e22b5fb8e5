#include "armature/kinematics/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/base/math.hpp"

namespace armature::inline v0_2 {
namespace {

/// A rotation whose third column is `z` (Duff et al., "Building an orthonormal basis, revisited", 2017): exact for the
/// coordinate axes.
Mat3 frame_with_z(const Vec3& z) {
  const double s = std::copysign(1.0, z.z());
  const double a = -1.0 / (s + z.z());
  const double b = z.x() * z.y() * a;
  Mat3 m;
  m << 1.0 + s * z.x() * z.x() * a, b, z.x(),  //
      s * b, s + z.y() * z.y() * a, z.y(),     //
      -s * z.x(), -z.y(), z.z();
  return m;
}

/// rotation = Rz(before) Rx(twist) Rz(after). Parallel axes: all of it goes before.
struct TwistForm {
  double before = 0.0, after = 0.0, cos_twist = 1.0, sin_twist = 0.0;
};
TwistForm twist_form(const Mat3& r) {
  TwistForm f;
  f.cos_twist = r(2, 2);
  f.sin_twist = math::hypot(r(0, 2), r(1, 2));
  if (f.sin_twist < 1e-15) {  // a larger threshold would cost accuracy
    f.sin_twist = 0.0;
    f.cos_twist = std::copysign(1.0, r(2, 2));
    f.before = math::atan2(r(1, 0), r(0, 0));
    return f;
  }
  f.before = math::atan2(r(0, 2), -r(1, 2));
  f.after = math::atan2(r(2, 0), r(2, 1));
  const double norm = math::hypot(f.sin_twist, f.cos_twist);
  f.sin_twist /= norm;
  f.cos_twist /= norm;
  return f;
}

/// Slides the origins along their revolute axes so that the links get short: each in turn to the point of its axis with
/// the smallest sum of distances to its neighbours (Heron's reflection). The first and the last link have one
/// neighbour that counts: the base may be anywhere, and the tip turns with the goal.
void slide_origins(Chain& chain, Vec3* t, Vec3& base) {
  const int n = chain.joints;
  for (int sweep = 0; sweep < 32; ++sweep) {
    double moved = 0.0;
    for (int i = 0; i < n; ++i) {
      if (chain.prismatic[i] > 0.0) continue;
      // This origin slides by s along z of frame i, which the link before sees as `a`.
      double s = 0.0, weight = 0.0;
      const double radius_after = math::hypot(t[i].x(), t[i].y());
      double before = 0.0, radius_before = 0.0;
      Vec3 a = Vec3::Zero();
      if (i > 0) {
        a = Vec3(0.0, -chain.sin_twist[i - 1], chain.cos_twist[i - 1]);
        before = -t[i - 1].dot(a);
        radius_before = (t[i - 1] + before * a).norm();
      }
      if (i == 0 && n > 1) {
        s = t[i].z();
      } else if (i + 1 == n) {
        s = i > 0 ? before : 0.0;
      } else {
        weight = radius_before + radius_after;
        s = weight > 1e-12 * (t[i].norm() + t[i - 1].norm())
                ? (before * radius_after + t[i].z() * radius_before) / weight
                : std::clamp(0.0, std::min(before, t[i].z()), std::max(before, t[i].z()));
      }
      t[i].z() -= s;
      if (i > 0) {
        t[i - 1] += s * a;
      } else {
        base.z() += s;
      }
      moved = std::max(moved, std::abs(s));
    }
    if (moved < 1e-9 * (1e-300 + t[0].norm())) break;
  }
}

}  // namespace

Chain make_chain(const std::vector<ChainJoint>& joints, const Transform& tip) {
  ARMATURE_CHECK(!joints.empty() && joints.size() <= kMaxChainJoints, "make_chain: 1 to kMaxChainJoints joints");
  Chain chain;
  const int n = static_cast<int>(joints.size());
  chain.isa = best_isa();
  chain.joints = n;
  const int blocks = (n + kChainBlock - 1) / kChainBlock;
  chain.blocks = blocks > 4 ? kMaxChainJoints / kChainBlock : blocks;  // the sizes that kernels are made for
  Vec3 t[kMaxChainJoints];
  Mat3 frame = frame_with_z(joints[0].axis);
  const Mat3 base_rotation = joints[0].origin.rotation * frame;
  double offset = 0.0;  // z-rotation left over by the joint before
  for (int i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    const Transform& next = last ? tip : joints[static_cast<std::size_t>(i) + 1].origin;
    TwistForm f;
    t[i] = frame.transpose() * next.position;
    Mat3 rotation = frame.transpose() * next.rotation;
    if (last) {
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(chain.tip_rotation) = rotation;
    } else {
      frame = frame_with_z(joints[static_cast<std::size_t>(i) + 1].axis);
      f = twist_form(rotation * frame);
    }
    const double c = math::cos(f.before), s = math::sin(f.before);
    t[i] = Vec3(c * t[i].x() + s * t[i].y(), c * t[i].y() - s * t[i].x(), t[i].z());
    chain.theta[i] = offset + f.before;
    chain.cos_twist[i] = f.cos_twist;
    chain.sin_twist[i] = f.sin_twist;
    offset = f.after;
    const bool prismatic = joints[static_cast<std::size_t>(i)].kind == ChainJointKind::prismatic;
    chain.prismatic[i] = prismatic ? 1.0 : 0.0;
    chain.revolute[i] = prismatic ? 0.0 : 1.0;
    chain.has_prismatic |= prismatic;
  }
  Vec3 slid = Vec3::Zero();
  slide_origins(chain, t, slid);
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(chain.base_rotation) = base_rotation;
  Eigen::Map<Vec3>(chain.base_translation) = joints[0].origin.position + base_rotation * slid;

  // A quarter of the summed link lengths: then a radian and a unit of length weigh about the same.
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += t[i].norm();
    const ChainJoint& joint = joints[static_cast<std::size_t>(i)];
    const double travel = std::max(std::abs(joint.lower), std::abs(joint.upper));
    if (joint.kind == ChainJointKind::prismatic && std::isfinite(travel)) sum += travel;
  }
  chain.length = sum > 0.0 ? 0.25 * sum : 1.0;
  for (int i = 0; i < kMaxChainJoints; ++i) {
    chain.unit[i] = chain.prismatic[i] > 0.0 ? chain.length : 1.0;
    if (i >= n) continue;
    chain.tx[i] = t[i].x() / chain.length;
    chain.ty[i] = t[i].y() / chain.length;
    chain.tz[i] = t[i].z() / chain.length;
  }
  return chain;
}

ChainRange make_range(const Chain& chain, const double* lower, const double* upper) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ChainRange range;
  for (int i = 0; i < kMaxChainJoints; ++i) {
    const bool real = i < chain.joints;
    const double lo = real ? lower[i] / chain.unit[i] : -kInfinity;
    const double hi = real ? upper[i] / chain.unit[i] : kInfinity;
    const bool low = lo > -kInfinity, high = hi < kInfinity;
    // Without limits: a full turn, or four units of length (the summed links) either way. Limits so wide that they hold
    // more than a few turns, or far more than the chain's length, are no better: the part nearest to zero is searched.
    const bool turns = chain.revolute[i] > 0.0;
    const double free_span = !real ? 0.0 : turns ? 2.0 * kPi : 8.0;
    const double widest = turns ? 8.0 * kPi : 1e3;
    const bool bounded = low && high && hi - lo <= widest;
    const double half = 0.5 * free_span;
    range.lower[i] = lo;
    range.upper[i] = hi;
    range.span[i] = bounded ? hi - lo : free_span;
    range.middle[i] =
        bounded ? 0.5 * (lo + hi) : std::max(low ? lo + half : 0.0, std::min(high ? hi - half : 0.0, 0.0));
    range.turn[i] = real && chain.revolute[i] > 0.0 ? 2.0 * kPi : 0.0;
  }
  return range;
}

#define ARMATURE_DECLARE(isa)                                                 \
  namespace isa {                                                             \
  void chain_forward(const Chain&, const double*, double*, double*, double*); \
  }
ARMATURE_DECLARE(baseline)
#if defined(__x86_64__) && defined(__GNUC__)
ARMATURE_DECLARE(avx2)
ARMATURE_DECLARE(avx512)
#endif

ChainForward chain_forward([[maybe_unused]] Isa isa) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (isa == Isa::avx512) return avx512::chain_forward;
  if (isa == Isa::avx2) return avx2::chain_forward;
#endif
  return baseline::chain_forward;
}

void forward(const Chain& chain, const double* q, Transform& X_BT) {
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> rotation;
  chain_forward(chain.isa)(chain, q, rotation.data(), X_BT.position.data(), nullptr);
  X_BT.rotation = rotation;
}

void forward(const Chain& chain, const double* q, Transform& X_BT, Eigen::Ref<Jacobian> J) {
  ARMATURE_CHECK(J.cols() == chain.joints && J.outerStride() == 6, "forward: J needs a column per joint of the chain");
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> rotation;
  chain_forward(chain.isa)(chain, q, rotation.data(), X_BT.position.data(), J.data());
  X_BT.rotation = rotation;
}

}  // namespace armature::inline v0_2
