// Reading robot files: bytes a second and time a file. The real robots are used where the shared data lies; without it,
// a generated chain of about 100 kB.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "armature/formats/registry.hpp"
#include "armature/model/compile.hpp"

namespace {

using namespace armature;

// A chain with shapes, `bytes` long or a little more.
std::string generated_urdf(std::size_t bytes) {
  std::string text = "<?xml version=\"1.0\"?>\n<robot name=\"chain\">\n  <link name=\"link0\"/>\n";
  for (int i = 1; text.size() < bytes; ++i) {
    const std::string n = std::to_string(i);
    text +=
        "  <link name=\"link" + n +
        "\">\n    <visual>\n      <origin xyz=\"0 0 0.05\" rpy=\"0 1.5707963267948966 0\"/>\n      <geometry>\n"
        "        <mesh filename=\"package://chain/meshes/link.stl\"/>\n      </geometry>\n    </visual>\n  </link>\n"
        "  <joint name=\"joint" +
        n + "\" type=\"revolute\">\n    <parent link=\"link" + std::to_string(i - 1) + "\"/>\n    <child link=\"link" +
        n +
        "\"/>\n    <origin xyz=\"0 0.012345678 0.1\" rpy=\"0.1 -0.2 0.3\"/>\n    <axis xyz=\"0 0 1\"/>\n"
        "    <limit lower=\"-2.9\" upper=\"2.9\" effort=\"80\" velocity=\"2.175\"/>\n  </joint>\n";
  }
  return text + "</robot>\n";
}

std::string real_file(const char* name) {
  const char* folder = std::getenv("ARMATURE_DATA");
  std::ifstream in(std::filesystem::path(folder != nullptr ? folder : "../shared/data") / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void read_text(benchmark::State& state, const std::string& text, const char* file, bool with_compile) {
  if (text.empty()) {
    state.SkipWithError("needs the shared data");
    return;
  }
  ReadOptions options;
  options.file_name = file;
  for (auto _ : state) {
    const Result<Document> document = read_document(text, options);
    if (!document) state.SkipWithError(document.message().c_str());
    if (with_compile) benchmark::DoNotOptimize(compile(document->linkage));
    benchmark::DoNotOptimize(document);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
}

void read_urdf_100kB(benchmark::State& state) { read_text(state, generated_urdf(100'000), "x.urdf", false); }
void read_and_compile_urdf_100kB(benchmark::State& state) { read_text(state, generated_urdf(100'000), "x.urdf", true); }
void read_pr2(benchmark::State& state) { read_text(state, real_file("urdf/pr2.urdf"), "pr2.urdf", false); }
void read_mjcf_g1(benchmark::State& state) { read_text(state, real_file("mjcf/unitree_g1.xml"), "g1.xml", false); }
void read_json_100kB(benchmark::State& state) {
  ReadOptions options;
  options.file_name = "x.urdf";
  const Result<Document> document = read_document(generated_urdf(100'000), options);
  read_text(state, *write_document(*document, **format_for_writing("x.json"), {}), "x.json", false);
}
BENCHMARK(read_urdf_100kB)->Unit(benchmark::kMillisecond);
BENCHMARK(read_and_compile_urdf_100kB)->Unit(benchmark::kMillisecond);
BENCHMARK(read_pr2)->Unit(benchmark::kMillisecond);
BENCHMARK(read_mjcf_g1)->Unit(benchmark::kMillisecond);
BENCHMARK(read_json_100kB)->Unit(benchmark::kMillisecond);

}  // namespace
