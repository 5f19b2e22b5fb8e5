// The branches of a model that carry given links, and how every joint on the way moves them.
//
// forward() gives the frames of those links, move() then the world motion of every joint above them: all Jacobians
// follow by ancestry, without visiting joint types again. A joint type without an entry in branches.cpp is
// carried along by its twists(), a little slower.
#pragma once

#include <span>
#include <vector>

#include "armature/kinematics/state.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

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
  /// Every link, without motions_of(): on a long chain they would grow with its square.
  void compile(const Model& model);

  /// Frames of the links and of all above them; others are left alone.
  void forward(const double* q, State& state) const;
  /// All motions at the state of the last forward().
  void move(const State& state);

  /// The links whose frames forward() computes, parents first.
  const std::vector<int>& links() const { return links_; }
  /// Where the motions are measured, near the figure, so that they keep their digits far from the world's origin.
  const Vec3& centre() const { return centre_; }
  /// Motions, parents before children; a mimic joint has motions of its own for its source's velocity.
  const std::vector<Motion>& motions() const { return motions_; }
  /// The velocity (model index) that drives each motion.
  const std::vector<int>& velocities() const { return velocities_; }
  /// Motions that move `link`: indices into motions(), ascending. Any link that was asked for.
  std::span<const int> motions_of(int link) const;
  /// The highest link that each motion moves: its joint's.
  std::vector<int> links_of_motions() const;

 private:
  enum class Kind : unsigned char {
    turn,    // about `axis` through the joint's origin
    slide,   // along `axis`
    screw,   // both
    ball,    // three turns about the link's own axes
    middle,  // the second of three Euler turns: `axis` turned about `first` by the first angle
    other,   // through twists()
  };
  struct Source {
    Kind kind;
    int frame;       // link in whose frame `axis` stands; -1: the world
    int link;        // whose joint it is: its origin is the pivot
    int motion;      // first motion
    double factor;   // a mimic's multiplier
    double advance;  // screw: metres per radian
    int angle;       // middle: coordinate of the first angle
    Vec3 axis, first;
  };
  class Builder;

  Model model_;
  std::vector<int> links_;  // parents first
  std::vector<Source> sources_;
  std::vector<int> path_begin_;  // per link, into path_; -1: not among the branches
  std::vector<int> path_end_;
  std::vector<int> path_;
  std::vector<int> velocities_;
  std::vector<Motion> motions_;
  Vec3 centre_ = Vec3::Zero();
};

}  // namespace armature::inline v0_2
