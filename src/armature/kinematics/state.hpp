// What was computed: caller-owned results of the last forward(model, q, state). Resized once, then never allocates.
#pragma once

#include <vector>

#include "armature/geom/transform.hpp"
#include "armature/model/model.hpp"

namespace armature {

struct State {
  std::vector<Transform> X_WL;  // pose of each link in the world
  std::vector<double> q;        // the pose it was computed from
  Model model;                  // whose it is; checked in debug builds
  std::vector<double> scratch;  // sines and cosines of all angles
};

}  // namespace armature
