// Fuzzes the targets of a batch, as .jsonl and as .csv, for a scene with a goal and for one without. Every line gives a
// goal that fits the model and a finite start, or a sentence that names the line.
#include "armature/scene/targets.hpp"

#include <stdlib.h>

#include <cstdio>
#include <filesystem>

#include "support/choices.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

// One folder for the whole run, taken away at its end.
class Folder {
 public:
  Folder() { demand(mkdtemp(path_.data()) != nullptr, "there is a folder for temporary files"); }
  ~Folder() {
    for (const char* name : {"/targets.jsonl", "/targets.csv"}) std::remove((path_ + name).c_str());
    std::remove(path_.c_str());
  }
  std::string file(const char* name, const std::uint8_t* data, std::size_t size) {
    std::string path = path_ + name;
    std::FILE* file = std::fopen(path.c_str(), "wb");
    demand(file != nullptr && std::fwrite(data, 1, size, file) == size && std::fclose(file) == 0, "a file is written");
    return path;
  }

 private:
  std::string path_ =
      (std::filesystem::temp_directory_path() / "armature-fuzz-XXXXXX").string();  // mkdtemp fills the X
};

void read_all(const std::string& path, Scene scene) {
  TargetReader reader(path, scene);
  demand(reader.open().ok(), "a regular file opens");
  Target target;
  for (int lines = 0; lines < 1000; ++lines) {
    const Result<bool> more = reader.next(target);
    if (!more) {
      context() = "; " + more.message();
      demand(more.message().find("line ") != std::string::npos, "a refusal names the line");
      return;
    }
    if (!*more) return;
    demand(target.start.size() == scene.model.q_size() && target.start.allFinite(), "a start is finite");
    demand(check_goal(target.goal, scene.model).ok(), "a target fits the model");
    demand(scene.notes.size() <= 20, "a long stream has few notes");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Folder folder;
  static const Scene plain = read_scene(R"({"model": "panda"})", "plain", {}).value();
  static const Scene with_goal =
      read_scene(R"({"model": "panda", "goals": [{"type": "pose", "target": "here"}]})", "with goal", {}).value();
  context().clear();
  for (const char* name : {"/targets.jsonl", "/targets.csv"}) {
    const std::string path = folder.file(name, data, size);
    read_all(path, plain);
    read_all(path, with_goal);
  }
  return 0;
}
