// The module's edge: no C++ exception leaves it, and mistakes are values until JavaScript has the control again. Every
// entry returns its value or a JavaScript Error, which edge.js throws there as an ArmatureError.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "convert.hpp"

namespace armature::js {

template <class F>
val guarded(F&& run) {
  std::string error;
  try {
    if constexpr (std::is_void_v<decltype(run())>) {
      run();
      return val::undefined();
    } else {
      return val(run());
    }
  } catch (const ArgumentError& mistake) {
    error = mistake.message;
  } catch (const std::bad_alloc&) {
    error = "There is not enough memory for this.";
  } catch (const std::exception& other) {
    error = std::string("The core failed: ") + other.what() + ".";
  }
  return val::global("Error").new_(error);
}

/// Entry<&SceneHandle::solve>::call: a method or function as the module shows it.
template <auto Function>
struct Entry;

template <class R, class... A, R (*Function)(A...)>
struct Entry<Function> {
  static val call(A... a) {
    return guarded([&]() -> R { return Function(std::forward<A>(a)...); });
  }
};

template <class C, class R, class... A, R (C::*Method)(A...)>
struct Entry<Method> {
  static val call(C& self, A... a) {
    return guarded([&]() -> R { return (self.*Method)(std::forward<A>(a)...); });
  }
};

template <class C, class R, class... A, R (C::*Method)(A...) const>
struct Entry<Method> {
  static val call(C& self, A... a) {
    return guarded([&]() -> R { return (self.*Method)(std::forward<A>(a)...); });
  }
};

}  // namespace armature::js
