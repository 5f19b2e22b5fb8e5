// Checks of preconditions: a broken one is a bug in the calling program, never bad outside data.
// The handler can be replaced (Python raises, tests count); the default prints it to stderr and aborts.
#pragma once

namespace armature::inline v0_2 {

using CheckHandler = void (*)(const char* what, const char* file, int line);

/// Replaces what happens when a check fails and returns the former handler. nullptr restores the default (print and
/// abort).
CheckHandler set_check_handler(CheckHandler handler);

void check_failed(const char* what, const char* file, int line);

}  // namespace armature::inline v0_2

#define ARMATURE_CHECK(condition, what) \
  ((condition) ? static_cast<void>(0) : ::armature::check_failed(what, __FILE__, __LINE__))

// Checks too costly for release builds.
#ifdef NDEBUG
#define ARMATURE_DCHECK(condition, what) static_cast<void>(0)
#else
#define ARMATURE_DCHECK(condition, what) ARMATURE_CHECK(condition, what)
#endif
