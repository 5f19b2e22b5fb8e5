// What track and animate say of the motion they made, and the files they write it to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/scene/scene.hpp"
#include "armature/solve/keep_clear.hpp"
#include "common.hpp"
#include "solving.hpp"

namespace armature::cli {

/// -o, as often as wanted, and --frame-rate.
void add_motion_flags(CLI::App& command, std::vector<std::string>& out, double& frame_rate);

/// --retime, --velocity-scale, --acceleration: another clock for the motion that was made.
struct RetimeFlags {
  bool retime = false;
  double velocity_scale = 1.0;
  std::string acceleration;
};
void add_retime_flags(CLI::App& command, RetimeFlags& flags);
/// The clock that the flags ask for, or `otherwise`.
std::optional<RetimeOptions> clock_of(const Model& model, const RetimeFlags& flags,
                                      std::optional<RetimeOptions> otherwise = {});

/// Frames, duration, the largest step, and where the motion leaves the model's limits (as notes).
Json motion_summary(const Model& model, const Clip& clip);

/// Says what touched and what still does: as "cleared" in the summary, and in words unless `json`.
void tell_clear(const ClearMotion& clear, Json& summary, bool json);
/// Where the flags ask for it, the motion moved out of what it touches.
std::optional<ClearMotion> clear_motion(const CollisionFlags& flags, const LoadedModel& loaded, Clip& clip,
                                        bool repair = true);

/// Writes the files (`trails`: links whose way a film strip shows) and prints the answer.
void finish_motion(const Scene& scene, const Clip& clip, const std::vector<std::string>& out, const std::string& trails,
                   Json summary, bool json, bool ok);

}  // namespace armature::cli
