#include "armature/parallel/retarget_files.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "armature/base/suggest.hpp"
#include "armature/formats/registry.hpp"
#include "armature/scene/files.hpp"
#include "armature/scene/npy.hpp"
#include "armature/scene/save.hpp"

namespace armature::inline v0_2 {
namespace {

std::string stem_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name.substr(0, name.rfind('.'));
}

// Numbers and texts of a row, one behind the other, then the file.
struct RowHead {
  std::int32_t frames = 0, bones = 0;
  double largest_slide = 0.0, hand_error = 0.0;
  std::uint64_t error_bytes = 0;
};

class RetargetJob : public Job {
 public:
  RetargetJob(const std::vector<std::string>& motions, const Model& target, const Format& format,
              const RetargetFilesOptions& options)
      : motions_(motions), target_(target), format_(format), options_(options) {}

  int count() const override { return static_cast<int>(motions_.size()); }
  void prepare(int /*workers*/) override {}

  std::string run(int piece, int /*worker*/) override {
    RowHead head;
    const Result<std::string> made = carry_over(motions_[static_cast<std::size_t>(piece)], head);
    head.error_bytes = made ? 0 : made.message().size();
    std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
    return bytes + (made ? *made : made.message());
  }

  Status take(int piece, std::string_view bytes) override {
    RowHead head;
    if (bytes.size() < sizeof head) return Error{"A piece of the answers is damaged."};
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes.remove_prefix(sizeof head);
    const std::string& motion = motions_[static_cast<std::size_t>(piece)];
    RetargetedFile row{motion, "", "", head.frames, head.bones, head.largest_slide, head.hand_error};
    if (head.error_bytes > 0) {
      row.error = bytes;
    } else {
      row.out = options_.out + "/" + stem_of(motion) + "." + options_.extension;
      if (Status status = write_file_atomically(row.out, bytes); !status) return status;
    }
    rows.push_back(std::move(row));
    return {};
  }

  std::vector<RetargetedFile> rows;

 private:
  Result<std::string> carry_over(const std::string& motion, RowHead& head) const {
    const Result<Clip> clip = load_clip(motion, options_.clip);
    if (!clip) return clip.error();
    if (clip->frame_count() == 0) return Error{detail::quoted(motion) + " holds no such motion."};
    Result<Retargeted> result = retarget(*clip, target_, options_.retarget);
    if (!result) return result.error();
    if (result->clip.name.empty()) result->clip.name = clip->model.name();
    head.frames = result->clip.frame_count();
    head.bones = static_cast<std::int32_t>(result->bone_map.size());
    head.largest_slide = result->largest_slide;
    head.hand_error = result->hand_error;
    Document answer;
    const Model carrier = result->clip.model;
    answer.linkage = carrier.linkage();
    answer.clips.push_back(std::move(result->clip));
    if (options_.only_skeleton) answer.linkage.extra.reset();
    for (const Clip& own : options_.clips) {
      const bool several = std::string_view(format_.name) == "glb" || std::string_view(format_.name) == "gltf";
      if (!several || options_.only_skeleton || own.name == answer.clips[0].name) continue;
      if (own.q_size != target_.q_size())
        return Error{"The target's own motion " + detail::quoted(own.name) + " is of another model."};
      Clip kept = own;
      kept.q_size = carrier.q_size();
      kept.values.clear();
      for (int f = 0; f < own.frame_count(); ++f) kept.append(carry_pose(target_, carrier, own.frame(f)));
      answer.clips.push_back(std::move(kept));
    }
    std::vector<std::string> lost;
    WriteOptions writing;
    writing.notes = &lost;
    return write_document(answer, format_, writing);
  }

  const std::vector<std::string>& motions_;
  const Model& target_;
  const Format& format_;
  const RetargetFilesOptions& options_;
};

std::uint64_t fingerprint_of(const std::vector<std::string>& motions, const Model& target,
                             const RetargetFilesOptions& options) {
  std::string text = options.out + options.extension + options.clip + (options.only_skeleton ? "1" : "0");
  for (const Clip& own : options.clips) text += own.name + '/' + std::to_string(own.frame_count());
  for (const auto& [to, from] : options.retarget.bone_map) text += to + '=' + from + ';';
  const RetargetOptions& r = options.retarget;
  for (const bool flag : {r.keep_feet, r.keep_hands, r.within_limits, r.float_root}) text += flag ? '1' : '0';
  for (const double number : {r.root_scale, r.still_speed, r.blend}) text += std::to_string(number) + ';';
  for (const double number : r.target_pose) text += std::to_string(number) + ';';
  for (const std::string& motion : motions) {
    text += motion;
    if (const Result<RandomFile> file = RandomFile::open(motion)) {
      text += std::to_string(file->size()) + "/" + std::to_string(file->written());
    }
  }
  std::uint64_t hash = target.fingerprint();
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;  // FNV-1a
  return hash;
}

}  // namespace

Result<std::vector<std::string>> motions_in(const std::string& folder) {
  Result<std::vector<std::string>> names = files_in(folder);
  if (!names) return names;
  std::vector<std::string> motions;
  for (const std::string& name : *names) {
    for (const char* extension : {".bvh", ".glb", ".gltf", ".fbx", ".csv", ".jsonl"}) {
      const std::string_view end = extension;
      if (name.size() > end.size() && name.substr(name.size() - end.size()) == end)
        motions.push_back(folder + "/" + name);
    }
  }
  if (motions.empty())
    return Error{"The folder " + detail::quoted(folder) + " holds no .bvh, .glb, .gltf, .fbx, .csv or .jsonl."};
  return motions;
}

Result<RetargetFilesReport> retarget_files(const std::vector<std::string>& motions, const Model& target,
                                           const RetargetFilesOptions& options) {
  const Result<const Format*> format = format_for_writing("x." + options.extension);
  if (!format) return format.error();
  if (!(*format)->motion)
    return Error{"A ." + options.extension + " would hold no motion; write bvh, glb, csv or jsonl."};
  std::set<std::string> stems;
  for (const std::string& motion : motions) {
    if (!stems.insert(stem_of(motion)).second) {
      return Error{"Two motions are called " + detail::quoted(stem_of(motion)) + "; their answers would be one file."};
    }
  }
  RetargetJob job(motions, target, **format, options);
  JobOptions own = options;
  own.fingerprint = fingerprint_of(motions, target, options);
  const Result<bool> done = run_job(job, own);
  if (!done) return done.error();
  return RetargetFilesReport{std::move(job.rows), *done};
}

}  // namespace armature::inline v0_2
