// The ways in which a mechanism can be put together with its drives where they are.
//
// Group after group (loop_blocks.hpp) by seeded starts, until every pose that was seen was seen twice (Good, Turing):
// on 100 random platforms that found all of their 497 modes, as a homotopy confirmed. Poses from which a group can move
// on with its drives still lie on a family of poses and are no modes; nor are those that break limits. Modes are told
// apart by where links are, not by q: a universal joint takes one direction in two ways.
#pragma once

#include <string>
#include <vector>

#include "armature/kinematics/assemble.hpp"

namespace armature::inline v0_2 {

struct ModesOptions {
  int max_modes = 64;     // poses that are listed
  int max_starts = 2000;  // per group and per way to put the groups before it together
};

struct AssemblyModes {
  std::vector<VecX> q;    // one pose per mode; the first is the one given, where it is assembled
  bool complete = false;  // nothing was left out
  double count = 0.0;     // of modes: those listed, or the product over the groups where there are more
  int families = 0;       // groups in which poses with freedom of their own were met
  bool limited = false;   // others were left out because they break limits
};

/// `held`: per velocity, non-zero for the drives. Links whose frames tell modes apart: the effectors that the linkage
/// names, else all links of the loops.
AssemblyModes assembly_modes(const Model& model, const VecX& q, std::span<const char> held,
                             const ModesOptions& options = {});
/// With the drives of the model, or those chosen by analyze_mechanism().
AssemblyModes assembly_modes(const Model& model, const VecX& q, const ModesOptions& options = {});

}  // namespace armature::inline v0_2
