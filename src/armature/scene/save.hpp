// Motions from files, and files from models and motions: the format is told by the extension.
#pragma once

#include <string>
#include <vector>

#include "armature/formats/document.hpp"
#include "armature/model/model.hpp"
#include "armature/motion/clip.hpp"
#include "armature/scene/scene.hpp"

namespace armature::inline v0_2 {

/// One of the motions of a document, by name or number; "": the first. The error names the file and its motions.
Result<Clip> choose_clip(const Document& document, const std::string& clip, const std::string& file);

/// A motion with its model, from a file that holds both (.bvh, .glb, .gltf, .jsonl, .json).
Result<Clip> load_clip(const std::string& path, const std::string& clip = "");

/// Writes a file, whole or not at all, and returns what its format cannot carry, one sentence each.
Result<std::vector<std::string>> save(const std::string& path, const Document& document, WriteOptions options = {});
Result<std::vector<std::string>> save(const std::string& path, const Model& model, const WriteOptions& options = {});
Result<std::vector<std::string>> save(const std::string& path, const Scene& scene);
/// The clip must know its model; a file that the model came from keeps its meshes and skins (glTF).
Result<std::vector<std::string>> save(const std::string& path, const Clip& clip, const WriteOptions& options = {});

}  // namespace armature::inline v0_2
