#include "armature/solve/limited_answers.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kTurn = 2.0 * kPi;
constexpr double kOnLimit = 1e-10;  // rounding that still counts as on the limit
constexpr int kMaxTurns = 16;       // of one joint

/// Values of one joint that mean the same and lie inside, nearest to the start first; returns how many.
int variants(double value, bool slides, double lower, double upper, double start, double* out, bool& cut) {
  if (slides) {
    if (value < lower - kOnLimit || value > upper + kOnLimit) return 0;
    out[0] = std::clamp(value, lower, upper);
    return 1;
  }
  const double nearest = value + kTurn * std::round((start - value) / kTurn);
  if (!std::isfinite(lower) || !std::isfinite(upper)) {
    // Without two limits there is no end of turns: the nearest one that fits.
    double v = nearest;
    if (v < lower - kOnLimit) v += kTurn * std::ceil((lower - kOnLimit - v) / kTurn);
    if (v > upper + kOnLimit) v -= kTurn * std::ceil((v - upper - kOnLimit) / kTurn);
    out[0] = std::clamp(v, lower, upper);
    return 1;
  }
  double first = value + kTurn * std::ceil((lower - kOnLimit - value) / kTurn);
  double most = std::floor((upper + kOnLimit - first) / kTurn) + 1.0;
  if (most > kMaxTurns) {  // those around the start
    const double before = std::round((nearest - first) / kTurn) - kMaxTurns / 2;
    first += kTurn * std::clamp(before, 0.0, most - kMaxTurns);
    most = kMaxTurns;
    cut = true;
  }
  int n = 0;
  for (; n < most; ++n) out[n] = std::clamp(first + n * kTurn, lower, upper);
  std::sort(out, out + n, [&](double a, double b) {
    const double da = std::abs(a - start), db = std::abs(b - start);
    return da != db ? da < db : a < b;
  });
  return n;
}

}  // namespace

bool nearest_variant(const ChainAnalysis& analysis, const ChainAnswers& answers, int answer, const double* lower,
                     const double* upper, const double* target, double* value) {
  double list[kMaxTurns];
  bool cut = false;
  for (int j = 0; j < analysis.joint_count(); ++j) {
    const bool slides = analysis.chain.joints[at(j)].kind == ChainJointKind::prismatic;
    if (variants(answers.value[answer][j], slides, lower[j], upper[j], target[j], list, cut) == 0) return false;
    value[j] = list[0];
  }
  return true;
}

void within_limits(const ChainAnalysis& analysis, const ChainAnswers& answers, const double* lower, const double* upper,
                   const double* start, int max_count, LimitedAnswers& out) {
  out.count = 0;
  out.cut = false;
  const int n = analysis.joint_count(), most = std::clamp(max_count, 1, kMaxLimited);
  const double length = 2.0 * analysis.chain.chain.length;
  for (int k = 0; k < answers.count; ++k) {
    double list[kMaxAnalyticJoints][kMaxTurns];
    int count[kMaxAnalyticJoints], pick[kMaxAnalyticJoints] = {};
    bool inside = true;
    for (int j = 0; j < n; ++j) {
      const bool slides = analysis.chain.joints[at(j)].kind == ChainJointKind::prismatic;
      count[j] = variants(answers.value[k][j], slides, lower[j], upper[j], start[j], list[j], out.cut);
      inside = inside && count[j] > 0;
    }
    if (!inside) continue;
    if (most == 1) std::fill(count, count + n, 1);  // joint by joint the nearest is the nearest of all
    // Too many combinations: the farthest turns of the joint that has most go first.
    const auto combinations = [&] {
      double product = 1.0;
      for (int j = 0; j < n; ++j) product *= count[j];
      return product;
    };
    while (combinations() > 4096.0) {
      --*std::max_element(count, count + n);
      out.cut = true;
    }
    for (bool more = true; more;) {
      LimitedAnswer item;
      item.answer = k;
      double sum = 0.0;
      for (int j = 0; j < n; ++j) {
        const bool slides = analysis.chain.joints[at(j)].kind == ChainJointKind::prismatic;
        item.value[j] = list[j][pick[j]];
        const double d = (item.value[j] - start[j]) / (slides ? 0.5 * length : 1.0);
        sum += d * d;
      }
      item.distance = std::sqrt(sum);
      // Into the sorted list; among equals the earlier answer stays first.
      int place = out.count;
      while (place > 0 && item.distance < out.item[place - 1].distance) --place;
      if (place < most) {
        if (out.count == most) out.cut = true;
        const int last = std::min(out.count, most - 1);
        for (int i = last; i > place; --i) out.item[i] = out.item[i - 1];
        out.item[place] = item;
        out.count = last + 1;
      } else {
        out.cut = true;
      }
      more = false;
      for (int j = 0; j < n && !more; ++j) {
        if (++pick[j] < count[j]) {
          more = true;
        } else {
          pick[j] = 0;
        }
      }
    }
  }
}

}  // namespace armature::inline v0_2
