// Figures 5.1 to 5.4, 5.15 and 5.16: posing by joints and by goals, kinds of joints, and what a joint does to the tip.
#include <fmt/format.h>

#include <cmath>

#include "armature/base/number.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/scene.hpp"
#include "armature/solve/methods/limb.hpp"
#include "common.hpp"
#include "drawing.hpp"
#include "figures.hpp"

namespace armature::cli {
namespace {

constexpr double kDegree = kPi / 180.0;

/// Without the rounding noise of a zero.
std::string rounded(double value) { return pretty_number(std::abs(value) < 1e-12 ? 0.0 : value, 4); }

// Panels of the human figure's upper body with the trail of its hand.
Svg draw_body_strip(const char* title, const Model& model, const std::vector<VecX>& poses,
                    const std::vector<std::string>& labels, const std::vector<Vec3>& goals, const char* caption) {
  const Camera camera = camera_named("25,8", false).value();
  FigureStyle style;
  style.sticks = false;
  const int hand = model.link("left_hand");
  std::vector<State> states(poses.size());
  std::vector<Vec3> hands;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    forward(model, poses[i], states[i]);
    hands.push_back(convert_point(states[i], hand, kWorld, Vec3::Zero()));
  }
  Bounds bounds;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    add_figure(bounds, model, states[i], poses[i], camera, Vec3::Zero(), style);
  }
  bounds.grow(0.03);
  const double width = 176.0;
  const Vec2 span = bounds.high - bounds.low;
  const Vec2 panel(width, width * span.y() / span.x());
  Svg svg(24 + static_cast<double>(poses.size()) * (width + 8) - 8, panel.y() + 72, title);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Vec2 corner(12 + static_cast<double>(i) * (width + 8), 12);
    const View view(bounds.low, bounds.high, corner, panel);
    svg.rectangle(corner, panel, {ink::kFaint, 0.8, "#fcfcfb", "", 1.0}, 3.0);
    draw_figure(svg, model, states[i], poses[i], camera, view, Vec3::Zero(), style);
    std::vector<Vec2> trail;
    for (std::size_t k = 0; k <= i; ++k) trail.push_back(view(camera.flat(hands[k])));
    svg.polyline(trail, Pen::line(ink::kPath, 1.4));
    for (const Vec2& p : trail) svg.circle(p, 2.4, Pen::filled(ink::kPath));
    if (i < goals.size()) draw_goal(svg, view(camera.flat(goals[i])), 6.0);
    svg.text(corner + Vec2(0.5 * width, panel.y() + 18), labels[i], kCaption);
  }
  svg.text(Vec2(0.5 * svg.width(), panel.y() + 54), caption, kCaption);
  return svg;
}

void draw_box(Svg& svg, const Vec2& centre, const Vec2& size, double angle, const char* fill) {
  const Vec2 x = Vec2(std::cos(angle), -std::sin(angle));
  const Vec2 y(-x.y(), x.x());
  std::vector<Vec2> corners;
  for (const Vec2& s : {Vec2(-1, -1), Vec2(1, -1), Vec2(1, 1), Vec2(-1, 1)}) {
    corners.push_back(centre + 0.5 * s.x() * size.x() * x + 0.5 * s.y() * size.y() * y);
  }
  svg.polyline(corners, {ink::kEdge, 1.2, fill, "", 1.0}, true);
}

}  // namespace

Svg figure_5_1() {
  const Model model = builtin_model("human");
  VecX q = model.pose("rest");
  std::vector<VecX> poses = {q};
  const auto turn = [&](const std::string& change) {
    q = pose_of(model, change, q);
    poses.push_back(q);
  };
  // The shoulder is a ball: about the body's left-right axis, the arm forward and up.
  const Quat rest(q.segment<4>(model.joint(*model.find_joint("left_shoulder")).q_index).data());
  const Quat raised = Quat(Eigen::AngleAxisd(-70 * kDegree, Vec3::UnitY())) * rest;
  turn(fmt::format("left_shoulder=[{},{},{},{}]", raised.x(), raised.y(), raised.z(), raised.w()));
  turn("left_elbow=60deg");
  turn("left_elbow=110deg");
  return draw_body_strip("Figure 5.1: forward kinematics", model, poses,
                         {"rest", "the shoulder is turned", "then the elbow", "and the elbow further"}, {},
                         "forward kinematics: someone turns the joints, and the hand ends where they lead it");
}

Svg figure_5_2() {
  const Model model = builtin_model("human");
  const VecX rest = model.pose("rest");
  State state;
  forward(model, rest, state);
  const Vec3 from = convert_point(state, model.link("left_hand"), kWorld, Vec3::Zero());
  const Vec3 to = convert_point(state, model.link("chest"), kWorld, Vec3(0.45, 0.15, 0.35));
  std::vector<VecX> poses = {rest};
  std::vector<Vec3> goals = {from};
  for (int k = 1; k < 4; ++k) {
    const Vec3 target = from + (to - from) * (k / 3.0);
    goals.push_back(target);
    const std::string text = fmt::format(
        R"({{"model": "human", "start": [{}], "goals": [{{"link": "left_hand", "target": [{}, {}, {}]}}], "locked": ["root"]}})",
        fmt::join(poses.back(), ", "), target.x(), target.y(), target.z());
    const Scene scene = need(read_scene(text, "figure 5.2", {}));
    const auto solver = need(make_solver(scene, "follow"));
    VecX q = scene.start;
    for (int frame = 0; frame < 60; ++frame) q = solver->solve(make_problem(scene), q).q;
    poses.push_back(q);
  }
  return draw_body_strip("Figure 5.2: inverse kinematics", model, poses,
                         {"start", "the goal moves", "the joints are solved for", "the hand is there"}, goals,
                         "inverse kinematics: someone places the hand (end effector), and the joints are computed");
}

Svg figure_5_3() {
  Svg svg(700, 250, "Figure 5.3: the two joints of one freedom");
  // A hinge: one part turns about a pin of the other.
  const Vec2 pin(170, 130);
  const double angle = 38 * kDegree;
  draw_box(svg, pin - Vec2(62, 0), Vec2(150, 34), 0.0, "#eceff1");
  for (const double ghost : {0.0, angle}) {
    const Vec2 middle = polar(pin, 62, ghost);
    if (ghost == 0.0) {
      svg.line(pin, polar(pin, 132, 0), Pen::line(ink::kSoft, 1.0, "5 4"));
    } else {
      draw_box(svg, middle, Vec2(150, 34), ghost, "#dbe6f3");
    }
  }
  svg.circle(pin, 8, {ink::kEdge, 1.3, "#ffffff", "", 1.0});
  svg.circle(pin, 2, Pen::filled(ink::kEdge));
  svg.arc_arrow(pin, 116, 0.0, angle, Pen::line(ink::kPath, 1.4));
  svg.text(polar(pin, 130, 0.5 * angle) + Vec2(2, 5), "θ", {15, ink::kPath, "start", false, true, 0});
  svg.text(Vec2(170, 222), "revolute: one link turns about a fixed axis of the other", kCaption);
  // A slide: one part moves along a direction of the other.
  const Vec2 slide(500, 130);
  draw_box(svg, slide - Vec2(60, 0), Vec2(150, 54), 0.0, "#eceff1");
  draw_box(svg, slide + Vec2(42, 0), Vec2(170, 26), 0.0, "#dbe6f3");
  svg.line(slide + Vec2(15, -46), slide + Vec2(15, -34), Pen::line(ink::kSoft, 1.0));
  svg.line(slide + Vec2(127, -46), slide + Vec2(127, -20), Pen::line(ink::kSoft, 1.0));
  svg.arrow(slide + Vec2(15, -40), slide + Vec2(127, -40), Pen::line(ink::kPath, 1.4), 7.0);
  svg.text(slide + Vec2(71, -50), "d", {15, ink::kPath, "middle", false, true, 0});
  svg.text(Vec2(520, 222), "prismatic: one link slides along the other", kCaption);
  return svg;
}

Svg figure_5_4() {
  Svg svg(720, 235, "Figure 5.4: complex joints as chains of simple ones");
  // A ball: three hinges whose axes meet, joined by links of length 0 (drawn apart).
  const Vec2 ball(120, 75);
  draw_box(svg, ball - Vec2(62, 0), Vec2(80, 22), 0.0, "#eceff1");
  svg.circle(ball, 25, {ink::kEdge, 1.3, "#eceff1", "", 1.0});
  svg.circle(ball, 18, {ink::kEdge, 1.2, "#dbe6f3", "", 1.0});
  draw_box(svg, polar(ball, 56, 0.4), Vec2(80, 18), 0.4, "#dbe6f3");
  svg.text(Vec2(130, 140), "ball and socket: 3 degrees of freedom", kCaption);
  svg.text(Vec2(262, 81), "=", {22, ink::kSoft, "middle", false, false, 0});
  const char* angles[] = {"θ_{1}", "θ_{2}", "θ_{3}"};
  const Vec2 first(330, 75);
  draw_box(svg, first - Vec2(34, 0), Vec2(44, 22), 0.0, "#eceff1");
  for (int k = 0; k < 3; ++k) {
    const Vec2 at = first + Vec2(64.0 * k, 0);
    if (k > 0) svg.line(at - Vec2(50, 0), at - Vec2(14, 0), Pen::line(ink::kEdge, 1.6, "2 3"));
    svg.circle(at, 13, {ink::kColumns[k], 2.0, "#ffffff", "", 1.0});
    const double turned[] = {0.0, 90 * kDegree, 45 * kDegree};  // x, y, and z towards the viewer
    svg.line(polar(at, 22, turned[k]), polar(at, 22, turned[k] + kPi), Pen::line(ink::kColumns[k], 1.4));
    svg.text(at + Vec2(0, -32), angles[k], {13.5, ink::kColumns[k], "middle", false, true, 0});
  }
  draw_box(svg, first + Vec2(128 + 52, 0), Vec2(78, 18), 0.0, "#dbe6f3");
  svg.text(first + Vec2(64, 46), "three hinges, axes x, y, z", kCaption);
  svg.text(first + Vec2(64, 64), "dotted links have length 0", kCaption);
  // The same numbers for a model that Armature expands itself.
  const Model human = builtin_model("human");
  const int shoulder = *human.find_joint("left_shoulder");
  svg.text(
      Vec2(360, 195),
      fmt::format(
          "in Armature both exist: the human's shoulder is one joint with a quaternion ({} numbers, {} velocities);",
          human.joint(shoulder).q_count, human.joint(shoulder).v_count),
      kCaption);
  svg.text(Vec2(360, 214), "`armature edit human expand left_shoulder` makes it three hinges in a row", kCaption);
  return svg;
}

Svg figure_5_15() {
  Svg svg(760, 400, "Figure 5.15: the two-link arm by analysis");
  const double l1 = 1.0;
  const double l2 = 0.8;
  const Vec2 target(1.15, 0.75);
  const TwoLinkAngles angles = two_link_angles(l1, l2, target.x(), target.y(), -1.0);
  const double distance = target.norm();
  const double theta_t = std::atan2(target.y(), target.x());
  const View view(Vec2(-0.25, -0.2), Vec2(1.45, 1.35), Vec2(10, 20), Vec2(350, 330));
  const Vec2 o = view(Vec2(0, 0));
  const Vec2 elbow = view(Vec2(l1 * std::cos(angles.theta1), l1 * std::sin(angles.theta1)));
  const Vec2 goal = view(target);
  svg.line(o, o + Vec2(view.scale() * 1.3, 0), Pen::line(ink::kSoft, 1.0));
  svg.line(o, goal, Pen::line(ink::kSoft, 1.1, "5 4"));
  svg.line(elbow, polar(elbow, 90, angles.theta1), Pen::line(ink::kSoft, 1.1, "5 4"));
  draw_arm(svg, {o, elbow, goal}, {10.0, ink::kBar, ink::kEdge, 1.0, true});
  draw_goal(svg, goal, 7.0);
  svg.arc_arrow(o, 52, 0.0, angles.theta1, Pen::line(ink::kPath, 1.3));
  svg.text(polar(o, 62, 0.86 * angles.theta1) + Vec2(2, 0), "θ_{1}", {14, ink::kPath, "start", false, true, 0});
  svg.arc_arrow(o, 92, 0.0, theta_t, Pen::line(ink::kSoft, 1.1));
  svg.text(polar(o, 100, 0.5 * theta_t) + Vec2(0, 5), "θ_{T}", {14, ink::kSoft, "start", false, true, 0});
  svg.arc_arrow(elbow, 44, angles.theta1, angles.theta1 + angles.theta2, Pen::line(ink::kPath, 1.3));
  svg.text(polar(elbow, 58, angles.theta1 + 0.5 * angles.theta2) + Vec2(0, 5), "θ_{2}",
           {14, ink::kPath, "middle", false, true, 0});
  svg.text(0.5 * (o + elbow) + Vec2(-16, -6), "L_{1}", kSymbol);
  svg.text(0.5 * (elbow + goal) + Vec2(10, -12), "L_{2}", kSymbol);
  svg.text(goal + Vec2(12, 18), "(X, Y)", {14, ink::kGoal, "start", false, true, 0});
  // The printed steps in their corrected form, each with its value for this goal.
  const double cos_1 = (l1 * l1 + distance * distance - l2 * l2) / (2 * l1 * distance);
  const double cos_2 = (l1 * l1 + l2 * l2 - distance * distance) / (2 * l1 * l2);
  const auto degrees = [](double a) { return pretty_number(a / kDegree, 5) + "°"; };
  const std::string lines[] = {
      fmt::format("L_{{1}} = {}, L_{{2}} = {}, X = {}, Y = {}", l1, l2, target.x(), target.y()),
      fmt::format("d = √(X² + Y²) = {}, within {} and {}", pretty_number(distance, 5), pretty_number(l1 - l2, 3),
                  l1 + l2),
      fmt::format("θ_{{T}} = atan2(Y, X) = {}", degrees(theta_t)),
      "",
      fmt::format("cos(θ_{{1}} − θ_{{T}}) = (L_{{1}}² + d² − L_{{2}}²) / (2 L_{{1}} d) = {}", pretty_number(cos_1, 5)),
      fmt::format("θ_{{1}} = θ_{{T}} ± acos({}) = {} or {}", pretty_number(cos_1, 5),
                  degrees(theta_t + std::acos(cos_1)), degrees(theta_t - std::acos(cos_1))),
      "",
      fmt::format("cos(180° − θ_{{2}}) = (L_{{1}}² + L_{{2}}² − d²) / (2 L_{{1}} L_{{2}}) = {}",
                  pretty_number(cos_2, 5)),
      fmt::format("θ_{{2}} = ∓ (180° − acos({})) = {} or {}", pretty_number(cos_2, 5),
                  degrees(-(kPi - std::acos(cos_2))), degrees(kPi - std::acos(cos_2))),
  };
  for (std::size_t k = 0; k < std::size(lines); ++k) {
    svg.text(Vec2(372, 70 + 27.0 * static_cast<double>(k)), lines[k], {13.5, ink::kText, "start", false, false, 0});
  }
  svg.text(Vec2(380, 384),
           fmt::format("drawn: θ_{{1}} = {}, θ_{{2}} = {}; the other signs give the mirror image about the dashed line",
                       degrees(angles.theta1), degrees(angles.theta2)),
           kCaption);
  return svg;
}

Svg figure_5_16() {
  Svg svg(760, 330, "Figure 5.16: velocities that a joint gives the end effector");
  // A hinge of the planar arm: omega along its axis, v = axis x lever. Read off the Jacobian itself.
  const Model arm = builtin_model("planar_arm");
  const VecX q = arm.pose("chapter");
  State state;
  forward(arm, q, state);
  const int tip = arm.link("tip");
  Jacobian J(6, arm.v_size());
  jacobian(arm, state, tip, Vec3::Zero(), J);
  const int joint = 1;  // the second hinge
  const Vec3 pivot = convert_point(state, arm.link("link2"), kWorld, Vec3::Zero());
  const Vec3 end = convert_point(state, tip, kWorld, Vec3::Zero());
  const View view(Vec2(2, -2), Vec2(30, 26), Vec2(10, 20), Vec2(350, 250));
  std::vector<Vec2> points;
  for (const Vec3& p : places_of(arm, q, {"link1", "link2", "link3", "tip"})) points.push_back(view(p));
  draw_arm(svg, points, {9.0, ink::kBar, ink::kEdge, 1.0, true});
  svg.arrow(view(pivot), view(end), Pen::line(ink::kColumns[1], 1.3, "4 3"), 7.0);
  svg.text(0.5 * (view(pivot) + view(end)) + Vec2(-12, -6), "r", {14, ink::kColumns[1], "end", false, true, 0});
  const Vec2 velocity(J(0, joint), J(1, joint));
  const Vec2 head = view(end) + 0.5 * view.scale() * Vec2(velocity.x(), -velocity.y());
  svg.arrow(view(end), head, Pen::line(ink::kGoal, 2.0), 9.0);
  svg.text(head + Vec2(-6, -10), "v = a × r", {14, ink::kGoal, "middle", false, true, 0});
  svg.arc_arrow(view(pivot), 26, 0.2, 4.4, Pen::line(ink::kPath, 1.5));
  svg.circle(view(pivot), 2.5, Pen::filled(ink::kPath));
  svg.text(view(pivot) + Vec2(16, 34), "ω = a (towards the viewer)", {13, ink::kPath, "start", false, true, 0});
  svg.text(Vec2(190, 292),
           fmt::format("hinge: r = ({}, {}), v = ({}, {}), ω = (0, 0, {})", pretty_number((end - pivot).x(), 4),
                       pretty_number((end - pivot).y(), 4), rounded(J(0, joint)), rounded(J(1, joint)),
                       rounded(J(5, joint))),
           kCaption);
  // The slide of the SCARA: v along its axis, no turning. Seen from the side (x to the right, z up).
  const Model scara = builtin_model("scara");
  VecX s = middle_pose(scara);
  for (int k = 0; k < scara.q_size(); ++k) {
    if (scara.coordinate_kinds()[static_cast<std::size_t>(k)] == Coordinate::angle) s[k] = 0.0;
  }
  forward(scara, s, state);
  const int hand = scara.effectors()[0];
  J.resize(6, scara.v_size());
  jacobian(scara, state, hand, Vec3::Zero(), J);
  int slide = 0;
  while (scara.coordinate_kinds()[static_cast<std::size_t>(slide)] != Coordinate::length) ++slide;
  const Vec3 place = convert_point(state, hand, kWorld, Vec3::Zero());
  Bounds bounds;
  std::vector<Vec2> chain;
  std::vector<int> links;
  for (int link = hand; link >= 0; link = scara.parent(link)) links.insert(links.begin(), link);
  std::vector<Vec3> places;
  for (const int link : links) places.push_back(convert_point(state, link, kWorld, Vec3::Zero()));
  for (const Vec3& p : places) bounds.add(Vec2(p.x(), p.z()));
  bounds.grow(0.12 * scara.size());
  const View side(bounds.low, bounds.high, Vec2(400, 20), Vec2(330, 250));
  for (const Vec3& p : places) {
    const Vec2 at = side(Vec2(p.x(), p.z()));
    if (chain.empty() || (at - chain.back()).norm() > 1.0) chain.push_back(at);
  }
  draw_arm(svg, chain, {9.0, ink::kBar, ink::kEdge, 1.0, true});
  const Vec2 from = side(Vec2(place.x(), place.z()));
  const Vec2 way(J(0, slide), -J(2, slide));
  svg.arrow(from, from + 46.0 * way, Pen::line(ink::kGoal, 2.0), 9.0);
  svg.text(from + 46.0 * way + Vec2(12, 4), "v = a", {14, ink::kGoal, "start", false, true, 0});
  svg.text(Vec2(570, 292),
           fmt::format("slide: v = ({}, {}, {}), ω = ({}, {}, {})", rounded(J(0, slide)), rounded(J(1, slide)),
                       rounded(J(2, slide)), rounded(J(3, slide)), rounded(J(4, slide)), rounded(J(5, slide))),
           kCaption);
  svg.text(Vec2(380, 318), "the numbers are columns of the Jacobian of planar_arm and scara (armature jacobian)",
           kCaption);
  return svg;
}

}  // namespace armature::cli
