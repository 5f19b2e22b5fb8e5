// The one place that may throw or print, for callers' mistakes: value() of an error, and broken preconditions. Compiled
// with exceptions although the library is not.
#include <cstdio>
#include <cstdlib>

#include "armature/base/result.hpp"

namespace armature::inline v0_2 {

void detail::throw_error(const Error& error) {
#if defined(__cpp_exceptions)
  throw ArmatureError(error);
#else
  std::fprintf(stderr, "armature: %s\n", error.message.c_str());
  std::abort();
#endif
}

namespace detail {
void print_check(const char* what, const char* file, int line);  // of check.cpp
void print_check(const char* what, const char* file, int line) {
  std::fprintf(stderr, "armature: %s (%s:%d)\n", what, file, line);
}
}  // namespace detail

}  // namespace armature::inline v0_2
