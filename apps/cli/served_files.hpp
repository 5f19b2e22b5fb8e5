// What `armature studio FILE` gives to the page: the file, and the files that it names (buffers of a glTF, parts that
// an MJCF includes, meshes of a robot) as far as they are there and the rule of scene/load allows. Nothing else of the
// machine is served.
#pragma once

#include <string>
#include <vector>

#include "armature/scene/load.hpp"

namespace armature::cli {

struct ServedFile {
  std::string name;  // without folders, as the page knows it
  std::string uri;   // as the model names it
  FileKind kind = FileKind::mesh;
};

struct ServedFiles {
  std::string name;  // of the model, without folders
  std::string path;
  Beside place;
  std::vector<ServedFile> beside;
  int missing = 0;       // meshes that are named but not found, or not allowed
  std::string shadowed;  // a name that several files have: the page knows them without folders
};

/// Reads `path` to find what it names; throws BadInput when it cannot be read. `mesh_root` is the folder that
/// package:// leads to.
ServedFiles find_served_files(const std::string& path, const std::string& mesh_root);

}  // namespace armature::cli
