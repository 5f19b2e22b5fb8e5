#include "skin.hpp"

#include "convert.hpp"

namespace armature::js {

val skin_list(const Document&, const Model&) { return val::array(); }

}  // namespace armature::js
