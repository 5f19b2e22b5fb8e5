#include "armature/base/check.hpp"

#include <atomic>
#include <cstdlib>

namespace armature::inline v0_2 {
namespace detail {
void print_check(const char* what, const char* file, int line);  // throw_error.cpp: nothing else prints
}
namespace {
std::atomic<CheckHandler> g_handler{nullptr};  // the one global of the library: where bugs are reported
}

CheckHandler set_check_handler(CheckHandler handler) { return g_handler.exchange(handler); }

void check_failed(const char* what, const char* file, int line) {
  const CheckHandler handler = g_handler.load();
  (handler != nullptr ? handler : detail::print_check)(what, file, line);
  std::abort();  // a handler that returns must not let broken state go on
}

}  // namespace armature::inline v0_2
