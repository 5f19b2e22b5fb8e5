// Accessors of a glTF file as numbers. check_gltf() has found every range sound before.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "armature/formats/gltf.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kByte = 5120, kUnsignedByte = 5121, kShort = 5122, kUnsignedShort = 5123, kUnsignedInt = 5125;

double component_at(const char* p, int type, bool normalized) {
  const auto load = [p](auto value) {
    std::memcpy(&value, p, sizeof value);  // both sides are little-endian: glTF, and every machine we build for
    return static_cast<double>(value);
  };
  switch (type) {
    case kByte: {
      const double v = load(std::int8_t{});
      return normalized ? std::max(v / 127.0, -1.0) : v;
    }
    case kUnsignedByte: {
      const double v = load(std::uint8_t{});
      return normalized ? v / 255.0 : v;
    }
    case kShort: {
      const double v = load(std::int16_t{});
      return normalized ? std::max(v / 32767.0, -1.0) : v;
    }
    case kUnsignedShort: {
      const double v = load(std::uint16_t{});
      return normalized ? v / 65535.0 : v;
    }
    case kUnsignedInt:
      return load(std::uint32_t{});
    default:
      return load(float{});
  }
}

// The bytes from `offset` of a buffer view on; null when its buffer is not here.
const char* view_data(const GltfFile& file, int view_index, std::size_t offset, std::size_t& stride) {
  const Json& view = gltf_list(file.json, "bufferViews")[static_cast<std::size_t>(view_index)];
  const auto buffer = static_cast<std::size_t>(gltf_index(view, "buffer"));
  if (!file.buffers[buffer].present) return nullptr;
  if (const Json* given = gltf_member(view, "byteStride")) stride = given->get<std::size_t>();
  const Json* start = gltf_member(view, "byteOffset");
  return file.buffers[buffer].bytes.data() + (start != nullptr ? start->get<std::size_t>() : 0) + offset;
}

std::size_t offset_of(const Json& object) {
  const Json* offset = gltf_member(object, "byteOffset");
  return offset != nullptr ? offset->get<std::size_t>() : 0;
}

}  // namespace

int component_size(int type) {
  switch (type) {
    case kByte:
    case kUnsignedByte:
      return 1;
    case kShort:
    case kUnsignedShort:
      return 2;
    case kUnsignedInt:
    case kGltfFloat:
      return 4;
    default:
      return 0;
  }
}

int component_count(const Json& accessor) {
  const Json* type = gltf_member(accessor, "type");
  if (type == nullptr || !type->is_string()) return 0;
  static constexpr struct {
    const char* name;
    int count;
  } kTypes[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT2", 4}, {"MAT3", 9}, {"MAT4", 16}};
  for (const auto& known : kTypes) {
    if (*type == known.name) return known.count;
  }
  return 0;
}

bool accessor_present(const GltfFile& file, int accessor) {
  const Json& json = gltf_list(file.json, "accessors")[static_cast<std::size_t>(accessor)];
  std::size_t stride = 0;
  const int view = gltf_index(json, "bufferView");
  if (view >= 0 && view_data(file, view, 0, stride) == nullptr) return false;
  const Json* sparse = gltf_member(json, "sparse");
  if (sparse == nullptr) return true;
  for (const char* part : {"indices", "values"}) {
    if (view_data(file, gltf_index((*sparse)[part], "bufferView"), 0, stride) == nullptr) return false;
  }
  return true;
}

std::vector<double> read_accessor(const GltfFile& file, int accessor) {
  const Json& json = gltf_list(file.json, "accessors")[static_cast<std::size_t>(accessor)];
  const auto count = json["count"].get<std::size_t>();
  const auto width = static_cast<std::size_t>(component_count(json));
  const int type = json["componentType"].get<int>();
  const auto size = static_cast<std::size_t>(component_size(type));
  const Json* flag = gltf_member(json, "normalized");
  const bool normalized = flag != nullptr && flag->is_boolean() && flag->get<bool>();
  std::vector<double> values(count * width, 0.0);
  const auto copy = [&](const char* from, std::size_t to) {
    for (std::size_t k = 0; k < width; ++k) values[to * width + k] = component_at(from + k * size, type, normalized);
  };
  if (const int view = gltf_index(json, "bufferView"); view >= 0) {
    std::size_t stride = width * size;
    if (const char* data = view_data(file, view, offset_of(json), stride)) {
      for (std::size_t i = 0; i < count; ++i) copy(data + i * stride, i);
    }
  }
  if (const Json* sparse = gltf_member(json, "sparse")) {
    const Json& indices = (*sparse)["indices"];
    const Json& replaced = (*sparse)["values"];
    const int index_type = indices["componentType"].get<int>();
    std::size_t index_stride = static_cast<std::size_t>(component_size(index_type));
    std::size_t value_stride = width * size;
    const char* at = view_data(file, gltf_index(indices, "bufferView"), offset_of(indices), index_stride);
    const char* data = view_data(file, gltf_index(replaced, "bufferView"), offset_of(replaced), value_stride);
    const auto changes = (*sparse)["count"].get<std::size_t>();
    for (std::size_t i = 0; at != nullptr && data != nullptr && i < changes; ++i) {
      const double target = component_at(at + i * index_stride, index_type, false);
      if (target < static_cast<double>(count)) copy(data + i * value_stride, static_cast<std::size_t>(target));
    }
  }
  return values;
}

}  // namespace armature::inline v0_2
