// Forward and backward reaching inverse kinematics (Aristidou and Lasenby 2011): joint positions are pulled along
// straight lines, from the goal to the root and back, and the joints then turned to fit them.
//
// Limits, hinges and branches: on the way back from the root every joint turns only as it can (its exact best turn
// within limits), so that what is returned is always a pose of the linkage. Where the joints cannot follow the pulled
// points (hinges off the lines, limits), a pass that brings the effectors no nearer is taken back, and the joints are
// turned one by one as by ccd instead: from there the points are pulled again. Sliding joints, and joints that others
// mimic, are left as they are.
#pragma once

#include <vector>

#include "armature/solve/loop.hpp"
#include "armature/solve/method_options.hpp"
#include "armature/solve/methods/coordinate_descent.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kFabrikInfo{
    "fabrik",  "FABRIK", "Heuristic", "Pulls the joints' positions along straight lines; quick and natural on limbs.",
    "#a48335", "8 3",    'v'};

class Fabrik final : public MethodWith<FabrikOptions> {
 public:
  const MethodInfo& info() const override { return kFabrikInfo; }
  Status check(const Problem& problem) const override;
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;

 private:
  /// A joint that turns, or (last in the list) the point of a goal.
  struct Node {
    int link = 0;
    int parent = -1;      // node; -1: a root, which stays where it is
    int goal = -1;        // index in descent_.wanted of a goal's point
    double length = 0.0;  // to the parent
    Vec3 place;           // now, of the pose
    Vec3 guide;           // what pulling starts from: the place, unless a straight line was bent
    Vec3 pulled;          // after the backward pass
    Vec3 sum;             // of what the children ask for
    int children = 0;     // that have asked so far
    int child_count = 0;
    int first_child = -1;  // node
    int next_sibling = -1;
    int first_handle = 0;
    int handles = 0;
  };

  static Status accept(const CompiledProblem& problem);
  void find_nodes();
  void place_nodes();
  void reach_backward();
  void bend_straight_line();
  // One pass from the root outwards that turns every joint as it can.
  void turn_joints(double* q);
  void turn_node(const Node& node, double* q);
  // Every turning joint, outermost first, to what brings the effectors nearest.
  void turn_one_by_one(double* q);
  Vec3 beyond_axis(int node, const Handle& handle, Vec3& goal) const;
  // Chains of unlimited ball joints need no joints until the points have arrived. The tip follows what it is pulled to
  // only in part, so from the second pass on it is pulled beyond the goal by what the passes so far tell (Broyden
  // 1965).
  int iterate_points(int most);
  void fit_balls(double* q);

  Loop loop_;
  CoordinateDescent descent_;
  std::vector<Node> nodes_;
  std::vector<int> node_of_;       // per link, -1: none
  std::vector<Transform> before_;  // frames before the pass outwards
  std::vector<Wanted> fit_;
  VecX seed_, kept_;
  Mat3 overshoot_ = Mat3::Identity();  // from how far the tip should move to how far it is pulled
  bool free_chain_ = false;
  bool bent_ = false;
};

}  // namespace armature::inline v0_2
