// Where a point of a link can get to (reachable workspace), and from how many sides (dexterous share).
//
// The space around the linkage is cut into cells. First random poses mark cells; then inverse kinematics decides the
// cells near the border (a cell counts when its centre can be reached, so the sum is an unbiased volume); then, if
// asked, each cell is tried in evenly spread orientations. Work comes in chunks that depend on nothing but their
// number, and results add up in any order: threads, interruptions and resumptions change no bit of the result.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/state.hpp"
#include "armature/model/model.hpp"
#include "armature/solve/batch.hpp"

namespace armature::inline v0_2 {

class LoopProjection;

struct WorkspaceOptions {
  LinkRef tip{};              // empty: the model's effector
  Vec3 point = Vec3::Zero();  // in the tip's frame
  LinkRef base{};             // positions are measured in its frame; empty: the world
  int cells = 40;             // along the longest side
  int samples = 400000;       // random poses
  int orientations = 0;       // tried per cell, all of space or (flat workspace) of its plane; 0: only the volume
  std::uint64_t seed = 1;
  // Only this box, in the base's frame.
  Vec3 region_lower = Vec3::Constant(-HUGE_VAL);
  Vec3 region_upper = Vec3::Constant(HUGE_VAL);
  // Only orientations whose z axis lies within this angle of `cone_axis` (base's frame); 0: all. Tool down: 0, 0, -1.
  double cone = 0.0;
  Vec3 cone_axis = -Vec3::UnitZ();
  // One part of `shards`, counted from 0: random poses are every shard's, cells are one's own. join() puts the parts
  // together.
  int shard = 0;
  int shards = 1;

  bool has_region() const { return region_lower.array().isFinite().any() || region_upper.array().isFinite().any(); }
};

struct WorkspaceGrid {
  Vec3 origin = Vec3::Zero();  // corner of cell 0, in the base's frame
  double cell = 1.0;           // side of a cell, metres
  int count[3] = {1, 1, 1};
  bool flat[3] = {false, false, false};  // axes along which the workspace has no extent

  int flat_count() const { return int{flat[0]} + int{flat[1]} + int{flat[2]}; }
  /// Of a cell: cubic metres, or square metres or metres of a flat workspace.
  double measure() const;
  int size() const { return count[0] * count[1] * count[2]; }
  int index(int x, int y, int z) const { return (z * count[1] + y) * count[0] + x; }
  Vec3 center(int index) const;
  int cell_of(const Vec3& p) const;  // -1 outside
};

class Workspace {
 public:
  enum class Phase : std::uint8_t { sampling, deciding, turning, done };

  /// Sizes the grid; the error says what is wrong with the options.
  static Result<Workspace> make(const Model& model, const WorkspaceOptions& options);

  Phase phase() const { return phase_; }
  int chunk_count() const { return static_cast<int>(done_.size()); }  // of this phase
  bool is_done(int chunk) const { return done_[static_cast<std::size_t>(chunk)] != 0; }
  double progress() const;  // of this phase, 0 to 1

  /// What a thread works with: kept from chunk to chunk of one workspace, so that its tables are made once.
  struct Worker {
    State state;
    std::shared_ptr<LoopProjection> loops;  // made where loops tie the tip
    std::unique_ptr<Method> solver;
    Problem problem;
    Batch batch;
    std::vector<Goal> goals;
    MatX poses;
    std::vector<Report> reports;
  };
  /// The work of one chunk: pure, may run in many threads at once on one Workspace, each with a worker of its own.
  using ChunkResult = std::vector<std::pair<int, std::uint32_t>>;  // cell, count
  ChunkResult run(int chunk, Worker& worker) const;
  ChunkResult run(int chunk) const {
    Worker worker;
    return run(chunk, worker);
  }
  /// Adds a chunk's result (one thread at a time). The last chunk of a phase starts the next phase.
  void merge(int chunk, const ChunkResult& result);

  /// All that is known so far, as bytes, and back. The error says when the bytes are of another model or options.
  std::string save() const;
  Status restore(std::string_view bytes);

  /// What shard number options().shard found, added to what is there; this workspace, of all shards together, is made
  /// with the same options. Done when every shard was added once.
  Status join(const Workspace& shard);

  const WorkspaceGrid& grid() const { return grid_; }
  const WorkspaceOptions& options() const { return options_; }
  const Model& model() const { return model_; }
  int tip() const { return tip_; }    // links, as indices
  int base() const { return base_; }  // kWorld: the world
  bool reachable(int cell) const { return reached_[static_cast<std::size_t>(cell)] != 0; }
  double dexterity(int cell) const;  // fraction of orientations attained
  /// The cell that holds a point of the base's frame, when it can be reached; else -1.
  int query(const Vec3& point) const {
    const int cell = grid_.cell_of(point);
    return cell >= 0 && reachable(cell) ? cell : -1;
  }
  std::uint32_t hits(int cell) const { return hits_[static_cast<std::size_t>(cell)]; }  // random poses in the cell
  int reachable_cells() const;
  /// Cubic metres, or square metres (metres) of a flat workspace: cells whose centre inverse kinematics reaches.
  double volume() const { return reachable_cells() * grid_.measure(); }
  /// The same by sampling alone: cells that a random pose hit. Too large by the border's cells, too small inside where
  /// samples are few.
  double sampled_volume() const;
  double mean_dexterity() const;  // over reachable cells

 private:
  void start_phase(Phase phase);
  bool decided_by_samples(int cell) const;
  bool near_samples(int cell) const;
  bool owns(int cell) const;
  Mat3 orientation(int i) const;
  std::uint64_t fingerprint() const;

  Model model_;
  WorkspaceOptions options_;
  int tip_ = 0, base_ = kWorld;
  bool tied_ = false;  // by loops
  WorkspaceGrid grid_;
  Phase phase_ = Phase::sampling;
  std::vector<std::uint8_t> done_;
  std::vector<std::uint32_t> hits_;
  std::vector<std::uint8_t> reached_;
  std::vector<std::uint32_t> turned_;
  std::vector<std::uint8_t> joined_;     // shards that were added
  std::vector<int> open_cells_;          // of this phase: those that need inverse kinematics
  Mat3 turned_from_ = Mat3::Identity();  // rotation of the link in the middle pose: what flat orientations start from
};

}  // namespace armature::inline v0_2
