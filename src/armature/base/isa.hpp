// Instruction sets that the fast kernels are built for, and which of them this machine runs.
// The kernels give the same bits on all of them; a wider set is only faster.
#pragma once

#include <array>

namespace armature::inline v0_2 {

enum class Isa { baseline, avx2, avx512 };

inline constexpr std::array<Isa, 3> kIsas{Isa::baseline, Isa::avx2, Isa::avx512};

/// "baseline" ("simd128" in WebAssembly, whose baseline has vectors), "avx2" or "avx512".
const char* isa_name(Isa isa);

/// Compiled in and supported by this machine's processor. The baseline always is.
bool isa_available(Isa isa);

/// The widest that is available.
Isa best_isa();

}  // namespace armature::inline v0_2
