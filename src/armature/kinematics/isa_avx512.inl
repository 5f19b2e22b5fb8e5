// Switches the compiler to AVX-512 until isa_end.inl; see isa_avx2.inl. The build sets -ffp-contract=off, because this
// set includes fused multiply-add.
#define ARMATURE_WIDE 1
#define ARMATURE_WIDEST 1
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512vl,avx512dq"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512vl,avx512dq")
#endif
