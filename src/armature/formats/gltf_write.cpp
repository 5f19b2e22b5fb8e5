// A linkage and its clips to glTF. What came from a glTF file goes back into it: meshes, skins, materials and
// everything unknown stay, nodes and animations follow the linkage. Any other linkage gets nodes, a skin over all links
// and simple geometry, so that viewers show it and Blender makes an armature of it; the linkage itself is stored in
// `extras`.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "armature/base/suggest.hpp"
#include "armature/base/version.hpp"
#include "armature/formats/gltf.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"

namespace armature {
namespace {

constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963;

class GltfWriter {
 public:
  GltfWriter(const Document& document, const WriteOptions& options, Model model)
      : document_(document), options_(options), model_(std::move(model)) {}

  Status write() {
    const auto* extra = dynamic_cast<const GltfExtra*>(document_.extra.get());
    if (extra != nullptr && !same_tree(*extra)) {
      note("The linkage was changed since it was read: the meshes and skins of its glTF file are not written.");
      extra = nullptr;
    }
    if (model_.link_count() > 65535)
      return Error{"A skin of glTF has at most 65535 joints; the linkage has more links."};
    if (extra != nullptr) {
      put_back(*extra);
    } else {
      start_fresh();
    }
    if (const Status status = animations(extra); !status) return status;
    // Chunks count their bytes in 32 bits.
    if (buffer.size() > 0xFFFF0000ull) return Error{"The motion is too large for one glTF file of 4 GiB."};
    return {};
  }

  Json json;
  std::string buffer;

  void finish(bool embed) {
    if (buffer.empty() && !json.contains("buffers")) return;
    if (buffer.empty()) buffer.assign(4, '\0');  // the place of the buffers that were merged must not stay empty
    Json entry;
    entry["byteLength"] = buffer.size();
    if (embed) entry["uri"] = "data:application/octet-stream;base64," + encode_base64(buffer);
    if (!json.contains("buffers")) json["buffers"] = Json::array({Json()});
    json["buffers"][0] = std::move(entry);
  }

 private:
  void note(std::string sentence) {
    if (options_.notes != nullptr) options_.notes->push_back(std::move(sentence));
  }

  // ---- data ----

  // Views, accessors and the buffer grow together.
  template <class T>
  int add_accessor(const std::vector<T>& values, const char* type, int width, int component, int target, bool bounds) {
    buffer.append((4 - buffer.size() % 4) % 4, '\0');
    Json view;
    view["buffer"] = 0;
    view["byteOffset"] = buffer.size();
    view["byteLength"] = values.size() * sizeof(T);
    if (target != 0) view["target"] = target;
    const std::size_t start = buffer.size();
    buffer.resize(start + values.size() * sizeof(T));
    std::memcpy(buffer.data() + start, values.data(), values.size() * sizeof(T));
    json["bufferViews"].push_back(std::move(view));
    Json accessor;
    accessor["bufferView"] = json["bufferViews"].size() - 1;
    accessor["componentType"] = component;
    accessor["count"] = values.size() / static_cast<std::size_t>(width);
    accessor["type"] = type;
    if (bounds) {
      std::vector<double> low(static_cast<std::size_t>(width), 3.5e38), high(static_cast<std::size_t>(width), -3.5e38);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t k = i % static_cast<std::size_t>(width);
        low[k] = std::min(low[k], static_cast<double>(values[i]));
        high[k] = std::max(high[k], static_cast<double>(values[i]));
      }
      accessor["min"] = low;
      accessor["max"] = high;
    }
    json["accessors"].push_back(std::move(accessor));
    return static_cast<int>(json["accessors"].size()) - 1;
  }
  int add_floats(const std::vector<float>& values, const char* type, int width, int target = 0, bool bounds = false) {
    return add_accessor(values, type, width, kGltfFloat, target, bounds);
  }

  // ---- a fresh file ----

  void start_fresh() {
    json = Json::object();
    json["asset"]["version"] = "2.0";
    json["asset"]["generator"] = "Armature " + std::string(version());
    json["scene"] = 0;
    const int links = model_.link_count();
    json["scenes"] = Json::array({{{"name", utf8(model_.name())}, {"nodes", {0, links}}}});
    if (model_.name().empty()) json["scenes"][0].erase("name");
    for (int i = 0; i < links; ++i) {
      Json node;
      node["name"] = utf8(model_.link_name(i));
      for (int child = i + 1; child < model_.subtree_end(i); child = model_.subtree_end(child))
        node["children"].push_back(child);
      put_transform(node, model_.joint(i).placement);
      json["nodes"].push_back(std::move(node));
      node_of_link_.push_back(i);
      above_.push_back(Mat3::Identity());
    }
    State state;
    forward(model_, neutral_pose(model_), state);
    skin(state.X_WL);
    store_linkage();
  }

  static std::string utf8(const std::string& text) { return to_utf8(text); }

  // A place and a turn; what is zero is left out.
  static void put_transform(Json& node, const Transform& x) {
    node.erase("translation");
    node.erase("rotation");
    if (!x.translation.isZero(0.0)) node["translation"] = {x.translation.x(), x.translation.y(), x.translation.z()};
    const Quat q = x.quaternion();
    if (x.rotation != Mat3::Identity()) node["rotation"] = {q.x(), q.y(), q.z(), q.w()};
  }

  void skin(const std::vector<Transform>& rest) {
    std::vector<float> inverse;
    Json joints = Json::array();
    for (int i = 0; i < model_.link_count(); ++i) {
      const Mat4 m = rest[static_cast<std::size_t>(i)].inverse().matrix();
      for (int k = 0; k < 16; ++k) inverse.push_back(static_cast<float>(m.data()[k]));
      joints.push_back(i);
    }
    const int matrices = add_floats(inverse, "MAT4", 16);
    json["skins"] = Json::array({{{"inverseBindMatrices", matrices}, {"skeleton", 0}, {"joints", joints}}});
    Json primitives = Json::array();
    for (const GltfSurface& surface : make_surfaces(model_, rest, options_.notes))
      primitives.push_back(primitive(surface));
    json["meshes"] = Json::array({{{"primitives", primitives}}});
    json["nodes"].push_back({{"name", free_name("figure")}, {"mesh", 0}, {"skin", 0}});
  }

  std::string free_name(std::string name) const {
    while (model_.find_link(name) >= 0) name += "_";
    return name;
  }

  Json primitive(const GltfSurface& surface) {
    Json attributes;
    attributes["POSITION"] = add_floats(surface.positions, "VEC3", 3, kArrayBuffer, true);
    if (!surface.lines) attributes["NORMAL"] = add_floats(surface.normals, "VEC3", 3, kArrayBuffer);
    std::vector<float> weights;
    std::vector<std::uint16_t> wide;
    std::vector<std::uint8_t> narrow;
    for (const std::uint16_t joint : surface.joints) {
      weights.insert(weights.end(), {1.0f, 0.0f, 0.0f, 0.0f});
      wide.insert(wide.end(), {joint, 0, 0, 0});
      narrow.insert(narrow.end(), {static_cast<std::uint8_t>(joint), 0, 0, 0});
    }
    attributes["JOINTS_0"] = model_.link_count() > 256 ? add_accessor(wide, "VEC4", 4, 5123, kArrayBuffer, false)
                                                       : add_accessor(narrow, "VEC4", 4, 5121, kArrayBuffer, false);
    attributes["WEIGHTS_0"] = add_floats(weights, "VEC4", 4, kArrayBuffer);
    Json result;
    result["attributes"] = std::move(attributes);
    if (!surface.lines)
      result["indices"] = add_accessor(surface.indices, "SCALAR", 1, 5125, kElementArrayBuffer, false);
    result["mode"] = surface.lines ? 3 : 4;
    result["material"] = material(surface.color);
    return result;
  }

  int material(const std::array<double, 4>& color) {
    std::array<double, 4> c = color;
    for (double& part : c) part = std::isfinite(part) ? std::clamp(part, 0.0, 1.0) : 1.0;
    Json entry;
    entry["pbrMetallicRoughness"] = {{"baseColorFactor", c}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.7}};
    if (c[3] < 1.0) entry["alphaMode"] = "BLEND";
    json["materials"].push_back(std::move(entry));
    return static_cast<int>(json["materials"].size()) - 1;
  }

  // Our own form of the linkage, so that joint types, limits, shapes and exact numbers come back.
  void store_linkage() {
    const Result<Json> own = linkage_json(document_.linkage);
    if (own) json["extras"]["armature"] = *own;
  }
  static Result<Json> linkage_json(const Linkage& linkage) {
    const Format* format = format_named("json");
    if (format == nullptr) return Error{"no json"};
    Document bare;
    bare.linkage = linkage;
    const Result<std::string> text = format->write(bare, {});
    if (!text) return text.error();
    return Json::parse(*text, nullptr, false);
  }

  // ---- back into the file it came from ----

  // The same links on the same parents as when it was read.
  bool same_tree(const GltfExtra& extra) const {
    const Result<Model> then = compile(extra.linkage);
    if (!then || then->link_count() != model_.link_count()) return false;
    for (int i = 0; i < model_.link_count(); ++i) {
      if (then->link_name(i) != model_.link_name(i) || then->parent(i) != model_.parent(i)) return false;
    }
    return true;
  }

  void put_back(const GltfExtra& extra) {
    json = extra.file.json;
    merge_buffers(extra.file);
    node_of_link_.assign(static_cast<std::size_t>(model_.link_count()), -1);
    above_.assign(static_cast<std::size_t>(model_.link_count()), Mat3::Identity());
    const Result<Model> then = compile(extra.linkage);
    for (std::size_t n = 0; n < extra.tree.nodes.size(); ++n) {
      const GltfNode& node = extra.tree.nodes[n];
      const int link = node.link.empty() ? -1 : model_.find_link(node.link);
      if (link < 0) continue;
      node_of_link_[static_cast<std::size_t>(link)] = static_cast<int>(n);
      above_[static_cast<std::size_t>(link)] = node.above;
      const Transform& now = model_.joint(link).placement;
      const Transform& before = then->joint(link).placement;
      if (now.rotation == before.rotation && now.translation == before.translation) continue;
      make_trs(json["nodes"][n], node);
      Transform local = now;
      local.translation = without_scale(link, now.translation);
      put_transform(json["nodes"][n], local);
    }
    const Result<Json> own = linkage_json(document_.linkage);
    const Result<Json> read = linkage_json(extra.linkage);
    const bool stored = json.contains("extras") && json["extras"].contains("armature");
    if (own && read && (stored || *own != *read)) json["extras"]["armature"] = *own;
    for (const Json& image : gltf_list(json, "images")) {
      if (const Json* uri = gltf_member(image, "uri");
          uri != nullptr && uri->is_string() && uri->get<std::string>().rfind("data:", 0) != 0) {
        note("The file goes on referring to the image " + armature::quoted(uri->get<std::string>()) + ".");
      }
    }
  }

  Vec3 without_scale(int link, const Vec3& translation) const {
    const Mat3& above = above_[static_cast<std::size_t>(link)];
    return std::abs(above.determinant()) > 1e-30 ? Vec3(above.inverse() * translation) : translation;
  }

  // A node with a matrix gets translation, rotation and scale instead, which animations need.
  void make_trs(Json& node, const GltfNode& from) const {
    if (!from.has_matrix || !node.contains("matrix")) return;
    node.erase("matrix");
    const Mat3 scale = (from.rest.rotation.transpose() * from.above * from.rest.rotation).inverse() * from.stretch;
    Transform local = from.rest;
    if (std::abs(from.above.determinant()) > 1e-30) local.translation = from.above.inverse() * from.rest.translation;
    put_transform(node, local);
    if (scale.allFinite() && (scale - Mat3::Identity()).cwiseAbs().maxCoeff() > 1e-7) {
      node["scale"] = {scale(0, 0), scale(1, 1), scale(2, 2)};
    }
  }

  // All buffers that are here become one; views follow.
  void merge_buffers(const GltfFile& file) {
    std::vector<std::size_t> start, index;
    Json buffers = Json::array({Json()});
    for (std::size_t b = 0; b < file.buffers.size(); ++b) {
      if (file.buffers[b].present) {
        buffer.append((8 - buffer.size() % 8) % 8, '\0');
        start.push_back(buffer.size());
        index.push_back(0);
        buffer += file.buffers[b].bytes;
      } else {
        start.push_back(0);
        index.push_back(buffers.size());
        buffers.push_back(json["buffers"][b]);
      }
    }
    if (file.buffers.empty()) return;
    const auto move = [&](Json& view) {
      const auto b = view["buffer"].get<std::size_t>();
      if (b >= start.size()) return;
      view["buffer"] = index[b];
      const Json* offset = gltf_member(view, "byteOffset");
      const std::size_t moved = start[b] + (offset != nullptr ? offset->get<std::size_t>() : 0);
      if (moved > 0) view["byteOffset"] = moved;
    };
    if (json.contains("bufferViews")) {
      for (Json& view : json["bufferViews"]) move(view);
    }
    json["buffers"] = std::move(buffers);
  }

  // ---- motion ----

  Status animations(const GltfExtra* extra) {
    Json written = Json::array();
    const Json before = extra != nullptr ? gltf_list(extra->file.json, "animations") : Json::array();
    std::vector<char> replaced(before.size(), 0);
    if (extra != nullptr) {
      for (const int a : extra->animations) replaced[static_cast<std::size_t>(a)] = 1;
    }
    for (std::size_t a = 0; a < before.size(); ++a) {
      if (replaced[a] == 0) written.push_back(before[a]);  // it moves no link
    }
    for (const Clip& clip : document_.clips) {
      const int a = extra != nullptr ? former(*extra, clip) : -1;
      if (a >= 0 && extra->hashes[static_cast<std::size_t>(a)] == clip_hash(clip)) {
        written.push_back(before[static_cast<std::size_t>(extra->animations[static_cast<std::size_t>(a)])]);
        continue;
      }
      if (clip.q_size != model_.q_size()) {
        return Error{"The motion " + armature::quoted(clip.name) + " has " + std::to_string(clip.q_size) +
                     " numbers a frame, but the linkage has " + std::to_string(model_.q_size()) + " coordinates."};
      }
      if (clip.frame_count() == 0) {
        note("The motion " + armature::quoted(clip.name) + " has no frames; glTF cannot carry it.");
        continue;
      }
      Json animation;
      if (const Status status = sampled(clip, extra, animation); !status) return status;
      if (a >= 0)
        keep_other_channels(before[static_cast<std::size_t>(extra->animations[static_cast<std::size_t>(a)])],
                            animation);
      if (animation["channels"].empty()) {
        note("The motion " + armature::quoted(clip.name) + " moves nothing; glTF cannot carry it.");
        continue;
      }
      written.push_back(std::move(animation));
    }
    json.erase("animations");
    if (!written.empty()) json["animations"] = std::move(written);
    return {};
  }

  static int former(const GltfExtra& extra, const Clip& clip) {
    const auto found = std::find(extra.clip_names.begin(), extra.clip_names.end(), clip.name);
    return found != extra.clip_names.end() ? static_cast<int>(found - extra.clip_names.begin()) : -1;
  }

  // Scales and weights of the animation that this clip was read from.
  static void keep_other_channels(const Json& before, Json& animation) {
    for (const Json& channel : before["channels"]) {
      const Json& path = channel["target"]["path"];
      if (path == "translation" || path == "rotation") continue;
      Json copy = channel;
      animation["samplers"].push_back(before["samplers"][channel["sampler"].get<std::size_t>()]);
      copy["sampler"] = animation["samplers"].size() - 1;
      animation["channels"].push_back(std::move(copy));
    }
  }

  Status sampled(const Clip& clip, const GltfExtra* extra, Json& animation) {
    if (!clip.name.empty()) animation["name"] = utf8(clip.name);
    animation["channels"] = Json::array();
    animation["samplers"] = Json::array();
    animation["extras"]["armature_frame_time"] = clip.frame_time;
    std::vector<float> times;
    for (int f = 0; f < clip.frame_count(); ++f) {
      times.push_back(static_cast<float>(f * clip.frame_time));
      if (!std::isfinite(times.back()) || (f > 0 && !(times[times.size() - 1] > times[times.size() - 2]))) {
        return Error{"The motion " + armature::quoted(clip.name) +
                     " has frames too close together for the single-precision times of glTF."};
      }
    }
    int input = -1;
    for (int i = 0; i < model_.link_count(); ++i) {
      const ModelJoint& joint = model_.joint(i);
      const int node = node_of_link_[static_cast<std::size_t>(i)];
      if (joint.q_count == 0 || node < 0) continue;
      std::vector<float> turns, places;
      const bool moves[2] = {local_motion(clip, i, turns, places, true), local_motion(clip, i, turns, places, false)};
      for (int part = 0; part < 2; ++part) {
        if (!moves[part]) continue;
        if (input < 0) input = add_floats(times, "SCALAR", 1, 0, true);
        if (extra != nullptr)
          make_trs(json["nodes"][static_cast<std::size_t>(node)], extra->tree.nodes[static_cast<std::size_t>(node)]);
        const int output = part == 0 ? add_floats(turns, "VEC4", 4) : add_floats(places, "VEC3", 3);
        animation["samplers"].push_back({{"input", input}, {"output", output}});
        animation["channels"].push_back(
            {{"sampler", animation["samplers"].size() - 1},
             {"target", {{"node", node}, {"path", part == 0 ? "rotation" : "translation"}}}});
      }
    }
    return {};
  }

  // Local turns or places of a link in all frames; false when they never leave the rest pose.
  bool local_motion(const Clip& clip, int link, std::vector<float>& turns, std::vector<float>& places,
                    bool turning) const {
    const ModelJoint& joint = model_.joint(link);
    const Quat rest_turn = joint.placement.quaternion();
    bool moved = false;
    Quat before = rest_turn;
    double mimicked[1];
    for (int f = 0; f < clip.frame_count(); ++f) {
      const double* q = clip.frame(f) + joint.q_index;
      if (joint.mimic) {
        mimicked[0] = joint.multiplier * q[0] + joint.offset;
        q = mimicked;
      }
      const Transform local = joint.placement * joint_transform(joint.type, q);
      if (turning) {
        Quat turn = local.quaternion();
        if (turn.dot(before) < 0.0) turn.coeffs() *= -1.0;  // the short way, also for readers that do not look
        before = turn;
        moved = moved || turn.angularDistance(rest_turn) > 1e-9;
        for (int k = 0; k < 4; ++k) turns.push_back(static_cast<float>(turn.coeffs()[k]));
      } else {
        moved = moved || (local.translation - joint.placement.translation).norm() > 1e-9 * model_.size();
        const Vec3 place = without_scale(link, local.translation);
        for (int k = 0; k < 3; ++k) places.push_back(static_cast<float>(place[k]));
      }
    }
    return moved;
  }

  const Document& document_;
  const WriteOptions& options_;
  Model model_;
  std::vector<int> node_of_link_;
  std::vector<Mat3> above_;  // stretch of each link's parent node
};

Result<GltfWriter> make_writer(const Document& document, const WriteOptions& options) {
  Result<Model> model = compile(document.linkage);
  if (!model) return model.error();
  GltfWriter writer(document, options, std::move(*model));
  if (const Status status = writer.write(); !status) return status.error();
  return writer;
}

}  // namespace

Result<std::string> write_gltf(const Document& document, const WriteOptions& options) {
  Result<GltfWriter> writer = make_writer(document, options);
  if (!writer) return writer.error();
  writer->finish(true);
  return writer->json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::string> write_glb(const Document& document, const WriteOptions& options) {
  Result<GltfWriter> writer = make_writer(document, options);
  if (!writer) return writer.error();
  writer->finish(false);
  return pack_glb(writer->json, writer->buffer);
}

}  // namespace armature
