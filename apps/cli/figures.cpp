// `armature figures DIR`: the textbook's figures as SVG. Without any command the program draws them and compares all
// methods on the textbook's arm: the main job of ./run.
#include "figures.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "armature/kinematics/forward.hpp"
#include "armature/solve/registry.hpp"
#include "commands.hpp"
#include "common.hpp"
#include "compare.hpp"
#include "picture.hpp"

namespace armature::cli {
namespace {

struct Figure {
  const char* name;
  Svg (*draw)();
  const char* what;
};

constexpr Figure kFigures[] = {
    {"fig_5_01", figure_5_1, "posing by turning joints"},
    {"fig_5_02", figure_5_2, "posing by placing the hand"},
    {"fig_5_03", figure_5_3, "the two joints of one freedom"},
    {"fig_5_04", figure_5_4, "complex joints"},
    {"fig_5_05", figure_5_5, "a figure and its tree"},
    {"fig_5_06", figure_5_6, "arc and node"},
    {"fig_5_07", figure_5_7, "a hierarchical model"},
    {"fig_5_08", figure_5_8, "its tree"},
    {"fig_5_09", figure_5_9, "variable rotations at the joints"},
    {"fig_5_10", figure_5_10, "the tree with rotations"},
    {"fig_5_11", figure_5_11, "two appendages"},
    {"fig_5_12", figure_5_12, "their tree"},
    {"fig_5_13", figure_5_13, "traversal with a matrix stack"},
    {"fig_5_14", figure_5_14, "the two-link arm, its angles and its reach"},
    {"fig_5_15", figure_5_15, "its solution by analysis"},
    {"fig_5_16", figure_5_16, "velocities induced by a joint"},
    {"fig_5_17", figure_5_17, "planar arm with three joints"},
    {"fig_5_18", figure_5_18, "instantaneous changes: the columns of J"},
    {"fig_5_19", figure_5_19, "a singular pose"},
    {"fig_5_20", figure_5_20, "pseudoinverse and damped least squares"},
    {"fig_5_21", figure_5_21, "the same with the goal out of reach"},
    {"fig_5_22", figure_5_22, "control term, two sets of gains"},
    {"fig_5_23", figure_5_23, "alternative Jacobian"},
    {"fig_5_24", figure_5_24, "transpose of the Jacobian"},
    {"fig_5_25", figure_5_25, "cyclic coordinate descent"},
    {"poses_or_path", figure_poses_or_path, "interpolating poses, prescribing the path"},
};

// The chapter's methods that iterate on the arm; analysis does not (figure 5.14 is the picture of two_link), nor do
// searches.
std::vector<std::string> chapter_methods() {
  std::vector<std::string> names;
  for (const BuiltinMethod& entry : builtin_methods()) {
    const std::string_view group = entry.info.group;
    if (group == "Jacobian" || group == "Heuristic") names.emplace_back(entry.info.name);
  }
  return names;
}

struct FigureOptions {
  std::string folder;
  std::string format = "svg";
  bool one_color = false;
  bool json = false;
};

struct Drawn {
  std::string path;
  std::string what;
};

std::vector<Drawn> draw_all(const FigureOptions& options) {
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);
  if (failed) {
    throw BadInput{fmt::format("The folder {} cannot be made: {}.", in_quotes(options.folder), failed.message())};
  }
  std::vector<Drawn> drawn;
  const auto write = [&](const std::string& name, Svg svg, const std::string& what) {
    if (options.one_color) svg.make_grey();
    const std::string path = (std::filesystem::path(options.folder) / (name + "." + options.format)).string();
    write_picture(path, svg);
    drawn.push_back({path, what});
  };
  for (const Figure& figure : kFigures) write(figure.name, figure.draw(), figure.what);
  for (const std::string& method : chapter_methods()) {
    write("method_" + method, method_picture(method), "iterations of " + method);
  }
  return drawn;
}

}  // namespace

Model builtin_model(const std::string& name) { return need(open_model(name)).model; }

std::vector<Vec3> places_of(const Model& model, const VecX& q, const std::vector<std::string>& links) {
  State state;
  forward(model, q, state);
  std::vector<Vec3> places;
  for (const std::string& link : links) {
    places.push_back(state.X_WL[static_cast<std::size_t>(model.link(link))].position);
  }
  return places;
}

void add_figures(CLI::App& app) {
  auto options = std::make_shared<FigureOptions>();
  CLI::App* command = app.add_subcommand("figures", "Redraw the chapter's figures 5.1 to 5.25 from computed poses");
  command->add_option("DIR", options->folder, "Folder for the pictures; made if need be")->required();
  command->add_option("--format", options->format, "svg, pdf or png")->check(CLI::IsMember({"svg", "pdf", "png"}));
  command->add_flag("--one-color", options->one_color, "In greys, for print");
  add_json_flag(*command, options->json);
  command->footer(
      "Examples:\n"
      "  armature figures out/figures\n"
      "  armature figures handout --format pdf --one-color");
  command->callback([options] {
    Json list = Json::array();
    for (const Drawn& figure : draw_all(*options)) {
      if (options->json) {
        list.push_back({{"file", figure.path}, {"what", figure.what}});
      } else {
        fmt::print("  {:<28} {}\n", figure.path, figure.what);
      }
    }
    if (options->json) print_answer({{"figures", list}});
  });
}

void main_job() {
  const std::string folder = "out/figures";
  draw_all({folder});
  fmt::print("{}\n\n", bold("All methods on the textbook's arm (lengths 15, 10, 5), goal (-20, 5)"));
  compare_chapter(folder + "/compare.svg");
  fmt::print("\nPictures of figures 5.1 to 5.25 and of this comparison are in {}.\n", bold(folder));
  fmt::print("Start the studio with {} and drag the hand; `./run --help` lists the other commands.\n",
             bold("./run studio"));
}

}  // namespace armature::cli
