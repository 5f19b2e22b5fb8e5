// Stands in for base/isa.cpp in the program of this folder: the instruction set is what the caller allows, so that
// every kernel of the library (chains, forward passes, dual systems, lanes) takes the narrow way on a wide machine. The
// linker finds these definitions before it looks into the library, and then leaves the library's own isa.cpp out.
#include "bits/isa_limit.hpp"

namespace armature {

namespace bits {
Isa& isa_limit() {
  static Isa limit = Isa::avx512;
  return limit;
}

bool machine_has(Isa isa) {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (isa == Isa::baseline) return true;
  if (__builtin_cpu_supports("avx2") == 0) return false;
  return isa == Isa::avx2 || (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                              __builtin_cpu_supports("avx512dq") != 0);
#else
  return isa == Isa::baseline;
#endif
}
}  // namespace bits

// In place of base/isa.cpp.
inline namespace v0_2 {

const char* isa_name(Isa isa) { return isa == Isa::baseline ? "baseline" : isa == Isa::avx2 ? "avx2" : "avx512"; }
bool isa_available(Isa isa) { return isa <= bits::isa_limit() && bits::machine_has(isa); }
Isa best_isa() {
  if (isa_available(Isa::avx512)) return Isa::avx512;
  return isa_available(Isa::avx2) ? Isa::avx2 : Isa::baseline;
}

}  // namespace v0_2
}  // namespace armature
