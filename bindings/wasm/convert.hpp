// Between JavaScript values and the core's: results, vectors, matrices. The names of keys are the core's own.
#pragma once

#include <emscripten/val.h>

#include <cstdint>
#include <string>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/geom/transform.hpp"

namespace armature::js {

using emscripten::val;

/// {ok: true, value} and {ok: false, error: {message, line?, column?}}.
val success(val value = val::null());
val failure(const std::string& message);
val from_status(const Status& status);

/// A copy as Float64Array (Float32Array, Uint32Array, Uint16Array for the others).
val copy_of(const double* data, std::size_t count);
val copy_of(const std::vector<float>& data);
val copy_of(const std::vector<std::uint32_t>& data);
val copy_of(const std::vector<std::uint16_t>& data);
inline val copy_of(const VecX& v) { return copy_of(v.data(), static_cast<std::size_t>(v.size())); }
/// {rows, columns, data}, column-major.
val matrix_value(const MatX& m);
/// A plain array of numbers.
val number_array(const double* data, std::size_t count);
val string_array(const std::vector<std::string>& list);
/// 16 numbers, column-major.
val matrix16(const Mat4& m);

/// An argument that is not what was asked for. Thrown by the readers below, caught at the module's edge (edge.hpp).
struct ArgumentError {
  std::string message;
};

/// What JavaScript calls the kind of a value: "undefined", "null", "number", "array", "object"...
std::string kind_of(const val& value);
/// A field of an object that is neither missing nor null.
bool has(const val& object, const char* key);
double number_of(const val& value, const char* what);
double number_or(const val& object, const char* key, double fallback);
/// A whole number from `least` to `most`.
int integer_of(double value, int least, int most, const char* what);
int integer_or(const val& object, const char* key, int fallback);
std::string text_of(const val& value, const char* what);
/// An array or a typed array; entries that are not numbers are refused, infinite ones are not.
std::vector<double> numbers_of(const val& list, const char* what);
Vec3 vec3_of(const val& list, const char* what);
/// The number of entries of an array.
int length_of(const val& list, const char* what);
/// The names of an object's own fields.
std::vector<std::string> keys_of(const val& object, const char* what);
/// Bytes of a Uint8Array.
std::string bytes_of(const val& array, const char* what);
/// Any number is a seed; what is not finite counts as 0.
std::uint64_t seed_of(double seed);

}  // namespace armature::js
