// Over 400 lines: one motion from reading both figures to its report; clean-up and what is given back share the plan.
#include "armature/motion/retarget.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "armature/base/index.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"
#include "armature/motion/clip_parts.hpp"
#include "armature/motion/figure_parts.hpp"
#include "armature/motion/frame_series.hpp"
#include "armature/motion/retarget_pose.hpp"
#include "armature/motion/retarget_report.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kRounds = 3;  // of holding what is found to stand after feet were held

// The figure's up: the world's axis nearest to the way from its feet to its head.
Vec3 figure_up(const Model& model, const Figure& figure, const Clip& clip) {
  const auto first = [](std::initializer_list<int> links) {
    for (const int link : links) {
      if (link >= 0) return link;
    }
    return -1;
  };
  const int high =
      first({figure.head, figure.neck, figure.spine.empty() ? -1 : figure.spine.back(), figure.arm[0].upper});
  const int low = first({figure.leg[0].end, figure.leg[1].end, figure.leg[0].lower, figure.pelvis});
  if (high < 0 || low < 0) return Vec3::UnitZ();
  Vec3 sum = Vec3::Zero();
  State state;
  for (int f = 0; f < clip.frame_count(); f += std::max(1, clip.frame_count() / 200)) {
    forward(model, clip.frame(f), state);
    const Vec3 way = state.X_WL[at(high)].position - state.X_WL[at(low)].position;
    if (way.allFinite()) sum += way;
  }
  int axis = 2;
  sum.cwiseAbs().maxCoeff(&axis);
  return (sum[axis] < 0.0 ? -1.0 : 1.0) * Vec3::Unit(axis);
}

Clip single_frame(const VecX& q) {
  Clip clip;
  clip.q_size = static_cast<int>(q.size());
  clip.append(q);
  return clip;
}

// The same links, joints and places: copies of one model, or read from one file twice.
bool same_figure(const Model& a, const Model& b) {
  return a == b || (a.fingerprint() == b.fingerprint() && a.links() == b.links());
}

// The motion as one of the target, where both figures are the same and nothing asks for a change.
std::optional<Clip> unchanged(const Clip& clip, const Model& target, const RetargetOptions& options) {
  const bool asks = !options.bone_map.empty() || options.source_pose.size() > 0 || options.target_pose.size() > 0 ||
                    (options.root_scale != 0.0 && options.root_scale != 1.0);
  std::vector<std::string> told;
  const Result<Model> source = make_travelling(clip.model, options.float_root, told);
  if (asks || !source || !same_figure(*source, target)) return std::nullopt;
  Clip same = clip;
  if (clip.model.q_size() != target.q_size()) {
    same.q_size = target.q_size();
    same.values.clear();
    for (int f = 0; f < clip.frame_count(); ++f) same.append(carry_pose(clip.model, target, clip.frame(f)));
  }
  for (int f = 0; options.within_limits && f < same.frame_count(); ++f) {
    if (!inside_limits(target, Eigen::Map<const VecX>(same.frame(f), same.q_size), 1e-9)) return std::nullopt;
  }
  return same;
}

class Retargeter {
 public:
  Retargeter(const Model& source, const Clip& clip, const Model& target, MappedFigures figures,
             const RetargetOptions& options)
      : source_(source),
        clip_(clip),
        target_(target),
        figures_(std::move(figures)),
        options_(options),
        same_(same_figure(source, target)) {
    find_pelvis(source, figures_.source);
    find_pelvis(target, figures_.target);
  }

  /// `given`: the motion of the target, which is only measured; none: it is to be found. `apart`: its first frame
  /// counts as its second.
  Retargeted run(std::optional<Clip> given, bool apart) {
    const Vec3 up_source = figure_up(source_, figures_.source, clip_);
    rest_ = options_.target_pose.size() == target_.q_size() ? options_.target_pose : neutral_pose(target_);
    const Clip rest = single_frame(rest_);
    const Vec3 up_target = figure_up(target_, figures_.target, rest);
    z_up_ = z_up(up_target);
    std::vector<int> there, here;
    for (const auto& [t, s] : figures_.others) {
      here.push_back(t);
      there.push_back(s);
    }
    tracks_ = trace_figure(source_, figures_.source, there, clip_, z_up(up_source));
    target_rest_ = trace_figure(target_, figures_.target, here, rest, z_up_);
    const VecX reference =
        options_.source_pose.size() == source_.q_size() ? options_.source_pose : neutral_pose(source_);
    FigureTracks source_rest = trace_figure(source_, figures_.source, there, single_frame(reference), z_up(up_source));
    std::optional<Vec3> belt;
    Contacts contacts;
    std::vector<char> flat[2];
    FootPaths paths;
    if (tracks_.leg_length() > 0.0) {
      add_balls(source_, source_rest, tracks_);
      add_balls(source_, FigureTracks(source_rest), source_rest);
      paths = foot_paths(tracks_);
      belt = find_belt(paths);
      if (belt) ride_on(*belt, paths);
      contacts = find_contacts(paths, options_.still_speed);
      find_flat_feet(paths, contacts, flat);
    }
    const std::vector<int> parents = parents_of_others(figures_.target, target_, here);
    add_balls(target_, FigureTracks(target_rest_), target_rest_);
    if (itself()) same_balls();
    from_ = read_anatomy(source_, source_rest, &tracks_, flat[0].empty() ? nullptr : flat, parents);
    to_ = itself() ? from_ : read_anatomy(target_, target_rest_, nullptr, nullptr, parents);
    root_ = free_root();
    PlanOptions plan_options;
    plan_options.feet = options_.keep_feet;
    plan_options.places = root_ >= 0;
    plan_options.scale = options_.root_scale;
    plan_options.blend = options_.blend;
    plan_options.itself = itself();
    plan_ = plan_retarget(tracks_, from_, contacts, target_rest_, to_, belt, plan_options);
    const Contacts read = contacts;
    for (int round = 0; !given && round < kRounds && itself(); ++round) {
      const bool more = hold_what_stands(paths, contacts);
      if (!hold_heels(paths, read, plan_options) && !more) break;
      plan_ = plan_retarget(tracks_, from_, contacts, target_rest_, to_, belt, plan_options);
    }
    if (given) return give_back(std::move(*given), apart);
    PosedClip posed = pose();
    if (!posed.support[0].weight.empty() || !posed.support[1].weight.empty()) {
      for (int side = 0; side < 2; ++side) plan_options.hands[side] = std::move(posed.support[side]);
      plan_ = plan_retarget(tracks_, from_, contacts, target_rest_, to_, belt, plan_options);
      posed = pose();
    }
    return measured(std::move(posed));
  }

 private:
  int frames() const { return clip_.frame_count(); }

  void find_flat_feet(const FootPaths& paths, const Contacts& contacts, std::vector<char> (&flat)[2]) const {
    if (contacts.toe[0].empty() || contacts.toe[1].empty()) return;
    for (int side = 0; side < 2; ++side) {
      int count = 0;
      flat[side].assign(at(frames()), 0);
      std::vector<double> heights;
      for (int f = 0; f < frames(); ++f) {
        flat[side][at(f)] = contacts.flat(side, f) ? 1 : 0;
        count += flat[side][at(f)];
        if (contacts.toe[side][at(f)] != 0) heights.push_back(paths.ankle[side][at(f)].z() - contacts.floor[at(f)]);
      }
      // No heel ever rests: the lowest ankles over standing toes are as flat as this clip gets.
      if (count >= std::max(3.0, 0.02 * frames()) || heights.size() < 3) continue;
      const double low = percentile(heights, 20.0) + 0.01 * paths.leg;
      for (int f = 0; f < frames(); ++f) {
        const double height = paths.ankle[side][at(f)].z() - contacts.floor[at(f)];
        flat[side][at(f)] = contacts.toe[side][at(f)] != 0 && height < low ? 1 : 0;
      }
    }
  }

  // Foot clean-up: a figure onto itself, so that its feet are the same feet.
  bool itself() const { return same_ && tracks_.leg_length() > 0.0; }
  void same_balls() {
    for (int side = 0; side < 2; ++side) {
      const BoneTrack& foot = tracks_.limb(side, true, kEnd);
      const BoneTrack& rest = target_rest_.limb(side, true, kEnd);
      target_rest_.ball[side] = {rest.place[0] +
                                 rest.turn[0] * foot.turn[0].transpose() * (tracks_.ball[side][0] - foot.place[0])};
    }
  }
  // Feet that are held move less on their way from one stance to the next, so that some are found to stand there, too:
  // they are held as well, or two stances would be one that slides. False: there are none.
  bool hold_what_stands(const FootPaths& source, Contacts& contacts) const {
    if (!plan_.legs || !options_.keep_feet || root_ < 0) return false;
    FootPaths paths;
    paths.leg = target_rest_.leg_length();
    paths.frame_time = clip_.frame_time;
    for (int side = 0; side < 2; ++side) {
      paths.hip[side] = plan_.hips;
      paths.ankle[side] = plan_.ankle[side];
      for (int f = 0; f < frames() && !contacts.toe[side].empty(); ++f) {
        paths.toe[side].push_back(plan_.ankle[side][at(f)] + plan_.foot[side][at(f)] * plan_.ball[side]);
      }
    }
    Contacts now = find_contacts(paths, options_.still_speed);
    const std::vector<char> all(at(frames()), 1);
    for (int side = 0; side < 2 && source.has_toes(); ++side)  // a heel that swings about its ball is not held still
      release_pivots(source, side, true, all, now.heel[side]);
    bool more = false;
    const auto hold = [&](const std::vector<char>& found, std::vector<char>& states) {
      for (std::size_t f = 0; f < std::min(found.size(), states.size()); ++f) {
        more = more || found[f] > states[f];
        states[f] = std::max(found[f], states[f]);
      }
    };
    for (int side = 0; side < 2; ++side) {
      hold(now.heel[side], contacts.heel[side]);
      hold(now.toe[side], contacts.toe[side]);
    }
    return more;
  }

  // A foot is laid flat, and its heel gives way to its toe. Where the heel slid less before, the foot stays as it was,
  // and heel and toe are held alike (1), unless the toe pays for it (2: as ever). False: there is none.
  bool hold_heels(const FootPaths& paths, const Contacts& read, PlanOptions& options) const {
    bool more = false;
    for (int side = 0; plan_.legs && options_.keep_feet && root_ >= 0 && side < 2; ++side) {
      if (read.toe[side].empty()) continue;
      std::vector<char>& firm = options.firm[side];
      firm.resize(at(frames()), 0);
      std::vector<char> flat(at(frames()));
      std::vector<Vec3> ball;
      for (int f = 0; f < frames(); ++f) {
        flat[at(f)] = read.flat(side, f) ? 1 : 0;
        ball.push_back(plan_.reached[side][at(f)] + plan_.foot[side][at(f)] * plan_.ball[side]);
      }
      for_each_run(flat, 1, [&](int first, int end) {
        const auto worse = [&](const std::vector<Vec3>& now, const std::vector<Vec3>& before) {
          return settled_slide(now, first, end, clip_.frame_time) > settled_slide(before, first, end, clip_.frame_time);
        };
        const char tried = firm[at(first)];
        const bool on = tried == 0   ? worse(plan_.reached[side], paths.ankle[side])
                        : tried == 1 ? worse(ball, paths.toe[side])
                                     : false;
        if (!on) return;
        std::fill(firm.begin() + first, firm.begin() + end, static_cast<char>(tried + 1));
        more = true;
      });
    }
    return more;
  }

  // The part that each further link hangs on.
  static std::vector<int> parents_of_others(const Figure& figure, const Model& model, const std::vector<int>& links) {
    int part[kPartCount];
    std::fill(std::begin(part), std::end(part), -1);
    part[kPelvis] = figure.pelvis;
    part[kNeck] = figure.neck;
    part[kHead] = figure.head;
    for (int side = 0; side < 2; ++side) {
      for (const bool leg : {true, false}) {
        const FigureLimb& limb = leg ? figure.leg[side] : figure.arm[side];
        const int all[] = {limb.collar, limb.upper, limb.lower, limb.end, limb.toe};
        for (int k = 0; k < 5; ++k) part[part_of(side, leg, k)] = all[k];
      }
    }
    std::vector<int> parents;
    for (const int link : links) {
      int found = kPelvis;
      for (int above = model.parent(link); above >= 0; above = model.parent(above)) {
        const auto* hit = std::find(std::begin(part), std::end(part), above);
        if (hit == std::end(part)) continue;
        found = static_cast<int>(hit - std::begin(part));
        break;
      }
      parents.push_back(found);
    }
    return parents;
  }

  // The nearest joint above the pelvis that can travel; -1: the figure stands fixed.
  int free_root() const {
    for (int link = figures_.target.pelvis; link >= 0; link = target_.parent(link)) {
      const ModelJoint& joint = target_.joint(link);
      if (!joint.mimic && joint.v_count >= 6) return link;
    }
    return -1;
  }

  PosedClip pose() const {
    return pose_figure({target_, figures_.target, tracks_, target_rest_, to_, plan_, options_, z_up_, rest_, root_});
  }
  Retargeted measured(PosedClip posed) {
    posed.clip.name = clip_.name;
    Retargeted result;
    result.clip = std::move(posed.clip);
    result.hands = posed.hands;
    result.hand_error = posed.hand_error;
    measure(result.clip, result);
    move_with_belt(1.0, result.clip);
    add_notes(result);
    return result;
  }
  Retargeted give_back(Clip given, bool apart) {
    Retargeted result;
    std::optional<Clip> seen;  // a copy only where what is measured differs
    if (apart || !plan_.belt.empty()) seen = given;
    if (apart) std::copy_n(seen->frame(1), seen->q_size, seen->frame(0));
    if (seen) move_with_belt(-1.0, *seen);  // as the ground sees it
    if (plan_.legs) {                       // on the ground that it has, not on the one below its rest pose
      plan_.floor = percentile(plan_.contacts.floor, 50.0);
      std::fill_n(plan_.ball_height, 2, plan_.contacts.toe_height);
      std::fill_n(plan_.ankle_height, 2, plan_.contacts.heel_height);
    }
    measure(seen ? *seen : given, result);
    result.clip = std::move(given);
    result.hands = (tracks_.whole(0, false) ? 1 : 0) + (tracks_.whole(1, false) ? 1 : 0);
    result.notes.emplace_back(
        "The motion is this very figure's and is given back as it is; the clip tool `feet` cleans its feet.");
    return result;
  }
  void move_with_belt(double sign, Clip& clip) const {
    if (plan_.belt.empty() || root_ < 0) return;
    std::vector<Transform> moves;
    for (const Vec3& shift : plan_.belt) moves.push_back(Transform::translate(z_up_.transpose() * (sign * shift)));
    clips::move_root(target_, root_, moves, clip);
  }
  void measure(const Clip& clip, Retargeted& result) {
    result.root_scale = plan_.scale;
    result.leg_length = plan_.legs ? target_rest_.leg_length() : 0.0;
    std::vector<int> here;
    for (const BoneTrack& bone : target_rest_.others) here.push_back(bone.link);
    measure_retarget(tracks_, trace_figure(target_, figures_.target, here, clip, z_up_), plan_, result);
  }

  void add_notes(Retargeted& result) const {
    if (!plan_.legs) {
      result.notes.emplace_back(
          "No legs were found in both figures: the root's travel is not scaled and no feet are kept.");
    }
    if (root_ < 0) {
      result.notes.emplace_back(
          "The target's root is not free to move: only directions are carried over (float_root gives it a free root).");
    }
    if (plan_.legs && !from_.upright) {
      result.notes.emplace_back(
          "The source stands upright neither at rest nor in the clip; name a standing pose with source_pose.");
    }
    if (plan_.legs && !to_.upright) {
      result.notes.emplace_back("The target does not stand upright at rest; name a standing pose with target_pose.");
    }
    if (options_.within_limits && options_.keep_feet && root_ >= 0 && result.largest_slide > 0.05 * result.leg_length) {
      result.notes.emplace_back("A standing foot slides where the target's joints keep it from its place.");
    }
  }

  const Model& source_;
  const Clip& clip_;
  const Model& target_;
  MappedFigures figures_;
  const RetargetOptions& options_;
  FigureTracks tracks_, target_rest_;
  Anatomy from_, to_;
  RetargetPlan plan_;
  Mat3 z_up_ = Mat3::Identity();  // the target's world to one with z up
  VecX rest_;
  int root_ = -1;
  bool same_;  // the target is the source
};

}  // namespace

Result<Model> make_travelling(const Model& target, bool float_root, std::vector<std::string>& notes) {
  const int pelvis = guess_figure(target).pelvis;
  for (int link = pelvis; link >= 0; link = target.parent(link)) {
    if (!target.joint(link).mimic && target.joint(link).v_count >= 6) return target;
  }
  Linkage linkage = target.linkage();
  Joint* hips = nullptr;
  if (linkage.extra != nullptr && linkage.extra->joints_can_move() && pelvis >= 0) {
    hips = linkage.find_joint(target.joint(pelvis).name);
  }
  if (hips != nullptr) {
    hips->type = Free{};
    notes.push_back("The hips " + detail::quoted(target.link_name(pelvis)) +
                    " are moved as well as turned, which the file did not do.");
  } else if (float_root) {
    if (const Status status = armature::float_root(linkage); !status) return status.error();
  } else {
    return target;
  }
  return compile(linkage);
}

VecX carry_pose(const Model& before, const Model& after, const double* q) {
  VecX out = neutral_pose(after);
  for (const ModelJoint& joint : before.joints()) {
    const std::optional<int> link = joint.mimic ? std::nullopt : after.lookup_joint(joint.name);
    if (!link || after.joint(*link).q_count < joint.q_count) continue;
    // A joint that became free has its place first, then its rotation.
    const ModelJoint& now = after.joint(*link);
    const bool turns = joint.q_count == 4 || joint.q_count == now.q_count;
    if (!turns) continue;
    std::copy_n(q + joint.q_index, joint.q_count, out.data() + now.q_index + now.q_count - joint.q_count);
  }
  return out;
}

Result<Retargeted> retarget(const Clip& clip, const Model& target, const RetargetOptions& options) {
  const Model& source = clip.model;
  if (source.empty()) return Error{"This motion does not know its model; set clip.model."};
  if (clip.q_size != source.q_size()) return Error{"The motion belongs to another model than the source."};
  if (const Status status = clips::check_clip(source, clip); !status) return status.error();
  std::vector<std::string> notes;
  const Result<Model> travelling = make_travelling(target, options.float_root, notes);
  if (!travelling) return travelling.error();
  if (travelling->q_size() == 0) return Error{"The target has no joint that moves."};
  std::optional<Clip> given = unchanged(clip, *travelling, options);
  RetargetOptions own = options;
  if (own.bone_map.empty()) {
    // Names would pair them (a fox's front legs are "arms"); no motion on two legs is one on four for that.
    const bool four = has_four_legs(*travelling);
    if (four != has_four_legs(source)) {
      return Error{std::string(four ? "The target stands on four legs and the source does not"
                                    : "The source stands on four legs and the target does not") +
                   "; write a bone map that says which bone follows which."};
    }
    own.bone_map = guess_bone_map(source, *travelling);
  }
  if (own.bone_map.empty()) return Error{"No bones of the two figures could be matched by name; write a map."};
  if (!(*travelling == target) && own.target_pose.size() == target.q_size()) {
    own.target_pose = carry_pose(target, *travelling, options.target_pose.data());
  }
  Result<MappedFigures> figures = map_figures(source, *travelling, own.bone_map);
  if (!figures) return figures.error();
  if (const Result<int> count = check_frame_count(clip.frame_count(), travelling->q_size()); !count) {
    return count.error();
  }
  const bool apart = clips::first_frame_stands_apart(source, clip);
  std::optional<Clip> without;
  if (apart) {
    without = clip;
    std::copy_n(without->frame(1), without->q_size, without->frame(0));
    if (!given)
      notes.emplace_back(
          "The first frame stands apart from the motion (a T-pose, most likely); the second is in its place.");
  }
  Retargeter retargeter(source, without ? *without : clip, *travelling, std::move(*figures), own);
  Retargeted result = retargeter.run(std::move(given), apart);
  // A root may have limits, too, and travels by the plan.
  for (int f = 0; own.within_limits && f < result.clip.frame_count(); ++f) {
    const Eigen::Map<const VecX> q(result.clip.frame(f), result.clip.q_size);
    if (!inside_limits(*travelling, q)) clamp(*travelling, result.clip.frame(f));
  }
  result.clip.model = *travelling;
  result.bone_map = std::move(own.bone_map);
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  return result;
}

}  // namespace armature::inline v0_2
