// What every fuzzer of a reader does: read, compile what was read, pose it once, write it, read that again. Nothing may
// crash, hang or leak, a refusal must have a sentence, what compiles must have finite frames at its neutral pose
// (numbers beyond 1e100 aside), and what was written must be readable.
#pragma once

#include <algorithm>
#include <cmath>
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
    const VecX q = neutral_pose(*model);
    forward(*model, q, state);
    double largest = q.size() > 0 ? q.cwiseAbs().maxCoeff() : 0.0;
    for (int i = 0; i < model->link_count(); ++i) {
      const ModelJoint& joint = model->joint(i);
      largest = std::max(
          {largest, joint.origin.position.cwiseAbs().maxCoeff(), std::abs(joint.multiplier), std::abs(joint.offset)});
    }
    for (const Transform& frame : state.X_WL) {
      if (largest < 1e100 && !frame.position.allFinite()) std::abort();
    }
    if (format.write != nullptr) {
      const Result<std::string> text = format.write(*document, {});
      if (!text && text.message().empty()) std::abort();
      if (text.ok() && !format.read(*text, options).ok()) std::abort();
    }
  }
}

}  // namespace armature::fuzz
