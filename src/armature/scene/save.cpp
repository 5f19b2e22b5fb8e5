#include "armature/scene/save.hpp"

#include "armature/base/suggest.hpp"
#include "armature/formats/registry.hpp"
#include "armature/scene/files.hpp"
#include "armature/scene/load.hpp"

namespace armature::inline v0_2 {

Result<Clip> choose_clip(const Document& document, const std::string& clip, const std::string& file) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < document.clips.size(); ++i) {
    names.push_back(document.clips[i].name);
    if (clip.empty() || clip == names.back() || clip == std::to_string(i)) return document.clips[i];
  }
  if (names.empty()) return Error{detail::quoted(file) + " holds no motion."};
  return Error{file + ": " + unknown_name("motion", clip, names)};
}

Result<Clip> load_clip(const std::string& path, const std::string& clip) {
  const Result<LoadedModel> loaded = open_model(path);
  if (!loaded) return loaded.error();
  Result<Clip> chosen = choose_clip(loaded->document, clip, path);
  if (chosen) chosen->model = loaded->model;
  return chosen;
}

Result<std::vector<std::string>> save(const std::string& path, const Document& document, WriteOptions options) {
  const Result<const Format*> format = format_for_writing(path);
  if (!format) return format.error();
  if (!document.clips.empty() && !(*format)->motion) {
    return Error{detail::quoted(path) + " would hold no motion; write .bvh, .glb, .csv, .jsonl or .json."};
  }
  std::vector<std::string> notes;
  options.notes = &notes;
  const Result<std::string> bytes = write_document(document, **format, options);
  if (!bytes) return bytes.error();
  if (const Status status = write_file_atomically(path, *bytes); !status) return status.error();
  return notes;
}

Result<std::vector<std::string>> save(const std::string& path, const Model& model, const WriteOptions& options) {
  Document document;
  document.linkage = model.linkage();
  return save(path, document, options);
}

Result<std::vector<std::string>> save(const std::string& path, const Clip& clip, const WriteOptions& options) {
  if (clip.model.empty()) return Error{"This motion does not know its model; set clip.model."};
  Document document;
  document.linkage = clip.model.linkage();
  document.clips = {clip};
  return save(path, document, options);
}

Result<std::vector<std::string>> save(const std::string& path, const Scene& scene) {
  if (const Status status = can_be_written(scene); !status) return status.error();
  if (const Status status = write_file_atomically(path, to_json(scene)); !status) return status.error();
  return std::vector<std::string>{};
}

}  // namespace armature::inline v0_2
