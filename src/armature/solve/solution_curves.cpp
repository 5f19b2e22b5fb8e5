#include "armature/solve/solution_curves.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "armature/base/index.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kStep = 0.8;  // radians that a joint may move from one sample to the next of the same curve

bool slides(const ProblemChain& chain, int j) {
  return chain.analysis().chain.joints[at(j)].kind == ChainJointKind::prismatic;
}

double away(const ProblemChain& chain, const double* a, const double* b) {
  double most = 0.0;
  for (int j = 0; j < chain.joint_count(); ++j) {
    if (!slides(chain, j)) most = std::max(most, std::abs(std::remainder(a[j] - b[j], 2.0 * kPi)));
  }
  return most;
}

struct Asker {
  const ProblemChain& chain;
  ChainSolveOptions how;
  std::unique_ptr<ChainAnswers> answers = std::make_unique<ChainAnswers>();
  std::unique_ptr<LimitedAnswers> limited = std::make_unique<LimitedAnswers>();

  void ask(double along, int most) {
    how.along = along;
    solve_chain(chain.analysis(), chain.target(), chain.start, how, *answers);
    within_limits(chain.analysis(), *answers, chain.lower, chain.upper, chain.start, most, *limited);
  }
};

}  // namespace

std::vector<CurvePoint> sample_curves(const ProblemChain& chain, ChainSolveOptions how, int samples) {
  const int n = chain.joint_count();
  Asker asker{chain, how};
  std::vector<CurvePoint> points;
  int curves = 0;
  std::size_t before = 0, before_end = 0;  // the points of the sample before
  for (int s = 0; s < samples; ++s) {
    const double along = (s + 0.5) / samples;
    asker.ask(along, kMaxLimited);
    const std::size_t first = points.size();
    std::vector<char> taken(before_end - before, 0);
    for (int k = 0; k < asker.limited->count; ++k) {
      const LimitedAnswer& item = asker.limited->item[k];
      CurvePoint point;
      point.along = along;
      point.distance = item.distance;
      std::copy(item.value, item.value + n, point.value);
      point.curve = -1;
      if (chain.analysis().kind == ChainClass::srs) {
        point.curve = asker.answers->curve[item.answer];
      } else {  // the curve whose last point is nearest
        double least = kStep;
        std::size_t match = 0;
        for (std::size_t i = before; i < before_end; ++i) {
          if (taken[i - before] != 0) continue;
          double d = 0.0;
          for (int j = 0; j < n; ++j) {
            if (!slides(chain, j)) d = std::max(d, std::abs(point.value[j] - points[i].value[j]));
          }
          if (d < least) least = d, match = i, point.curve = points[i].curve;
        }
        if (point.curve >= 0) taken[match - before] = 1;
        if (point.curve < 0) point.curve = curves++;
      }
      points.push_back(point);
    }
    before = first;
    before_end = points.size();
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const CurvePoint& a, const CurvePoint& b) { return a.curve < b.curve; });
  return points;
}

std::vector<CurvePoint> nearest_on_curves(const ProblemChain& chain, const ChainSolveOptions& how) {
  constexpr int kSamples = 96;
  const int n = chain.joint_count();
  Asker asker{chain, how};
  std::vector<CurvePoint> nearest;
  if (chain.analysis().kind == ChainClass::srs) {  // its own equations know
    asker.ask(-1.0, kMaxLimited);
    for (int k = 0; k < asker.limited->count; ++k) {
      const LimitedAnswer& item = asker.limited->item[k];
      CurvePoint point{asker.answers->curve[item.answer], 0.0, item.distance, {}};
      std::copy(item.value, item.value + n, point.value);
      nearest.push_back(point);
    }
    return nearest;
  }
  for (const CurvePoint& point : sample_curves(chain, how, kSamples)) {
    if (nearest.empty() || nearest.back().curve != point.curve) {
      nearest.push_back(point);
    } else if (point.distance < nearest.back().distance) {
      nearest.back() = point;
    }
  }
  for (CurvePoint& best : nearest) {
    // Golden section around the best sample; of the answers there the one that continues the curve.
    const double golden = 0.6180339887498949;
    double low = std::max(0.0, best.along - 1.0 / kSamples), high = std::min(1.0, best.along + 1.0 / kSamples);
    const CurvePoint sample = best;
    const auto distance_at = [&](double along) {
      asker.ask(along, kMaxLimited);
      for (int k = 0; k < asker.limited->count; ++k) {
        const LimitedAnswer& item = asker.limited->item[k];
        if (away(chain, item.value, sample.value) > kStep) continue;
        if (item.distance < best.distance) {
          best.along = along;
          best.distance = item.distance;
          std::copy(item.value, item.value + n, best.value);
        }
        return item.distance;  // the nearest comes first
      }
      return 1e300;
    };
    for (int k = 0; k < 30 && high - low > 1e-9; ++k) {
      const double x = high - golden * (high - low), y = low + golden * (high - low);
      const bool left = distance_at(x) < distance_at(y);
      (left ? high : low) = left ? y : x;
    }
  }
  std::stable_sort(nearest.begin(), nearest.end(),
                   [](const CurvePoint& a, const CurvePoint& b) { return a.distance < b.distance; });
  return nearest;
}

}  // namespace armature::inline v0_2
