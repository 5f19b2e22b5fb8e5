#include "armature/scene/uri.hpp"

#include <doctest/doctest.h>

namespace armature {

TEST_CASE("A URI of a model is a relative path, decoded once") {
  CHECK(path_of_uri("arm.bin").value() == "arm.bin");
  CHECK(path_of_uri("meshes/left%20arm.stl").value() == "meshes/left arm.stl");
  CHECK(path_of_uri("100%.stl").value() == "100%.stl");
  CHECK(path_of_uri("%252e%252e/a").value() == "%2e%2e/a");
  CHECK(path_of_uri("a/b:c.bin").value() == "a/b:c.bin");
  CHECK(name_of_uri("package://arm/meshes/left%20arm.stl") == "left arm.stl");
}

TEST_CASE("Anything else is refused with a sentence") {
  for (const char* uri : {"", "/etc/passwd", "%2fetc/passwd", "file:///etc/passwd", "http://x/a.bin", "//host/a.bin",
                          "C:/a.bin", "..\\a.bin", "a%5cb.bin", "a%00.bin", "a%0a.bin", "a\x1b.bin"}) {
    CAPTURE(uri);
    const Result<std::string> path = path_of_uri(uri);
    CHECK(!path.ok());
    CHECK(path.message().back() == '.');
  }
}

}  // namespace armature
