#include "armature/motion/contacts.hpp"

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/frame_series.hpp"

namespace armature::inline v0_2 {
namespace {

// Speeds in leg lengths per second, heights in leg lengths, times in seconds. Chosen on clips whose contacts were read
// by eye: walks, runs, jumps, a cartwheel, a backflip.
struct Threshold {
  double still;            // slower than this stands, however slow the rest is
  double body, own, most;  // or slower than these shares of the body's speed, of the point's own peak (at most `most`)
  double height;           // over the floor
};
constexpr Threshold kUsuallyBegins{0.45, 0.17, 0.09, 0.8, 0.06};
constexpr Threshold kUsuallyStays{0.9, 0.30, 0.15, 1.3, 0.10};
struct Thresholds {
  Threshold begins = kUsuallyBegins, stays = kUsuallyStays;
};
constexpr double kHeelShare = 0.6;  // an ankle turns about the ball of its foot: it must be slower to stand
constexpr double kWindow = 0.75;    // in which peaks and the local floor are looked for
constexpr double kSmoothing = 0.012;
constexpr double kShortest = 0.05;   // of a stance
constexpr double kGap = 0.04;        // shorter ones are closed
constexpr double kPivots = 2.5;      // radians per second at which a flat foot pivots
constexpr double kPivotShare = 0.4;  // of a turn's speed at the other end of the foot: what is slower stands
constexpr double kFar = 1e300;

struct SolePoint {
  std::vector<Vec3> place;
  std::vector<double> speed, peak;
  int side = 0;
  bool heel = false;
};

double limit_of(const Threshold& t, double body, double peak) {
  return std::max({t.still, t.body * body, std::min(t.own * peak, t.most)});
}

std::vector<double> hip_speeds(const FootPaths& paths) {
  std::vector<Vec3> hips(paths.hip[0].size());
  for (std::size_t f = 0; f < hips.size(); ++f) hips[f] = 0.5 * (paths.hip[0][f] + paths.hip[1][f]);
  std::vector<double> speeds;
  for (const Vec3& v : velocities(smoothed(hips, 0.1 / paths.frame_time), paths.frame_time)) {
    speeds.push_back(v.head<2>().norm() / paths.leg);
  }
  return speeds;
}

std::vector<char> stands(const SolePoint& point, const std::vector<double>& body, const std::vector<double>& height,
                         double share, double frame_time, const Thresholds& limits) {
  const std::size_t n = point.place.size();
  std::vector<char> begins(n), stays(n), out(n, 0);
  const auto meets = [&](const Threshold& t, std::size_t f) {
    return point.speed[f] < share * limit_of(t, body[f], point.peak[f]) && height[f] < share * t.height;
  };
  for (std::size_t f = 0; f < n; ++f) {
    begins[f] = meets(limits.begins, f) ? 1 : 0;
    stays[f] = meets(limits.stays, f) ? 1 : 0;
  }
  for_each_run(stays, 1, [&](int first, int end) {
    if (std::any_of(begins.begin() + first, begins.begin() + end, [](char c) { return c != 0; })) {
      std::fill(out.begin() + first, out.begin() + end, 1);
    }
  });
  const auto fill_short = [&](char value, double seconds) {
    for_each_run(std::vector<char>(out), value, [&](int first, int end) {
      const bool inside = first > 0 && end < static_cast<int>(n);
      if (inside && (end - first) * frame_time < seconds) {
        std::fill(out.begin() + first, out.begin() + end, static_cast<char>(1 - value));
      }
    });
  };
  fill_short(0, kGap);
  fill_short(1, kShortest);
  return out;
}

std::vector<SolePoint> sole_points(const FootPaths& paths) {
  std::vector<SolePoint> points;
  const int window = static_cast<int>(std::min(1e6, kWindow / paths.frame_time));
  for (int side = 0; side < 2; ++side) {
    for (const bool heel : {true, false}) {
      if (!heel && !paths.has_toes()) continue;
      SolePoint point;
      point.side = side;
      point.heel = heel;
      point.place = smoothed(heel ? paths.ankle[side] : paths.toe[side], kSmoothing / paths.frame_time);
      for (const Vec3& v : velocities(point.place, paths.frame_time)) point.speed.push_back(v.norm() / paths.leg);
      point.peak = running_max(point.speed, window);
      points.push_back(std::move(point));
    }
  }
  return points;
}

// Height in stance of each kind of point: low among those that are slow.
double stance_height(const std::vector<SolePoint>& points, bool heel, const std::vector<double>& body,
                     const Threshold& begins) {
  std::vector<double> slow;
  double lowest = kFar;
  for (const SolePoint& point : points) {
    if (point.heel != heel) continue;
    for (std::size_t f = 0; f < point.place.size(); ++f) {
      const double z = point.place[f].z();
      lowest = std::min(lowest, z);
      if (point.speed[f] < limit_of(begins, body[f], point.peak[f])) slow.push_back(z);
    }
  }
  if (slow.size() >= 5) return percentile(std::move(slow), 15.0);
  return lowest < kFar ? lowest : 0.0;
}

}  // namespace

Mat3 z_up(const Vec3& up) {
  int k = 0;
  up.cwiseAbs().maxCoeff(&k);
  Vec3 x = Vec3::Unit((k + 1) % 3);
  x = (x - up * up.dot(x)).normalized();
  Mat3 rows;
  rows << x.transpose(), up.cross(x).transpose(), up.transpose();
  return rows;
}

FootPaths foot_paths(const FigureTracks& tracks) {
  FootPaths paths;
  paths.frame_time = tracks.frame_time;
  paths.leg = tracks.leg_length();
  paths.guessed_toes = tracks.guessed_balls;
  for (int side = 0; side < 2; ++side) {
    paths.hip[side] = tracks.limb(side, true, kUpper).place;
    paths.ankle[side] = tracks.limb(side, true, kEnd).place;
    paths.toe[side] = tracks.ball[side];
  }
  return paths;
}

std::optional<FootPaths> foot_paths(const Model& model, const Figure& figure, const Clip& clip, const Vec3& up) {
  if (!figure.has_legs() || clip.q_size != model.q_size()) return std::nullopt;
  const Mat3 turn = z_up(up);
  FigureTracks tracks = trace_figure(model, figure, {}, clip, turn);
  Clip rest;
  rest.q_size = model.q_size();
  rest.append(neutral_pose(model));
  add_balls(model, trace_figure(model, figure, {}, rest, turn), tracks);
  const FootPaths paths = foot_paths(tracks);
  if (!(paths.leg > 1e-12)) return std::nullopt;
  return paths;
}

bool Contacts::flat(int side, int frame) const {
  return heel[side][at(frame)] != 0 && (toe[side].empty() || toe[side][at(frame)] != 0);
}

Contacts find_contacts(const FootPaths& paths, double still_speed) {
  Contacts found;
  Thresholds limits;
  limits.begins.still = still_speed;
  limits.stays.still = 2.0 * still_speed;
  const int n = paths.frame_count();
  if (n == 0) return found;
  const double L = paths.leg;
  const std::vector<double> body = hip_speeds(paths);
  const std::vector<SolePoint> points = sole_points(paths);
  found.heel_height = stance_height(points, true, body, limits.begins);
  found.toe_height = stance_height(points, false, body, limits.begins);
  const auto over_stance = [&](const SolePoint& p, int f) {
    return p.place[at(f)].z() - (p.heel ? found.heel_height : found.toe_height);
  };
  // The local floor: where slow points were lowest around this time, near the height that the whole clip stands on.
  std::vector<double> lowest(at(n), kFar), slow(at(n), kFar);
  for (const SolePoint& p : points) {
    for (int f = 0; f < n; ++f) {
      lowest[at(f)] = std::min(lowest[at(f)], over_stance(p, f));
      if (p.speed[at(f)] < limit_of(limits.stays, body[at(f)], p.peak[at(f)])) {
        slow[at(f)] = std::min(slow[at(f)], over_stance(p, f));
      }
    }
  }
  const double ground = percentile(lowest, 5.0);
  found.floor = running_min(slow, static_cast<int>(std::min(1e6, kWindow / paths.frame_time)));
  for (double& z : found.floor) z = z > 0.1 * kFar ? ground : std::clamp(z, ground - 0.02 * L, ground + 0.25 * L);
  found.floor = smoothed(found.floor, 0.2 / paths.frame_time);
  for (const SolePoint& p : points) {
    std::vector<double> height(at(n));
    for (int f = 0; f < n; ++f) height[at(f)] = (over_stance(p, f) - found.floor[at(f)]) / L;
    const double share = p.heel && paths.has_toes() ? kHeelShare : 1.0;
    (p.heel ? found.heel : found.toe)[p.side] = stands(p, body, height, share, paths.frame_time, limits);
  }
  if (!paths.has_toes()) return found;
  if (paths.guessed_toes) {
    FootPaths ankles = paths;
    for (std::vector<Vec3>& toe : ankles.toe) toe.clear();
    Contacts without = find_contacts(ankles, still_speed);
    const auto frames = [](const std::vector<char>(&states)[2]) {
      return std::count(states[0].begin(), states[0].end(), 1) + std::count(states[1].begin(), states[1].end(), 1);
    };
    if (2 * frames(found.toe) < frames(without.heel)) return without;
  }
  for (int side = 0; side < 2; ++side) {
    std::vector<char> flat(at(n));
    for (int f = 0; f < n; ++f) flat[at(f)] = found.flat(side, f) ? 1 : 0;
    release_pivots(paths, side, true, flat, found.heel[side]);
    release_pivots(paths, side, false, flat, found.toe[side]);
  }
  // Flat feet, now that they are known, tell both heights best.
  std::vector<double> heels, toes;
  for (const SolePoint& p : points) {
    for (int f = 0; f < n; ++f) {
      if (found.flat(p.side, f)) (p.heel ? heels : toes).push_back(p.place[at(f)].z() - found.floor[at(f)]);
    }
  }
  if (heels.size() >= 8) {
    found.heel_height = percentile(std::move(heels), 50.0);
    found.toe_height = percentile(std::move(toes), 50.0);
  }
  return found;
}

void release_pivots(const FootPaths& paths, int side, bool heel, const std::vector<char>& where,
                    std::vector<char>& states) {
  const std::vector<Vec3> own = smoothed((heel ? paths.ankle : paths.toe)[side], kSmoothing / paths.frame_time);
  const std::vector<Vec3> other = smoothed((heel ? paths.toe : paths.ankle)[side], kSmoothing / paths.frame_time);
  const std::vector<Vec3> own_rate = velocities(own, paths.frame_time), rate = velocities(other, paths.frame_time);
  std::vector<char> turns(states.size(), 0);
  for (std::size_t f = 0; f < std::min(own.size(), other.size()); ++f) {
    const Vec3 foot = other[f] - own[f], change = rate[f] - own_rate[f];
    const double length = foot.head<2>().norm();
    const double turned = std::abs(foot.x() * change.y() - foot.y() * change.x()) / length;
    const bool pivots = turned > kPivots * length && own_rate[f].head<2>().norm() > kPivotShare * turned;
    turns[f] = where[f] != 0 && pivots ? 1 : 0;
  }
  for_each_run(turns, 1, [&](int first, int end) {
    if ((end - first) * paths.frame_time > kShortest) std::fill(states.begin() + first, states.begin() + end, 0);
  });
}

double settled_slide(const std::vector<Vec3>& way, int first, int end, double frame_time) {
  constexpr double kSettles = 0.035;
  const int ease = std::min(static_cast<int>(std::ceil(kSettles / frame_time)), (end - first) / 4);
  const int from = first == 0 ? first : first + ease;
  const int to = end == static_cast<int>(way.size()) ? end : end - ease;
  double slide = 0.0;
  for (int f = from; f < to; ++f) slide = std::max(slide, (way[at(f)] - way[at(from)]).head<2>().norm());
  return slide;
}

std::optional<Vec3> find_belt(const FootPaths& paths) {
  const int n = paths.frame_count();
  if (!paths.has_toes() || n < 3) return std::nullopt;
  const std::vector<Vec3> v[2] = {velocities(paths.toe[0], paths.frame_time),
                                  velocities(paths.toe[1], paths.frame_time)};
  std::vector<double> x, y, spread;
  std::vector<Vec3> lower;
  for (int f = 0; f < n; ++f) {
    lower.push_back(v[paths.toe[0][at(f)].z() <= paths.toe[1][at(f)].z() ? 0 : 1][at(f)]);
    x.push_back(lower.back().x());
    y.push_back(lower.back().y());
  }
  const Vec3 belt(percentile(x, 50.0), percentile(y, 50.0), 0.0);
  for (const Vec3& each : lower) spread.push_back((each - belt).head<2>().norm());
  const double speed = belt.norm();
  const double hips = paths.leg * percentile(hip_speeds(paths), 50.0);
  // Feet that turn pedals go back while they are low, too, but off the ground.
  std::vector<double> heights;
  for (int f = 0; f < n; ++f) heights.push_back(std::min(paths.toe[0][at(f)].z(), paths.toe[1][at(f)].z()));
  const bool stands = percentile(heights, 80.0) - percentile(heights, 5.0) < 0.15 * paths.leg;
  const bool walks_in_place =
      stands && speed > 0.25 * paths.leg && percentile(spread, 50.0) < speed && hips < 0.35 * speed;
  return walks_in_place ? std::optional<Vec3>(belt) : std::nullopt;
}

void ride_on(const Vec3& belt, FootPaths& paths) {
  for (int side = 0; side < 2; ++side) {
    for (std::vector<Vec3>* way : {&paths.hip[side], &paths.ankle[side], &paths.toe[side]}) {
      for (std::size_t f = 0; f < way->size(); ++f) (*way)[f] -= static_cast<double>(f) * paths.frame_time * belt;
    }
  }
}

}  // namespace armature::inline v0_2
