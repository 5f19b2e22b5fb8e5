// Scenes from files, and the files that they name.
#include <filesystem>

#include "armature/scene/scene.hpp"

namespace armature {
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
  if (const Result<OpenFile> file = open_named(path, folder); !file) return file.error();
  return load_model(path, options);
}

}  // namespace

SceneArguments with_files(SceneArguments arguments) {
  arguments.load = load_model;
  arguments.load_below = load_below;
  arguments.read_below = read_below;
  return arguments;
}

Result<Scene> load_scene(const std::string& path, SceneArguments arguments) {
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  if (arguments.folder.empty() && path != "-") arguments.folder = fs::path(path).parent_path().string();
  return read_scene(std::move(*text), path == "-" ? "Standard input" : path, with_files(std::move(arguments)));
}

}  // namespace armature
