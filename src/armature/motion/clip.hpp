// A motion: pose vectors of one model at a steady frame rate. What readers return, tracks produce and writers take.
#pragma once

#include <string>
#include <vector>

#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

struct Clip {
  std::string name{};
  double frame_time = 1.0 / 30.0;  // seconds
  int q_size = 0;                  // numbers in a frame
  std::vector<double> values{};    // frame after frame
  Model model{};                   // whose poses these are; empty: whoever holds the clip knows

  int frame_count() const {
    return q_size > 0 ? static_cast<int>(values.size() / static_cast<std::size_t>(q_size)) : 0;
  }
  double duration() const { return frame_count() > 1 ? frame_time * (frame_count() - 1) : 0.0; }
  const double* frame(int f) const {
    return values.data() + static_cast<std::size_t>(f) * static_cast<std::size_t>(q_size);
  }
  double* frame(int f) { return values.data() + static_cast<std::size_t>(f) * static_cast<std::size_t>(q_size); }
  void append(const VecX& q) { values.insert(values.end(), q.data(), q.data() + q.size()); }
};

}  // namespace armature::inline v0_2
