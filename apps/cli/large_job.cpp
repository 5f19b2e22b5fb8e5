#include "large_job.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <filesystem>

#include "mpi_module.hpp"

namespace armature::cli {
namespace {

std::atomic<int> stop_signal{0};
extern "C" void note_stop_signal(int signal) { stop_signal = signal; }

// The module with MPI lies beside the program, or where it was installed to.
MakeRanks load_mpi() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = error ? std::filesystem::path(".") : program.parent_path();
  for (const std::filesystem::path& file :
       {folder / "armature_mpi_module.so", folder / ".." / "lib" / "armature" / "armature_mpi_module.so"}) {
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);  // Open MPI loads parts that look for its names
    void* const entry = module != nullptr ? dlsym(module, "armature_make_ranks") : nullptr;
    if (entry != nullptr) return reinterpret_cast<MakeRanks>(entry);
  }
  throw BadInput{"This program was built without MPI; install libopenmpi-dev and openmpi-bin and build it again."};
}

}  // namespace

void add_job_flags(CLI::App& command, JobFlags& flags, bool resumable) {
  command.add_option("--threads", flags.threads, "At most so many threads; 0: one per core (default; with --mpi: 1)")
      ->transform(within(0, 1024));
  if (!resumable) return;
  command.add_flag("--mpi", flags.mpi,
                   "One job for all ranks: mpirun -np 8 armature ... --mpi (docs/clusters.md); the first rank writes");
  command
      .add_option(
          "--checkpoint", flags.checkpoint,
          "Where unfinished work is kept (default: the first -o and .part); the same command goes on from there")
      ->type_name("FILE");
}

int thread_count(const JobFlags& flags) { return flags.threads >= 0 ? flags.threads : flags.mpi ? 1 : 0; }

Ranks* ranks_of(const JobFlags& flags) {
  if (!flags.mpi) return nullptr;
  static const std::unique_ptr<Ranks> ranks(load_mpi()());
  return ranks.get();
}

bool is_first(const Ranks* ranks) { return ranks == nullptr || ranks->rank() == 0; }

StopSignals::StopSignals() {
  stop_signal = 0;
  struct sigaction action {};
  action.sa_handler = note_stop_signal;
  sigaction(SIGINT, &action, &kept_[0]);
  sigaction(SIGTERM, &action, &kept_[1]);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &kept_[0], nullptr);
  sigaction(SIGTERM, &kept_[1], nullptr);
}

int StopSignals::received() { return stop_signal; }

void tell_resumed(const std::string& checkpoint, double fraction) {
  fmt::print(stderr, "Going on from {}: {:.0f} %.\n", checkpoint, 100.0 * fraction);
}

void quit_interrupted(const std::string& checkpoint) {
  if (checkpoint.empty()) {
    fmt::print(stderr, "Interrupted; nothing is kept (with -o FILE or --checkpoint FILE it would be).\n");
  } else {
    fmt::print(stderr, "Interrupted; what is done so far is in {}. The same command goes on from there.\n", checkpoint);
  }
  throw Quit{128 + stop_signal};
}

}  // namespace armature::cli
