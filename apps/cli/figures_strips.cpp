// Figures 5.20 to 5.25: frames of sequences, side by side.
#include <fmt/format.h>

#include <cmath>

#include "armature/base/number.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/methods.hpp"
#include "armature/solve/track.hpp"
#include "common.hpp"
#include "drawing.hpp"
#include "figures.hpp"

namespace armature::cli {
namespace {

const std::vector<std::string> kStripLinks = {"link1", "link2", "link3", "tip"};

struct Strip {
  std::string label;  // "(a)"
  std::string method;
  std::string what;  // below the row
  Vec2 goal;
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<double> gains;
  std::vector<int> frames;
};

constexpr double kPanel = 168.0;
constexpr double kMargin = 12.0;

Track run(const Model& model, const Strip& strip) {
  Problem problem;
  problem.model = model;
  PositionGoal goal;
  goal.link = model.link("tip");
  goal.target = Vec3(strip.goal.x(), strip.goal.y(), 0);
  goal.axes.free[2] = true;
  goal.path = Path::line();  // in a second
  problem.goals.push_back(goal);
  if (!strip.gains.empty()) {
    problem.goals.emplace_back(
        PostureGoal{.target = neutral_pose(model), .gain = Eigen::Map<const VecX>(strip.gains.data(), 3)});
  }
  Solver solver = need(make_solver(strip.method));
  for (const auto& [name, value] : strip.options) need(solver->set_option(name, value));
  problem.start = need(model.find_pose("chapter"));
  return need(track(*solver, problem, {.frame_rate = 20.0, .steps_per_frame = 1}));
}

Svg draw_strips(const std::string& title, const std::vector<Strip>& strips) {
  const Model model = builtin_model("planar_arm");
  std::vector<Track> sequences;
  std::vector<std::vector<std::vector<Vec3>>> places;  // strip, frame, joint
  Bounds bounds;
  for (const Strip& strip : strips) {
    sequences.push_back(run(model, strip));
    const Track& sequence = sequences.back();
    places.emplace_back();
    for (int f = 0; f < sequence.clip.frame_count(); ++f) {
      const VecX q = Eigen::Map<const VecX>(sequence.clip.frame(f), 3);
      places.back().push_back(places_of(model, q, kStripLinks));
    }
    for (const int f : strip.frames) {
      for (const Vec3& p : places.back()[static_cast<std::size_t>(f)]) bounds.add(p.head<2>());
    }
    bounds.add(strip.goal);
  }
  bounds.grow(3.2);
  const double height = kPanel * std::min(1.1, (bounds.high - bounds.low).y() / (bounds.high - bounds.low).x());
  const double row = height + 44.0;
  const auto columns = static_cast<double>(strips.front().frames.size());
  Svg svg(2 * kMargin + 26 + columns * (kPanel + 8), 2 * kMargin + static_cast<double>(strips.size()) * row + 6, title);
  for (std::size_t s = 0; s < strips.size(); ++s) {
    const Strip& strip = strips[s];
    const Track& sequence = sequences[s];
    const double top = kMargin + static_cast<double>(s) * row + 16;
    if (!strip.label.empty()) {
      svg.text(Vec2(kMargin, top + 0.5 * height), strip.label, {14.0, ink::kText, "start", true, false, 0.0});
    }
    for (std::size_t k = 0; k < strip.frames.size(); ++k) {
      const int f = strip.frames[k];
      const Vec2 corner(kMargin + 26 + static_cast<double>(k) * (kPanel + 8), top);
      svg.rectangle(corner, Vec2(kPanel, height), {ink::kFaint, 0.8, "#fcfcfb", "", 1.0}, 3.0);
      const View view(bounds.low, bounds.high, corner, Vec2(kPanel, height));
      // Where the effector has been, and the line it should follow.
      svg.line(view(sequence.frames.front().target), view(sequence.frames.back().target),
               Pen::line(ink::kGoal, 0.8, "2 3"));
      std::vector<Vec2> trail;
      for (int i = 0; i <= f; ++i) trail.push_back(view(sequence.frames[static_cast<std::size_t>(i)].actual));
      svg.polyline(trail, Pen::line(ink::kPath, 1.1));
      for (const Vec2& p : trail) svg.circle(p, 1.3, Pen::filled(ink::kPath));
      std::vector<Vec2> points;
      for (const Vec3& p : places[s][static_cast<std::size_t>(f)]) points.push_back(view(p));
      draw_arm(svg, points, {7.5, ink::kBar, ink::kEdge, 1.0, true});
      draw_goal(svg, view(strip.goal), 4.5);
      svg.text(corner + Vec2(0.5 * kPanel, -4), fmt::format("frame {}", f),
               {11.5, ink::kSoft, "middle", false, false, 0.0});
    }
    const TrackFrame& last = sequence.frames.back();
    const double miss = (last.target - last.actual).head<2>().norm();
    svg.text(Vec2(kMargin + 26, top + height + 17),
             fmt::format("{}; the effector ends {} from the goal", strip.what, pretty_number(miss, 3)),
             {12.0, ink::kText, "start", false, false, 0.0});
  }
  return svg;
}

const std::vector<int> kEveryFifth = {0, 5, 10, 15, 20};
const Vec2 kNear(-20, 5);
const Vec2 kFar(-35, 5);

}  // namespace

Svg figure_5_20() {
  return draw_strips("Figure 5.20: pseudoinverse, goal in reach",
                     {{"(a)", "pseudoinverse", "Pseudoinverse", kNear, {}, {}, kEveryFifth},
                      {"(b)", "dls", "Damped least squares, λ = 1", kNear, {{"damping", "1"}}, {}, kEveryFifth}});
}

Svg figure_5_21() {
  const std::vector<int> frames = {0, 10, 18, 19, 20};
  return draw_strips("Figure 5.21: the goal is out of reach",
                     {{"(a)", "pseudoinverse", "Pseudoinverse", kFar, {}, {}, frames},
                      {"(b)", "dls", "Damped least squares, λ = 5", kFar, {{"damping", "5"}}, {}, frames}});
}

Svg figure_5_22() {
  return draw_strips(
      "Figure 5.22: control term",
      {{"", "pseudoinverse", "Control term towards 0, gains 0.1, 0.5, 0.1", kNear, {}, {0.1, 0.5, 0.1}, kEveryFifth},
       {"", "pseudoinverse", "Control term towards 0, gains 0.1, 0.1, 0.5", kNear, {}, {0.1, 0.1, 0.5}, kEveryFifth}});
}

Svg figure_5_23() {
  return draw_strips("Figure 5.23: alternative Jacobian", {{"",
                                                            "pseudoinverse",
                                                            "Levers taken to the goal instead of the effector",
                                                            kNear,
                                                            {{"jacobian_at", "target"}},
                                                            {},
                                                            kEveryFifth}});
}

Svg figure_5_24() {
  return draw_strips("Figure 5.24: transpose of the Jacobian",
                     {{"", "transpose", "Transpose, scale chosen by line search", kNear, {}, {}, kEveryFifth}});
}

Svg figure_5_25() {
  return draw_strips("Figure 5.25: cyclic coordinate descent",
                     {{"", "ccd", "Cyclic coordinate descent, one sweep a frame", kNear, {}, {}, kEveryFifth}});
}

}  // namespace armature::cli
