// The one place that may throw, for callers' value(): compiled with exceptions although the library is not, and called
// by nothing in the library.
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

}  // namespace armature::inline v0_2
