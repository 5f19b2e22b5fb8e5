// What was computed: caller-owned results of the last forward(model, q, state). Resized once, then never allocates.
#pragma once

#include <vector>

#include "armature/geom/transform.hpp"
#include "armature/model/refs.hpp"

namespace armature::inline v0_2 {

struct State {
  std::vector<Transform> X_WL;  // pose of each link in the world
  std::vector<double> q;        // the pose it was computed from
  Model model;                  // whose it is; checked in debug builds
  std::vector<double> scratch;  // sines and cosines of all angles

  /// Pose of a link as seen from a base (a link, or the world). Throws for names that do not exist.
  Transform transform(const LinkRef& link, const LinkRef& base = {}) const {
    const Transform X_WB = in_world(base);
    return base.empty() ? in_world(link) : X_WB.inverse() * in_world(link);
  }

 private:
  Transform in_world(const LinkRef& link) const {
    const int index = link.named() ? resolve_frame(model, link).value() : link.empty() ? kWorld : link.index();
    return index == kWorld ? Transform{} : X_WL[static_cast<std::size_t>(index)];
  }
};

/// A joint's coordinates at the state: where they lie in q, or a mimic's own, computed into `own`.
inline const double* joint_coordinates(const ModelJoint& joint, const State& state, double* own) {
  const double* q = state.q.data() + joint.q_index;
  if (!joint.mimic) return q;
  own[0] = joint.multiplier * q[0] + joint.offset;
  return own;
}

}  // namespace armature::inline v0_2
