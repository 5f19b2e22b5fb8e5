// Two ways to get from one pose to another (section 5.3): interpolating the poses, and prescribing the effector's path.
#include "armature/base/number.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/methods.hpp"
#include "armature/solve/track.hpp"
#include "common.hpp"
#include "drawing.hpp"
#include "figures.hpp"

namespace armature::cli {
namespace {

constexpr int kMotionFrames = 41;
const std::vector<std::string> kMotionLinks = {"link1", "link2", "link3", "tip"};

Clip interpolated_motion(const Model& model, const VecX& from, const VecX& to) {
  Clip clip;
  clip.q_size = model.q_size();
  for (int f = 0; f < kMotionFrames; ++f) {
    clip.append(interpolate(model, from, to, static_cast<double>(f) / (kMotionFrames - 1)));
  }
  return clip;
}

Clip prescribed_motion(const Model& model, const VecX& from, const VecX& to) {
  const Path line = Path::line({places_of(model, from, {"tip"})[0], places_of(model, to, {"tip"})[0]},
                               {.duration = kMotionFrames - 1});
  PositionGoal goal{.link = "tip", .path = line};
  goal.axes.free[2] = true;
  return need(track({.model = model, .goals = {goal}, .start = from}, {.frame_rate = 1.0})).clip;
}

}  // namespace

Svg figure_poses_or_path() {
  const Model model = builtin_model("planar_arm");
  const VecX from = need(model.find_pose("chapter"));
  VecX to(3);
  to << 2.1, 1.4, 0.65;
  const Clip clips[2] = {interpolated_motion(model, from, to), prescribed_motion(model, from, to)};
  const char* titles[2] = {"Interpolate the poses: the hand goes where the joints take it",
                           "Prescribe the path: the joints go where the hand takes them"};
  Bounds bounds;
  for (const Clip& clip : clips) {
    for (int f = 0; f < clip.frame_count(); ++f) {
      const VecX q = Eigen::Map<const VecX>(clip.frame(f), 3);
      for (const Vec3& p : places_of(model, q, kMotionLinks)) bounds.add(p.head<2>());
    }
  }
  bounds.grow(2.5);
  const Vec2 span = bounds.high - bounds.low;
  const Vec2 panel(400.0, 400.0 * span.y() / span.x());
  Svg svg(2 * panel.x() + 48, panel.y() + 50, "Interpolating poses and prescribing the path");
  for (int side = 0; side < 2; ++side) {
    const Clip& clip = clips[side];
    const Vec2 corner(16 + side * (panel.x() + 16), 36);
    const View view(bounds.low, bounds.high, corner, panel);
    svg.rectangle(corner, panel, {ink::kFaint, 0.8, "#fcfcfb", "", 1.0}, 3.0);
    svg.text(corner + Vec2(0, -9), titles[side], {12.5, ink::kText, "start", false, false, 0});
    std::vector<Vec2> trail;
    for (int f = 0; f < clip.frame_count(); ++f) {
      const VecX q = Eigen::Map<const VecX>(clip.frame(f), 3);
      const std::vector<Vec3> places = places_of(model, q, kMotionLinks);
      trail.push_back(view(places.back()));
      const bool end = f == 0 || f + 1 == clip.frame_count();
      if (f % 5 != 0 || end) continue;
      std::vector<Vec2> points;
      for (const Vec3& p : places) points.push_back(view(p));
      svg.polyline(points, Pen::line("#c3c8ce", 1.6));
    }
    for (const int f : {0, clip.frame_count() - 1}) {
      const VecX q = Eigen::Map<const VecX>(clip.frame(f), 3);
      std::vector<Vec2> points;
      for (const Vec3& p : places_of(model, q, kMotionLinks)) points.push_back(view(p));
      draw_arm(svg, points, {9.0, ink::kBar, ink::kEdge, 1.0, f == 0});
    }
    svg.polyline(trail, Pen::line(ink::kPath, 1.6));
    for (const Vec2& p : trail) svg.circle(p, 1.7, Pen::filled(ink::kPath));
    draw_goal(svg, trail.back(), 5.0);
  }
  return svg;
}

}  // namespace armature::cli
