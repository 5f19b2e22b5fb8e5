// Figures 5.7, 5.9 and 5.11: what a hierarchy is made of.
#include <cmath>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "common.hpp"
#include "drawing.hpp"
#include "figures.hpp"

namespace armature::cli {
namespace {

// The two_arms model: body, and on each side an arm and a forearm.
constexpr double kArm = 2.0;
constexpr double kForearm = 1.6;

struct Pieces {
  Model model = builtin_model("two_arms");
  State state;

  explicit Pieces(const std::string& pose) { forward(model, pose_of(model, pose, neutral_pose(model)), state); }
  const Transform& frame(const std::string& link) const {
    return state.X_WL[static_cast<std::size_t>(model.link(link))];
  }
};

double angle_of(const Transform& X) { return std::atan2(X.rotation(1, 0), X.rotation(0, 0)); }

// A link along the x axis of its own frame, as drawn in the plane: a rounded bar from its joint to its end.
void draw_link(Svg& svg, const View& view, const Transform& X, double length, double width, const std::string& fill) {
  std::vector<Vec2> outline;
  const double half = 0.5 * width;
  for (int k = 0; k <= 12; ++k) {
    const double t = kPi * k / 12.0;
    outline.push_back(view(X * Vec3(-half * std::sin(t), half * std::cos(t), 0)));
  }
  for (int k = 0; k <= 12; ++k) {
    const double t = kPi * k / 12.0;
    outline.push_back(view(X * Vec3(length + 0.8 * half * std::sin(t), -0.8 * half * std::cos(t), 0)));
  }
  svg.polyline(outline, {ink::kEdge, 1.2, fill, "", 1.0}, true);
}

void draw_body(Svg& svg, const View& view, const Transform& X, const std::string& fill) {
  const double w = 0.55;
  const double h = 1.45;
  std::vector<Vec2> outline;
  for (const Vec3& p : {Vec3(-w, -h, 0), Vec3(w, -h, 0), Vec3(w, h, 0), Vec3(-w, h, 0)}) outline.push_back(view(X * p));
  svg.polyline(outline, {ink::kEdge, 1.2, fill, "", 1.0}, true);
}

void draw_joint(Svg& svg, const View& view, const Transform& X) {
  svg.circle(view(X.position), 3.6, {ink::kEdge, 1.2, "#ffffff", "", 1.0});
}

const Lettering kName{13.0, ink::kText, "middle", false, true, 0.0};
const char* const kFills[] = {"#eceff1", "#dbe6f3", "#f3e4d3"};

// A curved arrow from frame to frame with the transformation's name.
void draw_step(Svg& svg, const Vec2& a, const Vec2& b, double bulge, const std::string& name, const Vec2& label) {
  const Vec2 way = b - a;
  const Vec2 n(-way.y(), way.x());
  const Vec2 middle = 0.5 * (a + b) + bulge * n;
  std::vector<Vec2> curve;
  for (int i = 0; i <= 24; ++i) {
    const double t = i / 24.0;
    curve.push_back((1 - t) * (1 - t) * a + 2 * t * (1 - t) * middle + t * t * b);
  }
  const double shorten = 9.0;
  while (curve.size() > 3 && (curve.back() - b).norm() < shorten) curve.pop_back();
  while (curve.size() > 3 && (curve.front() - a).norm() < shorten) curve.erase(curve.begin());
  const Vec2 tip = curve.back();
  const Vec2 before = curve[curve.size() - 2];
  curve.pop_back();
  svg.polyline(curve, Pen::line(ink::kPath, 1.2));
  svg.arrow(before, tip, Pen::line(ink::kPath, 1.2), 7.0);
  svg.text(0.25 * a + 0.5 * middle + 0.25 * b + label, name, {13.0, ink::kPath, "middle", false, true, 0.0});
}

}  // namespace

Svg figure_5_7() {
  Svg svg(760, 330, "Figure 5.7: a hierarchical model");
  // Left: each part in its own frame. Right: the parts put together by T0, T1 and T1.1 (no joint turned yet). One
  // scale.
  const char* names[] = {"Link_{0}", "Link_{1}", "Link_{1.1}"};
  const double lengths[] = {0.0, kArm, kForearm};
  const Vec2 origins[] = {Vec2(72, 150), Vec2(160, 104), Vec2(160, 204)};
  for (int i = 0; i < 3; ++i) {
    constexpr double kScale = 48.0;
    const View view(Vec2(-1, -1), Vec2(1, 1), origins[i] - Vec2(kScale, kScale), Vec2(2 * kScale, 2 * kScale));
    const Transform X;
    if (i == 0) {
      draw_body(svg, view, X, kFills[0]);
    } else {
      draw_link(svg, view, X, lengths[i], 0.42, kFills[i]);
    }
    draw_frame(svg, origins[i], 0.0, 30.0, "");
    svg.text(origins[i] + (i == 0 ? Vec2(0, 92) : Vec2(0.5 * kScale * lengths[i], 30)), names[i], kName);
  }
  svg.text(Vec2(156, 300), "the parts, each in its own frame", kCaption);
  svg.line(Vec2(312, 40), Vec2(312, 290), Pen::line(ink::kFaint, 1.0));

  const Pieces pieces("");
  Transform root = Transform::rotate(Vec3::UnitZ(), 0.0);
  root.position = Vec3(2.6, 1.2, 0);
  const View view(Vec2(-0.6, -1.2), Vec2(7.8, 3.9), Vec2(330, 26), Vec2(410, 245));
  const Transform body = root * pieces.frame("body");
  const Transform arm = root * pieces.frame("left_arm");
  const Transform forearm = root * pieces.frame("left_forearm");
  draw_body(svg, view, body, kFills[0]);
  draw_link(svg, view, arm, kArm, 0.42, kFills[1]);
  draw_link(svg, view, forearm, kForearm, 0.42, kFills[2]);
  const Vec2 world = view(Vec2(0, 0));
  draw_frame(svg, world, 0.0, 34.0, "");
  svg.text(world + Vec2(4, 18), "world", {12.0, ink::kSoft, "middle", false, false, 0.0});
  for (const Transform* X : {&body, &arm, &forearm}) draw_frame(svg, view(X->position), angle_of(*X), 26.0, "");
  draw_step(svg, world, view(body.position), -0.22, "T_{0}", Vec2(0, 16));
  draw_step(svg, view(body.position), view(arm.position), -1.05, "T_{1}", Vec2(-16, -2));
  draw_step(svg, view(arm.position), view(forearm.position), -0.38, "T_{1.1}", Vec2(0, -6));
  svg.text(view(Vec2(2.6, -0.62)), "Link_{0}", kName);
  svg.text(view(Vec2(4.0, 1.8)), "Link_{1}", kName);
  svg.text(view(Vec2(5.6, 1.8)), "Link_{1.1}", kName);
  svg.text(Vec2(535, 300), "put together by constant transformations (eqs 5.1 to 5.3)", kCaption);
  return svg;
}

Svg figure_5_9() {
  Svg svg(620, 360, "Figure 5.9: variable rotations at the joints");
  const Pieces still("");
  const Pieces turned("left_shoulder=0.55,left_elbow=0.7");
  const View view(Vec2(-1.3, -1.8), Vec2(5.2, 4.2), Vec2(20, 20), Vec2(580, 300));
  const Pen ghost = Pen::line(ink::kSoft, 1.0, "5 4");
  const Vec3 shoulder = turned.frame("left_arm").position;
  const Vec3 elbow = turned.frame("left_forearm").position;
  // Where each link would lie with its joint at zero.
  svg.line(view(shoulder), view(Vec3(shoulder + Vec3(1.25 * kArm, 0, 0))), ghost);
  const Vec3 along = turned.frame("left_arm").rotation * Vec3::UnitX();
  svg.line(view(elbow), view(Vec3(elbow + 1.25 * kForearm * along)), ghost);
  draw_body(svg, view, turned.frame("body"), kFills[0]);
  draw_link(svg, view, turned.frame("left_arm"), kArm, 0.42, kFills[1]);
  draw_link(svg, view, turned.frame("left_forearm"), kForearm, 0.42, kFills[2]);
  draw_joint(svg, view, turned.frame("left_arm"));
  draw_joint(svg, view, turned.frame("left_forearm"));
  const double theta1 = angle_of(turned.frame("left_arm"));
  const double theta2 = angle_of(turned.frame("left_forearm"));
  const Pen arc = Pen::line(ink::kPath, 1.3);
  svg.arc_arrow(view(shoulder), 74.0, 0.0, theta1, arc);
  svg.arc_arrow(view(elbow), 64.0, theta1, theta2, arc);
  const auto label = [&](const Vec3& at, double radius, double angle, const std::string& text) {
    svg.text(view(at) + radius * Vec2(std::cos(angle), -std::sin(angle)) + Vec2(0, 5), text,
             {14.0, ink::kPath, "start", false, true, 0.0});
  };
  label(shoulder, 82.0, 0.5 * theta1, "θ_{1}");
  label(elbow, 72.0, 0.5 * (theta1 + theta2), "θ_{1.1}");
  svg.text(view(Vec2(0, -0.6)), "Link_{0}", kName);
  const auto on_link = [&](const char* link, double distance, const char* name, double lift) {
    const Transform& X = turned.frame(link);
    svg.text(view(X * Vec3(distance, 0, 0)) + lift * Vec2(-std::sin(angle_of(X)), -std::cos(angle_of(X))), name, kName);
  };
  on_link("left_arm", 1.0, "Link_{1}", 26.0);
  on_link("left_forearm", 0.9, "Link_{1.1}", 34.0);
  svg.text(Vec2(310, 345),
           "T_{0} T_{1} R_{1}(θ_{1}) T_{1.1} R_{1.1}(θ_{1.1}): each joint turns all that hangs on it (eqs 5.4, 5.5)",
           kCaption);
  return svg;
}

Svg figure_5_11() {
  Svg svg(620, 400, "Figure 5.11: a hierarchy with two appendages");
  const Pieces pieces("left_shoulder=0.5,left_elbow=0.6,right_shoulder=-0.62,right_elbow=-0.65");
  const View view(Vec2(-1.6, -4.2), Vec2(5.4, 4.2), Vec2(10, 12), Vec2(600, 345));
  draw_body(svg, view, pieces.frame("body"), kFills[0]);
  const Pen arc = Pen::line(ink::kPath, 1.3);
  const struct {
    const char* arm;
    const char* forearm;
    const char* names[2];
    const char* angles[2];
    double side;
  } sides[] = {{"left_arm", "left_forearm", {"Link_{1}", "Link_{1.1}"}, {"θ_{1}", "θ_{1.1}"}, 1.0},
               {"right_arm", "right_forearm", {"Link_{2}", "Link_{2.1}"}, {"θ_{2}", "θ_{2.1}"}, -1.0}};
  for (const auto& side : sides) {
    const Transform& arm = pieces.frame(side.arm);
    const Transform& forearm = pieces.frame(side.forearm);
    const Pen ghost = Pen::line(ink::kSoft, 1.0, "5 4");
    svg.line(view(arm.position), view(Vec3(arm.position + Vec3(1.0, 0, 0))), ghost);
    svg.line(view(forearm.position), view(forearm.position + arm.rotation * Vec3(1.0, 0, 0)), ghost);
    draw_link(svg, view, arm, kArm, 0.42, kFills[1]);
    draw_link(svg, view, forearm, kForearm, 0.42, kFills[2]);
    draw_joint(svg, view, arm);
    draw_joint(svg, view, forearm);
    const double one = angle_of(arm);
    const double two = angle_of(forearm);
    svg.arc_arrow(view(arm.position), 40.0, 0.0, one, arc, 5.5);
    svg.arc_arrow(view(forearm.position), 36.0, one, two, arc, 5.5);
    const auto label = [&](const Vec3& at, double radius, double angle, const std::string& text) {
      svg.text(view(at) + radius * Vec2(std::cos(angle), -std::sin(angle)) + Vec2(0, 5), text,
               {13.0, ink::kPath, "start", false, true, 0.0});
    };
    label(arm.position, 47.0, 0.42 * one, side.angles[0]);
    label(forearm.position, 43.0, one + 0.42 * (two - one), side.angles[1]);
    const auto beside = [&](const Transform& X, double distance, double lift, const char* name) {
      const double a = angle_of(X);
      svg.text(view(X * Vec3(distance, 0, 0)) + side.side * lift * Vec2(-std::sin(a), -std::cos(a)) + Vec2(0, 4), name,
               kName);
    };
    beside(arm, 1.1, 24.0, side.names[0]);
    beside(forearm, 0.9, 30.0, side.names[1]);
  }
  svg.text(view(Vec2(0, 0)) + Vec2(0, 4), "Link_{0}", kName);
  svg.text(Vec2(310, 385), "two branches leave the root; moving one does not affect the other", kCaption);
  return svg;
}

}  // namespace armature::cli
