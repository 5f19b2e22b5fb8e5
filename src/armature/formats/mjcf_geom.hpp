// Shapes of MJCF bodies; used by mjcf.cpp.
#pragma once

#include <string>

#include "armature/formats/dropped.hpp"
#include "armature/formats/mjcf_settings.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

/// Adds the shape of a <geom> to `link`. Groups 3 and up, which MuJoCo does not draw, count as for collision. `frame`
/// is that of enclosing <frame> elements.
void read_mjcf_geom(XmlFields& x, MjcfSettings& settings, XmlRef element, const std::string& childclass,
                    const Transform& frame, Link& link, Linkage& linkage, Dropped& dropped, bool weigh);

}  // namespace armature::inline v0_2
