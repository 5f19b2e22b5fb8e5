// Between JavaScript values and the core's: results, vectors, matrices. The names of keys are the core's own.
#pragma once

#include <emscripten/val.h>

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

/// A field of an object, or the fallback when it is missing or null.
bool has(const val& object, const char* key);
double number_or(const val& object, const char* key, double fallback);
std::vector<double> numbers_of(const val& list);
/// Bytes of a Uint8Array.
std::string bytes_of(const val& array);

}  // namespace armature::js
