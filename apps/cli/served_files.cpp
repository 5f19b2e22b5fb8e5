#include "served_files.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "armature/scene/uri.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 29;  // of one file: more than a page can draw

void add(std::string_view uri, FileKind kind, ServedFiles& files) {
  const std::string name = name_of_uri(uri);
  const auto known =
      std::find_if(files.beside.begin(), files.beside.end(), [&](const ServedFile& f) { return f.name == name; });
  if (known == files.beside.end()) {
    files.beside.push_back({name, std::string(uri), kind});
  } else if (known->uri != uri) {
    files.shadowed = name;
  }
}

Result<std::string> read_and_remember(std::string_view uri, void* context) {
  auto& files = *static_cast<ServedFiles*>(context);
  Result<std::string> bytes = load_beside(uri, &files.place);
  if (bytes) add(uri, files.place.kind, files);
  return bytes;
}

}  // namespace

ServedFiles find_served_files(const std::string& path, const std::string& mesh_root) {
  const std::filesystem::path file(path);
  ReadOptions options;
  options.mesh_root = mesh_root;
  const ModelSource source = need(find_model(path, options));
  ServedFiles files{file.filename().string(), path, source.beside, {}, 0, {}};
  files.place.max_bytes = kMostBytes;
  options.load = read_and_remember;
  options.load_context = &files;
  const Document document = need(read_document(source, options));
  for (const Geometry& geometry : document.linkage.geometries) {
    const auto* mesh = std::get_if<MeshFile>(&geometry.shape);
    if (mesh == nullptr) continue;
    if (open_beside(files.place, mesh->uri, FileKind::mesh)) {
      add(mesh->uri, FileKind::mesh, files);
    } else {
      ++files.missing;
    }
  }
  return files;
}

}  // namespace armature::cli
