#include "served_files.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "common.hpp"
#include "files.hpp"

namespace armature::cli {
namespace {

namespace fs = std::filesystem;

struct Buffers {
  fs::path folder;
  std::vector<fs::path> read;
};

Result<std::string> read_and_remember(std::string_view uri, void* context) {
  auto& buffers = *static_cast<Buffers*>(context);
  const fs::path path = buffers.folder / uri;
  Result<std::string> bytes = read_file(path.string());
  if (bytes) buffers.read.push_back(path);
  return bytes;
}

// "package://arm/meshes/base.stl" is below the folder `arm`, which may be the file's own or lie in any folder above it.
fs::path find_mesh(std::string_view uri, const fs::path& folder, const std::string& mesh_root) {
  constexpr std::string_view kPackage = "package://";
  constexpr std::string_view kFile = "file://";
  std::error_code failed;
  if (uri.substr(0, kFile.size()) == kFile) return uri.substr(kFile.size());
  if (uri.substr(0, kPackage.size()) != kPackage) return folder / uri;
  const fs::path path(uri.substr(kPackage.size()));
  if (path.empty()) return {};
  if (!mesh_root.empty()) return fs::path(mesh_root) / path;
  const fs::path package = *path.begin();
  const fs::path rest = path.lexically_relative(package);
  for (fs::path place = fs::absolute(folder, failed).lexically_normal();; place = place.parent_path()) {
    if (place.filename() == package && fs::is_regular_file(place / rest, failed)) return place / rest;
    if (fs::is_regular_file(place / path, failed)) return place / path;
    if (place == place.parent_path()) return {};
  }
}

// Only what the page can draw: a file may name anything on the machine.
bool is_mesh(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  std::error_code failed;
  return (extension == ".stl" || extension == ".obj" || extension == ".dae") && fs::is_regular_file(path, failed);
}

void add(const fs::path& path, ServedFiles& files) {
  const std::string name = path.filename().string();
  const bool known =
      std::any_of(files.beside.begin(), files.beside.end(), [&](const ServedFile& f) { return f.name == name; });
  if (!known) files.beside.push_back({name, path.string()});
}

}  // namespace

ServedFiles find_served_files(const std::string& path, const std::string& mesh_root) {
  const fs::path folder = fs::path(path).parent_path();
  Buffers buffers{folder, {}};
  ReadOptions options;
  options.load = read_and_remember;
  options.load_context = &buffers;
  const Document document = load_document(path, options);
  ServedFiles files{{fs::path(path).filename().string(), path}, {}, 0};
  for (const fs::path& buffer : buffers.read) add(buffer, files);
  for (const Geometry& geometry : document.linkage.geometries) {
    const auto* mesh = std::get_if<MeshFile>(&geometry.shape);
    if (mesh == nullptr) continue;
    const fs::path found = find_mesh(mesh->uri, folder, mesh_root);
    if (is_mesh(found)) {
      add(found, files);
    } else {
      ++files.missing;
    }
  }
  return files;
}

}  // namespace armature::cli
