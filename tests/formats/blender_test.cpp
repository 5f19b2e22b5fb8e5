// Joint positions side by side with Blender's. Blender is far too large to install for ./test:
// tools/check_with_blender.py runs it, compares all bones (ARMATURE_BLENDER_POSITIONS names what Blender saw), and
// keeps those at the ends in blender_positions.json, which is compared everywhere.
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "armature/formats/bvh.hpp"
#include "motion_support.hpp"

using namespace armature;
using namespace armature::test;

TEST_CASE("bvh: joint positions are Blender's") {
  const char* const fresh = std::getenv("ARMATURE_BLENDER_POSITIONS");
  const nlohmann::json seen = nlohmann::json::parse(
      read_file(fresh != nullptr ? fresh : project_root() / "tests/formats/blender_positions.json"));
  REQUIRE(seen.size() == 13);
  for (const auto& [name, clip] : seen.items()) {
    const std::string file = name;  // clang 14 does not capture structured bindings
    const auto path = fresh != nullptr ? std::optional<std::filesystem::path>(file) : shared_data("bvh/" + file);
    if (!path) continue;
    ReadOptions options;
    options.bvh_positions = clip["positions"].get<std::string>();
    const Result<Document> document = read_bvh(read_file(*path), options);
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
      for (const auto& [bone, at] : bones.items()) {
        const int link = model.link(bone);
        REQUIRE(link >= 0);
        worst = std::max(worst, (ours[static_cast<std::size_t>(link)] - Vec3(at[0], at[1], at[2])).norm());
        ++compared;
      }
    }
    INFO(file);
    CHECK(compared > 0);
    CHECK(worst <= 1e-4 * height);
    if (fresh == nullptr) continue;
    std::printf("%-40s %5d positions, largest difference %.1e of the height\n", path->filename().c_str(), compared,
                worst / height);
  }
}
