#include "armature/formats/gltf_output.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "armature/formats/registry.hpp"

namespace armature::inline v0_2 {
namespace {

template <class T>
int add_gltf_accessor(GltfOutput& out, const std::vector<T>& values, const GltfLayout& layout) {
  const auto width = static_cast<std::size_t>(layout.width);
  out.buffer.append((4 - out.buffer.size() % 4) % 4, '\0');
  Json view;
  view["buffer"] = 0;
  view["byteOffset"] = out.buffer.size();
  view["byteLength"] = values.size() * sizeof(T);
  if (layout.target != 0) view["target"] = layout.target;
  const std::size_t start = out.buffer.size();
  out.buffer.resize(start + values.size() * sizeof(T));
  std::memcpy(out.buffer.data() + start, values.data(), values.size() * sizeof(T));
  out.json["bufferViews"].push_back(std::move(view));
  Json accessor;
  accessor["bufferView"] = out.json["bufferViews"].size() - 1;
  accessor["componentType"] = layout.component;
  accessor["count"] = values.size() / width;
  accessor["type"] = layout.type;
  if (layout.bounds) {
    std::vector<double> low(width, 3.5e38), high(width, -3.5e38);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t k = i % width;
      low[k] = std::min(low[k], static_cast<double>(values[i]));
      high[k] = std::max(high[k], static_cast<double>(values[i]));
    }
    accessor["min"] = low;
    accessor["max"] = high;
  }
  out.json["accessors"].push_back(std::move(accessor));
  return static_cast<int>(out.json["accessors"].size()) - 1;
}

}  // namespace

int GltfOutput::add_accessor(const std::vector<float>& values, const GltfLayout& layout) {
  return add_gltf_accessor(*this, values, layout);
}
int GltfOutput::add_accessor(const std::vector<std::uint8_t>& values, const GltfLayout& layout) {
  return add_gltf_accessor(*this, values, layout);
}
int GltfOutput::add_accessor(const std::vector<std::uint16_t>& values, const GltfLayout& layout) {
  return add_gltf_accessor(*this, values, layout);
}
int GltfOutput::add_accessor(const std::vector<std::uint32_t>& values, const GltfLayout& layout) {
  return add_gltf_accessor(*this, values, layout);
}

void GltfOutput::finish(bool embed) {
  if (buffer.empty() && !json.contains("buffers")) return;
  if (buffer.empty()) buffer.assign(4, '\0');  // the place of the buffers that were merged must not stay empty
  Json entry;
  entry["byteLength"] = buffer.size();
  if (embed) entry["uri"] = "data:application/octet-stream;base64," + encode_base64(buffer);
  if (!json.contains("buffers")) json["buffers"] = Json::array({Json()});
  json["buffers"][0] = std::move(entry);
}

Vec3 GltfOutput::without_scale(int link, const Vec3& translation) const {
  const Mat3& stretch = above[static_cast<std::size_t>(link)];
  return std::abs(stretch.determinant()) > 1e-30 ? Vec3(stretch.inverse() * translation) : translation;
}

void put_gltf_transform(Json& node, const Transform& x) {
  node.erase("translation");
  node.erase("rotation");
  if (!x.position.isZero(0.0)) node["translation"] = {x.position.x(), x.position.y(), x.position.z()};
  const Quat q = x.quaternion();
  if (x.rotation != Mat3::Identity()) node["rotation"] = {q.x(), q.y(), q.z(), q.w()};
}

Result<Json> linkage_to_json(const Linkage& linkage) {
  Document bare;
  bare.linkage = linkage;
  const Result<std::string> text = (*format_named("json"))->write(bare, {});
  if (!text) return text.error();
  return Json::parse(*text, nullptr, false);
}

void make_gltf_trs(Json& node, const GltfNode& from) {
  if (!from.has_matrix || !node.contains("matrix")) return;
  node.erase("matrix");
  const Mat3 scale = (from.rest.rotation.transpose() * from.above * from.rest.rotation).inverse() * from.stretch;
  Transform local = from.rest;
  if (std::abs(from.above.determinant()) > 1e-30) local.position = from.above.inverse() * from.rest.position;
  put_gltf_transform(node, local);
  if (scale.allFinite() && (scale - Mat3::Identity()).cwiseAbs().maxCoeff() > 1e-7) {
    node["scale"] = {scale(0, 0), scale(1, 1), scale(2, 2)};
  }
}

}  // namespace armature::inline v0_2
