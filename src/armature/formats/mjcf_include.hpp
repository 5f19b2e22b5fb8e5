// <include file="..."/> of MJCF: the content of another file's outermost element stands in its place. Names are seen
// from the folder of the model, also in files that are themselves included; as in MuJoCo, a file is included once.
#pragma once

#include "armature/formats/document.hpp"
#include "armature/formats/source.hpp"

namespace armature::inline v0_2 {

struct MjcfText {
  std::string bytes;
  std::vector<SourcePart> parts;  // where each stretch of it comes from, for messages
};

/// The text with everything that it includes; without includes it is not touched, and `bytes` is empty.
Result<MjcfText> expand_mjcf_includes(const Source& source, const ReadOptions& options);

}  // namespace armature::inline v0_2
