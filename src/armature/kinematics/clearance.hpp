// How near the bodies of a model come to each other and to obstacles at a pose.
//
//   Clearance clearance;
//   clearance.prepare(model, bodies, obstacles);       // allocates
//   clearance.is_free(q.data(), 0.005);                 // a yes or no, quickly
//   clearance.nearest(q.data(), 0.05, pairs);           // what is nearer than 5 cm, nearest first
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "armature/kinematics/bodies.hpp"
#include "armature/kinematics/branches.hpp"
#include "armature/kinematics/obstacles.hpp"
#include "armature/kinematics/state.hpp"
#include "armature/kinematics/triangle_tree.hpp"

namespace armature::inline v0_2 {

/// Two things that are near each other, or touch (distance below 0).
struct NearPair {
  int link_a = -1;      // the link of the first
  int link_b = -1;      // of the second; -1: it stands in the world
  int carried = -1;     // obstacle that is the first thing, carried by link_a; -1: a body of the link
  int obstacle = -1;    // obstacle that is the second thing; -1: a body of link_b
  Nearest nearest;      // from the second to the first, in the world
  double margin = 0.0;  // the most that is ever asked of this pair
};

class ExactShapes;

class Clearance {
 public:
  /// The error names an obstacle that cannot be used. `obstacles` need not outlive this.
  Status prepare(const Model& model, const Bodies& bodies, std::span<const Obstacle> obstacles);
  bool ready() const { return !model_.empty(); }
  const Model& model() const { return model_; }
  const std::string& obstacle_name(int obstacle) const { return names_[static_cast<std::size_t>(obstacle)]; }

  /// Only pairs that some of these velocities (non-zero: it moves) can bring nearer or farther are asked from now on:
  /// what touches whatever a search does is no fault of its answers. Empty: all pairs.
  void watch(std::span<const char> velocities);

  /// Whether everything keeps the margin (or the pair's own, where that is less).
  bool is_free(const double* q, double margin);
  /// The smallest distance, or `within`: quicker than the list.
  double smallest(const double* q, double within);
  /// Appends every pair that is nearer than `within`, nearest first; returns the smallest distance, or `within`.
  /// Allocates only when more pairs are near than ever before.
  double nearest(const double* q, double within, std::vector<NearPair>& pairs);
  /// How the distance of a near pair changes with each velocity of the model, at the pose that was asked about last.
  void slope(const NearPair& pair, VecX& out);
  /// Whether every pose on the way from q0 to q1 (interpolate) is free with `margin`: proved by how far bodies can
  /// move. False also where `most_checks` poses were not enough. `shapes` (of the same things) decide where bodies
  /// touch. Does not allocate once it was called.
  bool prove_free(const VecX& q0, const VecX& q1, double margin, int most_checks = 1000, ExactShapes* shapes = nullptr);

 private:
  struct Placed {
    OrientedBox box;  // a capsule: its center only
    Segment segment;  // of a capsule
  };
  struct Ball {  // that holds a solid: what most pairs are decided by, so they lie close together
    Vec3 center;
    double bound;
  };
  struct World {  // an obstacle that is no solid
    int obstacle = 0;
    bool plane = false;
    Vec3 normal = Vec3::UnitZ();  // of a plane, and a point of it
    Vec3 point = Vec3::Zero();
    TriangleTree tree;
    bool ground = false;  // a height field: solid below
    HeightField field;
    Transform origin;
  };
  void place(const double* q);
  void place(int solid);
  Nearest measure(int a, int b) const;
  bool far(int a, int b, double margin) const;
  bool touches(int a, int b, double margin) const;
  Nearest measure(int solid, const World& world, double within) const;
  bool touches(int solid, const World& world, double margin) const;
  Status add_obstacle(const Obstacle& obstacle, int index);
  void pair_carried(const Bodies& bodies);
  NearPair between(int a, int b) const;
  double slack(const SolidPair& pair, const VecX& motion) const;
  double slack_of_links(int a, int b, const VecX& motion) const;
  int common_link(int a, int b) const;
  bool moves(int link, int beyond, std::span<const char> velocities) const;
  double motion_of(int link, int beyond, double bound, const Vec3& center, const VecX& motion) const;

  Model model_;
  std::vector<Solid> solids_;  // of links, then carried ones, then those of the world
  std::vector<int> thing_;     // per solid: which obstacle it is, -1: a body
  std::vector<SolidPair> pairs_;
  std::vector<World> worlds_;
  std::vector<int> movers_;  // solids that can touch `worlds_`
  std::vector<SolidPair> watched_pairs_;
  std::vector<int> watched_movers_;
  std::vector<Placed> placed_;
  std::vector<Ball> balls_;
  std::vector<int> moving_;  // solids to be placed at every pose
  std::vector<std::string> names_;
  Branches branches_;
  State state_;
  bool moved_ = false;  // the branches' motions are those of the state
  VecX middle_, motion_, whole_;
  std::vector<std::pair<double, double>> waiting_;  // parts of a way that are not proved yet
};

}  // namespace armature::inline v0_2
