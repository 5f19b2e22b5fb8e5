// The module's edge: no C++ exception leaves it. An entry that may be refused returns {ok: false, error}; the others
// return a JavaScript Error, which edge.js throws there, where C++ frames no longer lie in the way.
#pragma once

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "convert.hpp"

namespace armature::js {

template <class F>
std::string caught(F&& run) {
  try {
    run();
    return "";
  } catch (const ArgumentError& error) {
    return error.message;
  } catch (const std::bad_alloc&) {
    return "There is not enough memory for this.";
  } catch (const std::exception& error) {
    return std::string("The core failed: ") + error.what() + ".";
  }
}

template <class F>
val guarded(F&& run) {
  val result = val::undefined();
  const std::string error = caught([&] {
    if constexpr (std::is_void_v<decltype(run())>) {
      run();
    } else {
      result = val(run());
    }
  });
  return error.empty() ? result : val::global("Error").new_(error);
}

template <class F>
val guarded_result(F&& run) {
  val result = val::undefined();
  const std::string error = caught([&] { result = run(); });
  return error.empty() ? result : failure(error);
}

/// Entry<&Figure::solve>::plain and ::result: a method or function as the module shows it.
template <auto Function>
struct Entry;

template <class R, class... A, R (*Function)(A...)>
struct Entry<Function> {
  static val plain(A... a) {
    return guarded([&]() -> R { return Function(std::forward<A>(a)...); });
  }
  static val result(A... a) {
    return guarded_result([&] { return Function(std::forward<A>(a)...); });
  }
};

template <class C, class R, class... A, R (C::*Method)(A...)>
struct Entry<Method> {
  static val plain(C& self, A... a) {
    return guarded([&]() -> R { return (self.*Method)(std::forward<A>(a)...); });
  }
  static val result(C& self, A... a) {
    return guarded_result([&] { return (self.*Method)(std::forward<A>(a)...); });
  }
};

template <class C, class R, class... A, R (C::*Method)(A...) const>
struct Entry<Method> {
  static val plain(C& self, A... a) {
    return guarded([&]() -> R { return (self.*Method)(std::forward<A>(a)...); });
  }
  static val result(C& self, A... a) {
    return guarded_result([&] { return (self.*Method)(std::forward<A>(a)...); });
  }
};

}  // namespace armature::js
