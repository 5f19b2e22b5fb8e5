// Where to put a robot so that it reaches a set of targets: inverse reachability.
//
// The floor around the targets is cut into cells; in each cell the robot is turned into evenly spread headings, and
// inverse kinematics decides for every target whether it can be reached from there. No map has to be made before, and
// what counts as reached is what `ik` reaches. Results do not depend on threads, ranks or interruptions.
//
//   Placements placements = Placements::make({.model = panda}, grasps, {.cells = 20}).value();
//   find_placements(placements).value();
//   const Transform base = placements.transform(placements.best());  // of the model's world in the targets' frame
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "armature/parallel/job.hpp"
#include "armature/solve/workspace.hpp"

namespace armature::inline v0_2 {

struct PlacementOptions {
  int cells = 30;    // along the longest side of where the robot may stand
  int headings = 8;  // about the vertical axis (z)
  // Where its origin may stand, in the frame of the targets. Without bounds: wherever it could reach one of them, at
  // height 0; heights are tried where z has bounds.
  Vec3 region_lower = Vec3::Constant(-HUGE_VAL);
  Vec3 region_upper = Vec3::Constant(HUGE_VAL);
};

class Placements {
 public:
  /// One way to stand.
  struct Place {
    int cell = 0, heading = 0;
  };

  /// Targets are position and pose goals in the world. Of the problem count model, tip, limits and locked joints; its
  /// goals are not read. The error says what is wrong.
  static Result<Placements> make(const Problem& problem, std::vector<Goal> targets,
                                 const PlacementOptions& options = {});

  const WorkspaceGrid& grid() const { return grid_; }
  const Problem& problem() const { return problem_; }
  const std::vector<Goal>& targets() const { return targets_; }
  int headings() const { return headings_; }
  /// How many targets are reached.
  int reached(const Place& place) const { return static_cast<int>(reached_[index(place)]); }
  /// The heading of a cell that reaches most of them.
  Place best_of(int cell) const;
  /// Of the cells that reach most, the one that is farthest from those that reach less: small errors of the place
  /// matter least there.
  Place best() const;
  double angle(int heading) const { return 2.0 * kPi * heading / headings_; }
  Transform transform(const Place& place) const;
  /// A target as the robot sees it that stands there.
  Goal seen_from(const Transform& base, const Goal& target) const;

 private:
  friend class PlacementJob;
  std::size_t index(const Place& p) const { return static_cast<std::size_t>(p.cell * headings_ + p.heading); }

  Problem problem_;
  std::vector<Goal> targets_;
  WorkspaceGrid grid_;
  int headings_ = 1;
  std::vector<std::uint32_t> reached_;  // by cell, then heading
};

/// True: done. False: `options.progress` stopped it; with a checkpoint the same call goes on from there. Ranks other
/// than the first one know no results.
Result<bool> find_placements(Placements& placements, const JobOptions& options = {});

}  // namespace armature::inline v0_2
