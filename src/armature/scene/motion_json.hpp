// Motion in a scene: the path that a goal's target takes, and key poses (docs/formats/motion_files.md).
#pragma once

#include <optional>

#include "armature/motion/keyframes.hpp"
#include "armature/scene/goal_json.hpp"

namespace armature::inline v0_2 {

/// The object under a goal's `path`, into the goal. `has_target`: the goal also names a target, which a line without
/// points leads to.
bool read_path(JsonFields& fields, Value value, bool has_target, const GoalContext& context, Goal& goal);

void write_path(JsonText& json, const Path& path);

/// What lies under key poses, and on top of them: see animate.hpp.
struct KeyLayers {
  struct KeyedGoal {
    std::string goal;
    bool place = false, turn = false;  // which parts of its target are keyed
    int q_index = 0;                   // of the target in a pose of `targets`
  };
  std::vector<KeyedGoal> goals{};
  std::optional<Keyframes> targets{};              // of them: a free joint each, by the goal's name
  std::optional<std::vector<std::string>> clip{};  // the motion of the model's file, through these tools ("trim 1..2")
  double weight = 1.0;                             // of the key poses on top of that motion
  double goal_weight = 1.0;                        // of the goals on top of both
  double fade = 0.0;                               // seconds before the first and after the last key; 0: keys hold
  double duration = 0.0;                           // seconds from 0; 0: from the first key to the last
};

/// The object under `keys`.
bool read_keys(JsonFields& fields, Value value, const Model& model, std::vector<std::string>& notes, Keyframes& keys,
               KeyLayers& layers);

}  // namespace armature::inline v0_2
