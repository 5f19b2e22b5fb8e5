#include "workspace_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "armature/base/number.hpp"
#include "drawing.hpp"

namespace armature::cli {
namespace {

const char* workspace_unit(const Workspace& w) {
  static constexpr const char* kUnits[] = {"m^3", "m^2", "m", ""};
  return kUnits[w.grid().flat_count()];
}

// Light to dark as the share goes from 0 to 1; also readable in grey.
std::array<int, 3> shade(double share) {
  static constexpr double kStops[5][3] = {
      {224, 232, 240}, {158, 196, 222}, {84, 146, 190}, {32, 92, 150}, {10, 40, 92}};
  const double at = std::clamp(share, 0.0, 1.0) * 4.0;
  const int i = std::min(3, static_cast<int>(at));
  std::array<int, 3> rgb{};
  for (std::size_t k = 0; k < 3; ++k) {
    rgb[k] = static_cast<int>(std::lround(kStops[i][k] + (at - i) * (kStops[i + 1][k] - kStops[i][k])));
  }
  return rgb;
}
std::string shade_text(double share) {
  const auto [r, g, b] = shade(share);
  return fmt::format("#{:02x}{:02x}{:02x}", r, g, b);
}

// What a cell is coloured by: its dexterous share in steps of a twentieth, or one tint when that was not asked for.
double cell_share(const Workspace& w, int cell) {
  return w.options().orientations > 0 ? std::round(20.0 * w.dexterity(cell)) / 20.0 : 0.35;
}

double nice_step(double span) {
  const double raw = span / 6.0;
  const double decade = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 5.0}) {
    if (raw <= m * decade) return m * decade;
  }
  return 10.0 * decade;
}

}  // namespace

void draw_slice(Svg& svg, const WorkspaceGrid& grid, const std::function<double(int)>& share, const Slice& slice,
                const Vec2& corner, double scale) {
  const int nx = grid.count[slice.across];
  const int ny = grid.count[slice.up];
  const Vec2 size(nx * grid.cell * scale, ny * grid.cell * scale);
  const auto cell_at = [&](int x, int y) {
    int at[3];
    at[slice.across] = x;
    at[slice.up] = y;
    at[slice.through] = slice.layer;
    return grid.index(at[0], at[1], at[2]);
  };
  svg.rectangle(corner, size, {"none", 0.0, "#fafaf9", "", 1.0});
  const double side = grid.cell * scale;
  for (int y = 0; y < ny; ++y) {
    for (int x = 0; x < nx;) {
      const double here = share(cell_at(x, y));
      if (here < 0.0) {
        ++x;
        continue;
      }
      int end = x + 1;  // one rectangle for neighbours of one colour
      while (end < nx && share(cell_at(end, y)) == here) ++end;
      const std::string tint = shade_text(here);
      svg.rectangle(corner + Vec2(x * side, size.y() - (y + 1) * side), Vec2((end - x) * side, side),
                    {tint, 0.3, tint, "", 1.0});
      x = end;
    }
  }
  svg.rectangle(corner, size, {ink::kEdge, 0.9, "none", "", 1.0});
  const double left = grid.origin[slice.across];
  const double bottom = grid.origin[slice.up];
  const double step = nice_step(std::max(nx, ny) * grid.cell);
  for (double v = std::ceil(left / step) * step; v <= left + nx * grid.cell + 1e-9; v += step) {
    const Vec2 at = corner + Vec2((v - left) * scale, size.y());
    svg.line(at, at + Vec2(0, 4), Pen::line(ink::kEdge, 0.9));
    svg.text(at + Vec2(0, 16), pretty_number(std::abs(v) < 1e-9 ? 0.0 : v, 4),
             {10.5, ink::kSoft, "middle", false, false, 0.0});
  }
  for (double v = std::ceil(bottom / step) * step; v <= bottom + ny * grid.cell + 1e-9; v += step) {
    const Vec2 at = corner + Vec2(0, size.y() - (v - bottom) * scale);
    svg.line(at, at - Vec2(4, 0), Pen::line(ink::kEdge, 0.9));
    svg.text(at + Vec2(-7, 4), pretty_number(std::abs(v) < 1e-9 ? 0.0 : v, 4),
             {10.5, ink::kSoft, "end", false, false, 0.0});
  }
  static constexpr const char* kAxes[] = {"x", "y", "z"};
  svg.text(corner + Vec2(0.5 * size.x(), size.y() + 31), kAxes[slice.across],
           {12, ink::kText, "middle", false, true, 0});
  svg.text(corner + Vec2(-38, 0.5 * size.y() + 4), kAxes[slice.up], {12, ink::kText, "middle", false, true, 0});
  const Vec2 base = corner + Vec2(-left * scale, size.y() + bottom * scale);  // the base's origin
  if (base.x() > corner.x() && base.x() < corner.x() + size.x() && base.y() > corner.y() &&
      base.y() < corner.y() + size.y()) {
    for (const Vec2& d : {Vec2(5, 0), Vec2(0, 5)}) svg.line(base - d, base + d, Pen::line(ink::kGoal, 1.4));
  }
  if (!grid.flat[slice.through]) {
    const double value = grid.origin[slice.through] + (slice.layer + 0.5) * grid.cell;
    svg.text(corner + Vec2(0.5 * size.x(), -7), fmt::format("{} = {}", kAxes[slice.through], pretty_number(value, 3)),
             {12, ink::kText, "middle", false, false, 0});
  }
}

void draw_share_scale(Svg& svg, const Vec2& corner, const std::string& text) {
  for (int i = 0; i <= 20; ++i) {
    svg.rectangle(corner + Vec2(9 * i, 0), Vec2(9, 11), {shade_text(i / 20.0), 0.3, shade_text(i / 20.0), "", 1.0});
  }
  svg.text(corner + Vec2(0, 24), "0", {10.5, ink::kSoft, "start", false, false, 0});
  svg.text(corner + Vec2(189, 24), "1", {10.5, ink::kSoft, "end", false, false, 0});
  svg.text(corner + Vec2(200, 10), text, {11.5, ink::kText, "start", false, false, 0});
}

namespace {

// The layer that holds the middle of the reachable cells.
int middle_layer(const Workspace& w, int axis) {
  double sum = 0.0;
  int cells = 0;
  for (int cell = 0; cell < w.grid().size(); ++cell) {
    if (!w.reachable(cell)) continue;
    sum += w.grid().center(cell)[axis];
    ++cells;
  }
  if (cells == 0 || w.grid().flat[axis]) return 0;
  const int layer = static_cast<int>(std::floor((sum / cells - w.grid().origin[axis]) / w.grid().cell));
  return std::clamp(layer, 0, w.grid().count[axis] - 1);
}

}  // namespace

Json grid_to_json(const WorkspaceGrid& grid) {
  return {{"origin", numbers_to_json(grid.origin.data(), 3)},
          {"cell", grid.cell},
          {"count", {grid.count[0], grid.count[1], grid.count[2]}}};
}

Json workspace_to_json(const Model& model, const Workspace& w, bool cells) {
  const WorkspaceOptions& o = w.options();
  const WorkspaceGrid& grid = w.grid();
  Json json;
  json["model"] = model.name();
  json["tip"] = model.link_name(w.tip());
  json["base"] = w.base() == kWorld ? "world" : model.link_name(w.base());
  json["point"] = numbers_to_json(o.point.data(), 3);
  json["seed"] = o.seed;
  json["samples"] = o.samples;
  json["orientations"] = o.orientations;
  json["grid"] = grid_to_json(grid);
  json["reachable_cells"] = w.reachable_cells();
  json["volume"] = w.volume();
  json["sampled_volume"] = w.sampled_volume();
  json["unit"] = workspace_unit(w);
  if (o.orientations > 0) json["mean_dexterity"] = w.mean_dexterity();
  if (!cells) return json;
  json["columns"] = {"x", "y", "z", "hits", "dexterity"};
  Json list = Json::array();
  for (int cell = 0; cell < grid.size(); ++cell) {
    if (!w.reachable(cell)) continue;
    const Vec3 c = grid.center(cell);
    list.push_back({c.x(), c.y(), c.z(), w.hits(cell), w.dexterity(cell)});
  }
  json["reachable"] = std::move(list);
  return json;
}

std::string workspace_to_csv(const Workspace& w) {
  std::string out = "x,y,z,hits,reachable,dexterity\n";
  for (int cell = 0; cell < w.grid().size(); ++cell) {
    if (!w.reachable(cell) && w.hits(cell) == 0) continue;
    const Vec3 c = w.grid().center(cell);
    out += fmt::format("{},{},{},{},{},{}\n", c.x(), c.y(), c.z(), w.hits(cell), w.reachable(cell) ? 1 : 0,
                       w.dexterity(cell));
  }
  return out;
}

std::string workspace_to_ply(const Model& model, const Workspace& w) {
  std::string out = fmt::format(
      "ply\nformat ascii 1.0\ncomment reachable cells of {}, link {}; side of a cell {}\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\n"
      "property uchar blue\nproperty float dexterity\nend_header\n",
      model.name(), model.link_name(w.tip()), w.grid().cell, w.reachable_cells());
  for (int cell = 0; cell < w.grid().size(); ++cell) {
    if (!w.reachable(cell)) continue;
    const Vec3 c = w.grid().center(cell);
    const auto [r, g, b] = shade(cell_share(w, cell));
    out += fmt::format("{:.7g} {:.7g} {:.7g} {} {} {} {:.7g}\n", c.x(), c.y(), c.z(), r, g, b, w.dexterity(cell));
  }
  return out;
}

Svg draw_workspace(const Model& model, const Workspace& w) {
  const WorkspaceGrid& grid = w.grid();
  std::vector<Slice> slices;
  if (grid.flat_count() > 0) {
    const int normal = grid.flat[2] ? 2 : grid.flat[1] ? 1 : 0;
    slices.push_back({normal == 0 ? 1 : 0, normal == 2 ? 1 : 2, normal, 0});
  } else {
    slices = {{0, 2, 1, middle_layer(w, 1)}, {1, 2, 0, middle_layer(w, 0)}, {0, 1, 2, middle_layer(w, 2)}};
  }
  double widest = 0.0;
  double highest = 0.0;
  for (const Slice& s : slices) {
    widest = std::max(widest, grid.count[s.across] * grid.cell);
    highest = std::max(highest, grid.count[s.up] * grid.cell);
  }
  const double room = slices.size() == 1 ? 420.0 : 270.0;
  const double scale = room / std::max(widest, highest);
  const double cell_width = widest * scale + 62;
  const bool dexterous = w.options().orientations > 0;
  const double width = std::max(420.0, 24 + cell_width * static_cast<double>(slices.size()));
  const double height = 64 + highest * scale + 44 + (dexterous ? 44 : 0);
  const std::string unit = grid.flat_count() == 0 ? "m³" : grid.flat_count() == 1 ? "m²" : "m";
  Svg svg(width, height, "Workspace of " + model.name());
  std::string title = fmt::format("{}, {}: {} {} within reach", model.name(), model.link_name(w.tip()),
                                  pretty_number(w.volume(), 4), unit);
  if (dexterous) title += fmt::format(", {:.0f} % of orientations", 100.0 * w.mean_dexterity());
  svg.text(Vec2(18, 24), title, {14, ink::kText, "start", true, false, 0});
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const double own = grid.count[slices[i].across] * grid.cell * scale;
    const double high = grid.count[slices[i].up] * grid.cell * scale;
    const Vec2 corner(12 + cell_width * static_cast<double>(i) + 50 + 0.5 * (widest * scale - own),
                      56 + 0.5 * (highest * scale - high));
    draw_slice(
        svg, grid, [&](int cell) { return w.reachable(cell) ? cell_share(w, cell) : -1.0; }, slices[i], corner, scale);
  }
  if (dexterous) {
    draw_share_scale(svg, Vec2(62, height - 34), "share of orientations that can be taken");
  }
  return svg;
}

}  // namespace armature::cli
