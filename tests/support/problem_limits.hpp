// Limits and locks of a problem from vectors, as tests like to say them.
#pragma once

#include "armature/solve/problem.hpp"

namespace armature::test {

/// One number per coordinate.
inline void set_limits(Problem& problem, const VecX& lower, const VecX& upper) {
  const Model& model = problem.model;
  problem.limits.clear();
  for (int link = 0; link < model.link_count(); ++link) {
    const ModelJoint& joint = model.joint(link);
    if (joint.mimic || joint.q_count == 0) continue;
    Limits limits;
    limits.lower.assign(lower.data() + joint.q_index, lower.data() + joint.q_index + joint.q_count);
    limits.upper.assign(upper.data() + joint.q_index, upper.data() + joint.q_index + joint.q_count);
    problem.limits.emplace_back(link, limits);
  }
}

/// The joint of a velocity.
inline JointRef joint_of(const Model& model, int velocity) { return model.velocity_joint(velocity); }

}  // namespace armature::test
