#include "convert.hpp"

#include <cctype>
#include <cstdlib>

namespace armature::js {
namespace {

// The number after `word` ("line 12") in the start of a message, 0 when there is none.
int number_after(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t digit = at + word.size();
    if (digit < text.size() && std::isdigit(static_cast<unsigned char>(text[digit])) != 0) {
      return std::atoi(text.c_str() + digit);
    }
  }
  return 0;
}

template <class T>
val typed_copy(const T* data, std::size_t count) {
  return val(emscripten::typed_memory_view(count, data)).call<val>("slice");
}

}  // namespace

val success(val value) {
  val result = val::object();
  result.set("ok", true);
  result.set("value", value);
  return result;
}

val failure(const std::string& message) {
  val error = val::object();
  error.set("message", message);
  int line = number_after(message, "line ");
  if (line == 0) line = number_after(message, "Line ");
  if (line > 0) error.set("line", line);
  const int column = number_after(message, "column ");
  if (column > 0) error.set("column", column);
  val result = val::object();
  result.set("ok", false);
  result.set("error", error);
  return result;
}

val from_status(const Status& status) { return status.ok() ? success() : failure(status.message()); }

val copy_of(const double* data, std::size_t count) { return typed_copy(data, count); }
val copy_of(const std::vector<float>& data) { return typed_copy(data.data(), data.size()); }
val copy_of(const std::vector<std::uint32_t>& data) { return typed_copy(data.data(), data.size()); }
val copy_of(const std::vector<std::uint16_t>& data) { return typed_copy(data.data(), data.size()); }

val matrix_value(const MatX& m) {
  val result = val::object();
  result.set("rows", static_cast<int>(m.rows()));
  result.set("columns", static_cast<int>(m.cols()));
  result.set("data", copy_of(m.data(), static_cast<std::size_t>(m.size())));
  return result;
}

val number_array(const double* data, std::size_t count) {
  return val::global("Array").call<val>("from", val(emscripten::typed_memory_view(count, data)));
}

val string_array(const std::vector<std::string>& list) {
  val result = val::array();
  for (const std::string& text : list) result.call<void>("push", text);
  return result;
}

val matrix16(const Mat4& m) { return number_array(m.data(), 16); }

bool has(const val& object, const char* key) {
  const val field = object[key];
  return !field.isUndefined() && !field.isNull();
}

double number_or(const val& object, const char* key, double fallback) {
  return has(object, key) ? object[key].as<double>() : fallback;
}

std::vector<double> numbers_of(const val& list) {
  const auto count = list["length"].as<std::size_t>();
  std::vector<double> out(count);
  if (count > 0) val(emscripten::typed_memory_view(count, out.data())).call<void>("set", list);
  return out;
}

std::string bytes_of(const val& array) {
  std::string out(array["length"].as<std::size_t>(), '\0');
  if (!out.empty()) {
    val(emscripten::typed_memory_view(out.size(), reinterpret_cast<unsigned char*>(out.data())))
        .call<void>("set", array);
  }
  return out;
}

}  // namespace armature::js
