// Independent pieces of work on several cores. The core of the library starts no threads; this does.
#pragma once

#include <functional>

namespace armature {

struct ParallelOptions {
  int threads = 0;  // 0: every core
  /// Called now and then, by one thread at a time, with the fraction that is done; false stops the work.
  std::function<bool(double fraction)> progress = {};
};

/// How many workers for_all() starts at most.
int worker_count(int count, const ParallelOptions& options);

/// work(piece, worker) for each piece in [0, count), once, on several threads; `worker` numbers them from 0. False when
/// `progress` stopped it.
bool for_all(int count, const ParallelOptions& options, const std::function<void(int piece, int worker)>& work);

}  // namespace armature
