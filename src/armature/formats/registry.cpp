// The list of formats, and the detection by content and by extension. To add a format: a .cpp with its functions and
// one line in ARMATURE_FORMATS_LIST.
#include "armature/formats/registry.hpp"

#include <algorithm>

#include "armature/base/suggest.hpp"
#include "armature/formats/adapt.hpp"
#include "armature/formats/bvh.hpp"
#include "armature/formats/source.hpp"
#include "armature/model/compile.hpp"

namespace armature::inline v0_2 {

// X(name, label, extensions, carries motion, is binary): functions detect_NAME, read_NAME, write_NAME.
// Content is asked in this order, so the stricter of two tests comes first. R: read, W: written.
#define ARMATURE_FORMATS_LIST(RW, R, W)                                  \
  RW(json, "Armature linkage", "json", true, false)                      \
  RW(urdf, "Unified Robot Description Format", "urdf xml", false, false) \
  RW(mjcf, "MuJoCo model", "mjcf xml", false, false)                     \
  RW(sdf, "Simulation Description Format", "sdf world", false, false)    \
  RW(dh, "Denavit-Hartenberg table", "dh.json dh", false, false)         \
  RW(dh_csv, "Denavit-Hartenberg table as CSV", "dh.csv", false, false)  \
  RW(bvh, "Biovision motion capture", "bvh", true, false)                \
  RW(glb, "Binary glTF 2.0", "glb", true, true)                          \
  RW(gltf, "glTF 2.0", "gltf", true, false)                              \
  R(fbx, "Autodesk FBX", "fbx", false, true)                             \
  RW(jsonl, "Motion as JSON lines", "jsonl ndjson", true, false)         \
  RW(csv, "Motion as a table", "csv", true, false)

#define ARMATURE_DETECT(name) bool detect_##name(std::string_view bytes);
#define ARMATURE_READ(name) Result<Document> read_##name(std::string_view bytes, const ReadOptions& options);
#define ARMATURE_WRITE(name) Result<std::string> write_##name(const Document& document, const WriteOptions& options);
#define ARMATURE_DECLARE_RW(name, label, extensions, motion, binary) \
  ARMATURE_DETECT(name) ARMATURE_READ(name) ARMATURE_WRITE(name)
#define ARMATURE_DECLARE_R(name, label, extensions, motion, binary) ARMATURE_DETECT(name) ARMATURE_READ(name)
#define ARMATURE_DECLARE_W(name, label, extensions, motion, binary) ARMATURE_WRITE(name)
ARMATURE_FORMATS_LIST(ARMATURE_DECLARE_RW, ARMATURE_DECLARE_R, ARMATURE_DECLARE_W)

namespace {

#define ARMATURE_ENTRY_RW(name, label, extensions, motion, binary) \
  {#name, label, extensions, motion, binary, detect_##name, read_##name, write_##name},
#define ARMATURE_ENTRY_R(name, label, extensions, motion, binary) \
  {#name, label, extensions, motion, binary, detect_##name, read_##name, nullptr},
#define ARMATURE_ENTRY_W(name, label, extensions, motion, binary) \
  {#name, label, extensions, motion, binary, nullptr, nullptr, write_##name},
constexpr Format kFormats[] = {ARMATURE_FORMATS_LIST(ARMATURE_ENTRY_RW, ARMATURE_ENTRY_R, ARMATURE_ENTRY_W)};

// "Arm.DH.csv" -> "arm.dh.csv": without folders, in lower case.
std::string base_name(std::string_view file_name) {
  const std::size_t slash = file_name.find_last_of("/\\");
  if (slash != std::string_view::npos) file_name.remove_prefix(slash + 1);
  std::string text(file_name);
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return text;
}

std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < list.size();) {
    const std::size_t end = std::min(list.find(' ', i), list.size());
    if (end > i) all.emplace_back(list.substr(i, end - i));
    i = end + 1;
  }
  return all;
}

// Length of the format's longest extension that the name ends in; 0 when there is none.
std::size_t extension_match(const Format& format, const std::string& name) {
  std::size_t longest = 0;
  for (const std::string& extension : words(format.extensions)) {
    const std::string ending = "." + extension;
    const bool ends =
        name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
    if (ends) longest = std::max(longest, ending.size());
  }
  return longest;
}

// The format with the longest matching extension ("x.dh.csv" is a .dh.csv before it is a .csv), or nullptr.
template <class Accept>
const Format* by_extension(const std::string& name, Accept&& accept) {
  const Format* best = nullptr;
  std::size_t longest = 0;
  for (const Format& format : formats()) {
    const std::size_t match = accept(format) ? extension_match(format, name) : 0;
    if (match > longest) {
      longest = match;
      best = &format;
    }
  }
  return best;
}

std::string format_list(bool for_reading) {
  std::vector<std::string> names;
  for (const Format& format : formats()) {
    if (for_reading ? format.read == nullptr : format.write == nullptr) continue;
    std::string text = std::string(format.name) + " (";
    const std::vector<std::string> all = words(format.extensions);
    for (std::size_t i = 0; i < all.size(); ++i) text += (i == 0 ? "." : ", .") + all[i];
    names.push_back(text + ")");
  }
  return detail::join(names);
}

// Mistakes that no format can help with: nothing, UTF-16, binary rubbish.
Status check_bytes(std::string_view bytes, const Source& source) {
  if (without_bom(bytes).find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return source.error("The file is empty.");
  }
  const std::string_view mark = bytes.substr(0, 2);
  if (mark == "\xFF\xFE" || mark == "\xFE\xFF") {
    return source.error("The file is encoded as UTF-16; save it as UTF-8.");
  }
  return {};
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

Result<const Format*> detect_format(std::string_view bytes, std::string_view file_name) {
  const Source source{bytes, std::string(file_name)};
  if (const Status status = check_bytes(bytes, source); !status) return status.error();
  const std::string name = base_name(file_name);
  const Format* by_content = nullptr;
  for (const Format& format : formats()) {
    if (format.read == nullptr || !format.detect(bytes)) continue;
    if (extension_match(format, name) > 0) return &format;  // both agree
    if (by_content == nullptr) by_content = &format;
  }
  if (by_content != nullptr) return by_content;
  if (const Format* named = by_extension(name, [](const Format& f) { return f.read != nullptr; })) return named;
  return source.error("Neither its content nor its name tells what kind of file this is. Formats that can be read: " +
                      format_list(true) + ".");
}

Result<const Format*> format_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Format& format : formats()) {
    if (format.write == nullptr) continue;
    if (name == format.name) return &format;
    names.emplace_back(format.name);
  }
  return Error{unknown_name("format to write", name, names)};
}

Result<const Format*> format_for_writing(std::string_view file_name) {
  const std::string name = base_name(file_name);
  if (const Format* named = by_extension(name, [](const Format& f) { return f.write != nullptr; })) return named;
  return Error{armature::detail::quoted(file_name) +
               " ends in no known extension. Formats that can be written: " + format_list(false) + "."};
}

Result<Document> read_document(std::string_view bytes, const ReadOptions& options) {
  if (bytes.size() > options.max_bytes) {
    return Source{bytes, options.file_name}.error("The file has " + std::to_string(bytes.size()) + " bytes; at most " +
                                                  std::to_string(options.max_bytes) + " are read.");
  }
  const Result<const Format*> format = detect_format(bytes, options.file_name);
  if (!format) return format.error();
  Result<Document> document = format.value()->read(bytes, options);
  if (!document) return document;
  document->notes.insert(document->notes.end(), document->mistakes.begin(), document->mistakes.end());
  if (const Status status = adapt(*document, options); !status) {
    return Source{bytes, options.file_name}.error(status.message());
  }
  return document;
}

Result<std::string> write_document(const Document& document, const Format& format, const WriteOptions& options) {
  if (format.write == nullptr) {
    return Error{"The format '" + std::string(format.name) +
                 "' cannot be written. Formats that can: " + format_list(false) + "."};
  }
  if (!(options.base.empty() && options.tip.empty()) && format.write != write_dh && format.write != write_dh_csv) {
    return Error{"The format '" + std::string(format.name) +
                 "' holds a whole model; base and tip choose the chain of a Denavit-Hartenberg table. "
                 "The edit `extract` cuts a chain out of a model."};
  }
  // glTF stands by a node of its own; motion in BVH has y up by custom, and our models z. What came from BVH goes back
  // as it came.
  WriteOptions adapted = options;
  const auto* bvh = dynamic_cast<const BvhExtra*>(document.linkage.extra.get());
  const bool own = bvh != nullptr && bvh->up == document.linkage.up;
  if (options.up.empty() && format.name == std::string_view("bvh") && !own) adapted.up = "y";
  const Result<Model> model = adapted.up.empty() ? Model() : compile(document.linkage);
  const bool turned = !adapted.up.empty() && model.ok() && has_y_up(document.linkage, *model) != (adapted.up == "y");
  Document copy;
  const bool changed = turned || !options.up.empty() || options.unit_scale != 1.0;
  if (changed) {
    copy = document;
    if (const Status status = adapt(copy, adapted); !status) return status.error();
    if (turned && options.up.empty() && options.notes != nullptr) {
      options.notes->push_back("Turned so that y points up, as in other BVH files; `up` z keeps z.");
    }
  }
  Result<std::string> text = format.write(changed ? copy : document, options);
  if (!text || options.sink == nullptr) return text;
  // What the format has not handed on itself.
  if (!options.sink(*text, options.sink_context)) return Error{"The writing was stopped."};
  return std::string();
}

}  // namespace armature::inline v0_2
