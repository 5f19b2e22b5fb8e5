#include "armature/model/linkage.hpp"

#include <algorithm>

namespace armature::inline v0_2 {
namespace {
template <class Items>
auto* find_named(Items& items, std::string_view name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  return it != items.end() ? &*it : nullptr;
}
}  // namespace

const Link* Linkage::find_link(std::string_view n) const { return find_named(links, n); }
const Joint* Linkage::find_joint(std::string_view n) const { return find_named(joints, n); }
const Geometry* Linkage::find_geometry(std::string_view n) const { return find_named(geometries, n); }
Link* Linkage::find_link(std::string_view n) { return find_named(links, n); }
Joint* Linkage::find_joint(std::string_view n) { return find_named(joints, n); }

const Joint* Linkage::joint_above(std::string_view link) const {
  const auto it = std::find_if(joints.begin(), joints.end(), [&](const Joint& j) { return j.child == link; });
  return it != joints.end() ? &*it : nullptr;
}

}  // namespace armature::inline v0_2
