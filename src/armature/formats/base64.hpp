// Bytes as text: buffers inside a .gltf, files inside a scene.
#pragma once

#include <string>
#include <string_view>

namespace armature::inline v0_2 {

std::string encode_base64(std::string_view bytes);
/// Also takes the URL alphabet, and text without its padding. False when it is neither.
bool decode_base64(std::string_view text, std::string& out);

}  // namespace armature::inline v0_2
