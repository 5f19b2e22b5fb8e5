// A linkage on paper: where the viewer stands, and its links as sticks or as their own shapes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/draw/shapes.hpp"
#include "armature/kinematics/state.hpp"
#include "armature/model/model.hpp"
#include "armature/scene/load.hpp"

namespace armature::drawing {

/// A viewer infinitely far away (orthographic): world to plane, and how near things are.
struct Camera {
  Vec3 right = Vec3::UnitX();
  Vec3 up = Vec3::UnitY();
  Vec3 towards = Vec3::UnitZ();  // from the scene to the viewer
  Vec3 floor_normal = Vec3::UnitZ();
  bool looks_down = true;  // the floor is seen from above at some angle

  Vec2 flat(const Vec3& p) const { return {right.dot(p), up.dot(p)}; }
  double nearness(const Vec3& p) const { return towards.dot(p); }
};

/// "top", "front", "side", "oblique", or "azimuth,elevation" in degrees. The error says so.
Result<Camera> camera_named(const std::string& name, bool y_up);

/// Points of the meshes that a model shows, by their uri: those farthest out, which its outline needs.
using MeshPoints = std::map<std::string, std::vector<Vec3>>;
/// What cannot be read is told in `notes`, once.
MeshPoints load_mesh_points(const Model& model, const Beside& beside, std::vector<std::string>& notes);

/// Whether the model can be drawn by its shapes: most of them are no meshes, or meshes that could be read.
bool has_shapes(const Model& model, const MeshPoints& meshes);

struct FigureStyle {
  bool sticks = true;
  double width = 8.0;   // of a stick, pixels
  double pale = 0.0;    // 0 as it is, 1 white
  bool ground = false;  // a stand below the root
  bool limits = false;  // ranges of hinges as sectors
  bool labels = false;  // names of joints
  const MeshPoints* meshes = nullptr;
  bool bones_only = false;  // room for bones and shapes, not for nodes above them that stand elsewhere
};

/// Draws the model at `state`, moved by `shift` (world), nearest parts last.
void draw_figure(Svg& svg, const Model& model, const State& state, const VecX& q, const Camera& camera,
                 const View& view, const Vec3& shift, const FigureStyle& style);

/// Adds what draw_figure covers.
void add_figure(Bounds& bounds, const Model& model, const State& state, const VecX& q, const Camera& camera,
                const Vec3& shift, const FigureStyle& style);

}  // namespace armature::drawing
