// Fuzzes arrays of targets, .npy and .npz alike: every row gives a goal that fits the model and a finite start, or a
// sentence that names the file.
#include <stdlib.h>

#include <cstdio>
#include <filesystem>

#include "armature/scene/target_table.hpp"
#include "support/choices.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

// One folder for the whole run, taken away at its end.
class Folder {
 public:
  Folder() { demand(mkdtemp(path_.data()) != nullptr, "there is a folder for temporary files"); }
  ~Folder() {
    std::remove(file().c_str());
    std::remove(path_.c_str());
  }
  std::string file() const { return path_ + "/targets.npz"; }

 private:
  std::string path_ =
      (std::filesystem::temp_directory_path() / "armature-fuzz-XXXXXX").string();  // mkdtemp fills the X
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  static const Scene plain = read_scene(R"({"model": "panda"})", "plain", {}).value();
  context().clear();
  std::FILE* const file = std::fopen(folder.file().c_str(), "wb");
  demand(file != nullptr && std::fwrite(data, 1, size, file) == size && std::fclose(file) == 0, "a file is written");
  const Result<Targets> table = Targets::open(folder.file());
  if (!table) {
    context() = "; " + table.message();
    demand(table.message().find("targets.npz") != std::string::npos, "a refusal names the file");
    return 0;
  }
  Scene scene = plain;
  TargetPiece piece;
  for (int number = 0; number < std::min(table->piece_count(), 8); ++number) {
    table->read(number, scene, piece);
    demand(piece.ended.ok() || piece.ended.message().find("targets.npz") != std::string::npos,
           "a refusal names the file");
    for (int k = 0; k < piece.count; ++k) {
      demand(piece.starts.col(k).allFinite(), "a start is finite");
      demand(check_goal(piece.goals[static_cast<std::size_t>(k)], scene.model).ok(), "a target fits the model");
    }
  }
  return 0;
}
