// What commands with large jobs share: threads, ranks, checkpoints, Ctrl-C.
#pragma once

#include <csignal>
#include <memory>
#include <string>

#include "armature/parallel/job.hpp"
#include "common.hpp"

namespace armature::cli {

struct JobFlags {
  int threads = -1;  // -1: not said
  bool mpi = false;
  std::string checkpoint;
};
/// --threads; with `resumable` also --mpi and --checkpoint.
void add_job_flags(CLI::App& command, JobFlags& flags, bool resumable);
/// What --threads means: every core when it is left out or 0, one thread where ranks share the machine.
int thread_count(const JobFlags& flags);

/// The ranks that mpirun started, or null without --mpi. BadInput where the program was built without MPI.
Ranks* ranks_of(const JobFlags& flags);
/// Whether this process is the one that writes and prints.
bool is_first(const Ranks* ranks);

/// Ctrl-C and kill end the work at the next piece instead of at once.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// The signal that came; 0: none.
  static int received();

 private:
  struct sigaction kept_[2]{};
};

/// Says that work goes on from a checkpoint.
void tell_resumed(const std::string& checkpoint, double fraction);
/// Says what is kept, and ends the program as the signal would have.
[[noreturn]] void quit_interrupted(const std::string& checkpoint);

}  // namespace armature::cli
