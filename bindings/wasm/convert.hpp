// Between JavaScript values and the core's: numbers, bytes, vectors. Everything with a structure crosses as JSON text,
// which scene/ reads and writes.
#pragma once

#include <emscripten/val.h>

#include <cstdint>
#include <string>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/geom/transform.hpp"

namespace armature::js {

using emscripten::val;

/// A mistake of the caller: thrown by the readers below, caught at the module's edge (edge.hpp).
struct ArgumentError {
  std::string message;
};
template <class T>
T need(Result<T> result) {
  if (!result) throw ArgumentError{result.message()};
  return std::move(result).value();
}
inline void need(const Status& status) {
  if (!status) throw ArgumentError{status.message()};
}

/// A copy as Float64Array (Float32Array, Uint32Array, Uint16Array for the others).
val copy_of(const double* data, std::size_t count);
val copy_of(const std::vector<float>& data);
val copy_of(const std::vector<std::uint32_t>& data);
val copy_of(const std::vector<std::uint16_t>& data);
inline val copy_of(const VecX& v) { return copy_of(v.data(), static_cast<std::size_t>(v.size())); }
inline val copy_of(const std::vector<double>& v) { return copy_of(v.data(), v.size()); }
/// Straight into the module's memory.
inline val view_of(const double* data, std::size_t count) { return val(emscripten::typed_memory_view(count, data)); }
/// {rows, columns, data}, column-major.
val matrix_value(const MatX& m);
val string_array(const std::vector<std::string>& list);

/// What JavaScript calls the kind of a value: "undefined", "null", "number", "array", "object"...
std::string kind_of(const val& value);
/// A whole number from `least` to `most`.
int integer_of(double value, int least, int most, const char* what);
std::string text_of(const val& value, const char* what);
/// An array or a typed array; entries that are not numbers are refused, infinite ones are not.
std::vector<double> numbers_of(const val& list, const char* what);
/// The names of an object's own fields.
std::vector<std::string> keys_of(const val& object, const char* what);
/// Bytes of a Uint8Array.
std::string bytes_of(const val& array, const char* what);
/// Any number is a seed; what is not finite counts as 0.
std::uint64_t seed_of(double seed);

}  // namespace armature::js
