#include "convert.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
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

std::string kind_of(const val& value) {
  if (value.isNull()) return "null";
  if (value.isArray()) return "array";
  return value.typeOf().as<std::string>();
}

bool has(const val& object, const char* key) {
  const std::string kind = kind_of(object);
  if (kind != "object" && kind != "array") throw ArgumentError{"Expected an object, got " + kind + "."};
  const val field = object[key];
  return !field.isUndefined() && !field.isNull();
}

double number_of(const val& value, const char* what) {
  if (!value.isNumber()) throw ArgumentError{std::string(what) + " must be a number, got " + kind_of(value) + "."};
  const double number = value.as<double>();
  if (std::isnan(number)) throw ArgumentError{std::string(what) + " must be a number, got NaN."};
  return number;
}

double number_or(const val& object, const char* key, double fallback) {
  return has(object, key) ? number_of(object[key], key) : fallback;
}

int integer_of(double value, int least, int most, const char* what) {
  if (value >= least && value <= most && value == std::floor(value)) return static_cast<int>(value);
  char number[32];
  std::snprintf(number, sizeof number, "%.10g", value);
  if (most < least) throw ArgumentError{std::string("There is no ") + what + " " + number + "."};
  throw ArgumentError{std::string(what) + " must be a whole number from " + std::to_string(least) + " to " +
                      std::to_string(most) + ", got " + number + "."};
}

int integer_or(const val& object, const char* key, int fallback) {
  constexpr int kMost = 1000000000;
  return has(object, key) ? integer_of(number_of(object[key], key), -kMost, kMost, key) : fallback;
}

std::string text_of(const val& value, const char* what) {
  if (!value.isString()) throw ArgumentError{std::string(what) + " must be a string, got " + kind_of(value) + "."};
  return value.as<std::string>();
}

int length_of(const val& list, const char* what) {
  if (!list.isArray()) throw ArgumentError{std::string(what) + " must be an array, got " + kind_of(list) + "."};
  return list["length"].as<int>();
}

std::vector<std::string> keys_of(const val& object, const char* what) {
  const std::string kind = kind_of(object);
  if (kind != "object") throw ArgumentError{std::string(what) + " must be an object, got " + kind + "."};
  const val keys = val::global("Object").call<val>("keys", object);
  std::vector<std::string> out(keys["length"].as<std::size_t>());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = keys[i].as<std::string>();
  return out;
}

std::vector<double> numbers_of(const val& list, const char* what) {
  const bool array = list.isArray();
  const bool typed = !array && val::global("ArrayBuffer").call<bool>("isView", list) && has(list, "length");
  if (!array && !typed) {
    throw ArgumentError{std::string(what) + " must be an array of numbers, got " + kind_of(list) + "."};
  }
  std::vector<double> out(list["length"].as<std::size_t>());
  // Numbers of an array are taken one by one, so that a string or an object in it is refused and not turned into one.
  if (array) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = number_of(list[i], what);
  } else if (!out.empty()) {
    val(emscripten::typed_memory_view(out.size(), out.data())).call<void>("set", list);
    for (const double x : out) {
      if (std::isnan(x)) throw ArgumentError{std::string(what) + " holds NaN."};
    }
  }
  return out;
}

Vec3 vec3_of(const val& list, const char* what) {
  const std::vector<double> numbers = numbers_of(list, what);
  if (numbers.size() != 3) {
    throw ArgumentError{std::string(what) + " must hold 3 numbers, got " + std::to_string(numbers.size()) + "."};
  }
  return {numbers[0], numbers[1], numbers[2]};
}

std::string bytes_of(const val& array, const char* what) {
  if (!array.instanceof (val::global("Uint8Array"))) {
    throw ArgumentError{std::string(what) + " must be a Uint8Array, got " + kind_of(array) + "."};
  }
  std::string out(array["length"].as<std::size_t>(), '\0');
  if (!out.empty()) {
    val(emscripten::typed_memory_view(out.size(), reinterpret_cast<unsigned char*>(out.data())))
        .call<void>("set", array);
  }
  return out;
}

std::uint64_t seed_of(double seed) {
  return std::isfinite(seed) ? static_cast<std::uint64_t>(std::min(std::abs(seed), 9e18)) : 0;
}

}  // namespace armature::js
