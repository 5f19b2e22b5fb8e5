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

namespace armature::cli {
namespace {

struct Figure {
  const char* file;
  Svg (*draw)();
  const char* what;
};

constexpr Figure kFigures[] = {
    {"fig_5_07.svg", figure_5_7, "a hierarchical model"},
    {"fig_5_09.svg", figure_5_9, "variable rotations at the joints"},
    {"fig_5_11.svg", figure_5_11, "two appendages"},
    {"fig_5_14.svg", figure_5_14, "the two-link arm, its angles and its reach"},
    {"fig_5_17.svg", figure_5_17, "planar arm with three joints"},
    {"fig_5_18.svg", figure_5_18, "instantaneous changes: the columns of J"},
    {"fig_5_19.svg", figure_5_19, "a singular pose"},
    {"fig_5_20.svg", figure_5_20, "pseudoinverse and damped least squares"},
    {"fig_5_21.svg", figure_5_21, "the same with the goal out of reach"},
    {"fig_5_22.svg", figure_5_22, "control term, two sets of gains"},
    {"fig_5_23.svg", figure_5_23, "alternative Jacobian"},
    {"fig_5_24.svg", figure_5_24, "transpose of the Jacobian"},
    {"fig_5_25.svg", figure_5_25, "cyclic coordinate descent"},
    {"poses_or_path.svg", figure_poses_or_path, "interpolating poses, prescribing the path"},
};

// The chapter's methods that iterate on the arm; analysis does not (figure 5.14 is the picture of two_link), nor do
// searches.
std::vector<std::string> chapter_methods() {
  std::vector<std::string> names;
  for (const SolverEntry& entry : solvers()) {
    const std::string_view group = entry.info.group;
    if (group == "Jacobian" || group == "Heuristic") names.emplace_back(entry.info.name);
  }
  return names;
}

void draw_all(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw BadInput{fmt::format("The folder {} cannot be made: {}.", in_quotes(folder), failed.message())};
  for (const Figure& figure : kFigures) {
    write_output((std::filesystem::path(folder) / figure.file).string(), figure.draw().str());
  }
  for (const std::string& method : chapter_methods()) {
    const std::string file = "method_" + method + ".svg";
    write_output((std::filesystem::path(folder) / file).string(), method_picture(method).str());
  }
}

}  // namespace

Model builtin_model(const std::string& name) { return need(load_model(name)).model; }

std::vector<Vec3> places_of(const Model& model, const VecX& q, const std::vector<std::string>& links) {
  State state;
  forward(model, q, state);
  std::vector<Vec3> places;
  for (const std::string& link : links) {
    places.push_back(state.X_WL[static_cast<std::size_t>(model.link(link))].translation);
  }
  return places;
}

void add_figures(CLI::App& app) {
  struct Options {
    std::string folder;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("figures", "Redraw the textbook's figures with computed poses");
  command->add_option("DIR", options->folder, "Folder for the SVG files; made if need be")->required();
  add_json_flag(*command, options->json);
  command->footer("Examples:\n  armature figures out/figures");
  command->callback([options] {
    draw_all(options->folder);
    Json list = Json::array();
    for (const Figure& figure : kFigures) {
      const std::string path = (std::filesystem::path(options->folder) / figure.file).string();
      if (options->json) {
        list.push_back({{"file", path}, {"what", figure.what}});
      } else {
        fmt::print("  {:<28} {}\n", path, figure.what);
      }
    }
    for (const std::string& method : chapter_methods()) {
      const std::string path = (std::filesystem::path(options->folder) / ("method_" + method + ".svg")).string();
      if (options->json) {
        list.push_back({{"file", path}, {"what", "iterations of " + method}});
      } else {
        fmt::print("  {:<28} iterations of {}\n", path, method);
      }
    }
    if (options->json) print_answer({{"figures", list}});
  });
}

void main_job() {
  const std::string folder = "out/figures";
  draw_all(folder);
  fmt::print("{}\n\n", bold("All methods on the textbook's arm (lengths 15, 10, 5), goal (-20, 5)"));
  compare_chapter(folder + "/compare.svg");
  fmt::print("\nPictures of figures 5.7 to 5.25 and of this comparison are in {}.\n", bold(folder));
  fmt::print("Start the studio with {} and drag the hand; `./run --help` lists the other commands.\n",
             bold("./run studio"));
}

}  // namespace armature::cli
