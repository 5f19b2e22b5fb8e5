// `armature plot MOTION`: joint values, velocities, error and manipulability over time, one panel each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/files.hpp"
#include "commands.hpp"
#include "drawing.hpp"
#include "motion_input.hpp"
#include "picture.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct PlotFlags {
  std::string model, motion, clip, out, joints, tip, scene, title;
  std::string what = "joints,velocities";
  double scale = 2.0;
  bool json = false;
  ReadOptions read;
};

struct PlotLine {
  std::string name;
  std::vector<double> values;  // one a frame
};
struct PlotPanel {
  std::string label;
  std::vector<PlotLine> lines;
};

constexpr const char* kPlotColors[] = {"#1c5cc0", "#b83a00", "#08705d", "#7d1168",
                                       "#a48335", "#5b5f66", "#0094b0", "#6446c0"};
constexpr const char* kPlotDashes[] = {"", "7 3", "2 3", "10 3 2 3"};
constexpr std::size_t kNamedLines = 14;

// A step of 1, 2 or 5 times a power of ten that gives about `count` parts.
double plot_step(double span, int count) {
  const double raw = span / count;
  const double decade = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 5.0}) {
    if (raw <= m * decade) return m * decade;
  }
  return 10.0 * decade;
}

void draw_panel(Svg& svg, const Vec2& corner, const Vec2& size, const PlotPanel& panel, double seconds, bool last) {
  double low = 1e300;
  double high = -1e300;
  for (const PlotLine& line : panel.lines) {
    for (const double v : line.values) {
      if (!std::isfinite(v)) continue;
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
  if (low > high) low = high = 0.0;
  if (high - low < 1e-12 * std::max(1.0, std::abs(high))) {
    const double room = std::max(1e-9, 0.1 * std::abs(high));
    low -= room;
    high += room;
  }
  const double margin = 0.06 * (high - low);
  low = low >= 0.0 && low - margin < 0.0 ? 0.0 : low - margin;
  high += margin;
  const auto place = [&](double t, double v) {
    return Vec2(corner.x() + size.x() * (seconds > 0.0 ? t / seconds : 0.0),
                corner.y() + size.y() * (1.0 - (v - low) / (high - low)));
  };
  const double step = plot_step(high - low, 4);
  for (double v = std::ceil(low / step) * step; v <= high + 1e-9 * step; v += step) {
    const Vec2 at = place(0.0, v);
    svg.line(at, at + Vec2(size.x(), 0), Pen::line(ink::kFaint, 0.6));
    svg.text(at + Vec2(-7, 4), pretty_number(std::abs(v) < 1e-9 * step ? 0.0 : v, 4),
             {10.5, ink::kSoft, "end", false, false, 0});
  }
  const double tick = seconds > 0.0 ? plot_step(seconds, 8) : 1.0;
  for (double t = 0.0; t <= seconds * (1 + 1e-9); t += tick) {
    const Vec2 at = place(t, low);
    svg.line(at, at + Vec2(0, 4), Pen::line(ink::kEdge, 0.9));
    if (last) svg.text(at + Vec2(0, 17), pretty_number(t, 4), {10.5, ink::kSoft, "middle", false, false, 0});
  }
  svg.line(corner + Vec2(0, size.y()), corner + size, Pen::line(ink::kEdge, 1.0));
  svg.line(corner, corner + Vec2(0, size.y()), Pen::line(ink::kEdge, 1.0));
  svg.text(corner + Vec2(-52, 0.5 * size.y()), panel.label, {11.5, ink::kText, "middle", false, false, -90.0});
  double legend = corner.y() + 6.0;
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    const Pen pen = Pen::line(kPlotColors[i % 8], 1.5, kPlotDashes[i / 8 % 4]);
    std::vector<Vec2> points;
    const std::vector<double>& values = panel.lines[i].values;
    for (std::size_t f = 0; f < values.size(); ++f) {
      const double t =
          values.size() > 1 ? seconds * static_cast<double>(f) / static_cast<double>(values.size() - 1) : 0.0;
      if (std::isfinite(values[f])) points.push_back(place(t, values[f]));
    }
    svg.polyline(points, pen);
    if (panel.lines.size() < 2 && panel.lines[i].name.empty()) continue;
    if (i >= kNamedLines) continue;
    const Vec2 at(corner.x() + size.x() + 16, legend);
    const bool more = i + 1 == kNamedLines && panel.lines.size() > kNamedLines;
    if (!more) svg.line(at, at + Vec2(22, 0), pen);
    svg.text(at + Vec2(more ? 0 : 28, 4),
             more ? fmt::format("and {} more", panel.lines.size() - kNamedLines + 1) : panel.lines[i].name,
             {11, ink::kText, "start", false, false, 0});
    legend += 14.5;
  }
}

class Plotter {
 public:
  Plotter(const PlotFlags& flags, const LoadedMotion& motion) : flags_(flags), motion_(motion), model_(motion.model) {
    for (const std::string& name : split_list(flags.joints)) joints_.push_back(need(model_.find_joint(name)));
    if (flags.joints.empty()) {
      for (int i = 0; i < model_.link_count(); ++i) {
        if (!model_.joint(i).mimic && model_.joint(i).q_count > 0) joints_.push_back(i);
      }
    }
  }

  PlotPanel panel(const std::string& what) const {
    if (what == "joints") return joints();
    if (what == "velocities") return velocities();
    if (what == "error") return error();
    if (what == "manipulability") return manipulability();
    throw BadInput{unknown_name("thing to plot", what, {"joints", "velocities", "error", "manipulability"})};
  }

 private:
  PlotPanel joints() const {
    PlotPanel panel{"joint values", {}};
    for (const int joint : joints_) {
      for (int k = 0; k < model_.joint(joint).q_count; ++k) {
        const int i = model_.joint(joint).q_index + k;
        PlotLine line{model_.coordinate_name(i), {}};
        for (int f = 0; f < motion_.clip.frame_count(); ++f) line.values.push_back(motion_.clip.frame(f)[i]);
        panel.lines.push_back(std::move(line));
      }
    }
    return panel;
  }

  PlotPanel velocities() const {
    PlotPanel panel{"velocities, 1/s", {}};
    std::vector<PlotLine> all(static_cast<std::size_t>(model_.v_size()));
    VecX v(model_.v_size());
    const int last = motion_.clip.frame_count() - 1;
    for (int f = 0; f <= last; ++f) {  // central differences, one-sided at the ends
      const int a = std::max(0, f - 1);
      const int b = std::min(last, f + 1);
      difference(model_, motion_.clip.frame(a), motion_.clip.frame(b), v.data());
      const double seconds = std::max(1, b - a) * motion_.clip.frame_time;
      for (int i = 0; i < model_.v_size(); ++i) all[static_cast<std::size_t>(i)].values.push_back(v[i] / seconds);
    }
    for (const int joint : joints_) {
      const ModelJoint& j = model_.joint(joint);
      for (int k = 0; k < j.v_count; ++k) {
        PlotLine& line = all[static_cast<std::size_t>(j.v_index + k)];
        line.name = j.v_count == 1 ? j.name : fmt::format("{}.{}", j.name, k);
        panel.lines.push_back(line);
      }
    }
    return panel;
  }

  PlotPanel error() const {
    if (flags_.scene.empty()) throw BadInput{"The error needs the paths that were to be followed: --scene scene.json."};
    SceneArguments arguments;
    arguments.loaded = std::make_shared<const LoadedModel>(LoadedModel{motion_.document, model_});
    const Scene scene = need(load_scene(flags_.scene, arguments));
    Problem problem = scene;
    const std::vector<MovingGoal> moving = need(moving_goals(problem, scene.start));
    PlotPanel panel{"distance from the path", {}};
    for (const MovingGoal& goal : moving) {
      const int link = effector(problem.goals[goal.goal], model_, problem.tip);
      panel.lines.push_back({model_.link_name(link), {}});
    }
    State state;
    for (int f = 0; f < motion_.clip.frame_count(); ++f) {
      forward(model_, motion_.clip.frame(f), state);
      for (std::size_t i = 0; i < moving.size(); ++i) {
        Goal& goal = problem.goals[moving[i].goal];
        move_target(moving[i], f * motion_.clip.frame_time, goal);
        GoalRows rows;
        linearize(goal, state, rows);
        double squares = 0.0;
        for (int r = 0; r < rows.rows; ++r) {
          const double error = rows.error[static_cast<std::size_t>(r)];
          if (!is_angle_row(goal, model_, r)) squares += error * error;
        }
        panel.lines[i].values.push_back(std::sqrt(squares));
      }
    }
    return panel;
  }

  PlotPanel manipulability() const {
    const int tip = tip_of(model_, flags_.tip);
    PlotPanel panel{"manipulability", {{model_.link_name(tip), {}}}};
    const bool flat = planar();
    State state;
    Jacobian J(6, model_.v_size());
    for (int f = 0; f < motion_.clip.frame_count(); ++f) {
      forward(model_, motion_.clip.frame(f), state);
      jacobian(model_, state, tip, Vec3::Zero(), J);
      panel.lines[0].values.push_back(measures(flat ? MatX(J.topRows<2>()) : MatX(J.topRows<3>())).manipulability);
    }
    return panel;
  }

  bool planar() const {  // no joint moves the tip along z
    State state;
    Jacobian J(6, model_.v_size());
    for (int f = 0; f < motion_.clip.frame_count(); ++f) {
      forward(model_, motion_.clip.frame(f), state);
      jacobian(model_, state, tip_of(model_, flags_.tip), Vec3::Zero(), J);
      if (J.row(2).norm() > 1e-9 * model_.size()) return false;
    }
    return true;
  }

  const PlotFlags& flags_;
  const LoadedMotion& motion_;
  const Model& model_;
  std::vector<int> joints_;
};

}  // namespace

void add_plot(CLI::App& app) {
  auto flags = std::make_shared<PlotFlags>();
  CLI::App* command = app.add_subcommand("plot", "A motion over time: joints, velocities, error, manipulability");
  command->add_option("MODEL", flags->model, "A motion file, or the model that --motion moves")->required();
  command->add_option("-o,--out", flags->out, "Output file: .svg, .png or .pdf; - prints SVG")->required();
  command->add_option("--motion", flags->motion, "A motion of MODEL in another file (.csv, .jsonl, .bvh, .glb)");
  command->add_option("--clip", flags->clip, "Which of several motions: its name or number");
  command->add_option("--what", flags->what, "joints,velocities,error,manipulability: a panel each")
      ->capture_default_str();
  command->add_option("--joints", flags->joints, "Only these joints");
  command->add_option("--tip", flags->tip, "The link whose manipulability (of its position) is shown");
  command->add_option("--scene", flags->scene, "The scene whose paths the error is measured against");
  command->add_option("--title", flags->title, "A line above the picture");
  command->add_option("--pixel-ratio", flags->scale, "Pixels of a PNG per SVG unit")->transform(within(0.1, 20.0));
  add_json_flag(*command, flags->json);
  add_read_options(*command, flags->read);
  command->footer(
      "Examples:\n"
      "  armature plot line.csv -o line.svg\n"
      "  armature plot panda --motion line.csv --what joints,error,manipulability --scene line.json --tip panda_tcp -o "
      "line.png");
  command->callback([flags] {
    if (flags->out != "-" && !is_picture(flags->out)) {
      throw BadInput{fmt::format("A picture is written as .svg, .png or .pdf, not {}.", in_quotes(flags->out))};
    }
    const LoadedMotion motion = load_motion(flags->model, flags->motion, flags->clip, flags->read);
    need_frames(motion, flags->model);
    const Plotter plotter(*flags, motion);
    std::vector<PlotPanel> panels;
    for (const std::string& what : split_list(flags->what)) panels.push_back(plotter.panel(what));
    if (panels.empty()) throw BadInput{"--what names at least one of joints, velocities, error, manipulability."};
    std::size_t widest = 0;
    std::vector<double> tops;
    const double title = flags->title.empty() ? 0.0 : 28.0;
    double top = 16.0 + title;
    for (const PlotPanel& panel : panels) {
      tops.push_back(top);
      top += std::max(150.0, 14.5 * static_cast<double>(std::min(panel.lines.size(), kNamedLines))) + 22.0;
      for (const PlotLine& line : panel.lines) widest = std::max(widest, line.name.size());
    }
    Svg svg(76 + 560 + 16 + 34 + 6.6 * static_cast<double>(std::min<std::size_t>(widest, 32)), top + 34,
            flags->title.empty() ? motion.model.name() : flags->title);
    if (title > 0.0) svg.text(Vec2(20, 26), flags->title, {14, ink::kText, "start", true, false, 0});
    const double seconds = motion.clip.duration();
    for (std::size_t i = 0; i < panels.size(); ++i) {
      const double height = (i + 1 < panels.size() ? tops[i + 1] : top) - tops[i] - 22.0;
      draw_panel(svg, Vec2(76, tops[i]), Vec2(560, height), panels[i], seconds, i + 1 == panels.size());
    }
    svg.text(Vec2(76 + 280, top + 14), "time, s", {11.5, ink::kText, "middle", false, false, 0});
    write_picture(flags->out, svg, flags->scale);
    if (flags->out == "-") return;
    if (!flags->json) {
      fmt::print("{}: {} panel{}, {} frames\n", flags->out, panels.size(), panels.size() == 1 ? "" : "s",
                 motion.clip.frame_count());
      return;
    }
    Json json{{"out", flags->out}, {"frames", motion.clip.frame_count()}, {"panels", Json::array()}};
    for (const PlotPanel& panel : panels) {
      Json lines = Json::object();
      for (const PlotLine& line : panel.lines) {
        const auto [least, most] = std::minmax_element(line.values.begin(), line.values.end());
        lines[line.name] = {{"least", number_to_json(*least)}, {"most", number_to_json(*most)}};
      }
      json["panels"].push_back({{"label", panel.label}, {"lines", lines}});
    }
    print_answer(json);
  });
}

}  // namespace armature::cli
