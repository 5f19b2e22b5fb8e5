// Feeds a fuzzer's entry point with random bytes, without libFuzzer and at full speed: random_NAME SECONDS [SEED
// [FOLDER]]. For the fuzzers whose bytes are decisions, nearly every input means something. An input that breaks a law
// is written to FOLDER first (".").
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "armature/base/rng.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::uint8_t> input;
std::string folder = ".";
unsigned long long current = 0;

extern "C" void keep_input(int number) {
  const std::string path = folder + "/crash-" + std::to_string(current);
  if (std::FILE* file = std::fopen(path.c_str(), "wb")) {
    std::fwrite(input.data(), 1, input.size(), file);
    std::fclose(file);
    std::fprintf(stderr, "kept as %s\n", path.c_str());
  }
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10.0;
  current = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  if (argc > 3) folder = argv[3];
  for (int number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGALRM, SIGTERM}) std::signal(number, keep_input);
  const std::time_t end = std::time(nullptr) + static_cast<std::time_t>(seconds);
  unsigned long long count = 0;
  for (; std::time(nullptr) < end; ++current, ++count) {
    armature::Rng rng(current);
    input.resize(20 + rng.below(600));
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(rng.below(256));
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%llu inputs, the last seed is %llu\n", count, current - 1);
  return 0;
}
