// Models by name or path, and the files that a model names: the one way of every surface (command line, Python,
// server).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/document.hpp"
#include "armature/model/model.hpp"
#include "armature/scene/files.hpp"
#include "armature/scene/kept_bodies.hpp"

namespace armature::inline v0_2 {

enum class FileKind { gltf_buffer, mesh, mjcf, sdf };

/// What a model may read besides itself. Its URIs are relative to its folder and stay below it, or below `mesh_root`,
/// after all links are resolved.
struct Beside {
  std::string folder;     // of the model; "": the working directory
  std::string mesh_root;  // where package:// and model:// lead; "": to the enclosing folder with the package's name
  std::size_t max_bytes = kMaxFileBytes;
  FileKind kind = FileKind::gltf_buffer;  // of what its reader asks for: a glTF's buffers, what MJCF and SDF include
};

/// Opens a file that a model names. Refused with a sentence: other kinds of names than path_of_uri allows, other
/// extensions than the kind's, and what open_below refuses.
Result<OpenFile> open_beside(const Beside& beside, std::string_view uri, FileKind kind);

/// The bytes of a file that the reader asks for, of its kind; `beside` is a Beside. Fits ReadOptions::load.
Result<std::string> load_beside(std::string_view uri, void* beside);

/// The same from files that came along, by path or by their last name; `files` is a map from names to bytes.
Result<std::string> load_carried(std::string_view uri, void* files);

/// Names of the built-in models.
std::vector<std::string> builtin_names();

/// A model's bytes, found but not yet understood.
struct ModelSource {
  std::string bytes;
  std::string file_name;
  Beside beside;
};

/// `model` is a built-in name, a file, or "-" for standard input; the error for anything else names the nearest.
Result<ModelSource> find_model(const std::string& model, const ReadOptions& options = {});
/// With the source's name and the files beside it, unless `options` bring their own.
Result<Document> read_document(const ModelSource& source, ReadOptions options = {});

/// Both steps. Notes are left in the document.
Result<Document> load_document(const std::string& model, const ReadOptions& options = {});

/// A built-in name, a file, or "-" for standard input -> a model.
Result<Model> load_model(const std::string& model, const ReadOptions& options = {});

/// The same with everything else that its file holds.
struct LoadedModel {
  Document document;
  Model model;
  Beside beside = {};                                                      // where its meshes are
  std::shared_ptr<const std::map<std::string, std::string>> carried = {};  // files that came along, by name
  KeptBodies bodies = {};                                                  // bodies_of asks for them
};
Result<LoadedModel> open_model(const std::string& model, const ReadOptions& options = {});
Result<LoadedModel> open_model(const ModelSource& source, const ReadOptions& options = {});

}  // namespace armature::inline v0_2
