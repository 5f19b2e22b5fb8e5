// Errors as values: Result<T> holds a T or an Error, Status holds success or an Error.
// An Error is one whole sentence for a person: it names the thing and says what would have worked.
// The library neither throws nor prints; the edges (CLI, Python, wasm) turn an Error into theirs.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "armature/base/check.hpp"

namespace armature {

struct Error {
  std::string message;
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose, `return Error{...};`

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const std::string& message() const {
    static const std::string kNone;
    return error_ ? error_->message : kNone;
  }
  Error error() const { return Error{message()}; }

 private:
  std::optional<Error> error_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  T& value() & {
    ARMATURE_CHECK(value_.has_value(), "Result::value() of an error");
    return *value_;
  }
  const T& value() const& {
    ARMATURE_CHECK(value_.has_value(), "Result::value() of an error");
    return *value_;
  }
  T&& value() && {
    ARMATURE_CHECK(value_.has_value(), "Result::value() of an error");
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const std::string& message() const { return error_.message; }
  Error error() const { return error_; }
  Status status() const { return ok() ? Status{} : Status{error_}; }

 private:
  std::optional<T> value_;
  Error error_;
};

}  // namespace armature
