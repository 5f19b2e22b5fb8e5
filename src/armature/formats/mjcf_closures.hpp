// Constraints of an MJCF model that close loops.
#pragma once

#include <string>
#include <unordered_map>

#include "armature/formats/xml.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

/// Pose of a link in the world as the file stands: with every joint at its reference (0 where it has none).
Transform mjcf_frame(const Linkage& linkage, std::string link,
                     const std::unordered_map<std::string, double>& references);

/// <connect> as a spherical closure, <weld> as a fixed one. With an `anchor` (and a weld without relpose) frame b is
/// where body 2 stands in the file, i.e. with every joint at its reference. `references`: MuJoCo's coordinate of each
/// joint there. False where the element is of another kind; mistakes go to `fields`.
bool read_mjcf_closure(XmlFields& fields, XmlRef item, const std::unordered_map<std::string, double>& references,
                       Linkage& linkage);

/// <joint> with a bent polynomial: joint1 - ref1 = sum c_k (joint2 - ref2)^k, multiplied out. Returns the polynomial.
Coupling mjcf_coupling(const std::string& joint, double joint_reference, const std::string& source,
                       double source_reference, const double c[5]);

/// "pin", then "pin_2", ...: a name that no closure and no joint has.
std::string fresh_closure_name(const Linkage& linkage, const std::string& name);

}  // namespace armature::inline v0_2
