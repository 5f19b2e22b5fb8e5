// One picture per method for docs/methods: the iterations of a solve, and its error.
#include <fmt/format.h>

#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/methods.hpp"
#include "common.hpp"
#include "drawing.hpp"
#include "figures.hpp"

namespace armature::cli {
namespace {

struct MethodFigure {
  Model model;
  std::vector<std::string> links;
  Vec2 goal;
  VecX start;
  std::string name;
};

MethodFigure scene_for(const std::string& method) {
  if (method == "inverse") {
    MethodFigure scene{
        builtin_model("two_link"), {"upper", "lower", "tip"}, Vec2(-0.7, 0.9), {}, "two_link, goal (-0.7, 0.9)"};
    scene.start = need(scene.model.find_pose("bent"));
    return scene;
  }
  MethodFigure scene{
      builtin_model("planar_arm"), {"link1", "link2", "link3", "tip"}, Vec2(-20, 5), {}, "planar_arm, goal (-20, 5)"};
  scene.start = need(scene.model.find_pose("chapter"));
  return scene;
}

}  // namespace

Svg method_picture(const std::string& method) {
  Solver solver = need(make_solver(method));
  MethodFigure scene = scene_for(method);
  Problem problem;
  problem.model = scene.model;
  PositionGoal goal;
  goal.link = scene.model.link("tip");
  goal.target = Vec3(scene.goal.x(), scene.goal.y(), 0);
  goal.axes.free[2] = true;
  problem.goals.push_back(goal);
  Trace trace;
  const Report report = solver->solve(problem, scene.start, &trace);

  Svg svg(860, 330, solver->info().label);
  Bounds bounds;
  std::vector<std::vector<Vec3>> poses;
  for (const TraceStep& step : trace.steps) {
    poses.push_back(places_of(scene.model, step.q, scene.links));
    for (const Vec3& p : poses.back()) bounds.add(p.head<2>());
  }
  bounds.add(scene.goal);
  bounds.grow(0.08 * scene.model.size());
  const View view(bounds.low, bounds.high, Vec2(16, 40), Vec2(390, 268));
  svg.text(Vec2(16, 24),
           fmt::format("{}: {} after {} iteration{}", solver->info().label, outcome_name(report.outcome),
                       report.iterations, report.iterations == 1 ? "" : "s"),
           {14.0, ink::kText, "start", true, false, 0.0});
  std::vector<Vec2> trail;
  for (const auto& pose : poses) trail.push_back(view(pose.back()));
  const std::size_t shown = std::min<std::size_t>(poses.size(), 9);
  for (std::size_t i = 0; i + 1 < shown; ++i) {
    std::vector<Vec2> points;
    for (const Vec3& p : poses[i]) points.push_back(view(p));
    const double fade = i == 0 ? 0.85 : 0.28;
    draw_arm(svg, points, {6.5, "#ffffff", "#8b939c", fade, false});
  }
  svg.polyline(trail, Pen::line(ink::kPath, 1.2));
  for (const Vec2& p : trail) svg.circle(p, 1.7, Pen::filled(ink::kPath));
  std::vector<Vec2> last;
  for (const Vec3& p : poses.back()) last.push_back(view(p));
  draw_arm(svg, last, {8.5, ink::kBar, ink::kEdge, 1.0, true});
  draw_goal(svg, view(scene.goal), 6.0);
  svg.text(trail.front() + Vec2(10, 4), "start", {12.0, ink::kSoft, "start", false, false, 0.0});
  Series series{method, method_style(method), {}};
  for (const TraceStep& step : trace.steps) series.values.push_back(step.error_norm);
  draw_log_plot(svg, Vec2(490, 46), Vec2(310, 222), {series}, "distance to the goal", 1e-6 * scene.model.size());
  return svg;
}

}  // namespace armature::cli
