#include "armature/motion/frame_series.hpp"

#include <deque>

#include "armature/base/math.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kWidestWindow = 2000.0;  // frames: a clip at an absurd frame rate must not take forever

template <class Better>
std::vector<double> running_best(const std::vector<double>& x, int reach, Better better) {
  const int n = static_cast<int>(x.size());
  std::vector<double> out(x.size());
  std::deque<int> best;  // candidates, best first
  int next = 0;
  for (int f = 0; f < n; ++f) {
    for (; next < std::min(n, f + reach + 1); ++next) {
      while (!best.empty() && !better(x[at(best.back())], x[at(next)])) best.pop_back();
      best.push_back(next);
    }
    while (best.front() < f - reach) best.pop_front();
    out[at(f)] = x[at(best.front())];
  }
  return out;
}

}  // namespace

std::vector<double> gaussian_window(double sigma) {
  std::vector<double> w{1.0};
  if (!(sigma >= 0.3)) return w;
  sigma = std::min(sigma, kWidestWindow);
  const int reach = static_cast<int>(std::ceil(3.0 * sigma));
  double sum = 1.0;
  for (int k = 1; k <= reach; ++k) {
    w.push_back(math::exp(-0.5 * (k / sigma) * (k / sigma)));
    sum += 2.0 * w.back();
  }
  for (double& each : w) each /= sum;
  return w;
}

std::vector<double> running_min(const std::vector<double>& x, int reach) {
  return running_best(x, reach, [](double a, double b) { return a < b; });
}
std::vector<double> running_max(const std::vector<double>& x, int reach) {
  return running_best(x, reach, [](double a, double b) { return a > b; });
}

std::vector<Vec3> velocities(const std::vector<Vec3>& p, double frame_time) {
  const int n = static_cast<int>(p.size());
  std::vector<Vec3> v(p.size(), Vec3::Zero());
  for (int f = 0; f < n && n > 1; ++f) {
    const int a = std::max(0, f - 1);
    const int b = std::min(n - 1, f + 1);
    v[at(f)] = (p[at(b)] - p[at(a)]) / ((b - a) * frame_time);
  }
  return v;
}

double percentile(std::vector<double> values, double percent) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const double place = 0.01 * percent * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace armature::inline v0_2
