// What `armature studio FILE` gives to the page: the file, and the files that it names (buffers of a glTF, meshes of a
// robot) as far as they are there. Nothing else of the machine is served.
#pragma once

#include <string>
#include <vector>

namespace armature::cli {

struct ServedFile {
  std::string name;  // without folders, as the page knows it
  std::string path;
};

struct ServedFiles {
  ServedFile main;
  std::vector<ServedFile> beside;
  int missing = 0;  // meshes that are named but not found
};

/// Reads `path` to find what it names; throws BadInput when it cannot be read. `mesh_root` is the folder that
/// package:// leads to; when it is empty, packages are looked for in the folders above the file.
ServedFiles find_served_files(const std::string& path, const std::string& mesh_root);

}  // namespace armature::cli
