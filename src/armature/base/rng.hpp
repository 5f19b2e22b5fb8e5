// Seeded randomness, the only kind in the library: same seed, same bits, on every machine.
// xoshiro256++ (Blackman, Vigna 2019), seeded through splitmix64 so that nearby seeds give unrelated streams.
#pragma once

#include <cstdint>

namespace armature::inline v0_2 {

class Rng {
 public:
  explicit Rng(std::uint64_t seed = 1) {
    for (std::uint64_t& word : state_) word = splitmix(seed);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double uniform(double lower, double upper) { return lower + (upper - lower) * uniform(); }

  /// Uniform in [0, count); count > 0.
  std::uint64_t below(std::uint64_t count) { return next() % count; }

 private:
  static std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static std::uint64_t splitmix(std::uint64_t& s) {
    s += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = s;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4];
};

}  // namespace armature::inline v0_2
