#include "armature/scene/load.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "armature/base/suggest.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/srdf.hpp"
#include "armature/formats/xml.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/uri.hpp"

namespace armature::inline v0_2 {
namespace {

namespace fs = std::filesystem;

// What follows "package://" or "model://"; nothing where the address is of neither kind.
std::string_view in_package(std::string_view uri) {
  for (const std::string_view scheme : {"package://", "model://"}) {
    if (uri.substr(0, scheme.size()) == scheme) return uri.substr(scheme.size());
  }
  return {};
}

// A model may name anything on the machine; only what it can have a use for is opened.
Status check_kind(const std::string& path, FileKind kind) {
  std::string extension = fs::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  struct Known {
    const char* what;
    std::vector<std::string> extensions;
  };
  const Known known = kind == FileKind::mesh   ? Known{"a mesh", {".stl", ".obj", ".dae"}}
                      : kind == FileKind::mjcf ? Known{"a part of a MuJoCo model", {".xml", ".mjcf"}}
                      : kind == FileKind::sdf  ? Known{"an SDF model", {".sdf"}}
                                               : Known{"a buffer of glTF", {".bin", ".glbin", ".glbuf"}};
  if (std::count(known.extensions.begin(), known.extensions.end(), extension) > 0) return {};
  return Error{armature::detail::quoted(path) + " is not " + known.what + " (" + detail::join(known.extensions) + ")."};
}

struct Place {
  fs::path file;
  std::vector<std::string> roots;
};

// "package://arm/meshes/base.stl" is below mesh_root, or in the folder `arm` that the model lies in, or in one beside
// it. Any other path is seen from the model's folder, and may lead to mesh_root; it may also be seen from there.
std::vector<Place> places_of(const Beside& beside, const std::string& path, bool package) {
  std::vector<Place> places;
  const fs::path folder(beside.folder);
  if (!package) places.push_back({folder / path, {beside.folder}});
  if (!package && !beside.mesh_root.empty()) places.back().roots.push_back(beside.mesh_root);
  if (!beside.mesh_root.empty()) places.push_back({fs::path(beside.mesh_root) / path, {beside.mesh_root}});
  if (!package || !beside.mesh_root.empty()) return places;
  places.push_back({folder / path, {beside.folder}});
  const fs::path name = *fs::path(path).begin();
  std::error_code failed;
  fs::path above = fs::canonical(folder.empty() ? "." : folder, failed);
  for (; !failed && above != above.parent_path(); above = above.parent_path()) {
    if (above.filename() != name) continue;
    places.push_back({above / fs::path(path).lexically_relative(name), {above.string()}});
  }
  return places;
}

// The SRDF that was named, or else the one beside the URDF with its name.
Status add_srdf(const ModelSource& source, const std::string& named, Document& document) {
  std::string path = named;
  if (path.empty()) {
    std::error_code failed;
    if (!fs::is_regular_file(source.file_name, failed)) return {};
    path = fs::path(source.file_name).replace_extension(".srdf").string();
    if (!fs::is_regular_file(path, failed)) return {};
  }
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  return read_srdf(*bytes, path, document.linkage, document.notes);
}

const BuiltinModel* find_builtin(std::string_view name) {
  for (const BuiltinModel& model : builtin_models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

}  // namespace

Result<OpenFile> open_beside(const Beside& beside, std::string_view uri, FileKind kind) {
  const bool may = kind == FileKind::mesh || kind == FileKind::sdf;
  const bool package = may && !in_package(uri).empty();
  const Result<std::string> path = path_of_uri(package ? in_package(uri) : uri);
  if (!path) return path.error();
  if (const Status status = check_kind(*path, kind); !status) return status.error();
  Result<OpenFile> first = Error{};
  for (const Place& place : places_of(beside, *path, package)) {
    Result<OpenFile> file = open_below(place.file.string(), place.roots, beside.max_bytes);
    if (file) return file;
    if (first.message().empty()) first = std::move(file);
  }
  return first;
}

Result<std::string> load_beside(std::string_view uri, void* beside) {
  const auto& place = *static_cast<const Beside*>(beside);
  const Result<OpenFile> file = open_beside(place, uri, place.kind);
  if (!file) return file.error();
  return read_open_file(*file, std::string(uri));
}

Result<std::string> load_carried(std::string_view uri, void* files) {
  const auto& known = *static_cast<const std::map<std::string, std::string>*>(files);
  const std::string_view inside = in_package(uri);
  const Result<std::string> path = path_of_uri(inside.empty() ? uri : inside);
  if (!path) return path.error();
  const std::string name = name_of_uri(uri);
  for (const std::string& key : {*path, name}) {
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  return Error{"It refers to " + armature::detail::quoted(name) +
               ", which was not opened with it. Open or drop both files together."};
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const BuiltinModel& model : builtin_models()) names.emplace_back(model.name);
  return names;
}

Result<ModelSource> find_model(const std::string& model, const ReadOptions& options) {
  if (const BuiltinModel* builtin = find_builtin(model)) {
    return ModelSource{std::string(builtin->json), model + ".json", {}};
  }
  std::error_code failed;
  if (model != "-" && fs::status(model, failed).type() == fs::file_type::not_found) {
    const std::string hint = did_you_mean(model, builtin_names());
    return Error{"There is no file and no built-in model " + armature::detail::quoted(model) +
                 (hint.empty() ? "." : hint) + " Built-in models: " + detail::join(builtin_names(), 60) + "."};
  }
  Result<std::string> bytes = read_file(model, options.max_bytes);
  if (!bytes) return bytes.error();
  const bool piped = model == "-";
  const std::string_view root = xml_root_name(*bytes);
  const FileKind kind = root == "mujoco" ? FileKind::mjcf : root == "sdf" ? FileKind::sdf : FileKind::gltf_buffer;
  Beside beside{piped ? "" : fs::path(model).parent_path().string(), options.mesh_root, options.max_bytes, kind};
  return ModelSource{std::move(*bytes), piped ? "standard input" : model, std::move(beside)};
}

Result<Document> read_document(const ModelSource& source, ReadOptions options) {
  if (options.file_name.empty()) options.file_name = source.file_name;
  Beside beside = source.beside;
  if (options.load == nullptr) {
    options.load = load_beside;
    options.load_context = &beside;
  }
  Result<Document> document = read_document(std::string_view(source.bytes), options);
  if (!document || xml_root_name(source.bytes) != "robot") return document;
  if (const Status status = add_srdf(source, options.srdf, *document); !status) return status.error();
  return document;
}

Result<Document> load_document(const std::string& model, const ReadOptions& options) {
  const Result<ModelSource> source = find_model(model, options);
  if (!source) return source.error();
  return read_document(*source, options);
}

Result<Model> load_model(const std::string& model, const ReadOptions& options) {
  Result<LoadedModel> loaded = open_model(model, options);
  if (!loaded) return loaded.error();
  return std::move(loaded->model);
}

Result<LoadedModel> open_model(const std::string& model, const ReadOptions& options) {
  const Result<ModelSource> source = find_model(model, options);
  if (!source) return source.error();
  return open_model(*source, options);
}

Result<LoadedModel> open_model(const ModelSource& source, const ReadOptions& options) {
  Result<Document> document = read_document(source, options);
  if (!document) return document.error();
  Result<Model> compiled = compile(document->linkage);
  if (!compiled) return compiled.error();
  return LoadedModel{std::move(*document), std::move(*compiled), source.beside};
}

}  // namespace armature::inline v0_2
