// Switches the compiler to AVX2 until isa_end.inl. Include after every other header: what is defined in between must
// never be shared with other units. Deliberately without FMA, so that all instruction sets give the same bits.
#define ARMATURE_WIDE 1
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
