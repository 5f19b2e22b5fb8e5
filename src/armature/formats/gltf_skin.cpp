// Meshes and skins of a glTF file as surfaces on the links of its model. Scales of nodes, which links do not have, are
// worked into the vertices (rigid meshes) or into the inverse bind matrices (skins).
#include <algorithm>
#include <cmath>

#include "armature/formats/gltf.hpp"
#include "armature/formats/skin.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kTriangles = 4, kTriangleStrip = 5, kTriangleFan = 6;

class SurfaceReader {
 public:
  SurfaceReader(const GltfExtra& extra, const Model& model) : extra_(extra), json_(extra.file.json), model_(model) {}

  std::vector<Surface> read() {
    for (const int n : extra_.tree.order) {
      const Json& node = gltf_list(json_, "nodes")[static_cast<std::size_t>(n)];
      const int mesh = gltf_index(node, "mesh");
      if (mesh >= 0) add_mesh(n, gltf_list(json_, "meshes")[static_cast<std::size_t>(mesh)], gltf_index(node, "skin"));
    }
    return std::move(surfaces_);
  }

 private:
  int link_of(int node) const {
    const std::string& name = extra_.tree.nodes[static_cast<std::size_t>(node)].link;
    return model_.lookup_link(name).value_or(-1);
  }

  void add_mesh(int node, const Json& mesh, int skin) {
    for (const Json& primitive : mesh["primitives"]) {
      Surface surface;
      surface.name = gltf_name(gltf_list(json_, "nodes")[static_cast<std::size_t>(node)], "node", 0);
      surface.link = link_of(node);
      if (surface.link < 0 || !read_vertices(primitive, surface)) continue;
      if (skin < 0 || !read_influences(primitive, skin, surface)) stretch(node, surface);
      read_color(primitive, surface);
      surfaces_.push_back(std::move(surface));
    }
  }

  // Numbers of an attribute with `width` components a vertex; none when it is absent or not of that kind.
  std::vector<double> attribute(const Json& primitive, const char* name, int width) const {
    const int accessor = gltf_index(primitive["attributes"], name);
    if (accessor < 0 || !accessor_present(extra_.file, accessor)) return {};
    const Json& json = gltf_list(json_, "accessors")[static_cast<std::size_t>(accessor)];
    return component_count(json) == width ? read_accessor(extra_.file, accessor) : std::vector<double>{};
  }

  bool read_vertices(const Json& primitive, Surface& surface) const {
    const Json* given = gltf_member(primitive, "mode");
    const int mode = given != nullptr && given->is_number_integer() ? given->get<int>() : kTriangles;
    if (mode < kTriangles || mode > kTriangleFan) return false;  // points and lines
    const std::vector<double> positions = attribute(primitive, "POSITION", 3);
    const std::vector<double> normals = attribute(primitive, "NORMAL", 3);
    surface.positions.assign(positions.begin(), positions.end());
    if (normals.size() == positions.size()) surface.normals.assign(normals.begin(), normals.end());
    const std::size_t count = positions.size() / 3;
    std::vector<double> order;
    if (const int indices = gltf_index(primitive, "indices"); indices >= 0) {
      if (!accessor_present(extra_.file, indices)) return false;
      order = read_accessor(extra_.file, indices);
    } else {
      for (std::size_t i = 0; i < count; ++i) order.push_back(static_cast<double>(i));
    }
    const std::size_t step = mode == kTriangles ? 3 : 1;
    for (std::size_t i = 0; i + 2 < order.size(); i += step) {
      const std::size_t first = mode == kTriangleFan ? 0 : i;
      const bool odd = mode == kTriangleStrip && i % 2 == 1;  // every other triangle of a strip is turned round
      const double corners[] = {order[first], order[odd ? i + 2 : i + 1], order[odd ? i + 1 : i + 2]};
      if (std::any_of(corners, corners + 3, [&](double c) { return c < 0.0 || c >= static_cast<double>(count); }))
        return false;
      for (const double corner : corners) surface.indices.push_back(static_cast<std::uint32_t>(corner));
    }
    return !surface.indices.empty();
  }

  // The four strongest influences of every vertex, their weights summing to 1.
  bool read_influences(const Json& primitive, int skin_index, Surface& surface) const {
    const Json& skin = gltf_list(json_, "skins")[static_cast<std::size_t>(skin_index)];
    const std::size_t count = surface.positions.size() / 3;
    const std::size_t bones = skin["joints"].size();
    std::vector<std::vector<double>> joints, weights;
    for (int set = 0; set < 4; ++set) {
      const std::string suffix = "_" + std::to_string(set);
      joints.push_back(attribute(primitive, ("JOINTS" + suffix).c_str(), 4));
      weights.push_back(attribute(primitive, ("WEIGHTS" + suffix).c_str(), 4));
      if (joints.back().size() == 4 * count && weights.back().size() == 4 * count) continue;
      joints.pop_back();
      weights.pop_back();
      break;
    }
    if (joints.empty() || bones == 0) return false;
    for (const Json& joint : skin["joints"]) {
      surface.links.push_back(link_of(joint.get<int>()));
      if (surface.links.back() < 0) {
        surface.links.clear();
        return false;
      }
    }
    std::vector<std::pair<double, double>> influences;  // weight, bone
    for (std::size_t v = 0; v < count; ++v) {
      influences.clear();
      for (std::size_t set = 0; set < joints.size(); ++set) {
        for (std::size_t k = 4 * v; k < 4 * v + 4; ++k) {
          const double bone = joints[set][k], weight = weights[set][k];
          const bool sound = bone >= 0.0 && bone < static_cast<double>(bones) && weight > 0.0 && std::isfinite(weight);
          influences.emplace_back(sound ? weight : 0.0, sound ? bone : 0.0);
        }
      }
      std::stable_sort(influences.begin(), influences.end(), [](auto& a, auto& b) { return a.first > b.first; });
      double sum = 0.0;
      for (int k = 0; k < 4; ++k) sum += influences[static_cast<std::size_t>(k)].first;
      for (std::size_t k = 0; k < 4; ++k) {
        surface.joints.push_back(static_cast<std::uint16_t>(influences[k].second));
        surface.weights.push_back(static_cast<float>(sum > 0.0 ? influences[k].first / sum : k == 0 ? 1.0 : 0.0));
      }
    }
    read_bind(skin, surface);
    return true;
  }

  void read_bind(const Json& skin, Surface& surface) const {
    const int accessor = gltf_index(skin, "inverseBindMatrices");
    std::vector<double> given;
    if (accessor >= 0 && accessor_present(extra_.file, accessor)) given = read_accessor(extra_.file, accessor);
    for (std::size_t i = 0; i < surface.links.size(); ++i) {
      Mat4 bind = Mat4::Identity();
      if (given.size() >= 16 * (i + 1)) bind = Eigen::Map<const Mat4>(given.data() + 16 * i);
      const auto node = skin["joints"][i].get<std::size_t>();
      Mat4 scale = Mat4::Identity();
      scale.topLeftCorner<3, 3>() = extra_.tree.nodes[node].stretch;
      bind = scale * bind;
      surface.inverse_bind.insert(surface.inverse_bind.end(), bind.data(), bind.data() + 16);
    }
  }

  // Lengths of a rigid mesh as its node's scale makes them; normals turn with the inverse transpose.
  void stretch(int node, Surface& surface) const {
    const Mat3& scale = extra_.tree.nodes[static_cast<std::size_t>(node)].stretch;
    if (scale == Mat3::Identity()) return;
    const bool flat = std::abs(scale.determinant()) < 1e-30;
    if (flat) surface.normals.clear();
    const Mat3 turn = flat ? Mat3(Mat3::Identity()) : Mat3(scale.inverse().transpose());
    for (std::size_t i = 0; i + 2 < surface.positions.size(); i += 3) {
      Eigen::Map<Eigen::Vector3f> p(surface.positions.data() + i);
      p = (scale * p.cast<double>()).cast<float>();
      if (surface.normals.empty()) continue;
      Eigen::Map<Eigen::Vector3f> n(surface.normals.data() + i);
      n = (turn * n.cast<double>()).normalized().cast<float>();
    }
  }

  void read_color(const Json& primitive, Surface& surface) const {
    const int material = gltf_index(primitive, "material");
    if (material < 0) return;
    const Json* pbr =
        gltf_member(gltf_list(json_, "materials")[static_cast<std::size_t>(material)], "pbrMetallicRoughness");
    const Json* factor = pbr != nullptr ? gltf_member(*pbr, "baseColorFactor") : nullptr;
    if (factor == nullptr || !factor->is_array() || factor->size() != 4) return;
    std::array<double, 4> color{};
    for (std::size_t i = 0; i < 4; ++i) {
      if (!(*factor)[i].is_number()) return;
      color[i] = std::clamp((*factor)[i].get<double>(), 0.0, 1.0);
    }
    surface.color = color;
  }

  const GltfExtra& extra_;
  const Json& json_;
  const Model& model_;
  std::vector<Surface> surfaces_;
};

}  // namespace

std::vector<Surface> surfaces(const Document& document, const Model& model) {
  const auto* extra = dynamic_cast<const GltfExtra*>(document.linkage.extra.get());
  return extra != nullptr ? SurfaceReader(*extra, model).read() : std::vector<Surface>{};
}

}  // namespace armature::inline v0_2
