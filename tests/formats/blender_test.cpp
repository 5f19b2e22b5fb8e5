// Joint positions side by side with Blender's. Blender is far too large to install for ./test:
// tools/check_with_blender.py runs it, stores what it saw, and calls this test with ARMATURE_BLENDER_POSITIONS naming
// that file.
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "armature/formats/bvh.hpp"
#include "motion_support.hpp"

using namespace armature;
using namespace armature::test;

TEST_CASE("bvh: joint positions are Blender's") {
  const char* const stored = std::getenv("ARMATURE_BLENDER_POSITIONS");
  if (stored == nullptr) {
    std::printf("SKIPPED: needs Blender; tools/check_with_blender.py runs this comparison\n");
    return;
  }
  const nlohmann::json seen = nlohmann::json::parse(read_file(stored));
  REQUIRE(!seen.empty());
  for (const auto& [path, clip] : seen.items()) {
    const std::string file = path;  // clang 14 does not capture structured bindings
    ReadOptions options;
    options.bvh_positions = clip["positions"].get<std::string>();
    const Result<Document> document = read_bvh(read_file(path), options);
    REQUIRE_MESSAGE(document.ok(), document.message());
    const Model model = must_compile(document->linkage);
    // The figure's height: the largest extent of its rest pose along one axis.
    const std::vector<Vec3> rest = positions(model, nullptr, -1);
    Vec3 low = rest[0];
    Vec3 high = rest[0];
    for (const Vec3& p : rest) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    const double height = (high - low).maxCoeff();
    double worst = 0.0;
    int compared = 0;
    for (const auto& [frame, bones] : clip["frames"].items()) {
      if (std::stoi(frame) >= document->clips[0].frame_count()) continue;  // Blender adds a frame to clips of one
      const std::vector<Vec3> ours = positions(model, &document->clips[0], std::stoi(frame));
      for (const auto& [name, at] : bones.items()) {
        const int link = model.find_link(name);
        REQUIRE(link >= 0);
        worst = std::max(worst, (ours[static_cast<std::size_t>(link)] - Vec3(at[0], at[1], at[2])).norm());
        ++compared;
      }
    }
    INFO(file);
    CHECK(compared > 0);
    CHECK(worst <= 1e-4 * height);
    std::printf("%-40s %5d positions, largest difference %.1e of the height\n",
                std::filesystem::path(path).filename().c_str(), compared, worst / height);
  }
}
