#include "convert.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace armature::js {
namespace {

template <class T>
val typed_copy(const T* data, std::size_t count) {
  return val(emscripten::typed_memory_view(count, data)).call<val>("slice");
}

}  // namespace

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

val string_array(const std::vector<std::string>& list) {
  val result = val::array();
  for (const std::string& text : list) result.call<void>("push", text);
  return result;
}

std::string kind_of(const val& value) {
  if (value.isNull()) return "null";
  if (value.isArray()) return "array";
  return value.typeOf().as<std::string>();
}

static double number_of(const val& value, const char* what) {
  if (!value.isNumber()) throw ArgumentError{std::string(what) + " must be numbers, got " + kind_of(value) + "."};
  const double number = value.as<double>();
  if (std::isnan(number)) throw ArgumentError{std::string(what) + " must be numbers, got NaN."};
  return number;
}

int integer_of(double value, int least, int most, const char* what) {
  if (value >= least && value <= most && value == std::floor(value)) return static_cast<int>(value);
  char number[32];
  std::snprintf(number, sizeof number, "%.10g", value);
  if (most < least) throw ArgumentError{std::string("There is no ") + what + " " + number + "."};
  throw ArgumentError{std::string(what) + " must be a whole number from " + std::to_string(least) + " to " +
                      std::to_string(most) + ", got " + number + "."};
}

std::string text_of(const val& value, const char* what) {
  if (!value.isString()) throw ArgumentError{std::string(what) + " must be a string, got " + kind_of(value) + "."};
  return value.as<std::string>();
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
  const bool typed = !array && val::global("ArrayBuffer").call<bool>("isView", list) && list["length"].isNumber();
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
