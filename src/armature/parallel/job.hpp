// Large jobs: numbered pieces on every core and on every machine, resumable.
//
// A piece depends on nothing but its number, and the bytes that pieces give are taken in the order of their numbers. So
// threads, ranks, interruptions and resumptions change no bit of what a job writes. Memory is bounded: no piece begins
// that is far ahead of the first one that was not taken yet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "armature/base/result.hpp"
#include "armature/parallel/for_all.hpp"

namespace armature {

class Job {
 public:
  virtual ~Job() = default;
  /// Number of pieces.
  virtual int count() const = 0;
  /// Before the first piece: `workers` threads of this process will call run().
  virtual void prepare(int workers) = 0;
  /// The work of one piece. Runs in many threads and processes at once; `worker` numbers the threads of this process.
  virtual std::string run(int piece, int worker) = 0;
  /// In the first rank alone: before everything else; what each piece gave, one after the other, in the order of the
  /// pieces; behind the last one. An error ends the job.
  virtual Status begin() { return {}; }
  virtual Status take(int piece, std::string_view bytes) = 0;
  virtual Status finish() { return {}; }
};

/// The processes that work on one job, as seen from one of them. Messages between two ranks keep their order.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int count() const = 0;
  /// Returns as soon as `bytes` may be forgotten, which may be before they have arrived.
  virtual void send(int to, std::string bytes) = 0;
  /// A message that has come, whoever sent it; false at once when there is none.
  virtual bool receive(int& from, std::string& bytes) = 0;
};

struct JobOptions : ParallelOptions {
  Ranks* ranks = nullptr;       // null: this process alone. Every rank calls run_job with the same job
  std::string checkpoint = {};  // file that keeps what was taken until the job is done; "": none
  std::function<void(double fraction)> resumed = {};  // called when a checkpoint was there, with what it held
  std::uint64_t fingerprint = 0;  // of everything that the result depends on: another one's checkpoint is refused
};

/// True: done. False: `progress` stopped it; the checkpoint keeps what was taken, and the same call goes on from there.
/// Ranks other than the first one return when the first one has ended, and know no more than that.
Result<bool> run_job(Job& job, const JobOptions& options);

/// The first rank's bytes, in every rank.
std::string share(Ranks& ranks, std::string bytes);

}  // namespace armature
