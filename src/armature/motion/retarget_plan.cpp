// Over 400 lines: one plan over the whole clip, root and feet together, each step reading what the one before it found.
#include "armature/motion/retarget_plan.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/motion/band.hpp"
#include "armature/motion/frame_series.hpp"

namespace armature::inline v0_2 {
namespace {

// Times in seconds, lengths in leg lengths. Chosen on fourteen captured clips and five figures.
constexpr double kRootEases = 0.05, kFootEases = 0.04;
constexpr double kRootFrames = 2.0;
constexpr double kStraight = 0.997;  // of a leg: as long as the root lets it be
constexpr double kSoft = 0.008;      // of a leg: over which the reach fades out
constexpr double kKneeSoft = 5.0 * kDegree;
constexpr double kToeShare = 0.15;   // of a toe that stands alone in the root's height
constexpr double kToeFirst = 0.999;  // share of a heel's hold that a standing toe takes away
constexpr double kToeLeg = 0.3;      // and in how much its leg stands
constexpr double kFootCalm = 0.02;   // over which a standing foot's rotation is smoothed
constexpr double kRootCalm = 0.012;  // and the hips: the leg over a foot that stands hands their noise to its knee
constexpr double kTrunkCalm =
    0.012;  // and the trunk: what turns one bone of it for a frame throws a head on a long lever
constexpr double kRollShare = 0.6;  // of a foot's displacement that becomes roll about its toe
constexpr double kMostRoll = 25.0 * kDegree;
constexpr int kRounds = 3;

double fade(double x, double from, double to) { return 1.0 - smooth_step((x - from) / (to - from)); }

// Turns the tilt of an upright frame towards flat by a share of it.
Mat3 flattened(const Mat3& R, double share, double& tilt) {
  const Vec3 up = R.col(2);
  const Vec3 axis = up.cross(Vec3::UnitZ());
  tilt = math::atan2(axis.norm(), up.z());
  return axis.norm() > 1e-12 ? Mat3(rotation_about(axis.normalized(), share * tilt) * R) : R;
}

double soft_reach(double distance, double longest, double soft) {
  const double beyond = distance - (longest - soft);
  return beyond <= 0.0 ? distance : longest - soft + soft * (1.0 - math::exp(-beyond / soft));
}

class Planner {
 public:
  Planner(FigureTracks source, const Anatomy& source_anatomy, Contacts contacts, const FigureTracks& target,
          const Anatomy& target_anatomy, const std::optional<Vec3>& belt, const PlanOptions& options)
      : source_(std::move(source)),
        from_(source_anatomy),
        target_(target),
        to_(target_anatomy),
        options_(options),
        n_(source_.frames),
        dt_(source_.frame_time) {
    out_.contacts = std::move(contacts);
    out_.frames = n_;
    out_.legs = source_.leg_length() > 0.0 && target.leg_length() > 0.0 && !out_.contacts.floor.empty();
    leg_ = target.leg_length();
    if (belt) {
      for (int f = 0; f < n_; ++f) shift_source(f, -f * dt_ * *belt);
      for (int f = 0; f < n_; ++f) out_.belt.emplace_back(f * dt_ * *belt);
      out_.source_belt = out_.belt;
    }
  }

  RetargetPlan make() {
    choose_heading_and_scale();
    carry_frames();
    carry_spine();
    place_hips();
    if (out_.legs && options_.feet && options_.places) calm_hips();
    if (!options_.itself) {
      lean_trunk();
      calm_trunk();
    }
    if (out_.legs) {
      find_soles();
      turn_feet();
      base_legs();
      if (options_.feet && options_.places) move_root_with_feet();
      place_feet();
      if (options_.feet && options_.places) bend_standing_knees();
      pose_legs();
    }
    for (Vec3& shift : out_.belt) shift = out_.scale * (out_.heading * shift);
    return std::move(out_);
  }

 private:
  const BoneTrack& leg(int side, int k) const { return source_.limb(side, true, k); }

  void shift_source(int f, const Vec3& by) {
    for (BoneTrack& bone : source_.part) {
      if (bone.there()) bone.place[at(f)] += by;
    }
    for (BoneTrack& bone : source_.spine) bone.place[at(f)] += by;
  }

  // The nearest quarter turn between the two reference bodies.
  void choose_heading_and_scale() {
    const double a = math::atan2(from_.body(1, 0), from_.body(0, 0));
    const double b = math::atan2(to_.body(1, 0), to_.body(0, 0));
    out_.heading = rotation_about(Vec3::UnitZ(), std::round((b - a) / (0.5 * kPi)) * 0.5 * kPi);
    const double own = source_.leg_length();
    out_.scale = options_.scale > 0.0 ? options_.scale : own > 0.0 && leg_ > 0.0 ? leg_ / own : 1.0;
    bones_ = own > 0.0 && leg_ > 0.0 ? leg_ / own : out_.scale;
  }

  void carry_frames() {
    for (int k = 0; k < kPartCount; ++k) {
      const BoneTrack& bone = source_.part[k];
      if (!bone.there()) continue;
      for (int f = 0; f < n_; ++f) out_.frame[k].push_back(out_.heading * bone.turn[at(f)] * from_.part[k]);
    }
    for (std::size_t k = 0; k < source_.others.size(); ++k) {
      out_.others.emplace_back();
      for (int f = 0; f < n_; ++f)
        out_.others[k].push_back(out_.heading * source_.others[k].turn[at(f)] * from_.others[k]);
    }
    pelvis_from_points();
  }

  // The hip line and the first spine joint that is far enough tell the pelvis' rotation better than its own bone, in
  // which captured files hide glitches.
  void pelvis_from_points() {
    if (out_.frame[kPelvis].empty() || !out_.legs || n_ < 2) return;
    const BoneTrack* high = nullptr;
    std::vector<const BoneTrack*> candidates;
    for (std::size_t k = 1; k < source_.spine.size(); ++k) candidates.push_back(&source_.spine[k]);
    if (!source_.spine.empty()) candidates.push_back(&source_.spine[0]);
    for (const BoneTrack* bone : candidates) {
      double least = INFINITY;
      for (int f = 0; f < n_; ++f) least = std::min(least, (bone->place[at(f)] - source_.hips(f)).norm());
      if (least > 0.08 * source_.leg_length()) {
        high = bone;
        break;
      }
    }
    if (high == nullptr) return;
    std::vector<Mat3> points, offsets;
    for (int f = 0; f < n_; ++f) {
      const Vec3 left = leg(0, kUpper).place[at(f)] - leg(1, kUpper).place[at(f)];
      points.push_back(out_.heading * frame_along(left, high->place[at(f)] - source_.hips(f)));
      offsets.push_back(points.back().transpose() * out_.frame[kPelvis][at(f)]);
    }
    const Mat3 offset = mean_rotation(offsets);
    for (int f = 0; f < n_; ++f) out_.frame[kPelvis][at(f)] = points[at(f)] * offset;
  }

  // Spines of m and n bones: the rotation at the same fraction of the way up.
  void carry_spine() {
    const std::size_t m = source_.spine.size();
    const std::size_t count = target_.spine.size();
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<Mat3> turns;
      const double place = static_cast<double>(k + 1) / static_cast<double>(count) * static_cast<double>(m);
      for (int f = 0; f < n_; ++f) {
        const auto rung = [&](std::size_t i) -> Mat3 {  // 0 is the pelvis
          if (i > 0) return out_.heading * source_.spine[i - 1].turn[at(f)] * from_.spine[i - 1];
          return out_.frame[kPelvis].empty() ? Mat3(out_.heading) : out_.frame[kPelvis][at(f)];
        };
        if (m == 0) {
          turns.push_back(rung(0));
          continue;
        }
        const std::size_t below = std::min(static_cast<std::size_t>(place), m - 1);
        turns.push_back(
            slerp(Quat(rung(below)), Quat(rung(below + 1)), place - static_cast<double>(below)).toRotationMatrix());
      }
      out_.spine.push_back(std::move(turns));
    }
  }

  // The middle of the target's hips: the source's, scaled; the heights of ankles over the ground do not scale with
  // legs.
  void place_hips() {
    double ankle = 0.0;
    if (out_.legs) {
      find_floor();
      ankle = options_.itself ? out_.contacts.heel_height : 0.5 * (rest(0, kEnd).z() + rest(1, kEnd).z()) - out_.floor;
    }
    for (int f = 0; f < n_; ++f) {
      Vec3 p = out_.heading * source_.hips(f);
      if (out_.legs) p.z() -= out_.contacts.floor[at(f)] + out_.contacts.heel_height;
      const double rise = out_.legs ? bones_ * p.z() + ankle : out_.scale * p.z();
      out_.hips.emplace_back(out_.scale * p.x(), out_.scale * p.y(), rise + out_.floor);
    }
  }
  Vec3 rest(int side, int k) const { return target_.limb(side, true, k).place[0]; }

  // z = 0 where the soles at rest are near it, else under them; a figure onto itself stays on its own.
  void find_floor() {
    if (options_.itself) {
      out_.floor = percentile(out_.contacts.floor, 50.0);
      return;
    }
    const bool toes = target_.limb(0, true, kToe).there() && target_.limb(1, true, kToe).there();
    const double low = std::min(rest(0, toes ? kToe : kEnd).z(), rest(1, toes ? kToe : kEnd).z());
    out_.floor = std::abs(low) > 0.15 * leg_ ? low - (toes ? 0.03 : 0.05) * leg_ : 0.0;
  }

  // Ball and heel in the frame of the foot's link, and how high the ball is over the ground when the foot is flat.
  void find_soles() {
    const int pelvis = target_.part[kPelvis].link;
    for (int side = 0; side < 2; ++side) {
      const Mat3& R = target_.limb(side, true, kEnd).turn[0];
      const Vec3 ankle = rest(side, kEnd);
      Vec3 ball = target_.ball[side][0];
      if (!target_.limb(side, true, kToe).there() && !options_.itself) ball.z() = std::max(ball.z(), out_.floor);
      Vec3 forward = ball - ankle;
      forward.z() = 0.0;
      Vec3 heel = ankle - 0.35 * forward;
      heel.z() = out_.floor;
      out_.ball[side] = R.transpose() * (ball - ankle);
      heel_[side] = R.transpose() * (heel - ankle);
      out_.ball_height[side] = ball.z() - out_.floor;
      out_.ankle_height[side] = ankle.z() - out_.floor;
      if (options_.itself) {  // as it stands in the clip
        const Mat3& A = to_.part[part_of(side, true, kEnd)];
        const double height = out_.contacts.heel_height, length = (A.transpose() * out_.ball[side]).x();
        heel_[side] = A * Vec3(-0.35 * length, 0.0, -height);
        out_.ankle_height[side] = height;
        out_.ball_height[side] = height + (A.transpose() * out_.ball[side]).z();
      }
      thigh_[side] = (rest(side, kLower) - rest(side, kUpper)).norm();
      shin_[side] = (ankle - rest(side, kLower)).norm();
      if (pelvis >= 0) {
        hip_[side] = target_.part[kPelvis].turn[0].transpose() * (rest(side, kUpper) - target_.hips(0));
      }
      heel_weight_[side] = contact_weights(out_.contacts.heel[side], dt_, options_.blend);
      toe_weight_[side] = out_.contacts.toe[side].empty()
                              ? std::vector<double>(at(n_), 0.0)
                              : contact_weights(out_.contacts.toe[side], dt_, options_.blend);
    }
  }

  // A pinned ball hands the noise of the foot's rotation on to the ankle, and a leg that is nearly straight to its
  // knee.
  void calm_standing_foot(int side, std::vector<Mat3>& R) const {
    std::vector<char> stands = out_.contacts.heel[side];
    for (std::size_t f = 0; f < out_.contacts.toe[side].size(); ++f) {
      if (out_.contacts.toe[side][f] != 0) stands[f] = 1;
    }
    const std::vector<double> share = smoothed(contact_weights(stands, dt_, 0.06), 0.02 / dt_);
    R = calmed(R, kFootCalm, share);
  }
  // Rotations smoothed over so many seconds, by a share of each. Windows end where the clip does, on both sides alike:
  // an even turn stays as it is.
  std::vector<Mat3> calmed(const std::vector<Mat3>& R, double seconds, const std::vector<double>& share) const {
    const std::vector<double> window = gaussian_window(seconds / dt_);
    std::vector<Mat3> out = R;
    for (int f = 0; f < n_; ++f) {
      if (!(share[at(f)] > 0.0)) continue;
      Vec3 sum = Vec3::Zero();
      for (int k = 1; k < static_cast<int>(window.size()) && k <= std::min(f, n_ - 1 - f); ++k) {
        for (const int other : {f - k, f + k}) {
          sum += window[at(k)] * log_rotation(Mat3(R[at(f)].transpose() * R[at(other)]));
        }
      }
      out[at(f)] = R[at(f)] * exp_rotation(Vec3(share[at(f)] * sum)).toRotationMatrix();
    }
    return out;
  }
  void calm_hips() {
    const std::vector<double> window = gaussian_window(kRootCalm / dt_);
    const std::vector<Vec3> hips = out_.hips;
    for (int f = 0; f < n_; ++f) {
      for (int k = 1; k < static_cast<int>(window.size()) && k <= std::min(f, n_ - 1 - f); ++k) {
        out_.hips[at(f)] += window[at(k)] * (hips[at(f - k)] - 2.0 * hips[at(f)] + hips[at(f + k)]);
      }
    }
    if (!out_.frame[kPelvis].empty())
      out_.frame[kPelvis] = calmed(out_.frame[kPelvis], kRootCalm, std::vector<double>(at(n_), 1.0));
  }

  // Spines of other shape, fewer bones or a waist at the hips: the same turns lead elsewhere. The spine leans as a
  // whole so that the shoulders lie over the hips as the source's do.
  void lean_trunk() {
    const auto arms = [](const FigureTracks& figure) {
      return figure.limb(0, false, kUpper).there() && figure.limb(1, false, kUpper).there();
    };
    if (!out_.legs || out_.spine.empty() || out_.frame[kPelvis].empty() || !arms(source_) || !arms(target_)) return;
    const std::size_t count = target_.spine.size();
    const auto begins = [&](std::size_t k) { return k < count ? target_.spine[k].place[0] : target_.shoulders(0); };
    const Vec3 below = target_.part[kPelvis].turn[0].transpose() * (begins(0) - target_.hips(0));
    for (int f = 0; f < n_; ++f) {
      const Vec3 base = out_.frame[kPelvis][at(f)] * to_.part[kPelvis].transpose() * below;
      Vec3 spine = Vec3::Zero();
      for (std::size_t k = 0; k < count; ++k) {
        const Mat3 turn = out_.spine[k][at(f)] * to_.spine[k].transpose() * target_.spine[k].turn[0].transpose();
        spine += turn * (begins(k + 1) - begins(k));
      }
      const Vec3 u = (out_.heading * (source_.shoulders(f) - source_.hips(f))).normalized();
      const double along = base.dot(u);
      const double inside = spine.squaredNorm() - base.squaredNorm() + along * along;
      if (!(u.squaredNorm() > 0.5) || !(inside > 0.0)) continue;
      const Vec3 wanted = (along + std::sqrt(inside)) * u - base;
      const Vec3 axis = spine.cross(wanted);
      if (!(axis.norm() > 1e-9 * spine.squaredNorm())) continue;
      const Mat3 lean = rotation_about(axis.normalized(), math::atan2(axis.norm(), spine.dot(wanted)));
      const Vec3 left = out_.spine.back()[at(f)].col(1);
      for (std::vector<Mat3>& turns : out_.spine) turns[at(f)] = lean * turns[at(f)];
      Mat3& chest = out_.spine.back()[at(f)];
      const Vec3 forward = left.cross(chest.col(2));
      if (forward.norm() > 1e-6) chest << forward.normalized(), left, forward.normalized().cross(left);
    }
  }
  void calm_trunk() {
    const std::vector<double> all(at(n_), 1.0);
    for (std::vector<Mat3>& turns : out_.spine) turns = calmed(turns, kTrunkCalm, all);
    if (!out_.frame[kNeck].empty()) out_.frame[kNeck] = calmed(out_.frame[kNeck], kTrunkCalm, all);
  }

  // The source's feet, flat where heel and toe stand, their heading held there.
  void turn_feet() {
    for (int side = 0; side < 2; ++side) {
      std::vector<Mat3> R = out_.frame[part_of(side, true, kEnd)];
      if (options_.feet) {
        calm_standing_foot(side, R);
        std::vector<char> flat(at(n_));
        for (int f = 0; f < n_; ++f) flat[at(f)] = out_.contacts.flat(side, f) && !firm(side, f) ? 1 : 0;
        const std::vector<double> w = smoothed(contact_weights(flat, dt_, 0.06), 0.02 / dt_);
        std::vector<double> yaw, hold;
        for (int f = 0; f < n_; ++f) {
          double tilt = 0.0;
          flattened(R[at(f)], 0.0, tilt);
          const double share = fade(tilt, 0.45, 0.9);
          R[at(f)] = flattened(R[at(f)], w[at(f)] * share, tilt);
          const double now = math::atan2(R[at(f)](1, 0), R[at(f)](0, 0));
          yaw.push_back(f == 0 ? now : yaw.back() + wrap_angle(now - yaw.back()));
          hold.push_back(w[at(f)] * w[at(f)] * share);
        }
        ClipPass pass(n_, dt_, 1.0, 0.08);
        for (int f = 0; f + 1 < n_; ++f)
          pass.step(f, rate(1e4) * hold[at(f)], Vec3(yaw[at(f)] - yaw[at(f + 1)], 0.0, 0.0));
        const std::vector<Vec3> change = pass.solve();
        for (int f = 0; f < n_; ++f) R[at(f)] = rotation_about(Vec3::UnitZ(), change[at(f)].x()) * R[at(f)];
      }
      for (Mat3& each : R) each = each * to_.part[part_of(side, true, kEnd)].transpose();
      out_.foot[side] = std::move(R);
    }
  }
  // At low frame rates over some frames at least: a root that moves for one frame only is a pop.
  double root_eases() const { return std::max(kRootEases, kRootFrames * dt_); }
  // Weights of steps are given for 120 frames per second.
  double rate(double weight) const { return weight / math::power(120.0 * dt_, 2); }

  // The source's directions on the target's bones. A knee that the source bends the wrong way is brought back smoothly.
  void base_legs() {
    for (int side = 0; side < 2; ++side) {
      for (int f = 0; f < n_; ++f) {
        const Mat3& upper = out_.frame[part_of(side, true, kUpper)][at(f)];
        const Vec3 thigh = upper.col(2);
        const Vec3 axis = upper.col(0);
        const Vec3 shin = out_.frame[part_of(side, true, kLower)][at(f)].col(2);
        const double bend = math::atan2(thigh.cross(shin).dot(axis), thigh.dot(shin));
        const double wanted =
            kKneeSoft * (bend / kKneeSoft > 30.0 ? bend / kKneeSoft : math::log(1.0 + math::exp(bend / kKneeSoft)));
        base_[side].push_back(thigh_[side] * thigh + shin_[side] * (rotation_about(axis, wanted - bend) * shin));
      }
    }
  }
  bool firm(int side, int f) const { return !options_.firm[side].empty() && options_.firm[side][at(f)] == 1; }
  Vec3 hip(int side, int f) const {
    return out_.hips[at(f)] + out_.frame[kPelvis][at(f)] * to_.part[kPelvis].transpose() * hip_[side];
  }
  Vec3 sole(int side, bool heel, int f) const {
    return out_.foot[side][at(f)] * (heel ? heel_[side] : out_.ball[side]);
  }
  double sole_height(int side, bool heel) const { return out_.floor + (heel ? 0.0 : out_.ball_height[side]); }
  const std::vector<double>& weights(int side, bool heel) const {
    return heel ? heel_weight_[side] : toe_weight_[side];
  }

  // The root takes what standing feet ask for on average: their height, and travel at the stride's pace. And the height
  // that hands ask for which carry the figure.
  void move_root_with_feet() {
    ClipPass pass(n_, dt_, 0.05, root_eases());
    for (int side = 0; side < 2; ++side) {
      for (const bool heel : {true, false}) {
        const std::vector<double>& w = weights(side, heel);
        Vec3 before = Vec3::Zero();
        for (int f = 0; f < n_; ++f) {
          Vec3 p = hip(side, f) + base_[side][at(f)] + sole(side, heel, f);
          p.z() -= sole_height(side, heel);
          const double height =
              heel ? w[at(f)] : std::max(kToeShare * w[at(f)], std::min(w[at(f)], heel_weight_[side][at(f)]));
          pass.place(f, 4.0 * height, Vec3(0.0, 0.0, -p.z()));
          if (f > 0) {
            const Vec3 slide = before - p;
            pass.step(f - 1, rate(200.0) * std::min(w[at(f - 1)], w[at(f)]), Vec3(slide.x(), slide.y(), 0.0));
          }
          before = p;
        }
      }
      const HandSupport& hand = options_.hands[side];
      for (int f = 0; f < n_ && !hand.weight.empty(); ++f) {
        pass.place(f, 4.0 * hand.weight[at(f)], Vec3(0.0, 0.0, hand.hips[at(f)] - out_.hips[at(f)].z()));
      }
    }
    const std::vector<Vec3> change = pass.solve();
    for (int f = 0; f < n_; ++f) out_.hips[at(f)] += change[at(f)];
  }

  // Feet where the legs lead them, pinned while they stand, out of the ground in any case.
  void place_feet() {
    for (int side = 0; side < 2; ++side) {
      std::vector<Vec3>& ankle = out_.ankle[side];
      ankle.resize(at(n_));
      for (int f = 0; f < n_; ++f) ankle[at(f)] = hip(side, f) + base_[side][at(f)];
      if (!options_.feet || !options_.places) continue;
      ClipPass ground(n_, dt_, 1.0, kFootEases);
      ClipPass height(n_, dt_, 1.0, kFootEases);
      std::vector<double> lowest(at(n_), INFINITY);
      for (const bool heel : {true, false}) {
        const std::vector<double>& w = weights(side, heel);
        for (int f = 0; f < n_; ++f) {
          const Vec3 p = ankle[at(f)] + sole(side, heel, f);
          const double over = p.z() - sole_height(side, heel);
          lowest[at(f)] = std::min(lowest[at(f)], over);
          height.place(f, 1e4 * w[at(f)], Vec3(0.0, 0.0, -over));
          if (f + 1 == n_) continue;
          const Vec3 slide = p - ankle[at(f + 1)] - sole(side, heel, f + 1);
          // A foot that still rolls while both stand cannot hold both: the toe stays, on which it will leave.
          const bool gives_way = heel && !firm(side, f);
          const double toe = gives_way ? std::max(toe_weight_[side][at(f)], toe_weight_[side][at(f + 1)]) : 0.0;
          const double held = (1.0 - kToeFirst * toe) * std::min(w[at(f)], w[at(f + 1)]);
          ground.step(f, rate(1e6) * held, Vec3(slide.x(), slide.y(), 0.0));
        }
      }
      const std::vector<Vec3> along = ground.solve();
      const std::vector<Vec3> up = height.solve();
      std::vector<double> rise(at(n_));
      for (int f = 0; f < n_; ++f) rise[at(f)] = up[at(f)].z();
      const int reach = std::max(1, static_cast<int>(std::lround(0.03 / dt_)));
      for (int round = 0; round < 3; ++round) {  // lifted by a smooth upper envelope
        std::vector<double> sunk(at(n_));
        for (int f = 0; f < n_; ++f) sunk[at(f)] = std::max(0.0, -lowest[at(f)] - rise[at(f)]);
        if (*std::max_element(sunk.begin(), sunk.end()) < 0.002 * leg_) break;
        const std::vector<double> lift = smoothed(running_max(sunk, reach), 0.5 * reach);
        for (int f = 0; f < n_; ++f) rise[at(f)] += lift[at(f)];
      }
      for (int f = 0; f < n_; ++f) ankle[at(f)] += Vec3(along[at(f)].x(), along[at(f)].y(), rise[at(f)]);
    }
  }

  // The root once more, in height, so that standing knees bend as the source's do; feet follow.
  void bend_standing_knees() {
    for (int round = 0; round < kRounds; ++round) {
      std::vector<double> e(at(n_), 0.0);
      for (int step = 0; step < 4; ++step) {
        ClipPass pass(n_, dt_, 0.02, root_eases(), 0.3);
        for (int side = 0; side < 2; ++side) {
          const double full = thigh_[side] + shin_[side];
          for (int f = 0; f < n_; ++f) {
            const Vec3 way = hip(side, f) + Vec3(0.0, 0.0, e[at(f)]) - out_.ankle[side][at(f)];
            const double D = std::max(way.norm(), 1e-9 * full);
            const double upright = std::clamp(way.z() / D, 0.35, 1.0);
            const double below =
                smooth_step((way.z() / D - 0.35) / 0.3);  // only a leg under the hips is eased by height
            const double base = base_[side][at(f)].norm();
            const double r = std::min(1.0, base / full);
            const double stands = below * std::max(heel_weight_[side][at(f)], kToeLeg * toe_weight_[side][at(f)]);
            const double w = stands * std::min(0.05 / (1.0 - r * r + 0.01), 5.0);  // a nearly straight knee tells most
            const auto ask = [&](double weight, double length) {
              pass.place(f, weight * upright * upright, Vec3(0.0, 0.0, e[at(f)] - (D - length) / upright));
            };
            ask(w, std::min(base, kStraight * full));
            if (D > kStraight * full) ask(60.0 * below, kStraight * full);
          }
        }
        const std::vector<Vec3> found = pass.solve();
        for (int f = 0; f < n_; ++f) e[at(f)] = std::clamp(found[at(f)].z(), -0.15 * leg_, 0.15 * leg_);
      }
      for (int f = 0; f < n_; ++f) out_.hips[at(f)].z() += e[at(f)];
      if (round + 1 == kRounds) break;
      roll_feet();
      place_feet();
    }
  }

  // A toe stands alone: part of what the foot is displaced becomes pitch about the ball.
  void roll_feet() {
    for (int side = 0; side < 2; ++side) {
      if (out_.contacts.toe[side].empty()) continue;
      roll_[side].resize(at(n_), 0.0);
      ClipPass pass(n_, dt_, 0.0, 0.03);
      std::vector<Vec3> axes;
      for (int f = 0; f < n_; ++f) {
        const Vec3 forward = (out_.foot[side][at(f)] * to_.part[part_of(side, true, kEnd)]).col(0);
        Vec3 axis = Vec3::UnitZ().cross(forward);
        axis = axis.norm() > 1e-9 ? Vec3(axis.normalized()) : Vec3(Vec3::UnitY());
        const Vec3 g = axis.cross(-sole(side, false, f));
        const Vec3 off = hip(side, f) + base_[side][at(f)] - out_.ankle[side][at(f)];
        const double wanted = kRollShare * off.dot(g) / std::max(g.squaredNorm(), math::power(0.03 * leg_, 2));
        const double w = toe_weight_[side][at(f)] * (1.0 - heel_weight_[side][at(f)]);
        const double change = std::clamp(roll_[side][at(f)] + wanted * w, -kMostRoll, kMostRoll) - roll_[side][at(f)];
        pass.place(f, 5.0, Vec3(change * w, 0.0, 0.0));
        axes.push_back(axis);
      }
      const std::vector<Vec3> change = pass.solve();
      for (int f = 0; f < n_; ++f) {
        roll_[side][at(f)] += change[at(f)].x();
        out_.foot[side][at(f)] = rotation_about(axes[at(f)], change[at(f)].x()) * out_.foot[side][at(f)];
      }
    }
  }

  // Two bones in closed form. The side of the hinge comes with the thigh's frame: no poles, no flips.
  void pose_legs() {
    for (int side = 0; side < 2; ++side) {
      for (int f = 0; f < n_; ++f) {
        Mat3 thigh = out_.frame[part_of(side, true, kUpper)][at(f)];
        Mat3 shin = thigh;
        bend_towards(out_.ankle[side][at(f)] - hip(side, f), thigh_[side], shin_[side], thigh, shin);
        out_.thigh[side].push_back(thigh);
        out_.shin[side].push_back(shin);
        out_.reached[side].push_back(hip(side, f) + thigh_[side] * thigh.col(2) + shin_[side] * shin.col(2));
      }
    }
  }

  FigureTracks source_;
  const Anatomy& from_;
  const FigureTracks& target_;
  const Anatomy& to_;
  const PlanOptions& options_;
  int n_;
  double dt_;
  double leg_ = 0.0;
  double bones_ = 1.0;  // ratio of the legs, whatever the travel is scaled by
  RetargetPlan out_;
  Vec3 heel_[2] = {Vec3::Zero(), Vec3::Zero()};  // in the foot's link
  Vec3 hip_[2] = {Vec3::Zero(), Vec3::Zero()};   // in the pelvis' link, from the middle of the hips
  double thigh_[2] = {0.0, 0.0}, shin_[2] = {0.0, 0.0};
  std::vector<double> heel_weight_[2], toe_weight_[2], roll_[2];
  std::vector<Vec3> base_[2];  // from hip to ankle as the source's directions have it
};

}  // namespace

void bend_towards(const Vec3& way, double a, double b, Mat3& upper, Mat3& lower) {
  double D = soft_reach(way.norm(), 0.9999 * (a + b), kSoft * (a + b));
  D = std::max(D, 1.02 * std::abs(a - b) + 0.05 * (a + b));
  const Vec3 u = way.norm() > 1e-12 ? Vec3(way.normalized()) : Vec3(-Vec3::UnitZ());
  const Vec3 axis = frame_along(u, upper.col(0)).col(0);
  const double alpha = math::acos(std::clamp((a * a + D * D - b * b) / (2.0 * a * D), -1.0, 1.0));
  const double beta = math::acos(std::clamp((b * b + D * D - a * a) / (2.0 * b * D), -1.0, 1.0));
  upper = frame_along(rotation_about(axis, -alpha) * u, axis);
  lower = frame_along(rotation_about(axis, beta) * u, axis);
}

std::vector<double> contact_weights(const std::vector<char>& states, double frame_time, double seconds) {
  const int n = static_cast<int>(states.size());
  std::vector<double> w(states.size(), 0.0);
  for_each_run(states, 1, [&](int first, int end) {
    for (int f = first; f < end; ++f) {
      const double in = first == 0 ? 1.0 : (f - first + 1) * frame_time / seconds;
      const double out = end == n ? 1.0 : (end - f) * frame_time / seconds;
      w[at(f)] = smooth_step(std::min(in, out));
    }
  });
  return w;
}

RetargetPlan plan_retarget(FigureTracks source, const Anatomy& source_anatomy, Contacts contacts,
                           const FigureTracks& target_rest, const Anatomy& target_anatomy,
                           const std::optional<Vec3>& belt, const PlanOptions& options) {
  return Planner(std::move(source), source_anatomy, std::move(contacts), target_rest, target_anatomy, belt, options)
      .make();
}

}  // namespace armature::inline v0_2
