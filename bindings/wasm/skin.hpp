// Meshes that a reader kept (glTF): vertices, influences and inverse bind matrices, by link of the model.
#pragma once

#include <emscripten/val.h>

#include "armature/formats/document.hpp"
#include "armature/model/model.hpp"

namespace armature::js {

emscripten::val skin_list(const Document& document, const Model& model);

}  // namespace armature::js
