// What can be measured of a clip.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/clip_parts.hpp"
#include "armature/motion/contacts.hpp"
#include "armature/motion/frame_series.hpp"

namespace armature::inline v0_2::clips {
namespace {

std::vector<JointStats> joint_stats(const Model& model, const Clip& clip) {
  std::vector<JointStats> stats;
  std::vector<std::size_t> entry(at(model.link_count()), 0);
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& joint = model.joint(i);
    if (joint.mimic || joint.q_count == 0) continue;
    entry[at(i)] = stats.size();
    stats.push_back({i, 0.0, 0.0, 0.0, false});
    JointStats& own = stats.back();
    own.lowest = own.highest = joint.q_count == 1 ? clip.frame(0)[joint.q_index] : 0.0;
    for (int f = 0; f < clip.frame_count(); ++f) {
      for (int k = joint.q_index; k < joint.q_index + joint.q_count; ++k) {
        const double value = clip.frame(f)[k];
        if (joint.q_count == 1) own.lowest = std::min(own.lowest, value);
        if (joint.q_count == 1) own.highest = std::max(own.highest, value);
        own.outside_limits = own.outside_limits || value < model.lower()[k] - 1e-6 || value > model.upper()[k] + 1e-6;
      }
    }
  }
  VecX v(model.v_size());
  for (int f = 1; f < clip.frame_count(); ++f) {
    pose_change(model, clip.frame(f - 1), clip.frame(f), v.data());
    for (JointStats& own : stats) {
      const ModelJoint& joint = model.joint(own.link);
      const double step = v.segment(joint.v_index, joint.v_count).cwiseAbs().maxCoeff();
      own.largest_speed = std::max(own.largest_speed, step / clip.frame_time);
    }
  }
  return stats;
}

void add_stances(const std::vector<char>& states, const std::vector<Vec3>& way, int link, bool toe, double frame_time,
                 ClipStats& out) {
  for_each_run(states, 1, [&](int first, int end) {
    const Stance stance{link, toe, first, end - 1, settled_slide(way, first, end, frame_time)};
    out.largest_slide = std::max(out.largest_slide, stance.slide);
    out.stances.push_back(stance);
  });
}

}  // namespace

ClipStats stats(const Model& model, const Clip& clip) {
  ClipStats out;
  if (!check_clip(model, clip)) return out;
  out.frames = clip.frame_count();
  out.duration = clip.duration();
  out.joints = joint_stats(model, clip);
  out.check = check_motion(model, clip);
  const Vec3 up = up_of(model, clip);
  const Mat3 turn = z_up(up);
  if (const int root = root_of(model, clip); root >= 0) {
    std::vector<Vec3> way;
    for (const Transform& X : root_frames(model, clip, root)) way.push_back(turn * X.position);
    for (std::size_t f = 1; f < way.size(); ++f) out.travel += (way[f] - way[f - 1]).head<2>().norm();
    out.distance = (way.back() - way.front()).head<2>().norm();
    for (const Vec3& v : velocities(way, clip.frame_time)) out.top_speed = std::max(out.top_speed, v.head<2>().norm());
  }
  const Figure figure = guess_figure(model);
  Clip moving = clip;  // a T-pose in front would tell the feet's speeds wrongly
  if (first_frame_stands_apart(model, clip)) std::copy_n(moving.frame(1), moving.q_size, moving.frame(0));
  if (std::optional<FootPaths> paths = foot_paths(model, figure, moving, up)) {
    if (const std::optional<Vec3> belt = find_belt(*paths)) ride_on(*belt, *paths);
    const Contacts contacts = find_contacts(*paths);
    for (int side = 0; side < 2; ++side) {
      // A heel counts while the foot is flat: before and after, the foot rolls about its toe.
      std::vector<char> heel = contacts.heel[side];
      for (int f = 0; f < clip.frame_count(); ++f) heel[at(f)] = contacts.flat(side, f) ? 1 : 0;
      add_stances(heel, paths->ankle[side], figure.leg[side].end, false, clip.frame_time, out);
      if (!contacts.toe[side].empty()) {
        const int link = figure.leg[side].toe >= 0 ? figure.leg[side].toe : figure.leg[side].end;
        add_stances(contacts.toe[side], paths->toe[side], link, true, clip.frame_time, out);
      }
    }
  }
  return out;
}

}  // namespace armature::inline v0_2::clips
