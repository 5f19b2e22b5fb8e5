// Figures 5.14 and 5.17 to 5.19: the planar arm and its Jacobian.
#include <fmt/format.h>

#include <cmath>

#include "armature/base/number.hpp"
#include "armature/geom/svd.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/limb.hpp"
#include "armature/solve/registry.hpp"
#include "common.hpp"
#include "drawing.hpp"
#include "figures.hpp"

namespace armature::cli {
namespace {

std::vector<Vec2> page_points(const View& view, const std::vector<Vec3>& places) {
  std::vector<Vec2> points;
  for (const Vec3& p : places) points.push_back(view(p));
  return points;
}

VecX chapter_pose(const Model& model) { return model.find_pose("chapter").value(); }

const std::vector<std::string> kArmLinks = {"link1", "link2", "link3", "tip"};

// The arm of figures 5.17 and 5.18 with its Jacobian's columns at the effector.
struct ArmScene {
  Model model = builtin_model("planar_arm");
  VecX q = chapter_pose(model);
  std::vector<Vec3> places = places_of(model, q, kArmLinks);
  Vec3 goal = Vec3(-20, 5, 0);
  Jacobian J;

  ArmScene() {
    State state;
    forward(model, q, state);
    J.resize(6, model.v_size());
    jacobian(model, state, model.link("tip"), Vec3::Zero(), J);
  }
};

void draw_axes(Svg& svg, const View& view, double length) {
  const Vec2 o = view(Vec2(0, 0));
  svg.arrow(o, o + Vec2(length, 0), Pen::line(ink::kSoft, 1.0), 6.0);
  svg.arrow(o, o - Vec2(0, length), Pen::line(ink::kSoft, 1.0), 6.0);
  svg.text(o + Vec2(length + 8, 4), "x", {12.0, ink::kSoft, "middle", false, true, 0.0});
  svg.text(o - Vec2(0, length + 6), "y", {12.0, ink::kSoft, "middle", false, true, 0.0});
}

}  // namespace

Svg figure_5_14() {
  Svg svg(700, 380, "Figure 5.14: the two-link arm and its reach");
  const double l1 = 1.0;
  const double l2 = 0.8;
  const Vec2 target(0.62, 1.2);
  const View view(Vec2(-1.95, -0.62), Vec2(1.95, 1.9), Vec2(10, 12), Vec2(680, 325));
  const Vec2 o = view(Vec2(0, 0));
  const double s = view.scale();
  // The reachable ring, upper part.
  std::vector<Vec2> ring;
  for (int i = 0; i <= 90; ++i) ring.push_back(polar(o, (l1 + l2) * s, kPi * i / 90.0));
  for (int i = 90; i >= 0; --i) ring.push_back(polar(o, (l1 - l2) * s, kPi * i / 90.0));
  svg.polyline(ring, Pen::filled("#eaf1fb"), true);
  svg.arc(o, (l1 + l2) * s, 0.0, kPi, Pen::line(ink::kPath, 1.1, "6 4"));
  svg.arc(o, (l1 - l2) * s, 0.0, kPi, Pen::line(ink::kPath, 1.1, "6 4"));
  svg.line(Vec2(o.x() - (l1 + l2) * s - 14, o.y()), Vec2(o.x() + (l1 + l2) * s + 14, o.y()),
           Pen::line(ink::kFaint, 1.0));
  const auto joints = [&](double elbow) {
    const TwoLinkAngles a = two_link_angles(l1, l2, target.x(), target.y(), elbow);
    const Vec2 e(l1 * std::cos(a.theta1), l1 * std::sin(a.theta1));
    const Vec2 t = e + l2 * Vec2(std::cos(a.theta1 + a.theta2), std::sin(a.theta1 + a.theta2));
    return std::pair{a, std::vector<Vec2>{view(Vec2(0, 0)), view(e), view(t)}};
  };
  const auto [other, other_points] = joints(-1.0);
  draw_arm(svg, other_points, {10.0, "#ffffff", "#a9b1ba", 1.0, false});
  const auto [angles, points] = joints(1.0);
  const double theta_t = std::atan2(target.y(), target.x());
  svg.line(o, points[2], Pen::line(ink::kSoft, 1.1, "2 3"));
  const Vec2 beyond = polar(points[1], 0.55 * s, angles.theta1);
  svg.line(points[1], beyond, Pen::line(ink::kSoft, 1.1, "5 4"));
  draw_arm(svg, points, {11.0, ink::kBar, ink::kEdge, 1.0, true});
  draw_goal(svg, points[2], 7.0);
  const Pen arc = Pen::line(ink::kPath, 1.3);
  svg.arc_arrow(o, 58.0, 0.0, angles.theta1, arc);
  svg.text(polar(o, 72.0, 0.5 * angles.theta1) + Vec2(0, 4), "θ_{1}", {14.0, ink::kPath, "middle", false, true, 0.0});
  svg.arc_arrow(o, 106.0, 0.0, theta_t, Pen::line(ink::kSoft, 1.1));
  svg.text(polar(o, 122.0, 0.17) + Vec2(0, 4), "θ_{T}", {14.0, ink::kSoft, "middle", false, true, 0.0});
  svg.arc_arrow(points[1], 40.0, angles.theta1, angles.theta1 + angles.theta2, arc);
  svg.text(polar(points[1], 56.0, angles.theta1 + 0.5 * angles.theta2) + Vec2(0, 5), "θ_{2}",
           {14.0, ink::kPath, "middle", false, true, 0.0});
  const auto beside = [&](const Vec2& a, const Vec2& b, double lift, const char* name) {
    const Vec2 way = (b - a).normalized();
    svg.text(0.5 * (a + b) + lift * Vec2(way.y(), -way.x()) + Vec2(0, 5), name, kSymbol);
  };
  beside(points[0], points[1], 18.0, "L_{1}");
  beside(points[1], points[2], 18.0, "L_{2}");
  svg.text(points[2] + Vec2(16, -8), "(X, Y)", {14.0, ink::kGoal, "start", false, true, 0.0});
  svg.text(other_points[1] + Vec2(-12, -8), "the other elbow", {12.0, ink::kSoft, "end", false, false, 0.0});
  const Vec2 outer = polar(o, (l1 + l2) * s, 2.62);
  svg.arrow(o, outer, Pen::line(ink::kPath, 1.0), 6.0);
  svg.text(0.4 * o + 0.6 * outer + Vec2(-20, 14), "L_{1} + L_{2}", {12.0, ink::kPath, "middle", false, true, 0.0});
  svg.text(polar(o, (l1 - l2) * s, kPi) + Vec2(-26, 17), "|L_{1} − L_{2}|",
           {12.0, ink::kPath, "middle", false, true, 0.0});
  svg.text(Vec2(350, 364), "every place in the ring is reached by two poses, mirror images about the line to it",
           kCaption);
  return svg;
}

Svg figure_5_17() {
  Svg svg(620, 360, "Figure 5.17: a planar arm with three joints");
  const ArmScene scene;
  const View view(Vec2(-25, -5), Vec2(24, 24), Vec2(16, 12), Vec2(588, 310));
  draw_axes(svg, view, 96.0);
  const std::vector<Vec2> points = page_points(view, scene.places);
  // Each joint's lever to the effector.
  for (int i = 0; i < 3; ++i) {
    svg.arrow(points[static_cast<std::size_t>(i)], points[3], Pen::line(ink::kColumns[i], 1.1, "4 3"), 7.0);
  }
  draw_arm(svg, points, {10.0, ink::kBar, ink::kEdge, 1.0, true});
  const Vec2 goal = view(scene.goal);
  draw_goal(svg, goal, 7.0);
  svg.arrow(points[3], goal + (points[3] - goal).normalized() * 14.0, Pen::line(ink::kGoal, 1.5), 8.0);
  svg.text(0.5 * (points[3] + goal) + Vec2(-8, -14), "V = G − E", {14.0, ink::kGoal, "end", false, true, 0.0});
  svg.text(goal + Vec2(-16, -8), "G", {15.0, ink::kGoal, "middle", false, true, 0.0});
  svg.text(points[3] + Vec2(4, -12), "E", {15.0, ink::kText, "middle", false, true, 0.0});
  svg.text(points[1] + Vec2(16, 12), "P_{1}", kSymbol);
  svg.text(points[2] + Vec2(18, 4), "P_{2}", kSymbol);
  double total = 0.0;
  const char* names[] = {"θ_{1}", "θ_{2}", "θ_{3}"};
  for (int i = 0; i < 3; ++i) {
    const Vec2 at = points[static_cast<std::size_t>(i)];
    const double next = total + scene.q[i];
    svg.line(at, polar(at, i == 0 ? 76.0 : 44.0, total), Pen::line(ink::kSoft, 0.9, "5 4"));
    svg.arc_arrow(at, i == 0 ? 58.0 : 32.0, total, next, Pen::line(ink::kPath, 1.2), 5.5);
    svg.text(polar(at, i == 0 ? 66.0 : 46.0, total + (i == 0 ? 0.5 : 0.42) * scene.q[i]) + Vec2(2, 4), names[i],
             {13.0, ink::kPath, "start", false, true, 0.0});
    total = next;
  }
  svg.text(Vec2(310, 346), "lengths 15, 10 and 5; dashed: from each joint to the effector E", kCaption);
  return svg;
}

Svg figure_5_18() {
  Svg svg(620, 400, "Figure 5.18: instantaneous changes in position");
  const ArmScene scene;
  const View view(Vec2(-25, -5), Vec2(25, 29), Vec2(16, 12), Vec2(588, 340));
  draw_axes(svg, view, 60.0);
  const std::vector<Vec2> points = page_points(view, scene.places);
  for (int i = 0; i < 3; ++i) {
    svg.line(points[static_cast<std::size_t>(i)], points[3], Pen::line(ink::kColumns[i], 1.0, "4 3"));
  }
  draw_arm(svg, points, {10.0, ink::kBar, ink::kEdge, 1.0, true});
  // Columns of J, all drawn to one scale: what a radian of each joint would do, times 0.55.
  for (int i = 0; i < 3; ++i) {
    const Vec2 g(scene.J(0, i), scene.J(1, i));
    const Vec2 tip = points[3] + 0.55 * view.scale() * Vec2(g.x(), -g.y());
    svg.arrow(points[3], tip, Pen::line(ink::kColumns[i], 2.0), 9.0);
    const Vec2 way = (tip - points[3]).normalized();
    svg.text(tip + 14.0 * way + Vec2(0, 5), fmt::format("g_{{{}}}", i + 1),
             {15.0, ink::kColumns[i], "middle", false, true, 0.0});
  }
  const Vec2 goal = view(scene.goal);
  draw_goal(svg, goal, 7.0);
  svg.text(goal + Vec2(-16, -8), "G", {15.0, ink::kGoal, "middle", false, true, 0.0});
  svg.text(points[3] + Vec2(14, 4), "E", {15.0, ink::kText, "middle", false, true, 0.0});
  svg.text(Vec2(310, 386),
           "each g_{i} is a column of J (eq 5.17): across the line from joint i to E, as long as that line", kCaption);
  return svg;
}

Svg figure_5_19() {
  Svg svg(620, 250, "Figure 5.19: a singular pose");
  const Model model = builtin_model("planar_arm");
  const VecX q = VecX::Zero(3);
  const std::vector<Vec3> places = places_of(model, q, kArmLinks);
  const View view(Vec2(-3, -4), Vec2(33, 9), Vec2(16, 12), Vec2(588, 180));
  const std::vector<Vec2> points = page_points(view, places);
  const Vec2 goal = view(Vec2(21, 0));
  draw_arm(svg, points, {10.0, ink::kBar, ink::kEdge, 1.0, true});
  State state;
  forward(model, q, state);
  Jacobian J(6, 3);
  jacobian(model, state, model.link("tip"), Vec3::Zero(), J);
  for (int i = 0; i < 3; ++i) {
    const Vec2 side(7.0 * (i - 1), 0);  // apart, so that all three can be seen
    const Vec2 g(J(0, i), J(1, i));
    const Vec2 from = points[3] + side;
    const Vec2 tip = from + 0.26 * view.scale() * Vec2(g.x(), -g.y());
    svg.arrow(from, tip, Pen::line(ink::kColumns[i], 2.0), 8.0);
    svg.text(tip + (i == 0 ? Vec2(-16, 8) : Vec2(14, 8)), fmt::format("g_{{{}}}", i + 1),
             {14.0, ink::kColumns[i], "middle", false, true, 0.0});
  }
  draw_goal(svg, goal, 7.0);
  svg.text(goal + Vec2(0, -18), "G", {15.0, ink::kGoal, "middle", false, true, 0.0});
  svg.arrow(points[3] + Vec2(0, 22), goal + Vec2(0, 22), Pen::line(ink::kGoal, 1.5), 8.0);
  svg.text(0.5 * (points[3] + goal) + Vec2(0, 38), "V", {14.0, ink::kGoal, "middle", false, true, 0.0});
  double s[kMaxSmall];
  const MatX rows = J.topRows(2);
  singular_values(rows, s);
  svg.text(Vec2(310, 216), "the goal lies on the forearm: every joint moves E across the wanted direction", kCaption);
  svg.text(Vec2(310, 236),
           fmt::format("singular values of J: {} and {}", pretty_number(s[0], 4), pretty_number(s[1], 4)), kCaption);
  return svg;
}

}  // namespace armature::cli
