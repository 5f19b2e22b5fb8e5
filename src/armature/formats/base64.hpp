// Bytes as text: buffers inside a .gltf, files inside a scene, names inside an address.
#pragma once

#include <string>
#include <string_view>

namespace armature::inline v0_2 {

std::string encode_base64(std::string_view bytes);
/// Also takes the URL alphabet, and text without its padding. False when it is neither.
bool decode_base64(std::string_view text, std::string& out);
/// "left%20arm" -> "left arm". A "%" that begins no escape stands for itself: file names hold it.
std::string decode_percent(std::string_view text);

}  // namespace armature::inline v0_2
