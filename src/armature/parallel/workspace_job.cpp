#include "armature/parallel/workspace_job.hpp"

#include <cstring>
#include <vector>

namespace armature {
namespace {

// The chunks of one phase that are not done yet.
class WorkspacePhase : public Job {
 public:
  explicit WorkspacePhase(Workspace& workspace) : workspace_(workspace) {
    for (int i = 0; i < workspace.chunk_count(); ++i) {
      if (!workspace.is_done(i)) open_.push_back(i);
    }
  }
  int count() const override { return static_cast<int>(open_.size()); }
  void prepare(int workers) override { workers_.resize(static_cast<std::size_t>(workers)); }

  // Bytes: pairs of cell and count.
  std::string run(int piece, int worker) override {
    Workspace::Worker& own = workers_[static_cast<std::size_t>(worker)];
    std::string bytes;
    for (const auto& [cell, count] : workspace_.run(open_[static_cast<std::size_t>(piece)], own)) {
      const std::uint32_t pair[2] = {static_cast<std::uint32_t>(cell), count};
      bytes.append(reinterpret_cast<const char*>(pair), sizeof pair);
    }
    return bytes;
  }

  Status take(int piece, std::string_view bytes) override {
    Workspace::ChunkResult result;
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
      std::uint32_t pair[2];
      std::memcpy(pair, bytes.data(), sizeof pair);
      result.emplace_back(static_cast<int>(pair[0]), pair[1]);
    }
    // The last chunk begins the next phase: not before every worker has ended.
    if (piece + 1 == count()) {
      last_ = std::move(result);
      return {};
    }
    workspace_.merge(open_[static_cast<std::size_t>(piece)], result);
    return {};
  }
  void merge_last() {
    if (!open_.empty()) workspace_.merge(open_.back(), last_);
  }

 private:
  Workspace& workspace_;
  std::vector<int> open_;
  Workspace::ChunkResult last_;
  std::vector<Workspace::Worker> workers_;
};

}  // namespace

Result<bool> compute_workspace(Workspace& workspace, const JobOptions& options) {
  JobOptions own = options;
  own.checkpoint.clear();
  const bool first = options.ranks == nullptr || options.ranks->rank() == 0;
  for (;;) {
    // Every rank begins a phase with all that is known; nothing says that the work is done or was stopped.
    if (options.ranks != nullptr) {
      const std::string known = share(*options.ranks, first ? workspace.save() : "");
      if (!first) {
        if (const Status status = workspace.restore(known); !status) return status.error();
      }
    }
    if (workspace.phase() == Workspace::Phase::done) return true;
    WorkspacePhase phase(workspace);
    const Result<bool> done = run_job(phase, own);
    if (!done) return done;
    bool stopped = !*done;
    if (options.ranks != nullptr) stopped = share(*options.ranks, stopped ? "stopped" : "") == "stopped";
    if (stopped) return false;
    if (first) phase.merge_last();
  }
}

}  // namespace armature
