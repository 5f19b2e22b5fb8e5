// What the tests of motion formats share: comparing documents, and frames of a clip.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "armature/formats/document.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/model/compile.hpp"
#include "support/data.hpp"
#include "support/zoo.hpp"

namespace armature::test {

/// Parameters of a joint type as one list of numbers.
inline std::vector<double> parameters(JointType type) {
  struct Lister {
    std::vector<double> all;
    void axis(const char*, Vec3& v) { all.insert(all.end(), v.data(), v.data() + 3); }
    void number(const char*, double& v) { all.push_back(v); }
    void order(const char*, EulerOrder& o) { all.insert(all.end(), o.axis, o.axis + 3); }
  } lister;
  describe_joint(type, lister);
  return lister.all;
}

/// Same links, joints and placements, to `tolerance` (0: the same bits).
inline void check_same_linkage(const Linkage& a, const Linkage& b, double tolerance = 0.0) {
  REQUIRE(a.links.size() == b.links.size());
  REQUIRE(a.joints.size() == b.joints.size());
  for (std::size_t i = 0; i < a.links.size(); ++i) CHECK(a.links[i].name == b.links[i].name);
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const Joint& x = a.joints[i];
    const Joint& y = b.joints[i];
    INFO("joint ", x.name);
    CHECK(x.name == y.name);
    CHECK(x.parent == y.parent);
    CHECK(x.child == y.child);
    CHECK(std::string(type_name(x.type)) == type_name(y.type));
    CHECK(parameters(x.type) == parameters(y.type));
    CHECK(x.limits.lower == y.limits.lower);
    CHECK(x.limits.upper == y.limits.upper);
    CHECK((x.origin.position - y.origin.position).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((x.origin.rotation - y.origin.rotation).cwiseAbs().maxCoeff() <= tolerance);
  }
}

inline void check_same_clips(const Document& a, const Document& b, double tolerance = 0.0) {
  REQUIRE(a.clips.size() == b.clips.size());
  for (std::size_t c = 0; c < a.clips.size(); ++c) {
    CHECK(std::abs(a.clips[c].frame_time - b.clips[c].frame_time) <= tolerance);
    CHECK(a.clips[c].q_size == b.clips[c].q_size);
    REQUIRE(a.clips[c].values.size() == b.clips[c].values.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < a.clips[c].values.size(); ++i) {
      worst = std::max(worst, std::abs(a.clips[c].values[i] - b.clips[c].values[i]));
    }
    CHECK(worst <= tolerance);
  }
}

/// World positions of all links in one frame of a clip; frame -1 is the pose of zeros.
inline std::vector<Vec3> positions(const Model& model, const Clip* clip, int frame) {
  State state;
  VecX q = VecX::Zero(model.q_size());
  if (frame < 0) {
    for (int i = 0; i < model.link_count(); ++i) {
      if (!model.joint(i).mimic) neutral_coordinates(model.joint(i).type, q.data() + model.joint(i).q_index);
    }
  } else {
    q = Eigen::Map<const VecX>(clip->frame(frame), clip->q_size);
  }
  forward(model, q, state);
  std::vector<Vec3> all;
  for (const Transform& x : state.X_WL) all.push_back(x.position);
  return all;
}

inline bool mentions(const std::vector<std::string>& notes, const std::string& words) {
  return std::any_of(notes.begin(), notes.end(), [&](const std::string& n) { return n.find(words) != n.npos; });
}

}  // namespace armature::test
