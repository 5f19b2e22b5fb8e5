// FBX through assimp: nodes become links, animated nodes and bones become joints, animations become clips. Lengths are
// metres, as the file's unit tells. Choices: docs/formats/fbx.md.
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "armature/base/suggest.hpp"
#include "armature/fbx/use_fbx.hpp"
#include "armature/formats/fbx.hpp"
#include "armature/formats/source.hpp"
#include "armature/model/compile.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::size_t kMaxNodes = 100'000;
constexpr double kMaxFrames = 200'000;

Vec3 vec(const aiVector3D& v) { return {v.x, v.y, v.z}; }
Quat quat(const aiQuaternion& q) { return Quat(Quat(q.w, q.x, q.y, q.z).normalized()); }

// Between the keys on either side, the short way round.
template <class Key>
std::size_t key_before(const Key* keys, unsigned count, double time) {
  const Key* after = std::upper_bound(keys, keys + count, time, [](double t, const Key& key) { return t < key.mTime; });
  return after == keys ? 0 : static_cast<std::size_t>(after - keys) - 1;
}
template <class Key>
double key_share(const Key* keys, unsigned count, std::size_t i, double time) {
  if (i + 1 >= count || time <= keys[i].mTime) return 0.0;
  const double span = keys[i + 1].mTime - keys[i].mTime;
  return span > 0.0 ? std::clamp((time - keys[i].mTime) / span, 0.0, 1.0) : 0.0;
}
Vec3 position_at(const aiNodeAnim& channel, double time) {
  const std::size_t i = key_before(channel.mPositionKeys, channel.mNumPositionKeys, time);
  const double s = key_share(channel.mPositionKeys, channel.mNumPositionKeys, i, time);
  const Vec3 a = vec(channel.mPositionKeys[i].mValue);
  return s > 0.0 ? Vec3(a + s * (vec(channel.mPositionKeys[i + 1].mValue) - a)) : a;
}
Quat rotation_at(const aiNodeAnim& channel, double time) {
  const std::size_t i = key_before(channel.mRotationKeys, channel.mNumRotationKeys, time);
  const double s = key_share(channel.mRotationKeys, channel.mNumRotationKeys, i, time);
  const Quat a = quat(channel.mRotationKeys[i].mValue);
  return s > 0.0 ? Quat(a.slerp(s, quat(channel.mRotationKeys[i + 1].mValue))) : a;
}

struct FbxNode {
  const aiNode* node;
  std::string name;  // of link and joint
  Vec3 translation;  // at rest, in the parent
  Quat rotation;
  double scale;  // of the lengths in its parent's frame
  int type = 0;  // 0 fixed, 1 turns, 2 moves
};

class FbxReading {
 public:
  explicit FbxReading(const ReadOptions& options) : options_(options) {}

  Result<Document> read(std::string_view bytes) {
    const Source source{bytes, options_.file_name};
    Assimp::Importer importer;
    importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
    const aiScene* scene = importer.ReadFileFromMemory(bytes.data(), bytes.size(), aiProcess_LimitBoneWeights, "fbx");
    if (scene == nullptr || scene->mRootNode == nullptr) {
      std::string why = importer.GetErrorString();
      for (char& c : why) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // one line
      return source.error("This FBX file cannot be read (assimp: " + (why.empty() ? "no reason given" : why) + ").");
    }
    read_settings(*scene);
    find_moving(*scene);
    if (!add_nodes(*scene)) return source.error("The file has more than 100,000 nodes.");
    document_.linkage.name = options_.file_name.substr(options_.file_name.find_last_of("/\\") + 1);
    document_.linkage.name = document_.linkage.name.substr(0, document_.linkage.name.rfind('.'));
    const Result<Model> model = compile(document_.linkage);
    if (!model) return source.error(model.message());
    for (unsigned a = 0; a < scene->mNumAnimations; ++a) {
      if (!add_clip(*scene->mAnimations[a], *model)) return source.error("A motion has more than 200,000 frames.");
    }
    add_notes(*scene);
    return std::move(document_);
  }

 private:
  void read_settings(const aiScene& scene) {
    int up = 1;
    double unit = 1.0;  // in centimetres
    if (scene.mMetaData != nullptr) {
      scene.mMetaData->Get("UpAxis", up);
      float single = 0.0F;
      if (!scene.mMetaData->Get("UnitScaleFactor", unit) && scene.mMetaData->Get("UnitScaleFactor", single)) {
        unit = single;
      }
    }
    document_.linkage.up = up == 2 ? "z" : "y";
    metres_ = unit > 0.0 && std::isfinite(unit) ? 0.01 * unit : 0.01;
  }

  // Bones turn; nodes with keys turn or move.
  void find_moving(const aiScene& scene) {
    for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
      for (unsigned b = 0; b < scene.mMeshes[m]->mNumBones; ++b) {
        types_.emplace(scene.mMeshes[m]->mBones[b]->mName.C_Str(), 1);
        ++bones_;
      }
    }
    for (unsigned a = 0; a < scene.mNumAnimations; ++a) {
      const aiAnimation& animation = *scene.mAnimations[a];
      for (unsigned c = 0; c < animation.mNumChannels; ++c) {
        const aiNodeAnim& channel = *animation.mChannels[c];
        int& type = types_.emplace(channel.mNodeName.C_Str(), 1).first->second;
        if (moves(scene, channel)) type = 2;
      }
    }
  }
  static bool moves(const aiScene& scene, const aiNodeAnim& channel) {
    const aiNode* node = scene.mRootNode->FindNode(channel.mNodeName);
    if (node == nullptr) return false;
    const Vec3 rest(node->mTransformation.a4, node->mTransformation.b4, node->mTransformation.c4);
    double farthest = 0.0;
    for (unsigned k = 0; k < channel.mNumPositionKeys; ++k) {
      farthest = std::max(farthest, (vec(channel.mPositionKeys[k].mValue) - rest).norm());
    }
    return farthest > 1e-5 * (1.0 + rest.norm());
  }

  bool add_nodes(const aiScene& scene) {
    struct Visit {
      const aiNode* node;
      int parent;
      double scale;
    };
    std::vector<Visit> stack{{scene.mRootNode, -1, metres_}};
    std::unordered_set<std::string> names;
    while (!stack.empty()) {
      const Visit visit = stack.back();
      stack.pop_back();
      if (nodes_.size() >= kMaxNodes) return false;
      aiVector3D scaling, position;
      aiQuaternion rotation;
      visit.node->mTransformation.Decompose(scaling, rotation, position);
      FbxNode made{visit.node, visit.node->mName.C_Str(), vec(position), quat(rotation), visit.scale};
      const std::string file_name = made.name;
      if (made.name.empty()) made.name = "node_" + std::to_string(nodes_.size());
      for (int k = 2; !names.insert(made.name).second; ++k) made.name = file_name + "_" + std::to_string(k);
      if (const auto type = types_.find(file_name); type != types_.end()) made.type = type->second;
      const Vec3 s = vec(scaling);
      const double mean = s.cwiseAbs().mean();
      if ((s.array() - mean).abs().maxCoeff() > 1e-4 * mean) uneven_ = true;
      Joint joint;
      joint.name = made.name;
      joint.child = made.name;
      if (visit.parent >= 0) joint.parent = nodes_[static_cast<std::size_t>(visit.parent)].name;
      joint.origin = Transform::from(made.rotation, made.scale * made.translation);
      joint.type = made.type == 2 ? JointType(Free{}) : made.type == 1 ? JointType(Spherical{}) : JointType(Fixed{});
      document_.linkage.links.push_back({made.name, {}});
      document_.linkage.joints.push_back(std::move(joint));
      by_name_.emplace(file_name, nodes_.size());
      const int index = static_cast<int>(nodes_.size());
      const double below = made.scale * (mean > 0.0 ? mean : 1.0);
      nodes_.push_back(std::move(made));
      for (unsigned c = visit.node->mNumChildren; c-- > 0;) {
        stack.push_back({visit.node->mChildren[c], index, below});
      }
    }
    return true;
  }

  bool add_clip(const aiAnimation& animation, const Model& model) {
    double rate = animation.mTicksPerSecond > 0.0 ? animation.mTicksPerSecond : 25.0;
    double tick = 1.0;      // per frame
    while (rate > 240.0) {  // times in fine ticks
      rate /= 10.0;
      tick *= 10.0;
    }
    const double frames = std::floor(animation.mDuration / tick + 1e-6) + 1.0;
    if (!(frames <= kMaxFrames)) return false;
    Clip clip;
    clip.name = animation.mName.length > 0 ? animation.mName.C_Str() : "motion";
    clip.frame_time = 1.0 / rate;
    clip.q_size = model.q_size();
    VecX rest(model.q_size());
    for (const ModelJoint& joint : model.joints()) {
      if (joint.q_count > 0) neutral_coordinates(joint.type, rest.data() + joint.q_index);
    }
    for (int f = 0; f < static_cast<int>(frames); ++f) {
      VecX q = rest;
      for (unsigned c = 0; c < animation.mNumChannels; ++c) {
        const aiNodeAnim& channel = *animation.mChannels[c];
        const auto found = by_name_.find(channel.mNodeName.C_Str());
        if (found == by_name_.end()) continue;
        const FbxNode& node = nodes_[found->second];
        const std::optional<int> link = model.lookup_joint(node.name);
        if (!link || channel.mNumRotationKeys == 0) continue;
        double* at = q.data() + model.joint(*link).q_index;
        const Quat back(node.rotation.conjugate());
        if (node.type == 2 && channel.mNumPositionKeys > 0) {
          const Vec3 moved =
              back.toRotationMatrix() * (node.scale * (position_at(channel, f * tick) - node.translation));
          std::copy(moved.data(), moved.data() + 3, at);
        }
        const Quat turned(Quat(back * rotation_at(channel, f * tick)).normalized());
        const Vec4 numbers(turned.x(), turned.y(), turned.z(), turned.w());
        std::copy(numbers.data(), numbers.data() + 4, at + (node.type == 2 ? 3 : 0));
      }
      clip.append(q);
    }
    document_.clips.push_back(std::move(clip));
    return true;
  }

  void add_notes(const aiScene& scene) {
    auto& notes = document_.notes;
    if (metres_ != 1.0) notes.push_back("Lengths were converted to metres, as the file's unit tells.");
    if (uneven_) notes.push_back("Some nodes are scaled unequally; the mean of their factors was used.");
    if (scene.mNumMeshes > 0) {
      notes.push_back("Left out, as a linkage has no place for it: " + std::to_string(scene.mNumMeshes) +
                      " x mesh with " + std::to_string(bones_) + " bone weights in all.");
    }
  }

  const ReadOptions& options_;
  Document document_;
  double metres_ = 0.01;
  bool uneven_ = false;
  std::size_t bones_ = 0;
  std::unordered_map<std::string, int> types_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<FbxNode> nodes_;
};

Result<Document> read_with_assimp(std::string_view bytes, const ReadOptions& options) {
  return FbxReading(options).read(bytes);
}

}  // namespace

void use_fbx() { set_fbx_reader(read_with_assimp); }

}  // namespace armature::inline v0_2
