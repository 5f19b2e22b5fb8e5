// Scenes from files, and the files that they name.
#include <algorithm>
#include <filesystem>

#include "armature/base/suggest.hpp"
#include "armature/scene/scene.hpp"

namespace armature::inline v0_2 {
namespace {

namespace fs = std::filesystem;

Result<OpenFile> open_named(const std::string& path, const std::string& folder) {
  return open_below(path, std::span(&folder, 1));
}

Result<std::string> read_below(const std::string& name, const std::string& folder) {
  const std::string path = (fs::path(folder) / name).string();
  const Result<OpenFile> file = open_named(path, folder);
  if (!file) return file.error();
  return read_open_file(*file, path);
}

Result<LoadedModel> load_below(const std::string& name, const std::string& folder, const ReadOptions& options) {
  const std::string path = (fs::path(folder) / name).string();
  const Result<OpenFile> file = open_named(path, folder);
  if (!file) return file.error();
  Result<std::string> bytes = read_open_file(*file, path);
  if (!bytes) return bytes.error();
  const Beside beside{fs::path(path).parent_path().string(), options.mesh_root, options.max_bytes};
  return open_model(ModelSource{std::move(*bytes), path, beside}, options);
}

Result<std::string> folder_below(const std::string& name, const std::string& folder) {
  const fs::path path = fs::path(folder) / name;
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed), root = fs::canonical(folder.empty() ? "." : folder, failed);
  const auto [in_root, in_path] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
  if (!failed && in_root == root.end() && fs::is_directory(real, failed)) return path.string();
  return Error{"There is no folder " + armature::detail::quoted(name) +
               " below the scene's; only --mesh-root may name another."};
}

}  // namespace

SceneArguments with_files(SceneArguments arguments) {
  arguments.load = open_model;
  arguments.load_below = load_below;
  arguments.read_below = read_below;
  arguments.folder_below = folder_below;
  return arguments;
}

Result<Scene> load_scene(const std::string& path, SceneArguments arguments) {
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  if (arguments.folder.empty() && path != "-") arguments.folder = fs::path(path).parent_path().string();
  return read_scene(std::move(*text), path == "-" ? "Standard input" : path, with_files(std::move(arguments)));
}

}  // namespace armature::inline v0_2
