// Edits as JSON: a mistake is told, whatever is missing or of another kind.
#include "armature/scene/edit_json.hpp"

#include <doctest/doctest.h>

#include "armature/model/compile.hpp"
#include "support/linkages.hpp"

using namespace armature;

TEST_CASE("edit JSON: limits are set, and a joint that is not named or not there is told") {
  const auto edit = [](const std::string& text, Linkage& linkage) {
    const JsonInput input = JsonInput::parse(text, "edits").value();
    JsonFields fields(input.source());
    return apply_edits(fields, input.root(), linkage) ? std::string() : fields.error().message;
  };
  Linkage l = test::planar_arm({1.0, 1.0});
  CHECK(edit(R"({"edit": "limits", "joint": "joint2", "lower": -1, "upper": 2})", l).empty());
  CHECK(l.find_joint("joint2")->limits.lower == std::vector<double>{-1.0});
  CHECK(edit(R"({"edit": "limits", "lower": -1, "upper": 2})", l).find("joint") != std::string::npos);
  CHECK(edit(R"({"edit": "limits", "joint": 3, "lower": -1, "upper": 2})", l).find("joint") != std::string::npos);
  CHECK(edit(R"({"edit": "limits", "joint": "jiont2", "lower": -1, "upper": 2})", l).find("joint2") !=
        std::string::npos);
}
