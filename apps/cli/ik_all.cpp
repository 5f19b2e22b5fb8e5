// `armature ik --all`: every pose that reaches the goal, as a table or as JSON.
#include "ik_all.hpp"

#include <fmt/format.h>

#include <chrono>

#include "armature/base/number.hpp"
#include "armature/scene/chain_notes.hpp"
#include "armature/scene/report_json.hpp"
#include "armature/solve/solutions.hpp"
#include "draw.hpp"
#include "motion_input.hpp"
#include "picture.hpp"

namespace armature::cli {
namespace {

// A pose of each answer, the one nearest to the start; every pose where full turns are wanted.
std::vector<int> shown_poses(const Solutions& all, bool turns) {
  std::vector<int> shown;
  std::vector<char> seen(static_cast<std::size_t>(all.answer_count()), 0);
  for (int k = 0; k < all.count(); ++k) {
    char& already = seen[static_cast<std::size_t>(all.answers[static_cast<std::size_t>(k)])];
    if (turns || already == 0) shown.push_back(k);
    already = 1;
  }
  return shown;
}

// Coordinates that differ between poses or from the start; all of them where a pose is short.
std::vector<int> shown_coordinates(const Model& model, const Solutions& all, const VecX& start) {
  std::vector<int> shown;
  for (int i = 0; i < model.q_size(); ++i) {
    const bool moves = ((all.q.row(i).array() - start[i]).abs() > 1e-6).any();
    if (moves || model.q_size() <= 8) shown.push_back(i);
  }
  return shown;
}

void print_table(const Model& model, const Solutions& all, const VecX& start, bool turns) {
  fmt::print("{}\n", printable(all.message));
  if (all.count() == 0) return;
  const std::vector<int> shown = shown_coordinates(model, all, start);
  const auto angle = [&](int i) { return model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::angle; };
  std::vector<std::string> head{"pose"};
  if (!all.curves.empty()) head.emplace_back("curve");
  for (const int i : shown) head.push_back(model.coordinate_name(i));
  head.emplace_back("residual");
  Table table(head);
  const std::vector<int> poses = shown_poses(all, turns);
  int number = 0;
  for (const int k : poses) {
    std::vector<std::string> row{std::to_string(++number)};
    if (!all.curves.empty()) row.push_back(std::to_string(all.curves[static_cast<std::size_t>(k)] + 1));
    for (const int i : shown) {
      const double value = all.q(i, k) * (angle(i) ? 180.0 / kPi : 1.0);
      row.push_back(pretty_number(std::abs(value) < 1e-9 ? 0.0 : value, 6));  // no noise like 7e-17
    }
    row.push_back(pretty_number(all.residuals[k], 2));
    table.add(row);
  }
  fmt::print("\n{}  angles in degrees\n", table.text(2));
  if (static_cast<int>(poses.size()) < all.count()) {
    fmt::print("  each as near to the start as full turns allow; --turns lists all {} poses\n", all.count());
  }
  std::vector<std::string> names;
  for (const int i : all.singular_joints) names.push_back(printable(model.coordinate_name(i)));
  if (!names.empty()) fmt::print("\nfree at some pose, where it has the start's value: {}\n", fmt::join(names, ", "));
}

// One pose per second, or side by side.
void write_poses(const Scene& scene, const Solutions& all, bool turns, const std::vector<std::string>& out) {
  if (all.count() == 0) return;
  const LoadedModel& loaded = *scene.loaded;
  Clip clip;
  clip.name = "solutions";
  clip.frame_time = 1.0;
  clip.q_size = scene.model.q_size();
  for (const int k : shown_poses(all, turns)) clip.append(all.q.col(k));
  for (const std::string& path : out) {
    if (is_picture(path)) {
      write_picture(path,
                    draw_strip({loaded.document, loaded.model, clip, loaded.beside}, clip.frame_count(), "", false));
    } else {
      write_motion(path, loaded.document, clip);
    }
  }
}

}  // namespace

bool find_all(const Scene& scene, const AllOptions& flags, const std::string& model_argument, bool json) {
  const Problem problem = make_problem(scene);
  SolutionsOptions options;
  options.start = scene.start;
  options.samples = flags.samples;
  options.max_count = flags.max_count;
  for (const auto& [name, text] : scene.options) {
    if (name == "thorough") options.thorough = text == "true";
    if (name == "seed") options.seed = std::atoi(text.c_str());
  }
  const auto begin = std::chrono::steady_clock::now();
  const Solutions all = need(solutions(problem, options));
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
  add_notes(exact_angles_notes(scene.model, model_argument, scene.read));
  write_poses(scene, all, flags.turns, flags.out);
  if (!json) {
    print_table(scene.model, all, scene.start, flags.turns);
    for (const std::string& path : flags.out) fmt::print("{}{}\n", all.count() > 0 ? "written " : "not written ", path);
    return all.count() > 0;
  }
  JsonText text;
  text.begin_object().member("ok", all.count() > 0).member("message", all.message);
  text.member("microseconds", spent.count()).key("solutions");
  write_solutions(text, scene.model, all);
  print_answer(Json::parse(text.end().text()), all.count() > 0);
  return all.count() > 0;
}

}  // namespace armature::cli
