#include "armature/base/isa.hpp"

namespace armature::inline v0_2 {

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::baseline:
#if defined(__wasm_simd128__)
      return "simd128";
#else
      return "baseline";
#endif
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  return "?";
}

bool isa_available([[maybe_unused]] Isa isa) {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  switch (isa) {
    case Isa::baseline:
      return true;
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") != 0;
    case Isa::avx512:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("avx512f") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0;
  }
  return false;
#else
  return isa == Isa::baseline;
#endif
}

Isa best_isa() {
  if (isa_available(Isa::avx512)) return Isa::avx512;
  return isa_available(Isa::avx2) ? Isa::avx2 : Isa::baseline;
}

}  // namespace armature::inline v0_2
