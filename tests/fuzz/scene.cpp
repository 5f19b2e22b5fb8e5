// Fuzzes scene files. What is read is written, and reads as the same scene again; its problem solved keeps the law of
// support/law.hpp, its paths and keys give finite frames. Files are out of reach: only built-in models and what stands
// in place.
#include "armature/scene/scene.hpp"

#include <cctype>
#include <cstdlib>

#include "armature/solve/track.hpp"
#include "support/law.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

// For scenes that name no model.
std::shared_ptr<const LoadedModel> usual_model() {
  static const std::shared_ptr<const LoadedModel> model =
      read_scene(R"({"model": "planar_arm"})", "usual", {}).value().loaded;
  return model;
}

// Letter by letter, numbers to the last digits: a rotation is a matrix in between.
bool same_text(const std::string& a, const std::string& b) {
  const auto begins_number = [](const std::string& text, std::size_t i) {
    return std::isdigit(static_cast<unsigned char>(text[i])) != 0 || text[i] == '-';
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!begins_number(a, i) || !begins_number(b, j)) {
      if (a[i++] != b[j++]) return false;
      continue;
    }
    char *end_a = nullptr, *end_b = nullptr;
    const double x = std::strtod(a.c_str() + i, &end_a), y = std::strtod(b.c_str() + j, &end_b);
    const auto length_a = static_cast<std::size_t>(end_a - (a.c_str() + i));
    const auto length_b = static_cast<std::size_t>(end_b - (b.c_str() + j));
    if (length_a == 0 || length_b == 0) {  // a hyphen in a name
      if (a[i++] != b[j++]) return false;
      continue;
    }
    if (!(std::abs(x - y) <= 1e-14 * std::max(1.0, std::abs(x)))) return false;
    i += length_a;
    j += length_b;
  }
  return i == a.size() && j == b.size();
}

void same_when_written(const Scene& scene) {
  SceneArguments arguments;
  arguments.loaded = scene.loaded;
  const std::string text = to_json(scene);
  const Result<Scene> again = read_scene(text, "again", arguments);
  context() = again ? "" : "; " + again.message() + " in " + text;
  demand(again.ok(), "a scene that was written is read");
  const std::string second = to_json(*again);
  context() = "; " + text + " and " + second;
  demand(same_text(second, text), "written again it is the same");
}

void solve_it(const Scene& scene) {
  const Problem problem = make_problem(scene);
  const Result<Solver> solver = make_solver(scene);
  if (!solver) {
    demand(!solver.message().empty(), "a refusal has a sentence");
    return;
  }
  SolveOptions& options = (*solver)->common_options();
  options.max_iterations = std::min(options.max_iterations, 30);
  options.max_time = 0.01;
  const Report report = (*solver)->solve(problem);
  context() = "; " + std::string(outcome_name(report.outcome)) + " by " + report.method;
  check_law(problem, options, report.q, report);
}

void follow_its_paths(const Scene& scene) {
  Problem problem = scene;
  const Result<std::vector<MovingGoal>> moving = moving_goals(problem, scene.start);
  if (!moving || moving->empty()) return;
  double end = 0.0;
  for (const MovingGoal& goal : *moving) end = std::max(end, goal.motion.end());
  const double frames = end * scene.tracking.frame_rate;
  const Result<Solver> solver = make_solver(scene, "dls");
  // Long paths are not refused, they only take long.
  if (!solver || (frames > 50.0 && frames < 1e5)) return;
  (*solver)->common_options().max_iterations = 5;
  (*solver)->common_options().max_time = 0.001;
  TrackOptions options = scene.tracking;
  options.halvings = 2;
  options.steps_per_frame = std::min(options.steps_per_frame, 3);
  const Result<Track> result = track(**solver, problem, options);
  if (!result) {
    demand(!result.message().empty(), "a refusal has a sentence");
    return;
  }
  for (double value : result->clip.values) demand(std::isfinite(value), "every frame is finite");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  context().clear();
  SceneArguments arguments;
  if (is_scene(text) && text.find("\"model\"") == std::string::npos) arguments.loaded = usual_model();
  const Result<Scene> scene = read_scene(text, "fuzz", arguments);
  if (!scene) {
    demand(!scene.message().empty(), "a refusal has a sentence");
    return 0;
  }
  demand(scene->start.size() == scene->model.q_size() && scene->start.allFinite(), "a start is finite");
  same_when_written(*scene);
  solve_it(*scene);
  follow_its_paths(*scene);
  if (scene->keys && !scene->keys->empty()) {
    const double seconds = scene->keys->end() - scene->keys->start();
    const Result<Clip> clip = scene->keys->to_clip(seconds > 50.0 ? seconds / 50.0 : 1.0 / scene->tracking.frame_rate);
    if (!clip) demand(!clip.message().empty(), "a refusal has a sentence");
  }
  return 0;
}
