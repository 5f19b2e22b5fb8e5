// Ends what isa_avx2.inl or isa_avx512.inl began.
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef ARMATURE_WIDE
#undef ARMATURE_WIDEST
