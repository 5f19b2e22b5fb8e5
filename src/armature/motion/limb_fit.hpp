// Joint coordinates of a limb over a whole clip: hinges, few axes and limits, for which there is no closed form. Damped
// Gauss-Newton of each frame first; then all frames at once, with the curvature of every coordinate over time as one
// more cost, in one banded system.
#pragma once

#include <vector>

#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// What a limb should do, frame by frame. Weights: 0 switches a frame off.
struct LimbGoal {
  enum Kind { place, turn, direction, axis } kind = place;
  int link = -1;               // of the limb
  int from = -1;               // direction: the link that it starts at; -1: where the limb hangs
  Vec3 local = Vec3::Zero();   // place: the point in the link's frame; axis: the axis in it
  std::vector<Vec3> target;    // place: a point; direction, axis: a unit vector
  std::vector<Mat3> rotation;  // turn
  std::vector<Vec3> weight;    // per component in the world
};

class LimbFit {
 public:
  /// The joints from below `base` (-1: the world) to each of `ends`: a limb, or two that share a coupled joint.
  /// `limits`: coordinates stay inside theirs.
  LimbFit(const Model& model, int base, const std::vector<int>& ends, bool limits);
  /// Nothing to turn, or more joints than a limb has.
  bool empty() const { return velocities_ == 0 || velocities_ > kMost; }

  /// Keeps a hinge inside these as well, where its limits leave something of them.
  void narrow(int link, double lower, double upper);
  /// Starts from the coordinates in `clip`; `hung` is where the base is in each frame.
  void start(const double* values, int q_size, const std::vector<Transform>* hung, int frames);
  void solve(const std::vector<LimbGoal>& goals, int iterations, double smoothness = 0.0);
  /// Single frames by themselves, each from the one before it, and each from the one behind it; of the three answers in
  /// every frame those are kept that make the cheapest way through the clip, jumps included.
  void search(const std::vector<LimbGoal>& goals, int iterations);
  /// After solve() of single frames: those that are stuck in another valley start again from their neighbours.
  void repair(const std::vector<LimbGoal>& goals);
  /// A link of the limb, and the largest second difference of its places from frame to frame that is wanted.
  struct Bound {
    int link = -1;
    double most = 0.0;
  };
  /// Smooths the coordinates around frames in which a link is accelerated beyond its bound, as long as that helps.
  void calm(const std::vector<Bound>& bounds);
  /// Where a point of a link is now.
  Vec3 place(int frame, int link, const Vec3& local) const;
  void finish(double* values, int q_size) const;

  const std::vector<int>& path() const { return path_; }

 private:
  static constexpr int kMost = 24;
  /// What a velocity turns: its own link, and those that are coupled to it, at the place of each in the path.
  struct Motion {
    int velocity, owner;
  };
  using Small = Eigen::Matrix<double, kMost, 1>;
  struct Pose {
    std::vector<Transform> X;     // of the links of the path
    std::vector<Vec3> axis, arm;  // of each motion: world angular, and linear of the link's origin
  };
  void pose(int frame, Pose& out) const;
  bool carries(const Motion& motion, int k) const;
  double linearize(int frame, const Pose& now, const std::vector<LimbGoal>& goals, MatX& H, VecX& g) const;
  void move(int frame, const double* step);
  void differences(int a, int b, double* v) const;
  bool stuck(int frame, int velocity, double push) const;
  double settle(int frame, const std::vector<LimbGoal>& goals, int iterations);
  int slot(int link) const;

  const Model& model_;
  bool limits_;
  std::vector<int> path_;               // links, parents before their children
  std::vector<int> q_start_, v_start_;  // of each link of the path
  std::vector<Motion> motions_;         // in the path's order
  std::vector<int> owner_;              // of each velocity: place in the path
  std::vector<double> lower_, upper_;   // of each velocity; infinite where there is no limit
  int coordinates_ = 0, velocities_ = 0, frames_ = 0;
  const std::vector<Transform>* hung_ = nullptr;
  std::vector<double> q_;
  std::vector<double> followed_;  // by coupled joints of the path, where the followed one is elsewhere
  std::vector<double> cost_;
};

}  // namespace armature::inline v0_2
