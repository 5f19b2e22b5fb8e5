#include "armature/mpi/mpi_ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <string>

namespace armature {
namespace {

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int running = 0;
    MPI_Initialized(&running);
    own_ = running == 0;
    int provided = 0;
    if (own_) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &world_);
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &count_);
  }
  ~MpiRanks() override {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended != 0) return;
    MPI_Comm_free(&world_);
    if (own_) MPI_Finalize();
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int count() const override { return count_; }

  // A piece's bytes fit an int: large ones go in several messages, each but the last one full.
  void send(int to, std::string bytes) override {
    std::size_t at = 0;
    do {
      const std::size_t size = std::min(kMost, bytes.size() - at);
      MPI_Send(bytes.data() + at, static_cast<int>(size), MPI_BYTE, to, at + size < bytes.size() ? kMore : kLast,
               world_);
      at += size;
    } while (at < bytes.size());
  }

  bool receive(int& from, std::string& bytes) override {
    MPI_Status status;
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_, &there, &status);
    if (there == 0) return false;
    from = status.MPI_SOURCE;
    bytes.clear();
    for (int tag = kMore; tag != kLast;) {
      MPI_Probe(from, MPI_ANY_TAG, world_, &status);
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      tag = status.MPI_TAG;
      const std::size_t at = bytes.size();
      bytes.resize(at + static_cast<std::size_t>(size));
      MPI_Recv(bytes.data() + at, size, MPI_BYTE, from, tag, world_, MPI_STATUS_IGNORE);
    }
    return true;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 30;
  static constexpr int kLast = 1, kMore = 2;
  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, count_ = 1;
  bool own_ = false;
};

}  // namespace

std::unique_ptr<Ranks> mpi_ranks() { return std::make_unique<MpiRanks>(); }

}  // namespace armature
