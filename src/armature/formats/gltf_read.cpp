// glTF to a linkage: each node of the scene is a link, each joint of a skin and each animated node can move. Node
// scales are worked into the lengths below them. Files that we wrote carry their linkage in `extras` and give it back
// exactly.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "armature/base/suggest.hpp"
#include "armature/formats/dropped.hpp"
#include "armature/formats/gltf.hpp"
#include "armature/formats/json_tree.hpp"
#include "armature/formats/registry.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kSameScale = 1e-5;  // relative; scales of files are single precision

template <int N>
Eigen::Matrix<double, N, 1> numbers(const Json& node, const char* key, const Eigen::Matrix<double, N, 1>& otherwise) {
  const Json* list = gltf_member(node, key);
  if (list == nullptr) return otherwise;
  Eigen::Matrix<double, N, 1> v;
  for (int i = 0; i < N; ++i) v[i] = (*list)[static_cast<std::size_t>(i)].get<double>();
  return v;
}

struct Local {
  Vec3 position;
  Mat3 rotation;
  Mat3 stretch;  // scale; with shear when a matrix has it
};

Local local_of(const Json& node) {
  if (gltf_member(node, "matrix") == nullptr) {
    const Vec4 q = numbers<4>(node, "rotation", Vec4(0, 0, 0, 1));
    return {numbers<3>(node, "translation", Vec3::Zero()), Quat(q).normalized().toRotationMatrix(),
            numbers<3>(node, "scale", Vec3::Ones()).asDiagonal()};
  }
  const Mat4 m =
      Eigen::Map<const Mat4>(numbers<16>(node, "matrix", Eigen::Matrix<double, 16, 1>::Zero()).eval().data());
  const Mat3 linear = m.topLeftCorner<3, 3>();
  const Mat3 rotation = orthonormalized(linear);
  return {m.topRightCorner<3, 1>(), rotation, rotation.transpose() * linear};
}

bool is_uniform(const Mat3& stretch) {
  const double s = stretch(0, 0);
  return (stretch - s * Mat3::Identity()).cwiseAbs().maxCoeff() <= kSameScale * std::max(std::abs(s), 1e-300);
}

}  // namespace

GltfTree read_gltf_tree(const Json& root, std::vector<std::string>& notes) {
  const Json& nodes = gltf_list(root, "nodes");
  GltfTree tree;
  tree.nodes.resize(nodes.size());
  std::vector<char> has_parent(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const Json& child : gltf_list(nodes[i], "children")) {
      tree.nodes[child.get<std::size_t>()].parent = static_cast<int>(i);
      has_parent[child.get<std::size_t>()] = 1;
    }
  }
  const Json& scenes = gltf_list(root, "scenes");
  if (scenes.empty()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (has_parent[i] == 0) tree.roots.push_back(static_cast<int>(i));
    }
  } else {
    const int scene = std::max(gltf_index(root, "scene"), 0);
    for (const Json& node : gltf_list(scenes[static_cast<std::size_t>(scene)], "nodes"))
      tree.roots.push_back(node.get<int>());
    if (scenes.size() > 1) {
      notes.push_back("The file has " + std::to_string(scenes.size()) + " scenes; " +
                      armature::detail::quoted(gltf_name(scenes[static_cast<std::size_t>(scene)], "scene",
                                                         static_cast<std::size_t>(scene))) +
                      " is read.");
    }
  }
  NameList scaled, uneven, singular;
  std::vector<int> stack(tree.roots.rbegin(), tree.roots.rend());
  while (!stack.empty()) {
    const auto i = static_cast<std::size_t>(stack.back());
    stack.pop_back();
    tree.order.push_back(static_cast<int>(i));
    GltfNode& node = tree.nodes[i];
    const Local local = local_of(nodes[i]);
    node.has_matrix = gltf_member(nodes[i], "matrix") != nullptr;
    node.above = node.parent >= 0 ? tree.nodes[static_cast<std::size_t>(node.parent)].stretch : Mat3(Mat3::Identity());
    node.rest = {node.above * local.position, local.rotation};
    if (!node.rest.position.allFinite()) node.rest.position.setZero();
    node.stretch = local.rotation.transpose() * node.above * local.rotation * local.stretch;
    if (!node.stretch.allFinite()) node.stretch.setIdentity();
    const std::string name = gltf_name(nodes[i], "node", i);
    if (!is_uniform(local.stretch)) {
      (std::abs(local.stretch.determinant()) < 1e-30 ? singular : uneven).add(name);
    } else if (std::abs(local.stretch(0, 0) - 1.0) > kSameScale) {
      (local.stretch(0, 0) == 0.0 ? singular : scaled).add(name);
    }
    const Json& children = gltf_list(nodes[i], "children");
    for (auto child = children.rbegin(); child != children.rend(); ++child) stack.push_back(child->get<int>());
  }
  if (!scaled.empty()) notes.push_back("The scale of " + scaled.text() + " is applied to the lengths below.");
  if (!uneven.empty()) {
    notes.push_back(
        "The scale of " + uneven.text() +
        " is not the same in all directions; places below are exact at rest, but not when joints in between turn.");
  }
  if (!singular.empty())
    notes.push_back("The scale of " + singular.text() + " is 0: everything below lies in one place.");
  return tree;
}

namespace {

class GltfReader {
 public:
  GltfReader(std::string_view bytes, const ReadOptions& options)
      : source_{bytes, options.file_name}, options_(options) {}

  Result<Document> read() {
    Result<GltfFile> file = open_gltf(source_, options_, document_.notes);
    if (!file) return file.error();
    auto extra = std::make_shared<GltfExtra>();
    extra->file = std::move(*file);
    const Json& root = extra->file.json;
    GltfMistake mistake(source_);
    if (!check_gltf(extra->file, mistake, document_.notes)) return mistake.error();
    extra->tree = read_gltf_tree(root, document_.notes);
    if (!own_linkage(root, extra->tree)) make_linkage(extra->file, extra->tree);
    const Result<Model> model = compile(document_.linkage);
    if (!model) return source_.error(model.message());
    if (const Status status =
            sample_animations(extra->file, extra->tree, *model, source_, document_, extra->animations);
        !status) {
      return status.error();
    }
    if (const std::string kept = extra->format_only(); !kept.empty()) {
      document_.notes.push_back("Kept for writing glTF, but not part of the linkage: " + kept + ".");
    }
    extra->linkage = document_.linkage;
    for (const Clip& clip : document_.clips) {
      extra->hashes.push_back(clip_hash(clip));
      extra->clip_names.push_back(clip.name);
    }
    document_.linkage.extra = std::move(extra);
    return std::move(document_);
  }

 private:
  // The linkage that we wrote into the file, when the nodes still agree with it.
  bool own_linkage(const Json& root, GltfTree& tree) {
    const Json* extras = gltf_member(root, "extras");
    const Json* own = extras != nullptr ? gltf_member(*extras, "armature") : nullptr;
    if (own == nullptr) return false;
    Result<Document> stored =
        (*format_named("json"))->read(own->dump(-1, ' ', false, Json::error_handler_t::replace), {});
    if (!stored || !agrees(root, tree, stored->linkage)) {
      document_.notes.push_back("The linkage stored in the file does not fit its nodes any more; the nodes are read.");
      return false;
    }
    document_.linkage = std::move(stored->linkage);
    return true;
  }

  // Same tree, same rest, to single precision. Sets the links of `tree`.
  static bool agrees(const Json& root, GltfTree& tree, const Linkage& linkage) {
    const Result<Model> model = compile(linkage);
    if (!model) return false;
    std::vector<std::string> links(tree.nodes.size());
    std::unordered_map<std::string, int> node_of;
    for (const int n : tree.order) {
      const std::string name =
          gltf_name(gltf_list(root, "nodes")[static_cast<std::size_t>(n)], "node", static_cast<std::size_t>(n));
      if (!model->has_link(name)) continue;
      if (!node_of.emplace(name, n).second) return false;
      links[static_cast<std::size_t>(n)] = name;
    }
    for (int i = 0; i < model->link_count(); ++i) {
      const auto found = node_of.find(model->link_name(i));
      if (found == node_of.end()) return false;
      const GltfNode& node = tree.nodes[static_cast<std::size_t>(found->second)];
      const std::string parent = node.parent >= 0 ? links[static_cast<std::size_t>(node.parent)] : "";
      if (parent != (model->parent(i) < 0 ? "" : model->link_name(model->parent(i)))) return false;
      const Transform& placement = model->joint(i).origin;
      if ((placement.position - node.rest.position).norm() > 1e-5 * (model->size() + placement.position.norm()) ||
          (placement.rotation - node.rest.rotation).cwiseAbs().maxCoeff() > 1e-5) {
        return false;
      }
    }
    for (std::size_t n = 0; n < links.size(); ++n) tree.nodes[n].link = links[n];
    return true;
  }

  void make_linkage(const GltfFile& file, GltfTree& tree) {
    const Json& root = file.json;
    Linkage& linkage = document_.linkage;
    std::string stem = options_.file_name;
    stem.erase(0, stem.find_last_of("/\\") + 1);
    if (const std::size_t dot = stem.rfind('.'); dot != std::string::npos && dot > 0) stem.erase(dot);
    linkage.name = stem.empty() ? "scene" : to_utf8(stem);
    linkage.up = "y";
    name_links(root, tree);
    std::string ground;
    if (tree.roots.size() != 1) {
      ground = "scene";
      while (taken_.count(ground) > 0) ground += "_";
      linkage.links.push_back({ground, {}});
      if (tree.roots.empty())
        document_.notes.push_back("The file has no nodes in its scene: the linkage is one fixed link.");
    }
    const std::vector<GltfMovement> moved = animated_nodes(file, tree);
    std::vector<char> bone(tree.nodes.size(), 0);
    for (const Json& skin : gltf_list(root, "skins")) {
      for (const Json& joint : skin["joints"]) bone[joint.get<std::size_t>()] = 1;
    }
    for (const int n : tree.order) {
      const auto i = static_cast<std::size_t>(n);
      const GltfNode& node = tree.nodes[i];
      Joint joint;
      joint.name = joint.child = node.link;
      joint.parent = node.parent >= 0 ? tree.nodes[static_cast<std::size_t>(node.parent)].link : ground;
      joint.origin = node.rest;
      if (moved[i].slides) {
        joint.type = Free{};
      } else if (moved[i].turns || bone[i] != 0) {
        joint.type = Spherical{};
      } else {
        joint.type = Fixed{};
      }
      linkage.links.push_back({node.link, {}});
      linkage.joints.push_back(std::move(joint));
    }
  }

  void name_links(const Json& root, GltfTree& tree) {
    NameList renamed;
    std::unordered_map<std::string, int> repeats;
    for (const int n : tree.order) {
      const auto i = static_cast<std::size_t>(n);
      const std::string wanted = gltf_name(gltf_list(root, "nodes")[i], "node", i);
      std::string name = wanted;
      while (!taken_.insert(name).second) name = wanted + "_" + std::to_string(++repeats[wanted] + 1);
      if (name != wanted) renamed.add(wanted);
      tree.nodes[i].link = name;
    }
    if (!renamed.empty())
      document_.notes.push_back("Nodes share the names " + renamed.text() + "; the later ones get a number.");
  }

  Source source_;
  const ReadOptions& options_;
  Document document_;
  std::unordered_set<std::string> taken_;
};

}  // namespace

std::string GltfExtra::format_only() const {
  std::string kept;
  for (const auto& [key, one] : {std::pair{"meshes", "mesh"},
                                 {"skins", "skin"},
                                 {"materials", "material"},
                                 {"images", "image"},
                                 {"cameras", "camera"}}) {
    const std::size_t count = gltf_list(file.json, key).size();
    if (count > 0) kept += (kept.empty() ? "" : ", ") + std::to_string(count) + " " + (count == 1 ? one : key);
  }
  return kept;
}

// By the scale of the scene's own nodes, which everything below them follows: meshes and skins too.
std::shared_ptr<const Extra> scaled_gltf(const Extra* extra, double factor) {
  const auto* gltf = dynamic_cast<const GltfExtra*>(extra);
  if (gltf == nullptr) return nullptr;
  auto copy = std::make_shared<GltfExtra>(*gltf);
  if (!scale(copy->linkage, factor)) return nullptr;
  for (const int root : gltf->tree.roots) {
    Json& node = copy->file.json["nodes"][static_cast<std::size_t>(root)];
    if (Json* matrix = node.contains("matrix") ? &node["matrix"] : nullptr) {
      for (std::size_t i = 0; i < 16; ++i) {
        if (i % 4 != 3) (*matrix)[i] = factor * (*matrix)[i].get<double>();
      }
      continue;
    }
    const Vec3 position = factor * numbers<3>(node, "translation", Vec3::Zero());
    const Vec3 stretch = factor * numbers<3>(node, "scale", Vec3::Ones());
    if (!position.isZero(0.0)) node["translation"] = {position.x(), position.y(), position.z()};
    node["scale"] = {stretch.x(), stretch.y(), stretch.z()};
  }
  std::vector<std::string> notes;  // said already
  copy->tree = read_gltf_tree(copy->file.json, notes);
  for (std::size_t n = 0; n < gltf->tree.nodes.size(); ++n) copy->tree.nodes[n].link = gltf->tree.nodes[n].link;
  return copy;
}

bool detect_gltf(std::string_view bytes) {
  const std::vector<std::string> keys = top_level_keys(without_bom(bytes));
  return std::find(keys.begin(), keys.end(), "asset") != keys.end();
}

Result<Document> read_gltf(std::string_view bytes, const ReadOptions& options) {
  return GltfReader(bytes, options).read();
}
Result<Document> read_glb(std::string_view bytes, const ReadOptions& options) {
  return GltfReader(bytes, options).read();
}

}  // namespace armature::inline v0_2
