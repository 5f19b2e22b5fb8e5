// The branches of a model that carry given links, compiled for speed: fixed joints folded into the next one, joints
// taken apart into turns and slides about coordinate axes, nothing computed that the links do not need.
//
// forward() gives the frames of those links and, as a by-product of the same pass, the world motion of every joint on
// the way: all Jacobians follow by ancestry. A joint type without an entry in branches.cpp is carried along by its
// transform() and twists(), a little slower.
#pragma once

#include <span>
#include <vector>

#include "armature/kinematics/state.hpp"
#include "armature/model/model.hpp"

namespace armature {

/// How everything below a joint moves as one of its velocities does, in world axes, measured at Branches::centre().
struct Motion {
  Vec3 angular;
  Vec3 linear;

  /// Velocity of the world point `p` = centre + `from_centre`.
  Vec3 at(const Vec3& from_centre) const { return linear + angular.cross(from_centre); }
};

class Branches {
 public:
  /// Allocates. `links` may repeat. The model must outlive this.
  void compile(const Model& model, std::span<const int> links);

  /// Frames of the given links into state.X_WL (others are left alone), and all motions.
  void forward(const double* q, State& state);

  const Vec3& centre() const { return centre_; }
  /// Motions, parents before children; a mimic joint has motions of its own for its source's velocity.
  const std::vector<Motion>& motions() const { return motions_; }
  /// The velocity (model index) that drives each motion.
  const std::vector<int>& velocities() const { return velocities_; }
  /// Motions that move `link`: indices into motions(), ascending. Any link of the model that was asked for.
  std::span<const int> motions_of(int link) const;

 private:
  enum class OpKind : unsigned char { turn, slide, screw, ball, other };
  struct Op {
    OpKind kind;
    unsigned char axis;  // 0, 1, 2: of the frame at hand
    int q;               // first coordinate
    int motion;          // first motion
    double multiplier;   // value = multiplier * q + offset
    double offset;
    double advance;  // screw: metres per radian
    int joint;       // other: link index of the joint
  };
  struct Node {
    int parent;  // node, -1: the world
    int op_begin, op_end;
    Transform placement;  // in the parent node's frame
  };
  struct Wanted {
    int link;
    int node;  // -1: rests in the world
    Transform offset;
    int motion_begin, motion_end;  // into path_
  };
  class Builder;

  const Model* model_ = nullptr;
  std::vector<Node> nodes_;
  std::vector<Op> ops_;
  std::vector<Wanted> wanted_;
  std::vector<int> wanted_of_link_;
  std::vector<int> path_;
  std::vector<int> velocities_;
  std::vector<Motion> motions_;
  std::vector<Transform> X_WN_;
  std::vector<int> angle_op_;                  // ops with an angle
  std::vector<double> angle_, sine_, cosine_;  // per op
  Vec3 centre_ = Vec3::Zero();
};

}  // namespace armature
