// What only animations used that are written anew: their accessors, views and bytes are left out of the file.
// Everything else that nothing known refers to stays, and so does everything when an extension may refer to it.
#include <algorithm>
#include <string_view>
#include <utility>

#include "armature/formats/gltf_output.hpp"

namespace armature::inline v0_2 {
namespace {

// Extensions that name neither accessors nor views.
bool refers_to_no_data(std::string_view extension) {
  for (const std::string_view start : {"KHR_materials_", "KHR_texture_", "KHR_lights_", "VRM"}) {
    if (extension.substr(0, start.size()) == start) return true;
  }
  return false;
}

Json* member_of(Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() ? &*found : nullptr;
}

template <class Visit>
void each_in(Json& object, const char* key, Visit&& visit) {
  if (Json* list = member_of(object, key)) {
    for (Json& item : *list) visit(item);
  }
}
template <class Visit>
void visit_member(Json& object, const char* key, Visit&& visit) {
  if (Json* item = member_of(object, key)) visit(*item);
}

template <class Visit>
void each_accessor(Json& json, Visit&& visit) {
  each_in(json, "meshes", [&](Json& mesh) {
    each_in(mesh, "primitives", [&](Json& primitive) {
      each_in(primitive, "attributes", visit);
      visit_member(primitive, "indices", visit);
      each_in(primitive, "targets", [&](Json& target) {
        for (Json& index : target) visit(index);
      });
    });
  });
  each_in(json, "skins", [&](Json& skin) { visit_member(skin, "inverseBindMatrices", visit); });
  each_in(json, "animations", [&](Json& animation) {
    each_in(animation, "samplers", [&](Json& sampler) {
      visit_member(sampler, "input", visit);
      visit_member(sampler, "output", visit);
    });
  });
}

template <class Visit>
void each_view_of(Json& accessor, Visit&& visit) {
  visit_member(accessor, "bufferView", visit);
  visit_member(accessor, "sparse", [&](Json& sparse) {
    for (const char* part : {"indices", "values"}) {
      visit_member(sparse, part, [&](Json& data) { visit_member(data, "bufferView", visit); });
    }
  });
}

// Takes entries out of a list; new numbers of those that stay.
std::vector<std::size_t> take_out(Json& list, const std::vector<char>& gone) {
  std::vector<std::size_t> number(gone.size(), 0);
  Json kept = Json::array();
  for (std::size_t i = 0; i < gone.size(); ++i) {
    number[i] = kept.size();
    if (gone[i] == 0) kept.push_back(std::move(list[i]));
  }
  list = std::move(kept);
  return number;
}

// Bytes that no view of our buffer shows any more; views keep their alignment.
void close_gaps(GltfOutput& out, const std::vector<std::pair<std::size_t, std::size_t>>& freed) {
  std::vector<std::pair<std::size_t, std::size_t>> shown;  // first byte, end
  each_in(out.json, "bufferViews", [&](Json& view) {
    if (view["buffer"].get<std::size_t>() != 0) return;
    const std::size_t first = view.value("byteOffset", std::size_t{0});
    shown.emplace_back(first, first + view["byteLength"].get<std::size_t>());
  });
  std::sort(shown.begin(), shown.end());
  std::vector<std::pair<std::size_t, std::size_t>> gaps;  // inside what was freed, whole units of alignment
  for (const auto& [first, end] : freed) {
    std::size_t from = first;
    const auto close = [&](std::size_t to) {
      const std::size_t a = (from + 7) / 8 * 8;
      const std::size_t b = to / 8 * 8;
      if (b > a) gaps.emplace_back(a, b);
    };
    for (const auto& [show, hide] : shown) {
      if (show >= end) break;
      if (hide <= from) continue;
      if (show > from) close(show);
      from = std::max(from, hide);
    }
    if (from < end) close(end);
  }
  std::sort(gaps.begin(), gaps.end());
  std::string bytes;
  std::size_t from = 0;
  for (auto& [a, b] : gaps) {
    a = std::max(a, from);  // freed views may overlap
    if (b <= a) continue;
    bytes.append(out.buffer, from, a - from);
    from = b;
  }
  bytes.append(out.buffer, from, std::string::npos);
  out.buffer = std::move(bytes);
  each_in(out.json, "bufferViews", [&](Json& view) {
    if (view["buffer"].get<std::size_t>() != 0) return;
    const std::size_t first = view.value("byteOffset", std::size_t{0});
    std::size_t moved = first;
    for (const auto& [a, b] : gaps) moved -= a < first && b > a ? b - a : 0;
    if (moved != first) view["byteOffset"] = moved;
  });
}

}  // namespace

void drop_replaced_animation_data(const GltfExtra& extra, GltfOutput& out) {
  Json& json = out.json;
  for (const Json& extension : gltf_list(json, "extensionsUsed")) {
    if (!extension.is_string() || !refers_to_no_data(extension.get<std::string>())) return;
  }
  std::vector<char> gone(gltf_list(json, "accessors").size(), 0);
  for (const Json& animation : gltf_list(extra.file.json, "animations")) {
    for (const Json& sampler : animation["samplers"]) {
      for (const char* part : {"input", "output"}) gone[sampler[part].get<std::size_t>()] = 1;
    }
  }
  each_accessor(json, [&](Json& index) { gone[index.get<std::size_t>()] = 0; });
  if (std::find(gone.begin(), gone.end(), 1) == gone.end()) return;
  std::vector<char> gone_views(gltf_list(json, "bufferViews").size(), 0);
  for (const char taken : {1, 0}) {  // a view that another accessor or an image shows stays
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (gone[i] != taken) continue;
      each_view_of(json["accessors"][i], [&](Json& view) { gone_views[view.get<std::size_t>()] = taken; });
    }
  }
  each_in(json, "images", [&](Json& image) {
    visit_member(image, "bufferView", [&](Json& view) { gone_views[view.get<std::size_t>()] = 0; });
  });
  std::vector<std::pair<std::size_t, std::size_t>> freed;
  for (std::size_t i = 0; i < gone_views.size(); ++i) {
    const Json& view = json["bufferViews"][i];
    if (gone_views[i] == 0 || view["buffer"].get<std::size_t>() != 0) continue;
    const std::size_t first = view.value("byteOffset", std::size_t{0});
    freed.emplace_back(first, first + view["byteLength"].get<std::size_t>());
  }
  const std::vector<std::size_t> accessors = take_out(json["accessors"], gone);
  each_accessor(json, [&](Json& index) { index = accessors[index.get<std::size_t>()]; });
  if (!gone_views.empty()) {
    const std::vector<std::size_t> views = take_out(json["bufferViews"], gone_views);
    const auto renumber = [&](Json& view) { view = views[view.get<std::size_t>()]; };
    each_in(json, "accessors", [&](Json& accessor) { each_view_of(accessor, renumber); });
    each_in(json, "images", [&](Json& image) { visit_member(image, "bufferView", renumber); });
  }
  close_gaps(out, freed);
}

}  // namespace armature::inline v0_2
