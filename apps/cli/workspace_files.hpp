// A finished workspace as PLY, CSV, JSON and as a picture.
#pragma once

#include <functional>
#include <string>

#include "armature/draw/svg.hpp"
#include "armature/solve/workspace.hpp"
#include "output.hpp"

namespace armature::cli {

/// Corner of the first cell, side of a cell, cells along each axis.
Json grid_to_json(const WorkspaceGrid& grid);
/// Numbers of the whole; `cells`: every reachable cell too.
Json workspace_to_json(const Model& model, const Workspace& workspace, bool cells);
/// x, y, z, hits, reachable, dexterity of every cell that was hit or can be reached.
std::string workspace_to_csv(const Workspace& workspace);
/// Centres of reachable cells as points, coloured by dexterity.
std::string workspace_to_ply(const Model& model, const Workspace& workspace);
/// A flat workspace as it is, one in space as three slices through its middle.
Svg draw_workspace(const Model& model, const Workspace& workspace);

/// One layer of a grid: which axes lie across and up, and which is looked along.
struct Slice {
  int across, up, through;
  int layer;
};
/// The cells of a layer, shaded by their share (0 to 1; negative: left out), with axes.
void draw_slice(Svg& svg, const WorkspaceGrid& grid, const std::function<double(int cell)>& share, const Slice& slice,
                const Vec2& corner, double scale);
/// What the shades mean.
void draw_share_scale(Svg& svg, const Vec2& corner, const std::string& text);

}  // namespace armature::cli
