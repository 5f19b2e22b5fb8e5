// Over 400 lines because one thing: the pass over the frames and what it needs, in the order in which it is used.
#include "armature/motion/retarget.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/posed_figure.hpp"

namespace armature::inline v0_2 {
namespace {

// The coordinate axis nearest to v.
Vec3 nearest_axis(const Vec3& v) {
  int k = 0;
  v.cwiseAbs().maxCoeff(&k);
  return (v[k] < 0.0 ? -1.0 : 1.0) * Vec3::Unit(k);
}

// Which way a figure at rest faces: columns forward, left, up.
Mat3 figure_axes(const Figure& figure, const State& rest) {
  const auto place = [&](int link) { return rest.X_WL[at(link)].position; };
  Mat3 axes = Mat3::Identity();
  const int high = figure.head >= 0       ? figure.head
                   : figure.neck >= 0     ? figure.neck
                   : figure.spine.empty() ? -1
                                          : figure.spine.back();
  const int low = figure.leg[0].end >= 0 ? figure.leg[0].end : figure.pelvis;
  if (high < 0 || low < 0) return axes;
  const Vec3 up = nearest_axis(place(high) - place(low));
  Vec3 across = Vec3::Zero();
  for (const FigureLimb* pair : {figure.leg, figure.arm}) {
    if (across.isZero() && pair[0].upper >= 0 && pair[1].upper >= 0)
      across = place(pair[0].upper) - place(pair[1].upper);
  }
  across -= up * up.dot(across);
  if (!(across.norm() > 1e-12)) return axes;
  const Vec3 left = nearest_axis(across);
  axes << left.cross(up), left, up;
  return axes;
}

double limb_length(const FigureLimb& limb, const State& rest) {
  const auto place = [&](int link) { return rest.X_WL[at(link)].position; };
  return (place(limb.lower) - place(limb.upper)).norm() + (place(limb.end) - place(limb.lower)).norm();
}

double smooth(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * (3.0 - 2.0 * x);
}

// A limb of the target that is put in its place: a hinge between two bones.
struct KeptLimb {
  FigureLimb target;
  int source_upper = -1, source_lower = -1, source_end = -1;
  double length = 0.0;  // of the target's
  double source_length = 0.0;
  bool foot = false;
  std::vector<Vec3> places;   // of the target's end, one a frame, in the target's world
  std::vector<char> planted;  // feet: one a frame
};

class Retargeter {
 public:
  Retargeter(const Model& source, const Clip& clip, const Model& target, const RetargetOptions& options)
      : source_(source), clip_(clip), target_(target), options_(options), body_(target, options.limits) {}

  Status prepare(const BoneMap& map) {
    of_target_.assign(at(target_.link_count()), -1);
    for (const auto& [to, from] : map) {
      const Result<int> t = target_.find_link(to);
      if (!t.ok()) return Error{"The map names a link of the target: " + t.message()};
      const Result<int> s = source_.find_link(from);
      if (!s.ok()) return Error{"The map names a link of the source: " + s.message()};
      of_target_[at(*t)] = *s;
    }
    from_ = guess_figure(source_);
    to_ = guess_figure(target_);
    forward(source_, neutral_pose(source_), source_rest_);
    rest_pose_ = neutral_pose(target_);
    forward(target_, rest_pose_, target_rest_);
    source_axes_ = figure_axes(from_, source_rest_);
    target_axes_ = figure_axes(to_, target_rest_);
    turn_ = target_axes_ * source_axes_.transpose();
    align_rest_poses();
    collect_limbs();
    find_helpers();
    return {};
  }

  Result<Retargeted> run() {
    Retargeted result;
    result.clip = clip_;
    result.clip.q_size = target_.q_size();
    result.clip.model = target_;
    result.clip.values.clear();
    result.clip.values.reserve(at(clip_.frame_count()) * at(target_.q_size()));
    result.hands =
        static_cast<int>(std::count_if(limbs_.begin(), limbs_.end(), [](const KeptLimb& l) { return !l.foot; }));
    choose_scale(result);
    place_limbs();
    VecX q = rest_pose_;
    if (options_.limits) clamp(target_, q);  // joints that no bone turns may rest outside
    for (int f = 0; f < clip_.frame_count(); ++f) {
      forward(source_, clip_.frame(f), state_);
      pose(f, q);
      for (KeptLimb& limb : limbs_) {
        if (limb.foot) continue;
        const double miss = (body_.X[at(limb.target.end)].position - limb.places[at(f)]).norm();
        result.hand_error = std::max(result.hand_error, miss);
      }
      for (std::size_t i = 0; i < limbs_.size(); ++i) measure_footfall(limbs_[i], f, i, result);
      result.clip.append(q);
    }
    for (const Footfall& fall : result.footfalls) result.largest_slide = std::max(result.largest_slide, fall.slide);
    if (options_.limits && result.largest_slide > 0.01 * result.leg_length) {
      result.notes.emplace_back("A standing foot slides where the target's joint limits keep it from its place.");
    }
    return result;
  }

 private:
  Vec3 source_place(const State& state, int link) const { return state.X_WL[at(link)].position; }
  // From the source's world to the target's.
  Vec3 carried(const Vec3& p) const { return scale_ * (turn_ * p) + lift_; }

  // The mapped link below a link of the target that continues its bone, or -1.
  int next_mapped(int link) const {
    int found = -1;
    for (int i = link + 1; i < target_.subtree_end(link); ++i) {
      if (of_target_[at(i)] < 0) continue;
      if (found >= 0) return link == to_.pelvis ? -1 : found;  // branches (a chest with arms): the first, the spine's
      found = i;
      i = target_.subtree_end(i) - 1;
    }
    return found;
  }

  // How each target bone is turned when the source is at rest: its own rest, turned the least that brings its
  // direction into line with the source's.
  void align_rest_poses() {
    aligned_.assign(at(target_.link_count()), Mat3::Identity());
    for (int i = 0; i < target_.link_count(); ++i) {
      const int s = of_target_[at(i)];
      aligned_[at(i)] = target_rest_.X_WL[at(i)].rotation;
      if (s < 0) continue;
      const int next = limb_next(i);
      const int source_next = next >= 0 ? of_target_[at(next)] : -1;
      if (source_next < 0 || source_next <= s || source_next >= source_.subtree_end(s)) {
        // A bone's end (hand, head, foot without toes) turns with the bone above it.
        const int parent = mapped_above(i);
        if (parent >= 0) {
          aligned_[at(i)] = aligned_[at(parent)] * target_rest_.X_WL[at(parent)].rotation.transpose() * aligned_[at(i)];
        }
        continue;
      }
      const Vec3 a = target_rest_.X_WL[at(next)].position - target_rest_.X_WL[at(i)].position;
      const Vec3 b = turn_ * (source_place(source_rest_, source_next) - source_place(source_rest_, s));
      aligned_[at(i)] = turn_between(a, b) * aligned_[at(i)];
    }
  }
  int mapped_above(int link) const {
    for (int i = target_.parent(link); i >= 0; i = target_.parent(i)) {
      if (of_target_[at(i)] >= 0) return i;
    }
    return -1;
  }
  // The next joint along a limb; other links continue in their only mapped child. Spines and pelvis keep their rest.
  int limb_next(int link) const {
    for (int side = 0; side < 2; ++side) {
      for (const FigureLimb* l : {&to_.arm[side], &to_.leg[side]}) {
        if (link == l->collar) return l->upper;
        if (link == l->upper) return l->lower;
        if (link == l->lower) return l->end;
        if (link == l->end) return l->toe;
      }
    }
    const bool torso = link == to_.pelvis || link == to_.neck || link == to_.head ||
                       std::find(to_.spine.begin(), to_.spine.end(), link) != to_.spine.end();
    return torso ? -1 : next_mapped(link);
  }

  void collect_limbs() {
    for (int side = 0; side < 2; ++side) {
      for (const bool foot : {true, false}) {
        const FigureLimb& limb = foot ? to_.leg[side] : to_.arm[side];
        if (!limb.whole() || !(foot ? options_.keep_feet : options_.keep_hands)) continue;
        KeptLimb kept;
        kept.target = limb;
        kept.source_upper = of_target_[at(limb.upper)];
        kept.source_lower = of_target_[at(limb.lower)];
        kept.source_end = of_target_[at(limb.end)];
        if (kept.source_upper < 0 || kept.source_lower < 0 || kept.source_end < 0) continue;
        const FigureLimb there{-1, kept.source_upper, kept.source_lower, kept.source_end, -1};
        kept.length = limb_length(limb, target_rest_);
        kept.source_length = limb_length(there, source_rest_);
        kept.foot = foot;
        if (kept.length > 1e-9 && kept.source_length > 1e-9) limbs_.push_back(kept);
      }
    }
  }

  // Ratio of the legs; and the height that puts standing feet onto the target's floor.
  void choose_scale(Retargeted& result) {
    double own = 0.0;
    double other = 0.0;
    for (const KeptLimb& limb : limbs_) {
      if (!limb.foot) continue;
      own += limb.length;
      other += limb.source_length;
      result.leg_length = limb.length;
    }
    if (own == 0.0)
      result.notes.emplace_back(
          "No legs were found in both figures: the root's travel is not scaled and no feet are kept.");
    scale_ = options_.scale > 0.0 ? options_.scale : other > 0.0 ? own / other : 1.0;
    result.scale = scale_;
    find_footfalls();
    const Vec3 up = target_axes_.col(2);
    // Ankles that stand: as high above the floor as the target's at rest, the floor being at height 0.
    std::vector<double> heights;
    double wanted = 0.0;
    int feet = 0;
    for (const KeptLimb& limb : limbs_) {
      if (!limb.foot) continue;
      wanted += up.dot(target_rest_.X_WL[at(limb.target.end)].position);
      ++feet;
      for (int f = 0; f < clip_.frame_count(); ++f) {
        if (limb.planted[at(f)] != 0) heights.push_back(up.dot(scale_ * (turn_ * limb.places[at(f)])));
      }
    }
    if (!heights.empty()) {
      std::nth_element(heights.begin(), heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2),
                       heights.end());
      lift_ = up * (wanted / feet - heights[heights.size() / 2]);
    }
    const int hips = std::max(0, to_.pelvis);
    if (target_.joint(hips).q_count < 6) {
      int above = target_.parent(hips);
      while (above >= 0 && target_.joint(above).q_count < 6) above = target_.parent(above);
      result.notes.push_back(above < 0 ? "The target's root is not free to move: it stays in its place."
                                       : "The target moves freely at '" + target_.link_name(above) +
                                             "', not at its hips: it stays in its place.");
    }
  }

  // Where the source's feet stand: slow, and low. `places` holds the source's own places until place_limbs().
  void find_footfalls() {
    State state;
    for (KeptLimb& limb : limbs_) limb.places.resize(at(clip_.frame_count()));
    for (int f = 0; f < clip_.frame_count(); ++f) {
      forward(source_, clip_.frame(f), state);
      for (KeptLimb& limb : limbs_) limb.places[at(f)] = source_place(state, limb.source_end);
      hips_.push_back(hip_middle(from_, state));
    }
    const Vec3 up = source_axes_.col(2);
    for (KeptLimb& limb : limbs_) {
      limb.planted.assign(at(clip_.frame_count()), 0);
      if (!limb.foot || clip_.frame_count() < 2) continue;
      double lowest = 1e300;
      for (const Vec3& p : limb.places) lowest = std::min(lowest, up.dot(p));
      const int last = clip_.frame_count() - 1;
      for (int f = 0; f <= last; ++f) {
        const int a = std::max(0, f - 1);
        const int b = std::min(last, f + 1);
        const double speed = (limb.places[at(b)] - limb.places[at(a)]).norm() / ((b - a) * clip_.frame_time);
        const bool low = up.dot(limb.places[at(f)]) < lowest + 0.12 * limb.source_length;
        limb.planted[at(f)] = low && speed < options_.still_speed * limb.source_length ? 1 : 0;
      }
      // Too short to be a step.
      const int least = std::max(2, static_cast<int>(std::lround(0.08 / clip_.frame_time)));
      for_each_run(limb, [&](int first, int end) {
        if (end - first < least) std::fill(limb.planted.begin() + first, limb.planted.begin() + end, 0);
      });
    }
  }
  template <class Take>
  void for_each_run(const KeptLimb& limb, Take&& take) const {
    const int n = clip_.frame_count();
    for (int f = 0; f < n;) {
      if (limb.planted[at(f)] == 0) {
        ++f;
        continue;
      }
      int end = f;
      while (end < n && limb.planted[at(end)] != 0) ++end;
      take(f, end);
      f = end;
    }
  }

  static Vec3 hip_middle(const Figure& figure, const State& state) {
    const int a = figure.leg[0].upper;
    const int b = figure.leg[1].upper;
    if (a >= 0 && b >= 0) return 0.5 * (state.X_WL[at(a)].position + state.X_WL[at(b)].position);
    return state.X_WL[at(std::max(0, figure.pelvis))].position;
  }
  // Feet: carried over, then held still while planted and eased in between. Hands come later, from the shoulders.
  void place_limbs() {
    for (KeptLimb& limb : limbs_) {
      if (!limb.foot) continue;
      for (Vec3& p : limb.places) p = carried(p);
      std::vector<Vec3> offset(limb.places.size(), Vec3::Zero());
      struct Run {
        int first, end;
        Vec3 place;
      };
      std::vector<Run> runs;
      for_each_run(limb, [&](int first, int end) {
        Vec3 mean = Vec3::Zero();
        for (int f = first; f < end; ++f) mean += limb.places[at(f)] / (end - first);
        runs.push_back({first, end, mean});
        for (int f = first; f < end; ++f) offset[at(f)] = mean - limb.places[at(f)];
      });
      const double window = std::max(1.0, options_.blend / clip_.frame_time);
      for (std::size_t r = 0; r <= runs.size(); ++r) {  // the gaps
        const int begin = r == 0 ? 0 : runs[r - 1].end;
        const int end = r == runs.size() ? clip_.frame_count() : runs[r].first;
        const double reach = std::min(window, 0.5 * (end - begin + 1));
        for (int f = begin; f < end; ++f) {
          if (r > 0) offset[at(f)] += smooth(1.0 - (f - begin + 1) / reach) * offset[at(begin - 1)];
          if (r < runs.size()) offset[at(f)] += smooth(1.0 - (end - f) / reach) * offset[at(end)];
        }
      }
      for (std::size_t f = 0; f < offset.size(); ++f) limb.places[f] += offset[f];
    }
  }

  // The rotation of a target link that the source asks for, in the target's world.
  Mat3 wanted_rotation(int link) const {
    const int s = of_target_[at(link)];
    const Mat3 turned = state_.X_WL[at(s)].rotation * source_rest_.X_WL[at(s)].rotation.transpose();
    return turn_ * turned * turn_.transpose() * aligned_[at(link)];
  }

  void pose(int f, VecX& q) {
    // Turns from the root outwards. A link without a source of its own helps the next one below it (a forearm's twist).
    for (int i = 0; i < target_.link_count(); ++i) {
      int wanted = of_target_[at(i)] >= 0 ? i : -1;
      if (wanted < 0 && helps_[at(i)] >= 0) wanted = helps_[at(i)];
      if (wanted >= 0) {
        Transform X = body_.joint_frame(i);
        X.rotation = wanted_rotation(wanted);
        if (i == to_.pelvis || (to_.pelvis < 0 && i == 0)) {
          X.position = carried(hips_[at(f)]) - X.rotation * hip_offset_;
        }
        body_.fit(i, X, q);
      }
      body_.set_frame(i, q);
    }
    lower_root(f, q);
    for (KeptLimb& limb : limbs_) {
      if (!limb.foot) place_hand(limb, f);
      place_end(limb, limb.places[at(f)], q);
    }
  }

  // Brings the pelvis down where a leg is too short for its foot.
  void lower_root(int f, VecX& q) {
    const int pelvis = std::max(0, to_.pelvis);
    const ModelJoint& joint = target_.joint(pelvis);
    if (joint.q_count < 6) return;
    const Vec3 up = target_axes_.col(2);
    double drop = 0.0;
    for (const KeptLimb& limb : limbs_) {
      if (!limb.foot) continue;
      const Vec3 way = body_.X[at(limb.target.upper)].position - limb.places[at(f)];
      const double height = up.dot(way);
      const double aside = (way - up * height).norm();
      const double longest = 0.9995 * limb.length;
      if (way.norm() <= longest || aside >= longest) continue;
      drop = std::max(drop, height - std::sqrt(longest * longest - aside * aside));
    }
    if (!(drop > 0.0)) return;
    Transform X = body_.X[at(pelvis)];
    X.position -= drop * up;
    const Vec3 before = body_.X[at(pelvis)].position;
    body_.fit(pelvis, X, q);
    body_.set_frame(pelvis, q);
    const Vec3 moved = body_.X[at(pelvis)].position - before;
    for (int i = pelvis + 1; i < target_.subtree_end(pelvis); ++i) body_.X[at(i)].position += moved;
  }

  // As far from its own shoulder as the source's, measured in arm lengths.
  void place_hand(KeptLimb& limb, int f) {
    const Vec3 way = turn_ * (source_place(state_, limb.source_end) - source_place(state_, limb.source_upper));
    limb.places[at(f)] = body_.X[at(limb.target.upper)].position + limb.length / limb.source_length * way;
  }

  // Two bones with a hinge between them: bend the hinge to the right distance, then turn the upper bone.
  void place_end(const KeptLimb& limb, const Vec3& place, VecX& q) {
    const FigureLimb& l = limb.target;
    const Vec3 root = body_.X[at(l.upper)].position;
    const Vec3 goal = place - root;
    const double distance = goal.norm();
    if (!(distance > 1e-9)) return;
    body_.bend(l, distance, q);
    // Turn the upper bone so that the end lies in the right direction, the middle on the source's side.
    const Vec3 now = body_.X[at(l.end)].position - root;
    Mat3 turn = turn_between(now, goal);
    const Vec3 along = goal / distance;
    const Vec3 middle = turn * (body_.X[at(l.lower)].position - root);
    const Vec3 source_root = source_place(state_, limb.source_upper);
    const Vec3 source_way = turn_ * (source_place(state_, limb.source_end) - source_root);
    Vec3 source_middle = turn_ * (source_place(state_, limb.source_lower) - source_root);
    source_middle -= source_way * (source_way.dot(source_middle) / std::max(1e-12, source_way.squaredNorm()));
    // Near a straight limb the side means little: there the turning itself decides.
    const double sure = smooth((source_middle.norm() / limb.source_length - 0.01) / 0.05);
    const Vec3 a = middle - along * along.dot(middle);
    const Vec3 b = source_middle - along * along.dot(source_middle);
    if (sure > 0.0 && a.norm() > 1e-9 && b.norm() > 1e-9) {
      const double angle = std::atan2(along.dot(a.cross(b)), a.dot(b));
      turn = Transform::rotate(along, sure * angle).rotation * turn;
    }
    Transform X = body_.X[at(l.upper)];
    X.rotation = turn * X.rotation;
    body_.fit(l.upper, X, q);
    body_.set_frames(l.upper, l.end + 1, q);  // what hangs further out follows at the end
    body_.settle(l, place, 1e-4 * limb.length, q);
    // What is beyond the end turns as the source does.
    for (int i = l.lower + 1; i < target_.subtree_end(l.upper); ++i) {
      const int wanted = of_target_[at(i)] >= 0 ? i : helps_[at(i)];
      const bool beyond = i >= l.end || wanted == l.end;
      if (wanted >= 0 && beyond) {
        Transform Y = body_.joint_frame(i);
        Y.rotation = wanted_rotation(wanted);
        body_.fit(i, Y, q);
      }
      body_.set_frame(i, q);
    }
  }

  void measure_footfall(const KeptLimb& limb, int f, std::size_t index, Retargeted& result) {
    open_.resize(limbs_.size(), -1);
    if (!limb.foot) return;
    if (limb.planted[at(f)] == 0) {
      open_[index] = -1;
      return;
    }
    if (open_[index] < 0) {
      open_[index] = static_cast<int>(result.footfalls.size());
      result.footfalls.push_back({limb.target.end, f, f, 0.0});
      planted_at_.push_back(body_.X[at(limb.target.end)].position);
    }
    Footfall& fall = result.footfalls[at(open_[index])];
    fall.last = f;
    fall.slide = std::max(fall.slide, (body_.X[at(limb.target.end)].position - planted_at_[at(open_[index])]).norm());
  }

  // Unmapped links whose only mapped descendant they can help to turn; and the pelvis' own measures.
  void find_helpers() {
    helps_.assign(at(target_.link_count()), -1);
    for (int i = 0; i < target_.link_count(); ++i) {
      if (of_target_[at(i)] >= 0 || mapped_above(i) < 0) continue;
      int only = -1;
      int count = 0;
      for (int k = i + 1; k < target_.subtree_end(i); ++k) {
        if (of_target_[at(k)] < 0 || (only >= 0 && k < target_.subtree_end(only))) continue;
        only = k;
        ++count;
      }
      if (count == 1 && target_.joint(i).q_count == 1) helps_[at(i)] = only;
    }
    const int pelvis = std::max(0, to_.pelvis);
    hip_offset_ = target_rest_.X_WL[at(pelvis)].inverse() * hip_middle(to_, target_rest_);
  }

  const Model& source_;
  const Clip& clip_;
  const Model& target_;
  const RetargetOptions& options_;
  Figure from_, to_;
  std::vector<int> of_target_;  // source link of each target link, -1: none
  std::vector<int> helps_;      // the mapped link that an unmapped hinge helps, -1: none
  State source_rest_, target_rest_, state_;
  VecX rest_pose_;
  Mat3 source_axes_ = Mat3::Identity(), target_axes_ = Mat3::Identity();
  Mat3 turn_ = Mat3::Identity();  // directions of the source's world in the target's
  std::vector<Mat3> aligned_;
  std::vector<KeptLimb> limbs_;
  double scale_ = 1.0;
  Vec3 lift_ = Vec3::Zero();
  Vec3 hip_offset_ = Vec3::Zero();  // middle of the hips in the pelvis' frame
  std::vector<Vec3> hips_;          // of the source, a frame each
  PosedFigure body_;                // the target
  std::vector<int> open_;           // of each limb: its footfall under way
  std::vector<Vec3> planted_at_;
};

}  // namespace

Result<Retargeted> retarget(const Model& source, const Clip& clip, const Model& target, const BoneMap& map,
                            const RetargetOptions& options) {
  if (clip.q_size != source.q_size()) return Error{"The motion belongs to another model than the source."};
  if (clip.frame_count() == 0) return Error{"The motion has no frames."};
  if (!(clip.frame_time > 0.0)) return Error{"The motion's frames last no time."};
  if (map.empty()) return Error{"No bones of the two figures could be matched by name; write a map."};
  Retargeter retargeter(source, clip, target, options);
  if (const Status status = retargeter.prepare(map); !status) return status.error();
  return retargeter.run();
}

}  // namespace armature::inline v0_2
