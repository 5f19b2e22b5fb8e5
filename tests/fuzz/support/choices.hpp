// The fuzzers' bytes as decisions: small numbers, words, wild and sensible values.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "armature/model/joint.hpp"

namespace armature::fuzz {

/// What is being tried, for whoever reads of a broken law.
inline std::string& context() {
  static std::string text;
  return text;
}

/// Ends the run with the name of the law that was broken.
inline void demand(bool kept, const char* law) {
  if (kept) return;
  std::fprintf(stderr, "broken law: %s%s\n", law, context().c_str());
  std::abort();
}

class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool left() const { return at_ < size_; }
  int below(int count) { return left() ? data_[at_++] % count : 0; }
  bool one_in(int count) { return below(count) == count - 1; }
  template <class T, std::size_t N>
  T of(const std::array<T, N>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(N)))];
  }

  /// Anything, sound or not.
  double number() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr std::array<double, 16> kNumbers{0.0,       1.0,    -1.0,  0.5,  -2.0,  3.25,       1e-9,   1e-320,
                                              kInfinity, -1e300, 1e300, 7e-7, 1e100, -kInfinity, -3.125, 0.0};
    const int which = below(18);
    return which < 16    ? kNumbers[static_cast<std::size_t>(which)]
           : which == 16 ? std::nan("")
                         : below(256) / 64.0 - 2.0;
  }
  Vec3 vector() {
    const double x = number(), y = number();
    return Vec3(x, y, number());
  }
  /// From -2 to 2, in 256 steps.
  double plain() { return below(256) / 64.0 - 2.0; }
  Vec3 plain_vector() {
    const double x = plain(), y = plain();
    return Vec3(x, y, plain());
  }
  /// Of any length but zero.
  Vec3 direction() {
    const Vec3 v = plain_vector();
    return v.norm() > 0.01 ? v : Vec3(Vec3::UnitX());
  }
  /// Mostly plain, sometimes tiny, huge or (one in 64) anything.
  double mixed() {
    const int which = below(64);
    if (which == 63) return number();
    constexpr std::array<double, 8> kRare{1e-9, 1e12, -1e16, 1.6e153, 3.141592653589793, 1e6, -1e-3, 1e3};
    return which >= 55 ? kRare[static_cast<std::size_t>(which - 55)] : plain();
  }
  std::uint64_t seed() { return static_cast<std::uint64_t>(below(256)) * 256 + static_cast<std::uint64_t>(below(256)); }

  std::string name() {
    const int which = below(20);
    if (which == 19) return "";
    if (which == 18) return std::string(static_cast<std::size_t>(below(256)), '\xC3');
    return std::string(1, static_cast<char>('a' + which));
  }
  std::vector<double> numbers() {
    std::vector<double> list(static_cast<std::size_t>(below(4) == 0 ? below(9) : 0));
    for (double& value : list) value = number();
    return list;
  }

  // The visitor of a joint's parameters.
  void axis(const char*, Vec3& v) {
    if (below(3) > 0) v = vector();
  }
  void number(const char*, double& v) { v = number(); }
  void order(const char*, EulerOrder& o) {
    for (auto& axis : o.axis) axis = static_cast<std::uint8_t>(below(5));
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

}  // namespace armature::fuzz
