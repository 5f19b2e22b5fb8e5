#include "armature/motion/anatomy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "armature/base/index.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/motion/frame_series.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kStanding = 0.75;  // least cosine between a standing figure's bones and up or down

Vec3 unit_or(const Vec3& v, const Vec3& otherwise) {
  const double length = v.norm();
  return length > 1e-12 ? Vec3(v / length) : otherwise;
}

// Forward, left, up: across the hips, upright; or along the trunk's own line.
Mat3 body_frame(const FigureTracks& tracks, int f, bool along_trunk) {
  Vec3 left = Vec3::Zero();
  for (const bool leg : {true, false}) {
    const BoneTrack& a = tracks.limb(0, leg, kUpper);
    const BoneTrack& b = tracks.limb(1, leg, kUpper);
    if (left.isZero() && a.there() && b.there()) left = a.place[at(f)] - b.place[at(f)];
  }
  Vec3 up = along_trunk ? unit_or(tracks.shoulders(f) - tracks.hips(f), Vec3::UnitZ()) : Vec3(Vec3::UnitZ());
  left = left - up * up.dot(left);
  left = unit_or(left, Vec3::UnitY());
  if (std::abs(left.dot(up)) > 0.9) up = Vec3::UnitZ();
  Mat3 frame;
  frame << left.cross(up).normalized(), left, up;
  return frame;
}

// How well a frame stands: the least cosine of what must point up or down.
double uprightness(const FigureTracks& tracks, int f) {
  double least = 1.0;
  const auto take = [&](const Vec3& from, const Vec3& to, double sign) {
    least = std::min(least, sign * unit_or(to - from, Vec3::UnitX()).z());
  };
  for (int side = 0; side < 2; ++side) {
    if (!tracks.whole(side, true)) continue;
    const auto place = [&](int k) { return tracks.limb(side, true, k).place[at(f)]; };
    take(place(kUpper), place(kLower), -1.0);
    take(place(kLower), place(kEnd), -1.0);
  }
  take(tracks.hips(f), tracks.shoulders(f), 1.0);
  return least;
}

class AnatomyReader {
 public:
  AnatomyReader(const Model& model, const FigureTracks& rest, const FigureTracks* clip, const std::vector<char>* flat)
      : model_(model), rest_(rest), clip_(clip), flat_(flat), reference_(&rest), frames_{0} {}

  Anatomy read(const std::vector<int>& parents) {
    for (Mat3& A : out_.part) A.setIdentity();
    choose_reference();
    for (const int f : frames_) {
      upright_.push_back(body_frame(*reference_, f, false));
      trunk_.push_back(body_frame(*reference_, f, true));
    }
    out_.body = upright_[0];
    // A reference that comes from the clip may lean: there the trunk's own line counts for the pelvis and head, too.
    for (const int part : {kPelvis, kNeck, kHead})
      fix(reference_->part[part], out_.from_clip ? trunk_ : upright_, out_.part[part]);
    for (const BoneTrack& bone : reference_->spine) {
      out_.spine.emplace_back(Mat3::Identity());
      fix(bone, trunk_, out_.spine.back());
    }
    for (int side = 0; side < 2; ++side) {
      for (const bool leg : {true, false}) {
        fix(limb(side, leg, kCollar), trunk_, out_.part[part_of(side, leg, kCollar)]);
        read_limb(side, leg);
      }
      read_foot(side);
      read_hand(side);
    }
    for (std::size_t k = 0; k < rest_.others.size(); ++k) {
      out_.others.emplace_back(Mat3::Identity());
      // Turns with the bone it hangs on.
      const int parent = k < parents.size() ? parents[k] : kPelvis;
      const BoneTrack& above = reference_->part[parent];
      std::vector<Mat3> turns;
      for (const int f : frames_) {
        if (above.there()) turns.push_back(above.turn[at(f)] * out_.part[parent]);
      }
      fix(reference_->others[k], turns.empty() ? upright_ : turns, out_.others.back());
    }
    return out_;
  }

 private:
  const BoneTrack& limb(int side, bool leg, int k) const { return reference_->limb(side, leg, k); }

  void choose_reference() {
    const double standing = uprightness(rest_, 0);
    out_.upright = standing >= kStanding;
    if (out_.upright || clip_ == nullptr || clip_->frames == 0) return;
    std::vector<std::pair<double, int>> best;
    for (int f = 0; f < clip_->frames; ++f) best.emplace_back(-uprightness(*clip_, f), f);
    std::sort(best.begin(), best.end());
    if (-best[0].first <= standing) return;
    out_.from_clip = true;
    out_.upright = -best[0].first >= kStanding;
    reference_ = clip_;
    frames_.clear();
    const std::size_t count = std::max<std::size_t>(3, best.size() / 50);
    for (std::size_t k = 0; k < std::min(count, best.size()); ++k) frames_.push_back(best[k].second);
  }

  // The frame in the bone that is `wanted` in the reference.
  void fix(const BoneTrack& bone, const std::vector<Mat3>& wanted, Mat3& A) const {
    if (!bone.there()) return;
    std::vector<Mat3> turns;
    for (std::size_t k = 0; k < frames_.size(); ++k) turns.push_back(bone.turn[at(frames_[k])].transpose() * wanted[k]);
    A = mean_rotation(turns);
  }

  void read_limb(int side, bool leg) {
    const BoneTrack& upper = limb(side, leg, kUpper);
    const BoneTrack& lower = limb(side, leg, kLower);
    const BoneTrack& end = limb(side, leg, kEnd);
    Mat3& A_upper = out_.part[part_of(side, leg, kUpper)];
    Mat3& A_lower = out_.part[part_of(side, leg, kLower)];
    if (!reference_->whole(side, leg)) {  // whatever there is turns with the trunk
      for (const int k : {kUpper, kLower, kEnd}) fix(limb(side, leg, k), upright_, out_.part[part_of(side, leg, k)]);
      return;
    }
    const std::size_t f0 = at(frames_[0]);
    const Vec3 along_upper = upper.turn[f0].transpose() * (lower.place[f0] - upper.place[f0]);
    const Vec3 along_lower = lower.turn[f0].transpose() * (end.place[f0] - lower.place[f0]);
    // What to expect: knees flex about the left, elbows bring the forearm forward.
    std::vector<Vec3> prior;
    for (std::size_t k = 0; k < frames_.size(); ++k) {
      const std::size_t f = at(frames_[k]);
      const Vec3 d = unit_or(lower.place[f] - upper.place[f], -Vec3::UnitZ());
      prior.push_back(leg ? Vec3(upright_[k].col(1)) : unit_or(d.cross(Vec3(upright_[k].col(0))), upright_[k].col(1)));
    }
    const Vec3 bend = bend_of(*reference_, side, leg, frames_[0]);
    const JointType& type = model_.joint(lower.link).type;
    const Revolute* hinge = std::get_if<Revolute>(&type);
    if (const Continuous* endless = std::get_if<Continuous>(&type)) hinge = endless;
    if (hinge != nullptr) {
      Vec3 axis = rest_.limb(side, leg, kLower).turn[0] * hinge->axis;
      // It flexes the way that its limits leave open; else as it is bent at rest.
      const double lower_limit = model_.lower()[model_.joint(lower.link).q_index];
      const double upper_limit = model_.upper()[model_.joint(lower.link).q_index];
      const double open = lower_limit + upper_limit;
      if (std::abs(open) > 0.5 * (upper_limit - lower_limit)) {
        if (open < 0.0) axis = -axis;
      } else if (axis.dot(bend.norm() < 0.1 ? prior[0] : bend) < 0.0) {
        axis = -axis;
      }
      A_upper = frame_along(along_upper, rest_.limb(side, leg, kUpper).turn[0].transpose() * axis);
      A_lower = frame_along(along_lower, rest_.limb(side, leg, kLower).turn[0].transpose() * axis);
      return;
    }
    A_upper = frame_along(along_upper, flexion_axis(side, leg, kUpper, prior, bend));
    A_lower = frame_along(along_lower, flexion_axis(side, leg, kLower, prior, bend));
  }

  static Vec3 bend_of(const FigureTracks& tracks, int side, bool leg, int f) {
    const auto place = [&](int k) { return tracks.limb(side, leg, k).place[at(f)]; };
    return unit_or(place(kLower) - place(kUpper), Vec3::Zero())
        .cross(unit_or(place(kEnd) - place(kLower), Vec3::Zero()));
  }

  // Of a joint that is no hinge: from how it bends in the clip; else from the bend at rest; else what is expected.
  Vec3 flexion_axis(int side, bool leg, int k, const std::vector<Vec3>& prior, const Vec3& bend) const {
    const BoneTrack& bone = limb(side, leg, k);
    Vec3 axis = Vec3::Zero();
    for (std::size_t i = 0; i < frames_.size(); ++i) axis += bone.turn[at(frames_[i])].transpose() * prior[i];
    axis *= 0.02 / static_cast<double>(frames_.size());
    if (!out_.from_clip && bend.norm() > 0.14) axis += bone.turn[0].transpose() * bend.normalized();
    if (clip_ == nullptr || clip_->frames == 0) return axis;
    const BoneTrack& moving = clip_->limb(side, leg, k);
    Vec3 used = Vec3::Zero();
    for (int f = 0; f < clip_->frames; ++f) {
      const Vec3 m = bend_of(*clip_, side, leg, f);
      const double sine = m.norm();
      if (sine > 0.17) used += moving.turn[at(f)].transpose() * m * sine;
    }
    used /= clip_->frames;
    if (!out_.from_clip && used.dot(axis) < 0.0 && used.norm() < 0.05) used.setZero();
    return used.norm() > 0.004 ? Vec3(0.2 * axis + 5.0 * used) : axis;
  }

  // Forward from ankle to ball on the ground, up the world's: where the foot lies flat. Feet of one bone rest at
  // whatever slope their file likes, so the clip tells of them, too.
  void read_foot(int side) {
    const BoneTrack& foot = limb(side, true, kEnd);
    const BoneTrack& toe = limb(side, true, kToe);
    if (!foot.there()) return;
    const auto sole_frame = [&](const FigureTracks& tracks, int f, const Mat3& body) {
      const BoneTrack& t = tracks.limb(side, true, kToe);
      const std::vector<Vec3>& ball = t.there() ? t.place : tracks.ball[side];
      Vec3 forward = ball.empty() ? Vec3(body.col(0)) : Vec3(ball[at(f)] - tracks.limb(side, true, kEnd).place[at(f)]);
      forward.z() = 0.0;
      forward = unit_or(forward, body.col(0));
      Mat3 frame;
      frame << forward, Vec3::UnitZ().cross(forward), Vec3::UnitZ();
      return frame;
    };
    std::vector<Mat3> soles;
    for (std::size_t k = 0; k < frames_.size(); ++k) soles.push_back(sole_frame(*reference_, frames_[k], upright_[k]));
    fix(foot, soles, out_.part[part_of(side, true, kEnd)]);
    fix(toe, soles, out_.part[part_of(side, true, kToe)]);
    if (flat_ == nullptr || clip_ == nullptr) return;
    std::vector<Mat3> feet, toes;
    for (int f = 0; f < clip_->frames; ++f) {
      if (flat_[side][at(f)] == 0) continue;
      const Mat3 frame = sole_frame(*clip_, f, body_frame(*clip_, f, false));
      feet.push_back(clip_->limb(side, true, kEnd).turn[at(f)].transpose() * frame);
      if (toe.there()) toes.push_back(clip_->limb(side, true, kToe).turn[at(f)].transpose() * frame);
    }
    if (feet.size() < 3) return;
    out_.part[part_of(side, true, kEnd)] = mean_rotation(feet);
    if (toe.there()) out_.part[part_of(side, true, kToe)] = mean_rotation(toes);
  }

  void read_hand(int side) {
    const BoneTrack& forearm = limb(side, false, kLower);
    if (!forearm.there() || !reference_->whole(side, false)) return;
    std::vector<Mat3> turns;
    for (const int f : frames_) turns.push_back(forearm.turn[at(f)] * out_.part[part_of(side, false, kLower)]);
    fix(limb(side, false, kEnd), turns, out_.part[part_of(side, false, kEnd)]);
  }

  const Model& model_;
  const FigureTracks& rest_;
  const FigureTracks* clip_;
  const std::vector<char>* flat_;
  const FigureTracks* reference_;
  std::vector<int> frames_;  // of the reference
  std::vector<Mat3> upright_, trunk_;
  Anatomy out_;
};

}  // namespace

bool FigureTracks::whole(int side, bool leg) const {
  return limb(side, leg, kUpper).there() && limb(side, leg, kLower).there() && limb(side, leg, kEnd).there();
}

Vec3 FigureTracks::hips(int f) const {
  const BoneTrack& a = limb(0, true, kUpper);
  const BoneTrack& b = limb(1, true, kUpper);
  if (a.there() && b.there()) return 0.5 * (a.place[at(f)] + b.place[at(f)]);
  return part[kPelvis].there() ? part[kPelvis].place[at(f)] : Vec3(Vec3::Zero());
}

Vec3 FigureTracks::shoulders(int f) const {
  const BoneTrack& a = limb(0, false, kUpper);
  const BoneTrack& b = limb(1, false, kUpper);
  if (a.there() && b.there()) return 0.5 * (a.place[at(f)] + b.place[at(f)]);
  for (const BoneTrack* bone : {&part[kNeck], &part[kHead], spine.empty() ? &part[kPelvis] : &spine.back()}) {
    if (bone->there()) return bone->place[at(f)];
  }
  return hips(f) + Vec3::UnitZ();
}

double FigureTracks::limb_length(int side, bool leg) const {
  if (!whole(side, leg) || frames == 0) return 0.0;
  const auto place = [&](int k) { return limb(side, leg, k).place[0]; };
  return (place(kLower) - place(kUpper)).norm() + (place(kEnd) - place(kLower)).norm();
}

double FigureTracks::leg_length() const {
  if (!whole(0, true) || !whole(1, true)) return 0.0;
  return 0.5 * (limb_length(0, true) + limb_length(1, true));
}

FigureTracks trace_figure(const Model& model, const Figure& figure, const std::vector<int>& others, const Clip& clip,
                          const Mat3& turn) {
  FigureTracks out;
  out.frames = clip.frame_count();
  out.frame_time = clip.frame_time;
  out.part[kPelvis].link = figure.pelvis;
  out.part[kNeck].link = figure.neck;
  out.part[kHead].link = figure.head;
  for (int side = 0; side < 2; ++side) {
    for (const bool leg : {true, false}) {
      const FigureLimb& limb = leg ? figure.leg[side] : figure.arm[side];
      const int links[] = {limb.collar, limb.upper, limb.lower, limb.end, limb.toe};
      for (int k = 0; k < 5; ++k) out.part[part_of(side, leg, k)].link = links[k];
    }
  }
  for (const int link : figure.spine) out.spine.push_back({link, {}, {}});
  for (const int link : others) out.others.push_back({link, {}, {}});
  State state;
  for (int f = 0; f < clip.frame_count(); ++f) {
    forward(model, clip.frame(f), state);
    const auto take = [&](BoneTrack& bone, int center) {
      if (!bone.there()) return;
      bone.turn.push_back(turn * state.X_WL[at(bone.link)].rotation);
      bone.place.push_back(turn * state.X_WL[at(center)].position);
    };
    for (int k = 0; k < kPartCount; ++k) {
      const bool upper = k >= 3 && (k - 3) % 5 == kUpper;
      const int limb = (k - 3) / 5;
      const FigureLimb* own = upper ? (limb % 2 == 1 ? &figure.leg[limb / 2] : &figure.arm[limb / 2]) : nullptr;
      take(out.part[k], own != nullptr && own->center >= 0 ? own->center : out.part[k].link);
    }
    for (BoneTrack& bone : out.spine) take(bone, bone.link);
    for (BoneTrack& bone : out.others) take(bone, bone.link);
  }
  return out;
}

Anatomy read_anatomy(const Model& model, const FigureTracks& rest, const FigureTracks* clip,
                     const std::vector<char>* flat, const std::vector<int>& parents) {
  return AnatomyReader(model, rest, clip, flat).read(parents);
}

namespace {

// From the ankle to the ball, in the foot's link; `A`: forward, left and up of the foot.
Vec3 guessed_ball(const Model& model, int foot, const Mat3& A, double leg) {
  constexpr double kForward = 0.18, kDown = 0.09;  // of a leg
  Vec3 tip = Vec3::Zero();
  for (int i = foot + 1; i < model.subtree_end(foot); ++i) {
    const Vec3 way = A.transpose() * model.joint(i).origin.position;
    if (model.parent(i) == foot && way.x() > tip.x()) tip = way;
  }
  return tip.x() > 0.1 * leg && tip.x() < 0.6 * leg ? Vec3(A * (0.75 * tip))
                                                    : Vec3(A * Vec3(kForward * leg, 0.0, -kDown * leg));
}

}  // namespace

void add_balls(const Model& model, const FigureTracks& rest, FigureTracks& clip) {
  if (!clip.whole(0, true) || !clip.whole(1, true)) return;
  clip.guessed_balls = !clip.limb(0, true, kToe).there() || !clip.limb(1, true, kToe).there();
  Anatomy anatomy;
  if (clip.guessed_balls) anatomy = read_anatomy(model, rest, &clip, nullptr, {});
  for (int side = 0; side < 2; ++side) {
    const BoneTrack& foot = clip.limb(side, true, kEnd);
    const BoneTrack& toe = clip.limb(side, true, kToe);
    clip.ball[side] = toe.there() ? toe.place : foot.place;
    if (toe.there()) continue;
    const Vec3 ball = guessed_ball(model, foot.link, anatomy.part[part_of(side, true, kEnd)], clip.leg_length());
    for (int f = 0; f < clip.frames; ++f) clip.ball[side][at(f)] += foot.turn[at(f)] * ball;
  }
}

Mat3 frame_along(const Vec3& along, const Vec3& x) {
  const Vec3 z = unit_or(along, Vec3::UnitZ());
  Vec3 across = x - z * z.dot(x);
  if (!(across.norm() > 1e-9)) across = z.unitOrthogonal();
  across.normalize();
  Mat3 frame;
  frame << across, z.cross(across), z;
  return frame;
}

Mat3 mean_rotation(const std::vector<Mat3>& turns) {
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  for (const Mat3& turn : turns) {
    const Eigen::Vector4d q = Quat(turn).coeffs();
    sum += sum.dot(q) < 0.0 ? Eigen::Vector4d(-q) : q;
  }
  if (!(sum.norm() > 1e-9)) return turns.empty() ? Mat3(Mat3::Identity()) : turns[0];
  Quat mean;
  mean.coeffs() = sum.normalized();
  return mean.toRotationMatrix();
}

}  // namespace armature::inline v0_2
