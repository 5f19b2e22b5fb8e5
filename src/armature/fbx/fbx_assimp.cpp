// FBX through assimp, as the glTF file that it could have been: nodes, meshes, skin weights, colours, embedded pictures
// and animations are put into a glTF file in memory, and glTF's reader makes links, joints, clips and surfaces of it.
// One mapping for both formats, and what came from FBX can be written as glTF with its skin. docs/formats/fbx.md.
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "armature/fbx/use_fbx.hpp"
#include "armature/formats/fbx.hpp"
#include "armature/formats/gltf_output.hpp"
#include "armature/formats/source.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr unsigned kPostProcess =
    aiProcess_LimitBoneWeights | aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_JoinIdenticalVertices;

class FbxToGltf {
 public:
  FbxToGltf(const aiScene& scene, std::vector<std::string>& notes)
      : scene_(scene), notes_(notes), out_(nothing_, plain_, Model()) {}

  /// False: more nodes than are read.
  bool convert() {
    read_settings();
    out_.json["asset"]["version"] = "2.0";
    out_.json["scene"] = 0;
    out_.json["scenes"] = Json::array({{{"nodes", {0}}}});
    out_.json["nodes"] = Json::array();
    if (!add_nodes()) return false;
    add_materials();
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n]->mNumMeshes > 0) add_mesh(n);
    }
    for (unsigned a = 0; a < scene_.mNumAnimations; ++a) add_animation(*scene_.mAnimations[a]);
    out_.finish(false);
    return true;
  }
  std::string glb() const { return pack_glb(out_.json, out_.buffer); }

 private:
  void read_settings() {
    int up = 1;
    double unit = 1.0;  // in centimetres
    if (scene_.mMetaData != nullptr) {
      scene_.mMetaData->Get("UpAxis", up);
      float single = 0.0F;
      if (!scene_.mMetaData->Get("UnitScaleFactor", unit) && scene_.mMetaData->Get("UnitScaleFactor", single)) {
        unit = single;
      }
    }
    metres_ = unit > 0.0 && std::isfinite(unit) ? 0.01 * unit : 0.01;
    lies_ = up == 2;
    if (metres_ != 1.0) notes_.emplace_back("Lengths were converted to metres, as the file's unit tells.");
    if (lies_) notes_.emplace_back("Turned so that y points up, as in glTF; the file has z up.");
  }

  // In depth-first order, the root first.
  bool add_nodes() {
    std::vector<std::pair<const aiNode*, int>> stack{{scene_.mRootNode, -1}};
    while (!stack.empty()) {
      const auto [node, parent] = stack.back();
      stack.pop_back();
      const auto index = static_cast<int>(nodes_.size());
      if (nodes_.size() >= kMaxGltfNodes) return false;
      nodes_.push_back(node);
      by_name_.emplace(node->mName.C_Str(), index);
      Json json;
      if (node->mName.length > 0) json["name"] = to_utf8(node->mName.C_Str());
      aiVector3D scaling, position;
      aiQuaternion rotation;
      node->mTransformation.Decompose(scaling, rotation, position);
      Transform X = Transform::from(unit_quaternion(rotation), metres_ * numbers(position));
      if (index == 0) X = standing(X);
      put_gltf_transform(json, X);
      const Vec3 scale = numbers(scaling);
      if ((scale - Vec3::Ones()).cwiseAbs().maxCoeff() > 1e-6) json["scale"] = {scale.x(), scale.y(), scale.z()};
      out_.json["nodes"].push_back(std::move(json));
      if (parent >= 0) out_.json["nodes"][static_cast<std::size_t>(parent)]["children"].push_back(index);
      for (unsigned c = node->mNumChildren; c-- > 0;) stack.emplace_back(node->mChildren[c], index);
    }
    return true;
  }
  // The root of a world with z up, in one with y up.
  Transform standing(const Transform& X) const { return lies_ ? Transform::rotate(Vec3::UnitX(), -0.5 * kPi) * X : X; }
  static Vec3 numbers(const aiVector3D& v) { return {v.x, v.y, v.z}; }
  static Quat unit_quaternion(const aiQuaternion& q) { return Quat(Quat(q.w, q.x, q.y, q.z).normalized()); }

  // --- surfaces ------------------------------------------------------------------------------------------------------

  void add_materials() {
    int lost = 0;
    for (unsigned m = 0; m < scene_.mNumMaterials; ++m) {
      const aiMaterial& material = *scene_.mMaterials[m];
      aiString name, picture;
      aiColor4D color(0.8F, 0.8F, 0.8F, 1.0F);
      float opacity = 1.0F;
      material.Get(AI_MATKEY_NAME, name);
      material.Get(AI_MATKEY_COLOR_DIFFUSE, color);
      material.Get(AI_MATKEY_OPACITY, opacity);
      const auto part = [](double x) { return std::isfinite(x) ? std::clamp(x, 0.0, 1.0) : 1.0; };
      Json surface = {{"metallicFactor", 0.0}, {"roughnessFactor", 0.7}};
      surface["baseColorFactor"] = {part(color.r), part(color.g), part(color.b), part(opacity)};
      if (material.GetTexture(aiTextureType_DIFFUSE, 0, &picture) == aiReturn_SUCCESS) {
        const int texture = add_picture(scene_.GetEmbeddedTexture(picture.C_Str()));
        if (texture >= 0) {
          surface["baseColorTexture"] = {{"index", texture}};
          surface["baseColorFactor"] = {1.0, 1.0, 1.0, part(opacity)};
        } else {
          ++lost;
        }
      }
      Json json;
      if (name.length > 0) json["name"] = to_utf8(name.C_Str());
      json["pbrMetallicRoughness"] = std::move(surface);
      if (part(opacity) < 1.0) json["alphaMode"] = "BLEND";
      out_.json["materials"].push_back(std::move(json));
    }
    if (lost > 0) {
      notes_.push_back(std::to_string(lost) + (lost == 1 ? " material's picture is" : " materials' pictures are") +
                       " not embedded in the file as PNG or JPEG, and left out.");
    }
  }

  // PNG and JPEG, which glTF knows; -1: neither.
  int add_picture(const aiTexture* texture) {
    if (texture == nullptr || texture->mHeight != 0) return -1;
    const auto known = pictures_.find(texture);
    if (known != pictures_.end()) return known->second;
    const std::string bytes(reinterpret_cast<const char*>(texture->pcData), texture->mWidth);
    const bool png = bytes.rfind("\x89PNG", 0) == 0, jpeg = bytes.rfind("\xFF\xD8", 0) == 0;
    if (!png && !jpeg) return -1;
    out_.buffer.append((8 - out_.buffer.size() % 8) % 8, '\0');
    Json& views = out_.json["bufferViews"];
    views.push_back({{"buffer", 0}, {"byteOffset", out_.buffer.size()}, {"byteLength", bytes.size()}});
    out_.buffer += bytes;
    out_.json["images"].push_back({{"bufferView", views.size() - 1}, {"mimeType", png ? "image/png" : "image/jpeg"}});
    out_.json["textures"].push_back({{"source", out_.json["images"].size() - 1}});
    const int index = static_cast<int>(out_.json["textures"].size()) - 1;
    pictures_.emplace(texture, index);
    return index;
  }

  // All meshes of a node are one in glTF, with one skin. Vertices that no bone moves follow the node itself.
  void add_mesh(std::size_t n) {
    const aiNode& node = *nodes_[n];
    std::vector<int> bones;       // nodes
    std::vector<float> inverse;   // 16 each
    std::map<int, int> place_of;  // in `bones`, by node
    const auto bone = [&](int of, const aiMatrix4x4& offset) {
      const auto [found, fresh] = place_of.emplace(of, static_cast<int>(bones.size()));
      if (fresh) {
        bones.push_back(of);
        aiMatrix4x4 m = offset;
        for (float* along : {&m.a4, &m.b4, &m.c4}) *along *= static_cast<float>(metres_);
        m.d1 = m.d2 = m.d3 = 0.0F;
        m.d4 = 1.0F;
        m.Transpose();  // columns after each other
        const float* all = &m.a1;
        inverse.insert(inverse.end(), all, all + 16);
      }
      return found->second;
    };
    bool skinned = false;
    for (unsigned k = 0; k < node.mNumMeshes; ++k) skinned = skinned || scene_.mMeshes[node.mMeshes[k]]->HasBones();
    Json primitives = Json::array();
    for (unsigned k = 0; k < node.mNumMeshes; ++k) {
      const aiMesh& mesh = *scene_.mMeshes[node.mMeshes[k]];
      if ((mesh.mPrimitiveTypes & aiPrimitiveType_TRIANGLE) == 0 || mesh.mNumVertices == 0) continue;
      Json attributes = vertices(mesh);
      if (skinned) {
        std::vector<std::uint16_t> joints(4 * static_cast<std::size_t>(mesh.mNumVertices), 0);
        std::vector<float> weights(joints.size(), 0.0F);
        const auto influence = [&](std::size_t vertex, int joint, float weight) {
          for (std::size_t i = 4 * vertex; i < 4 * vertex + 4; ++i) {
            if (weights[i] > 0.0F) continue;
            joints[i] = static_cast<std::uint16_t>(joint);
            weights[i] = weight;
            return;
          }
        };
        for (unsigned b = 0; b < mesh.mNumBones; ++b) {
          const auto of = by_name_.find(mesh.mBones[b]->mName.C_Str());
          if (of == by_name_.end()) continue;
          const int joint = bone(of->second, mesh.mBones[b]->mOffsetMatrix);
          for (unsigned w = 0; w < mesh.mBones[b]->mNumWeights; ++w) {
            const aiVertexWeight& given = mesh.mBones[b]->mWeights[w];
            if (given.mVertexId < mesh.mNumVertices && given.mWeight > 0.0F) {
              influence(given.mVertexId, joint, given.mWeight);
            }
          }
        }
        for (std::size_t v = 0; v < mesh.mNumVertices; ++v) {
          float* w = weights.data() + 4 * v;
          const float sum = w[0] + w[1] + w[2] + w[3];
          if (!(sum > 0.0F)) influence(v, bone(static_cast<int>(n), aiMatrix4x4()), 1.0F);
          for (int i = 0; sum > 0.0F && i < 4; ++i) w[i] /= sum;
        }
        attributes["JOINTS_0"] = out_.add_accessor(joints, {"VEC4", 4, 5123, kGltfVertices});
        attributes["WEIGHTS_0"] = out_.add_floats(weights, "VEC4", 4, kGltfVertices);
      }
      std::vector<std::uint32_t> indices;
      for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
        const aiFace& face = mesh.mFaces[f];
        if (face.mNumIndices == 3) indices.insert(indices.end(), face.mIndices, face.mIndices + 3);
      }
      if (indices.empty()) continue;
      Json primitive;
      primitive["attributes"] = std::move(attributes);
      primitive["indices"] = out_.add_accessor(indices, {"SCALAR", 1, 5125, kGltfIndices});
      if (mesh.mMaterialIndex < scene_.mNumMaterials) primitive["material"] = mesh.mMaterialIndex;
      primitives.push_back(std::move(primitive));
    }
    if (primitives.empty()) return;
    Json& json = out_.json["nodes"][n];
    json["mesh"] = out_.json.contains("meshes") ? out_.json["meshes"].size() : 0;
    out_.json["meshes"].push_back({{"primitives", std::move(primitives)}});
    if (!skinned || bones.empty()) return;
    json["skin"] = out_.json.contains("skins") ? out_.json["skins"].size() : 0;
    out_.json["skins"].push_back({{"inverseBindMatrices", out_.add_floats(inverse, "MAT4", 16)}, {"joints", bones}});
  }

  Json vertices(const aiMesh& mesh) {
    Json attributes;
    std::vector<float> positions, normals, places;
    const auto add = [](std::vector<float>& to, const aiVector3D& v, double factor, int width) {
      for (int i = 0; i < width; ++i) {
        const double x = factor * v[static_cast<unsigned>(i)];
        to.push_back(static_cast<float>(std::isfinite(x) ? x : 0.0));
      }
    };
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      add(positions, mesh.mVertices[v], metres_, 3);
      if (mesh.HasNormals()) {
        aiVector3D normal = mesh.mNormals[v];
        add(normals, normal.SquareLength() > 0.0F ? normal.Normalize() : aiVector3D(0.0F, 0.0F, 1.0F), 1.0, 3);
      }
      if (!mesh.HasTextureCoords(0)) continue;
      const aiVector3D& at = mesh.mTextureCoords[0][v];
      add(places, aiVector3D(at.x, 1.0F - at.y, 0.0F), 1.0, 2);  // glTF counts from the top
    }
    attributes["POSITION"] = out_.add_floats(positions, "VEC3", 3, kGltfVertices, true);
    if (!normals.empty()) attributes["NORMAL"] = out_.add_floats(normals, "VEC3", 3, kGltfVertices);
    if (!places.empty()) attributes["TEXCOORD_0"] = out_.add_floats(places, "VEC2", 2, kGltfVertices);
    return attributes;
  }

  // --- motions -------------------------------------------------------------------------------------------------------

  void add_animation(const aiAnimation& animation) {
    const double rate = animation.mTicksPerSecond > 0.0 ? animation.mTicksPerSecond : 25.0;
    Json channels = Json::array(), samplers = Json::array();
    const auto add = [&](int node, const char* path, const std::vector<float>& times, const std::vector<float>& values,
                         const char* type, int width) {
      samplers.push_back({{"input", times_accessor(times)}, {"output", out_.add_floats(values, type, width)}});
      channels.push_back({{"sampler", samplers.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
    };
    for (unsigned c = 0; c < animation.mNumChannels; ++c) {
      const aiNodeAnim& channel = *animation.mChannels[c];
      const auto found = by_name_.find(channel.mNodeName.C_Str());
      if (found == by_name_.end()) continue;
      const bool root = found->second == 0;
      std::vector<float> times, values;
      for (unsigned k = 0; k < channel.mNumPositionKeys; ++k) {
        if (!add_time(channel.mPositionKeys[k].mTime / rate, times)) continue;
        Transform X = Transform::translate(metres_ * numbers(channel.mPositionKeys[k].mValue));
        if (root) X = standing(X);
        for (int i = 0; i < 3; ++i) values.push_back(static_cast<float>(X.position[i]));
      }
      if (!times.empty()) add(found->second, "translation", times, values, "VEC3", 3);
      times.clear();
      values.clear();
      for (unsigned k = 0; k < channel.mNumRotationKeys; ++k) {
        if (!add_time(channel.mRotationKeys[k].mTime / rate, times)) continue;
        Transform X = Transform::from(unit_quaternion(channel.mRotationKeys[k].mValue), Vec3::Zero());
        if (root) X = standing(X);
        const Quat turn(X.rotation);
        for (int i = 0; i < 4; ++i) values.push_back(static_cast<float>(turn.coeffs()[i]));
      }
      if (!times.empty()) add(found->second, "rotation", times, values, "VEC4", 4);
    }
    if (channels.empty()) return;
    double frame = 1.0 / rate;
    while (frame < 1.0 / 240.0) frame *= 10.0;  // times in fine ticks
    Json json;
    json["name"] = animation.mName.length > 0 ? to_utf8(animation.mName.C_Str()) : "motion";
    json["channels"] = std::move(channels);
    json["samplers"] = std::move(samplers);
    json["extras"]["armature_frame_time"] = frame;
    out_.json["animations"].push_back(std::move(json));
  }
  // Motions begin at 0; keys before it, and those that do not come later than the one before, are not read.
  static bool add_time(double seconds, std::vector<float>& times) {
    const auto time = static_cast<float>(seconds);
    if (!(time >= 0.0F) || !std::isfinite(time) || (!times.empty() && !(time > times.back()))) return false;
    times.push_back(time);
    return true;
  }
  int times_accessor(const std::vector<float>& times) {
    if (last_input_ < 0 || times != last_times_) {
      last_input_ = out_.add_floats(times, "SCALAR", 1, 0, true);
      last_times_ = times;
    }
    return last_input_;
  }

  const aiScene& scene_;
  std::vector<std::string>& notes_;
  const Document nothing_ = {};
  const WriteOptions plain_ = {};
  GltfOutput out_;
  double metres_ = 0.01;
  bool lies_ = false;  // z points up
  std::vector<const aiNode*> nodes_;
  std::unordered_map<std::string, int> by_name_;
  std::unordered_map<const aiTexture*, int> pictures_;
  std::vector<float> last_times_;
  int last_input_ = -1;
};

Result<Document> read_with_assimp(std::string_view bytes, const ReadOptions& options) {
  const Source source{bytes, options.file_name};
  Assimp::Importer importer;
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  const aiScene* scene = importer.ReadFileFromMemory(bytes.data(), bytes.size(), kPostProcess, "fbx");
  if (scene == nullptr || scene->mRootNode == nullptr) {
    std::string why = importer.GetErrorString();
    for (char& c : why) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // one line
    return source.error("This FBX file cannot be read (assimp: " + (why.empty() ? "no reason given" : why) + ").");
  }
  std::vector<std::string> notes;
  FbxToGltf made(*scene, notes);
  if (!made.convert()) return source.error("The file has more than 100,000 nodes.");
  ReadOptions inner;
  inner.file_name = options.file_name;
  Result<Document> document = read_glb(made.glb(), inner);
  if (document) document->notes.insert(document->notes.begin(), notes.begin(), notes.end());
  return document;
}

}  // namespace

void use_fbx() { set_fbx_reader(read_with_assimp); }

}  // namespace armature::inline v0_2
