#include "armature/parallel/for_all.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace armature {

int worker_count(int count, const ParallelOptions& options) {
#ifdef __EMSCRIPTEN__
  static_cast<void>(options);
  return count > 0 ? 1 : 0;
#else
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::min(count, options.threads > 0 ? options.threads : cores);
#endif
}

bool for_all(int count, const ParallelOptions& options, const std::function<void(int, int)>& work) {
  std::atomic<int> next{0}, done{0};
  std::atomic<bool> stopped{false};
  std::mutex telling;
  const auto run = [&](int worker) {
    for (int i = next++; i < count && !stopped; i = next++) {
      work(i, worker);
      ++done;
      if (!options.progress) continue;
      const std::scoped_lock lock(telling);
      if (!stopped && !options.progress(static_cast<double>(done) / count)) stopped = true;
    }
  };
  const int workers = worker_count(count, options);
  std::vector<std::thread> others;
  for (int w = 1; w < workers; ++w) others.emplace_back(run, w);
  run(0);
  for (std::thread& other : others) other.join();
  return !stopped;
}

}  // namespace armature
