// What every fuzzer of a reader does: read, compile what was read, pose it once. Nothing may crash, hang or leak, a
// refusal must have a sentence, and what compiles must have finite frames at its neutral pose (placements beyond 1e100
// aside).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"

namespace armature::fuzz {

inline void read_and_pose(const char* format_name, const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const Format& format : formats()) {
    format.detect != nullptr ? static_cast<void>(format.detect(bytes)) : static_cast<void>(0);
    if (std::string_view(format.name) != format_name) continue;
    ReadOptions options;
    options.file_name = "fuzz";
    const Result<Document> document = format.read(bytes, options);
    if (!document) {
      if (document.message().empty()) std::abort();
      continue;
    }
    const Result<Model> model = compile(document->linkage);
    if (!model) {
      if (model.message().empty()) std::abort();
      continue;
    }
    State state;
    forward(*model, neutral_pose(*model), state);
    if (format.write != nullptr) {
      const Result<std::string> text = format.write(*document, {});
      if (!text && text.message().empty()) std::abort();
    }
  }
}

}  // namespace armature::fuzz
