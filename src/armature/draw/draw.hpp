// Pictures of models as SVG: a pose, a film strip, onion skins, with trails, goals and the ranges of joints. The
// command line and Python draw with it.
//
//   const Svg picture = draw(model, q, {.goals = {{0.4, 0.2, 0.5}}}).value();
//   picture.str();
#pragma once

#include <map>
#include <string>
#include <vector>

#include "armature/draw/svg.hpp"
#include "armature/motion/clip.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"

namespace armature::inline v0_2 {

/// A point of a link, in its frame: {"coupler", {1.4, 1.2, 0}}.
struct LinkPoint {
  LinkRef link{};
  Vec3 point = Vec3::Zero();
};

struct DrawOptions {
  std::vector<int> at{};  // frames of a motion to draw; empty: evenly spaced ones
  int strip = 0;          // so many frames side by side; of a motion without at, strip and onion: the first frame
  int onion = 0;          // so many frames on top of each other, older ones paler
  int columns = 0;        // panels in a row; 0: at most 8
  double size = 0.0;      // longer side of a panel, SVG units; 0: 460, side by side 190
  std::vector<LinkPoint> trail{};  // points whose way is drawn
  std::vector<Vec3> goals{};       // markers, in the world
  std::string view{};   // "top", "front", "side", "oblique", or "azimuth,elevation" in degrees; "": top for models in a
                        // plane, else oblique
  std::string style{};  // "sticks" or "shapes"; "": shapes where the model has some
  std::string title{};  // a line above the picture
  std::string up{};     // "y" or "z"; "": as a figure with legs stands, else as the linkage says
  std::map<std::string, std::vector<Vec3>> meshes{};  // outlines of mesh files (drawing::load_mesh_points)
  bool limits = false;                                // ranges of hinges as sectors
  bool labels = false;                                // names of joints
  bool follow = false;                                // a figure that travels stays in the middle of its panel
};

/// The error says which option is wrong.
Result<Svg> draw(const Model& model, const VecX& q, const DrawOptions& options = {});
Result<Svg> draw(const Model& model, const Clip& clip, const DrawOptions& options = {});
Result<Svg> draw(const Clip& clip, const DrawOptions& options = {});  // which knows its model
/// The pose of a report, with the places that the problem's goals name as markers.
Result<Svg> draw(const Problem& problem, const VecX& q, DrawOptions options = {});

/// Writes an .svg, whole or not at all.
Result<std::vector<std::string>> save(const std::string& path, const Svg& picture);

/// The frames that would be drawn of so many.
Result<std::vector<int>> drawn_frames(const DrawOptions& options, int frame_count);

}  // namespace armature::inline v0_2
