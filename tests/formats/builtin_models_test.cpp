// The build embeds models/*.json whole and sorted.
#include "armature/formats/builtin_models.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "support/data.hpp"

TEST_CASE("every file of models/ is built in, byte for byte") {
  const auto builtin = armature::builtin_models();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(armature::test::project_root() / "models")) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    const auto found = std::find_if(builtin.begin(), builtin.end(),
                                    [&](const auto& model) { return model.name == entry.path().stem().string(); });
    REQUIRE_MESSAGE(found != builtin.end(), entry.path().string());
    CHECK_MESSAGE(found->json == armature::test::read_file(entry.path()), entry.path().string());
  }
  CHECK(files == builtin.size());
  CHECK(std::is_sorted(builtin.begin(), builtin.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
}
