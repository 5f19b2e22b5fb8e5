#include "armature/kinematics/chain_bound.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"

namespace armature::inline v0_2 {
namespace {

struct Interval {
  double low, high;
};

/// Length of one link; a prismatic joint's changes.
Interval link_length(const Chain& chain, const ChainRange& range, int i) {
  const double radius = math::hypot(chain.tx[i], chain.ty[i]);
  if (chain.prismatic[i] == 0.0) {
    const double length = math::hypot(radius, chain.tz[i]);
    return {length, length};
  }
  const double a = chain.tz[i] + range.lower[i], b = chain.tz[i] + range.upper[i];
  const double nearest = a > 0.0 ? a : b < 0.0 ? b : 0.0;
  return {math::hypot(radius, nearest), math::hypot(radius, std::max(std::abs(a), std::abs(b)))};
}

/// Largest value of cos over [a, b].
double largest_cosine(double a, double b) {
  constexpr double kTurn = 6.283185307179586477;
  if (!(b - a < kTurn) || std::floor(b / kTurn) > std::floor(a / kTurn) || a == std::floor(a / kTurn) * kTurn)
    return 1.0;
  return std::max(math::cos(a), math::cos(b));
}

/// Distance from the start of link i-1 to the end of link i, over the range of the revolute joint i between them.
Interval pair_length(const Chain& chain, const ChainRange& range, int i) {
  constexpr double kPi = 3.14159265358979323846;
  // Link i-1 seen from joint i before it turns: Rx(-twist) t.
  const double c = chain.cos_twist[i - 1], s = chain.sin_twist[i - 1];
  const double ux = chain.tx[i - 1], uy = c * chain.ty[i - 1] + s * chain.tz[i - 1],
               uz = c * chain.tz[i - 1] - s * chain.ty[i - 1];
  const double tx = chain.tx[i], ty = chain.ty[i], tz = chain.tz[i];
  const double constant = ux * ux + uy * uy + uz * uz + tx * tx + ty * ty + tz * tz + 2.0 * uz * tz;
  const double swing = 2.0 * math::hypot(ux, uy) * math::hypot(tx, ty);
  // d^2 = constant + swing cos(angle + turn)
  const double turn = math::atan2(ty, tx) - math::atan2(uy, ux) + chain.theta[i];
  const double low = range.lower[i] + turn, high = range.upper[i] + turn;
  const double largest = largest_cosine(low, high), smallest = -largest_cosine(low + kPi, high + kPi);
  return {std::sqrt(std::max(0.0, constant + swing * smallest)), std::sqrt(std::max(0.0, constant + swing * largest))};
}

}  // namespace

ChainBound chain_bound(const Chain& chain, const ChainRange& range, int links) {
  // Cut the chain into single links and pairs so that the summed largest lengths are smallest: before[k] for the links
  // 0..k-1, after[k] for the links k..links-1.
  Interval single[kMaxChainJoints], pair[kMaxChainJoints];
  double before[kMaxChainJoints + 1], after[kMaxChainJoints + 1];
  const auto pairs = [&](int i) {
    return i >= 1 && i < links && chain.prismatic[i] == 0.0 && chain.prismatic[i - 1] == 0.0;
  };
  for (int i = 0; i < links; ++i) {
    single[i] = link_length(chain, range, i);
    if (pairs(i)) pair[i] = pair_length(chain, range, i);
  }
  before[0] = 0.0;
  for (int k = 1; k <= links; ++k) {
    before[k] = before[k - 1] + single[k - 1].high;
    if (pairs(k - 1)) before[k] = std::min(before[k], before[k - 2] + pair[k - 1].high);
  }
  after[links] = 0.0;
  for (int k = links - 1; k >= 0; --k) {
    after[k] = after[k + 1] + single[k].high;
    if (pairs(k + 1)) after[k] = std::min(after[k], after[k + 2] + pair[k + 1].high);
  }
  ChainBound bound;
  bound.outer = before[links];
  for (int i = 0; i < links; ++i) {
    bound.inner = std::max(bound.inner, single[i].low - (before[i] + after[i + 1]));
    if (pairs(i)) bound.inner = std::max(bound.inner, pair[i].low - (before[i - 1] + after[i + 1]));
  }
  return bound;
}

}  // namespace armature::inline v0_2
