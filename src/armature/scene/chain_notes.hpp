// Which equations the chains of a model have, for people: the class that `info` shows, and the note when a file's
// rounded angles hide a better one.
#pragma once

#include <string>
#include <vector>

#include "armature/kinematics/analysis.hpp"
#include "armature/scene/load.hpp"

namespace armature::inline v0_2 {

/// The chain from the world to an effector; `analysis` or the sentence why there is none.
struct ChainNote {
  int tip = 0;
  Result<ChainAnalysis> analysis;
};
/// Of the model's effectors, the first few.
std::vector<ChainNote> chain_notes(const Model& model, bool closed_only = false);

/// One sentence when a chain of the model would be of another class with `exact_angles`: it is read once more. `name`:
/// what open_model() was given.
std::vector<std::string> exact_angles_notes(const Model& model, const std::string& name, const ReadOptions& read);

}  // namespace armature::inline v0_2
