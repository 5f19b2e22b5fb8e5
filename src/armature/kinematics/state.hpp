// What was computed: caller-owned results of the last forward(model, q, state). Resized once, then never allocates.
#pragma once

#include <vector>

#include "armature/geom/transform.hpp"

namespace armature {

class Model;

struct State {
  std::vector<Transform> X_WL;   // pose of each link in the world
  std::vector<double> q;         // the pose it was computed from
  const Model* model = nullptr;  // whose it is; checked in debug builds
  std::vector<double> scratch;   // sines and cosines of all angles
};

}  // namespace armature
