// What retargeting needs around it on every surface: a target that can travel, reference poses, and the report as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/motion/retarget.hpp"
#include "armature/scene/json_text.hpp"
#include "armature/scene/load.hpp"

namespace armature::inline v0_2 {

/// make_travelling() of motion/retarget.hpp, with the motions of the file.
Result<LoadedModel> make_travelling(LoadedModel target, bool float_root, std::vector<std::string>& notes);

/// A reference pose: a pose as parse_pose reads it, or "frame=N" of the clip. "": none.
Result<VecX> reference_pose(const Model& model, const Clip* clip, std::string_view text,
                            std::vector<std::string>& notes);

/// {"leg_direction": ..., "slide": ..., ...}: angles in radians, lengths in leg lengths.
void write_retarget_report(JsonText& json, const RetargetReport& report);

}  // namespace armature::inline v0_2
