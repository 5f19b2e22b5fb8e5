#include "motion_tools.hpp"

#include <cmath>

#include "armature/motion/clips.hpp"
#include "armature/scene/clip_text.hpp"
#include "armature/solve/workspace.hpp"

namespace armature::js {
namespace {

constexpr int kMostCells = 400;
constexpr int kMostPoses = 10000000;

int count_of(const val& options, const char* name, int least, int most, int usual) {
  const val given = options[name];
  if (given.isUndefined()) return usual;
  return integer_of(given.isNumber() ? given.as<double>() : NAN, least, most, name);
}

Vec3 point_of(const val& list, const char* what) {
  const std::vector<double> numbers = numbers_of(list, what);
  const bool finite = numbers.size() == 3 && std::isfinite(numbers[0] + numbers[1] + numbers[2]);
  if (!finite) throw ArgumentError{std::string(what) + " holds 3 finite numbers."};
  return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace

val clip_tool(const ModelHandle& model, const val& clip, const std::string& tool, const std::string& argument,
              const val& other) {
  ClipWork work;
  work.model = model.model();
  work.clip = clip_of(clip, model.model());
  const ClipLoader load = [&](const std::string& name) -> Result<Clip> {
    if (other.isUndefined()) return Error{"there is no motion " + name + " here."};
    return clip_of(other, model.model());
  };
  need(apply_clip_tool(work, tool, argument, load));
  val out = val::object();
  out.set("clip", clip_value(work.clip));
  out.set("notes", string_array(work.notes));
  return out;
}

std::string clip_stats(const ModelHandle& model, const val& clip) {
  JsonText json;
  write_stats(json, model.model(), clips::stats(model.model(), clip_of(clip, model.model())));
  return json.text();
}

val workspace_of(const ModelHandle& handle, const val& given) {
  WorkspaceOptions options;
  if (!given["tip"].isUndefined()) options.tip = text_of(given["tip"], "tip");
  if (!given["base"].isUndefined()) options.base = text_of(given["base"], "base");
  if (!given["point"].isUndefined()) options.point = point_of(given["point"], "point");
  options.cells = count_of(given, "cells", 1, kMostCells, 20);
  options.samples = count_of(given, "samples", 0, kMostPoses, options.samples);
  options.orientations = count_of(given, "orientations", 0, 10000, 0);
  if (given["seed"].isNumber()) options.seed = seed_of(given["seed"].as<double>());
  if (const val region = given["region"]; !region.isUndefined()) {
    if (!region.isArray() || region["length"].as<int>() != 2) throw ArgumentError{"region holds two corners."};
    options.region_lower = point_of(region[0], "region");
    options.region_upper = point_of(region[1], "region");
  }
  if (!given["cone"].isUndefined()) options.cone = number_of(given["cone"], "cone");
  if (!given["cone_axis"].isUndefined()) options.cone_axis = point_of(given["cone_axis"], "cone_axis");
  Workspace space = need(Workspace::make(handle.model(), options));
  Workspace::Worker worker;
  while (space.phase() != Workspace::Phase::done) {
    const Workspace::Phase phase = space.phase();
    const int chunks = space.chunk_count();
    for (int chunk = 0; chunk < chunks && space.phase() == phase; ++chunk) space.merge(chunk, space.run(chunk, worker));
  }
  const WorkspaceGrid& grid = space.grid();
  std::vector<double> reachable, dexterity;
  for (int cell = 0; cell < grid.size(); ++cell) {
    reachable.push_back(space.reachable(cell) ? 1.0 : 0.0);
    if (options.orientations > 0) dexterity.push_back(space.dexterity(cell));
  }
  val shape = val::object();
  shape.set("origin", val::global("Array").call<val>("from", view_of(grid.origin.data(), 3)));
  shape.set("cell", grid.cell);
  val counts = val::array();
  for (const int n : grid.count) counts.call<void>("push", n);
  shape.set("count", counts);
  val out = val::object();
  out.set("tip", handle.model().link_name(space.tip()));
  out.set("base", space.base() == kWorld ? std::string("world") : handle.model().link_name(space.base()));
  out.set("grid", shape);
  out.set("reachable", val::global("Uint8Array").call<val>("from", view_of(reachable.data(), reachable.size())));
  out.set("dexterity", copy_of(dexterity));
  out.set("reachable_cells", space.reachable_cells());
  out.set("volume", space.volume());
  out.set("sampled_volume", space.sampled_volume());
  out.set("mean_dexterity", options.orientations > 0 ? space.mean_dexterity() : 0.0);
  return out;
}

}  // namespace armature::js
