// Clips, skins, edits and writing of a Figure.
#include <algorithm>
#include <cmath>

#include "armature/base/suggest.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/edit.hpp"
#include "convert.hpp"
#include "figure.hpp"
#include "skin.hpp"

namespace armature::js {

val Figure::clips() const {
  val list = val::array();
  for (const Clip& clip : document_.clips) {
    val entry = val::object();
    entry.set("name", clip.name);
    entry.set("frames", clip.frame_count());
    entry.set("seconds_per_frame", clip.frame_time);
    list.call<void>("push", entry);
  }
  return list;
}

val Figure::clip_frame(double clip, double frame) const {
  const int index = integer_of(clip, 0, static_cast<int>(document_.clips.size()) - 1, "clip number");
  const Clip& c = document_.clips[static_cast<std::size_t>(index)];
  if (c.frame_count() == 0 || c.q_size != model_.q_size()) return neutral();
  const int at = std::isnan(frame) ? 0 : static_cast<int>(std::clamp(frame, 0.0, c.frame_count() - 1.0));
  return copy_of(c.frame(at), static_cast<std::size_t>(c.q_size));
}

val Figure::meshes() const { return skin_list(document_, model_); }

val Figure::edit(const val& change) const {
  Document next = document_;
  next.clips.clear();
  Linkage& linkage = next.linkage;
  const auto text = [&](const char* key) { return has(change, key) ? text_of(change[key], key) : std::string(); };
  const auto numbers = [&](const char* key) {
    return has(change, key) ? numbers_of(change[key], key) : std::vector<double>{};
  };
  const std::string kind = text("edit");
  Status status;
  if (kind == "rename_link") {
    status = rename_link(linkage, text("name"), text("to"));
  } else if (kind == "rename_joint") {
    status = rename_joint(linkage, text("name"), text("to"));
  } else if (kind == "remove") {
    status = remove_link(linkage, text("link"));
  } else if (kind == "lock") {
    status = lock_joint(linkage, text("joint"), numbers("value"));
  } else if (kind == "set_limits") {
    Joint* joint = linkage.find_joint(text("joint"));
    if (joint == nullptr) return failure(unknown_name("joint", text("joint"), model_.joint_names()));
    joint->limits.lower = numbers("lower");
    joint->limits.upper = numbers("upper");
  } else if (kind == "scale") {
    status = scale(linkage, number_or(change, "factor", 1.0));
  } else if (kind == "mirror") {
    status = mirror(linkage, format_ == "bvh" || format_ == "gltf" || format_ == "glb" ? 0 : 1, true);
  } else if (kind == "reroot") {
    status = reroot(linkage, text("link"));
  } else if (kind == "extract_chain") {
    Result<Linkage> chain = extract_chain(linkage, text("base"), text("tip"));
    if (!chain) return failure(chain.message());
    linkage = std::move(chain).value();
  } else {
    return failure(unknown_name(
        "edit", kind,
        {"rename_link", "rename_joint", "remove", "lock", "set_limits", "scale", "mirror", "reroot", "extract_chain"}));
  }
  if (!status.ok()) return failure(status.message());
  next.extra.reset();
  Result<std::shared_ptr<Figure>> figure = make(std::move(next), format_);
  return figure ? success(val(figure.value())) : failure(figure.message());
}

val Figure::write(const val& request) const {
  const std::string name = has(request, "format") ? text_of(request["format"], "format") : "";
  const Format* format = nullptr;
  std::vector<std::string> names;
  for (const Format& entry : formats()) {
    if (entry.write == nullptr) continue;
    names.emplace_back(entry.name);
    if (name == entry.name) format = &entry;
  }
  if (format == nullptr) return failure(unknown_name("format", name, names));
  Document document = document_;
  if (has(request, "poses")) {
    Clip clip;
    clip.name = "motion";
    clip.frame_time = number_or(request, "seconds_per_frame", 1.0 / 30.0);
    clip.q_size = model_.q_size();
    clip.values = numbers_of(request["poses"], "poses");
    if (clip.q_size == 0 || clip.values.size() % static_cast<std::size_t>(clip.q_size) != 0) {
      return failure("The motion has " + std::to_string(clip.values.size()) + " numbers; it must be a multiple of " +
                     std::to_string(clip.q_size) + ".");
    }
    document.clips = {std::move(clip)};
  }
  std::vector<std::string> notes;
  WriteOptions options;
  options.notes = &notes;
  const Result<std::string> bytes = write_document(document, *format, options);
  if (!bytes) return failure(bytes.message());
  val out = val::object();
  const auto* data = reinterpret_cast<const unsigned char*>(bytes->data());
  out.set("bytes", val(emscripten::typed_memory_view(bytes->size(), data)).call<val>("slice"));
  out.set("notes", string_array(notes));
  return success(out);
}

}  // namespace armature::js
