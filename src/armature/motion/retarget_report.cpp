#include "armature/motion/retarget_report.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/motion/frame_series.hpp"

namespace armature::inline v0_2 {
namespace {

double angle(const Vec3& a, const Vec3& b) { return math::atan2(a.cross(b).norm(), a.dot(b)); }

struct Mean {
  double sum = 0.0;
  int count = 0;
  void add(double x) {
    sum += x;
    ++count;
  }
  double value() const { return count > 0 ? sum / count : 0.0; }
};

double largest_acceleration(const BoneTrack& bone, double length) {
  double most = 0.0;
  for (std::size_t f = 1; f + 1 < bone.place.size(); ++f) {
    most = std::max(most, (bone.place[f + 1] - 2.0 * bone.place[f] + bone.place[f - 1]).norm());
  }
  return most / length;
}

class Measurer {
 public:
  Measurer(const FigureTracks& source, const FigureTracks& target, const RetargetPlan& plan)
      : s_(source), t_(target), plan_(plan), Ls_(source.leg_length()), Lt_(target.leg_length()) {}

  void measure(Retargeted& result) {
    RetargetReport& r = result.report;
    r.leg_direction = directions(true);
    r.arm_direction = directions(false);
    Mean trunk;
    for (int f = 0; f < s_.frames; ++f) {
      trunk.add(angle(plan_.heading * (s_.shoulders(f) - s_.hips(f)), t_.shoulders(f) - t_.hips(f)));
    }
    r.trunk_direction = trunk.value();
    if (!plan_.legs) return;
    r.knees_back = knees_back();
    feet(result);
    const auto peak = [&](std::initializer_list<int> parts) {
      double own = 0.0;
      double other = 0.0;
      for (const int part : parts) {
        if (!s_.part[part].there() || !t_.part[part].there()) continue;
        own = std::max(own, largest_acceleration(t_.part[part], Lt_));
        other = std::max(other, largest_acceleration(s_.part[part], Ls_));
      }
      return other > 0.0 ? own / other : 0.0;
    };
    r.knee_peak = peak({part_of(0, true, kLower), part_of(1, true, kLower)});
    r.foot_peak = peak({part_of(0, true, kEnd), part_of(1, true, kEnd)});
    r.head_peak = peak({kHead, kNeck});
    const auto way = [](const FigureTracks& tracks) {
      std::vector<Vec3> hips;
      for (int f = 0; f < tracks.frames; ++f) hips.push_back(tracks.hips(f));
      hips = smoothed(hips, 0.1 / tracks.frame_time);
      double length = 0.0;
      for (std::size_t f = 1; f < hips.size(); ++f) length += (hips[f] - hips[f - 1]).head<2>().norm();
      return length;
    };
    const double other = way(s_) / Ls_;
    if (plan_.belt.empty() && other > 0.0) r.travel = way(t_) / Lt_ / other;
  }

 private:
  double directions(bool leg) const {
    Mean mean;
    for (int side = 0; side < 2; ++side) {
      if (!s_.whole(side, leg) || !t_.whole(side, leg)) continue;
      for (const int k : {kUpper, kLower}) {
        for (int f = 0; f < s_.frames; ++f) {
          const Vec3 a = s_.limb(side, leg, k + 1).place[at(f)] - s_.limb(side, leg, k).place[at(f)];
          const Vec3 b = t_.limb(side, leg, k + 1).place[at(f)] - t_.limb(side, leg, k).place[at(f)];
          mean.add(angle(plan_.heading * a, b));
        }
      }
    }
    return mean.value();
  }

  // Bends about the source's own hinge side; across the hips where the source is straight.
  int knees_back() const {
    int back = 0;
    for (int side = 0; side < 2; ++side) {
      std::vector<Vec3> bend, left;
      double sense = 0.0;
      for (int f = 0; f < s_.frames; ++f) {
        const auto p = [&](int k) { return s_.limb(side, true, k).place[at(f)]; };
        bend.push_back(plan_.heading * (p(kLower) - p(kUpper)).normalized().cross((p(kEnd) - p(kLower)).normalized()));
        left.push_back(plan_.heading *
                       (s_.limb(0, true, kUpper).place[at(f)] - s_.limb(1, true, kUpper).place[at(f)]).normalized());
        sense += bend.back().dot(left.back());
      }
      const double sign = sense < 0.0 ? -1.0 : 1.0;
      for (int f = 0; f < s_.frames; ++f) {
        const double b = bend[at(f)].norm();
        const bool tells = b > 0.25 || (b > 0.1 && sign * bend[at(f)].dot(left[at(f)]) > 0.0);
        const Vec3 around = tells ? bend[at(f)] : Vec3(sign * left[at(f)]);
        const auto p = [&](int k) { return t_.limb(side, true, k).place[at(f)]; };
        const Vec3 x = (p(kLower) - p(kUpper)).normalized().cross((p(kEnd) - p(kLower)).normalized());
        if (x.dot(around) < 0.0 && angle(p(kLower) - p(kUpper), p(kEnd) - p(kLower)) > 3.0 * kDegree) ++back;
      }
    }
    return back;
  }

  void feet(Retargeted& result) const {
    Mean slide, source_slide, floating;
    int standing = 0;
    const double dt = s_.frame_time;
    for (int side = 0; side < 2; ++side) {
      const bool toes = !plan_.contacts.toe[side].empty();
      for (const bool toe : {true, false}) {
        if (toe && !toes) continue;
        std::vector<char> state = toe ? plan_.contacts.toe[side] : plan_.contacts.heel[side];
        for (int f = 0; f < s_.frames && !toe; ++f) state[at(f)] = plan_.contacts.flat(side, f) ? 1 : 0;
        // The ball of a foot without a toe joint is a point of the foot.
        const BoneTrack& foot = t_.limb(side, true, kEnd);
        std::vector<Vec3> own = foot.place;
        for (int f = 0; toe && f < t_.frames; ++f) own[at(f)] += foot.turn[at(f)] * plan_.ball[side];
        const std::vector<Vec3>& other = toe ? s_.ball[side] : s_.limb(side, true, kEnd).place;
        const double height = (toe ? plan_.ball_height[side] : plan_.ankle_height[side]) + plan_.floor;
        std::vector<Vec3> moving = other;
        for (int f = 0; !plan_.source_belt.empty() && f < s_.frames; ++f) moving[at(f)] -= plan_.source_belt[at(f)];
        const std::vector<Vec3> v = velocities(own, dt);
        const std::vector<Vec3> vs = velocities(moving, dt);
        for (int f = 0; f < t_.frames; ++f) {
          if (toe) result.report.sinking = std::max(result.report.sinking, (height - own[at(f)].z()) / Lt_);
          if (state[at(f)] == 0) continue;
          if (toe || !toes) ++standing;
          floating.add(std::abs(own[at(f)].z() - height) / Lt_);
          const bool inside = f > 0 && f + 1 < t_.frames && state[at(f - 1)] != 0 && state[at(f + 1)] != 0;
          if (!inside) continue;
          slide.add(v[at(f)].head<2>().norm() / Lt_);
          source_slide.add(vs[at(f)].head<2>().norm() / Ls_);
        }
        if (toe || !toes)
          add_footfalls(state, dt, own,
                        t_.limb(side, true, toe && t_.limb(side, true, kToe).there() ? kToe : kEnd).link, result);
      }
    }
    for (int side = 0; side < 2; ++side) {
      if (!t_.whole(side, false)) continue;
      for (const Vec3& wrist : t_.limb(side, false, kEnd).place) {
        result.report.hand_sinking = std::max(result.report.hand_sinking, (plan_.floor - wrist.z()) / Lt_);
      }
    }
    result.report.slide = slide.value();
    result.report.source_slide = source_slide.value();
    result.report.floating = floating.value();
    result.report.standing = s_.frames > 0 ? 0.5 * standing / s_.frames : 0.0;
    std::stable_sort(result.footfalls.begin(), result.footfalls.end(),
                     [](const Footfall& a, const Footfall& b) { return a.first < b.first; });
  }

  static void add_footfalls(const std::vector<char>& state, double frame_time, const std::vector<Vec3>& way, int link,
                            Retargeted& result) {
    for_each_run(state, 1, [&](int first, int end) {
      const Footfall fall{link, first, end - 1, settled_slide(way, first, end, frame_time)};
      result.largest_slide = std::max(result.largest_slide, fall.slide);
      result.footfalls.push_back(fall);
    });
  }

  const FigureTracks& s_;
  const FigureTracks& t_;
  const RetargetPlan& plan_;
  double Ls_, Lt_;
};

}  // namespace

void measure_retarget(const FigureTracks& source, const FigureTracks& target, const RetargetPlan& plan,
                      Retargeted& result) {
  Measurer(source, target, plan).measure(result);
}

}  // namespace armature::inline v0_2
