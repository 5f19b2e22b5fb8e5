// What a mechanism can do, as every surface says it.
#pragma once

#include <optional>
#include <vector>

#include "armature/kinematics/assembly_modes.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/motion/drive.hpp"
#include "armature/scene/json_text.hpp"

namespace armature::inline v0_2 {

struct MechanismAnswer {
  MechanismReport report;
  std::optional<AssemblyModes> modes;
  std::optional<std::vector<ModeCircuit>> circuits;
};

/// At `q`, or at an assembled pose found from there; with modes and circuits only where it assembles.
MechanismAnswer describe_mechanism(const Model& model, const VecX& q, bool modes, bool circuits);

/// The members of an object that is open.
void write_mechanism(JsonText& json, const Model& model, const MechanismAnswer& answer);

}  // namespace armature::inline v0_2
