#include "skin.hpp"

#include "armature/formats/skin.hpp"
#include "convert.hpp"

namespace armature::js {

val skin_list(const Document& document, const Model& model) {
  val list = val::array();
  for (const Surface& surface : surfaces(document, model)) {
    val entry = val::object();
    entry.set("name", surface.name);
    entry.set("positions", copy_of(surface.positions));
    if (!surface.normals.empty()) entry.set("normals", copy_of(surface.normals));
    entry.set("indices", copy_of(surface.indices));
    if (!surface.joints.empty()) {
      entry.set("joints", copy_of(surface.joints));
      entry.set("weights", copy_of(surface.weights));
    }
    val links = val::array();
    for (const int link : surface.links) links.call<void>("push", link);
    entry.set("links", links);
    entry.set("inverse_bind", copy_of(surface.inverse_bind));
    entry.set("link", surface.link);
    if (surface.color) entry.set("color", number_array(surface.color->data(), 4));
    list.call<void>("push", entry);
  }
  return list;
}

}  // namespace armature::js
