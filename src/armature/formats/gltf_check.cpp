// What the glTF 2.0 specification demands, as far as links, skins and motions rest on it: lists, types, references,
// ranges, trees. The order of the checks is the order of the sections; the first mistake ends them. Meshes, materials
// and textures are only kept, so only their references are checked. Over 400 lines: it is one flat list of rules.
#include <algorithm>
#include <cmath>
#include <set>

#include "armature/base/suggest.hpp"
#include "armature/formats/gltf.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::size_t kMaxMembers = 200;  // of one object
constexpr std::size_t kMaxScenes = 1000;
constexpr std::uint64_t kMaxEmpty = 1'000'000;      // elements of an accessor without data
constexpr std::uint64_t kMaxDecoded = 256'000'000;  // numbers decoded in all, repeats counted
constexpr double kUnitSlack = 0.01;                 // of a quaternion's length; quantised files are that far off

class Checker {
 public:
  Checker(const GltfFile& file, GltfMistake& mistake, std::vector<std::string>& notes)
      : file_(file), root_(file.json), mistake_(mistake), notes_(notes) {}

  bool run() {
    return asset() && lists() && each("bufferViews", &Checker::buffer_view) && each("accessors", &Checker::accessor) &&
           each("meshes", &Checker::mesh) && each("nodes", &Checker::node) && tree() &&
           each("scenes", &Checker::scene) && default_scene() && each("skins", &Checker::skin) && skinned_nodes() &&
           each("animations", &Checker::animation);
  }

 private:
  bool fail(const std::string& at, const std::string& sentence) { return mistake_.fail(at, sentence); }
  const Json& list(const char* key) const { return gltf_list(root_, key); }

  bool each(const char* key, bool (Checker::*check)(const Json&, const std::string&)) {
    const Json& entries = list(key);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!(this->*check)(entries[i], "/" + std::string(key) + "/" + std::to_string(i))) return false;
    }
    return true;
  }

  // A whole number of at least `least`; absent is fine unless `needed`.
  bool whole(const Json& object, const char* key, const std::string& at, std::uint64_t least, bool needed) {
    const Json* value = gltf_member(object, key);
    if (value == nullptr) return needed ? fail(at, "'" + std::string(key) + "' is missing; it must be defined.") : true;
    const bool negative = value->is_number_integer() && !value->is_number_unsigned() && value->get<std::int64_t>() < 0;
    if (!value->is_number_integer() || negative || value->get<std::uint64_t>() < least ||
        value->get<std::uint64_t>() > 0xFFFFFFFFull) {
      return fail(at + "/" + key, "It must be a whole number of at least " + std::to_string(least) + ".");
    }
    return true;
  }
  static std::uint64_t number(const Json& object, const char* key, std::uint64_t otherwise = 0) {
    const Json* value = gltf_member(object, key);
    return value != nullptr ? value->get<std::uint64_t>() : otherwise;
  }

  // An index into the top-level list `target`.
  bool reference(const Json& object, const char* key, const std::string& at, const char* target, bool needed = false) {
    if (!whole(object, key, at, 0, needed)) return false;
    const Json* value = gltf_member(object, key);
    return value == nullptr || reference(*value, at + "/" + key, target);
  }
  bool reference(const Json& value, const std::string& at, const char* target) {
    const std::size_t count = list(target).size();
    if (value.is_number_unsigned() && value.get<std::uint64_t>() < count) return true;
    return fail(at, "It refers to entry " + value.dump().substr(0, 40) + " of '" + target + "', which has " +
                        std::to_string(count) + (count == 1 ? " entry." : " entries."));
  }

  // A list that is not empty.
  bool filled(const Json& object, const char* key, const std::string& at, bool needed) {
    const Json* value = gltf_member(object, key);
    if (value == nullptr) return needed ? fail(at, "'" + std::string(key) + "' is missing; it must be defined.") : true;
    if (value->is_array() && !value->empty()) return true;
    return fail(at + "/" + key, "It must be a list with at least one entry.");
  }

  bool asset() {
    const Json* asset = gltf_member(root_, "asset");
    const Json* version = asset != nullptr ? gltf_member(*asset, "version") : nullptr;
    if (version == nullptr || !version->is_string()) {
      return fail("/asset", "A glTF file needs an 'asset' with a 'version'.");
    }
    const std::string& text = version->get_ref<const std::string&>();
    if (text.rfind("2.", 0) != 0) {
      return fail("/asset/version", "The file is glTF " + armature::detail::quoted(text) + "; version 2 is read.");
    }
    return true;
  }

  // Lists of objects that are not empty. Objects with very many members are refused: finding one is linear.
  bool lists() {
    if (root_.size() > kMaxMembers) return fail("", "The outermost object has too many members.");
    for (const char* key : {"accessors", "animations", "buffers", "bufferViews", "cameras", "images", "materials",
                            "meshes", "nodes", "samplers", "scenes", "skins", "textures"}) {
      const std::string at = "/" + std::string(key);
      if (!filled(root_, key, "", false)) return false;
      for (std::size_t i = 0; i < list(key).size(); ++i) {
        const Json& entry = list(key)[i];
        if (!entry.is_object()) return fail(at + "/" + std::to_string(i), "It must be an object.");
        const Json* sparse = gltf_member(entry, "sparse");
        if (entry.size() > kMaxMembers || (sparse != nullptr && sparse->size() > kMaxMembers)) {
          return fail(at + "/" + std::to_string(i), "The object has too many members.");
        }
      }
    }
    if (list("nodes").size() > kMaxGltfNodes) {
      return fail("/nodes",
                  "The file has more than " + std::to_string(kMaxGltfNodes) + " nodes, the most that are read.");
    }
    if (list("scenes").size() > kMaxScenes) return fail("/scenes", "The file has more than 1000 scenes.");
    for (const Json& extension : list("extensionsRequired")) {
      if (extension == "EXT_meshopt_compression" || extension == "KHR_meshopt_compression" ||
          extension == "MPEG_accessor_timed") {
        return fail("/extensionsRequired", "The file needs the extension " + extension.dump() + ", which is not read.");
      }
    }
    return true;
  }

  bool buffer_view(const Json& view, const std::string& at) {
    if (!reference(view, "buffer", at, "buffers", true) || !whole(view, "byteLength", at, 1, true) ||
        !whole(view, "byteOffset", at, 0, false) || !whole(view, "byteStride", at, 4, false)) {
      return false;
    }
    const std::uint64_t stride = number(view, "byteStride", 4);
    if (stride > 252 || stride % 4 != 0) return fail(at + "/byteStride", "It must be a multiple of 4 from 4 to 252.");
    const std::uint64_t length =
        number(list("buffers")[static_cast<std::size_t>(gltf_index(view, "buffer"))], "byteLength");
    if (number(view, "byteOffset") + number(view, "byteLength") > length) {
      return fail(at, "The view ends behind its buffer of " + std::to_string(length) + " bytes.");
    }
    return true;
  }

  // `bytes_each` with the view's stride, from `offset` of the view on, must fit.
  bool fits(const Json& object, const std::string& at, int component, std::uint64_t bytes_each, std::uint64_t count) {
    const std::uint64_t offset = number(object, "byteOffset");
    const Json& view = list("bufferViews")[static_cast<std::size_t>(gltf_index(object, "bufferView"))];
    const auto size = static_cast<std::uint64_t>(component_size(component));
    if (offset % size != 0 || (offset + number(view, "byteOffset")) % size != 0) {
      return fail(at,
                  "Its data begin at a byte that is not a multiple of the component's " + std::to_string(size) + ".");
    }
    const std::uint64_t stride = number(view, "byteStride", bytes_each);
    if (stride < bytes_each) return fail(at, "The stride of its view is smaller than one element.");
    if (offset + stride * (count - 1) + bytes_each > number(view, "byteLength")) {
      return fail(at, "Its " + std::to_string(count) + " elements do not fit into bufferView " +
                          std::to_string(gltf_index(object, "bufferView")) + ".");
    }
    return true;
  }

  bool accessor(const Json& accessor, const std::string& at) {
    const Json* type = gltf_member(accessor, "type");
    if (!whole(accessor, "componentType", at, 0, true) || !whole(accessor, "count", at, 1, true)) return false;
    if (type == nullptr || !type->is_string()) return fail(at, "'type' is missing; it must be defined.");
    const auto component = static_cast<int>(number(accessor, "componentType"));
    const auto count = number(accessor, "count");
    const auto size = static_cast<std::uint64_t>(component_size(component));
    if (size == 0) return fail(at + "/componentType", "It must be 5120, 5121, 5122, 5123, 5125 or 5126.");
    if (const Json* normalized = gltf_member(accessor, "normalized");
        normalized != nullptr && *normalized == true && size > 2) {
      return fail(at + "/normalized", "Only bytes and shorts can be normalised.");
    }
    if (!reference(accessor, "bufferView", at, "bufferViews")) return false;
    if (gltf_index(accessor, "bufferView") < 0 && gltf_member(accessor, "byteOffset") != nullptr) {
      return fail(at + "/byteOffset", "It needs a 'bufferView' to count from.");
    }
    if (!whole(accessor, "byteOffset", at, 0, false)) return false;
    if (gltf_index(accessor, "bufferView") < 0 && count > kMaxEmpty) {
      return fail(at + "/count", "An accessor without a 'bufferView' can have 1000000 elements at most.");
    }
    const auto width = static_cast<std::uint64_t>(component_count(accessor));
    if (width == 0) return true;  // an unknown type: nothing that is read may use it
    if (gltf_index(accessor, "bufferView") >= 0 && !fits(accessor, at, component, width * size, count)) return false;
    return sparse(accessor, at, component, width * size, count);
  }

  bool sparse(const Json& accessor, const std::string& at, int component, std::uint64_t bytes_each,
              std::uint64_t count) {
    const Json* sparse = gltf_member(accessor, "sparse");
    if (sparse == nullptr) return true;
    const std::string here = at + "/sparse";
    const Json* indices = gltf_member(*sparse, "indices");
    const Json* values = gltf_member(*sparse, "values");
    if (indices == nullptr || values == nullptr) return fail(here, "It needs 'count', 'indices' and 'values'.");
    if (!whole(*sparse, "count", here, 1, true) ||
        !reference(*indices, "bufferView", here + "/indices", "bufferViews", true) ||
        !reference(*values, "bufferView", here + "/values", "bufferViews", true) ||
        !whole(*indices, "byteOffset", here + "/indices", 0, false) ||
        !whole(*values, "byteOffset", here + "/values", 0, false) ||
        !whole(*indices, "componentType", here + "/indices", 0, true)) {
      return false;
    }
    const std::uint64_t changes = number(*sparse, "count");
    const auto index_type = static_cast<int>(number(*indices, "componentType"));
    if (changes > count) return fail(here + "/count", "It is larger than the accessor's own count.");
    if (index_type != 5121 && index_type != 5123 && index_type != 5125) {
      return fail(here + "/indices/componentType", "It must be 5121, 5123 or 5125.");
    }
    return fits(*indices, here + "/indices", index_type, static_cast<std::uint64_t>(component_size(index_type)),
                changes) &&
           fits(*values, here + "/values", component, bytes_each, changes);
  }

  bool mesh(const Json& mesh, const std::string& at) {
    if (!filled(mesh, "primitives", at, true)) return false;
    for (std::size_t i = 0; i < mesh["primitives"].size(); ++i) {
      const Json& primitive = mesh["primitives"][i];
      const std::string here = at + "/primitives/" + std::to_string(i);
      const Json* attributes = gltf_member(primitive, "attributes");
      if (attributes == nullptr || !attributes->is_object())
        return fail(here, "'attributes' is missing; it must be defined.");
      for (const auto& [name, value] : attributes->items()) {
        if (!reference(value, here + "/attributes/" + name, "accessors")) return false;
      }
      if (!reference(primitive, "indices", here, "accessors") || !reference(primitive, "material", here, "materials") ||
          !filled(primitive, "targets", here, false)) {
        return false;
      }
    }
    return true;
  }

  // An array of `count` finite single-precision numbers.
  bool numbers(const Json& node, const char* key, const std::string& at, std::size_t count) {
    const Json* value = gltf_member(node, key);
    if (value == nullptr) return true;
    const bool sized = value->is_array() && value->size() == count;
    const bool sound = sized && std::all_of(value->begin(), value->end(), [](const Json& v) {
                         return v.is_number() && std::abs(v.get<double>()) <= 3.5e38;
                       });
    if (sound) return true;
    return fail(at + "/" + key, "It must be a list of " + std::to_string(count) + " finite numbers.");
  }

  bool node(const Json& node, const std::string& at) {
    if (!filled(node, "children", at, false) || !reference(node, "camera", at, "cameras") ||
        !reference(node, "mesh", at, "meshes") || !reference(node, "skin", at, "skins") ||
        !numbers(node, "matrix", at, 16) || !numbers(node, "translation", at, 3) || !numbers(node, "rotation", at, 4) ||
        !numbers(node, "scale", at, 3)) {
      return false;
    }
    for (const Json& child : gltf_list(node, "children")) {
      if (!reference(child, at + "/children", "nodes")) return false;
    }
    const bool matrix = gltf_member(node, "matrix") != nullptr;
    for (const char* key : {"translation", "rotation", "scale"}) {
      if (matrix && gltf_member(node, key) != nullptr) {
        return fail(at + "/matrix", "A node has a 'matrix' or '" + std::string(key) + "', not both.");
      }
    }
    if (const Json* rotation = gltf_member(node, "rotation")) {
      double length2 = 0.0;
      for (const Json& part : *rotation) length2 += part.get<double>() * part.get<double>();
      if (std::abs(std::sqrt(length2) - 1.0) > kUnitSlack) {
        return fail(at + "/rotation",
                    "The quaternion has length " + std::to_string(std::sqrt(length2)) + "; it must have length 1.");
      }
    }
    if (gltf_index(node, "skin") >= 0 && gltf_index(node, "mesh") < 0) {
      return fail(at + "/skin", "A node with a 'skin' needs a 'mesh' too.");
    }
    return true;
  }

  // Each node has one parent at most, and no node is below itself.
  bool tree() {
    const Json& nodes = list("nodes");
    parent_.assign(nodes.size(), -1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const Json& child : gltf_list(nodes[i], "children")) {
        int& parent = parent_[child.get<std::size_t>()];
        if (parent >= 0) {
          return fail("/nodes/" + std::to_string(i) + "/children", "Node " + child.dump() + " has two parents, " +
                                                                       std::to_string(parent) + " and " +
                                                                       std::to_string(i) + "; a node has one.");
        }
        parent = static_cast<int>(i);
      }
    }
    // Depth-first from the roots: what is not met hangs on itself.
    root_of_.assign(nodes.size(), -1);
    enter_.assign(nodes.size(), 0);
    leave_.assign(nodes.size(), 0);
    std::vector<int> stack;
    int clock = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (parent_[i] >= 0) continue;
      stack.push_back(static_cast<int>(i));
      while (!stack.empty()) {
        const int n = stack.back();
        stack.pop_back();
        if (n < 0) {
          leave_[static_cast<std::size_t>(-1 - n)] = ++clock;
          continue;
        }
        enter_[static_cast<std::size_t>(n)] = ++clock;
        root_of_[static_cast<std::size_t>(n)] = static_cast<int>(i);
        stack.push_back(-1 - n);
        for (const Json& child : gltf_list(nodes[static_cast<std::size_t>(n)], "children"))
          stack.push_back(child.get<int>());
      }
    }
    const auto lost = std::find(root_of_.begin(), root_of_.end(), -1);
    if (lost == root_of_.end()) return true;
    return fail("/nodes/" + std::to_string(lost - root_of_.begin()), "The node is below itself; nodes form a tree.");
  }

  bool scene(const Json& scene, const std::string& at) {
    if (!filled(scene, "nodes", at, false)) return false;
    std::set<std::size_t> seen;
    for (const Json& node : gltf_list(scene, "nodes")) {
      if (!reference(node, at + "/nodes", "nodes")) return false;
      if (parent_[node.get<std::size_t>()] >= 0)
        return fail(at + "/nodes", "Node " + node.dump() + " has a parent; a scene lists root nodes only.");
      if (!seen.insert(node.get<std::size_t>()).second)
        return fail(at + "/nodes", "Node " + node.dump() + " is listed twice.");
    }
    return true;
  }

  // The first scene that lists each node.
  bool default_scene() {
    scene_of_.assign(list("nodes").size(), -1);
    for (std::size_t i = list("scenes").size(); i-- > 0;) {
      for (const Json& node : gltf_list(list("scenes")[i], "nodes"))
        scene_of_[node.get<std::size_t>()] = static_cast<int>(i);
    }
    return reference(root_, "scene", "", "scenes");
  }

  int root_of(int node) const { return root_of_[static_cast<std::size_t>(node)]; }
  // The same root, or roots of the same scene: files of the second kind are about, though the specification has the
  // first.
  bool share_root(int a, int b) const {
    const int scene = scene_of_[static_cast<std::size_t>(a)];
    return a == b || (scene >= 0 && scene == scene_of_[static_cast<std::size_t>(b)]);
  }
  bool is_above(int upper, int lower) const {
    const auto u = static_cast<std::size_t>(upper);
    const auto l = static_cast<std::size_t>(lower);
    return enter_[u] <= enter_[l] && leave_[l] <= leave_[u];
  }
  // Counts what is decoded, so that no file keeps us busy for ever.
  bool spend(int accessor, const std::string& at) {
    const Json& json = list("accessors")[static_cast<std::size_t>(accessor)];
    decoded_ += number(json, "count") * static_cast<std::uint64_t>(component_count(json));
    return decoded_ <= kMaxDecoded || fail(at, "The file has more than 256000000 numbers in its skins and animations.");
  }

  bool skin(const Json& skin, const std::string& at) {
    if (!filled(skin, "joints", at, true) || !reference(skin, "skeleton", at, "nodes") ||
        !reference(skin, "inverseBindMatrices", at, "accessors")) {
      return false;
    }
    const Json& joints = skin["joints"];
    std::set<int> seen;
    for (const Json& joint : joints) {
      if (!reference(joint, at + "/joints", "nodes")) return false;
      if (!seen.insert(joint.get<int>()).second)
        return fail(at + "/joints", "Node " + joint.dump() + " is listed twice.");
      if (!share_root(root_of(joint.get<int>()), root_of(joints[0].get<int>()))) {
        return fail(at + "/joints", "Nodes " + joints[0].dump() + " and " + joint.dump() +
                                        " have no common root; the joints of a skin have one.");
      }
    }
    if (const int skeleton = gltf_index(skin, "skeleton"); skeleton >= 0) {
      for (const Json& joint : joints) {
        if (!is_above(skeleton, joint.get<int>()))
          return fail(at + "/skeleton", "Node " + std::to_string(skeleton) + " is not above joint " + joint.dump() +
                                            "; it must be a common root.");
      }
    }
    return bind_matrices(skin, at);
  }

  bool bind_matrices(const Json& skin, const std::string& at) {
    const int index = gltf_index(skin, "inverseBindMatrices");
    if (index < 0) return true;
    const std::string here = at + "/inverseBindMatrices";
    const Json& accessor = list("accessors")[static_cast<std::size_t>(index)];
    if (accessor["type"] != "MAT4" || accessor["componentType"] != kGltfFloat) {
      return fail(here, "Accessor " + std::to_string(index) + " must hold MAT4 of floats.");
    }
    if (number(accessor, "count") < skin["joints"].size()) {
      return fail(here, "Accessor " + std::to_string(index) + " has " + accessor["count"].dump() + " matrices for " +
                            std::to_string(skin["joints"].size()) + " joints; it needs one each.");
    }
    if (gltf_index(accessor, "bufferView") < 0 || !accessor_present(file_, index)) return true;
    if (!spend(index, here)) return false;
    const std::vector<double> values = read_accessor(file_, index);
    for (std::size_t m = 0; m + 16 <= values.size(); m += 16) {
      for (std::size_t k = 0; k < 16; ++k) {
        const bool last_row = k % 4 == 3;
        if (!std::isfinite(values[m + k]) || (last_row && std::abs(values[m + k] - (k == 15 ? 1.0 : 0.0)) > 1e-4)) {
          return fail(here, "Matrix " + std::to_string(m / 16) + " is not affine: its last row must be 0, 0, 0, 1.");
        }
      }
    }
    return true;
  }

  // A skinned node needs a mesh with joints, in the scene of those joints.
  bool skinned_nodes() {
    std::vector<char> has_joints;  // of each mesh
    for (const Json& mesh : list("meshes")) {
      const Json& primitives = mesh["primitives"];
      has_joints.push_back(std::all_of(primitives.begin(), primitives.end(),
                                       [](const Json& p) { return p["attributes"].contains("JOINTS_0"); }));
    }
    const Json& nodes = list("nodes");
    std::vector<std::pair<std::size_t, int>> skinned;  // node, root of its skin's joints
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const int skin = gltf_index(nodes[i], "skin");
      if (skin < 0) continue;
      if (has_joints[static_cast<std::size_t>(gltf_index(nodes[i], "mesh"))] == 0) {
        return fail("/nodes/" + std::to_string(i), "The node has a 'skin', but its mesh has no JOINTS_0.");
      }
      skinned.emplace_back(i, root_of(list("skins")[static_cast<std::size_t>(skin)]["joints"][0].get<int>()));
    }
    for (const Json& scene : list("scenes")) {
      std::vector<char> here(nodes.size(), 0);
      for (const Json& root : gltf_list(scene, "nodes")) here[root.get<std::size_t>()] = 1;
      for (const auto& [node, joints_root] : skinned) {
        if (here[static_cast<std::size_t>(root_of_[node])] != 0 && here[static_cast<std::size_t>(joints_root)] == 0) {
          return fail("/nodes/" + std::to_string(node), "The node is in a scene that lacks the joints of its skin.");
        }
      }
    }
    return true;
  }

  bool animation(const Json& animation, const std::string& at) {
    if (!filled(animation, "channels", at, true) || !filled(animation, "samplers", at, true)) return false;
    const Json& samplers = animation["samplers"];
    for (std::size_t i = 0; i < samplers.size(); ++i) {
      if (!sampler(samplers[i], at + "/samplers/" + std::to_string(i))) return false;
    }
    std::set<std::pair<int, std::string>> targets;
    for (std::size_t i = 0; i < animation["channels"].size(); ++i) {
      const Json& channel = animation["channels"][i];
      const std::string here = at + "/channels/" + std::to_string(i);
      const Json* target = gltf_member(channel, "target");
      if (!whole(channel, "sampler", here, 0, true)) return false;
      if (number(channel, "sampler") >= samplers.size()) {
        return fail(here + "/sampler", "It refers to sampler " + channel["sampler"].dump() +
                                           ", but the animation has " + std::to_string(samplers.size()) + ".");
      }
      const Json* path = target != nullptr ? gltf_member(*target, "path") : nullptr;
      if (path == nullptr || !path->is_string()) return fail(here, "It needs a 'target' with a 'path'.");
      if (!reference(*target, "node", here + "/target", "nodes")) return false;
      const int node = gltf_index(*target, "node");
      if (node < 0) continue;
      if (!targets.emplace(node, *path).second) {
        return fail(here + "/target",
                    "Two channels move the " + path->get<std::string>().substr(0, 40) + " of one node.");
      }
      if (!channel_fits(samplers[number(channel, "sampler")], node, *path, here)) return false;
    }
    return true;
  }

  bool sampler(const Json& sampler, const std::string& at) {
    if (!sampler.is_object()) return fail(at, "It must be an object.");
    if (!reference(sampler, "input", at, "accessors", true) || !reference(sampler, "output", at, "accessors", true)) {
      return false;
    }
    const Json& input = list("accessors")[static_cast<std::size_t>(gltf_index(sampler, "input"))];
    if (input["type"] != "SCALAR" || input["componentType"] != kGltfFloat) {
      return fail(at + "/input", "Times must be a SCALAR accessor of floats.");
    }
    if (const Json* way = gltf_member(sampler, "interpolation");
        way != nullptr && *way == "CUBICSPLINE" && number(input, "count") < 2) {
      return fail(at + "/input", "CUBICSPLINE needs at least 2 times.");
    }
    const int index = gltf_index(sampler, "input");
    if (gltf_index(input, "bufferView") < 0 || !accessor_present(file_, index) || !checked_times_.insert(index).second)
      return true;
    if (!spend(index, at)) return false;
    double before = -1.0;
    bool rises = true;
    for (const double time : read_accessor(file_, index)) {
      if (!std::isfinite(time) || time < 0.0) return fail(at + "/input", "Times must be finite and at least 0.");
      rises = rises && time > before;
      before = time;
    }
    if (!rises) {
      notes_.push_back("Times of an animation do not rise (" + at +
                       "/input); its keys are sorted, of keys at one time the last counts.");
    }
    return true;
  }

  bool channel_fits(const Json& sampler, int node_index, const Json& path, const std::string& at) {
    const Json& node = list("nodes")[static_cast<std::size_t>(node_index)];
    const Json& input = list("accessors")[static_cast<std::size_t>(gltf_index(sampler, "input"))];
    const int output_index = gltf_index(sampler, "output");
    const Json& output = list("accessors")[static_cast<std::size_t>(output_index)];
    const bool weights = path == "weights";
    if (!weights && path != "translation" && path != "rotation" && path != "scale") {
      notes_.push_back("An animation of " + path.dump().substr(0, 60) +
                       " is left out; translation and rotation are read.");
      return true;
    }
    if (!weights && gltf_member(node, "matrix") != nullptr) {
      return fail(at + "/target", "Node " + std::to_string(node_index) +
                                      " has a 'matrix'; a node that is animated has translation, rotation and scale.");
    }
    std::uint64_t each = 1;
    if (weights) {
      const int mesh = gltf_index(node, "mesh");
      const Json* primitives = mesh >= 0 ? &list("meshes")[static_cast<std::size_t>(mesh)]["primitives"] : nullptr;
      each = primitives != nullptr ? gltf_list((*primitives)[0], "targets").size() : 0;
      if (each == 0)
        return fail(at + "/target", "Weights are animated, but node " + std::to_string(node_index) +
                                        " has no mesh with morph targets.");
    }
    const char* wanted = weights ? "SCALAR" : path == "rotation" ? "VEC4" : "VEC3";
    const auto component = static_cast<int>(number(output, "componentType"));
    const Json* normalized = gltf_member(output, "normalized");
    const bool numbers_fit = component == kGltfFloat || ((weights || path == "rotation") && component != 5125 &&
                                                         normalized != nullptr && *normalized == true);
    if (output["type"] != wanted || !numbers_fit) {
      return fail(at + "/sampler", "Values of " + path.get<std::string>() + " must be " + wanted + " of floats.");
    }
    const Json* way = gltf_member(sampler, "interpolation");
    const bool cubic = way != nullptr && *way == "CUBICSPLINE";
    const std::uint64_t expected = number(input, "count") * each * (cubic ? 3 : 1);
    if (number(output, "count") != expected) {
      return fail(at + "/sampler", "The sampler has " + output["count"].dump() + " values where " +
                                       std::to_string(expected) + " are needed.");
    }
    if (path == "rotation") return quaternions(output, output_index, cubic, at);
    return path == "translation" ? spend(output_index, at) && spend(gltf_index(sampler, "input"), at) : true;
  }

  bool quaternions(const Json& output, int index, bool cubic, const std::string& at) {
    if (!spend(index, at)) return false;
    if (gltf_index(output, "bufferView") < 0 || !accessor_present(file_, index)) return true;
    const std::vector<double> values = read_accessor(file_, index);
    for (std::size_t i = 0; i * 4 < values.size(); ++i) {
      if (cubic && i % 3 != 1) continue;  // tangents have any length
      const Eigen::Map<const Vec4> q(values.data() + 4 * i);
      if (!(std::abs(q.norm() - 1.0) <= kUnitSlack)) {
        return fail(at + "/sampler", "Quaternion " + std::to_string(i) + " of the sampler's values has length " +
                                         std::to_string(q.norm()) + "; it must have length 1.");
      }
    }
    return true;
  }

  const GltfFile& file_;
  const Json& root_;
  GltfMistake& mistake_;
  std::vector<std::string>& notes_;
  std::vector<int> parent_, root_of_;  // of each node
  std::vector<int> scene_of_;
  std::vector<int> enter_, leave_;  // depth-first times of each node
  std::uint64_t decoded_ = 0;
  std::set<int> checked_times_;  // accessors
};

}  // namespace

bool check_gltf(const GltfFile& file, GltfMistake& mistake, std::vector<std::string>& notes) {
  return Checker(file, mistake, notes).run();
}

}  // namespace armature::inline v0_2
