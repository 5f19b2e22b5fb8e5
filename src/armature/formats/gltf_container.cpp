// Opens a glTF file: the chunks of .glb, the JSON (nesting and size checked first), and the buffers, which are the
// binary chunk, data URIs, or files that ReadOptions::load fetches. Nothing else is ever opened.
#include <cmath>

#include "armature/base/suggest.hpp"
#include "armature/formats/base64.hpp"
#include "armature/formats/gltf.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::uint32_t kMagic = 0x46546C67;  // "glTF"
constexpr std::uint32_t kJsonChunk = 0x4E4F534A;
constexpr std::uint32_t kBinChunk = 0x004E4942;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

void append_word(std::string& out, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
}

struct Chunks {
  std::string_view json;
  std::string_view bin;
  bool has_bin = false;
};

Result<Chunks> split_glb(const Source& source, std::vector<std::string>& notes) {
  std::string_view bytes = source.bytes;
  const auto wrong = [&](const std::string& sentence) {
    return source.error("The GLB container is broken: " + sentence);
  };
  if (bytes.size() < 12) return wrong("its header has " + std::to_string(bytes.size()) + " bytes, not 12.");
  if (const std::uint32_t version = word_at(bytes, 4); version != 2) {
    return wrong("it has version " + std::to_string(version) + "; version 2 is read.");
  }
  const std::size_t length = word_at(bytes, 8);
  if (length < 12 || length > bytes.size()) {
    return wrong("its header says " + std::to_string(length) + " bytes, but the file has " +
                 std::to_string(bytes.size()) + ".");
  }
  if (length < bytes.size()) {
    notes.push_back(std::to_string(bytes.size() - length) + " bytes after the end of the GLB container are left out.");
  }
  bytes = bytes.substr(0, length);
  Chunks chunks;
  bool has_json = false;
  int index = 0;
  for (std::size_t at = 12; at < bytes.size(); ++index) {
    if (bytes.size() - at < 8) return wrong("it ends inside the header of chunk " + std::to_string(index) + ".");
    const std::size_t size = word_at(bytes, at);
    const std::uint32_t type = word_at(bytes, at + 4);
    at += 8;
    if (size > bytes.size() - at) {
      return wrong("chunk " + std::to_string(index) + " says " + std::to_string(size) + " bytes, but " +
                   std::to_string(bytes.size() - at) + " are left.");
    }
    const std::string_view data = bytes.substr(at, size);
    at += size;
    if (index == 0 && type != kJsonChunk) return wrong("its first chunk must be JSON.");
    if (type == kJsonChunk) {
      if (has_json) return wrong("it has two JSON chunks.");
      if (data.empty()) return wrong("its JSON chunk is empty.");
      chunks.json = data;
      has_json = true;
    } else if (type == kBinChunk) {
      if (chunks.has_bin) return wrong("it has two BIN chunks.");
      if (index != 1) return wrong("its BIN chunk must be the second.");
      chunks.bin = data;
      chunks.has_bin = true;
    } else {
      notes.push_back("A GLB chunk of an unknown type is left out.");
    }
  }
  if (!has_json) return wrong("it has no JSON chunk.");
  return chunks;
}

// Nesting and number of values, so that what the parser builds is bounded.
Status check_extent(const Source& source, std::string_view json) {
  int depth = 0;
  std::size_t values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '[' || c == '{') {
      if (++depth > kMaxGltfDepth) {
        return source.error("The JSON is nested more than " + std::to_string(kMaxGltfDepth) + " deep.");
      }
      ++values;
    }
    if (c == ']' || c == '}') --depth;
    if (c == ',' || c == ':') ++values;
  }
  if (values > kMaxGltfValues) {
    return source.error("The JSON has more than " + std::to_string(kMaxGltfValues) +
                        " values, the most that are read.");
  }
  return {};
}

// "data:application/octet-stream;base64,AAAA", or percent-encoded without ";base64": the media type and its parameters
// must be well formed (RFC 2397).
bool decode_data_uri(std::string_view uri, std::string& out) {
  const std::size_t comma = uri.find(',');
  if (comma == std::string_view::npos) return false;
  std::string_view head = uri.substr(5, comma - 5);
  const bool base64 = head.size() >= 7 && head.substr(head.size() - 7) == ";base64";
  if (base64) head.remove_suffix(7);
  if (const std::size_t semicolon = head.find(';'); semicolon != std::string_view::npos) {
    const std::string_view parameter = head.substr(semicolon + 1);
    if (parameter.find('=') == std::string_view::npos || parameter.front() == '=') return false;
  }
  if (base64) return decode_base64(uri.substr(comma + 1), out);
  out = decode_percent(uri.substr(comma + 1));
  return true;
}

bool has_scheme(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  return colon != std::string_view::npos && uri.substr(0, colon).find_first_of("/?#") == std::string_view::npos;
}

// Where glTF has whole numbers: references, counts and sizes.
constexpr std::string_view kWholeNumbers[] = {
    "buffer",  "bufferView", "byteLength", "byteOffset", "byteStride", "componentType",
    "count",   "target",     "mesh",       "skin",       "camera",     "node",
    "sampler", "input",      "output",     "source",     "indices",    "material",
    "mode",    "skeleton",   "scene",      "index",      "texCoord",   "inverseBindMatrices"};
constexpr std::string_view kWholeLists[] = {"children", "joints", "nodes"};

// "1.0" and "1e0" are valid spellings of 1: made integers wherever one belongs, so that nothing below needs to know.
void respell_integers(Json& value, bool whole) {
  if (whole && value.is_number_float()) {
    const double number = value.get<double>();
    if (number >= 0.0 && number < 9e15 && number == std::floor(number)) value = static_cast<std::uint64_t>(number);
    return;
  }
  if (value.is_array()) {
    for (Json& each : value) respell_integers(each, whole);
  } else if (value.is_object()) {
    for (auto& [key, member] : value.items()) {
      if (key == "extras") continue;
      const bool one = std::find(std::begin(kWholeNumbers), std::end(kWholeNumbers), key) != std::end(kWholeNumbers);
      const bool list = std::find(std::begin(kWholeLists), std::end(kWholeLists), key) != std::end(kWholeLists);
      if (key == "attributes" || key == "targets") {
        respell_integers(member, true);
        if (member.is_object()) {
          for (auto& [name, accessor] : member.items()) respell_integers(accessor, true);
        }
        for (Json& target : member) {
          if (!target.is_object()) continue;
          for (auto& [name, accessor] : target.items()) respell_integers(accessor, true);
        }
      } else if (one && !member.is_structured()) {
        respell_integers(member, true);
      } else {
        respell_integers(member, list && member.is_array());
      }
    }
  }
}

class BufferLoader {
 public:
  BufferLoader(const ReadOptions& options, GltfMistake& mistake, std::vector<std::string>& notes)
      : options_(options), mistake_(mistake), notes_(notes) {}

  bool load(Json& entry, std::size_t index, const Chunks& chunks, GltfBuffer& buffer) {
    const std::string at = "/buffers/" + std::to_string(index);
    if (!entry.is_object()) return mistake_.fail(at, "A buffer must be an object.");
    const Json* length = gltf_member(entry, "byteLength");
    if (length == nullptr || !length->is_number_integer() || *length < 1) {
      return mistake_.fail(at, "A buffer needs a 'byteLength' of at least 1.");
    }
    const auto size = length->get<std::uint64_t>();
    const Json* uri = gltf_member(entry, "uri");
    if (uri == nullptr) {
      if (index == 0 && chunks.has_bin) {
        buffer.bytes = chunks.bin;
        buffer.present = true;
      }
    } else {
      if (!uri->is_string()) return mistake_.fail(at + "/uri", "A uri must be a string.");
      if (!fetch(uri->get_ref<const std::string&>(), at + "/uri", buffer)) return false;
      if (buffer.present) entry.erase("uri");
    }
    if (!buffer.present) return true;
    if (buffer.bytes.size() < size) {
      return mistake_.fail(at, "The buffer says " + std::to_string(size) + " bytes, but has " +
                                   std::to_string(buffer.bytes.size()) + ".");
    }
    buffer.bytes.resize(static_cast<std::size_t>(size));
    total_ += buffer.bytes.size();
    if (total_ > options_.max_bytes) {
      return mistake_.fail(at, "The buffers have more than " + std::to_string(options_.max_bytes) + " bytes together.");
    }
    return true;
  }

 private:
  bool fetch(const std::string& uri, const std::string& at, GltfBuffer& buffer) {
    if (uri.rfind("data:", 0) == 0) {
      if (!decode_data_uri(uri, buffer.bytes)) {
        return mistake_.fail(at,
                             "The data URI is malformed; 'data:application/octet-stream;base64,' and the data are "
                             "expected.");
      }
      buffer.present = true;
      return true;
    }
    if (uri.empty() || uri.front() == ':') return mistake_.fail(at, armature::detail::quoted(uri) + " is not a URI.");
    if (has_scheme(uri)) {
      notes_.push_back("The buffer at " + armature::detail::quoted(uri) +
                       " is not fetched: only files beside this one are.");
      return true;
    }
    if (options_.load == nullptr) {
      return mistake_.fail(at, "The file refers to " + armature::detail::quoted(uri) +
                                   ", which cannot be opened here; use a .glb file, or one with embedded buffers.");
    }
    Result<std::string> data = options_.load(uri, options_.load_context);
    if (!data) return mistake_.fail(at, data.message());
    buffer.bytes = std::move(*data);
    buffer.present = true;
    return true;
  }

  const ReadOptions& options_;
  GltfMistake& mistake_;
  std::vector<std::string>& notes_;
  std::uint64_t total_ = 0;
};

}  // namespace

bool GltfMistake::fail(std::string_view pointer, std::string_view sentence) {
  if (message_.empty()) {
    message_ = source_.name;
    if (!pointer.empty()) message_ += (message_.empty() ? "At " : ", ") + std::string(pointer);
    message_ += (message_.empty() ? "" : ": ") + std::string(sentence);
  }
  return false;
}

const Json* gltf_member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found != object.end() ? &*found : nullptr;
}

const Json& gltf_list(const Json& root, const char* key) {
  static const Json kEmpty = Json::array();
  const Json* list = gltf_member(root, key);
  return list != nullptr && list->is_array() ? *list : kEmpty;
}

int gltf_index(const Json& object, const char* key) {
  const Json* value = gltf_member(object, key);
  return value != nullptr && value->is_number_integer() ? value->get<int>() : -1;
}

std::string gltf_name(const Json& object, const char* kind, std::size_t index) {
  const Json* name = gltf_member(object, "name");
  if (name != nullptr && name->is_string() && !name->get_ref<const std::string&>().empty()) return *name;
  return std::string(kind) + "_" + std::to_string(index);
}

Result<GltfFile> open_gltf(const Source& source, const ReadOptions& options, std::vector<std::string>& notes) {
  if (source.bytes.size() > options.max_bytes) {
    return source.error("The file has " + std::to_string(source.bytes.size()) + " bytes; at most " +
                        std::to_string(options.max_bytes) + " are read.");
  }
  Chunks chunks;
  chunks.json = source.bytes;
  if (detect_glb(source.bytes)) {
    const Result<Chunks> split = split_glb(source, notes);
    if (!split) return split.error();
    chunks = *split;
  }
  if (chunks.json.substr(0, 3) == "\xEF\xBB\xBF") {
    return source.error("The JSON begins with a byte order mark, which glTF forbids; save it as plain UTF-8.");
  }
  if (const Status status = check_extent(source, chunks.json); !status) return status.error();

  GltfFile file;
  try {
    file.json = Json::parse(chunks.json.begin(), chunks.json.end());
  } catch (const Json::parse_error& e) {
    const auto start = static_cast<std::size_t>(chunks.json.data() - source.bytes.data());
    return source.error(start + (e.byte > 0 ? e.byte - 1 : 0),
                        "The JSON is broken here; a glTF file is one JSON object.");
  } catch (const Json::exception&) {
    return source.error("The JSON has a number beyond the range of numbers.");
  }
  GltfMistake mistake(source);
  if (!file.json.is_object()) {
    mistake.fail("", "A glTF file is one JSON object with an 'asset'; this is something else.");
    return mistake.error();
  }
  if (const Json* asset = gltf_member(file.json, "asset")) {
    const Json* version = gltf_member(*asset, "version");
    if (version != nullptr && version->is_string() && version->get_ref<const std::string&>().substr(0, 2) == "1.") {
      mistake.fail("/asset/version",
                   "The file is glTF 1.0; version 2 is read. Open it in Blender or another tool and save it anew.");
      return mistake.error();
    }
  }
  respell_integers(file.json, false);
  if (Json* buffers = file.json.is_object() && file.json.contains("buffers") ? &file.json["buffers"] : nullptr) {
    if (!buffers->is_array() || buffers->empty()) {
      mistake.fail("/buffers", "'buffers' must be a list with at least one entry.");
      return mistake.error();
    }
    BufferLoader loader(options, mistake, notes);
    for (std::size_t i = 0; i < buffers->size(); ++i) {
      file.buffers.emplace_back();
      if (!loader.load((*buffers)[i], i, chunks, file.buffers.back())) return mistake.error();
    }
  }
  return file;
}

std::string pack_glb(const Json& json, const std::string& buffer) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((4 - text.size() % 4) % 4, ' ');
  const std::size_t padded = (buffer.size() + 3) / 4 * 4;
  std::string out;
  out.reserve(28 + text.size() + padded);
  append_word(out, kMagic);
  append_word(out, 2);
  append_word(out, static_cast<std::uint32_t>(20 + text.size() + (buffer.empty() ? 0 : 8 + padded)));
  append_word(out, static_cast<std::uint32_t>(text.size()));
  append_word(out, kJsonChunk);
  out += text;
  if (!buffer.empty()) {
    append_word(out, static_cast<std::uint32_t>(padded));
    append_word(out, kBinChunk);
    out += buffer;
    out.append(padded - buffer.size(), '\0');
  }
  return out;
}

bool detect_glb(std::string_view bytes) { return bytes.substr(0, 4) == "glTF"; }

}  // namespace armature::inline v0_2
