// Errors as values: Result<T> holds a T or an Error, Status holds success or an Error.
// An Error is one whole sentence for a person: it names the thing and says what would have worked.
// The library itself neither throws nor prints; the edges (CLI, Python, wasm) turn an Error into theirs, and short
// programs call value(), which throws ArmatureError.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "armature/base/check.hpp"

namespace armature::inline v0_2 {

struct Error {
  std::string message;
  int line = 0, column = 0;  // where in a file, from 1; 0: not of a place in a text
};

/// What value() throws; what() is the sentence.
class ArmatureError : public std::runtime_error {
 public:
  explicit ArmatureError(const Error& error)
      : std::runtime_error(error.message), line(error.line), column(error.column) {}
  int line, column;  // as in Error
};

/// Throws ArmatureError; in a library that was built without exceptions prints the sentence and aborts. The library
/// never calls it (base/throw_error.cpp).
namespace detail {
[[noreturn]] void throw_error(const Error& error);
}

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
  Error error() const { return error_.value_or(Error{}); }
  /// Throws when it is not ok.
  void value() const {
    if (error_) detail::throw_error(*error_);
  }

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

  /// Throws when there is none.
  T& value() & {
    if (!value_) detail::throw_error(error_);
    return *value_;
  }
  const T& value() const& {
    if (!value_) detail::throw_error(error_);
    return *value_;
  }
  T value() && {  // by value: `for (x : f().value())` would outlive what a reference refers to
    if (!value_) detail::throw_error(error_);
    return std::move(*value_);
  }
  /// Only where ok(): checked in debug builds.
  T& operator*() & { return checked(); }
  const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &const_cast<Result*>(this)->checked(); }

  const std::string& message() const { return error_.message; }
  Error error() const { return error_; }
  Status status() const { return ok() ? Status{} : Status{error_}; }

 private:
  T& checked() {
    ARMATURE_DCHECK(value_.has_value(), "a Result that holds an error was used as a value");
    return *value_;
  }

  std::optional<T> value_;
  Error error_;
};

}  // namespace armature::inline v0_2
