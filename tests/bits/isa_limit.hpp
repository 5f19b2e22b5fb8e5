// The widest instruction set that the library may use in this program; to be set before the first model is made.
#pragma once

#include "armature/base/isa.hpp"

namespace armature::bits {

Isa& isa_limit();
bool machine_has(Isa isa);

}  // namespace armature::bits
