#include "armature/formats/json_fields.hpp"

#include <algorithm>

#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {

namespace {

// A value's first byte: the tree knows its last one, or the byte behind a number.
std::size_t first_byte(const Source& source, JsonRef value) {
  std::size_t at = std::min(value.offset(), source.bytes.empty() ? 0 : source.bytes.size() - 1);
  const auto before = [&](std::string_view letters) {
    while (at > 0 && letters.find(source.bytes[at - 1]) != std::string_view::npos) --at;
  };
  switch (value.kind()) {
    case JsonKind::string:
      while (at > 0) {
        if (source.bytes[--at] != '"') continue;
        std::size_t slashes = 0;
        while (slashes < at && source.bytes[at - 1 - slashes] == '\\') ++slashes;
        if (slashes % 2 == 0) break;
      }
      break;
    case JsonKind::number:
      before("+-.0123456789eE");
      break;
    case JsonKind::boolean:
    case JsonKind::null:
      before("truefalsn");
      break;
    default:
      break;
  }
  return at;
}

}  // namespace

bool JsonFields::fail(JsonRef at, std::string_view sentence) {
  if (!ok()) return false;
  if (!at.has_text()) {
    const std::string path = at.path();
    error_.message = path.empty() ? source_.error(sentence).message : path + ": " + std::string(sentence);
    return false;
  }
  const std::string pointer = at.pointer();
  const std::size_t first = first_byte(source_, at);
  error_.line = source_.line(first);
  error_.column = source_.column(first);
  error_.message = source_.where(first) + ", column " + std::to_string(error_.column) +
                   (pointer.empty() ? "" : ", " + pointer) + ": " + std::string(sentence);
  return false;
}

bool JsonFields::expect(JsonRef value, JsonKind kind, std::string_view wanted) {
  if (!ok()) return false;
  if (value.is(kind)) return true;
  return fail(value, "This must be " + std::string(wanted.empty() ? json_kind_name(kind) : wanted) + ", but it is " +
                         json_kind_name(value.kind()) + ".");
}

bool JsonFields::number(JsonRef value, double& out) {
  if (!expect(value, JsonKind::number)) return false;
  out = value.number();
  return true;
}

bool JsonFields::boolean(JsonRef value, bool& out) {
  if (!expect(value, JsonKind::boolean)) return false;
  out = value.number() != 0.0;
  return true;
}

bool JsonFields::text(JsonRef value, std::string& out) {
  if (!expect(value, JsonKind::string)) return false;
  out = value.text();
  return true;
}

bool JsonFields::numbers(JsonRef value, double* out, std::size_t count) {
  const std::string wanted = "an array of " + std::to_string(count) + " numbers";
  if (!expect(value, JsonKind::array, wanted)) return false;
  if (value.size() != count) {
    return fail(value, "This must be " + wanted + ", but it holds " + std::to_string(value.size()) + ".");
  }
  for (const JsonRef item : value) {
    if (!number(item, *out++)) return false;
  }
  return true;
}

bool JsonFields::number_list(JsonRef value, std::vector<double>& out) {
  if (!expect(value, JsonKind::array, "an array of numbers")) return false;
  out.reserve(out.size() + value.size());
  for (const JsonRef item : value) {
    double x = 0.0;
    if (!number(item, x)) return false;
    out.push_back(x);
  }
  return true;
}

bool JsonFields::number_or_list(JsonRef value, std::vector<double>& out) {
  out.clear();
  if (value.is(JsonKind::array)) return number_list(value, out);
  out.resize(1);
  return number(value, out[0]);
}

JsonObject::JsonObject(JsonFields& fields, JsonRef object, std::string_view what) : fields_(fields), what_(what) {
  if (fields_.expect(object, JsonKind::object, what_ + ", an object {...}")) object_ = object;
}

JsonRef JsonObject::get(std::string_view key) {
  known_.emplace_back(key);
  return object_ && fields_.ok() ? object_.get(key) : JsonRef();
}

JsonRef JsonObject::require(std::string_view key) {
  const JsonRef value = get(key);
  if (!value && object_ && fields_.ok())
    fields_.fail(object_, "Here " + what_ + " lacks the key " + armature::detail::quoted(key) + ".");
  return value;
}

bool JsonObject::finish() {
  if (!fields_.ok() || !object_) return false;
  for (const JsonRef member : object_) {
    const std::string_view key = member.key();
    if (key.substr(0, 1) == "$") continue;
    if (key == "comment") {
      ++fields_.comments;
      continue;
    }
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string hint = did_you_mean(key, known_);
    std::vector<std::string> names = known_;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return fields_.fail(member, "Here " + what_ + " has no key " + armature::detail::quoted(key) +
                                    (hint.empty() ? "." : hint) + " Valid keys: " + detail::join(names) + ", comment.");
  }
  return true;
}

}  // namespace armature::inline v0_2
