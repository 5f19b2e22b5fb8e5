// The optional component armature::fbx: FBX files through assimp.
#pragma once

namespace armature::inline v0_2 {

/// From now on every reader of documents reads FBX: skeleton and motions. Call it at the program's start.
void use_fbx();

}  // namespace armature::inline v0_2
