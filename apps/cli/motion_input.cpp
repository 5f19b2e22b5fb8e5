#include "motion_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/formats/motion_table.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/files.hpp"
#include "armature/scene/save.hpp"
#include "picture.hpp"

namespace armature::cli {
namespace {

bool motion_ends_with(const std::string& path, const char* extension) {
  const std::size_t dot = path.rfind('.');
  return dot != std::string::npos && path.substr(dot + 1) == extension;
}

}  // namespace

LoadedMotion load_motion(const std::string& model, const std::string& motion, const std::string& clip,
                         const ReadOptions& read) {
  LoadedMotion loaded;
  LoadedModel own = need(open_model(model, read));
  loaded.document = std::move(own.document);
  loaded.model = std::move(own.model);
  loaded.beside = std::move(own.beside);
  if (motion.empty()) {
    if (!loaded.document.clips.empty()) loaded.clip = need(choose_clip(loaded.document, clip, model));
    return loaded;
  }
  const std::string bytes = need(read_file(motion));
  if (motion_ends_with(motion, "csv")) {
    ReadOptions options = read;
    options.file_name = motion;
    loaded.clip = need(read_csv_motion(bytes, loaded.model, options, loaded.document.notes));
    return loaded;
  }
  const Document other = need(load_document(motion, read));
  const Model other_model = need(compile(other.linkage));
  bool same = other_model.q_size() == loaded.model.q_size();
  for (int i = 0; same && i < loaded.model.q_size(); ++i) {
    same = other_model.coordinate_name(i) == loaded.model.coordinate_name(i);
  }
  if (!same) {
    throw BadInput{fmt::format("The motion in {} is of another linkage than {}; `armature retarget` carries it over.",
                               in_quotes(motion), in_quotes(model))};
  }
  loaded.clip = need(choose_clip(other, clip, motion));
  return loaded;
}

void need_frames(const LoadedMotion& motion, const std::string& name) {
  if (motion.clip.frame_count() > 0) return;
  throw BadInput{fmt::format("{} holds no motion (no frames); give a .bvh, .glb, .csv or .jsonl that has frames.",
                             in_quotes(name))};
}

VecX pose_at(const Clip& clip, int frame) { return Eigen::Map<const VecX>(clip.frame(frame), clip.q_size); }

namespace {

const Format& motion_format(const std::string& path) {
  const Result<const Format*> format = format_for_writing(path);
  if (format.ok() && (*format)->motion) return **format;
  throw BadInput{fmt::format("{} {}; write .bvh, .glb, .gltf, .csv, .jsonl, .json, or a film strip as .svg or .png.",
                             in_quotes(path), format.ok() ? "would hold no motion" : "is no file that can be written")};
}

}  // namespace

void check_motion_outputs(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (!is_picture(path)) motion_format(path);
  }
}

void write_motion(const std::string& path, const Document& document, Clip clip, const std::string& up) {
  const Format& format = motion_format(path);
  Document written = document;
  const bool several = std::string_view(format.name) == "glb" || std::string_view(format.name) == "gltf";
  const auto same = [&](const Clip& each) { return !several || each.name == clip.name; };
  written.clips.erase(std::remove_if(written.clips.begin(), written.clips.end(), same), written.clips.end());
  written.clips.insert(written.clips.begin(), std::move(clip));
  std::vector<std::string> lost;
  WriteOptions options;
  options.notes = &lost;
  options.up = up;
  write_output(path, need(write_document(written, format, options)));
  add_notes(lost);
}

}  // namespace armature::cli
