// The flags that drive a mechanism (--drive, --assembly, --trail), and what is shown of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "armature/draw/svg.hpp"
#include "armature/motion/drive.hpp"
#include "common.hpp"

namespace armature::cli {

struct DriveFlags {
  std::vector<std::string> drives;  // joint=value or joint=from..to
  std::vector<std::string> trails;  // LINK:x,y,z
  std::string pose;
  int frames = 100;
  int assembly = 0;
  int branch = 0;
};

/// --drive, --frames, --pose, --assembly and --branch.
void add_drive_flags(CLI::App& command, DriveFlags& flags);

/// A point of a link whose path is asked for.
struct TrailPoint {
  std::string name;  // as it was written
  int link;
  Vec3 point;
};
TrailPoint parse_trail(const Model& model, const std::string& text);

/// "crank=0..360deg": BadInput where it is no such thing. Without "..", `from` is empty.
DriveMove parse_drive(const Model& model, const std::string& text);
/// The question that the flags ask; the assembly is chosen here.
DriveOptions drive_options(const Model& model, const DriveFlags& flags, double frame_rate);
/// fk --drive: the pose with the drives at their values, everything else following from `q`.
VecX driven_pose(const Model& model, const std::vector<std::string>& drives, int assembly, const VecX& q);

Json drive_json(const Model& model, const DriveReport& report, const std::vector<TrailPoint>& trails);

/// A mechanism on paper, as textbooks show it: bars and plates, pivots on the ground, sliders; poses of the clip behind
/// it paler; the paths of points.
Svg draw_mechanism(const Model& model, const VecX& q, const Clip& clip, const std::vector<TrailPoint>& trails,
                   const std::string& title);

}  // namespace armature::cli
