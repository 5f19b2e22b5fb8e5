// Clip tools as words: `trim 1..2.5`, `loop 0.3`, `concat run.bvh,blend=0.2`. The same words on every surface; each is
// one function of motion/clips.hpp.
//
// To add one: a line in kTools of clip_text.cpp.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armature/motion/clips.hpp"
#include "armature/scene/json_text.hpp"

namespace armature::inline v0_2 {

struct ClipTool {
  const char* name;
  const char* argument;  // "A..B", "[SECONDS]" where it may be left out; "": takes none
  const char* doc;
};

/// The tools there are, in the order in which help shows them.
std::span<const ClipTool> clip_tools();

/// How `concat` and `layer` get their other motion, by path.
using ClipLoader = std::function<Result<Clip>(const std::string& name)>;

/// A clip on its way through the tools.
struct ClipWork {
  Model model;
  Clip clip;
  Vec3 up = Vec3::Zero();                 // of the world; zero: the figure's own
  std::vector<clips::GroundMove> travel;  // that `in_place` took out, one row per frame
  std::optional<Keyframes> keys;          // that `reduce` found, while nothing else followed
  std::vector<std::string> notes;
};

/// Uses one tool, or leaves the clip as it was and says why. Dashes and underscores of the name are the same.
Status apply_clip_tool(ClipWork& work, std::string_view tool, std::string_view argument, const ClipLoader& load);

/// {"frames": ..., "duration": ..., "travel": ..., "joints": {...}, "stances": [...], ...}
void write_stats(JsonText& json, const Model& model, const clips::ClipStats& stats);
/// {"interpolation": "linear", "joints": {joint: [{"time": ..., "value": ...}]}}: what a scene holds under "keys".
void write_keys(JsonText& json, const Model& model, const Keyframes& keys);

}  // namespace armature::inline v0_2
