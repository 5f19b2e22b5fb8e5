// FBX is read by an optional component (armature::fbx, on Debian's libassimp-dev), so that nothing else needs it. A
// program that links it calls use_fbx() at its start.
#pragma once

#include "armature/formats/document.hpp"

namespace armature::inline v0_2 {

using FbxReader = Result<Document> (*)(std::string_view bytes, const ReadOptions& options);

/// What reads FBX from now on. Belongs to start-up.
void set_fbx_reader(FbxReader reader);

}  // namespace armature::inline v0_2
