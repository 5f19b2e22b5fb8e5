// How fast BVH is read and written: a 15 MB clip made here (31 joints, six decimals, as motion capture writes them), or
// the clip that ARMATURE_BENCH_BVH names; when there is none, the clip is stored under that name, and
// bench/bvh_blender.py times Blender's importer on the same file.
#include "armature/formats/bvh.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace {

std::string clip_text() {
  const char* const path = std::getenv("ARMATURE_BENCH_BVH");
  if (std::ifstream in; path != nullptr && (in.open(path, std::ios::binary), in.is_open())) {
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  constexpr int kJoints = 31;
  constexpr int kFrames = 15500;
  std::string text = "HIERARCHY\n";
  std::string close;
  for (int j = 0; j < kJoints; ++j) {
    text += (j == 0 ? "ROOT b" : "JOINT b") + std::to_string(j) + "\n{\nOFFSET 0 1 0\nCHANNELS " +
            (j == 0 ? "6 Xposition Yposition Zposition " : "3 ") + "Zrotation Xrotation Yrotation\n";
    close += "}\n";
  }
  text += close + "MOTION\nFrames: " + std::to_string(kFrames) + "\nFrame Time: 0.008333\n";
  char number[32];
  for (int f = 0; f < kFrames; ++f) {
    for (int c = 0; c < 3 + 3 * kJoints; ++c) {
      std::snprintf(number, sizeof number, "%.6f ", 90.0 * std::sin(0.01 * f + c) * std::cos(0.37 * c));
      text += number;
    }
    text += '\n';
  }
  if (path != nullptr) std::ofstream(path, std::ios::binary) << text;
  return text;
}

void read_bvh_clip(benchmark::State& state) {
  const std::string text = clip_text();
  for (auto _ : state) {
    auto document = armature::read_bvh(text, {});
    benchmark::DoNotOptimize(document);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  state.counters["MB"] = static_cast<double>(text.size()) / 1e6;
}
BENCHMARK(read_bvh_clip)->Unit(benchmark::kMillisecond);

void write_bvh_clip(benchmark::State& state) {
  const auto document = armature::read_bvh(clip_text(), {});
  std::size_t bytes = 0;
  for (auto _ : state) {
    auto text = armature::write_bvh(*document, {});
    bytes += text->size();
    benchmark::DoNotOptimize(text);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(write_bvh_clip)->Unit(benchmark::kMillisecond);

}  // namespace
