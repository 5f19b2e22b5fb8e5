#include "base_for.hpp"

#include <fmt/format.h>

#include <chrono>

#include "armature/base/number.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/parallel/solve_batch.hpp"
#include "armature/scene/files.hpp"
#include "armature/scene/methods.hpp"
#include "armature/scene/target_table.hpp"
#include "drawing.hpp"
#include "picture.hpp"
#include "workspace_files.hpp"

namespace armature::cli {
namespace {

using Place = Placements::Place;

struct NamedTargets {
  std::vector<Goal> goals;
  std::vector<std::string> ids;  // JSON
};

NamedTargets read_targets(const std::string& path, Scene& scene) {
  const Targets table = need(Targets::open(path));
  NamedTargets all;
  TargetPiece piece;
  for (int number = 0; number < table.piece_count(); ++number) {
    table.read(number, scene, piece);
    need(piece.ended);
    for (int k = 0; k < piece.count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      all.goals.push_back(piece.goals[at]);
      all.ids.push_back(piece.ids[at].empty() ? std::to_string(all.ids.size() + 1) : piece.ids[at]);
    }
  }
  return all;
}

std::string extension_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(dot + 1);
}

void check_placement_output(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension == "png" && !has_png()) write_picture(path, Svg(1, 1));  // says what to do
  for (const char* known : {"csv", "json", "svg", "png"}) {
    if (extension == known) return;
  }
  throw BadInput{fmt::format("Places for a base are written as .csv, .json, .svg or .png, not {}.", in_quotes(path))};
}

Json place_to_json(const Placements& p, const Place& place) {
  const Transform X = p.transform(place);
  const Quat r(X.rotation);
  Json json;
  json["position"] = numbers_to_json(X.position.data(), 3);
  json["quaternion"] = {r.x(), r.y(), r.z(), r.w()};
  json["heading"] = p.angle(place.heading);
  json["reached"] = p.reached(place);
  return json;
}

Json placements_to_json(const Placements& p, bool cells) {
  const WorkspaceGrid& grid = p.grid();
  Json json;
  json["model"] = p.problem().model.name();
  json["targets"] = p.targets().size();
  json["headings"] = p.headings();
  json["grid"] = grid_to_json(grid);
  int whole = 0;
  for (int cell = 0; cell < grid.size(); ++cell) {
    whole += p.reached(p.best_of(cell)) == static_cast<int>(p.targets().size()) ? 1 : 0;
  }
  json["cells_that_reach_all"] = whole;
  json["best"] = place_to_json(p, p.best());
  if (!cells) return json;
  json["columns"] = {"x", "y", "z", "heading", "reached"};
  Json rows = Json::array();
  for (int cell = 0; cell < grid.size(); ++cell) {
    for (int heading = 0; heading < p.headings(); ++heading) {
      const Place place{cell, heading};
      const Vec3 c = grid.center(cell);
      if (p.reached(place) > 0) rows.push_back({c.x(), c.y(), c.z(), p.angle(heading), p.reached(place)});
    }
  }
  json["places"] = std::move(rows);
  return json;
}

std::string placements_to_csv(const Placements& p) {
  std::string out = "x,y,z,heading,reached\n";
  for (int cell = 0; cell < p.grid().size(); ++cell) {
    for (int heading = 0; heading < p.headings(); ++heading) {
      const Vec3 c = p.grid().center(cell);
      out += fmt::format("{},{},{},{},{}\n", c.x(), c.y(), c.z(), p.angle(heading), p.reached({cell, heading}));
    }
  }
  return out;
}

// The floor from above: the share of the targets that the best heading reaches, the targets, and the best place.
Svg draw_placements(const Placements& p) {
  const WorkspaceGrid& grid = p.grid();
  const Place best = p.best();
  const double scale = 420.0 / (std::max(grid.count[0], grid.count[1]) * grid.cell);
  const Vec2 size(grid.count[0] * grid.cell * scale, grid.count[1] * grid.cell * scale);
  const Vec2 corner(62, 56);
  Svg svg(std::max(520.0, size.x() + 110), size.y() + 150, "Where to put " + p.problem().model.name());
  svg.text(Vec2(18, 24),
           fmt::format("{}: {} of {} targets from the best place", p.problem().model.name(), p.reached(best),
                       p.targets().size()),
           {14, ink::kText, "start", true, false, 0});
  const int layer = best.cell / grid.count[0] / grid.count[1];
  const auto share = [&](int cell) {
    const int reached = p.reached(p.best_of(cell));
    return reached == 0 ? -1.0 : static_cast<double>(reached) / static_cast<double>(p.targets().size());
  };
  draw_slice(svg, grid, share, {0, 1, 2, layer}, corner, scale);
  const auto on_paper = [&](const Vec3& v) {
    return Vec2(corner + Vec2((v.x() - grid.origin.x()) * scale, size.y() - (v.y() - grid.origin.y()) * scale));
  };
  for (const Goal& goal : p.targets()) {
    const auto* position = std::get_if<PositionGoal>(&goal);
    const Vec3 place = position != nullptr ? position->target : std::get<PoseGoal>(goal).target.position;
    svg.circle(on_paper(place), 2.5, {ink::kGoal, 1.0, "none", "", 1.0});
  }
  const Transform X = p.transform(best);
  const Vec2 at = on_paper(X.position);
  svg.circle(at, 5.0, {ink::kGoal, 1.6, ink::kGoal, "", 1.0});
  const Vec3 ahead = X * Vec3(28.0 / scale, 0, 0);
  svg.arrow(at, on_paper(ahead), Pen::line(ink::kGoal, 1.6));
  draw_share_scale(svg, Vec2(62, size.y() + 106), "share of the targets reached");
  svg.text(Vec2(62 + 200, size.y() + 132), "dot and arrow: the best place and its x axis",
           {11.5, ink::kText, "start", false, false, 0});
  return svg;
}

}  // namespace

void answer_base_for(const BaseForQuestion& question, const JobFlags& flags) {
  for (const std::string& path : question.out) check_placement_output(path);
  Scene scene = need(read_scene("{}", "", with_files(question.arguments)));
  NamedTargets targets = read_targets(question.targets, scene);
  Placements p = need(Placements::make(make_problem(scene), targets.goals, question.options));
  JobOptions job;
  job.threads = thread_count(flags);
  job.ranks = ranks_of(flags);
  job.checkpoint = !flags.checkpoint.empty() ? flags.checkpoint
                   : question.out.empty()    ? ""
                                             : question.out.front() + ".part";
  if (!is_first(job.ranks)) job.checkpoint.clear();
  job.resumed = [&](double fraction) { tell_resumed(job.checkpoint, fraction); };
  const auto begin = std::chrono::steady_clock::now();
  bool done = false;
  {
    const StopSignals signals;
    Progress progress("places ");
    job.progress = [&](double fraction) {
      progress.at(fraction);
      return StopSignals::received() == 0;
    };
    done = need(find_placements(p, job));
  }
  if (!is_first(job.ranks)) return;
  if (!done) quit_interrupted(job.checkpoint);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const std::string& path : question.out) {
    if (extension_of(path) == "csv") {
      write_output(path, placements_to_csv(p));
    } else if (extension_of(path) == "json") {
      write_output(path, placements_to_json(p, true).dump() + "\n");
    } else {
      write_picture(path, draw_placements(p));
    }
  }
  // The answers of the best place, with all the patience of a single solve.
  const Place best = p.best();
  const Transform base = p.transform(best);
  std::vector<Goal> seen;
  for (const Goal& goal : p.targets()) seen.push_back(p.seen_from(base, goal));
  const MatX starts = start_pose(scene.model).replicate(1, static_cast<Eigen::Index>(seen.size()));
  const BatchReport answers =
      solve_batch(p.problem(), seen, starts, [&] { return need(make_solver("auto")); }, {.threads = job.threads});
  std::vector<std::string> left;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (!answers.reports[k].ok()) left.push_back(targets.ids[k]);
  }
  const bool all = left.empty();
  if (question.json) {
    Json answer = placements_to_json(p, false);
    answer["best"]["reached"] = seen.size() - left.size();
    answer["best"]["not_reached"] = Json::array();
    for (const std::string& id : left) answer["best"]["not_reached"].push_back(Json::parse(id));
    answer["out"] = question.out;
    print_answer(answer, all);
    if (!all) throw Quit{kNotReached};
    return;
  }
  fmt::print("Best place for {}: {} of {} targets\n", bold(printable(scene.model.name())), seen.size() - left.size(),
             seen.size());
  fmt::print("  x, y, z          {}, {}, {}\n", pretty_number(base.position.x(), 4),
             pretty_number(base.position.y(), 4), pretty_number(base.position.z(), 4));
  fmt::print("  heading          {:.0f}° about z\n", p.angle(best.heading) / kDegree);
  fmt::print("  reach all        {} of {} cells of side {}\n",
             placements_to_json(p, false)["cells_that_reach_all"].dump(), p.grid().size(),
             pretty_number(p.grid().cell, 4));
  fmt::print("  time             {:.1f} s\n", seconds);
  for (const std::string& path : question.out) fmt::print("  written          {}\n", path);
  if (all) return;
  constexpr std::size_t kShown = 10;
  const std::size_t shown = std::min(kShown, left.size());
  fmt::print("  not reached      {}{}\n",
             fmt::join(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
             shown < left.size() ? fmt::format(" and {} more", left.size() - shown) : "");
  throw Quit{kNotReached};
}

}  // namespace armature::cli
