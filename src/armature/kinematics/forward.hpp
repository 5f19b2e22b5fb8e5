// Forward kinematics: pose vector -> frames of all links.
#pragma once

#include <functional>

#include "armature/kinematics/state.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// Sizes `state` for `model`; forward() does it by itself when needed. After this, forward() does not allocate.
void resize(const Model& model, State& state);

/// Frames of all links. `q` has model.q_size() numbers. Cost: one pass over the links.
void forward(const Model& model, const double* q, State& state);
inline void forward(const Model& model, const VecX& q, State& state) {
  ARMATURE_CHECK(q.size() == model.q_size(), "forward: the pose has another size than the model's");
  forward(model, q.data(), state);
}

/// The same as a value, for short programs.
inline State forward(const Model& model, const VecX& q) {
  State state;
  forward(model, q, state);
  return state;
}

/// Only the frames of `link` and all below it, after coordinates of joints at or below it changed.
/// `state` must hold a forward() of the same model that is valid above `link`. A mimic joint elsewhere that follows a
/// changed joint is not updated: use forward() then.
void forward_from(const Model& model, const double* q, int link, State& state);

/// Only the frames of the given links, which must hold every link's parent before it. The others' are left as they are.
void forward_links(const Model& model, const double* q, const std::vector<int>& links, State& state);

/// The textbook's way (fig 5.13): depth-first with a matrix stack. For each link and each of its visuals calls
/// draw(link, visual, world matrix of the readied geometry). Returns the frames in `state` too.
using DrawCallback = std::function<void(int link, const Visual& visual, const Mat4& X_WG)>;
void traverse(const Model& model, const VecX& q, const DrawCallback& draw);

}  // namespace armature::inline v0_2
