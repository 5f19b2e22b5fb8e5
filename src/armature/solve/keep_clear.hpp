// A motion among things that must not be touched: where it touches them, and the same motion pushed out of them.
//
//   Problem things{.model = clip.model, .obstacles = shelf, .margin = 0.005};
//   const ClearMotion clear = keep_clear(things, clip).value();
//   if (!clear.ok()) std::puts(clear.message().c_str());
//
// A frame that touches is moved by the least change of its joints that keeps every distance, over and over until it is
// free; frames beside it give way too, so that the motion stays smooth. The ways between frames are proved free.
#pragma once

#include <string>
#include <vector>

#include "armature/motion/clip.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"

namespace armature::inline v0_2 {

struct ClearOptions {
  bool repair = true;   // false: only looked at
  double blend = 0.25;  // seconds over which frames beside those that touch give way
};

struct ClearMotion {
  Clip clip;
  std::vector<int> touching;      // frames that did not keep the margin as they came
  std::vector<int> left;          // that still do not
  std::vector<int> gaps;          // free frames, the way to which from the one before could not be proved free
  std::vector<Touch> collisions;  // of the frame that was deepest as it came, deepest first
  int deepest = -1;               // that frame
  int frames = 0;
  double largest_change = 0.0;  // of a joint, radians; of a sliding one in parts of the model's size

  bool ok() const { return left.empty() && gaps.empty(); }
  std::string message() const;
};

/// `problem`: model, obstacles, margin, bodies and locked joints; its goals do not count. Motions of mechanisms with
/// closed loops are only looked at. Error: the clip is of another model, or an obstacle cannot be used.
Result<ClearMotion> keep_clear(const Problem& problem, const Clip& clip, const ClearOptions& options = {});

}  // namespace armature::inline v0_2
