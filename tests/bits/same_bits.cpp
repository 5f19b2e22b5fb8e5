// Prints one hash per job of the fixed set (jobs.hpp), so that two programs, machines or runs can be compared line by
// line:
//   same_bits [--isa baseline|avx2|avx512] [--threads N] [--small]
// bits_test.py runs it in all the ways that must not matter.
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#ifndef __EMSCRIPTEN__
#include <thread>
#endif

#include "bits/isa_limit.hpp"
#include "bits/jobs.hpp"

using namespace armature;

namespace {

std::uint64_t hash_of(const std::vector<double>& values) {
  std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
  for (double value : values) {
    unsigned char bytes[sizeof(double)];
    std::memcpy(bytes, &value, sizeof(double));
    for (unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
  }
  return hash;
}

std::vector<bits::Numbers> run_all(const std::vector<bits::Job>& jobs, [[maybe_unused]] int threads) {
  std::vector<bits::Numbers> answers(jobs.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) jobs[i].run(answers[i]);
  };
#ifndef __EMSCRIPTEN__
  std::vector<std::thread> crew;
  for (int t = 1; t < threads; ++t) crew.emplace_back(work);
  work();
  for (std::thread& thread : crew) thread.join();
#else
  work();
#endif
  return answers;
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 1;
  bool small = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--small") {
      small = true;
      continue;
    }
    if (i + 1 == argc) return 2;
    const char* value = argv[++i];
    if (option == "--threads") {
      threads = std::atoi(value);
    } else if (option == "--isa") {
      for (Isa isa : kIsas) {
        if (std::strcmp(isa_name(isa), value) == 0) bits::isa_limit() = isa;
      }
      if (!bits::machine_has(bits::isa_limit())) return 77;
    } else {
      return 2;
    }
  }
  const std::vector<bits::Job> jobs = bits::all_jobs(small);
  const std::vector<bits::Numbers> answers = run_all(jobs, threads);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    std::printf("%016" PRIx64 " %s\n", hash_of(answers[i].values), jobs[i].name.c_str());
  return 0;
}
