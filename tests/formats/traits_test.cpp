// What a format says of itself is what it does.
#include <doctest/doctest.h>

#include "armature/formats/registry.hpp"
#include "armature/model/compile.hpp"

using namespace armature;

TEST_CASE("formats: motion and binary are what the writers do") {
  // A chain that every format can represent.
  ReadOptions read;
  read.file_name = "arm.dh.csv";
  Document document =
      read_document("name,joint,a,alpha,d,theta\nturn,revolute,1,0,0,q\nbend,revolute,0.5,0,0,q\n", read).value();
  const Model model = compile(document.linkage).value();
  Clip clip;
  clip.name = "wave";
  clip.q_size = model.q_size();
  clip.frame_time = 0.1;
  clip.values.assign(static_cast<std::size_t>(3 * model.q_size()), 0.25);
  document.clips.push_back(clip);
  int carrying = 0;
  for (const Format& format : formats()) {
    INFO(format.name);
    if (format.write == nullptr) {
      CHECK(!format.motion);
      continue;
    }
    const Result<std::string> bytes = write_document(document, format, {});
    REQUIRE_MESSAGE(bytes.ok(), bytes.message());
    CHECK(format.binary == (bytes->find('\0') != std::string::npos));
    const Result<Document> again = format.read(*bytes, read);
    REQUIRE_MESSAGE(again.ok(), again.message());
    CHECK(format.motion == !again->clips.empty());
    carrying += format.motion ? 1 : 0;
  }
  CHECK(carrying >= 5);
}
