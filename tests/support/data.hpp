// Where tests find files. The project's own lie under its root. The shared collection of real models lies beside the
// project
// (../shared/data, or wherever ARMATURE_DATA points); it is not part of the project, so a test that needs it must be
// able to do without:
//
//   const auto file = shared_data("urdf/panda.urdf");
//   if (!file) return;   // says "SKIPPED: ..." once, and ./test counts it
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace armature::test {

inline std::filesystem::path project_root() {
  const char* root = std::getenv("ARMATURE_ROOT");  // set by ctest
  return root != nullptr ? std::filesystem::path(root) : std::filesystem::current_path();
}

inline std::optional<std::filesystem::path> shared_data(const std::string& name) {
  const char* folder = std::getenv("ARMATURE_DATA");
  const auto path = (folder != nullptr ? std::filesystem::path(folder) : project_root() / "../shared/data") / name;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return path;
  std::printf("SKIPPED: needs the shared data file '%s'\n", name.c_str());
  return std::nullopt;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace armature::test
