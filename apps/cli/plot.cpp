// `armature plot MOTION`: joint values, velocities, error and manipulability over time, of a mechanism also
// transmission and velocity ratios over its drive, one panel each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/loop_projection.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/files.hpp"
#include "commands.hpp"
#include "driving.hpp"
#include "motion_input.hpp"
#include "picture.hpp"
#include "plot_panel.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct PlotFlags {
  std::string model, motion, clip, out, joints, tip, scene, title, over, what;
  DriveFlags driving;
  double scale = 2.0;
  bool json = false;
  ReadOptions read;
};

constexpr double kMostRatio = 20.0;  // towards a dead point velocity ratios grow without bound

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
    if (what == "transmission") return mechanism().first;
    if (what == "ratios") return mechanism().second;
    throw BadInput{unknown_name("thing to plot", what,
                                {"joints", "velocities", "error", "manipulability", "transmission", "ratios"})};
  }

  // Time, or the joint that --over names or that is driven.
  PlotAxis axis() const {
    PlotAxis axis;
    if (flags_.over.empty() && flags_.driving.drives.empty()) {
      for (int f = 0; f < motion_.clip.frame_count(); ++f) axis.values.push_back(f * motion_.clip.frame_time);
      return axis;
    }
    const ModelJoint& joint = model_.joint(drive());
    axis.degrees = coordinates(joint.type)[0] == Coordinate::angle;
    axis.label = joint.name + (axis.degrees ? ", degrees" : "");
    for (int f = 0; f < motion_.clip.frame_count(); ++f) {
      axis.values.push_back(motion_.clip.frame(f)[joint.q_index] * (axis.degrees ? 180.0 / kPi : 1.0));
    }
    return axis;
  }

 private:
  // The joint that everything else follows: of --over or --drive, or the mechanism's own.
  int drive() const {
    int joint = -1;
    if (!flags_.over.empty()) {
      joint = need(model_.find_joint(flags_.over));
    } else if (!flags_.driving.drives.empty()) {
      joint = need(model_.find_joint(parse_drive(model_, split_list(flags_.driving.drives.front()).front()).joint));
    } else {
      const MechanismReport report = analyze_mechanism(model_, pose_at(motion_.clip, 0));
      if (!report.drives.empty()) joint = need(model_.find_joint(report.drives.front()));
    }
    if (joint < 0 || model_.joint(joint).q_count != 1 || model_.joint(joint).mimic) {
      throw BadInput{"Name a joint of one coordinate that drives the others: --over JOINT."};
    }
    return joint;
  }

  // Transmission and velocity ratios of the drive, everything else that drives held, at every frame.
  std::pair<PlotPanel, PlotPanel> mechanism() const {
    if (model_.closures().empty()) {
      throw BadInput{
          fmt::format("Transmission and ratios are of mechanisms, and {} has no closures.", in_quotes(model_.name()))};
    }
    const ModelJoint& driven = model_.joint(drive());
    PlotPanel transmission{"transmission", {{"index", {}}}};
    PlotPanel ratios{fmt::format("velocity ratios to {}", driven.name), {}, kMostRatio};
    const MechanismReport report = analyze_mechanism(model_, pose_at(motion_.clip, 0), {driven.name});
    std::vector<char> held = need(held_velocities(model_, report.drives));
    held[static_cast<std::size_t>(driven.v_index)] = 1;
    Driver driver;
    driver.prepare(model_, held);
    VecX change = VecX::Zero(model_.v_size());
    change[driven.v_index] = 1.0;
    std::vector<int> velocities;
    for (const int joint : joints_) {
      for (int k = 0; k < model_.joint(joint).v_count; ++k) {
        const ModelJoint& j = model_.joint(joint);
        if (held[static_cast<std::size_t>(j.v_index + k)] != 0) continue;
        velocities.push_back(j.v_index + k);
        ratios.lines.push_back({j.v_count == 1 ? j.name : fmt::format("{}.{}", j.name, k), {}});
      }
    }
    for (int f = 0; f < motion_.clip.frame_count(); ++f) {
      driver.look(pose_at(motion_.clip, f), change);
      transmission.lines[0].values.push_back(driver.transmission());
      for (std::size_t i = 0; i < velocities.size(); ++i) {
        ratios.lines[i].values.push_back(driver.tangent()[velocities[i]]);
      }
    }
    return {transmission, ratios};
  }

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
    // Of a mechanism by its own motions, not by its joints one by one.
    const bool loops = !model_.closures().empty();
    LoopProjection projection;
    std::vector<int> all(static_cast<std::size_t>(model_.v_size()));
    for (int v = 0; v < model_.v_size(); ++v) all[static_cast<std::size_t>(v)] = v;
    if (loops) projection.prepare(model_, all);
    const VecX ones = VecX::Ones(model_.v_size());
    const std::vector<char> none(all.size(), 0);
    for (int f = 0; f < motion_.clip.frame_count(); ++f) {
      forward(model_, motion_.clip.frame(f), state);
      jacobian(model_, state, tip, Vec3::Zero(), J);
      MatX moves = flat ? MatX(J.topRows<2>()) : MatX(J.topRows<3>());
      if (loops) {
        MatX reduced;
        projection.find(motion_.clip.frame(f), ones, none);
        projection.reduce(moves, reduced);
        moves = reduced;
      }
      panel.lines[0].values.push_back(moves.cols() > 0 ? measures(moves).manipulability : 0.0);
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
  CLI::App* command =
      app.add_subcommand("plot", "A motion over time, or a mechanism over its drive: joints, velocities, ...");
  command->add_option("MODEL", flags->model, "A motion file, or the model that --motion moves")->required();
  command->add_option("-o,--out", flags->out, "Output file: .svg, .png or .pdf; - prints SVG")->required();
  command->add_option("--motion", flags->motion, "A motion of MODEL in another file (.csv, .jsonl, .bvh, .glb)");
  command->add_option("--clip", flags->clip, "Which of several motions: its name or number");
  add_drive_flags(*command, flags->driving);
  command->add_option("--what", flags->what,
                      "joints,velocities,error,manipulability, of a mechanism also transmission,ratios: a panel each "
                      "(default: joints,velocities; with --drive joints,transmission,ratios)");
  command->add_option("--over", flags->over,
                      "The joint to plot over instead of time (default: with --drive the drive)");
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
      "line.png\n"
      "  armature plot four_bar --drive crank=0..360deg --frames 361 -o four_bar.svg");
  command->callback([flags] {
    if (flags->out != "-" && !is_picture(flags->out)) {
      throw BadInput{fmt::format("A picture is written as .svg, .png or .pdf, not {}.", in_quotes(flags->out))};
    }
    const bool drives = !flags->driving.drives.empty();
    if (flags->what.empty()) flags->what = drives ? "joints,transmission,ratios" : "joints,velocities";
    if (drives && !flags->motion.empty()) throw BadInput{"Either --drive or --motion, not both."};
    LoadedMotion motion = load_motion(flags->model, flags->motion, flags->clip, flags->read);
    DriveReport driven;
    if (drives) {
      driven = need(drive(motion.model, drive_options(motion.model, flags->driving, 0.0)));
      motion.clip = driven.clip;
    }
    need_frames(motion, flags->model);
    const Plotter plotter(*flags, motion);
    const PlotAxis axis = plotter.axis();
    std::vector<PlotPanel> panels;
    for (const std::string& what : split_list(flags->what)) panels.push_back(plotter.panel(what));
    if (panels.empty()) throw BadInput{"--what names at least one thing to plot: joints, velocities, ..."};
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
    for (std::size_t i = 0; i < panels.size(); ++i) {
      const double height = (i + 1 < panels.size() ? tops[i + 1] : top) - tops[i] - 22.0;
      draw_panel(svg, Vec2(76, tops[i]), Vec2(560, height), panels[i], axis, i + 1 == panels.size());
    }
    svg.text(Vec2(76 + 280, top + 14), axis.label, {11.5, ink::kText, "middle", false, false, 0});
    write_picture(flags->out, svg, flags->scale);
    if (flags->out == "-") {
      if (!driven.ok()) throw Quit{kNotReached};
      return;
    }
    if (!flags->json) {
      fmt::print("{}: {} panel{}, {} frames\n", flags->out, panels.size(), panels.size() == 1 ? "" : "s",
                 motion.clip.frame_count());
      if (drives) fmt::print("{}\n", printable(driven.message()));
      if (!driven.ok()) throw Quit{kNotReached};
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
    if (drives) json.update(drive_json(motion.model, driven, {}));
    print_answer(json, driven.ok());
    if (!driven.ok()) throw Quit{kNotReached};
  });
}

}  // namespace armature::cli
