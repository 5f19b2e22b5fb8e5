// A linkage that came from elsewhere as glTF: a node for each link, one skin over all of them, so that Blender makes an
// armature of it, and simple geometry, so that viewers show it.
#include <algorithm>
#include <cmath>

#include "armature/base/version.hpp"
#include "armature/formats/adapt.hpp"
#include "armature/formats/gltf_output.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

std::string unused_node_name(const GltfOutput& out, std::string name) {
  while (out.model.has_link(name)) name += "_";
  return name;
}

int gltf_material(GltfOutput& out, const std::array<double, 4>& color) {
  std::array<double, 4> c = color;
  for (double& part : c) part = std::isfinite(part) ? std::clamp(part, 0.0, 1.0) : 1.0;
  Json entry;
  entry["pbrMetallicRoughness"] = {{"baseColorFactor", c}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.7}};
  if (c[3] < 1.0) entry["alphaMode"] = "BLEND";
  out.json["materials"].push_back(std::move(entry));
  return static_cast<int>(out.json["materials"].size()) - 1;
}

Json gltf_primitive(GltfOutput& out, const GltfSurface& surface) {
  Json attributes;
  attributes["POSITION"] = out.add_floats(surface.positions, "VEC3", 3, kGltfVertices, true);
  if (!surface.lines) attributes["NORMAL"] = out.add_floats(surface.normals, "VEC3", 3, kGltfVertices);
  std::vector<float> weights;
  std::vector<std::uint16_t> wide;
  std::vector<std::uint8_t> narrow;
  for (const std::uint16_t joint : surface.joints) {
    weights.insert(weights.end(), {1.0f, 0.0f, 0.0f, 0.0f});
    wide.insert(wide.end(), {joint, 0, 0, 0});
    narrow.insert(narrow.end(), {static_cast<std::uint8_t>(joint), 0, 0, 0});
  }
  attributes["JOINTS_0"] = out.model.link_count() > 256 ? out.add_accessor(wide, {"VEC4", 4, 5123, kGltfVertices})
                                                        : out.add_accessor(narrow, {"VEC4", 4, 5121, kGltfVertices});
  attributes["WEIGHTS_0"] = out.add_floats(weights, "VEC4", 4, kGltfVertices);
  Json result;
  result["attributes"] = std::move(attributes);
  if (!surface.lines) result["indices"] = out.add_accessor(surface.indices, {"SCALAR", 1, 5125, kGltfIndices});
  result["mode"] = surface.lines ? 3 : 4;
  result["material"] = gltf_material(out, surface.color);
  return result;
}

void add_gltf_skin(GltfOutput& out, const std::vector<Transform>& rest) {
  std::vector<float> inverse;
  Json joints = Json::array();
  for (int i = 0; i < out.model.link_count(); ++i) {
    const Mat4 m = rest[static_cast<std::size_t>(i)].inverse().matrix();
    for (int k = 0; k < 16; ++k) inverse.push_back(static_cast<float>(m.data()[k]));
    joints.push_back(i);
  }
  const int matrices = out.add_floats(inverse, "MAT4", 16);
  out.json["skins"] = Json::array({{{"inverseBindMatrices", matrices}, {"skeleton", 0}, {"joints", joints}}});
  Json primitives = Json::array();
  for (const GltfSurface& surface : make_surfaces(out.model, rest, out.options.notes))
    primitives.push_back(gltf_primitive(out, surface));
  out.json["meshes"] = Json::array({{{"primitives", primitives}}});
  out.json["nodes"].push_back({{"name", unused_node_name(out, "figure")}, {"mesh", 0}, {"skin", 0}});
}

}  // namespace

void write_gltf_new(GltfOutput& out) {
  out.json = Json::object();
  out.json["asset"]["version"] = "2.0";
  out.json["asset"]["generator"] = "Armature " + std::string(version());
  out.json["scene"] = 0;
  const int links = out.model.link_count();
  // glTF's worlds have y up, ours z, unless the linkage says otherwise.
  const bool stands = has_y_up(out.document.linkage, out.model);
  out.json["scenes"] = Json::array({{{"name", to_utf8(out.model.name())}, {"nodes", {stands ? 0 : links + 1, links}}}});
  if (out.model.name().empty()) out.json["scenes"][0].erase("name");
  for (int i = 0; i < links; ++i) {
    Json node;
    node["name"] = to_utf8(out.model.link_name(i));
    for (int child = i + 1; child < out.model.subtree_end(i); child = out.model.subtree_end(child))
      node["children"].push_back(child);
    put_gltf_transform(node, out.model.joint(i).origin);
    out.json["nodes"].push_back(std::move(node));
    out.node_of_link.push_back(i);
    out.above.push_back(Mat3::Identity());
  }
  State state;
  forward(out.model, neutral_pose(out.model), state);
  add_gltf_skin(out, state.X_WL);
  if (!stands) {
    const double half = std::sqrt(0.5);
    out.json["nodes"].push_back(
        {{"name", unused_node_name(out, "z_up")}, {"rotation", {-half, 0.0, 0.0, half}}, {"children", {0}}});
  }
  if (const Result<Json> own = linkage_to_json(out.document.linkage); own.ok()) out.json["extras"]["armature"] = *own;
}

}  // namespace armature::inline v0_2
