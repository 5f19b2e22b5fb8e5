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
#include "armature/kinematics/covers.hpp"
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

  /// Whether everything keeps the margin (0 or more; or the pair's own, where that is less).
  bool is_free(const double* q, double margin);
  /// The smallest distance, or `within`: quicker than the list.
  double smallest(const double* q, double within);
  /// Appends every pair that is nearer than `within`, nearest first; returns the smallest distance, or `within`.
  /// Allocates only when more pairs are near than ever before.
  double nearest(const double* q, double within, std::vector<NearPair>& pairs);
  /// The same of all pairs that are not watched.
  double nearest_unwatched(const double* q, double within, std::vector<NearPair>& pairs);
  bool watches_all() const { return unwatched_pairs_.empty() && (worlds_.empty() || unwatched_movers_.empty()); }
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
  struct Group {  // the watched pairs of bodies inside two covers, or inside one and of one box of the world
    int begin, end;
    int cover;      // the first
    int common;     // the lowest link above both; -1: none
    int other;      // the second cover; -1: a box
    double radii;   // of both covers
    double margin;  // the largest of its pairs
  };
  struct Lever {  // how far a joint's velocity moves a body at most
    int link, velocity;
    double factor, reach;
  };
  void make_covers(int own, const std::vector<char>& moves);
  void make_levers(int own);
  void find_split();
  void set_limits(double margin, bool capped);
  void limit_ways(double margin);
  // Groups whose covers are near, until one says no; with the squared distance of the covers' axes.
  template <class Visit>
  bool every_near(Visit visit) {
    for (const NearCover& near : covers_.near_pairs()) {
      if (!visit(near.pair, near.square)) return false;
    }
    for (const NearCover& near : covers_.near_boxes()) {
      const int group = box_group_[static_cast<std::size_t>(near.pair)];
      if (group >= 0 && !visit(group, near.square)) return false;
    }
    return true;
  }
  void place(const double* q);
  void place(int solid);
  void need(int solid) {
    if (placed_at_[static_cast<std::size_t>(solid)] < pose_) place(solid);
  }
  Nearest measure(int a, int b) const;
  double distance_of(int a, int b) const;
  bool far(int a, int b, double margin) const;
  bool cover_far(int cover, const World& world, double margin) const;
  bool touches(int a, int b, double margin) const;
  Nearest measure(int solid, const World& world, double within) const;
  bool touches(int solid, const World& world, double margin) const;
  Status add_obstacle(const Obstacle& obstacle, int index);
  void pair_carried(const Bodies& bodies);
  NearPair between(int a, int b) const;
  void keep_nearest(int a, int b, int obstacle, const Nearest& nearest, double margin,
                    std::vector<NearPair>& pairs) const;
  void keep_nearest(const SolidPair& pair, double within, std::vector<NearPair>& pairs);
  void keep_nearest(int solid, const World& world, double within, std::vector<NearPair>& pairs);
  double slack(int a, int b, int common, const VecX& motion) const;
  double slack_of_links(int a, int b, const VecX& motion) const;
  int common_link(int a, int b) const;
  bool moves(int link, int beyond, std::span<const char> velocities) const;
  double motion_of(int solid, int beyond, const VecX& motion) const;
  double cover_motion(int cover, int beyond, const VecX& motion) const;

  Model model_;
  std::vector<Solid> solids_;  // of links, then carried ones, then those of the world
  std::vector<int> thing_;     // per solid: which obstacle it is, -1: a body
  std::vector<SolidPair> pairs_;
  std::vector<World> worlds_;
  std::vector<int> movers_;               // solids that can touch `worlds_`
  std::vector<SolidPair> watched_pairs_;  // group by group
  std::vector<int> watched_movers_, watched_covers_;
  std::vector<SolidPair> unwatched_pairs_;
  std::vector<int> unwatched_movers_;
  std::vector<Placed> placed_;
  std::vector<Ball> balls_;
  std::vector<std::uint64_t> placed_at_;  // pose that a solid was placed at: only what is asked about is
  std::uint64_t pose_ = 0;

  CoverTable covers_;
  std::vector<std::pair<int, int>> cover_solids_;  // of links: first solid of each cover and the one after its last
  int moving_covers_ = 0, box_count_ = 0;
  std::vector<int> cover_of_;               // per solid: that of its link; of a box in the world: -1 - its number
  std::vector<int> own_cover_;              // per solid: its own, or that of its link
  std::vector<std::pair<int, int>> split_;  // first solids of two links
  std::vector<Group> groups_;               // pairs of covers, then covers and boxes
  std::vector<int> box_group_;              // by NearCover::pair
  std::size_t cover_groups_ = 0;            // how many groups are pairs of covers
  double limit_ = -1e300;                   // what the limits were set for
  bool limit_capped_ = false;
  int touched_ = -1;                            // watched pair that the last question found touching
  std::vector<std::pair<double, int>> ranked_;  // groups by their covers' distance

  std::vector<Lever> levers_;
  std::vector<int> lever_begin_;  // per solid of a link
  std::vector<std::string> names_;
  Branches branches_;
  State state_;
  bool moved_ = false;  // the branches' motions are those of the state
  VecX middle_, motion_, whole_;
  std::vector<std::pair<double, double>> waiting_;  // parts of a way that are not proved yet
};

}  // namespace armature::inline v0_2
