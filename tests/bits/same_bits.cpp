// Prints one hash per job of the fixed set (jobs.hpp), so that two programs, machines or runs can be compared line by
// line:
//   same_bits [--isa baseline|avx2|avx512] [--threads N] [--small] [--write FILE]
//   same_bits --compare FILE     fails where a number differs from the file's by more than 1e-12 of its size
// FILE holds every number in hexadecimal. bits_test.py runs it in all the ways that must not matter.
#include <atomic>
#include <cinttypes>
#include <cmath>
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

void write_numbers(const char* path, const std::vector<bits::Job>& jobs, const std::vector<bits::Numbers>& answers) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) std::exit(2);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::fprintf(file, "%s %zu\n", jobs[i].name.c_str(), answers[i].values.size());
    for (double value : answers[i].values) std::fprintf(file, "%a\n", value);
  }
  if (std::fclose(file) != 0) std::exit(2);
}

// Ends where its tolerance is met: a sine that is off in its last bit may lead it another way.
bool is_search(const std::string& name) {
  for (const char* kind : {"method/", "quality/", "general/"}) {
    if (name.rfind(kind, 0) == 0) return true;
  }
  return false;
}

// How many jobs differ that are no searches, or more than half of all that are; says where each one does so first.
int compare_numbers(const char* path, const std::vector<bits::Job>& jobs, const std::vector<bits::Numbers>& answers) {
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) std::exit(2);
  int different = 0, searches = 0, elsewhere = 0;
  double largest = 0.0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    char name[200], text[100];
    std::size_t count = 0;
    if (std::fscanf(file, "%199s %zu", name, &count) != 2 || jobs[i].name != name) std::exit(2);
    const std::vector<double>& mine = answers[i].values;
    bool same = count == mine.size();
    if (!same) std::printf("%s: %zu numbers, %zu in the file\n", name, mine.size(), count);
    for (std::size_t k = 0; k < count; ++k) {
      if (std::fscanf(file, "%99s", text) != 1) std::exit(2);
      if (!same) continue;
      const double theirs = std::strtod(text, nullptr);
      const double off = std::abs(mine[k] - theirs) / std::max(1.0, std::abs(theirs));
      if (mine[k] == theirs || (std::isnan(mine[k]) && std::isnan(theirs))) continue;
      if (off <= 1e-12) {
        largest = std::max(largest, off);
        continue;
      }
      std::printf("%s: number %zu of %zu is %.17g, %.17g in the file\n", name, k, count, mine[k], theirs);
      same = false;
    }
    const bool search = is_search(jobs[i].name);
    searches += search ? 1 : 0;
    if (!same) ++(search ? elsewhere : different);
  }
  std::fclose(file);
  std::printf("%d of %zu jobs differ, and %d of %d searches took another way; largest difference of the others %.2g\n",
              different, jobs.size() - static_cast<std::size_t>(searches), elsewhere, searches, largest);
  return different + (2 * elsewhere > searches ? elsewhere : 0);
}

}  // namespace

int main(int argc, char** argv) {
  const char *write = nullptr, *compare = nullptr;
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
    if (option == "--write") {
      write = value;
    } else if (option == "--compare") {
      compare = value;
    } else if (option == "--threads") {
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
  if (write != nullptr) write_numbers(write, jobs, answers);
  if (compare != nullptr) return compare_numbers(compare, jobs, answers) == 0 ? 0 : 1;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    std::printf("%016" PRIx64 " %s\n", hash_of(answers[i].values), jobs[i].name.c_str());
  return 0;
}
